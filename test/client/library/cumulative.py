# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""Cumulative operations, forwards and backwards."""

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
from jax import lax

from programs import integers, numbers, registrar

PROGRAMS = []
register = registrar(PROGRAMS)
OPERATIONS = (lax.cumsum, lax.cumprod, lax.cummax, lax.cummin, lax.cumlogsumexp)


@register(numbers(1, 4, 50), sample=True)
def cumulative(x):
    return [f(x, axis=axis, reverse=reverse) for f in OPERATIONS for axis in (0, 1) for reverse in (False, True)]


@register(integers(2, 3, 17, low=-4, high=4), integers(3, 3, 17, low=0, high=200, dtype=np.uint8))
def cumulative_of_integers(x, y):
    return [f(a, axis=1) for f in OPERATIONS[:4] for a in (x, y)]


@register(numbers(4, 5, 9, dtype=np.float16), numbers(5, 5, 9, dtype=ml_dtypes.bfloat16), ulps=4)
def cumulative_of_halves(x, y):
    return [f(a, axis=1) for f in OPERATIONS for a in (x, y)]


@register(numbers(6, 6, 11))
def cumulative_gradient(x):
    return [jax.grad(lambda a, f=f: jnp.sum(jnp.sin(f(a, axis=1))))(x) for f in OPERATIONS]


@register(numbers(7, 37), numbers(8, 37))
def associative_scans(x, y):
    return (lax.associative_scan(jnp.add, x), lax.associative_scan(jnp.multiply, x, reverse=True),
            lax.associative_scan(lambda a, b: (a[0] * b[0], b[0] * a[1] + b[1]), (x, y)),
            lax.associative_scan(jnp.maximum, x.reshape(37, 1) * jnp.ones(3)),
            lax.associative_scan(jnp.matmul, jnp.stack([jnp.cos(x), -jnp.sin(x), jnp.sin(x), jnp.cos(x)],
            -1).reshape(-1, 2, 2)))


@register(numbers(9, 5, 8))
def cumulative_of_numpy(x):
    return (jnp.cumsum(x), jnp.cumprod(x, axis=1), jnp.nancumsum(jnp.where(x > 1, jnp.nan, x), axis=0),
            jnp.cumulative_sum(x, axis=1, include_initial=True), jnp.diff(x), jnp.diff(x, 2, axis=0), jnp.ediff1d(x[0]),
            jnp.gradient(x, axis=1), jnp.trapezoid(x, dx=0.5), jax.scipy.integrate.trapezoid(x, axis=0),
            jnp.add.accumulate(x, axis=0), jnp.maximum.accumulate(x, axis=1), jnp.logaddexp.reduce(x, axis=1),
            jnp.add.reduceat(x[0], jnp.array([0, 3, 5])), jnp.multiply.outer(x[0], x[1]))


@register(numbers(10, 1000))
def cumulative_of_many(x):
    return lax.cumsum(x), lax.cummax(x, reverse=True), lax.cumlogsumexp(x)


@register(np.array([1, np.nan, 3, -np.inf, np.inf, 0], np.float32))
def cumulative_of_special_values(x):
    return [f(x) for f in OPERATIONS]
