# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""NumPy's toolbox: einsum, polynomials, interpolation, statistics, set and bit tricks."""

import jax
import jax.numpy as jnp
import numpy as np

from programs import integers, numbers, registrar

PROGRAMS = []
register = registrar(PROGRAMS)
A, B, C, D = numbers(1, 4, 5), numbers(2, 5, 6), numbers(3, 3, 4, 5), numbers(4, 4, 4)


@register(A, B, C, D, sample=True)
def einsum(a, b, c, d):
    return (jnp.einsum("ij,jk->ik", a, b), jnp.einsum("ij,jk->ki", a, b), jnp.einsum("nij,jk->nik", c, b),
            jnp.einsum("ii->i", d), jnp.einsum("ii", d), jnp.einsum("ij->ji", a), jnp.einsum("ij->", a),
            jnp.einsum("ij->j", a),
            jnp.einsum("ij,ij->i", a, a), jnp.einsum("i,j->ij", a[:, 0], b[0]), jnp.einsum("nij,mij->nm", c, c),
            jnp.einsum("...ij,jk->...ik", c, b), jnp.einsum("nij,ij,jk->nk", c, a, b), jnp.einsum("iij->ij", c[:, :3]),
            jnp.einsum("ab,bc,cd,de->ae", a, b, b.T, a.T), jnp.einsum("nij,njk->nik", c, c.swapaxes(1, 2)),
            jnp.einsum("ij,kl->ijkl", a, b), jnp.einsum("bhqd,bhkd->bhqk", c[None], c[None]),
            jnp.einsum("i,i", d[0], d[1]),
            jnp.einsum(a, [0, 1], b, [1, 2], [0, 2]))


@register(A, B, C, D)
def einsum_gradient(a, b, c, d):
    return jax.grad(lambda *x: jnp.sum(jnp.einsum("nij,ij,jk,il->nkl",
                    x[2], x[0], x[1], x[3]) ** 2), argnums=(0, 1, 2, 3))(a, b, c, d)


@register(A, C)
def contractions(a, c):
    return (jnp.tensordot(c, a, 2), jnp.tensordot(c, c, axes=([1, 2], [1, 2])), jnp.inner(c, a), jnp.dot(
        c, a.T), jnp.matmul(c, a.T), jnp.vdot(a, a), jnp.matvec(c, a[0]), jnp.vecmat(a[:, 0], c), jnp.kron(a, a[:2]))


@register(numbers(5, 5), numbers(6, 3), numbers(7, 20), sample=True)
def polynomials(p, q, x):
    return (
    jnp.polyval(
        p, x), jnp.polyadd(
            p, q), jnp.polysub(
                p, q), jnp.polymul(
                    p, q), jnp.polyder(p), jnp.polyder(
                        p, 2), jnp.polyint(p), jnp.polydiv(
                            p, q), jnp.poly(q), jnp.vander(
                                x, 4), jnp.unwrap(
                                    jnp.cumsum(x) * 2), jax.vmap(
                                        jax.grad(
                                            lambda t: jnp.polyval(
                                                p, t)))(x))


@register(numbers(8, 5), needs="openblas", ulps=4000, scale="largest")
def roots(p):
    found = jnp.roots(p, strip_zeros=False)
    return jnp.sort(jnp.abs(found))


@register(numbers(9, 30, scale=3.0), numbers(10, 12), sample=True)
def interpolation(x, y):
    knots = jnp.linspace(-3, 3, 12)
    grid = jax.scipy.interpolate.RegularGridInterpolator(
        (knots, knots[:5]), jnp.outer(y, y[:5]), bounds_error=False, fill_value=0.0)
    return (jnp.interp(x, knots, y), jnp.interp(x, knots, y, left=-1, right=1), jnp.interp(x, knots, y, period=4.0),
            grid(jnp.stack([jnp.clip(x, -2.9, 2.9), jnp.clip(x, -2.9, -1)], 1)),
            jax.vmap(jax.grad(lambda t: jnp.interp(t, knots, y)))(x))


