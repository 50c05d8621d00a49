# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""Operations that move elements, or make them from nothing."""

import numpy as np

from differential import values
from differential.case import I32, I64, integers
from differential.elementwise import ALL, COMPLEX, FLOAT, INTEGER
from differential.generators import generator
from dtypes import BY_NAME

INDEX = [BY_NAME[name] for name in ("i8", "ui8", "i16", "ui16", "i32", "ui32", "i64", "ui64")]


def operand(case, rank=None, low_rank=0, high_rank=4, smallest=0):
    if rank is None:
        rank = int(case.random.integers(low_rank, high_rank + 1))
    shape = values.shape(case.random, rank, smallest=smallest)
    return case.input(values.any_bits(case.random, case.dtype, shape))


@generator("iota", INTEGER + FLOAT + COMPLEX)
def _iota(case):
    shape = values.shape(case.random, int(case.random.integers(1, 4)), largest=7)
    dimension = int(case.random.integers(0, len(shape)))
    case.give(case.one("iota", [], shape, case.dtype, f"iota_dimension = {dimension} : i64"))
    case.elementwise = True
    wide = np.float64 if case.dtype.is_inexact else np.int64
    case.reference = lambda: [values.rounded(np.indices(shape)[dimension].astype(wide), case.dtype)]


@generator("reshape", ALL)
def _reshape(case):
    x = operand(case)
    sizes = [size for size in x.shape if size != 1]
    if len(sizes) > 1 and case.random.random() < 0.5:
        at = int(case.random.integers(0, len(sizes) - 1))
        sizes[at : at + 2] = [sizes[at] * sizes[at + 1]]
    for _ in range(int(case.random.integers(0, 3))):
        sizes.insert(int(case.random.integers(0, len(sizes) + 1)), 1)
    case.give(case.one("reshape", [x], sizes, case.dtype))


@generator("transpose", ALL)
@generator("transpose large", ALL)
def _transpose(case):
    if case.is_large:
        x = case.input(values.any_bits(case.random, case.dtype, values.shape(case.random, 3, largest=40)))
    else:
        x = operand(case, high_rank=5)
    order = [int(d) for d in case.random.permutation(len(x.shape))]
    case.give(case.one("transpose", [x], [x.shape[d] for d in order], case.dtype, f"permutation = {integers(order)}"))


@generator("broadcast_in_dim", ALL)
def _broadcast_in_dim(case):
    x = operand(case, high_rank=3)
    rank = len(x.shape) + int(case.random.integers(0, 3))
    places = [int(d) for d in case.random.permutation(rank)[: len(x.shape)]]
    sizes = list(values.shape(case.random, rank))
    for place, size in zip(places, x.shape):
        if size != 1 or case.random.random() < 0.3:
            sizes[place] = size
    case.give(case.one("broadcast_in_dim", [x], sizes, case.dtype, f"broadcast_dimensions = {integers(places)}"))


@generator("broadcast", ALL)
def _broadcast(case):
    x = operand(case, high_rank=3)
    sizes = values.shape(case.random, int(case.random.integers(0, 3)))
    case.give(case.one("broadcast", [x], (*sizes, *x.shape), case.dtype, f"broadcast_sizes = {integers(sizes)}"))


@generator("reverse", ALL)
def _reverse(case):
    x = operand(case)
    dimensions = [int(d) for d in case.random.permutation(len(x.shape))[: case.random.integers(0, len(x.shape) + 1)]]
    case.give(case.one("reverse", [x], x.shape, case.dtype, f"dimensions = {integers(dimensions)}"))


