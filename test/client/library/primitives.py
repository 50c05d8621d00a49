# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""The functions of jax.lax that other themes do not come to."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from programs import integers, numbers, registrar

PROGRAMS = []
register = registrar(PROGRAMS)
X = numbers(1, 4, 6)


@register(X, sample=True)
def approximate_top_k(x):
    return lax.approx_max_k(x, 3), lax.approx_min_k(x, 2, reduction_dimension=0)


@register(np.abs(numbers(2, 30)) + np.float32(0.1), np.abs(numbers(3, 30)), ulps=128)
def incomplete_gamma(a, x):
    return (lax.igamma(a, x), lax.igammac(a, x), lax.random_gamma_grad(a, x), jax.vmap(jax.grad(lax.igamma, 1))(a, x),
            lax.lgamma(a), lax.digamma(a), lax.bessel_i0e(x), lax.bessel_i1e(x), lax.polygamma(jnp.ones(30), a),
            lax.zeta(a + 1, x + 1))


@register(X, integers(4, 4, 6, low=0, high=2), sample=True)
def selections(x, which):
    return (lax.select_n(which, x, -x, x * 2), lax.select(x > 0, x, -x), lax.select_n(x > 0, x, -x),
            lax.clamp(-1.0, x, x + 0.5),
            lax.platform_dependent(x, cpu=lambda a: a * 2, default=lambda a: a),
            lax.switch(which[0, 0], [jnp.sin, jnp.cos, jnp.exp], x))


@register(X, integers(5, 4, 6), sample=True)
def reductions(x, y):
    return (lax.reduce_max(x, (0,)), lax.reduce_min(y, (1,)), lax.reduce_sum(x, (0, 1)), lax.reduce_prod(x, (1,)),
            lax.reduce_and(y > 0, (0,)), lax.reduce_or(y > 90, (1,)), lax.reduce_xor(y, (0,)), lax.reduce_and(y, (1,)),
            lax.argmax(x, 1, jnp.int32), lax.argmin(y, 0, jnp.uint8),
            lax.reduce_window(y, 0, lax.add, (2, 2), (1, 1), "VALID"),
            lax.reduce((x, y), (jnp.float32(0), jnp.int32(0)), lambda a, b: (a[0] + b[0], lax.max(a[1], b[1])), (0,)))


@register(X, X * 2, sample=True)
def windows_with_gradients(x, y):
    pool = lambda a: lax.reduce_window(a, -jnp.inf, lax.max, (2, 3), (1, 2), "SAME")  # noqa: E731
    return (jax.jvp(pool, (x,), (y,)), jax.jacfwd(pool)(x), jax.hessian(lambda a: jnp.sum(pool(a) ** 2))(x[:2, :3]),
            lax.reduce_window(x, jnp.float32(0), lambda a, b: jnp.hypot(a, b), (2, 2), (1, 1), "VALID"),
            lax.reduce_window((x, y), (jnp.float32(0), jnp.float32(1)), lambda a, b: (a[0] + b[0], a[1] * b[1]), (1, 3),
            (1, 1), "VALID"))


@register(X, numbers(6, 1, 3, 8, 8), numbers(7, 1, 4, 6, 6), numbers(8, 4, 27, 6, 6))
def rearrangements(x, image, _, local):
    return (lax.collapse(x, 0), lax.expand_dims(x, (1,)), lax.squeeze(x[:1], (0,)), lax.broadcast(x, (2,)),
            lax.rev(x, (0, 1)),
            lax.concatenate([x, x], 1), lax.split(x, (2, 4), axis=1), lax.pad(x, 0.0, ((1, 1, 1), (-1, 0, 2))),
            lax.slice(x, (1, 0), (4, 6), (2, 3)),
            lax.slice_in_dim(x, 1, -1, axis=1), lax.index_in_dim(x, -2), lax.transpose(x, (1, 0)),
            lax.reshape(x, (3, 8)), lax.reshape(x, (24,), (1, 0)),
            lax.conv_general_dilated_local(image, local, (1, 1), "VALID", (3, 3)),
            lax.broadcast_in_dim(x, (4, 2, 6), (0, 2)),
            lax.full_like(x, 3), lax.iota(jnp.int16, 5), lax.dynamic_index_in_dim(x, 1))


@register(X, integers(9, 4, 6, low=0, high=31))
def bit_operations(x, n):
    bits = lax.bitcast_convert_type(x, jnp.int32)
    return (lax.nextafter(x, x + 1), lax.population_count(bits), lax.clz(bits), lax.shift_left(bits, n),
            lax.shift_right_logical(bits, n),
            lax.shift_right_arithmetic(bits, n), lax.bitwise_not(bits), lax.reduce_precision(x, 5, 2), lax.is_finite(x),
            lax.sign(x),
            lax.bitcast_convert_type(lax.bitcast_convert_type(x, jnp.uint16), jnp.float32))


@register(X, sample=True)
def barriers_and_composites(x):
    scaled = lax.composite(lambda a, *, factor: a * factor, "my.scale", version=2)
    first, second = lax.optimization_barrier((x * 2, x + 1))
    return scaled(x, factor=np.float32(3)), first - second, jax.named_call(jnp.sin, name="wave")(x),
    lax.stop_gradient(x)


@register(numbers(10, 3, 4, 5), numbers(11, 3, 5, 2), numbers(12, 3, 4), integers(13, 4, 5, dtype=np.int8))
def general_products(a, b, v, q):
    return (lax.batch_matmul(a, b), lax.dot_general(a, b, (((2,), (1,)), ((0,), (0,)))),
            lax.dot_general(a, b, (((2,), (1,)), ((), ()))),
            lax.dot_general(a, v, (((1,), (1,)), ((0,), (0,)))), lax.dot(q, q.T, preferred_element_type=jnp.int32),
            lax.dot(v, v.T, precision="highest"),
            lax.dot_general(a, a, (((0, 1, 2), (0, 1, 2)), ((), ()))),
            lax.dot_general(a, v, (((), ()), ((0, 1), (0, 1)))),
            lax.dot(v, v.T, precision=lax.DotAlgorithmPreset.F32_F32_F32),
            lax.dot(v, v.T, preferred_element_type=jnp.float32))


@register(X, np.int32(2))
def iterations(x, n):
    return (lax.fori_loop(0, n, lambda i, a: a * 2, x), lax.map(jnp.sum, x),
            lax.scan(lambda c, a: (c + a, c), x[0], x, reverse=True, unroll=2),
            lax.associative_scan(lax.mul, x, axis=1), lax.cumsum(x, 1, reverse=True),
            lax.while_loop(lambda s: s[0] < n, lambda s: (s[0] + 1, -s[1]), (0, x)),
            lax.cond(n > 1, lambda a: a, lambda a: -a, x), lax.linalg.symmetric_product(x, jnp.zeros((4, 4)),
            symmetrize_output=True))
