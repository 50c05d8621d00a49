# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""Sums of products: matrix products, convolutions, Fourier transforms, factorisations, normalisations."""

import numpy as np

from differential import values
from differential.case import booleans, integers
from differential.elementwise import COMPLEX, FLOAT, INTEGER, PLAIN_FLOAT
from differential.folding import matrix, window
from differential.generators import generator
from dtypes import BY_NAME

REAL = [BY_NAME[name] for name in ("f32", "f64")]
# XLA multiplies no matrices of two-bit integers.
MULTIPLIED = [dtype for dtype in INTEGER if dtype.bits > 2] + [dtype for dtype in FLOAT if dtype.bits >= 16] + COMPLEX


def factors(case, shapes):
    """Integers whose sums of products are exact, or any numbers, which are compared by the largest result."""
    if case.dtype.is_inexact and case.random.random() < 0.5:
        case.by_norm, case.ulps = True, 16 if case.dtype.part.bits >= 32 else 2
        return [
            case.input(
                values.positive(case.random, case.dtype, shape)
                * case.random.choice([1, -1], shape).astype(case.dtype.numpy)
            )
            for shape in shapes
        ]
    make = values.small if case.dtype.is_inexact else values.special
    # Equal, but for the sign of a zero, which follows from the order.
    case.by_norm, case.ulps = True, 0
    return [case.input(make(case.random, case.dtype, shape)) for shape in shapes]


@generator("dot_general", MULTIPLIED)
@generator("dot_general large", MULTIPLIED)
def _dot_general(case):
    ranks = (2, 2, 2) if case.is_large else (3, 3, 3)
    largest = 60 if case.is_large else 5
    batch = values.shape(case.random, int(case.random.integers(0, ranks[0])))
    contracted = values.shape(case.random, int(case.random.integers(0, ranks[1])), largest)
    free = [values.shape(case.random, int(case.random.integers(0, ranks[2])), largest) for _ in range(2)]
    shapes, places = [], []
    for side in range(2):
        sizes = [*batch, *contracted, *free[side]]
        order = case.random.permutation(len(sizes))
        place = np.argsort(order)
        shapes.append(tuple(sizes[i] for i in order))
        places.append(
            (
                [int(p) for p in place[: len(batch)]],
                [int(p) for p in place[len(batch) : len(batch) + len(contracted)]],
                [int(p) for p in place[len(batch) + len(contracted) :]],
            )
        )
    (lb, lc, lf), (rb, rc, rf) = places
    # Free dimensions keep the order in which they lie.
    result = (*batch, *(shapes[0][d] for d in sorted(lf)), *(shapes[1][d] for d in sorted(rf)))
    numbers = (
        f"#stablehlo.dot<lhs_batching_dimensions = {lb}, rhs_batching_dimensions = {rb}, "
        f"lhs_contracting_dimensions = {lc}, rhs_contracting_dimensions = {rc}>"
    )
    case.give(case.one("dot_general", factors(case, shapes), result, case.dtype, f"dot_dimension_numbers = {numbers}"))


@generator("dot", MULTIPLIED)
def _dot(case):
    inner = int(case.random.integers(0, 9))
    left, right = ([int(case.random.integers(0, 7))] if case.random.random() < 0.6 else [] for _ in range(2))
    case.give(case.one("dot", factors(case, [(*left, inner), (inner, *right)]), (*left, *right), case.dtype))


