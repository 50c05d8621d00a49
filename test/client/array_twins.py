# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""The operations of array_cases.c as JAX has them: of the arrays, lists and numbers of a case.

TWINS[name](arrays, lists, numbers) gives what the runner's operation of that name does, an array or a list of them.
WITHOUT[name] says why an operation has no twin."""

import math

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

TWINS, WITHOUT = {}, {}
OPEN = -2**63


def twin(*names):
    def register(function):
        for name in names:
            TWINS[name] = (lambda a, l, r, name=name: function(name, a, l, r)) if len(names) > 1 else function
        return function
    return register


def without(reason, *names):
    WITHOUT.update(dict.fromkeys(names, reason))


without("questions about dtypes and shapes", "can_cast", "isdtype", "result_type", "broadcast_shapes", "einsum_path")
without("no operands", "arange", "empty", "eye", "identity", "linspace", "ones", "tri", "zeros", "fftfreq", "rfftfreq", "bartlett",
        "blackman", "hamming", "hanning", "random_default", "random_key", "random_permutation")
without("random integers, or places", "random_bits", "random_split", "random_bernoulli", "random_categorical",
        "random_categorical_samples", "random_randint")
without("JAX draws other numbers; those are constants, and what is made of them sums, products and places",
        "random_normal", "random_uniform", "random_multivariate_normal", "random_truncated_normal", "random_permute",
        "random_gumbel", "random_laplace")
without("bits, which have no derivative", "view", "from_fp8", "to_fp8")
without("functions of modules, whose gradients and batches test_import.py compares", "imported")
without("JAX has no batches of it; its derivative is that of sort and take", "unique")


# --- elements

UNARY = {"arccos": jnp.arccos, "arccosh": jnp.arccosh, "arcsin": jnp.arcsin, "arcsinh": jnp.arcsinh, "arctan": jnp.arctan,
         "arctanh": jnp.arctanh, "cos": jnp.cos, "cosh": jnp.cosh, "degrees": jnp.degrees, "erf": jax.scipy.special.erf,
         "erfinv": jax.scipy.special.erfinv, "exp": jnp.exp, "expm1": jnp.expm1, "log": jnp.log, "log10": jnp.log10,
         "log1p": jnp.log1p, "log2": jnp.log2, "radians": jnp.radians, "reciprocal": lambda x: 1 / x, "rsqrt": lax.rsqrt,
         "sigmoid": jax.nn.sigmoid, "sin": jnp.sin, "sinh": jnp.sinh, "sqrt": jnp.sqrt, "tan": jnp.tan, "tanh": jnp.tanh,
         "abs": jnp.abs, "bitwise_invert": jnp.bitwise_not, "ceil": jnp.ceil, "conjugate": jnp.conj, "floor": jnp.floor,
         "imag": jnp.imag, "negative": jnp.negative, "positive": jnp.positive, "real": jnp.real, "sign": jnp.sign,
         "square": jnp.square, "trunc": jnp.trunc, "isfinite": jnp.isfinite, "isinf": jnp.isinf, "isnan": jnp.isnan,
         "isneginf": jnp.isneginf, "isposinf": jnp.isposinf, "logical_not": jnp.logical_not, "contiguous": lambda x: x,
         "ones_like": jnp.ones_like, "zeros_like": jnp.zeros_like, "atleast_1d": jnp.atleast_1d,
         "atleast_2d": jnp.atleast_2d, "atleast_3d": jnp.atleast_3d, "matrix_transpose": lambda x: x.swapaxes(-1, -2)}
BINARY = {name: getattr(jnp, name) for name in (
    "add", "arctan2", "bitwise_and", "bitwise_or", "bitwise_xor", "divide", "equal", "floor_divide", "greater",
    "greater_equal", "left_shift", "less", "less_equal", "logaddexp", "logical_and", "logical_or", "logical_xor", "maximum",
    "minimum", "multiply", "not_equal", "power", "remainder", "right_shift", "subtract", "divmod", "inner", "outer",
    "kron", "matmul")}
for name_, function_ in UNARY.items():
    TWINS[name_] = lambda a, l, r, function=function_: function(a[0])
for name_, function_ in BINARY.items():
    TWINS[name_] = lambda a, l, r, function=function_: function(a[0], a[1])
TWINS["round"] = lambda a, l, r: jnp.round(a[0], l[0][0])
TWINS["where"] = lambda a, l, r: jnp.where(a[0], a[1], a[2])
TWINS["clip"] = lambda a, l, r: jnp.clip(a[0], a[1], a[2])
TWINS["nan_to_num"] = lambda a, l, r: jnp.nan_to_num(a[0], nan=r[0], posinf=r[1], neginf=r[2])
TWINS["isclose"] = lambda a, l, r: jnp.isclose(a[0], a[1], r[0], r[1], equal_nan=bool(l[0][0]))
TWINS["allclose"] = lambda a, l, r: jnp.allclose(a[0], a[1], r[0], r[1], equal_nan=bool(l[0][0]))
TWINS["array_equal"] = lambda a, l, r: jnp.array_equal(a[0], a[1], equal_nan=bool(l[0][0]))


@twin("astype")
def astype(a, l, r):
    return a[0].astype(jnp.complex128 if l[0][0] in (15, 18) else jnp.float64)


# --- reductions and order

def axes_of(numbers):
    return None if numbers is None else tuple(numbers)


REDUCTIONS = {"all": jnp.all, "any": jnp.any, "count_nonzero": jnp.count_nonzero, "max": jnp.max, "mean": jnp.mean,
              "median": jnp.median, "min": jnp.min, "prod": jnp.prod, "sum": jnp.sum}
for name_, function_ in REDUCTIONS.items():
    TWINS[name_] = lambda a, l, r, function=function_: function(a[0], axis=axes_of(l[0]), keepdims=bool(l[1][0]))
TWINS["logsumexp"] = lambda a, l, r: jax.scipy.special.logsumexp(a[0], axis=axes_of(l[0]), keepdims=bool(l[1][0]))
TWINS["minmax"] = lambda a, l, r: [one(a[0], axis=axes_of(l[0]), keepdims=bool(l[1][0])) for one in (jnp.min, jnp.max)]
for name_, function_ in {"std": jnp.std, "var": jnp.var}.items():
    TWINS[name_] = lambda a, l, r, function=function_: function(a[0], axis=axes_of(l[0]), keepdims=bool(l[1][0]),
                                                                ddof=l[2][0])
for name_, function_ in {"argmax": jnp.argmax, "argmin": jnp.argmin}.items():
    TWINS[name_] = lambda a, l, r, function=function_: function(a[0], l[0] and l[0][0], keepdims=bool(l[1][0]))
TWINS["softmax"] = lambda a, l, r: jax.nn.softmax(a[0], axis=tuple(l[0]) if l[0] else tuple(range(a[0].ndim)))


def line(x, axis):
    """x and the axis, all elements in one line if there is none."""
    return (x.reshape(-1), 0) if axis is None else (x, axis[0] % x.ndim)


@twin("cummax", "cummin", "cumprod", "cumsum", "logcumsumexp")
def cumulative(name, a, l, r):
    function, first = {"cummax": (lax.cummax, -np.inf), "cummin": (lax.cummin, np.inf), "cumprod": (lax.cumprod, 1),
                       "cumsum": (lax.cumsum, 0), "logcumsumexp": (lax.cumlogsumexp, -np.inf)}[name]
    x, axis = line(a[0], l[0])
    x = jnp.flip(x, axis) if l[1][0] else x
    y = function(x, axis)
    if not l[2][0]:
        edge = jnp.full_like(lax.slice_in_dim(y, 0, 1, axis=axis), first)
        y = jnp.concatenate([edge, lax.slice_in_dim(y, 0, y.shape[axis] - 1, axis=axis)], axis)
    return jnp.flip(y, axis) if l[1][0] else y


@twin("sort", "argsort", "argpartition", "topk_sorted", "partition_place")
def order(name, a, l, r):
    x, axis = line(a[0], l[0] if name in ("sort", "argsort") else l[1])
    if name in ("argsort", "argpartition"):
        return jnp.argsort(x, axis)
    y = jnp.sort(x, axis)
    if name == "sort":
        return y
    size = x.shape[axis]
    if name == "partition_place":
        if not -size <= l[0][0] < size:
            raise ValueError("outside")
        return y[l[0][0]]
    if l[0][0] > size:
        raise ValueError("more than there are")
    return lax.slice_in_dim(y, size - l[0][0], size, axis=axis)


TWINS["searchsorted"] = lambda a, l, r: jnp.searchsorted(a[0], a[1], side="right" if l[0][0] else "left")


# --- indices

@twin("take")
def take(a, l, r):
    x, axis = line(a[0], l[0])
    size = x.shape[axis]
    return jnp.take(x, jnp.where(a[1] < 0, a[1] + size, a[1]), axis=axis)


def inside(indices, size):
    return jnp.where(indices < 0, indices + size, indices)


TWINS["take_along_axis"] = lambda a, l, r: jnp.take_along_axis(a[0], inside(a[1], a[0].shape[l[0][0]]), l[0][0])
TWINS["put_along_axis"] = lambda a, l, r: jnp.put_along_axis(a[0], inside(a[1], a[0].shape[l[0][0]]), a[2], l[0][0],
                                                             inplace=False)


def items_of(numbers, arrays):
    items, arrays = [], iter(arrays)
    for kind, start, stop, step in zip(*[iter(numbers)] * 4):
        bounds = [None if bound == OPEN else bound for bound in (start, stop)]
        items.append([start, slice(*bounds, step), None, Ellipsis, None][kind] if kind < 4 else next(arrays))
    return tuple(items)


TWINS["index"] = lambda a, l, r: a[0][items_of(l[0], a[1:])]


def index_update(a, l, r):
    """One update after the other, so that elements that are named twice are what they are."""
    x, updates, items, mode = a[0], a[1], items_of(l[0], a[2:]), l[1][0]
    if mode in (0, 1):
        return x.at[items].set(updates) if mode == 0 else x.at[items].add(updates)
    if mode == 2:
        return x.at[items].add(-updates)
    places = jnp.arange(x.size).reshape(x.shape)[items]
    if places.size > 24:
        raise ValueError("too many updates to be made one by one")
    function = [None, None, None, jnp.multiply, jnp.divide, jnp.maximum, jnp.minimum][mode]
    updates, flat = jnp.broadcast_to(updates, places.shape).reshape(-1), x.reshape(-1)
    for i in range(places.size):
        place = places.reshape(-1)[i]
        flat = flat.at[place].set(function(flat[place], updates[i]))
    return flat.reshape(x.shape)


TWINS["index_update"] = index_update


@twin("slice_update")
def slice_update(a, l, r):
    items = tuple(slice(*three) for three in zip(*l[:3]))
    return index_update([a[0], jnp.broadcast_to(a[1], a[0][items].shape)], [np.ravel(
        [[1, *three] for three in zip(*l[:3])]), l[3]], r)


def starts_of(x, starts, axes):
    full = [jnp.zeros((), jnp.int64)] * x.ndim
    for i, axis in enumerate(axes):
        full[axis] = starts[i].astype(jnp.int64)
    return full


TWINS["slice_at"] = lambda a, l, r: lax.dynamic_slice(a[0], starts_of(a[0], a[1], l[0]), l[1])
TWINS["slice_update_at"] = lambda a, l, r: lax.dynamic_update_slice(a[0], a[1], starts_of(a[0], a[2], l[0]))


# --- shapes

TWINS["broadcast_to"] = lambda a, l, r: jnp.broadcast_to(a[0], l[0])
TWINS["broadcast_arrays"] = lambda a, l, r: jnp.broadcast_arrays(*a)
TWINS["reshape"] = lambda a, l, r: jnp.reshape(a[0], l[0])
TWINS["squeeze"] = lambda a, l, r: jnp.squeeze(a[0], axes_of(l[0]))
TWINS["expand_dims"] = lambda a, l, r: jnp.expand_dims(a[0], axes_of(l[0]))
TWINS["transpose"] = lambda a, l, r: jnp.transpose(a[0], l[0])
TWINS["moveaxis"] = lambda a, l, r: jnp.moveaxis(a[0], l[0][0], l[1][0])
TWINS["swapaxes"] = lambda a, l, r: jnp.swapaxes(a[0], l[0][0], l[1][0])
TWINS["flip"] = lambda a, l, r: jnp.flip(a[0], axes_of(l[0]))
TWINS["slice"] = lambda a, l, r: a[0][tuple(slice(*three) for three in zip(*l))]
TWINS["diagonal"] = lambda a, l, r: jnp.diagonal(a[0], l[0][0], l[1][0], l[2][0])
TWINS["trace"] = lambda a, l, r: jnp.trace(a[0], l[0][0], l[1][0], l[2][0])
TWINS["split"] = lambda a, l, r: jnp.split(a[0], l[0][0], l[1][0])
TWINS["split_at"] = lambda a, l, r: jnp.split(a[0], l[0], l[1][0])
TWINS["unstack"] = lambda a, l, r: list(jnp.unstack(a[0], axis=l[0][0]))
TWINS["concatenate"] = lambda a, l, r: jnp.concatenate(a, l[0][0])
TWINS["stack"] = lambda a, l, r: jnp.stack(a, l[0][0])
TWINS["meshgrid"] = lambda a, l, r: jnp.meshgrid(*a, sparse=bool(l[0][0]), indexing="ij" if l[1][0] else "xy")
TWINS["roll"] = lambda a, l, r: jnp.roll(a[0], l[0] if l[1] else l[0][0], l[1])
TWINS["repeat"] = lambda a, l, r: jnp.repeat(a[0], l[0][0], l[1] and l[1][0])
TWINS["tile"] = lambda a, l, r: jnp.tile(a[0], l[0])
TWINS["diff"] = lambda a, l, r: jnp.diff(a[0], l[0][0], l[1][0])
TWINS["tril"] = lambda a, l, r: jnp.tril(a[0], l[0][0])
TWINS["triu"] = lambda a, l, r: jnp.triu(a[0], l[0][0])
TWINS["full"] = lambda a, l, r: jnp.broadcast_to(a[0], l[0])
TWINS["empty_like"] = lambda a, l, r: jnp.zeros_like(a[0])
TWINS["depends"] = lambda a, l, r: a[:l[0][0]]
TWINS["full_like"] = lambda a, l, r: jnp.broadcast_to(a[1], a[0].shape).astype(a[0].dtype)
TWINS["fftshift"] = lambda a, l, r: jnp.fft.fftshift(a[0], axes_of(l[0]))
TWINS["ifftshift"] = lambda a, l, r: jnp.fft.ifftshift(a[0], axes_of(l[0]))


@twin("flatten", "unflatten")
def flatten(name, a, l, r):
    x, dims = a[0], list(a[0].shape)
    if name == "unflatten":
        axis = l[0][0] % x.ndim
        if -1 not in l[1] and math.prod(l[1]) != dims[axis]:
            raise ValueError("another number of elements")  # though none in all, if another axis is empty
        return x.reshape(dims[:axis] + list(l[1]) + dims[axis + 1:])
    start, end = (number % max(x.ndim, 1) for number in (l[0][0], l[1][0]))
    if end < start:
        raise ValueError("the last axis is before the first")
    return x.reshape(dims[:start] + [math.prod(dims[start:end + 1])] + dims[end + 1:])


@twin("as_strided")
def as_strided(a, l, r):
    places = jnp.full(l[0], l[2][0])
    for axis, (dim, stride) in enumerate(zip(l[0], l[1])):
        places = places + stride * jnp.arange(dim).reshape([-1 if i == axis else 1 for i in range(len(l[0]))])
    return a[0].reshape(-1)[places]


@twin("diag")
def diag(a, l, r):
    return jnp.diag(a[0], l[0][0])


@twin("pad")
def pad(a, l, r):
    widths, mode = list(zip(l[0], l[1])), ["constant", "edge", "reflect", "symmetric"][l[2][0]]
    return jnp.pad(a[0], widths, mode, **({} if a[1] is None else {"constant_values": a[1]}))


# --- products

TWINS["addmm"] = lambda a, l, r: r[0] * (a[1] @ a[2]) + r[1] * a[0]
TWINS["tensordot"] = lambda a, l, r: jnp.tensordot(a[0], a[1], (l[0], l[1]))
TWINS["vecdot"] = lambda a, l, r: jnp.vecdot(a[0], a[1], axis=l[0][0])
TWINS["einsum"] = lambda a, l, r: jnp.einsum("".join(map(chr, l[0])), *a)
TWINS["convolve"] = lambda a, l, r: jnp.convolve(a[0], a[1], ["full", "same", "valid"][l[0][0]])


@twin("gather_mm")
def gather_mm(a, l, r):
    left = a[0] if a[2] is None else a[0][a[2]]
    right = a[1] if a[3] is None else a[1][a[3]]
    return left @ right


@twin("segmented_mm")
def segmented_mm(a, l, r):
    places, first, last = jnp.arange(a[0].shape[1]), a[2][..., :1], a[2][..., 1:]
    is_inside = ((places >= first) & (places < last)).astype(a[0].dtype)
    return jnp.einsum("ik,...k,kj->...ij", a[0], is_inside, a[1])


@twin("block_masked_mm")
def block_masked_mm(a, l, r):
    size = l[0][0]

    def masked(x, mask):
        if mask is None:
            return x
        mask = jnp.repeat(jnp.repeat(mask, size, -2), size, -1)[..., :x.shape[-2], :x.shape[-1]]
        return jnp.where(mask, x, 0) if mask.dtype == bool else x * mask
    return masked(masked(a[0], a[3]) @ masked(a[1], a[4]), a[2])


@twin("hadamard_transform")
def hadamard_transform(a, l, r):
    size = a[0].shape[-1]
    matrix = np.ones((1, 1))
    while len(matrix) < size:
        matrix = np.block([[matrix, matrix], [matrix, -matrix]])
    if len(matrix) > size:
        raise ValueError("a size that is no power of 2")
    return a[0] @ matrix / np.sqrt(size)


def convolution(x, w, strides, low, high, dilations, holes, groups, flip):
    spatial = "DHW"[-len(strides):]
    if flip:
        w = jnp.flip(w, tuple(range(1, w.ndim - 1)))
    return lax.conv_general_dilated(x, w, strides, list(zip(low, high)), holes, dilations,
                                    (f"N{spatial}C", f"O{spatial}I", f"N{spatial}C"), feature_group_count=groups)


@twin("conv_general", "conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d")
def convolutions(name, a, l, r):
    x, w = a
    if name == "conv_general":
        return convolution(x, w, *l[:5], l[5][0], l[6][0])
    ones = [1] * len(l[0])
    if "transpose" not in name:
        return convolution(x, w, l[0], l[1], l[1], l[2], ones, l[3][0], False)
    low = [dilation * (size - 1) - one for one, dilation, size in zip(l[1], l[2], w.shape[1:])]
    return convolution(x, w, ones, low, [one + more for one, more in zip(low, l[3])], l[2], l[0], l[4][0], True)


# --- parts of networks

@twin("rms_norm", "layer_norm")
def norm(name, a, l, r):
    x = a[0] - a[0].mean(-1, keepdims=True) if name == "layer_norm" else a[0]
    y = x * lax.rsqrt((x * x).mean(-1, keepdims=True) + r[0])
    y = y if a[1] is None else y * a[1]
    return y + a[2] if len(a) > 2 and a[2] is not None else y


@twin("rope")
def rope(a, l, r):
    x, offset, freqs, dims, half = a[0], a[1], a[2], l[0][0], l[0][0] // 2
    slow = 1 / freqs if freqs is not None else r[0] ** (-jnp.arange(half) / half)
    offset = offset.reshape(offset.shape + (1,) * (x.ndim - 1)) if offset.ndim else offset
    places = (jnp.arange(x.shape[-2])[:, None] + offset) * r[1]
    angles = places * slow
    cos, sin = jnp.cos(angles), jnp.sin(angles)
    turned = x[..., :dims]
    first, second = (turned[..., ::2], turned[..., 1::2]) if l[1][0] else (turned[..., :half], turned[..., half:])
    pair = [first * cos - second * sin, first * sin + second * cos]
    turned = jnp.stack(pair, -1).reshape(turned.shape) if l[1][0] else jnp.concatenate(pair, -1)
    return jnp.concatenate([turned, x[..., dims:]], -1)


@twin("scaled_dot_product_attention")
def attention(a, l, r):
    q, k, v, mask, sinks = a
    k, v = (jnp.repeat(one, q.shape[1] // one.shape[1], 1) for one in (k, v))
    scores = r[0] * q @ k.swapaxes(-1, -2)
    queries, keys = scores.shape[-2:]
    if l[0][0]:
        mask = jnp.arange(keys) <= jnp.arange(queries)[:, None] + keys - queries
    if mask is not None:
        scores = jnp.where(mask, scores, -jnp.inf) if mask.dtype == bool else scores + mask
    if sinks is not None:
        more = jnp.broadcast_to(sinks[:, None, None], (*scores.shape[:-1], 1))
        scores = jnp.concatenate([more, scores], -1)
    return jax.nn.softmax(scores, -1)[..., -keys:] @ v


@twin("gated_delta_update")
def gated_delta_update(a, l, r):
    q, k, v, gamma, beta, state, mask = a
    groups = v.shape[2] // q.shape[2]
    if groups * q.shape[2] != v.shape[2]:
        raise ValueError("heads that are no whole multiple")
    q, k = (jnp.repeat(one, groups, 2) for one in (q, k))
    state = jnp.zeros((v.shape[0], *v.shape[2:], q.shape[3])) if state is None else state
    outputs = []
    for t in range(q.shape[1]):
        new = gamma[:, t, :, None, None] * state
        error = v[:, t] - jnp.einsum("bhvk,bhk->bhv", new, k[:, t])
        new = new + jnp.einsum("bh,bhv,bhk->bhvk", beta[:, t], error, k[:, t])
        output = jnp.einsum("bhvk,bhk->bhv", new, q[:, t])
        if mask is not None:
            new = jnp.where(mask[:, t, None, None, None], new, state)
            output = jnp.where(mask[:, t, None, None], output, 0)
        state = new
        outputs.append(output)
    return [jnp.stack(outputs, 1), state]


@twin("cross_entropy")
def cross_entropy(a, l, r):
    chosen = jnp.take_along_axis(a[0], a[1][..., None].astype(jnp.int32), -1)[..., 0]
    return jax.scipy.special.logsumexp(a[0], -1) - chosen


# --- Fourier transforms

NORMS = ["backward", "ortho", "forward"]
for name_ in ("fft", "ifft", "rfft", "irfft"):
    TWINS[name_] = lambda a, l, r, name=name_: getattr(jnp.fft, name)(a[0], l[0][0] or None, l[1][0], NORMS[l[2][0]])
    for kind_ in ("n", "2"):
        TWINS[name_ + kind_] = lambda a, l, r, name=name_ + kind_: getattr(jnp.fft, name)(
            a[0], l[0], (-2, -1) if l[1] is None and name[-1] == "2" else l[1], NORMS[l[2][0]])


def frames_of(a, l):
    size, hop = l[0][0], l[1][0] or l[0][0] // 4
    window = jnp.ones(size) if a[1] is None else jnp.pad(a[1], ((size - a[1].size) // 2, (size - a[1].size + 1) // 2))
    return size, hop, window


@twin("stft")
def stft(a, l, r):
    size, hop, window = frames_of(a, l)
    x = a[0]
    if l[3][0]:
        x = jnp.pad(x, [(0, 0)] * (x.ndim - 1) + [(size // 2, size // 2)], ["constant", "edge", "reflect"][l[4][0]])
    count = 1 + (x.shape[-1] - size) // hop
    x = x[..., np.arange(count)[:, None] * hop + np.arange(size)] * window
    return (jnp.fft.rfft(x) if l[6][0] else jnp.fft.fft(x)).swapaxes(-1, -2)


@twin("istft")
def istft(a, l, r):
    size, hop, window = frames_of(a, l)
    x = a[0].swapaxes(-1, -2)
    x = (jnp.fft.irfft(x, size) if l[5][0] else jnp.fft.ifft(x, size).real) * window
    count = x.shape[-2]
    places = np.arange(count)[:, None] * hop + np.arange(size)
    full = size + hop * (count - 1)
    weights = jnp.zeros(full).at[places].add(jnp.broadcast_to(window**2, (count, size)))
    x = jnp.zeros((*x.shape[:-2], full)).at[..., places].add(x) / jnp.where(weights > 1e-11, weights, 1)
    edge = size // 2 if l[3][0] else 0
    x = x[..., edge:edge + l[6][0] if l[6][0] else full - edge]
    return jnp.pad(x, [(0, 0)] * (x.ndim - 1) + [(0, max(0, l[6][0] - x.shape[-1]))])


# --- linear algebra

def symmetric(x, upper):
    """What a matrix is of which one triangle is read."""
    x = x.swapaxes(-1, -2) if upper else x
    lower = jnp.tril(x)
    return lower + jnp.tril(x, -1).swapaxes(-1, -2)


def triangle(x, upper):
    return jnp.triu(x) if upper else jnp.tril(x)


@twin("linalg_cholesky", "linalg_cholesky_inv", "linalg_tri_inv")
def cholesky(name, a, l, r):
    upper = l[0][0]
    if name == "linalg_cholesky":
        factor = jnp.linalg.cholesky(symmetric(a[0], upper))
        return factor.swapaxes(-1, -2) if upper else factor
    inverse = jnp.linalg.inv(triangle(a[0], upper))
    if name == "linalg_tri_inv":
        return inverse
    return inverse @ inverse.swapaxes(-1, -2) if upper else inverse.swapaxes(-1, -2) @ inverse


@twin("linalg_solve", "linalg_solve_triangular")
def solve(name, a, l, r):
    x = a[0] if name == "linalg_solve" else triangle(a[0], l[0][0])
    inverse = jnp.linalg.inv(x)
    return (inverse @ a[1][..., None])[..., 0] if a[1].ndim == 1 else inverse @ a[1]


@twin("linalg_eigvalsh", "linalg_eigh_again")
def eigh(name, a, l, r):
    x = symmetric(a[0], l[0][0])
    return jnp.linalg.eigvalsh(x) if name == "linalg_eigvalsh" else x


TWINS["linalg_inv"] = lambda a, l, r: jnp.linalg.inv(a[0])
TWINS["linalg_pinv"] = lambda a, l, r: jnp.linalg.pinv(a[0])
TWINS["linalg_det"] = lambda a, l, r: jnp.linalg.det(a[0])
TWINS["linalg_slogdet"] = lambda a, l, r: list(jnp.linalg.slogdet(a[0]))
TWINS["linalg_svd_again"] = lambda a, l, r: a[0]
TWINS["linalg_eig_again"] = lambda a, l, r: 0 * a[0].astype(jnp.complex128)
TWINS["linalg_eigvals_sum"] = lambda a, l, r: jnp.trace(a[0], axis1=-2, axis2=-1).astype(jnp.complex128)
TWINS["linalg_lu_factor"] = lambda a, l, r: list(lax.linalg.lu(a[0])[:2])


@twin("linalg_lu")
def lu(a, l, r):
    factors, _, permutation = lax.linalg.lu(a[0])
    side = min(factors.shape[-2:])
    lower = jnp.tril(factors, -1)[..., :side] + jnp.eye(factors.shape[-2], side)
    return [jnp.argsort(permutation), lower, jnp.triu(factors)[..., :side, :]]


@twin("linalg_qr")
def qr(a, l, r):
    """Of wide matrices JAX has no derivative: the leading columns say what Q is."""
    x = a[0]
    rows, columns = x.shape[-2:]
    if rows >= columns:
        return list(jnp.linalg.qr(x))
    q, first = jnp.linalg.qr(x[..., :rows])
    return [q, jnp.concatenate([first, q.swapaxes(-1, -2) @ x[..., rows:]], -1)]


@twin("linalg_cross")
def cross(a, l, r):
    x, y = (jnp.pad(one, [(0, 0)] * (one.ndim - 1) + [(0, 3 - one.shape[-1])]) for one in a)
    return jnp.cross(x, y)


@twin("linalg_norm")
def linalg_norm(a, l, r):
    kind, axes, keep = l[0][0], l[1] and tuple(l[1]), bool(l[2][0])
    if kind in (0, 2):
        axes = axes or tuple(range(a[0].ndim))
        return jnp.sqrt(jnp.sum(jnp.real(a[0] * a[0].conj()), axes, keepdims=keep))
    axes = axes[0] if axes and len(axes) == 1 else axes
    return jnp.linalg.norm(a[0], "nuc" if kind == 3 else r[0], axes, keep)
