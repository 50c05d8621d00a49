# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""Cases of operations on elements, of reductions, of order and of indices."""

import math

import mlx.core as mx
import numpy as np

from array_cases import ALL, FLOATS, INTEGERS, NUMBERS, REAL, generator, mlx_dtype, to_mlx


# --- elements

RANGES = {"arccos": (-1, 1), "arcsin": (-1, 1), "arccosh": (1, 9), "arctanh": (-0.95, 0.95), "erfinv": (-0.98, 0.98),
          "log": (0.01, 9), "log2": (0.01, 9), "log10": (0.01, 9), "log1p": (-0.9, 9), "sqrt": (0, 9),
          "rsqrt": (0.01, 9), "reciprocal": (0.5, 4), "tan": (-1.4, 1.4)}
# MLX approximates these, or has them in the dtype where Tenon computes in float32.
UNARY_SLACK = {"erfinv": 60, "erf": 8, "expm1": 4, "exp": 4, "sin": 4, "cos": 4, "tan": 16, "arctanh": 8,
               "log2": 4, "log10": 4, "sinh": 8, "cosh": 8, "tanh": 4, "arccosh": 8, "arcsinh": 8, "arcsin": 4,
               "arccos": 8, "arctan": 4, "log1p": 8, "sigmoid": 4, "log": 4}


@generator("arccos", "arccosh", "arcsin", "arcsinh", "arctan", "arctanh", "cos", "cosh", "degrees", "erf", "erfinv",
           "exp", "expm1", "log", "log10", "log1p", "log2", "radians", "reciprocal", "rsqrt", "sigmoid", "sin", "sinh",
           "sqrt", "tan", "tanh", "abs", "bitwise_invert", "ceil", "conjugate", "floor", "imag", "negative", "positive",
           "real", "sign", "square", "trunc", "isfinite", "isinf", "isnan", "isneginf", "isposinf", "logical_not")
def unary(cases, name):
    dtype = cases.dtype(["bool", *INTEGERS] if name == "bitwise_invert" and cases.random.random() < 0.8 else ALL)
    low, high = RANGES.get(name, (-4, 4))
    if dtype in INTEGERS and name in ("reciprocal", "log1p"):
        low = 1
    x = cases.draw(dtype, low, high, special=name.startswith("is"))
    if dtype == "complex64" and name in ("sign", "isposinf", "isneginf", "log1p"):
        return
    wanted = lambda x: (x if name == "positive" else getattr(mx, name)(x))
    cases.add(name, [x], wanted=wanted, slack=UNARY_SLACK.get(name, 1.0) * (8 if dtype == "complex64" else 1))


@generator("add", "arctan2", "bitwise_and", "bitwise_or", "bitwise_xor", "divide", "equal", "floor_divide", "greater",
           "greater_equal", "left_shift", "less", "less_equal", "logaddexp", "logical_and", "logical_or", "logical_xor",
           "maximum", "minimum", "multiply", "not_equal", "power", "remainder", "right_shift", "subtract", "divmod")
def binary(cases, name):
    first, second = cases.pair()
    a_dtype = cases.dtype(ALL)
    b_dtype = a_dtype if cases.random.random() < 0.5 else cases.dtype(ALL)
    low, high = -4, 4
    if "bitwise" in name and cases.random.random() < 0.8 or "shift" in name:
        a_dtype = b_dtype = cases.dtype(["bool", *INTEGERS])
    if "shift" in name:
        low = 0
    a, b = cases.array(first, a_dtype, low, high), cases.array(second, b_dtype, low, high)
    promoted = mx.result_type(to_mlx(a), to_mlx(b))
    whole = mx.issubdtype(promoted, mx.integer) or promoted == mx.bool_
    if name in ("remainder", "floor_divide", "divmod", "divide"):
        b = np.where(b == 0, np.ones_like(b), b)
        if promoted == mx.complex64 and name == "floor_divide":
            return
        # A quotient that is all but whole may be rounded to either side.
        if not whole and name != "divide":
            return quotient(cases, name, a, b)
    if name == "power":
        # Integers to negative powers: 1 / x, cut off, which MLX gives as 0; StableHLO as 1 for 1.
        a, b = np.abs(a).astype(a.dtype), np.abs(b).astype(b.dtype)
        if promoted == mx.complex64:
            return
    if promoted == mx.complex64 and name in ("logaddexp", "maximum", "minimum"):
        return
    cases.add(name, [a, b], wanted=getattr(mx, name), slack=8 if name in ("power", "logaddexp", "arctan2") else 2)


