# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""JAX's linear algebra on Tenon with the handlers that Tenon brings along: the tests of jaxlib's, and what is Tenon's own."""

import json
import re
import subprocess

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import host
from support import COMMAND, assert_same, tenon
from test_lapack import (  # noqa: F401: their tests run here without jaxlib's kernels
    DTYPES, adjoint, close, compute, every_use, hermitian, matrix, test_a_matrix_that_is_not_positive_definite_is_no_error,
    test_cholesky, test_general_eigenvalues, test_lu_and_solve, test_qr, test_small_differences_from_jax, test_svd,
    test_symmetric_eigenvalues, test_triangular_solve_and_determinant)


def find_openblas():
    libraries = json.loads(tenon("version", "--json"))["libraries"]
    return next(library["is_used"] for library in libraries if library["name"] == "openblas")


pytestmark = pytest.mark.skipif(not find_openblas(), reason="there is no OpenBLAS")

def near(got, wanted, dtype):
    np.testing.assert_allclose(got, wanted, atol=1e-3 if np.finfo(dtype).bits == 32 else 1e-10)


def run_both(function, *arrays):
    with jax.enable_x64(True):
        lowered = jax.jit(function).lower(*arrays)
        return host.Program(lowered.as_text())(*arrays), jax.tree.leaves(lowered.compile()(*arrays))


def test_every_kernel_gives_what_it_gives_in_jax():
    with jax.enable_x64(True):
        for dtype in DTYPES:
            for function, *arrays in every_use(matrix(dtype, 4, 4)):
                got, wanted = run_both(function, *arrays)
                if function is jax.lax.linalg.schur:  # its columns may be turned
                    close(got[1] @ got[0] @ adjoint(got[1]), arrays[0], dtype)
                    continue
                for a, b in zip(got, wanted, strict=True):
                    assert_same(a, b, slack=10)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(0, 0), (1, 1), (33, 33), (7, 4, 4), (0, 3, 3), (2, 3, 5, 5), (40, 30, 30)])
def test_matrices_of_all_sizes_and_batches(dtype, shape):
    x = matrix(dtype, *shape)
    positive = x @ adjoint(x) + np.eye(shape[-1], dtype=dtype)
    close(compute(jnp.linalg.cholesky, positive)[0], np.linalg.cholesky(positive), dtype)
    if shape[-1]:  # JAX itself sees to empty matrices
        q, r = compute(lambda x: jnp.linalg.qr(x), x)
        close(q @ r, x, dtype)
        w, v = compute(lambda x: jnp.linalg.eigh(x), x + adjoint(x))
        near((x + adjoint(x)) @ v, v * w[..., None, :], dtype)
        u, s, vt = compute(lambda x: jnp.linalg.svd(x, full_matrices=False), x)
        near(u * s[..., None, :] @ vt, x, dtype)
        w, v = compute(lambda x: jnp.linalg.eig(x), x)
        near(x @ v, v * w[..., None, :], dtype)
        t, z = compute(jax.lax.linalg.schur, x)
        near(z @ t @ adjoint(z), x, dtype)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(6, 3), (3, 6), (2, 6, 3)])
def test_parts_of_singular_vectors(shape, dtype):
    x = matrix(dtype, *shape)
    wanted = np.linalg.svd(x, compute_uv=False)
    algorithm = jax.lax.linalg.SvdAlgorithm
    for way in (algorithm.QR, algorithm.DIVIDE_AND_CONQUER):
        (s,) = compute(lambda x: jax.lax.linalg.svd(x, algorithm=way, compute_uv=False), x)  # noqa: B023
        close(s, wanted, dtype)
        for full in (True, False):
            u, s, vt = compute(lambda x: jax.lax.linalg.svd(x, algorithm=way, full_matrices=full), x)  # noqa: B023
            assert u.shape[-1] == (shape[-2] if full else 3) and vt.shape[-2] == (shape[-1] if full else 3)
            close(s, wanted, dtype)
            close(u[..., :3] * s[..., None, :] @ vt[..., :3, :], x, dtype)


@pytest.mark.parametrize("full", [False, True])
@pytest.mark.parametrize("shape", [(5, 3), (3, 5), (2, 4, 4)])
@pytest.mark.parametrize("algorithm", [jax.lax.linalg.SvdAlgorithm.DIVIDE_AND_CONQUER, jax.lax.linalg.SvdAlgorithm.QR])
def test_singular_values_alone(algorithm, shape, full):
    x = matrix(np.float32, *shape)
    (got,) = compute(lambda x: jax.lax.linalg.svd(x, full_matrices=full, compute_uv=False, algorithm=algorithm), x)
    close(got, np.linalg.svd(x, compute_uv=False), np.float32)


