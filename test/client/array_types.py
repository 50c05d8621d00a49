# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""Cases for array_cases.c: questions about dtypes and shapes, empty arrays, order, and recurrences."""

import mlx.core as mx
import numpy as np
from array_cases import ALL, FLOATS, NUMBERS, generator, mlx_dtype

KINDS = ["bool", "signed integer", "unsigned integer", "integral", "real floating", "complex floating", "numeric"]


@generator("can_cast", "isdtype", "result_type")
def questions(cases, name):
    a, b = cases.dtype(), cases.dtype()
    if name == "can_cast":
        cases.add(name, lists=[NUMBERS[a], NUMBERS[b]], wanted=np.array(mx.can_cast(mlx_dtype(a), mlx_dtype(b))))
    elif name == "isdtype":
        kind = cases.random.choice(KINDS)
        cases.add(name, lists=[NUMBERS[a], [ord(letter) for letter in kind]],
                  wanted=np.array(mx.isdtype(mlx_dtype(a), kind)))
    else:
        names = [cases.dtype() for _ in range(cases.random.randint(1, 4))]
        found = mx.result_type(*map(mlx_dtype, names))
        wanted = next(number for one, number in NUMBERS.items() if one in ALL and mlx_dtype(one) == found)
        cases.add(name, lists=[[NUMBERS[one] for one in names]], wanted=np.int32(wanted))


@generator("broadcast_shapes")
def broadcast_shapes(cases, name):
    shapes = cases.pair(cases.random.randint(1, 4))
    if cases.random.random() < 0.2:
        shapes.append(cases.shape())
    cases.add(name, lists=[list(shape) for shape in shapes],
              wanted=lambda: np.array(mx.broadcast_shapes(*shapes), np.int64))


@generator("empty", "empty_like")
def empty(cases, name):
    dtype, shape = cases.dtype(), cases.shape()
    if name == "empty":
        cases.add(name, lists=[list(shape), NUMBERS[dtype]], wanted=lambda: mx.zeros(shape, mlx_dtype(dtype)))
    else:
        cases.add(name, [cases.array(shape, dtype)], wanted=mx.empty_like)


@generator("einsum_path")
def einsum_path(cases, name):
    subscripts = cases.random.choice(["ab,bc,cd->ad", "ab,bc,cd,de->ae", "ab,b->a", "abc,cd,ae->bde", "a,a->a", "ab->ba"])
    sizes = {letter: size for letter, size in zip("abcde", cases.random.sample(range(2, 60), 5))}
    arrays = [np.zeros([sizes[letter] for letter in term], np.float32)
              for term in subscripts.split("->")[0].split(",")]
    path = mx.einsum_path(subscripts, *map(mx.array, arrays))[0] if len(arrays) > 1 else []
    cases.add(name, arrays, [[ord(letter) for letter in subscripts]],
              wanted=np.array([place for pair in path for place in sorted(pair)], np.int64))


@generator("depends")
def depends(cases, name):
    arrays = [cases.draw(cases.dtype()) for _ in range(cases.random.randint(1, 4))]
    count = cases.random.randint(1, len(arrays))
    cases.add(name, arrays, [count], wanted=lambda *arrays: mx.depends(list(arrays[:count]), list(arrays[count:])))


@generator("gated_delta_update")
def gated_delta_update(cases, name):
    batch, times, heads, groups = 2, cases.random.randint(1, 4), 2, cases.random.choice([1, 2])
    dtype = cases.dtype(FLOATS)
    q, k = (cases.array((batch, times, heads, 4), dtype, -0.5, 0.5) for _ in range(2))
    v = cases.array((batch, times, heads * groups, 3), dtype)
    gamma, beta = (cases.array((batch, times, heads * groups), dtype, 0, 1) for _ in range(2))
    state = cases.random.choice([None, cases.array((batch, heads * groups, 3, 4), "float32")])
    mask = cases.random.choice([None, cases.array((batch, times), "bool")])
    if cases.random.random() < 0.15:
        v = v[:, :, :1] if heads * groups > 1 and heads > 1 else v
    cases.add(name, [q, k, v, gamma, beta, state, mask], slack=20, wanted=lambda q, k, v, gamma, beta, state, mask:
              mx.fast.gated_delta_update(q, k, v, gamma, beta, state, mask))
