# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""JAX's linear algebra on Tenon: all kernels inside jaxlib, taken from their capsules, against NumPy."""

import ctypes
import re

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jaxlib import lapack

import host
from support import assert_same

DTYPES = [np.float32, np.float64, np.complex64, np.complex128]


def register_all():
    """Every LAPACK target under its own name; how many there are."""
    name_of, pointer_of = ctypes.pythonapi.PyCapsule_GetName, ctypes.pythonapi.PyCapsule_GetPointer
    name_of.restype, name_of.argtypes = ctypes.c_char_p, [ctypes.py_object]
    pointer_of.restype, pointer_of.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    lapack._lapack.initialize()  # finds SciPy's LAPACK
    count = 0
    for name, capsule, api_version in lapack.registrations()["cpu"]:
        assert api_version == 1, name
        host.register(name, pointer_of(capsule, name_of(capsule)))
        count += 1
    return count


@pytest.fixture(scope="module", autouse=True)
def registered():
    return register_all()


def test_all_kernels_are_handlers(registered):
    assert registered == 61


def compute(function, *arrays):
    """What the function gives when Tenon runs it."""
    with jax.enable_x64(True):
        text = jax.jit(function).lower(*arrays).as_text()
    assert "lapack_" in text
    return host.Program(text)(*arrays)


def matrix(dtype, *shape, seed=0):
    random = np.random.default_rng(seed)
    x = random.standard_normal(shape)
    if np.dtype(dtype).kind == "c":
        x = x + 1j * random.standard_normal(shape)
    return x.astype(dtype)


def hermitian(dtype, *shape):
    x = matrix(dtype, *shape)
    return x + np.conj(np.swapaxes(x, -1, -2))


def wide(x):
    return np.asarray(x).astype(np.complex128 if np.asarray(x).dtype.kind == "c" else np.float64)


def close(got, wanted, dtype):
    tolerance = 2e-4 if np.finfo(dtype).bits == 32 else 1e-11
    np.testing.assert_allclose(wide(got), wide(wanted), rtol=tolerance, atol=tolerance * 10)


def adjoint(x):
    return np.conj(np.swapaxes(x, -1, -2))


@pytest.mark.parametrize("batch", [(), (3,), (2, 2), (0,)])
@pytest.mark.parametrize("dtype", DTYPES)
def test_cholesky(dtype, batch):
    x = matrix(dtype, *batch, 5, 5)
    x = x @ adjoint(x) + 5 * np.eye(5, dtype=dtype)
    (got,) = compute(jnp.linalg.cholesky, x)
    close(got, np.linalg.cholesky(x), dtype)


@pytest.mark.parametrize("batch", [(), (3,)])
@pytest.mark.parametrize("dtype", DTYPES)
def test_lu_and_solve(dtype, batch):
    x, b = matrix(dtype, *batch, 4, 4), matrix(dtype, *batch, 4, 2, seed=1)
    (got,) = compute(jnp.linalg.solve, x, b)
    close(got, np.linalg.solve(x, b), dtype)
    lower_upper, pivots, permutation = compute(jax.lax.linalg.lu, x)
    unit = np.tril(lower_upper, -1) + np.eye(4, dtype=dtype)
    rows = np.take_along_axis(x, permutation[..., None].astype(np.int64), axis=-2)
    close(unit @ np.triu(lower_upper), rows, dtype)
    assert pivots.dtype == np.int32


@pytest.mark.parametrize("shape", [(5, 3), (3, 5), (2, 4, 4)])
@pytest.mark.parametrize("dtype", DTYPES)
def test_qr(dtype, shape):
    x = matrix(dtype, *shape)
    q, r = compute(lambda x: jnp.linalg.qr(x), x)
    close(q @ r, x, dtype)
    close(adjoint(q) @ q, np.broadcast_to(np.eye(q.shape[-1]), (*q.shape[:-2], q.shape[-1], q.shape[-1])), dtype)


@pytest.mark.parametrize("full", [False, True])
@pytest.mark.parametrize("shape", [(5, 3), (3, 5), (2, 4, 4)])
@pytest.mark.parametrize("dtype", DTYPES)
def test_svd(dtype, shape, full):
    x = matrix(dtype, *shape)
    u, s, vt = compute(lambda x: jnp.linalg.svd(x, full_matrices=full), x)
    close(s, np.linalg.svd(x, compute_uv=False), dtype)
    rank = s.shape[-1]
    close(u[..., :rank] * s[..., None, :] @ vt[..., :rank, :], x, dtype)


