# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""Every element type: arithmetic, conversions, products."""

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
from jax import lax

from programs import integers, numbers, registrar

PROGRAMS = []
register = registrar(PROGRAMS)
HALVES = {"bfloat16": ml_dtypes.bfloat16, "float16": np.float16}
NARROW = {name: getattr(ml_dtypes, name) for name in
          ("float8_e4m3fn", "float8_e5m2", "float8_e4m3b11fnuz", "float8_e4m3fnuz", "float8_e5m2fnuz", "float8_e3m4",
           "float8_e4m3", "float4_e2m1fn")}
SMALL = {"int4": ml_dtypes.int4, "uint4": ml_dtypes.uint4, "int2": ml_dtypes.int2, "uint2": ml_dtypes.uint2}


def arithmetic(x, y):
    return x + y, x - y, x * y, x / \
        y, jnp.maximum(x, y), -x, jnp.abs(x), x < y, x == y, jnp.where(x > y, x, y), jnp.sqrt(jnp.abs(x))


def mathematics(x, y):
    return (
    jnp.exp(x), jnp.log(
        jnp.abs(x)), jnp.tanh(x), jnp.sin(x), jnp.sum(x), jnp.max(
            x, axis=0), x @ y.T, jax.nn.softmax(x), jnp.mean(
                x, axis=1), jax.nn.gelu(x), jnp.cumsum(
                    x, axis=1), jnp.sort(x), jnp.argmax(
                        x, axis=1), jax.grad(
                            lambda a: jnp.sum(
                                jnp.sin(a)))(x))


# XLA keeps more digits between the operations that it fuses; Tenon rounds where the program says so.
for dtype_name, dtype in HALVES.items():
    register(numbers(1, 4, 9, dtype=dtype), numbers(2, 4, 9, dtype=dtype),
             name=f"arithmetic_{dtype_name}", ulps=1)(arithmetic)
    register(numbers(1, 4, 9, dtype=dtype), numbers(2, 4, 9, dtype=dtype), name=f"mathematics_{dtype_name}", ulps=8,
             sample=True)(mathematics)

for dtype_name, dtype in NARROW.items():
    register(numbers(3, 5, 8).astype(dtype), numbers(4, 5, 8).astype(dtype), name=f"conversions_{dtype_name}",
             sample=dtype_name == "float8_e4m3fn")(
        lambda x, y: (x.astype(jnp.float32), (x.astype(jnp.float32) * 3.3).astype(x.dtype), x.astype(jnp.bfloat16),
                      x < y, x == y, jnp.where(x > y, x, y), x[::-1], jnp.concatenate([x, y]), x.astype(jnp.int32),
                      jnp.arange(-3, 5).astype(x.dtype), x.T, jnp.sort(x.astype(jnp.float32)).astype(x.dtype)))

for dtype_name in ("float8_e4m3fn", "float8_e5m2"):
    dtype = NARROW[dtype_name]
    register(numbers(5, 4, 16).astype(dtype), numbers(6, 16, 5).astype(dtype), name=f"products_{dtype_name}", ulps=4)(
        lambda x, y: (lax.dot(x, y, preferred_element_type=jnp.float32),
                      lax.dot_general(x, y, (((1,), (0,)), ((), ())), preferred_element_type=jnp.bfloat16)))


def small_arithmetic(x, y):
    wide = x.astype(jnp.int32) * 3 + y.astype(jnp.int32)
    return (wide, wide.astype(x.dtype), x + y, x * y, x - y, jnp.maximum(x, y), x & y, x | y, x ^ y, ~x, x < y, x == y,
            x.astype(jnp.float32), jnp.sum(x.astype(jnp.int32), axis=0), x[:, ::-1], jnp.where(x > y, x, y),
            lax.bitcast_convert_type(x.reshape(-1, 2), jnp.uint8) if jnp.iinfo(x.dtype).bits == 4 else wide)


for dtype_name, dtype in SMALL.items():
    limits = ml_dtypes.iinfo(dtype)
    values = [integers(seed, 4, 6, low=int(limits.min), high=int(limits.max)).astype(dtype) for seed in (7, 8)]
    register(*values, name=f"arithmetic_{dtype_name}", sample=dtype_name == "uint4")(small_arithmetic)


@register(integers(9, 6, 16, low=-128, high=127, dtype=np.int8), integers(10, 16, 5, low=-128, high=127, dtype=np.int8),
          numbers(11, 5), sample=True)
def quantised_product(x, w, scale):
    product = lax.dot(x, w, preferred_element_type=jnp.int32)
    real = product.astype(jnp.float32) * scale * 1e-3
    return product, real, jnp.clip(jnp.round(real), -128, 127).astype(jnp.int8)


@register(numbers(12, 6, 16), numbers(13, 16, 8))
def quantised_weights(x, w):
    """Weights in four bits, a scale for each column, as language models keep them."""
    scale = jnp.max(jnp.abs(w), axis=0) / 7
    packed = jnp.clip(jnp.round(w / scale), -8, 7).astype(jnp.int4)
    return x @ (packed.astype(jnp.float32) * scale), packed.astype(jnp.int8)


@register(numbers(14, 64))
def microscaling(x):
    """Blocks of 32 share an exponent, their elements have eight bits."""
    blocks = x.reshape(-1, 32)
    exponent = jnp.floor(jnp.log2(jnp.max(jnp.abs(blocks), axis=1, keepdims=True)))
    elements = (blocks / 2.0 ** exponent).astype(jnp.float8_e4m3fn)
    return (elements.astype(jnp.float32) * 2.0 ** exponent).reshape(-1), elements


# The digits of bfloat16 in units of float32.
@register(numbers(15, 8, 8), numbers(16, 8, 8), sample=True, ulps=1 << 16)
def mixed_precision(x, w):
    def loss(w):
        y = x.astype(jnp.bfloat16) @ w.astype(jnp.bfloat16)
        return jnp.mean(jnp.square(y.astype(jnp.float32)))

    return jax.value_and_grad(loss)(w)


@register(integers(17, 12, low=-2**31, high=2**31 - 1), integers(18, 12, low=0, high=2**32 - 1, dtype=np.uint32))
def bits_of_integers(x, y):
    return (lax.population_count(x), lax.clz(y), y << 3, x >> 5, y >> 5, x ^ x >> 16, jnp.left_shift(x, 40), ~y,
            lax.bitcast_convert_type(x, jnp.float32) * 0, lax.bitcast_convert_type(x, jnp.uint8), jnp.bitwise_count(y),
            lax.shift_right_logical(x, 31), jnp.gcd(x, 12), jnp.lcm(jnp.abs(x) % 50, 12), jnp.invert(x))


@register((numbers(19, 5, 4) + 1j * numbers(20, 5, 4)).astype(np.complex64), sample=True, ulps=64)
def complex_mathematics(z):
    return (z * z, z / z[::-1], jnp.exp(z), jnp.log(z), jnp.sqrt(z), jnp.sin(z), jnp.tanh(z), jnp.abs(z), jnp.angle(z),
            jnp.conj(z) @ z.T, jnp.power(z, 2.5), jnp.prod(z, axis=0), jnp.mean(z), jnp.cumsum(z, axis=1),
            jnp.arcsin(z),
            jnp.arctan(z), jnp.arccosh(z), jnp.sinh(z), jnp.isfinite(z), jnp.real(z) > jnp.imag(z), jnp.expm1(z),
            jnp.log1p(z),
            jax.grad(lambda a: jnp.sum(jnp.abs(jnp.sin(a))))(z), jnp.square(z), jnp.sign(z), 1 / z,
            jnp.polyval(z[0], z))
