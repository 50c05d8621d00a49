# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""Cases of products and of parts of networks."""

import mlx.core as mx
import numpy as np

from array_cases import FLOATS, INTEGERS, NUMBERS, generator, mlx_dtype


# --- products

@generator("matmul")
def matmul(cases, name):
    m, k, n = (cases.random.choice([1, 2, 3, 5, 8]) for _ in range(3))
    first, second = cases.pair(highest=2)
    a, b = (*first, m, k), (*second, k, n)
    if cases.random.random() < 0.2:
        a = (k,)
    if cases.random.random() < 0.2:
        b = (k,)
    if cases.random.random() < 0.05:
        b = (k + 1, n)
    dtypes = cases.dtype([*FLOATS, "complex64"]), cases.dtype(FLOATS)
    cases.add(name, [cases.array(a, dtypes[0]), cases.array(b, dtypes[1])], wanted=mx.matmul, slack=40)


@generator("addmm")
def addmm(cases, name):
    m, k, n = (cases.random.choice([1, 2, 3, 5]) for _ in range(3))
    a, b = cases.array((m, k), "float32"), cases.array((k, n), "float32")
    c = cases.array(cases.random.choice([(m, n), (n,), (1, n), (m, 1), ()]), "float32")
    cases.add(name, [c, a, b], reals=[0.5, 2.0], wanted=lambda c, a, b: mx.addmm(c, a, b, 0.5, 2.0), slack=40)


@generator("gather_mm")
def gather_mm(cases, name):
    a, b = cases.array((4, 2, 3), "float32"), cases.array((5, 3, 2), "float32")
    left, right = cases.array((2, 1), "uint32", 0, 3), cases.array((3,), "uint32", 0, 4)
    which = cases.random.randrange(3)
    if which == 1:
        left, right = None, cases.array((4,), "uint32", 0, 4)
    if which == 2:
        left, right = cases.array((5,), "uint32", 0, 3), None
    cases.add(name, [a, b, left, right], wanted=mx.gather_mm, slack=40)


@generator("tensordot")
def tensordot(cases, name):
    a, b = cases.array((2, 3, 4), "float32"), cases.array((3, 4, 5), "float32")
    which = cases.random.choice([(2, None, None), (0, None, None), (1, [1], [0]), (2, [2, 1], [1, 0]), (1, [0], [0])])
    count, left, right = which
    axes = count if left is None else [left, right]
    left, right = (left, right) if left is not None else (list(range(3 - count, 3)), list(range(count)))
    cases.add(name, [a, b], [left, right], wanted=lambda a, b: mx.tensordot(a, b, axes), slack=40)


@generator("inner", "outer", "kron")
def two_lines(cases, name):
    n = cases.random.randint(1, 4)
    first = (n,) if name == "outer" or cases.random.random() < 0.5 else (2, n)
    second = (n,) if cases.random.random() < 0.5 or name == "outer" else (3, n)
    a, b = cases.array(first, "float32"), cases.array(second, cases.dtype(["float32", "float16"]))
    cases.add(name, [a, b], wanted=getattr(mx, name), slack=40)


@generator("vecdot")
def vecdot(cases, name):
    shape = cases.shape(1, 3, empty=False)
    a, b = cases.array(shape, cases.dtype(["float32", "complex64"])), cases.array(shape, "float32")
    axis = cases.axis(len(shape))
    cases.add(name, [a, b], [axis], wanted=lambda a, b: mx.vecdot(a, b, axis=axis), slack=40)