def slices(case, shape):
    starts = [int(case.random.integers(0, size + 1)) for size in shape]
    limits = [int(case.random.integers(start, size + 1)) for start, size in zip(starts, shape)]
    strides = [int(case.random.integers(1, 4)) for _ in shape]
    sizes = [-(-(limit - start) // stride) for start, limit, stride in zip(starts, limits, strides)]
    return starts, limits, strides, sizes


def slice_attributes(starts, limits, strides):
    return f"limit_indices = {integers(limits)}, start_indices = {integers(starts)}, strides = {integers(strides)}"


@generator("slice", ALL)
def _slice(case):
    x = operand(case)
    starts, limits, strides, sizes = slices(case, x.shape)
    case.give(case.one("slice", [x], sizes, case.dtype, slice_attributes(starts, limits, strides)))


def starts(case, shape, count):
    """Scalar indices, some of them far out."""
    dtype = INDEX[int(case.random.integers(0, len(INDEX)))]
    low, high = values.integer_limits(dtype)
    given = []
    for i in range(count):
        size = shape[i]
        index = int(
            case.random.choice([0, 1, size, size + 5, -1, -3, low, high, int(case.random.integers(0, size + 1))])
        )
        given.append(case.input(np.array(min(max(index, low), high), dtype.numpy), dtype))
    return given


@generator("dynamic_slice", ALL)
def _dynamic_slice(case):
    x = operand(case)
    sizes = [int(case.random.integers(0 if size == 0 else 1, size + 1)) for size in x.shape]
    case.give(
        case.one(
            "dynamic_slice",
            [x, *starts(case, x.shape, len(x.shape))],
            sizes,
            case.dtype,
            f"slice_sizes = {integers(sizes)}",
        )
    )


@generator("dynamic_update_slice", ALL)
def _dynamic_update_slice(case):
    x = operand(case)
    sizes = [int(case.random.integers(0 if size == 0 else 1, size + 1)) for size in x.shape]
    update = case.input(values.any_bits(case.random, case.dtype, tuple(sizes)))
    case.give(case.one("dynamic_update_slice", [x, update, *starts(case, x.shape, len(x.shape))], x.shape, case.dtype))


# XLA ends the process on types below a byte.
@generator("concatenate", [dtype for dtype in ALL if dtype.bits >= 8 or dtype.kind == "BOOL"])
def _concatenate(case):
    x = operand(case, low_rank=1)
    dimension = int(case.random.integers(0, len(x.shape)))
    parts = [x]
    for _ in range(int(case.random.integers(0, 4))):
        shape = list(x.shape)
        shape[dimension] = int(case.random.integers(0, 5))
        parts.append(case.input(values.any_bits(case.random, case.dtype, tuple(shape))))
    shape = list(x.shape)
    shape[dimension] = sum(part.shape[dimension] for part in parts)
    case.give(case.one("concatenate", parts, shape, case.dtype, f"dimension = {dimension} : i64"))


def padding(case, shape):
    low, high, inner, sizes = [], [], [], []
    for size in shape:
        inner.append(int(case.random.integers(0, 3)))
        full = size + max(size - 1, 0) * inner[-1]
        low.append(int(case.random.integers(-2, 4)))
        high.append(int(case.random.integers(-2, 4)))
        if full + low[-1] + high[-1] < 0:
            low[-1], high[-1] = max(low[-1], 0), max(high[-1], 0)
        sizes.append(full + low[-1] + high[-1])
    return low, high, inner, sizes


def pad_attributes(low, high, inner):
    return (
        f"edge_padding_high = {integers(high)}, edge_padding_low = {integers(low)}, "
        f"interior_padding = {integers(inner)}"
    )


@generator("pad", ALL)
def _pad(case):
    x = operand(case)
    low, high, inner, sizes = padding(case, x.shape)
    value = case.input(values.any_bits(case.random, case.dtype, ()))
    case.give(case.one("pad", [x, value], sizes, case.dtype, pad_attributes(low, high, inner)))


@generator("optimization_barrier", ALL)
def _optimization_barrier(case):
    both = [operand(case), operand(case)]
    case.give(*case.emit("optimization_barrier", both, [(x.shape, x.dtype) for x in both]))


@generator("get_dimension_size", ALL)
def _get_dimension_size(case):
    x = operand(case, low_rank=1)
    dimension = int(case.random.integers(0, len(x.shape)))
    case.give(case.one("get_dimension_size", [x], (), I32, f"dimension = {dimension} : i64"))


def listed(case, numbers):
    """A list of sizes or places that is an operand."""
    return case.input(np.array(numbers, np.int64), I64)


@generator("dynamic_iota", INTEGER + FLOAT + COMPLEX)
def _dynamic_iota(case):
    shape = values.shape(case.random, int(case.random.integers(1, 4)), largest=7)
    dimension = int(case.random.integers(0, len(shape)))
    case.give(case.one("dynamic_iota", [listed(case, shape)], shape, case.dtype, f"iota_dimension = {dimension} : i64"))
    case.elementwise = True
    wide = np.float64 if case.dtype.is_inexact else np.int64
    case.reference = lambda: [values.rounded(np.indices(shape)[dimension].astype(wide), case.dtype)]


@generator("dynamic_broadcast_in_dim", ALL)
def _dynamic_broadcast_in_dim(case):
    x = operand(case, high_rank=3)
    sizes = [*values.shape(case.random, int(case.random.integers(0, 3))), *x.shape]
    places = range(len(sizes) - len(x.shape), len(sizes))
    case.give(
        case.one(
            "dynamic_broadcast_in_dim",
            [x, listed(case, sizes)],
            sizes,
            case.dtype,
            f"broadcast_dimensions = {integers(places)}",
        )
    )


@generator("real_dynamic_slice", ALL)
def _real_dynamic_slice(case):
    x = operand(case, low_rank=1)
    starts, limits, strides, sizes = slices(case, x.shape)
    lists = [listed(case, numbers) for numbers in (starts, limits, strides)]
    result = case.one("real_dynamic_slice", [x, *lists], sizes, case.dtype)
    case.twin("slice", [x], result, slice_attributes(starts, limits, strides))
    case.give(result)


@generator("dynamic_pad", ALL)
def _dynamic_pad(case):
    x = operand(case, low_rank=1)
    low, high, inner, sizes = padding(case, x.shape)
    value = case.input(values.any_bits(case.random, case.dtype, ()))
    lists = [listed(case, numbers) for numbers in (low, high, inner)]
    result = case.one("dynamic_pad", [x, value, *lists], sizes, case.dtype)
    case.twin("pad", [x, value], result, pad_attributes(low, high, inner))
    case.give(result)


@generator("dynamic_reshape", ALL)
def _dynamic_reshape(case):
    x = operand(case, low_rank=1, smallest=1)
    sizes = [*x.shape[1:], x.shape[0]]
    shape = case.input(np.array(sizes), I64)
    case.give(case.one("dynamic_reshape", [x, shape], sizes, case.dtype))


@generator("torch_index_select", ALL)
def _torch_index_select(case):
    batch = int(case.random.integers(0, 2))
    x = operand(case, low_rank=batch + 1, high_rank=3, smallest=1)
    dim = int(case.random.integers(batch, len(x.shape)))
    dtype = I32
    extra = values.shape(case.random, int(case.random.integers(0, 2)), smallest=1)
    shape = (*x.shape[:batch], *extra)
    index = case.input(case.random.integers(0, x.shape[dim], shape), dtype)
    sizes = (*x.shape[:dim], *extra, *x.shape[dim + 1 :])
    case.give(
        case.one("torch_index_select", [x, index], sizes, case.dtype, f"batch_dims = {batch} : i64, dim = {dim} : i64")
    )


@generator("rng_bit_generator", [BY_NAME[name] for name in ("ui8", "ui16", "ui32", "ui64")])
def _rng_bit_generator(case):
    algorithm = str(case.random.choice(["THREE_FRY", "PHILOX", "DEFAULT"]))
    words = 2 if algorithm == "THREE_FRY" else int(case.random.choice([2, 3]))
    state = case.input(values.any_bits(case.random, BY_NAME["ui64"], (words,)), BY_NAME["ui64"])
    shape = values.shape(case.random, largest=7)
    case.give(
        *case.emit(
            "rng_bit_generator",
            [state],
            [((words,), BY_NAME["ui64"]), (shape, case.dtype)],
            f"rng_algorithm = #stablehlo<rng_algorithm {algorithm}>",
        )
    )