def quotient(cases, name, a, b):
    if np.iscomplexobj(a) or np.iscomplexobj(b):
        cases.add(name, [a, b], wanted=getattr(mx, name))
        return
    a = (np.floor(np.asarray(a, np.float64)) + 0.5).astype(a.dtype)
    b = np.sign(np.asarray(b, np.float64)).astype(b.dtype) * 2 if b.dtype.name[0] in "fbi" and b.dtype != bool else b
    b = np.where(b == 0, np.ones_like(b), b).astype(b.dtype)
    cases.add(name, [a, b], wanted=getattr(mx, name), slack=4)


@generator("round")
def round_(cases, name):
    x = cases.draw(cases.dtype(ALL), -40, 40)
    decimals = cases.random.choice([0, 0, 1, -1])
    if decimals and x.dtype.name in ("float16", "bfloat16", "complex64"):
        return
    cases.add(name, [x], [decimals], wanted=lambda x: mx.round(x, decimals))


@generator("astype")
def astype(cases, name):
    dtype = cases.dtype(ALL)
    x = cases.draw(cases.dtype(ALL), 0, 4)
    cases.add(name, [x], [NUMBERS[dtype]], wanted=lambda x: x.astype(mlx_dtype(dtype)))


@generator("view")
def view(cases, name):
    dtype, other = cases.dtype(ALL), cases.dtype([*INTEGERS, *FLOATS, "complex64"])
    x = cases.draw(dtype, lowest=0, highest=3, empty=False)
    if dtype == "bool" or x.ndim == 0 and x.itemsize != NUMBERS.get(other):
        x = cases.array((2, 8), "int32")
    cases.add(name, [x], [NUMBERS[other]], wanted=lambda x: x.view(mlx_dtype(other)))


@generator("where")
def where(cases, name):
    shapes = cases.pair(3)
    arrays = [cases.array(shapes[0], cases.dtype(["bool", "int32", "float32"]), -1, 1),
              cases.array(shapes[1], cases.dtype()), cases.array(shapes[2], cases.dtype())]
    cases.add(name, arrays, wanted=mx.where)


@generator("clip")
def clip(cases, name):
    dtype = cases.dtype(REAL)
    shapes = cases.pair(3)
    arrays = [cases.array(shapes[0], dtype), cases.array(shapes[1], dtype, -2, 0), cases.array(shapes[2], dtype, 0, 2)]
    missing = cases.random.choice([None, 1, 2])
    if missing:
        arrays[missing] = None
    cases.add(name, arrays, wanted=mx.clip)


@generator("nan_to_num")
def nan_to_num(cases, name):
    x = cases.draw(cases.dtype(REAL), special=True)
    cases.add(name, [x], reals=[1.5, 3.0, -2.0], wanted=lambda x: mx.nan_to_num(x, 1.5, 3.0, -2.0))


@generator("isclose", "allclose")
def isclose(cases, name):
    first, second = cases.pair()
    a, b = cases.array(first, "float32", special=True), cases.array(second, "float32", special=True)
    if cases.random.random() < 0.5:
        b = a + np.float32(1e-4) * cases.numbers.choice([0, 1], a.shape).astype(np.float32)
    equal_nan = cases.random.random() < 0.5
    cases.add(name, [a, b], [equal_nan], [1e-5, 1e-5],
              wanted=lambda a, b: getattr(mx, name)(a, b, 1e-5, 1e-5, equal_nan=equal_nan))


