# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""JAX's linear algebra on Tenon without OpenBLAS: by routines of its own (src/call/lapack/plain)."""

import os

os.environ["TENON_LIBRARIES"] = "none"  # ruff: noqa: E402: before the library is loaded

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from support import assert_same, tenon
from test_lapack import (  # noqa: F401: their tests run here by these routines
    DTYPES, adjoint, compute, matrix, wide, test_a_matrix_that_is_not_positive_definite_is_no_error,
    test_cholesky, test_general_eigenvalues, test_lu_and_solve, test_qr, test_small_differences_from_jax, test_svd,
    test_symmetric_eigenvalues, test_triangular_solve_and_determinant)
from test_own_lapack import (  # noqa: F401
    run_both, test_left_and_right_eigenvectors, test_matrices_of_all_sizes_and_batches,
    test_matrices_of_nans_give_nans, test_parts_of_singular_vectors, test_singular_values_alone, test_triangles_on_either_side)

linalg = jax.lax.linalg
SIZES = [1, 2, 31, 33, 100, 150]


def check(got, wanted, dtype, order):
    """As near as rounding errors of so many terms let it be."""
    got, wanted = np.asarray(got), np.asarray(wanted)
    scale = max(1, np.abs(wanted).max(initial=0))
    assert np.abs(got - wanted).max(initial=0) <= 40 * max(order, 1) * np.finfo(dtype).eps * scale


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("order", SIZES)
def test_cholesky_factors(dtype, order):
    for batch in ((), (3,)):
        x = matrix(dtype, *batch, order, order)
        x = x @ adjoint(x) + order * np.eye(order, dtype=dtype)
        (lower,) = compute(linalg.cholesky, x)
        check(lower @ adjoint(lower), x, dtype, order)
        assert (np.triu(lower, 1) == 0).all()


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_minor_that_is_not_positive_gives_nans(dtype):
    for place in (0, 5, 60, 99):
        x = np.eye(100, dtype=dtype)
        x[place, place] = -1
        assert np.isnan(compute(linalg.cholesky, x)[0][np.tril_indices(100)]).all()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [*((n, n) for n in SIZES), (100, 40), (40, 100), (1, 7), (7, 1), (3, 50, 70)])
def test_lu_factors(dtype, shape):
    x = matrix(dtype, *shape)
    (factors, pivots, permutation), wanted = run_both(linalg.lu, x)
    least = min(shape[-2:])
    lower = np.tril(factors[..., :, :least], -1) + np.eye(shape[-2], least, dtype=dtype)
    upper = np.triu(factors[..., :least, :])
    check(lower @ upper, np.take_along_axis(x, permutation[..., None].astype(np.int64), axis=-2), dtype, max(shape[-2:]))
    assert np.abs(lower).max() <= 1.5
    assert (pivots == wanted[1]).all() and (permutation == wanted[2]).all()


@pytest.mark.parametrize("dtype", DTYPES)
def test_singular_matrices_have_factors(dtype):
    for x in (np.zeros((40, 40), dtype), np.ones((40, 40), dtype)):
        for a, b in zip(*run_both(linalg.lu, x), strict=True):
            assert_same(a, b, slack=4)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("order", [33, 100])
def test_large_triangles(dtype, order):
    t = 0.1 * matrix(dtype, order, order) + 4 * np.eye(order, dtype=dtype)
    for left in (True, False):
        b = matrix(dtype, order, 70, seed=1) if left else matrix(dtype, 70, order, seed=1)
        for lower in (True, False):
            for transpose in (True, False):
                (x,) = compute(lambda t, b: linalg.triangular_solve(
                    t, b, left_side=left, lower=lower, transpose_a=transpose, conjugate_a=transpose), t, b)  # noqa: B023
                part = np.tril(t) if lower else np.triu(t)
                part = adjoint(part) if transpose else part
                check(part @ x if left else x @ part, b, dtype, order)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("order", [1, 2, 3, 33])
