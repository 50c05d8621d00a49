"""Where XLA departs from the specification of StableHLO. There Tenon is held to the specification, as NumPy computes it
(`reference` of a case), and XLA's result does not count. docs/xla.md shows this table."""

import dataclasses
from typing import Callable

import numpy as np

from differential.tolerances import FUNCTIONS
from differential.values import finfo


@dataclasses.dataclass(frozen=True)
class Departure:
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
    return [departure for departure in TABLE if departure.applies(case)]


def everywhere(case, value, ours, theirs):
    return np.ones(ours.shape, bool)


def departs(name, operations, dtypes, xla, specification, applies, where=everywhere, ulps=0.0):
    TABLE.append(Departure(name, operations, dtypes, xla, specification, applies, where, ulps))


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


departs(
    "subnormal numbers",
    "all that compute",
    "floats, complex",
    "takes subnormal operands for zero, and gives zero for subnormal results",
    "subnormal numbers are numbers",
    lambda case: case.elementwise,
    _subnormal,
    ulps=3,
)
departs(
    "sums of booleans",
    "add",
    "i1",
    "adds modulo 2 (exclusive or)",
    "the sum of booleans is their disjunction",
    lambda case: case.operation == "add" and case.dtype.kind == "BOOL",
)
departs(
    "powers of integers",
    "power",
    "integers",
    "looks at the lowest 6 bits of the exponent only",
    "the power, modulo 2 to the width",
    lambda case: case.operation == "power" and case.dtype.is_integer,
)
departs(
    "bits of narrow integers",
    "popcnt",
    "i2, i4",
    "leaves bits above the width in the result",
    "the number of one bits",
    lambda case: case.operation == "popcnt" and case.dtype.bits < 8,
)
departs(
    "a format without zero",
    "all that compute",
    "f8E8M0FNU",
    "gives NaN where the result is 0, and takes 2^-127 for 0, because it is subnormal in f32",
    "the smallest number, 2^-127, stands for 0",
    _has("f8E8M0FNU"),
)
departs(
    "reduced precision of f8",
    "reduce_precision",
    "f8, f4",
    "goes through f16, and keeps of the smaller format's subnormal numbers what f16 has",
    "they become zero",
    lambda case: case.operation == "reduce_precision" and case.dtype.bits <= 8,
)
departs(
    "f4 to integers",
    "convert",
    "f4E2M1FN",
    "turns the largest number into the limit of the integer type",
    "an integer in range is unchanged",
    lambda case: case.operation == "convert" and case.dtype.mlir == "f4E2M1FN",
)
departs(
    "complex results that are not finite",
    "all that compute",
    "complex",
    "has rules of its own for which part is infinite or NaN",
    "does not say; Tenon follows C's annex G where it speaks",
    _complex,
    _not_finite,
)
departs(
    "complex functions",
    "transcendental ones, division, power",
    "complex",
    "loses digits of the result, or of its smaller part, by cancellation, overflow and underflow on the way",
    "the function's value",
    _complex,
    ulps=4,
)
departs(
    "infinities of a format without any",
    "chlo.is_inf, is_pos_inf, is_neg_inf",
    "f4E2M1FN",
    "finds that 0 is infinite",
    "there are none",
    lambda case: case.operation.startswith("chlo.is_") and case.dtype.mlir == "f4E2M1FN",
)
departs(
    "products of narrow integers",
    "chlo.mulhi",
    "i2, ui2, i4, ui4",
    "gives the upper half of a byte",
    "the upper half of the product of that width",
    lambda case: case.operation == "chlo.mulhi" and case.dtype.bits < 8,
)
departs(
    "windows past the end",
    "scatter",
    "all",
    "leaves a window of updates out when a part of it is out of bounds",
    "leaves out the elements that are out of bounds, each for itself",
    lambda case: case.operation == "scatter",
)
departs(
    "variances",
    "batch_norm_training",
    "f16, f32, f64",
    "subtracts the square of the mean from the mean of the squares, which cancels",
    "the mean of the squared differences",
    lambda case: case.operation == "batch_norm_training",
    ulps=16,
)
departs(
    "functions",
    "transcendental ones",
    "floats",
    "approximates some by formulas that lose digits (sinh, erfc, digamma...), and flushes what is subnormal on the way",
    "the function's value",
    lambda case: case.operation in FUNCTIONS and case.dtype.kind == "FLOAT",
    ulps=4,
)
departs(
    "bits as booleans",
    "bitcast_convert",
    "i1",
    "treats a boolean as a byte, and rejects the shapes that follow from one bit",
    "a boolean is one bit",
    lambda case: case.operation == "bitcast_convert",
)
departs(
    "the NaN without a sign",
    "compare with TOTALORDER, sort",
    "f8 formats whose name ends in FNUZ",
    "orders it before all numbers, because its bits are those of a negative zero",
    "does not say; in Tenon it follows all numbers, as a positive NaN does",
    lambda case: "total order" in case.notes and case.dtype.mlir.endswith("FNUZ"),
)
