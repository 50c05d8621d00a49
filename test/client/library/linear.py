# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""Linear algebra. Where a factor has a free sign or phase, what the program returns does not depend on it."""

import jax
import jax.numpy as jnp
import jax.scipy.linalg as jsl
import numpy as np
from jax import lax

from programs import numbers, registrar

PROGRAMS = []
register = registrar(PROGRAMS)


def complex_numbers(seed, *shape, dtype=np.complex64):
    return (numbers(seed, *shape) + 1j * numbers(seed + 500, *shape)).astype(dtype)


def positive(matrix):
    return matrix @ np.conj(np.swapaxes(matrix, -1, -2)) + \
                            matrix.shape[-1] * np.eye(matrix.shape[-1], dtype=matrix.dtype)


def adjoint(x):
    return jnp.conj(jnp.swapaxes(x, -1, -2))


SQUARE, BATCH = numbers(1, 6, 6), numbers(2, 3, 5, 5)
DOUBLE = numbers(3, 6, 6, dtype=np.float64)
COMPLEX = complex_numbers(4, 5, 5)
WAITS = {"needs": "openblas", "scale": "largest"}


@register(positive(SQUARE), positive(BATCH), positive(COMPLEX), sample=True, **WAITS)
def cholesky(x, batch, z):
    return jnp.linalg.cholesky(x), jnp.linalg.cholesky(
        batch), jnp.linalg.cholesky(z), jnp.linalg.cholesky(x, upper=True)


@register(positive(DOUBLE), positive(complex_numbers(5, 4, 4, dtype=np.complex128)), x64=True, **WAITS)
def cholesky_of_doubles(x, z):
    return jnp.linalg.cholesky(x), jnp.linalg.cholesky(z)


@register(positive(SQUARE), **WAITS)
def cholesky_gradient(x):
    return jax.grad(lambda a: jnp.sum(jnp.sin(jnp.linalg.cholesky(a))))(x)


@register(-np.eye(3, dtype=np.float32), np.array([[1, 2], [2, 4]], np.float32), **WAITS)
def failures_are_nan(negative, singular):
    return jnp.linalg.cholesky(negative), jnp.isnan(jnp.linalg.inv(singular)) | jnp.isinf(jnp.linalg.inv(singular))


@register(SQUARE + 4 * np.eye(6, dtype=np.float32), numbers(6, 6, 2), numbers(7, 6), sample=True, ulps=100, **WAITS)
def solve(x, b, v):
    return (jnp.linalg.solve(x, b), jnp.linalg.solve(x, v), jnp.linalg.inv(x), jnp.linalg.det(x),
            jnp.linalg.slogdet(x), jsl.solve(positive_part(x), b, assume_a="pos"), jsl.lu_solve(jsl.lu_factor(x), b),
            jsl.cho_solve(jsl.cho_factor(positive_part(x)), b))


def positive_part(x):
    return x @ x.T + jnp.eye(x.shape[0])


@register(BATCH + 4 * np.eye(5, dtype=np.float32), numbers(8, 3, 5, 2), ulps=100, **WAITS)
def solve_of_batches_with_gradient(x, b):
    return jax.value_and_grad(lambda x, b: jnp.sum(jnp.linalg.solve(x, b) ** 2) + jnp.sum(jnp.linalg.slogdet(x)[1]),
                              argnums=(0, 1))(x, b)


@register(DOUBLE, COMPLEX.astype(np.complex128), x64=True, ulps=100, **WAITS)
def solve_of_doubles(x, z):
    return jnp.linalg.inv(x), jnp.linalg.det(x), jnp.linalg.inv(z), jnp.linalg.det(z), jnp.linalg.solve(z, z.T)


@register(numbers(9, 6, 4), numbers(10, 4, 6), COMPLEX, sample=True, ulps=100, **WAITS)
def qr(tall, flat, z):
    results = []
    for x in (tall, flat, z):
        q, r = jnp.linalg.qr(x)
        results += [q @ r, adjoint(q) @ q, jnp.abs(r)]
    q, r = jnp.linalg.qr(tall, mode="complete")
    return results + [q @ r, jnp.abs(jnp.linalg.qr(tall, mode="r")), jnp.abs(jnp.sum(q * q))]


@register(numbers(9, 6, 4), ulps=100, **WAITS)
def qr_gradient(x):
    def loss(x):
        q, r = jnp.linalg.qr(x)
        return jnp.sum((q * jnp.sign(jnp.diag(r))) ** 3) + jnp.sum(jnp.abs(r))

    return jax.grad(loss)(x)


@register(numbers(9, 6, 4), numbers(11, 2, 4, 7), COMPLEX, sample=True, ulps=100, **WAITS)
def svd(tall, flat, z):
    results = []
    for x in (tall, flat, z):
        u, s, v = jnp.linalg.svd(x, full_matrices=False)
        results += [s, (u * s[..., None, :]) @ v, adjoint(u) @ u, v @ adjoint(v)]
    return results + [jnp.linalg.svd(tall, compute_uv=False), jnp.linalg.pinv(tall), jnp.linalg.matrix_rank(tall),
                      jnp.linalg.cond(tall), jnp.linalg.norm(tall, "nuc"), jnp.linalg.norm(tall, 2)]


