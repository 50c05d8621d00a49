# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""Cases of operations on shapes, and of filled arrays."""

import mlx.core as mx
import numpy as np

from array_cases import FLOATS, INTEGERS, NUMBERS, generator, mlx_dtype


# --- shapes

@generator("broadcast_to")
def broadcast_to(cases, name):
    first, second = cases.pair()
    x = cases.array(first, cases.dtype())
    cases.add(name, [x], [list(second)], wanted=lambda x: mx.broadcast_to(x, second))


@generator("broadcast_arrays")
def broadcast_arrays(cases, name):
    arrays = [cases.array(shape, cases.dtype()) for shape in cases.pair(3)]
    cases.add(name, arrays, wanted=lambda *arrays: mx.broadcast_arrays(*arrays))


@generator("reshape")
def reshape(cases, name):
    x = cases.draw(cases.dtype())
    dims = [1] + list(x.shape)
    cases.random.shuffle(dims)
    if len(dims) > 2:
        dims = [dims[0] * dims[1]] + dims[2:]
    if cases.random.random() < 0.3 and x.size:
        dims[cases.random.randrange(len(dims))] = -1
    if cases.random.random() < 0.1:
        dims.append(2)
    cases.add(name, [x], [dims], wanted=lambda x: mx.reshape(x, dims))


@generator("flatten")
def flatten(cases, name):
    x = cases.draw(cases.dtype())
    start, end = (cases.axis(x.ndim), cases.axis(x.ndim)) if x.ndim else (0, -1)
    cases.add(name, [x], [start, end], wanted=lambda x: mx.flatten(x, start, end))


@generator("unflatten")
def unflatten(cases, name):
    x = cases.draw(cases.dtype(), lowest=1, highest=3)
    axis = cases.axis(x.ndim)
    size = x.shape[axis]
    dims = cases.random.choice([[1, size], [-1, 1], [size, 1, 1], [2, -1], [size + 1]])
    if size == 0 and -1 in dims:
        return
    cases.add(name, [x], [axis, dims], wanted=lambda x: mx.unflatten(x, axis, dims))


@generator("squeeze")
def squeeze(cases, name):
    x = cases.draw(cases.dtype(), lowest=1)
    axes = None if cases.random.random() < 0.4 else [cases.axis(x.ndim)]
    cases.add(name, [x], [axes], wanted=lambda x: mx.squeeze(x, axes))


@generator("expand_dims")
def expand_dims(cases, name):
    x = cases.draw(cases.dtype())
    axes = cases.random.choice([[0], [-1], [0, -1], [x.ndim], [x.ndim + 3]])
    cases.add(name, [x], [axes], wanted=lambda x: mx.expand_dims(x, axes))


@generator("atleast_1d", "atleast_2d", "atleast_3d", "contiguous", "ones_like", "zeros_like", "matrix_transpose")
def one_operand(cases, name):
    x = cases.draw(cases.dtype())
    if name == "matrix_transpose" and x.ndim < 2:
        x = cases.array((2, 3), "int16")
    cases.add(name, [x], wanted=getattr(mx, name))


@generator("transpose")
def transpose(cases, name):
    x = cases.draw(cases.dtype())
    axes = cases.random.sample(range(x.ndim), x.ndim) if cases.random.random() < 0.7 and x.ndim else None
    cases.add(name, [x], [axes], wanted=lambda x: mx.transpose(x, axes) if axes else mx.transpose(x))


@generator("moveaxis", "swapaxes")
def two_axes(cases, name):
    x = cases.draw(cases.dtype(), lowest=1)
    first, second = cases.axis(x.ndim), cases.axis(x.ndim)
    if cases.random.random() < 0.1:
        first = x.ndim
    cases.add(name, [x], [first, second], wanted=lambda x: getattr(mx, name)(x, first, second))


@generator("flip")
def flip(cases, name):
    x = cases.draw(cases.dtype(), lowest=1)
    axes = cases.axes(x.ndim)
    cases.add(name, [x], [axes], wanted=lambda x: mx.flip(x, axes))


@generator("slice")
def slice_(cases, name):
    x = cases.draw(cases.dtype(), lowest=1)
    items = [slice(cases.random.randint(0, dim), cases.random.randint(0, dim + 1), cases.random.randint(1, 3))
             for dim in x.shape]
    cases.add(name, [x], [[item.start for item in items], [item.stop for item in items],
                          [item.step for item in items]], wanted=lambda x: x[tuple(items)])