def test_tridiagonal_systems(dtype, order):
    dl, d, du = (matrix(dtype, 2, order, seed=seed) for seed in range(3))
    dl[:, 0] = du[:, -1] = 0
    b = matrix(dtype, 2, order, 3, seed=3)
    (x,) = compute(linalg.tridiagonal_solve, dl, d, du, b)
    for i in range(2):
        full = np.diag(d[i]) + np.diag(dl[i, 1:], -1) + np.diag(du[i, :-1], 1)
        # Some of these are ill-conditioned: what counts is the residual beside the solution.
        scale = max(1, np.abs(x[i]).max())
        assert np.abs(full @ x[i] - b[i]).max() <= 100 * order * np.finfo(dtype).eps * scale


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [*((n, n) for n in SIZES), (100, 40), (40, 100), (1, 7), (7, 1), (3, 50, 70)])
def test_qr_factors(dtype, shape):
    x = matrix(dtype, *shape)
    for full in (True, False):
        (q, r), wanted = run_both(lambda x: linalg.qr(x, full_matrices=full), x)  # noqa: B023
        check(q @ r, x, dtype, max(shape))
        check(adjoint(q) @ q, np.broadcast_to(np.eye(q.shape[-1]), (*q.shape[:-2], q.shape[-1], q.shape[-1])), dtype, max(shape))
        check(r, wanted[1], dtype, 10 * max(shape))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(1, 1), (31, 31), (100, 100), (100, 40), (40, 100), (1, 7), (7, 1), (3, 50, 70)])
def test_qr_factors_with_pivoted_columns(dtype, shape):
    x = matrix(dtype, *shape)
    (q, r, places), wanted = run_both(lambda x: linalg.qr(x, pivoting=True, full_matrices=False), x)
    check(q @ r, np.take_along_axis(x, np.asarray(places)[..., None, :].astype(np.int64), axis=-1), dtype, max(shape))
    check_unitary(q, dtype)
    sizes = np.abs(np.diagonal(r, axis1=-2, axis2=-1))
    assert (np.diff(sizes) <= 1e-4 * sizes[..., :-1]).all()
    check(sizes, np.abs(np.diagonal(wanted[1], axis1=-2, axis2=-1)), dtype, 10 * max(shape))
    assert (np.asarray(places) == wanted[2]).all()


@pytest.mark.parametrize("dtype", DTYPES)
def test_pivots_of_matrices_without_full_rank(dtype):
    for x in (np.zeros((6, 6), dtype), np.ones((6, 4), dtype), np.ones((4, 6), dtype),
              matrix(dtype, 40, 3) @ matrix(dtype, 3, 40, seed=1)):
        q, r, places = compute(lambda x: linalg.qr(x, pivoting=True), x)
        check(q @ r, x[:, places.astype(np.int64)], dtype, 40)
        check_unitary(q, dtype)
        assert sorted(places) == list(range(x.shape[1]))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(1, 1), (2, 2), (33, 33), (100, 100), (3, 20, 20)])
def test_hessenberg_forms(dtype, shape):
    x = matrix(dtype, *shape)
    (packed, tau), wanted = run_both(linalg.hessenberg, x)
    check(packed, wanted[0], dtype, 10 * shape[-1])
    check(tau, wanted[1], dtype, 10 * shape[-1])


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(1, 1), (2, 2), (33, 33), (100, 100), (3, 20, 20)])
def test_tridiagonal_forms(dtype, shape):
    x = matrix(dtype, *shape)
    x = x + adjoint(x)
    for lower in (True, False):
        got, wanted = run_both(lambda x: linalg.tridiagonal(x, lower=lower), x)  # noqa: B023
        _, d, e, _ = got
        form = np.zeros((*x.shape[:-1], x.shape[-1]), d.dtype)
        for i in range(shape[-1]):
            form[..., i, i] = d[..., i]
            if i:
                form[..., i, i - 1] = form[..., i - 1, i] = e[..., i - 1]
        check(np.linalg.eigvalsh(form.astype(np.float64)), np.linalg.eigvalsh(wide(x)), dtype, shape[-1])
        # Elements of a large one are what rounding errors make of them.
        for a, b in zip(got, wanted, strict=True):
            if shape[-1] <= 33:
                check(a, b, dtype, 10 * shape[-1])


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("scale", [1e-33, 1e-30, 1e30])
def test_norms_neither_overflow_nor_vanish(dtype, scale):
    if np.finfo(dtype).bits == 64:
        scale = {1e-33: 1e-290, 1e-30: 1e-200, 1e30: 1e200}[scale]
    x = (matrix(dtype, 20, 10) * scale).astype(dtype)
    (q, r), wanted = run_both(lambda x: linalg.qr(x, full_matrices=False), x)
    check(q, wanted[0], dtype, 200)
    check(r / scale, np.asarray(wanted[1]) / scale, dtype, 200)


