# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""Cases of functions that JAX has exported: what lazy arrays make of them, and of their transforms."""

import functools

import array_cases
import jax
import jax.export
import jax.numpy as jnp
import numpy as np

CALL, GRADIENT, BATCH = range(3)
F32 = "float32"


def network(x, w, v):
    x = jax.nn.relu(jnp.dot(x, w))
    x = jax.nn.log_softmax(x @ v)
    return -jnp.mean(x[:, 0])


def normalise(x, w):
    mean, variance = x.mean(-1, keepdims=True), x.var(-1, keepdims=True)
    return (x - mean) / jnp.sqrt(variance + 1e-5) * w


def attention(q, k, v):
    weights = jax.nn.softmax(jnp.einsum("bqd,bkd->bqk", q, k) / 2)
    return jnp.einsum("bqk,bkd->bqd", weights, v)


def convolve(layout):
    return lambda x, k: jax.lax.conv_general_dilated(x, k, (2, 1), "SAME", rhs_dilation=(1, 2),
                                                     dimension_numbers=layout)


def pool(x):
    return jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, (1, 2, 2), (1, 2, 2), "SAME")


def rows(x, i):
    return x[i] * jnp.take_along_axis(x[:2], i[None] % x.shape[1], axis=1).sum()


def update(x, y, i):
    return x.at[i].add(y).at[0].set(1.0)


def walk(x, w):
    def step(carry, _):
        carry = jnp.tanh(carry @ w)
        return carry, carry.sum()
    return jax.lax.scan(step, x, None, length=4)[1]


def branch(x, i):
    return jax.lax.switch(i, [jnp.sin, lambda x: x * 2, lambda x: x[::-1]], x)


def order(x):
    return jnp.sort(x, axis=-1)[..., ::-1] + jnp.argsort(x, axis=0)


def order_of_two(x, y):
    x, y, z = jax.lax.sort((jnp.round(x), y, x * y), num_keys=2)
    return (x + y + z) * jnp.arange(4.0)


def selection(x):
    largest, places = jax.lax.top_k(x, 2)
    return largest * jnp.arange(1.0, 3.0) + x[:, :2] * places + jnp.median(x, axis=1)[:, None] * jnp.argmax(x)


def complex_order(x, y):
    return jnp.abs(jnp.sort(x + 1j * y, descending=True)) * jnp.arange(5.0)


def spectrum(x):
    return jnp.abs(jnp.fft.rfft(x)) + jnp.fft.fft2(x[:, :4]).real.sum()


def pieces(x, y):
    x = jnp.where(x > 0, jnp.exp(x), jnp.expm1(x)) + jax.scipy.special.erf(y) + jax.nn.gelu(x)
    return jnp.pad(jnp.clip(x, -1, 2), ((1, 0), (2, 1)), constant_values=3.0)[:, ::2]


def sums(x):
    return jnp.cumsum(x, axis=1) + jnp.cumprod(x, axis=0) + jnp.prod(x) + jnp.max(x, axis=0, initial=0.5)


def halves(x, w):
    return (jnp.dot(x.astype(jnp.bfloat16), w.astype(jnp.bfloat16), preferred_element_type=jnp.float32)
            + jnp.logaddexp(x, 1.0) @ w)


def integers(x):
    return (x // 3 + x % 5 - (x << 2) ^ 7).max(axis=1, initial=0), x.min()


def slices(x, i):
    x = jax.lax.dynamic_update_slice(x, x[:1, :2] * 3, (i[0], i[1]))
    return jax.lax.dynamic_slice(x, (i[1], i[0]), (2, 2))


def solve(a, b):
    a = a @ a.T + 3 * jnp.eye(a.shape[0])
    return jax.scipy.linalg.solve_triangular(jnp.linalg.cholesky(a), b, lower=True)


# Name: function, shapes with dtypes, and what lazy arrays can make of it.
FUNCTIONS = {
    "attention": (attention, [((2, 3, 4), F32)] * 3, [CALL, GRADIENT, BATCH]),
    "branch": (branch, [((4,), F32), ((), "int32")], [CALL]),
    "convolve": (convolve(("NCHW", "OIHW", "NCHW")), [((2, 3, 6, 5), F32), ((4, 3, 3, 2), F32)],
                 [CALL, GRADIENT, BATCH]),
    "convolve_last": (convolve(("NHWC", "HWIO", "NHWC")), [((2, 6, 5, 3), F32), ((3, 2, 3, 4), F32)],
                      [CALL, GRADIENT, BATCH]),
    "halves": (halves, [((3, 4), F32), ((4, 2), F32)], [CALL, GRADIENT, BATCH]),
    "integers": (lambda x: integers(x)[0], [((3, 4), "int32")], [CALL, BATCH]),
    "network": (network, [((3, 4), F32), ((4, 5), F32), ((5, 2), F32)], [CALL, GRADIENT, BATCH]),
    "normalise": (normalise, [((3, 4), F32), ((4,), F32)], [CALL, GRADIENT, BATCH]),
    "order": (order, [((3, 4), F32)], [CALL, GRADIENT, BATCH]),
    "order_of_two": (order_of_two, [((3, 4), F32)] * 2, [CALL, GRADIENT, BATCH]),
    "complex_order": (complex_order, [((5,), F32)] * 2, [CALL, GRADIENT, BATCH]),
    "selection": (selection, [((3, 4), F32)], [CALL, GRADIENT, BATCH]),
    "pieces": (pieces, [((3, 4), F32)] * 2, [CALL, GRADIENT, BATCH]),
    "pool": (pool, [((2, 5, 4), F32)], [CALL, GRADIENT, BATCH]),
    "rows": (rows, [((4, 3), F32), ((3,), "int32")], [CALL, GRADIENT, BATCH]),
    "slices": (slices, [((4, 5), F32), ((2,), "int32")], [CALL, GRADIENT, BATCH]),
    "solve": (solve, [((3, 3), F32), ((3, 2), F32)], [CALL]),
    "spectrum": (spectrum, [((4, 6), F32)], [CALL, GRADIENT, BATCH]),
    "sums": (sums, [((3, 4), F32)], [CALL, GRADIENT, BATCH]),
    "update": (update, [((5, 3), F32), ((2, 3), F32), ((2,), "int32")], [CALL, GRADIENT, BATCH]),
    "walk": (walk, [((3,), F32), ((3, 3), F32)], [CALL]),
}


@functools.cache
def export(name):
    function, types, _ = FUNCTIONS[name]
    return jax.export.export(jax.jit(function))(*[jax.ShapeDtypeStruct(*one) for one in types])


def add(cases, name, mode):
    """The function as text or as a portable artifact, on random inputs."""
    function, types, _ = FUNCTIONS[name]
    exported = export(name)
    data = exported.mlir_module().encode() if cases.random.random() < 0.5 else exported.mlir_module_serialized
    batch = (2,) if mode == BATCH else ()
    inputs = [cases.array((*batch, *shape), dtype, 0 if dtype != F32 else -2, 2) for shape, dtype in types]
    wanted = function
    if mode == GRADIENT:
        wanted = jax.grad(lambda *x: function(*x).sum())
    elif mode == BATCH:
        wanted = jax.vmap(function)
    cases.add("imported", [np.frombuffer(data, np.uint8), *inputs], [mode], slack=40,
              wanted=np.asarray(wanted(*map(jnp.asarray, inputs))), describe=f"{name}, {['call', 'gradient', 'batch'][mode]}")


@array_cases.generator("imported")
def imported(cases, _):
    name = cases.random.choice(sorted(FUNCTIONS))
    add(cases, name, cases.random.choice(FUNCTIONS[name][2]))