@generator("diagonal", "trace")
def diagonal(cases, name):
    x = cases.draw(cases.dtype([*INTEGERS, *FLOATS]), lowest=2)
    offset = cases.random.randint(-2, 2)
    first, second = cases.random.sample(range(x.ndim), 2)
    if name == "diagonal":
        # Of a diagonal without elements MLX never returns.
        cases.add(name, [x], [offset, first, second - x.ndim], wanted=np.diagonal(x, offset, first, second))
    else:
        dtype = cases.dtype(["int32", "float32"])
        wanted = np.trace(x.astype(np.float64), offset, first, second)
        if dtype == "int32":
            wanted = np.trace(x.astype(np.int32), offset, first, second)
        cases.add(name, [x], [offset, first, second, NUMBERS[dtype]], slack=8, wanted=wanted.astype(dtype))


@generator("split", "split_at", "unstack")
def split(cases, name):
    x = cases.draw(cases.dtype(), lowest=1)
    axis = cases.axis(x.ndim)
    if name == "split":
        count = cases.random.choice([1, x.shape[axis] or 1, 2])
        cases.add(name, [x], [count, axis], wanted=lambda x: mx.split(x, count, axis))
    elif name == "unstack" and x.shape[axis]:
        cases.add(name, [x], [axis, x.shape[axis]], wanted=lambda x: mx.unstack(x, axis=axis))
    elif name == "split_at":
        indices = sorted(cases.random.randint(0, x.shape[axis]) for _ in range(2))
        cases.add(name, [x], [indices, axis], wanted=lambda x: mx.split(x, indices, axis))


@generator("as_strided")
def as_strided(cases, name):
    x = cases.array((5, 4), cases.dtype())
    dims, strides = cases.random.choice([([3, 3], [1, 4]), ([2, 2, 2], [4, 1, 2]), ([], []), ([4], [0]), ([0], [9])])
    offset = cases.random.randint(0, 3)
    cases.add(name, [x], [dims, strides, offset], wanted=lambda x: mx.as_strided(x, dims, strides, offset))


@generator("concatenate", "stack")
def concatenate(cases, name):
    x = cases.draw(cases.dtype(), lowest=1, highest=3)
    axis = cases.axis(x.ndim)
    arrays = [x]
    for _ in range(cases.random.randint(0, 2)):
        dims = list(x.shape)
        if name == "concatenate":
            dims[axis] = cases.random.randint(0, 3)
        if cases.random.random() < 0.05:
            dims[0] += 1
        arrays.append(cases.array(tuple(dims), cases.dtype()))
    if name == "stack" and any(one.dtype != x.dtype for one in arrays):
        arrays = [one.real.astype(x.dtype) for one in arrays]
    cases.add(name, arrays, [axis], wanted=lambda *arrays: getattr(mx, name)(list(arrays), axis))


@generator("meshgrid")
def meshgrid(cases, name):
    arrays = [cases.array((cases.random.randint(1, 4),), cases.dtype()) for _ in range(cases.random.randint(1, 3))]
    sparse, matrix = cases.random.random() < 0.5, cases.random.random() < 0.5
    cases.add(name, arrays, [sparse, matrix],
              wanted=lambda *arrays: mx.meshgrid(*arrays, sparse=sparse, indexing="ij" if matrix else "xy"))


@generator("roll")
def roll(cases, name):
    x = cases.draw(cases.dtype(), lowest=1)
    axes = cases.axes(x.ndim)
    shifts = [cases.random.randint(-5, 5) for _ in axes or [0]]
    cases.add(name, [x], [shifts, axes], wanted=lambda x: mx.roll(x, shifts, axes))


@generator("repeat")
def repeat(cases, name):
    x = cases.draw(cases.dtype(), lowest=1)
    axis, times = cases.random.choice([None, cases.axis(x.ndim)]), cases.random.randint(0, 3)
    cases.add(name, [x], [times, axis], wanted=lambda x: mx.repeat(x, times, axis))


@generator("tile")
def tile(cases, name):
    x = cases.draw(cases.dtype(), highest=3)
    times = [cases.random.randint(0 if cases.random.random() < 0.2 else 1, 3) for _ in range(cases.random.randint(1, 4))]
    cases.add(name, [x], [times], wanted=lambda x: mx.tile(x, times))