@generator("conv_general", "conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d")
def convolution(cases, name):
    spatial = cases.random.randint(1, 3) if name == "conv_general" else int(name[-2])
    groups = cases.random.choice([1, 1, 2]) if spatial < 3 else 1
    inner, outer = cases.random.randint(1, 3), cases.random.randint(1, 3)
    draw = lambda low, high: [cases.random.randint(low, high) for _ in range(spatial)]
    sizes, kernel = draw(4, 7), draw(1, 3)
    x = cases.array((cases.random.randint(1, 2), *sizes, inner * groups), "float32")
    w = cases.array((outer * groups, *kernel, inner), "float32")
    strides, low, high = draw(1, 3), draw(0, 2), draw(0, 2)
    dilations, holes, flip = draw(1, 2), draw(1, 2), cases.random.random() < 0.5
    plain = (lambda numbers: numbers[0]) if spatial == 1 else tuple
    reach = [(size - 1) * dilation for size, dilation in zip(kernel, dilations)]
    holes = holes if name == "conv_general" else [1] * spatial
    ends = high if name == "conv_general" else low
    if "transpose" not in name and any((size - 1) * hole + first + last < one for size, hole, first, last, one in
                                       zip(sizes, holes, low, ends, reach)):
        return  # MLX reads beyond the end of an input that is smaller than the kernel
    if name == "conv_general":
        cases.add(name, [x, w], [strides, low, high, dilations, holes, groups, flip], slack=100, wanted=lambda x, w:
                  mx.conv_general(x, w, strides, (low, high), dilations, holes, groups, flip))
    elif "transpose" not in name:
        cases.add(name, [x, w], [strides, low, dilations, groups], slack=100, wanted=lambda x, w:
                  getattr(mx, name)(x, w, plain(strides), plain(low), plain(dilations), groups))
    else:
        low = [min(one, dilation * (size - 1)) for one, dilation, size in zip(low, dilations, kernel)]
        more = [cases.random.randint(0, stride - 1) for stride in strides]
        cases.add(name, [x, w], [strides, low, dilations, more, groups], slack=100, wanted=lambda x, w:
                  getattr(mx, name)(x, w, plain(strides), plain(low), plain(dilations), plain(more), groups))


@generator("convolve")
def convolve(cases, name):
    a, b = (cases.array((cases.random.randint(1, 8),), "float32") for _ in range(2))
    mode = cases.random.randrange(3)
    wanted = np.convolve(a, b, ["full", "same", "valid"][mode])
    cases.add(name, [a, b], [mode], wanted=wanted.astype(np.float32), slack=40)


# --- products by letters

@generator("einsum")
def einsum(cases, name):
    sizes = dict(zip("abcdijk", (2, 3, 4, 2, 3, 1, 5)))
    subscripts = cases.random.choice([
        "ij,jk->ik", "ij,jk", "aij,ajk->aik", "ii->i", "ii", "ij->ji", "ij->", "a,b->ab", "ab,ab->", "abc,abd,ac->bd",
        "...ij,...jk->...ik", "abc->cb", "iij->ij", "ab,bc,cd->ad", "...a->a...", "ab,b->ab", "a,a,a->a", "aab,b->a"])
    arrays = []
    for term in subscripts.split("->")[0].split(","):
        batch = cases.random.choice([(), (2,), (1,)]) if "..." in term else ()
        arrays.append(cases.array((*batch, *[sizes[letter] for letter in term if letter.isalpha()]), "float32"))
    cases.add(name, arrays, [[ord(letter) for letter in subscripts]], slack=40,
              wanted=np.einsum(subscripts, *[array.astype(np.float64) for array in arrays]).astype(np.float32))


@generator("segmented_mm", "block_masked_mm", "hadamard_transform", "to_fp8", "from_fp8", "unique")
def parts(cases, name):
    if name == "segmented_mm":
        a, b = cases.array((3, 6), "float32"), cases.array((6, 2), "float32")
        segments = np.sort(cases.array((*cases.shape(0, 2, empty=False), 2), "uint32", 0, 6), axis=-1)
        cases.add(name, [a, b, segments], wanted=mx.segmented_mm, slack=40)
    elif name == "block_masked_mm":
        a, b = cases.array((40, 33), "float32"), cases.array((33, 35), "float32")
        masks = [cases.random.choice([None, cases.array((2, 2), "bool")]) for _ in range(3)]
        cases.add(name, [a, b, *masks], [32], wanted=lambda a, b, *masks: mx.block_masked_mm(a, b, 32, *masks), slack=80)
    elif name == "hadamard_transform":
        x = cases.array((*cases.shape(0, 2, empty=False), cases.random.choice([1, 2, 4, 16, 64, 12, 24, 20, 28, 56])), "float32")
        cases.add(name, [x], wanted=mx.hadamard_transform, slack=80)
    elif name == "to_fp8":
        cases.add(name, [cases.draw("float32", -600, 600, empty=False)], wanted=mx.to_fp8)
    elif name == "from_fp8":
        dtype = cases.dtype(FLOATS)
        x = cases.array((20,), "uint8", 0, 120)
        cases.add(name, [x], [NUMBERS[dtype]], wanted=lambda x: mx.from_fp8(x, mlx_dtype(dtype)))
    else:
        x = cases.draw(cases.dtype([*INTEGERS, "float32"]), empty=False)
        size = cases.random.randint(1, 9)
        fill = cases.random.choice([None, cases.array((), x.dtype.name)])
        cases.add(name, [x, fill], [size], wanted=lambda x, fill: mx.unique(x, size, True, True, True, fill_value=fill))