@generator("array_equal")
def array_equal(cases, name):
    a = cases.draw("float32", special=True)
    b = a if cases.random.random() < 0.7 else cases.draw("int32")
    equal_nan = cases.random.random() < 0.5
    cases.add(name, [a, b], [equal_nan], wanted=lambda a, b: mx.array_equal(a, b, equal_nan=equal_nan))


# --- reductions

@generator("all", "any", "count_nonzero", "logsumexp", "max", "mean", "median", "min", "prod", "sum", "minmax")
def reduction(cases, name):
    dtype = cases.dtype()
    x = cases.draw(dtype, -2, 2)
    if dtype == "complex64" and name in ("median", "max", "min", "minmax"):
        return
    if dtype == "complex64" and name == "prod" and x.size > 40:  # infinities make NaNs in an order of their own
        return
    if name == "logsumexp":  # MLX takes differences of integers as they wrap
        dtype = cases.dtype(FLOATS)
        x = cases.draw(dtype, empty=False)
    if x.ndim == 0 and dtype not in ("int32", "float32"):  # MLX keeps the dtype if there is no axis
        return
    if x.size == 0 and name not in ("sum", "prod", "all", "any"):
        return
    if name == "median" and x.ndim == 0:
        return
    axes, keep = cases.axes(x.ndim) if x.ndim else None, cases.random.random() < 0.5
    if x.size == 0:  # of no elements MLX does not always return
        x = x.real.astype("float32")
        wanted = np.asarray(getattr(np, name)(x, axis=None if axes is None else tuple(axes), keepdims=keep))
        cases.add(name, [x], [axes, keep], wanted=wanted)
        return
    cases.add(name, [x], [axes, keep], wanted=lambda x: getattr(mx, name)(x, axis=axes, keepdims=keep), slack=40)


@generator("std", "var")
def variance(cases, name):
    x = cases.draw(cases.dtype(), empty=False)
    axes, keep, ddof = cases.axes(x.ndim) if x.ndim else None, cases.random.random() < 0.5, cases.random.randint(0, 1)
    count = math.prod(x.shape if axes is None else [x.shape[axis] for axis in axes])
    if count <= ddof or count == 1:
        return
    cases.add(name, [x], [axes, keep, ddof], slack=40,
              wanted=lambda x: getattr(mx, name)(x, axis=axes, keepdims=keep, ddof=ddof))


@generator("argmax", "argmin")
def place(cases, name):
    x = cases.draw(cases.dtype(REAL), empty=False)
    axis = None if cases.random.random() < 0.3 or not x.ndim else cases.axis(x.ndim)
    keep = cases.random.random() < 0.5
    if x.ndim == 0 and keep:
        return
    cases.add(name, [x], [axis, keep], wanted=lambda x: getattr(mx, name)(x, axis, keepdims=keep))


@generator("softmax")
def softmax(cases, name):
    x = cases.draw(cases.dtype(REAL), lowest=1, empty=False)
    axes, precise = cases.axes(x.ndim), cases.random.random() < 0.3
    if x.dtype.name not in FLOATS:
        axes = [x.ndim - 1]
    cases.add(name, [x], [axes, precise], wanted=lambda x: mx.softmax(x, axes, precise=precise), slack=16)


@generator("cummax", "cummin", "cumprod", "cumsum", "logcumsumexp")
def cumulative(cases, name):
    dtype = cases.dtype(FLOATS if name == "logcumsumexp" else REAL)
    x = cases.draw(dtype, -2, 2, lowest=1)
    axis = None if cases.random.random() < 0.2 else cases.axis(x.ndim)
    reverse, inclusive = cases.random.random() < 0.5, cases.random.random() < 0.7
    if name == "cumprod" and dtype == "bool":
        return
    if x.size == 0:
        return
    cases.add(name, [x], [axis, reverse, inclusive], slack=40,
              wanted=lambda x: getattr(mx, name)(x, axis, reverse=reverse, inclusive=inclusive))


# --- order