@generator("pad")
def pad(cases, name):
    x = cases.draw(cases.dtype(), lowest=1, highest=3)
    widths = [(cases.random.randint(0, 2), cases.random.randint(0, 2)) for _ in x.shape]
    mode = cases.random.randrange(4)
    names = ["constant", "edge", "reflect", "symmetric"]
    if mode >= 2 and any(dim <= max(width) for dim, width in zip(x.shape, widths)) or 0 in x.shape:
        mode = 0
    value = cases.array((), x.dtype.name) if mode == 0 else None
    constant = lambda value: {} if value is None else {"constant_values": value}
    cases.add(name, [x, value], [[low for low, _ in widths], [high for _, high in widths], mode],
              wanted=lambda x, value: mx.pad(x, widths, names[mode], **constant(value)))


@generator("diff")
def diff(cases, name):
    x = cases.draw(cases.dtype([*INTEGERS, "float32"]), lowest=1)
    order, axis = cases.random.randint(0, 2), cases.axis(x.ndim)
    if x.shape[axis] <= order:
        return
    cases.add(name, [x], [order, axis], wanted=lambda x: mx.diff(x, order, axis), slack=8)


@generator("tril", "triu")
def triangle(cases, name):
    x = cases.draw(cases.dtype(), lowest=2)
    k = cases.random.randint(-3, 3)
    cases.add(name, [x], [k], wanted=lambda x: getattr(mx, name)(x, k))


@generator("diag")
def diag(cases, name):
    x = cases.draw(cases.dtype(), lowest=1, highest=3)
    k = cases.random.randint(-3, 3)
    cases.add(name, [x], [k], wanted=lambda x: mx.diag(x, k))


# --- filled arrays

@generator("zeros", "ones")
def filled(cases, name):
    dtype, shape = cases.dtype(), cases.shape()
    cases.add(name, [], [list(shape), NUMBERS[dtype]], wanted=lambda: getattr(mx, name)(shape, mlx_dtype(dtype)))


@generator("full", "full_like")
def full(cases, name):
    shape = cases.shape()
    value = cases.array((), cases.dtype(), 0, 4)
    if name == "full":
        cases.add(name, [value], [list(shape)], wanted=lambda value: mx.full(shape, value, value.dtype))
    else:
        cases.add(name, [cases.array(shape, cases.dtype()), value], wanted=lambda x, value: mx.full_like(x, value, x.dtype))


@generator("arange")
def arange(cases, name):
    dtype = cases.dtype(["int32", "int64", "uint8", "float32", "float16"])
    start, stop = cases.random.randint(0, 5), cases.random.randint(0, 20)
    step = cases.random.choice([1, 2, 3]) if "int" in dtype else cases.random.choice([0.5, 1.25, -0.5])
    cases.add(name, [], [NUMBERS[dtype]], [start, stop, step],
              wanted=lambda: mx.arange(start, stop, step, dtype=mlx_dtype(dtype)))


@generator("linspace")
def linspace(cases, name):
    count, endpoint = cases.random.randint(0, 9), cases.random.random() < 0.7
    wanted = np.linspace(-1.5, 4.0, count, endpoint=endpoint).astype(np.float32)
    cases.add(name, [], [count, endpoint, NUMBERS["float32"]], [-1.5, 4.0], wanted=wanted, slack=4)


@generator("eye", "tri")
def eye(cases, name):
    dtype, k = cases.dtype(["float32", "int32", "bool"]), cases.random.randint(-4, 4)
    n, m = cases.random.randint(0, 5), cases.random.randint(0, 5)
    cases.add(name, [], [n, m, k, NUMBERS[dtype]], wanted=lambda: getattr(mx, name)(n, m, k, dtype=mlx_dtype(dtype)))


@generator("identity")
def identity(cases, name):
    n = cases.random.randint(0, 5)
    cases.add(name, [], [n, NUMBERS["float32"]], wanted=lambda: mx.identity(n))


@generator("bartlett", "blackman", "hamming", "hanning")
def window(cases, name):
    n = cases.random.randint(0, 12)
    wanted = getattr(np, name)(n).astype(np.float32)
    cases.add(name, [], [n], wanted=wanted, slack=8, atol=1e-6)
