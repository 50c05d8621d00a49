# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""How far two arrays are apart, in units in the last place of the wanted one."""

import numpy as np

from differential.values import finfo


def _distance_real(got, wanted, dtype):
    info = finfo(dtype)
    with np.errstate(all="ignore"):
        wide = np.longdouble
        a, b = got.astype(np.float64).astype(wide), wanted.astype(np.float64).astype(wide)
        same = (a == b) | (np.isnan(a) & np.isnan(b))
        # Beyond the largest number an infinity stands for the next one.
        beyond = wide(float(info.max)) * 2
        both = np.isinf(a) & np.isinf(b)
        a, b = np.where(np.isinf(a) & ~both, np.copysign(beyond, a), a), np.where(
            np.isinf(b) & ~both, np.copysign(beyond, b), b
        )
        exponent = np.frexp(np.where(np.isfinite(b), b, 0))[1] - 1
        unit = np.maximum(np.ldexp(wide(float(info.eps)), exponent), wide(float(info.smallest_subnormal)))
        unit = np.where(b == 0, wide(float(info.smallest_subnormal)), unit)
        distance = np.abs(a - b) / unit
        distance = np.where(np.isnan(distance), np.inf, distance)
        return np.where(same, 0, distance).astype(np.float64)


def zeros_differ(got, wanted):
    """Where both are zero, and only one is negative."""
    with np.errstate(all="ignore"):
        a, b = got.astype(np.float64), wanted.astype(np.float64)
    return (a == 0) & (b == 0) & (np.signbit(a) != np.signbit(b))


def distance(got, wanted, dtype, exact=True):
    """An array of units in the last place; 0 for integers that are equal, inf for those that are not.

    exact: complex numbers are compared part by part; otherwise as points, with one infinity and one NaN, as C has them.
    """
    if dtype.kind == "COMPLEX":
        parts = [
            distance(np.real(got), np.real(wanted), dtype.part),
            distance(np.imag(got), np.imag(wanted), dtype.part),
        ]
        return np.maximum(*parts) if exact else _distance_complex(got, wanted, dtype)
    if dtype.kind != "FLOAT":
        return np.where(got == wanted, 0.0, np.inf)
    result = _distance_real(got, wanted, dtype)
    return np.where(zeros_differ(got, wanted), np.inf, result)


def _distance_complex(got, wanted, dtype):
    """The distance of the points in units of the wanted modulus."""
    info = finfo(dtype)
    with np.errstate(all="ignore"):
        kinds = [np.where(np.isinf(array), 2, np.where(np.isnan(array), 1, 0)) for array in (got, wanted)]
        finite = kinds[0] + kinds[1] == 0
        gap = np.abs(got.astype(np.clongdouble) - wanted.astype(np.clongdouble))
        size = np.abs(wanted.astype(np.clongdouble))
        exponent = np.frexp(np.where(finite, size, 0))[1] - 1
        least = np.longdouble(float(info.smallest_subnormal))
        unit = np.maximum(np.ldexp(np.longdouble(float(info.eps)), exponent), least)
        return np.where(finite, gap / unit, np.where(kinds[0] == kinds[1], 0, np.inf)).astype(np.float64)


def norm_distance(got, wanted, dtype):
    """The distance in units of the largest wanted element."""
    info = finfo(dtype)
    wide = np.clongdouble if dtype.kind == "COMPLEX" else np.longdouble
    with np.errstate(all="ignore"):
        a, b = (
            array.astype(np.complex128 if dtype.kind == "COMPLEX" else np.float64).astype(wide)
            for array in (got, wanted)
        )
        finite = np.abs(b[np.isfinite(b)])
        unit = max(float(info.eps) * float(finite.max(initial=0)), float(info.smallest_subnormal))
        apart = np.where(
            np.isfinite(a) & np.isfinite(b), np.abs(a - b) / unit, np.where(np.isfinite(a) == np.isfinite(b), 0, np.inf)
        )
    return apart.astype(np.float64)