@generator("slice_at", "slice_update_at")
def slice_at(cases, name):
    x = cases.draw(cases.dtype(), lowest=1, highest=3, empty=False)
    axes = sorted(cases.random.sample(range(x.ndim), cases.random.randint(1, x.ndim)))
    sizes = [cases.random.randint(1, dim) for dim in x.shape]
    starts = np.array([cases.random.randint(0, x.shape[axis] - sizes[axis]) for axis in axes], np.int32)
    if name == "slice_at":
        cases.add(name, [x, starts], [axes, sizes], wanted=lambda x, starts: mx.slice(x, starts, axes, sizes))
        return
    update = cases.array(tuple(sizes), x.dtype.name)
    cases.add(name, [x, update, starts], [axes], wanted=lambda x, update, starts: mx.slice_update(x, update, starts, axes))


@generator("slice_update")
def slice_update(cases, name):
    x = cases.draw(cases.dtype(), lowest=1, highest=3, empty=False)
    starts, strides = [], []
    for dim in x.shape:
        starts.append(cases.random.randint(0, dim - 1))
        strides.append(cases.random.randint(1, 2))
    places = tuple(slice(*it) for it in zip(starts, x.shape, strides))
    update = cases.array(np.empty(x.shape)[places].shape, x.dtype.name)
    adds = x.dtype != bool and cases.random.random() < 0.5

    def wanted(x, update):
        y = mx.array(x)
        if adds:
            return y.at[places].add(update)
        y[places] = update
        return y
    cases.add(name, [x, update], [starts, list(x.shape), strides, [1 if adds else 0]], wanted=wanted)


# --- networks

@generator("rms_norm", "layer_norm")
def norm(cases, name):
    x = cases.draw(cases.dtype(FLOATS), lowest=1, empty=False)
    size = x.shape[-1]
    if name == "layer_norm" and size < 3:
        return
    weight, bias = (cases.random.choice([None, cases.array((size,), "float32")]) for _ in range(2))
    arrays = [x, weight] if name == "rms_norm" else [x, weight, bias if weight is not None else None]
    cases.add(name, arrays, reals=[1e-5], wanted=lambda *arrays: getattr(mx.fast, name)(*arrays, 1e-5), slack=40)


@generator("rope")
def rope(cases, name):
    x = cases.array((2, *cases.shape(0, 2, empty=False)[:2], 5, 8), cases.dtype(["float32", "float16"]))
    if x.ndim < 3:
        return
    dims, traditional = cases.random.choice([4, 8]), cases.random.random() < 0.5
    offset = cases.array(cases.random.choice([(), (2,)]), "int32", 0, 9)
    freqs = cases.random.choice([None, cases.array((dims // 2,), "float32", 1, 9)])
    cases.add(name, [x, offset, freqs], [dims, traditional], [100.0, 0.5], slack=40,
              wanted=lambda x, offset, freqs: mx.fast.rope(x, dims, traditional=traditional, scale=0.5, offset=offset,
                                                           base=None if freqs is not None else 100.0, freqs=freqs))


@generator("scaled_dot_product_attention")
def attention(cases, name):
    heads, groups = cases.random.choice([(4, 4), (4, 2), (2, 1)])
    q, k, v = (cases.array(shape, "float32") for shape in ((2, heads, 3, 8), (2, groups, 5, 8), (2, groups, 5, 8)))
    which = cases.random.choice(["none", "causal", "bool", "added"])
    mask = cases.array((3, 5), "bool") if which == "bool" else cases.array((heads, 3, 5), "float32")
    mask = mask if which in ("bool", "added") else None
    if which == "bool":
        mask[:, 0] = True
    sinks = cases.random.choice([None, cases.array((heads,), "float32")])
    cases.add(name, [q, k, v, mask, sinks], [which == "causal"], [0.3], slack=60, wanted=lambda q, k, v, mask, sinks:
              mx.fast.scaled_dot_product_attention(q, k, v, scale=0.3, sinks=sinks,
                                                   mask="causal" if which == "causal" else mask))


@generator("cross_entropy")
def cross_entropy(cases, name):
    shape = cases.shape(0, 2, empty=False)
    logits, targets = cases.array((*shape, 5), "float32"), cases.array(shape, "uint32", 0, 4)
    cases.add(name, [logits, targets], wanted=mx.fast.cross_entropy, slack=40)