@register(numbers(11, 12, 7), np.abs(numbers(12, 12, 7)), sample=True)
def statistics(x, w):
    return (jnp.mean(x, axis=0), jnp.var(x, axis=1, ddof=1), jnp.std(x), jnp.average(x, axis=0, weights=w),
            jnp.cov(x.T),
            jnp.corrcoef(x.T), jnp.ptp(x, axis=0), jnp.nanmean(jnp.where(x > 1, jnp.nan, x)),
            jnp.nanvar(jnp.where(x > 1, jnp.nan, x), axis=0),
            jnp.nanstd(x), jnp.count_nonzero(x > 0), jnp.bincount(jnp.arange(12) % 3, w[:, 0], length=4),
            jnp.allclose(x, x + 1e-9),
            jnp.isclose(x, x * (1 + 1e-6)), jnp.nanprod(x[0]), jnp.max(x, axis=0, where=w > 0.5, initial=-9.0))


@register(numbers(13, 9, scale=3.0), numbers(14, 9), sample=True)
def elementary_functions(x, y):
    unit = jnp.sin(x) * 0.9
    return (jnp.arcsin(unit), jnp.arccos(unit), jnp.arctan(x), jnp.arcsinh(x), jnp.arccosh(1 + jnp.abs(x)),
            jnp.arctanh(unit),
            jnp.sinh(x), jnp.cosh(x), jnp.tan(x), jnp.sinc(x), jnp.hypot(x, y), jnp.exp2(x), jnp.log2(jnp.abs(x)),
            jnp.log10(jnp.abs(x)),
            jnp.cbrt(x), jnp.float_power(jnp.abs(x), y), jnp.logaddexp2(x, y), jnp.heaviside(x, 0.5), jnp.fmod(x, y),
            jnp.remainder(x, y), jnp.floor_divide(x, y), jnp.divmod(x, y), jnp.modf(x), jnp.frexp(x),
            jnp.ldexp(x, jnp.arange(9)),
            jnp.nextafter(x, y), jnp.rint(x), jnp.trunc(x), jnp.deg2rad(x), jnp.rad2deg(x), jnp.signbit(x),
            jnp.copysign(x, y), jnp.fmin(x, y), jnp.i0(x), jnp.nan_to_num(x / 0), jnp.round(x, 2), jnp.spacing(x))


@register(numbers(15, 24))
def windows(x):
    return (jnp.hanning(12), jnp.hamming(12), jnp.blackman(12), jnp.bartlett(12), jnp.kaiser(12, 3.0), jnp.geomspace(
        1, 100, 7), jnp.logspace(0, 2, 5), jnp.convolve(x, jnp.hanning(5)), jnp.tri(4), jnp.mgrid[0:3, 0:2])


@register(numbers(16, 9, dtype=np.float64, scale=3.0), numbers(17, 9, dtype=np.float64), x64=True, ulps=100)
def elementary_functions_of_doubles(x, y):
    unit = jnp.tanh(x)
    return (
    jnp.arcsin(unit), jnp.arctan2(
        x, y), jnp.sinh(x), jnp.exp(x), jnp.log1p(
            jnp.abs(x)), jnp.expm1(x), jnp.cbrt(x), jnp.power(
                jnp.abs(x), y), jnp.tan(x), jnp.arcsinh(x), jnp.hypot(
                    x, y), jnp.logaddexp(
                        x, y), jnp.arctanh(
                            unit / 2))


@register(integers(18, 50, low=0, high=1, dtype=np.uint8))
def logic(x):
    y = x.astype(bool)
    return (jnp.any(y),
    jnp.all(y),
    jnp.logical_xor(y,
    y[::-1]),
    jnp.cumsum(x),
    jnp.packbits(x),
    jnp.argmax(y),
    jnp.where(y,
    size=20),
    jnp.count_nonzero(y),
    jnp.logical_and.reduce(y) if hasattr(jnp.logical_and,
    "reduce") else y[0],
    jnp.array_equal(y,
     y))


@register(numbers(19, 5, 3), numbers(20, 7, 3))
def distances(x, y):
    apart = x[:, None] - y[None]
    return (jnp.sum(apart ** 2, -1), jnp.sum(jnp.abs(apart), -1), jnp.max(jnp.abs(apart), -1),
            jnp.sqrt(jnp.maximum(jnp.sum(x * x, -1)[:, None] + jnp.sum(y * y, -1) - 2 * x @ y.T, 1e-3)),
            jnp.argmin(jnp.sum(apart ** 2, -1), axis=1))
