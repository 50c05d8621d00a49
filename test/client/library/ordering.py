# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""Sorting and what is built on it."""

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
from jax import lax

from programs import integers, numbers, registrar

PROGRAMS = []
register = registrar(PROGRAMS)
SPECIAL = np.array([3, np.nan, -0.0, 0.0, np.inf, -np.inf, -np.nan, 1e-40, -1, 3], np.float32)


@register(numbers(1, 5, 40), integers(2, 5, 40, low=-5, high=5), SPECIAL, sample=True)
def sort(x, y, special):
    return (jnp.sort(x), jnp.sort(x, axis=0), jnp.sort(x, axis=None), jnp.sort(y, descending=True), jnp.sort(special),
            -jnp.sort(-special), jnp.sort(y > 0), lax.sort((y, x), num_keys=2), lax.sort((x, y), dimension=0),
            lax.sort((y, jnp.abs(x), x), num_keys=1, is_stable=True), jnp.sort(jnp.zeros((0,))), jnp.sort(x[:, :1]))


@register(numbers(1, 5, 40), integers(2, 5, 40, low=-5, high=5), SPECIAL, sample=True)
def argsort(x, y, special):
    return (jnp.argsort(x), jnp.argsort(y), jnp.argsort(y, axis=0), jnp.argsort(y, descending=True), jnp.argsort(
        special), jnp.lexsort((y[0], y[1])), jnp.argpartition(y[0], 3)[:1] * 0, jnp.partition(x, 5)[:, 5])


@register(numbers(3, 6, 30), integers(4, 6, 30, low=-9, high=9), SPECIAL, sample=True)
def top_k(x, y, special):
    return (lax.top_k(x, 4), lax.top_k(y, 7), lax.top_k(special[2:6], 2), lax.top_k(x.astype(jnp.bfloat16), 3),
            lax.top_k(x, 30), lax.top_k(y.astype(jnp.uint8), 2),
            jax.grad(lambda a: jnp.sum(lax.top_k(a, 3)[0] ** 2))(x))


@register(*(integers(5, 4, 9, low=0, high=100, dtype=dtype) for dtype in (np.int8, np.uint8, np.int16, np.uint32)),
          numbers(6, 4, 9, dtype=np.float16), numbers(7, 4, 9, dtype=ml_dtypes.bfloat16))
def sort_of_every_type(*arrays):
    return [jnp.sort(a) for a in arrays], [jnp.argsort(a, axis=0) for a in arrays]


@register((numbers(8, 12) + 1j * numbers(9, 12)).round().astype(np.complex64),
          numbers(10, 8, dtype=np.float64), x64=True)
def sort_of_complex_and_doubles(z, x):
    return jnp.sort(z), jnp.argsort(z), jnp.sort_complex(z), jnp.sort(x), jnp.argsort(-x)


@register(integers(11, 30, low=0, high=8), numbers(12, 30), sample=True)
def unique(x, y):
    return (jnp.unique(x, size=10), jnp.unique(x, size=12, fill_value=-1, return_index=True, return_inverse=True,
                                               return_counts=True),
            jnp.unique(x.reshape(10, 3), axis=0, size=8), jnp.union1d(x, x + 4, size=15),
            jnp.intersect1d(x, jnp.arange(3, 6), size=4, fill_value=-1), jnp.setdiff1d(x, jnp.arange(4), size=6),
            jnp.isin(x, jnp.array([1, 5])), jnp.nonzero(x > 5, size=12, fill_value=30), jnp.argwhere(y > 1, size=8),
            jnp.flatnonzero(x == 2, size=5), jnp.extract(x > 5, y, size=6), jnp.compress(x > 3, y, size=9))


@register(numbers(13, 50), numbers(14, 20))
def searching(x, values):
    ordered = jnp.sort(x)
    return ([jnp.searchsorted(ordered, values, side=side, method=method) for side in ("left", "right")
             for method in ("scan", "scan_unrolled", "sort", "compare_all")],
            jnp.digitize(values, ordered[::5]), jnp.argmax(x), jnp.nanargmin(x), jnp.median(x))


@register(numbers(15, 7, 33), sample=True)
def quantiles(x):
    levels = jnp.array([0.0, 0.1, 0.25, 0.5, 0.9, 1.0])
    return ([jnp.quantile(x, levels, axis=1, method=method)
             for method in ("linear", "lower", "higher", "midpoint", "nearest")],
            jnp.percentile(x, 30), jnp.median(x, axis=0), jnp.nanquantile(jnp.where(x > 1, jnp.nan, x), 0.4, axis=1),
            jnp.nanmedian(x, axis=1))


@register(numbers(16, 40))
def sort_gradient(x):
    return jax.grad(lambda a: jnp.sum(jnp.sort(a) * jnp.arange(40) ** 2))(x), jax.jacobian(jnp.median)(x)


@register(numbers(17, 3, 12, 2))
def ranks(x):
    return (jax.scipy.stats.rankdata(x, axis=1), jax.scipy.stats.rankdata(jnp.round(x), method="dense"),
            jax.scipy.stats.mode(jnp.round(x), axis=1), jax.scipy.stats.sem(x))


@register(numbers(18, 2000), integers(19, 3000, low=-50, high=50))
def sort_of_many(x, y):
    return jnp.sort(x), jnp.argsort(y), lax.top_k(x, 100)


@register(np.array([[5, 1, 4], [0, 2, 9]], np.int32))
def bitonic_network(x):
    """A sorting network written by hand: compare and exchange."""
    def exchange(a, i, j):
        low, high = jnp.minimum(a[:, i], a[:, j]), jnp.maximum(a[:, i], a[:, j])
        return a.at[:, i].set(low).at[:, j].set(high)

    for i, j in ((0, 1), (1, 2), (0, 1)):
        x = exchange(x, i, j)
    return x


EXTREMES = np.array([[1, 3, 3, -2, np.nan, 3, np.nan], [-np.inf] * 7, [0.0, -0.0, 0.0, -1, -1, 0, -0.0],
                     [2, 1, np.inf, 1, np.inf, -np.inf, -np.inf]], np.float32)


@register(EXTREMES, sample=True, ulps=0)
def places_of_extremes(x):
    """The first of equal ones, the first NaN, along rows and columns."""
    return (jnp.argmax(x, 1), jnp.argmin(x, 1), jnp.argmax(x, 0), jnp.argmin(x, 0), jnp.argmax(x), jnp.argmin(x),
            jnp.argmax(x.astype(jnp.bfloat16), 1), jnp.argmax(x.astype(jnp.int32), 1))