@pytest.mark.parametrize("dtype", DTYPES)
def test_left_and_right_eigenvectors(dtype):
    x = matrix(dtype, 2, 4, 4)
    for left, right in ((True, True), (True, False), (False, True), (False, False)):
        w, *vectors = compute(lambda x: jax.lax.linalg.eig(
            x, compute_left_eigenvectors=left, compute_right_eigenvectors=right), x)  # noqa: B023
        if left:
            vl = vectors.pop(0)
            near(adjoint(vl) @ x, w[..., :, None] * adjoint(vl), dtype)
        if right:
            vr = vectors.pop(0)
            near(x @ vr, vr * w[..., None, :], dtype)
        assert not vectors


def test_reflectors_are_multiplied_from_both_sides():
    for dtype in (np.float32, np.complex128):
        a, tau, c = matrix(dtype, 2, 5, 3), 0.3 * matrix(dtype, 2, 3, seed=1), matrix(dtype, 2, 5, 5, seed=2)
        for left in (True, False):
            for transpose in (True, False):
                got, wanted = run_both(
                    lambda a, t, c: jax.lax.linalg.ormqr(a, t, c, left=left, transpose=transpose), a, tau, c)  # noqa: B023
                assert_same(got[0], wanted[0], slack=50)


@pytest.mark.parametrize("dtype", DTYPES)
def test_triangles_on_either_side(dtype):
    a, b = matrix(dtype, 3, 5, 5) + 4 * np.eye(5, dtype=dtype), matrix(dtype, 3, 5, 5, seed=1)
    for bits in range(32):
        options = {name: bool(bits >> i & 1) for i, name in enumerate(
            ["left_side", "lower", "transpose_a", "conjugate_a", "unit_diagonal"])}
        (x,) = compute(lambda a, b: jax.lax.linalg.triangular_solve(a, b, **options), a, b)  # noqa: B023
        triangle = np.tril(a) if options["lower"] else np.triu(a)
        if options["unit_diagonal"]:
            triangle = triangle - triangle * np.eye(5, dtype=dtype) + np.eye(5, dtype=dtype)
        if options["transpose_a"]:
            triangle = adjoint(triangle) if options["conjugate_a"] else np.swapaxes(triangle, -1, -2)
        elif options["conjugate_a"]:
            triangle = np.conj(triangle)
        near(triangle @ x if options["left_side"] else x @ triangle, b, dtype)


@pytest.mark.parametrize("function", [jnp.linalg.eig, jnp.linalg.eigh, jnp.linalg.svd, jax.lax.linalg.schur, jnp.linalg.cholesky])
def test_matrices_of_nans_give_nans(function):
    for dtype in DTYPES:
        for value in compute(lambda x: jax.tree.leaves(function(x)), np.full((2, 3, 3), np.nan, dtype)):
            assert np.isnan(value).any()


def test_singular_tridiagonal_systems_have_finite_solutions():
    for dtype in DTYPES:
        zero, one = np.zeros(4, dtype), np.ones(4, dtype)
        for d in (zero, np.array([0, 1, 1, 1], dtype), np.array([-0.0, 8, 1, 1], dtype), one):
            got, wanted = run_both(
                lambda *a: jax.lax.linalg.tridiagonal_solve(*a, perturb_singular=True), zero, d, zero, one[:, None])
            assert_same(got[0], wanted[0], slack=4)


def test_programs_run_from_the_command(tmp_path):
    x = hermitian(np.float32, 6, 6)
    (tmp_path / "eigh.mlir").write_text(jax.jit(jnp.linalg.eigvalsh).lower(x).as_text())
    np.save(tmp_path / "x.npy", x)
    tenon("run", tmp_path / "eigh.mlir", "-i", tmp_path / "x.npy", "-o", tmp_path / "w.npy")
    close(np.load(tmp_path / "w.npy"), np.linalg.eigvalsh(x), np.float32)
    done = subprocess.run([COMMAND, "run", tmp_path / "eigh.mlir", "-i", "ones"], capture_output=True, text=True,
                          env={"TENON_LIBRARIES": "none"})
    assert done.returncode == 0, done.stderr  # by routines of Tenon's own


def test_shapes_that_do_not_fit_are_refused():
    text = jax.jit(jax.lax.linalg.lu).lower(np.zeros((3, 4, 4), np.float32)).as_text()
    bad = re.sub(r"(lapack_sgetrf_ffi.*-> \(tensor<3x4x4xf32>, )tensor<3x4xi32>", r"\1tensor<3x3xi32>", text)
    assert bad != text
    with pytest.raises(host.Error, match="pivots: expected 4 in dimension 1, found 3"):
        head = "func.func @main(%a: tensor<3x4x4xf32>) -> tensor<3x3xi32> {"
        call = next(line for line in bad.splitlines() if "sgetrf" in line)
        name = re.search(r"(%\w+):3 = ", call)[1]
        operand = re.search(r"ffi\((%\w+)\)", call)[1]
        call = call.replace(f"({operand})", "(%a)")
        host.Program(f"{head}\n{call}\n  return {name}#1 : tensor<3x3xi32>\n}}")(np.zeros((3, 4, 4), np.float32))