@pytest.mark.parametrize("dtype", DTYPES)
def test_products_with_reflectors(dtype):
    a, tau = matrix(dtype, 2, 70, 45), 0.3 * matrix(dtype, 2, 45, seed=1)
    for left in (True, False):
        c = matrix(dtype, 2, 70, 50, seed=2) if left else matrix(dtype, 2, 50, 70, seed=2)
        for transpose in (True, False):
            got, wanted = run_both(lambda a, t, c: linalg.ormqr(a, t, c, left=left, transpose=transpose), a, tau, c)  # noqa: B023
            check(got[0], wanted[0], dtype, 200)


def check_unitary(x, dtype):
    wanted = np.broadcast_to(np.eye(x.shape[-1]), (*x.shape[:-2], x.shape[-1], x.shape[-1]))
    check(adjoint(x) @ x, wanted, dtype, max(x.shape))


def check_eigenvectors(x, dtype):
    wanted = np.linalg.eigvalsh(wide(x))
    for lower in (True, False):
        v, w = compute(lambda x: linalg.eigh(x, lower=lower, symmetrize_input=False), x)  # noqa: B023
        check(w, wanted, dtype, len(x))
        check(v * w[..., None, :] @ adjoint(v), x, dtype, len(x))
        check_unitary(v, dtype)
    check(compute(jnp.linalg.eigvalsh, x)[0], wanted, dtype, len(x))


def check_singular_vectors(x, dtype):
    wanted = np.linalg.svd(wide(x), compute_uv=False)
    for algorithm in (linalg.SvdAlgorithm.QR, linalg.SvdAlgorithm.DIVIDE_AND_CONQUER):
        for full in (True, False):
            u, s, vt = compute(lambda x: linalg.svd(x, full_matrices=full, algorithm=algorithm), x)  # noqa: B023
            count = s.shape[-1]
            check(s, wanted, dtype, max(x.shape))
            check(u[..., :count] * s[..., None, :] @ vt[..., :count, :], x, dtype, max(x.shape))
            check_unitary(u, dtype)
            check_unitary(adjoint(vt), dtype)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(1, 1), (2, 2), (33, 33), (100, 100), (3, 20, 20)])
def test_eigenvectors(dtype, shape):
    x = matrix(dtype, *shape)
    check_eigenvectors(x + adjoint(x), dtype)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(1, 1), (33, 33), (100, 100), (60, 30), (30, 60), (1, 5), (5, 1), (3, 20, 15)])
def test_singular_vectors(dtype, shape):
    check_singular_vectors(matrix(dtype, *shape), dtype)


def test_a_long_matrix_takes_no_square_of_its_length():
    x = matrix(np.float32, 60000, 3)
    for a in (x, x.T):
        u, s, vt = compute(lambda x: linalg.svd(x, full_matrices=False), a)
        check(s, np.linalg.svd(wide(a), compute_uv=False), np.float32, 1000)
        check(u * s @ vt, a, np.float32, 1000)


@pytest.mark.parametrize("dtype", DTYPES)
def test_vectors_of_matrices_without_full_rank(dtype):
    for x in (np.zeros((6, 6), dtype), np.ones((6, 6), dtype), np.diag(np.array([1, 0, 0, 3], dtype)), np.eye(5, dtype=dtype)):
        check_eigenvectors(x, dtype)
        check_singular_vectors(x, dtype)
    check_singular_vectors(np.ones((4, 9), dtype), dtype)
    check_singular_vectors(np.zeros((9, 4), dtype), dtype)


@pytest.mark.parametrize("dtype", DTYPES)
def test_values_of_very_large_and_small_matrices(dtype):
    for scale in (1e-33, 1e30) if np.finfo(dtype).bits == 32 else (1e-290, 1e300):
        x = (matrix(dtype, 12, 12) * scale).astype(dtype)
        x = x + adjoint(x)
        check(compute(jnp.linalg.eigvalsh, x)[0] / scale, np.linalg.eigvalsh(x / scale), dtype, 100)
        (s,) = compute(lambda x: linalg.svd(x, compute_uv=False), x)
        check(s / scale, np.linalg.svd(x / scale, compute_uv=False), dtype, 100)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_numbers_that_are_not_finite_give_nans(bad):
    for dtype in DTYPES:
        x = matrix(dtype, 6, 6)
        x[2, 3] = bad
        for function in (jnp.linalg.eigh, jnp.linalg.svd):
            for value in compute(lambda x: jax.tree.leaves(function(x)), x):  # noqa: B023
                assert np.isnan(value).any()