@generator("convolution", MULTIPLIED)
@generator("convolution large", MULTIPLIED)
@generator("dynamic_conv", MULTIPLIED)
def _convolution(case):
    random = case.random
    spatial = values.shape(random, int(random.integers(0, 4)), largest=6)
    if case.is_large:
        spatial = values.shape(random, int(random.integers(1, 3)), largest=24)
    sizes, strides, base, inner, padding, result = window(case, spatial)
    group, batch_group = [(1, 1), (2, 1), (3, 1), (1, 2), (1, 3)][int(random.integers(0, 5))]
    batch, feature, outputs = (int(random.integers(1, 18 if case.is_large else 4)) for _ in range(3))
    shapes = [
        (batch * batch_group, feature * group, *spatial),
        (outputs * group * batch_group, feature, *sizes),
        (batch, outputs * group * batch_group, *result),
    ]
    names = [["b", "f"], ["o", "i"], ["b", "f"]]
    texts, laid = [], []
    for shape, pair in zip(shapes, names):
        labels = [*pair, *map(str, range(len(spatial)))]
        order = [int(d) for d in random.permutation(len(labels))]
        texts.append(f"[{', '.join(labels[d] for d in order)}]")
        laid.append(tuple(shape[d] for d in order))
    reversal = [bool(random.integers(0, 2)) for _ in spatial]
    attributes = (
        f"batch_group_count = {batch_group} : i64, dimension_numbers = #stablehlo.conv<{texts[0]}x{texts[1]}->"
        f"{texts[2]}>, feature_group_count = {group} : i64, lhs_dilation = {integers(base)}, "
        f"rhs_dilation = {integers(inner)}, window_reversal = {booleans(reversal)}, "
        f"window_strides = {integers(strides)}"
    )
    static = f"{attributes}, padding = {matrix(padding)}"
    both = factors(case, laid[:2])
    if case.operation != "dynamic_conv":
        case.give(case.one("convolution", both, laid[2], case.dtype, static))
        return
    lists = case.input(np.array(padding, np.int64).reshape(-1, 2), BY_NAME["i64"])
    result = case.one("dynamic_conv", [*both, lists], laid[2], case.dtype, attributes)
    case.twin("convolution", both, result, static)
    case.give(result)


@generator("einsum", MULTIPLIED)
def _einsum(case):
    """Letters of both operands are kept or summed, those of one are kept."""
    letters = iter("abcdefghijklm")
    batch, summed, left, right = ([next(letters) for _ in range(case.random.integers(0, 3))] for _ in range(4))
    size = {letter: int(case.random.integers(0 if case.random.random() < 0.1 else 1, 5)) for letter in "abcdefghijklm"}

    def mixed(names):
        return "".join(case.random.permutation(names)) if names else ""

    texts = [mixed([*batch, *summed, *left]), mixed([*batch, *summed, *right]), mixed([*batch, *left, *right])]
    shapes = [tuple(size[letter] for letter in text) for text in texts]
    config = f'einsum_config = "{texts[0]},{texts[1]}->{texts[2]}"'
    case.give(case.one("einsum", factors(case, shapes[:2]), shapes[2], case.dtype, config))