@pytest.mark.parametrize("batch", [(), (3,)])
@pytest.mark.parametrize("dtype", DTYPES)
def test_symmetric_eigenvalues(dtype, batch):
    x = hermitian(dtype, *batch, 5, 5)
    w, v = compute(lambda x: jnp.linalg.eigh(x), x)
    close(w, np.linalg.eigvalsh(x), dtype)
    close(x @ v, v * w[..., None, :], dtype)


def in_order(w):
    """By the real part, conjugates with the same one by the imaginary part."""
    order = np.argsort(np.round(w.real, 3) + 1e-6 * w.imag, axis=-1)
    return np.take_along_axis(w, order, axis=-1)


@pytest.mark.parametrize("batch", [(), (3,)])
@pytest.mark.parametrize("dtype", DTYPES)
def test_general_eigenvalues(dtype, batch):
    x = matrix(dtype, *batch, 4, 4)
    w, v = compute(lambda x: jnp.linalg.eig(x), x)
    close(x @ v, v * w[..., None, :], dtype)
    close(in_order(w), in_order(np.linalg.eigvals(x.astype(np.complex128))), dtype)


@pytest.mark.parametrize("dtype", DTYPES)
def test_triangular_solve_and_determinant(dtype):
    x, b = np.tril(matrix(dtype, 4, 4)) + 3 * np.eye(4, dtype=dtype), matrix(dtype, 4, 2, seed=1)
    (got,) = compute(lambda x, b: jax.lax.linalg.triangular_solve(x, b, left_side=True, lower=True), x, b)
    close(got, np.linalg.solve(x, b), dtype)
    (got,) = compute(jnp.linalg.inv, x)
    close(got, np.linalg.inv(x), dtype)


def test_a_matrix_that_is_not_positive_definite_is_no_error():
    (got,) = compute(jnp.linalg.cholesky, -np.eye(3, dtype=np.float32))
    assert np.isnan(got[np.tril_indices(3)]).all()


def test_small_differences_from_jax():
    x = matrix(np.float32, 6, 6)
    assert_same(compute(lambda x: jnp.linalg.qr(x)[1], x)[0], jnp.linalg.qr(x)[1], slack=10)


def every_use(x):
    """Functions that between them need every kernel, each with its arguments."""
    linalg = jax.lax.linalg
    tau = np.linspace(0.1, 0.3, 4).astype(x.real.dtype).astype(x.dtype)
    band = [np.append(0, x[1:, 0]).astype(x.dtype), x[:, 1] + 4, np.append(x[:-1, 2], 0).astype(x.dtype)]
    return [
        (linalg.cholesky, x @ adjoint(x) + np.eye(4, dtype=x.dtype)),
        (linalg.lu, x),
        (linalg.qr, x),
        (lambda x: linalg.qr(x, pivoting=True), x),
        (linalg.ormqr, x, tau, x),
        (linalg.householder_product, x, tau),
        (linalg.hessenberg, x),
        (linalg.schur, x),
        (lambda x: linalg.svd(x, algorithm=linalg.SvdAlgorithm.DIVIDE_AND_CONQUER), x),
        (lambda x: linalg.svd(x, algorithm=linalg.SvdAlgorithm.QR), x),
        (linalg.eigh, x + adjoint(x)),
        (linalg.eig, x),
        (linalg.tridiagonal, x + adjoint(x)),
        (lambda x: linalg.triangular_solve(x, x, left_side=True), x),
        (linalg.tridiagonal_solve, *band, x),
        (lambda *a: linalg.tridiagonal_solve(*a, perturb_singular=True), *band, x),
    ]


def test_every_kernel_gives_what_it_gives_in_jax():
    seen = set()
    with jax.enable_x64(True):
        for dtype in DTYPES:
            for function, *arrays in every_use(matrix(dtype, 4, 4)):
                lowered = jax.jit(function).lower(*arrays)
                seen |= set(re.findall(r"@(\w+_ffi)\b", lowered.as_text()))
                wanted = jax.tree.leaves(lowered.compile()(*arrays))
                for a, b in zip(host.Program(lowered.as_text())(*arrays), wanted, strict=True):
                    assert_same(a, b, slack=10)
    assert seen == {name for name, *_ in lapack.registrations()["cpu"]}