@generator("sort", "argsort", "topk_sorted", "argpartition", "partition_place")
def order(cases, name):
    x = cases.draw(cases.dtype(REAL), lowest=1, empty=False, special=name == "sort")
    if name == "sort":  # the order of zeros of both signs is unspecified
        x = np.where(x == 0, np.zeros_like(x), x)
    axis = None if cases.random.random() < 0.2 else cases.axis(x.ndim)
    size = x.size if axis is None else x.shape[axis]
    if name == "sort":
        cases.add(name, [x], [axis], wanted=lambda x: mx.sort(x, axis))
    elif name == "argsort":
        cases.add(name, [x], [axis], wanted=np.argsort(x, axis=axis, kind="stable").astype(np.uint32))
    elif name == "topk_sorted":
        k = cases.random.randint(0, size + 1)
        cases.add(name, [x], [k, axis], wanted=lambda x: mx.sort(mx.topk(x, k, axis), axis))
    elif name == "partition_place":
        x = x.reshape(-1)
        k = cases.random.randint(-x.size, x.size)
        cases.add(name, [x], [k, 0], wanted=lambda x: mx.partition(x, k, 0)[k])
    elif x.ndim == 1 and len(set(x.tolist())) == x.size:
        k = cases.random.randrange(x.size)
        cases.add(name, [x], [k, axis], wanted=np.argsort(x, kind="stable").astype(np.uint32))


@generator("searchsorted")
def searchsorted(cases, name):
    dtype = cases.dtype([*INTEGERS, *FLOATS])
    line = np.sort(cases.array((cases.random.randint(0, 9),), dtype))
    values, right = cases.draw(dtype), cases.random.random() < 0.5
    if line.size == 0 and values.size:
        return
    cases.add(name, [line, values], [right],
              wanted=lambda line, values: mx.searchsorted(line, values, side="right" if right else "left"))


# --- indices

@generator("take")
def take(cases, name):
    x = cases.draw(cases.dtype(), lowest=1, empty=False)
    axis = None if cases.random.random() < 0.2 else cases.axis(x.ndim)
    size = x.size if axis is None else x.shape[axis]
    dtype = cases.dtype(["int8", "int32", "int64", "uint32", "uint8"])
    indices = cases.array(cases.shape(0, 2), dtype, 0 if dtype[0] == "u" else -size, size - 1)
    cases.add(name, [x, indices], [axis], wanted=lambda x, indices: mx.take(x, indices, axis))


@generator("take_along_axis", "put_along_axis")
def along_axis(cases, name):
    x = cases.draw(cases.dtype(), lowest=1, empty=False)
    axis = cases.axis(x.ndim)
    dims = list(x.shape)
    dims[axis] = cases.random.randint(1, x.shape[axis])
    if name == "take_along_axis":
        indices = cases.array(tuple(dims), "int32", -x.shape[axis], x.shape[axis] - 1)
        cases.add(name, [x, indices], [axis], wanted=lambda x, indices: mx.take_along_axis(x, indices, axis))
        return
    # Places are different: of several for one any may win.
    lines = np.argsort(cases.numbers.uniform(size=x.shape), axis=axis).astype(np.int32)
    indices = np.take(lines, range(dims[axis]), axis=axis)
    values = cases.array(tuple(dims), x.dtype.name)
    cases.add(name, [x, indices, values], [axis, 0],
              wanted=lambda x, indices, values: mx.put_along_axis(x, indices, values, axis))


OPEN = -2**63


