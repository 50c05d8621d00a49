# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""Functions that jax.export left open in some dimensions run for any sizes, and agree with JAX for each of them."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import export, lax

import host
from support import assert_same


def softmax(x):
    return jax.nn.softmax(x, axis=-1)


def attention(q, k, v):
    scores = jnp.einsum("btd,bsd->bts", q, k) / np.sqrt(q.shape[-1])
    return jnp.einsum("bts,bsd->btd", jax.nn.softmax(scores, axis=-1), v)


def convolve(x, w):
    return lax.conv_general_dilated(x, w, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))


def scan_rows(x):
    return lax.scan(lambda carry, row: (carry + row, carry * row), jnp.zeros(x.shape[1:], x.dtype), x)


# name, function, shapes with symbols, sizes of the symbols
CASES = [
    ("add", lambda x, y: x + y, ["(n, 4)", "(n, 4)"], [{"n": 1}, {"n": 3}, {"n": 7}]),
    ("broadcast", lambda x, y: x * y + 1, ["(n, m)", "(m,)"], [{"n": 2, "m": 3}, {"n": 5, "m": 1}]),
    ("softmax", softmax, ["(b, n)"], [{"b": 2, "n": 5}, {"b": 1, "n": 64}]),
    ("mean", lambda x: x.mean(axis=0), ["(n, 3)"], [{"n": 2}, {"n": 9}]),
    ("matmul", lambda x, w: jnp.tanh(x @ w), ["(b, 8)", "(8, 4)"], [{"b": 1}, {"b": 6}]),
    ("attention", attention, ["(b, t, 8)", "(b, s, 8)", "(b, s, 8)"], [{"b": 2, "t": 3, "s": 5}, {"b": 1, "t": 1, "s": 2}]),
    ("reshape", lambda x: x.reshape(x.shape[0] * 2, -1), ["(n, 6)"], [{"n": 1}, {"n": 4}]),
    ("transpose", lambda x: x.T + jnp.arange(x.shape[0], dtype=x.dtype), ["(n, m)"], [{"n": 3, "m": 2}, {"n": 4, "m": 4}]),
    ("concatenate", lambda x, y: jnp.concatenate([x, y, x], axis=0), ["(n, 2)", "(m, 2)"], [{"n": 1, "m": 2}, {"n": 3, "m": 3}]),
    ("slice", lambda x: x[1:, ::2], ["(n, 6)"], [{"n": 2}, {"n": 5}]),
    ("pad", lambda x: jnp.pad(x, ((1, 2), (0, 0))), ["(n, 3)"], [{"n": 1}, {"n": 4}]),
    ("iota", lambda x: jnp.arange(x.shape[0]) * 2, ["(n,)"], [{"n": 3}, {"n": 10}]),
    ("gather", lambda x, i: x[i], ["(n, 3)", "(k,)"], [{"n": 4, "k": 2}, {"n": 2, "k": 5}]),
    ("sort", lambda x: jnp.sort(x, axis=0), ["(n, 2)"], [{"n": 3}, {"n": 8}]),
    ("cumsum", lambda x: jnp.cumsum(x, axis=0), ["(n, 2)"], [{"n": 2}, {"n": 5}]),
    ("convolution", convolve, ["(b, h, w, 3)", "(3, 3, 3, 4)"], [{"b": 1, "h": 5, "w": 6}, {"b": 2, "h": 4, "w": 4}]),
    ("scan", scan_rows, ["(n, 3)"], [{"n": 1}, {"n": 6}]),
    ("where", lambda x: jnp.where(x > 0, x, jnp.zeros_like(x)), ["(n, m)"], [{"n": 2, "m": 2}, {"n": 1, "m": 5}]),
    ("gradient", jax.grad(lambda x: (softmax(x) ** 2).sum()), ["(b, n)"], [{"b": 2, "n": 3}, {"b": 4, "n": 2}]),
]


def exported(function, shapes, dtypes):
    scope = export.SymbolicScope()
    arguments = [jax.ShapeDtypeStruct(export.symbolic_shape(shape, scope=scope), dtype)
                 for shape, dtype in zip(shapes, dtypes)]
    return export.export(jax.jit(function))(*arguments)


def values(shapes, dtypes, sizes, seed):
    random = np.random.default_rng(seed)
    for shape, dtype in zip(shapes, dtypes):
        dims = eval(shape, {}, sizes)
        yield random.integers(0, 2, dims).astype(dtype) if dtype == np.int32 else random.standard_normal(dims).astype(dtype)


@pytest.mark.parametrize("name, function, shapes, all_sizes", CASES, ids=[case[0] for case in CASES])
def test_a_program_runs_for_all_sizes(name, function, shapes, all_sizes):
    dtypes = [np.int32 if name == "gather" and i == 1 else np.float32 for i in range(len(shapes))]
    program = host.Program(exported(function, shapes, dtypes).mlir_module())
    for seed, sizes in enumerate(all_sizes + all_sizes):  # the second time it is there
        inputs = list(values(shapes, dtypes, sizes, seed))
        wanted = jax.tree.leaves(jax.jit(function)(*inputs))
        for got, want in zip(program(*inputs), wanted, strict=True):
            assert_same(got, np.asarray(want))


def test_what_jax_asserts_of_sizes_is_an_error_of_the_run():
    program = host.Program(exported(lambda x: x.reshape(2, -1), ["(2*n,)"], [np.float32]).mlir_module())
    assert program(np.arange(6, dtype=np.float32))[0].shape == (2, 3)
    with pytest.raises(host.Error, match="5"):
        program(np.arange(5, dtype=np.float32))
    assert program(np.arange(4, dtype=np.float32))[0].shape == (2, 2)


def test_sizes_that_contradict_each_other_are_an_error_of_the_run():
    program = host.Program("func.func @main(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {\n"
                           "  %0 = stablehlo.add %x, %y : tensor<?xf32>\n  return %0 : tensor<?xf32>\n}\n")
    with pytest.raises(host.Error, match="add.*tensor<3xf32>.*tensor<2xf32>|add.*tensor<2xf32>.*tensor<3xf32>"):
        program(np.zeros(2, np.float32), np.zeros(3, np.float32))
    assert program(np.ones(3, np.float32), np.ones(3, np.float32))[0].tolist() == [2, 2, 2]
    with pytest.raises(host.Error, match=r"input 1 %?y is tensor<3xf64>; expected tensor<\?xf32>"):
        program(np.zeros(3, np.float32), np.zeros(3, np.float64))


def test_thousands_of_sizes_are_no_burden():
    program = host.Program("func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {\n"
                           "  %0 = stablehlo.tanh %x : tensor<?xf32>\n  return %0 : tensor<?xf32>\n}\n")
    for size in range(1, 3000):
        assert program(np.zeros(size, np.float32))[0].shape == (size,)


def test_sizes_that_depend_on_data_are_refused():
    program = host.Program("func.func @main(%x: tensor<?xf32>, %n: tensor<1xi32>) -> tensor<?xf32> {\n"
                           "  %0 = stablehlo.dynamic_iota %n, dim = 0 : (tensor<1xi32>) -> tensor<?xf32>\n"
                           "  return %0 : tensor<?xf32>\n}\n")
    with pytest.raises(host.Error, match="dynamic_iota: operand 0 gives sizes and depends on data"):
        program(np.zeros(2, np.float32), np.array([3], np.int32))