@generator("fft", REAL + COMPLEX)
def _fft(case):
    rank = int(case.random.integers(1, 4))
    batch = values.shape(case.random, int(case.random.integers(0, 2)))
    lengths = [int(case.random.choice([1, 2, 3, 4, 5, 7, 8, 11, 12, 16, 17, 30])) for _ in range(rank)]
    while np.prod(lengths) > 600:
        lengths[int(np.argmax(lengths))] = 2
    half = [*lengths[:-1], lengths[-1] // 2 + 1]
    if case.dtype.kind == "FLOAT":
        kind, given, result = "RFFT", lengths, half
        dtype = BY_NAME[f"complex<{case.dtype}>"]
    else:
        kind = str(case.random.choice(["FFT", "IFFT", "IRFFT"]))
        given, result, dtype = lengths, lengths, case.dtype
        if kind == "IRFFT":
            given, dtype = half, case.dtype.part
    case.by_norm, case.ulps = True, 32
    array = values.ordinary(case.random, case.dtype, (*batch, *given))
    if kind == "IRFFT":
        # What no real signal has, is read by some libraries only: the spectrum is that of a signal.
        signal = case.random.standard_normal((*batch, *lengths))
        array = np.fft.rfftn(signal, axes=range(-rank, 0)).astype(case.dtype.numpy)
    case.give(
        case.one(
            "fft",
            [case.input(array)],
            (*batch, *result),
            dtype,
            f"fft_length = {integers(lengths)}, fft_type = #stablehlo<fft_type {kind}>",
        )
    )


def well_conditioned(case, shape):
    array = values.ordinary(case.random, case.dtype, shape)
    return (array / (1 + np.abs(array)) + 4 * np.eye(shape[-1])).astype(case.dtype.numpy)


@generator("cholesky", REAL + COMPLEX)
@generator("cholesky large", REAL + COMPLEX)
def _cholesky(case):
    batch = values.shape(case.random, int(case.random.integers(0, 3)))
    size = int(case.random.integers(0, 90 if case.is_large else 9))
    lower = bool(case.random.integers(0, 2))
    root = np.tril(well_conditioned(case, (*batch, size, size)))
    array = (root @ np.conj(np.swapaxes(root, -1, -2))).astype(case.dtype.numpy)
    case.by_norm, case.ulps = True, 32
    factor = case.one("cholesky", [case.input(array)], array.shape, case.dtype, f"lower = {str(lower).lower()}")
    # The other triangle holds anything.
    rows, columns = (
        case.one("iota", [], array.shape, BY_NAME["i32"], f"iota_dimension = {len(batch) + i} : i64") for i in range(2)
    )
    direction = "GE" if lower else "LE"
    kept = case.one(
        "compare",
        [rows, columns],
        array.shape,
        BY_NAME["i1"],
        f"comparison_direction = #stablehlo<comparison_direction {direction}>",
    )
    zeros = case.input(np.zeros(array.shape, case.dtype.numpy))
    case.give(case.one("select", [kept, factor, zeros], array.shape, case.dtype))


@generator("triangular_solve", REAL + COMPLEX)
@generator("triangular_solve large", REAL + COMPLEX)
def _triangular_solve(case):
    random = case.random
    batch = values.shape(random, int(random.integers(0, 3)))
    size, others = int(random.integers(0, 9)), int(random.integers(0, 5))
    if case.is_large:
        size, others = int(random.integers(10, 60)), int(random.integers(1, 40))
    left, lower, unit = (bool(random.integers(0, 2)) for _ in range(3))
    transpose = str(random.choice(["NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"]))
    a = well_conditioned(case, (*batch, size, size))
    # The solution must not grow with every step.
    if unit or case.is_large:
        near = np.eye(size) * (0 if unit else 1)
        a = (a / (64 if case.is_large else 8) + near).astype(case.dtype.numpy)
    shape = (*batch, size, others) if left else (*batch, others, size)
    b = values.ordinary(random, case.dtype, shape)
    case.by_norm, case.ulps = True, 256
    case.give(
        case.one(
            "triangular_solve",
            [case.input(a), case.input(b)],
            shape,
            case.dtype,
            f"left_side = {str(left).lower()}, lower = {str(lower).lower()}, transpose_a = "
            f"#stablehlo<transpose {transpose}>, unit_diagonal = {str(unit).lower()}",
        )
    )


def normalised(case, count):
    shape = values.shape(case.random, int(case.random.integers(1, 5)), smallest=1)
    feature = int(case.random.integers(0, len(shape)))
    case.by_norm, case.ulps = True, 64 if case.dtype.bits >= 32 else 8
    x = case.input(values.positive(case.random, case.dtype, shape))
    vectors = [case.input(values.positive(case.random, case.dtype, (shape[feature],))) for _ in range(count)]
    return x, vectors, feature, f"epsilon = 0.01 : f32, feature_index = {feature} : i64"


@generator("batch_norm_inference", PLAIN_FLOAT)
def _batch_norm_inference(case):
    x, vectors, _, attributes = normalised(case, 4)
    case.give(case.one("batch_norm_inference", [x, *vectors], x.shape, case.dtype, attributes))


@generator("batch_norm_training", PLAIN_FLOAT)
def _batch_norm_training(case):
    x, vectors, feature, attributes = normalised(case, 2)
    one = ((x.shape[feature],), case.dtype)
    case.give(*case.emit("batch_norm_training", [x, *vectors], [(x.shape, case.dtype), one, one], attributes))

    def reference():
        array, scale, offset = (
            given.astype(np.longdouble if case.dtype.bits == 64 else np.float64) for given in case.arrays
        )
        others = tuple(d for d in range(array.ndim) if d != feature)
        along = [-1 if d == feature else 1 for d in range(array.ndim)]
        mean, variance = array.mean(others), array.var(others)
        result = (array - mean.reshape(along)) / np.sqrt(variance.reshape(along) + np.float32(0.01))
        result = result * scale.reshape(along) + offset.reshape(along)
        return [values.rounded(given, case.dtype) for given in (result, mean, variance)]

    case.reference = reference


@generator("batch_norm_grad", PLAIN_FLOAT)
def _batch_norm_grad(case):
    x, vectors, feature, attributes = normalised(case, 3)
    gradient = case.input(values.positive(case.random, case.dtype, x.shape))
    one = ((x.shape[feature],), case.dtype)
    case.give(*case.emit("batch_norm_grad", [x, *vectors, gradient], [(x.shape, case.dtype), one, one], attributes))