def draw_items(cases, shape, arrays_too=True):
    """What is between the brackets: for Python, and as the runner wants it."""
    items, numbers, arrays = [], [], []
    index_shape = cases.shape(0, 2, empty=False)
    rest = list(shape)
    while rest and cases.random.random() < 0.85:
        what = cases.random.choice(["integer", "slice", "slice", "new", "ellipsis"] + ["array"] * (2 * arrays_too))
        if what == "new":
            if len(items) < 5:
                items.append(None)
                numbers.append((2, 0, 0, 0))
            continue
        if what == "ellipsis":
            if Ellipsis not in [item for item in items if not isinstance(item, np.ndarray)]:
                items.append(Ellipsis)
                numbers.append((3, 0, 0, 0))
                rest = rest[cases.random.randint(0, len(rest)):]
            continue
        if what in ("integer", "array") and rest[0] == 0:
            what = "slice"
        dim = rest.pop(0)
        if what == "integer":
            at = cases.random.randrange(-dim, dim)
            items.append(at)
            numbers.append((0, at, 0, 0))
        elif what == "array":
            items.append(cases.array(index_shape if cases.random.random() < 0.8 else (), "int32", -dim, dim - 1))
            numbers.append((4, 0, 0, 0))
        else:
            step = cases.random.choice([None, 1, 1, 2, 3, -1, -2])
            bounds = [cases.random.choice([None, cases.random.randint(-dim - 2, dim + 2)]) for _ in range(2)]
            items.append(slice(*bounds, step))
            numbers.append((1, *[OPEN if bound is None else bound for bound in bounds], step or 1))
    # The ellipsis may have left dimensions of which the items behind it are not the last ones.
    full = []
    if Ellipsis in [item for item in items if not isinstance(item, np.ndarray)]:
        places = [item for item in items if item is not None and item is not Ellipsis]
        full = shape
        if len(places) > len(full):
            return None
    arrays = [item for item in items if isinstance(item, np.ndarray)]
    return tuple(items), [number for four in numbers for number in four], arrays


def numpy_index(x, items):
    try:
        return x[items]
    except IndexError as error:
        raise ValueError(str(error)) from error


def draw_mask(cases, shape):
    """A mask of some dimensions, the first of them or behind others, which now and then does not fit."""
    before = cases.random.choice([0, 0, 1]) if len(shape) > 1 else 0
    mask = cases.array(shape[before:cases.random.randint(before + 1, len(shape))], "bool")
    if cases.random.random() < 0.1 and mask.shape[-1] > 1:
        mask = mask[..., :-1]
    items = cases.random.choice([[], [Ellipsis]] if not before else [[slice(None)], [slice(0, 2)], [None, slice(None)]])
    if before:
        numbers = [(2, 0, 0, 0) if item is None else (1, 0, 2, 1) if item.stop else (1, OPEN, OPEN, 1) for item in items]
        return (*items, mask), [number for item in [*numbers, (4, 0, 0, 0)] for number in item], [mask]
    return ((mask, *items) if items else mask), [4, 0, 0, 0] + [3, 0, 0, 0] * len(items), [mask]


@generator("index")
def index(cases, name):
    if cases.random.random() < 0.3:
        x = cases.draw(cases.dtype(), lowest=1)
        items, numbers, arrays = draw_mask(cases, x.shape)
        cases.add(name, [x, *arrays], [numbers], wanted=lambda *_: numpy_index(x, items))
        return
    x = cases.draw(cases.dtype(), highest=4)
    drawn = draw_items(cases, x.shape)
    if drawn:
        items, numbers, arrays = drawn
        try:
            x[items]
        except IndexError:
            if arrays:  # what is in arrays of indices is not looked at
                return
        cases.add(name, [x, *arrays], [numbers], wanted=lambda *_: numpy_index(x, items))


@generator("index_update")
def index_update(cases, name):
    x = cases.draw(cases.dtype(["int32", "float32", "int16"]), lowest=1, highest=4)
    drawn = draw_mask(cases, x.shape) if cases.random.random() < 0.3 else draw_items(cases, x.shape)
    if not drawn:
        return
    items, numbers, arrays = drawn
    mode = cases.random.choice([0, 1, 2, 3, 5, 6])
    try:
        shape = x[items].shape
    except IndexError:
        return
    updates = cases.array(shape if cases.random.random() < 0.7 else (), x.dtype.name)
    if mode == 0 and arrays and arrays[0].dtype != bool:
        updates = cases.array((), x.dtype.name)
    wanted = x.copy()
    if mode == 0:
        wanted[items] = updates
    else:
        operation = [None, np.add, np.subtract, np.multiply, np.divide, np.maximum, np.minimum][mode]
        operation.at(wanted, items, updates)
    cases.add(name, [x, updates, *arrays], [numbers, mode], wanted=wanted, slack=16)