@register(numbers(12, 5, 3), numbers(13, 5), ulps=100, **WAITS)
def least_squares(x, y):
    solution, residual, rank, singular = jnp.linalg.lstsq(x, y)
    return solution, residual, rank, singular, jnp.polyfit(x[:, 0], y, 2)


@register(SQUARE + SQUARE.T, BATCH + np.swapaxes(BATCH, -1, -2), COMPLEX + np.conj(COMPLEX.T), sample=True, ulps=200,
          **WAITS)
def eigh(x, batch, z):
    results = []
    for a in (x, batch, z):
        w, v = jnp.linalg.eigh(a)
        results += [w, (v * w[..., None, :]) @ adjoint(v), adjoint(v) @ v]
    return results + [jnp.linalg.eigvalsh(x), jnp.linalg.matrix_power(x, 5), jsl.sqrtm(positive_part(x))]


@register(SQUARE + SQUARE.T, ulps=100, **WAITS)
def eigh_gradient(x):
    return jax.grad(lambda a: jnp.sum(jnp.linalg.eigvalsh(a) ** 3) + jnp.sum(jnp.linalg.eigh(a)[1] ** 4))(x)


@register(SQUARE, COMPLEX, sample=True, ulps=100, **WAITS)
def eig(x, z):
    results = []
    for a in (x, z):
        w, v = jnp.linalg.eig(a)
        order = jnp.lexsort((jnp.imag(w), jnp.round(jnp.real(w), 3)))
        results += [w[order], jnp.max(jnp.abs(a @ v - v * w)) < 1e-4, jnp.sum(jnp.abs(v) ** 2, axis=0)]
    return results + [jnp.sort(jnp.abs(jnp.linalg.eigvals(x)))]


@register(SQUARE, COMPLEX, ulps=100, **WAITS)
def schur_and_hessenberg(x, z):
    t, u = jsl.schur(x, output="real")
    h, q = jsl.hessenberg(x, calc_q=True)
    tz, uz = jsl.schur(z)
    return u @ t @ u.T, u.T @ u, q @ h @ q.T, uz @ tz @ adjoint(uz), jnp.sum(jnp.abs(jnp.tril(h, -2)))


@register(np.tril(SQUARE) + 3 * np.eye(6, dtype=np.float32), numbers(14, 6, 3), numbers(15, 3, 6), COMPLEX,
          sample=True, ulps=100, **WAITS)
def triangular_solve(x, b, c, z):
    z = jnp.triu(z) + 3 * jnp.eye(5)
    return (
    jsl.solve_triangular(
        x, b, lower=True), jsl.solve_triangular(
            x.T, b), jsl.solve_triangular(
                x, b, trans=1, lower=True), lax.linalg.triangular_solve(
                    x, c, left_side=False, lower=True, transpose_a=True), lax.linalg.triangular_solve(
                        x, b, left_side=True, lower=True, unit_diagonal=True), jsl.solve_triangular(
                            z, z.T), jsl.solve_triangular(
                                z, z.T, trans=2))


@register(numbers(16, 5), numbers(17, 5) + 5, numbers(18, 5), numbers(19, 5, 2), ulps=100, **WAITS)
def tridiagonal_solve(lower, diagonal, upper, b):
    return lax.linalg.tridiagonal_solve(lower.at[0].set(0), diagonal, upper.at[-1].set(0), b)


@register(SQUARE * 0.3, BATCH * 0.2, ulps=100, **WAITS)
def matrix_functions(x, batch):
    return jsl.expm(x), jsl.expm(batch), jsl.expm_frechet(x, x.T), jax.grad(lambda a: jnp.sum(jsl.expm(a)))(x)


@register(SQUARE, numbers(20, 6, 6), ulps=100, **WAITS)
def householder(x, y):
    packed, taus = lax.linalg.geqrf(x) if hasattr(lax.linalg, "geqrf") else jnp.linalg.qr(x, mode="raw")
    packed = packed if hasattr(lax.linalg, "geqrf") else packed.T
    q = lax.linalg.householder_product(packed, taus)
    return q @ jnp.triu(packed), q.T @ q


@register(SQUARE, numbers(21, 4, 3), numbers(22, 3), scale="largest", sample=True)
def products_and_norms(x, y, v):
    """Linear algebra by plain operations alone."""
    return (jnp.linalg.matrix_power(x, 5), jnp.linalg.multi_dot([y.T, y, y.T]), jnp.kron(y, v), jnp.trace(x),
            jnp.linalg.norm(x), jnp.linalg.norm(x, 1), jnp.linalg.norm(x, jnp.inf), jnp.linalg.norm(y, axis=0),
            jnp.cross(y, v), jnp.linalg.vecdot(y, v), jnp.linalg.outer(v, v), jnp.vander(v, 4), jsl.toeplitz(v),
            jsl.block_diag(y, x), jnp.inner(y, y), jnp.cov(y), jnp.corrcoef(y),
            jsl.hilbert(4), jsl.dft(4))


@register(numbers(23, 10, 10), numbers(24, 10), scale="largest", ulps=100)
def iterative_solvers(x, b):
    """Solvers of jax.scipy.sparse: loops whose length depends on the data."""
    matrix = x @ x.T + 10 * jnp.eye(10)
    return (jax.scipy.sparse.linalg.cg(lambda v: matrix @ v, b, maxiter=10)[0],
            jax.scipy.sparse.linalg.bicgstab(matrix, b, maxiter=10)[0])