def check_general(x, dtype):
    """A Schur form, and eigenvectors of length 1 on either side; x has no defective eigenvalues."""
    order, scale = x.shape[-1], np.abs(x).max(initial=0)
    t, z = compute(linalg.schur, x)
    check_unitary(z, dtype)
    check(z @ t @ adjoint(z) / scale, x / scale, dtype, order)
    assert (np.tril(t, -2) == 0).all()
    w, left, right = compute(lambda x: linalg.eig(x, compute_left_eigenvectors=True), x)
    check(x @ right / scale, right * (w / scale)[..., None, :], dtype, order)
    check(adjoint(left) @ x / scale, (w / scale)[..., :, None] * adjoint(left), dtype, order)
    for vectors in (left, right):
        check(np.linalg.norm(vectors, axis=-2), np.ones(w.shape), dtype, order)
    if np.isrealobj(x):  # pairs are conjugates to the bit, the one above the axis first
        for row in w.reshape(-1, order):
            above = np.flatnonzero(row.imag > 0)
            assert (row[above + 1] == np.conj(row[above])).all() and 2 * len(above) == (row.imag != 0).sum()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(1, 1), (2, 2), (3, 3), (33, 33), (100, 100), (150, 150), (7, 20, 20)])
def test_eigenvalues_of_any_matrices(dtype, shape):
    check_general(matrix(dtype, *shape), dtype)


@pytest.mark.parametrize("dtype", DTYPES)
def test_eigenvalues_of_peculiar_matrices(dtype):
    turn = np.array([[0, -1], [1, 0]])
    cyclic = np.roll(np.eye(8), 1, axis=0)  # ordinary shifts leave it as it is
    for x in (np.zeros((5, 5)), np.eye(6), turn, cyclic, np.diag([1, 2, 2, 3]), np.kron(np.eye(3), turn), np.ones((7, 7)),
              np.array([[1, 1e3], [-1e-3, 1]]), np.triu(matrix(np.float64, 9, 9)), np.tril(matrix(np.float64, 9, 9))):
        if x.any():
            check_general(x.astype(dtype), dtype)
        else:
            assert (compute(jnp.linalg.eigvals, x.astype(dtype))[0] == 0).all()


@pytest.mark.parametrize("dtype", DTYPES)
def test_eigenvalues_of_very_large_and_small_matrices(dtype):
    for scale in (1e-33, 1e30) if np.finfo(dtype).bits == 32 else (1e-290, 1e300):
        check_general((matrix(dtype, 12, 12) * scale).astype(dtype), dtype)


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_defective_eigenvalue_is_found_to_half_of_the_digits(dtype):
    x = np.diag(np.full(4, 2.0)) + np.diag(np.ones(3), 1)
    z = np.linalg.qr(matrix(np.float64, 4, 4))[0]
    (w,) = compute(jnp.linalg.eigvals, (z @ x @ z.T).astype(dtype))
    assert np.abs(w - 2).max() <= 10 * np.finfo(dtype).eps ** 0.25


def test_the_same_for_any_number_of_threads(tmp_path, monkeypatch):
    np.save(tmp_path / "x.npy", matrix(np.float32, 9, 70, 70))
    for function in (linalg.lu, linalg.qr):
        text = jax.jit(lambda x: function(x)[0]).lower(np.zeros((9, 70, 70), np.float32)).as_text()  # noqa: B023
        (tmp_path / "factor.mlir").write_text(text)
        results = []
        for threads in "1", "3":
            monkeypatch.setenv("TENON_NUM_THREADS", threads)
            tenon("run", tmp_path / "factor.mlir", "-i", tmp_path / "x.npy", "-o", tmp_path / "r.npy")
            results.append(np.load(tmp_path / "r.npy"))
        assert (results[0] == results[1]).all()
