# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""Operations with a body: reductions, windows, scatters, sorts, maps."""

import numpy as np

from differential import values
from differential.case import I1, I32, integers
from differential.elementwise import ALL, BOOL, COMPLEX, FLOAT, INTEGER, total_key
from differential.generators import generator

NUMBERS = INTEGER + FLOAT
# XLA lays integers of two bits out in another way than their companions.
SORTED = [dtype for dtype in NUMBERS if dtype.bits > 2]
# Formats in which small integers are exact, and so are a few sums and products of them.
EXACT = [dtype for dtype in FLOAT if dtype.bits >= 16] + INTEGER + COMPLEX + BOOL


def bodies(dtype):
    if dtype.kind == "BOOL":
        return ["and", "or", "xor"]
    if dtype.kind == "COMPLEX":
        return ["add", "multiply"]
    return ["add", "multiply", "maximum", "minimum"] + (["and", "or", "xor"] if dtype.is_integer else [])


def scalar_body(case, operation, dtype):
    return case.region([((), dtype)] * 2, lambda a, b: case.one(operation, [a, b], (), dtype))


def elements(case, operation, shape):
    """Such that the order of folding does not show: exact, or where the operation chooses one of them."""
    dtype = case.dtype
    if dtype.kind == "FLOAT" and operation in ("maximum", "minimum"):
        return values.ordinary(case.random, dtype, shape)
    if operation == "multiply" and dtype.is_inexact:
        choices = np.array([1, 1, 1, -1, 2, 0.5] if dtype.kind == "FLOAT" else [1, -1, 1j, 1, -1j], dtype.numpy)
        # Of many factors neither the product nor a part of it may overflow.
        count = 4 if case.is_large and dtype.kind == "FLOAT" else len(choices)
        return choices[case.random.integers(0, count, shape)]
    if case.is_large and dtype.is_inexact and dtype.part.bits == 16:
        # Partial sums stay exact.
        return values.small(case.random, dtype, shape, 0, 1) * (case.random.random(shape) < 0.001).astype(dtype.numpy)
    return values.small(case.random, dtype, shape) if dtype.is_inexact else values.special(case.random, dtype, shape)


def start(case, operation):
    """The body's identity: how often it is used is not said."""
    dtype = case.dtype
    if operation in ("maximum", "minimum"):
        if dtype.kind == "FLOAT":
            info = values.finfo(dtype)
            lowest, highest = (info.min, info.max) if dtype.bits < 16 else (-np.inf, np.inf)
        else:
            lowest, highest = values.integer_limits(dtype)
        identity = lowest if operation == "maximum" else highest
    else:
        all_bits = -1 if dtype.kind == "SIGNED" else values.integer_limits(dtype)[1] if not dtype.is_inexact else 0
        identity = {"add": 0, "or": 0, "xor": 0, "multiply": 1, "and": all_bits}[operation]
    if dtype.is_inexact:
        return case.input(
            np.asarray(identity, np.complex128 if dtype.kind == "COMPLEX" else np.float64).astype(dtype.numpy)
        )
    return case.input(np.array(int(identity), np.uint64 if identity >= 0 else np.int64).astype(dtype.numpy))


@generator("reduce large", EXACT)
@generator("reduce", EXACT + [dtype for dtype in FLOAT if dtype not in EXACT and dtype.mlir != "f8E8M0FNU"])
def _reduce(case):
    narrow = case.dtype.kind == "FLOAT" and case.dtype.bits < 16
    operation = str(case.random.choice(["maximum", "minimum"] if narrow else bodies(case.dtype)))
    shape = (
        values.shape(case.random, int(case.random.integers(2, 4)), 60)
        if case.is_large
        else values.shape(case.random, largest=6)
    )
    dimensions = sorted(int(d) for d in case.random.permutation(len(shape))[: case.random.integers(0, len(shape) + 1)])
    if case.dtype.kind == "COMPLEX":
        case.ulps = 1
    x = case.input(elements(case, operation, shape))
    result = [size for d, size in enumerate(shape) if d not in dimensions]
    case.give(
        case.one(
            "reduce",
            [x, start(case, operation)],
            result,
            case.dtype,
            f"dimensions = {integers(dimensions)}",
            [scalar_body(case, operation, case.dtype)],
        )
    )


