# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""Where XLA deviates from the specification of StableHLO. There Tenon is compared with the specification, as NumPy computes
it (`reference` of a case), and not with XLA. docs/xla.md shows this table."""

import dataclasses
from typing import Callable

import numpy as np

from differential.tolerances import FUNCTIONS
from differential.values import finfo


@dataclasses.dataclass(frozen=True)
class Deviation:
    name: str
    operations: str
    dtypes: str
    xla: str
    specification: str
    applies: Callable  # case -> bool
    where: Callable  # case, result, Tenon's array, XLA's array -> which elements it may explain
    ulps: float = 0.0  # how far Tenon may be from the specification there


TABLE = []


def of(case):
    return [deviation for deviation in TABLE if deviation.applies(case)]


def everywhere(case, value, ours, theirs):
    return np.ones(ours.shape, bool)


def deviates(name, operations, dtypes, xla, specification, applies, where=everywhere, ulps=0.0):
    TABLE.append(Deviation(name, operations, dtypes, xla, specification, applies, where, ulps))


def _is_subnormal(array, dtype):
    if dtype.kind == "COMPLEX":
        return _is_subnormal(np.real(array), dtype.part) | _is_subnormal(np.imag(array), dtype.part)
    if dtype.kind != "FLOAT":
        return np.zeros(np.shape(array), bool)
    tiny = float(finfo(dtype).tiny)
    with np.errstate(all="ignore"):
        size = np.abs(np.asarray(array).astype(np.float64))
    return (size > 0) & (size < tiny)


def _is_least_normal(array, dtype):
    """What is rounded up to it was subnormal before."""
    if dtype.kind != "FLOAT":
        return np.zeros(np.shape(array), bool)
    with np.errstate(all="ignore"):
        return np.abs(np.asarray(array).astype(np.float64)) == float(finfo(dtype).tiny)


def _subnormal(case, value, ours, theirs):
    if theirs.shape != ours.shape:
        return np.zeros(ours.shape, bool)
    found = _is_subnormal(ours, value.dtype) | _is_least_normal(ours, value.dtype)
    for array, operand in zip(case.arrays, case.inputs):
        if array.shape in ((), ours.shape):
            found = found | _is_subnormal(array, operand.dtype)
    return found


def _not_finite(case, value, ours, theirs):
    if theirs.shape != ours.shape:
        return np.zeros(ours.shape, bool)
    with np.errstate(all="ignore"):
        found = ~np.isfinite(ours) | ~np.isfinite(theirs)
        for array in case.arrays:
            found = found | ~np.isfinite(array)
    return found


def _has(mlir):
    return lambda case: case.elementwise and any(value.dtype.mlir == mlir for value in (*case.inputs, *case.results))


def _complex(case):
    return case.elementwise and case.dtype.kind == "COMPLEX" and case.operation != "convert"


deviates(
    "subnormal numbers",
    "arithmetic",
    "floats, complex",
    "flushes subnormal operands and results to zero",
    "subnormal numbers are ordinary numbers",
    lambda case: case.elementwise,
    _subnormal,
    ulps=3,
)
deviates(
    "sums of booleans",
    "add",
    "i1",
    "adds modulo 2 (exclusive or)",
    "logical or",
    lambda case: case.operation == "add" and case.dtype.kind == "BOOL",
)
deviates(
    "powers of integers",
    "power",
    "integers",
    "uses the lowest 6 bits of the exponent only",
    "the power modulo 2^width",
    lambda case: case.operation == "power" and case.dtype.is_integer,
)
deviates(
    "bits of sub-byte integers",
    "popcnt",
    "i2, i4",
    "leaves bits above the width in the result",
    "the number of bits that are set",
    lambda case: case.operation == "popcnt" and case.dtype.bits < 8,
)
deviates(
    "f8E8M0FNU (no zero)",
    "arithmetic",
    "f8E8M0FNU",
    "returns NaN for results of 0, and flushes 2^-127, which is subnormal in f32, to 0",
    "the smallest number, 2^-127, represents 0",
    _has("f8E8M0FNU"),
)
deviates(
    "reduced precision of f8",
    "reduce_precision",
    "f8, f4",
    "computes in f16, and keeps those subnormal numbers of the smaller format that f16 has",
    "subnormal numbers become zero",
    lambda case: case.operation == "reduce_precision" and case.dtype.bits <= 8,
)
deviates(
    "f4 to integers",
    "convert",
    "f4E2M1FN",
    "converts the largest number to the limit of the integer type",
    "an integer in range is unchanged",
    lambda case: case.operation == "convert" and case.dtype.mlir == "f4E2M1FN",
)
deviates(
    "complex results that are not finite",
    "arithmetic",
    "complex",
    "its own rules for which part is infinite or NaN",
    "unspecified; Tenon follows annex G of C where that applies",
    _complex,
    _not_finite,
)
deviates(
    "complex functions",
    "transcendental functions, division, power",
    "complex",
    "loses digits of the result, or of its smaller part, by cancellation, overflow and underflow of intermediate values",
    "the value of the function",
    _complex,
    ulps=4,
)
deviates(
    "infinities of a format without infinities",
    "chlo.is_inf, is_pos_inf, is_neg_inf",
    "f4E2M1FN",
    "returns true for 0",
    "false",
    lambda case: case.operation.startswith("chlo.is_") and case.dtype.mlir == "f4E2M1FN",
)
deviates(
    "products of sub-byte integers",
    "chlo.mulhi",
    "i2, ui2, i4, ui4",
    "returns the upper half of a byte",
    "the upper half of the product, of the type's width",
    lambda case: case.operation == "chlo.mulhi" and case.dtype.bits < 8,
)
deviates(
    "windows out of bounds",
    "scatter",
    "all",
    "drops a window of updates if a part of it is out of bounds",
    "drops each element that is out of bounds",
    lambda case: case.operation == "scatter",
)
deviates(
    "variances",
    "batch_norm_training",
    "f16, f32, f64",
    "the mean of the squares minus the square of the mean, which loses digits by cancellation",
    "the mean of the squared differences",
    lambda case: case.operation == "batch_norm_training",
    ulps=16,
)
deviates(
    "functions",
    "transcendental functions",
    "floats",
    "approximates some by formulas that lose digits (sinh, erfc, digamma...), and flushes subnormal intermediate values",
    "the value of the function",
    lambda case: case.operation in FUNCTIONS and case.dtype.kind == "FLOAT",
    ulps=4,
)
deviates(
    "bitcast_convert of i1",
    "bitcast_convert",
    "i1",
    "treats a boolean as a byte, and rejects the shapes that follow from one bit",
    "a boolean is one bit",
    lambda case: case.operation == "bitcast_convert",
)
deviates(
    "NaN without a sign",
    "compare with TOTALORDER, sort",
    "f8 formats whose name ends in FNUZ",
    "orders it before all numbers, because its bits are those of a negative zero",
    "unspecified; in Tenon it comes after all numbers, as a positive NaN does",
    lambda case: "total order" in case.notes and case.dtype.mlir.endswith("FNUZ"),
)
