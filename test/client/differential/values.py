# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""Random shapes and elements: ordinary ones, and those at which arithmetic is inexact or undefined."""

import ml_dtypes
import numpy as np


def finfo(dtype):
    return ml_dtypes.finfo(dtype.part.numpy)


def integer_limits(dtype):
    if dtype.kind == "BOOL":
        return 0, 1
    if dtype.kind == "SIGNED":
        return -(2 ** (dtype.bits - 1)), 2 ** (dtype.bits - 1) - 1
    return 0, 2**dtype.bits - 1


def shape(random, rank=None, largest=5, smallest=0):
    """Few elements; with sizes of 0 now and then, of 1 often."""
    if rank is None:
        rank = int(random.integers(0, 5))
    sizes = []
    for _ in range(rank):
        draw = random.random()
        if draw < 0.05 and smallest == 0:
            sizes.append(0)
        elif draw < 0.25 and smallest <= 1:
            sizes.append(1)
        else:
            sizes.append(int(random.integers(max(smallest, 2), max(smallest, largest) + 1)))
    return tuple(sizes)


def _specials(dtype):
    if dtype.kind == "BOOL":
        return [False, True]
    if dtype.is_integer:
        low, high = integer_limits(dtype)
        wanted = [
            0,
            1,
            -1,
            2,
            -2,
            3,
            7,
            low,
            low + 1,
            high,
            high - 1,
            dtype.bits - 1,
            dtype.bits,
            1 << (dtype.bits // 2),
        ]
        return [value for value in wanted if low <= value <= high]
    info = finfo(dtype)
    tiny, least = float(info.tiny), float(info.smallest_subnormal)
    wanted = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        0.5,
        -0.5,
        1.5,
        2.5,
        -2.5,
        2.0,
        3.0,
        np.pi,
        np.pi / 2,
        np.e,
        10.0,
        100.0,
        -100.0,
        1 + float(info.eps),
        1 - float(info.epsneg) if hasattr(info, "epsneg") else 1.0,
        float(info.eps),
        tiny,
        -tiny,
        least,
        -least,
        tiny - least,
        3 * least,
        float(info.max),
        -float(info.max),
        np.inf,
        -np.inf,
        np.nan,
        1e-3,
        0.1,
        88.7,
        -88.7,
        709.0,
        -745.0,
        2.0**23 - 0.5,
        2.0**31,
        -(2.0**31),
        2.0**63,
        1e30,
        -1e30,
    ]
    return wanted


def _cast(values, dtype):
    with np.errstate(all="ignore"):
        return np.asarray(values, np.float64).astype(dtype.numpy)


def rounded(array, dtype):
    """To the nearest element, from a wider type."""
    with np.errstate(all="ignore"):
        result = np.asarray(array).astype(dtype.numpy)
        if dtype.mlir == "f8E8M0FNU":
            # The smallest number stands for the missing zero.
            least = np.array(2.0**-127, dtype.numpy)
            result = np.where(np.abs(np.real(array)) < 2.0**-127, least, result).astype(dtype.numpy)
        return result


def _random_bits(random, dtype, shape):
    size = dtype.numpy.itemsize
    raw = random.integers(0, 256, (*shape, size), np.uint8)
    if dtype.bits < 8:
        raw &= (1 << dtype.bits) - 1
    return np.ascontiguousarray(raw).view(dtype.numpy).reshape(shape)


def _random_integers(random, dtype, shape, low=None, high=None):
    limits = integer_limits(dtype)
    low = limits[0] if low is None else max(low, limits[0])
    high = limits[1] if high is None else min(high, limits[1])
    wide = np.uint64 if low >= 0 else np.int64
    return random.integers(low, high, shape, wide, endpoint=True).astype(dtype.numpy)


def _parts(random, dtype, shape, make):
    """Complex elements of two arrays of parts."""
    both = np.stack([make(random, dtype.part, shape), make(random, dtype.part, shape)], -1)
    return np.ascontiguousarray(both).view(dtype.numpy).reshape(shape)


def special(random, dtype, shape):
    """A mixture: a third at the corners, a third ordinary, a third of any bits."""
    if dtype.kind == "COMPLEX":
        return _parts(random, dtype, shape, special)
    corners = _specials(dtype)
    if dtype.is_inexact:
        corners = _cast(corners, dtype)
    else:
        corners = np.array(corners, np.uint64 if min(corners) >= 0 else np.int64).astype(dtype.numpy)
    chosen = corners[random.integers(0, len(corners), shape)]
    draw = random.random(shape)
    out = np.where(draw < 0.33, chosen, ordinary(random, dtype, shape))
    return np.where(draw > 0.67, any_bits(random, dtype, shape), out).astype(dtype.numpy)


def any_bits(random, dtype, shape):
    if dtype.kind == "COMPLEX":
        return _parts(random, dtype, shape, any_bits)
    if not dtype.is_inexact:
        return _random_integers(random, dtype, shape)
    return _random_bits(random, dtype, shape)


def ordinary(random, dtype, shape):
    """Finite and of moderate size; integers of the whole range."""
    if dtype.kind == "COMPLEX":
        return _parts(random, dtype, shape, ordinary)
    if not dtype.is_inexact:
        return _random_integers(random, dtype, shape)
    if dtype.mlir == "f8E8M0FNU":
        return _cast(2.0 ** random.integers(-3, 4, shape), dtype)
    scale = 1.0 if dtype.bits <= 8 else 10.0 ** random.uniform(-2, 2, shape)
    return _cast(random.standard_normal(shape) * scale, dtype)


def small(random, dtype, shape, low=-3, high=3):
    """Integers so small that sums and products of some of them are exact."""
    if dtype.kind == "COMPLEX":
        return _parts(random, dtype, shape, small)
    if not dtype.is_inexact:
        return _random_integers(random, dtype, shape, low, high)
    if dtype.mlir == "f8E8M0FNU":
        return _cast(2.0 ** random.integers(0, 2, shape), dtype)
    return _cast(random.integers(low, high + 1, shape), dtype)


def positive(random, dtype, shape):
    """Floats in [0.5, 2), so that nothing cancels; other types as small ones."""
    if dtype.kind != "FLOAT":
        return small(random, dtype, shape)
    return _cast(random.uniform(0.5, 2.0, shape), dtype)


def one_nan(array, dtype):
    """XLA widens narrow floats, and loses on the way which NaN it was; f32 and f64 keep theirs."""
    if dtype.kind != "FLOAT" or dtype.bits >= 32:
        return array
    with np.errstate(all="ignore"):
        return np.where(np.isnan(array.astype(np.float64)), _cast(np.nan, dtype), array).astype(dtype.numpy)