@generator("reduce with an index", SORTED)
def _argmax(case):
    """Two operands and a body of several operations, as argmax has it."""
    shape = values.shape(case.random, int(case.random.integers(1, 4)), largest=6)
    dimension = int(case.random.integers(0, len(shape)))
    x = case.input(values.small(case.random, case.dtype, shape))
    places = case.one("iota", [], shape, I32, f"iota_dimension = {dimension} : i64")
    first = case.input(
        np.asarray(values.integer_limits(case.dtype)[0] if case.dtype.is_integer else -4, np.float64).astype(
            case.dtype.numpy
        )
        if case.dtype.mlir != "f8E8M0FNU"
        else np.array(0.25, case.dtype.numpy)
    )
    none = case.input(np.array(2**31 - 1), I32)

    def body(a, i, b, j):
        larger = case.one("compare", [a, b], (), I1, "comparison_direction = #stablehlo<comparison_direction GT>")
        equal = case.one("compare", [a, b], (), I1, "comparison_direction = #stablehlo<comparison_direction EQ>")
        before = case.one("compare", [i, j], (), I1, "comparison_direction = #stablehlo<comparison_direction LT>")
        both = case.one("and", [equal, before], (), I1)
        keep = case.one("or", [larger, both], (), I1)
        return [case.one("select", [larger, a, b], (), case.dtype), case.one("select", [keep, i, j], (), I32)]

    region = case.region([((), case.dtype), ((), I32)] * 2, body)
    result = [size for d, size in enumerate(shape) if d != dimension]
    case.give(
        *case.emit(
            "reduce",
            [x, places, first, none],
            [(result, case.dtype), (result, I32)],
            f"dimensions = {integers([dimension])}",
            [region],
        )
    )


def matrix(rows):
    """An N x 2 list attribute."""
    if not rows:
        return "dense<> : tensor<0x2xi64>"
    return f"dense<[{', '.join(f'[{low}, {high}]' for low, high in rows)}]> : tensor<{len(rows)}x2xi64>"


def window(case, shape, dilations=True):
    """Sizes, strides, dilations, padding and the result's shape."""
    sizes, strides, base, inner, padding, result = [], [], [], [], [], []
    for size in shape:
        while True:
            length, stride = int(case.random.integers(1, 4)), int(case.random.integers(1, 4))
            spread = [int(case.random.choice([1, 1, 2, 3])) if dilations else 1 for _ in range(2)]
            low, high = (int(case.random.choice([0, 0, 1, 2, -1 if dilations else 0])) for _ in range(2))
            full = (size - 1) * spread[0] + 1 if size else 0
            reach = (length - 1) * spread[1] + 1
            padded = full + low + high
            if padded >= 0:
                break
        sizes.append(length)
        strides.append(stride)
        base.append(spread[0])
        inner.append(spread[1])
        padding.append((low, high))
        result.append((padded - reach) // stride + 1 if padded >= reach else 0)
    return sizes, strides, base, inner, padding, result


@generator("reduce_window", EXACT)
def _reduce_window(case):
    operation = str(case.random.choice(bodies(case.dtype)))
    shape = values.shape(case.random, int(case.random.integers(0, 4)), largest=6)
    sizes, strides, base, inner, padding, result = window(case, shape)
    if case.dtype.kind == "COMPLEX":
        case.ulps = 1
    x = case.input(elements(case, operation, shape))
    case.give(
        case.one(
            "reduce_window",
            [x, start(case, operation)],
            result,
            case.dtype,
            f"base_dilations = {integers(base)}, padding = {matrix(padding)}, window_dilations = "
            f"{integers(inner)}, window_dimensions = {integers(sizes)}, window_strides = {integers(strides)}",
            [scalar_body(case, operation, case.dtype)],
        )
    )


# Which of equal elements is selected follows from the order, which is not said: all are different.
@generator("select_and_scatter", [dtype for dtype in EXACT if dtype.bits >= 8 and dtype.kind != "COMPLEX"])
def _select_and_scatter(case):
    while True:
        shape = values.shape(case.random, int(case.random.integers(1, 4)), largest=6, smallest=1)
        sizes, strides, _, _, padding, result = window(case, shape, dilations=False)
        # A window of padding alone has nothing to select.
        if all(low < size and high < size for (low, high), size in zip(padding, sizes)):
            break
    direction = str(case.random.choice(["GE", "GT", "LE", "LT"]))
    different = case.random.permutation(int(np.prod(shape))).reshape(shape) - (
        100 if case.dtype.kind == "SIGNED" else 0
    )
    x = case.input(different.astype(case.dtype.numpy))
    source = case.input(values.small(case.random, case.dtype, tuple(result)))
    first = case.input(values.small(case.random, case.dtype, ()))
    select = case.region(
        [((), case.dtype)] * 2,
        lambda a, b: case.one(
            "compare", [a, b], (), I1, f"comparison_direction = #stablehlo<comparison_direction {direction}>"
        ),
    )
    case.give(
        case.one(
            "select_and_scatter",
            [x, source, first],
            shape,
            case.dtype,
            f"padding = {matrix(padding)}, window_dimensions = {integers(sizes)}, "
            f"window_strides = {integers(strides)}",
            [select, scalar_body(case, "add", case.dtype)],
        )
    )


@generator("map", ALL)
def _map(case):
    shape = values.shape(case.random, largest=6)
    # Not subnormal ones, which XLA compares as zeros.
    make = values.small if case.dtype.kind in ("FLOAT", "COMPLEX") else values.special
    both = [case.input(make(case.random, case.dtype, shape)) for _ in range(2)]

    def body(a, b):
        equal = case.one("compare", [a, b], (), I1, "comparison_direction = #stablehlo<comparison_direction EQ>")
        return case.one("select", [equal, b, a], (), case.dtype)

    case.give(
        case.one(
            "map",
            both,
            shape,
            case.dtype,
            f"dimensions = {integers(range(len(shape)))}",
            [case.region([((), case.dtype)] * 2, body)],
        )
    )


@generator("sort", BOOL + SORTED)
@generator("sort large", BOOL + SORTED)
def _sort(case):
    """One key or two, with another operand that shows whether the order is stable."""
    shape = values.shape(case.random, int(case.random.integers(1, 4)), largest=12)
    if case.is_large:
        shape = values.shape(case.random, int(case.random.integers(1, 3)), largest=300)
    dimension = int(case.random.integers(0, len(shape)))
    direction = str(case.random.choice(["LT", "GT"]))
    total = case.dtype.kind == "FLOAT"
    make = values.special if case.random.random() < 0.5 else values.small
    keys = case.input(values.one_nan(make(case.random, case.dtype, shape), case.dtype))
    places = case.one("iota", [], shape, I32, f"iota_dimension = {dimension} : i64")
    order = ", compare_type = #stablehlo<comparison_type TOTALORDER>" if total else ""
    if total:
        case.notes.add("total order")
    region = case.region(
        [((), case.dtype)] * 2 + [((), I32)] * 2,
        lambda a, b, i, j: case.one(
            "compare", [a, b], (), I1, f"comparison_direction = #stablehlo<comparison_direction {direction}>{order}"
        ),
    )
    case.give(
        *case.emit(
            "sort",
            [keys, places],
            [(shape, case.dtype), (shape, I32)],
            f"dimension = {dimension} : i64, is_stable = true",
            [region],
        )
    )

    def reference():
        key = total_key(case.arrays[0])
        order = np.argsort(key if direction == "LT" else ~key, dimension, kind="stable")
        return [
            np.take_along_axis(array, order, dimension)
            for array in (case.arrays[0], np.indices(shape, np.int32)[dimension])
        ]

    if total:
        case.reference = reference


@generator("sort by two keys", SORTED)
def _sort_two(case):
    shape = values.shape(case.random, 1, largest=40)
    keys = [case.input(values.small(case.random, case.dtype, shape)) for _ in range(2)]
    places = case.one("iota", [], shape, I32, "iota_dimension = 0 : i64")

    def body(a, b, c, d, i, j):
        less, second = (
            case.one("compare", pair, (), I1, "comparison_direction = #stablehlo<comparison_direction LT>")
            for pair in ([a, b], [c, d])
        )
        equal = case.one("compare", [a, b], (), I1, "comparison_direction = #stablehlo<comparison_direction EQ>")
        return case.one("or", [less, case.one("and", [equal, second], (), I1)], (), I1)

    region = case.region([((), case.dtype)] * 4 + [((), I32)] * 2, body)
    case.give(
        *case.emit(
            "sort",
            [*keys, places],
            [(shape, case.dtype)] * 2 + [(shape, I32)],
            "dimension = 0 : i64, is_stable = true",
            [region],
        )
    )


@generator("if", ALL)
def _if(case):
    where = case.input(values.special(case.random, I1, ()), I1)
    both = [case.input(values.any_bits(case.random, case.dtype, values.shape(case.random))) for _ in range(1)] * 2
    other = case.input(values.any_bits(case.random, case.dtype, both[0].shape))
    regions = [case.region([], lambda: [both[0], other]), case.region([], lambda: [other, other])]
    case.give(*case.emit("if", [where], [(both[0].shape, case.dtype)] * 2, "", regions))


@generator("case", ALL)
def _case(case):
    index = case.input(np.array(case.random.choice([-(2**31), -1, 0, 1, 2, 3, 2**31 - 1])), I32)
    choices = [case.input(values.any_bits(case.random, case.dtype, ())) for _ in range(3)]
    case.give(case.one("case", [index], (), case.dtype, "", [case.region([], lambda c=c: c) for c in choices]))


@generator("while", [dtype for dtype in EXACT if dtype.bits >= 16 or not dtype.is_inexact])
def _while(case):
    """Counts, and folds what it is given."""
    shape = values.shape(case.random, largest=4)
    limit = case.input(np.array(case.random.integers(-1, 6)), I32)
    operation = str(case.random.choice(bodies(case.dtype)))
    if operation == "multiply" and case.dtype.is_inexact:
        operation = "add"
    first = case.input(elements(case, operation, shape))
    step = case.input(elements(case, operation, shape))
    zero, one = (case.input(np.array(number), I32) for number in (0, 1))
    types = [((), I32), (shape, case.dtype)]
    condition = case.region(
        types,
        lambda i, x: case.one(
            "compare", [i, limit], (), I1, "comparison_direction = #stablehlo<comparison_direction LT>"
        ),
    )
    body = case.region(
        types, lambda i, x: [case.one("add", [i, one], (), I32), case.one(operation, [x, step], shape, case.dtype)]
    )
    case.give(*case.emit("while", [zero, first], types, "", [condition, body]))
