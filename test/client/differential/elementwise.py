# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""Operations whose result element i depends on element i of the operands."""

import numpy as np
import scipy.special

from dtypes import BY_NAME, DTYPES
from differential import values
from differential.case import I1
from differential.generators import generator

BOOL = [dtype for dtype in DTYPES if dtype.kind == "BOOL"]
INTEGER = [dtype for dtype in DTYPES if dtype.is_integer]
SIGNED = [dtype for dtype in DTYPES if dtype.kind == "SIGNED"]
# XLA has no f6 formats.
FLOAT = [dtype for dtype in DTYPES if dtype.kind == "FLOAT" and not dtype.mlir.startswith("f6")]
COMPLEX = [dtype for dtype in DTYPES if dtype.kind == "COMPLEX"]
# What XLA computes the functions of chlo in.
PLAIN_FLOAT = [BY_NAME[name] for name in ("f16", "bf16", "f32", "f64")]
ALL = BOOL + INTEGER + FLOAT + COMPLEX


def wide(array, dtype):
    """In a type in which a function can be computed and then rounded once."""
    if dtype.kind == "COMPLEX":
        return array.astype(np.clongdouble)
    if dtype.kind == "FLOAT":
        return array.astype(np.float64).astype(np.longdouble) if dtype.bits == 64 else array.astype(np.float64)
    return array


def elementwise(case, operation, count, result=None, reference=None, shape=None, make=values.special):
    shape = values.shape(case.random, rank=int(case.random.integers(0, 4)), largest=9) if shape is None else shape
    operands = [case.input(make(case.random, case.dtype, shape)) for _ in range(count)]
    result = result or case.dtype
    case.give(case.one(operation, operands, shape, result))
    case.elementwise = True
    if reference:

        def evaluate():
            with np.errstate(all="ignore"):
                return [values.rounded(reference(*(wide(array, case.dtype) for array in case.arrays)), result)]

        case.reference = evaluate


def _round_afz(a):
    size = np.abs(a)
    down = np.floor(size)
    return np.copysign(np.where(size - down >= 0.5, down + 1, down), a)


def _logistic(a):
    return 1 / (1 + np.exp(-a))


def _log1p(a):
    if not np.iscomplexobj(a):
        return np.log1p(a)
    x, y = np.real(a), np.imag(a)
    excess = x * (2 + x) + y * y
    modulus = np.where(np.abs(excess) < 0.5, 0.5 * np.log1p(excess), np.log(np.hypot(1 + x, y)))
    return modulus + 1j * np.arctan2(y, 1 + x)


def _atan2(y, x):
    if not np.iscomplexobj(x):
        return np.arctan2(y, x)
    # The first is right but for multiples of pi, the second to a few digits.
    exact, rough = np.arctan(y / x), -1j * np.log((x + 1j * y) / np.sqrt(x * x + y * y))
    pi = np.arccos(np.longdouble(-1))
    return exact + pi * np.rint(np.real(rough - exact) / pi)


def _erfc(x):
    """By its continued fraction far out, where SciPy's loses digits as XLA's does."""
    x = np.asarray(x, np.longdouble)
    far = np.maximum(x, 2)
    fraction = far
    for k in range(200, 0, -1):
        fraction = far + (np.longdouble(k) / 2) / fraction
    tail = np.exp(-far * far) / (np.sqrt(np.arccos(np.longdouble(-1))) * fraction)
    return np.where(x < 2, scipy.special.erfc(x.astype(np.float64)), tail)


def _integer_power(case):
    low, high = values.integer_limits(case.dtype)
    modulus = 2**case.dtype.bits

    def power(a, b):
        a, b = int(a), int(b)
        if b < 0:
            return {1: 1, -1: -1 if b % 2 else 1}.get(a, 0)
        result = pow(a, b, modulus)
        return result - modulus if result > high else result

    lhs, rhs = case.arrays
    flat = [power(a, b) for a, b in zip(lhs.ravel(), rhs.ravel())]
    return [np.array(flat, np.int64 if low < 0 else np.uint64).astype(case.dtype.numpy).reshape(lhs.shape)]


def _bit_count(case):
    return [
        np.array([(int(a) % 2**case.dtype.bits).bit_count() for a in case.arrays[0].ravel()], np.int64)
        .astype(case.dtype.numpy)
        .reshape(case.arrays[0].shape)
    ]


def _lexicographic(larger):
    def choose(a, b):
        if not np.iscomplexobj(a):
            return (np.maximum if larger else np.minimum)(a, b)
        first = np.where(a.real == b.real, a.imag > b.imag, a.real > b.real)
        nan = np.isnan(a)
        return np.where(nan, a, np.where(np.isnan(b), b, np.where(first == larger, a, b)))

    return choose


def _expm1(a):
    """e to the power of minus infinity is 0, whatever the imaginary part is; NumPy's is NaN for some."""
    with np.errstate(all="ignore"):
        return np.where(np.real(a) == -np.inf, np.array(-1, a.dtype), np.expm1(a))


UNARY = {
    "abs": (SIGNED + FLOAT + COMPLEX, np.abs),
    "cbrt": (FLOAT, np.cbrt),
    "ceil": (FLOAT, np.ceil),
    "cosine": (FLOAT + COMPLEX, np.cos),
    "count_leading_zeros": (INTEGER, None),
    "exponential": (FLOAT + COMPLEX, np.exp),
    "exponential_minus_one": (FLOAT + COMPLEX, _expm1),
    "floor": (FLOAT, np.floor),
    "log": (FLOAT + COMPLEX, np.log),
    "log_plus_one": (FLOAT + COMPLEX, _log1p),
    "logistic": (FLOAT + COMPLEX, _logistic),
    "negate": (INTEGER + FLOAT + COMPLEX, np.negative),
    "not": (BOOL + INTEGER, None),
    "popcnt": (INTEGER, None),
    "round_nearest_afz": (FLOAT, _round_afz),
    "round_nearest_even": (FLOAT, np.rint),
    "rsqrt": (FLOAT + COMPLEX, lambda a: 1 / np.sqrt(a)),
    "sign": (SIGNED + FLOAT + COMPLEX, np.sign),
    "sine": (FLOAT + COMPLEX, np.sin),
    "sqrt": (FLOAT + COMPLEX, np.sqrt),
    "tan": (FLOAT + COMPLEX, np.tan),
    "tanh": (FLOAT + COMPLEX, np.tanh),
}

for _name, (_dtypes, _reference) in UNARY.items():

    @generator(_name, _dtypes)
    def _unary(case, name=_name, reference=_reference):
        result = case.dtype.part if name == "abs" and case.dtype.kind == "COMPLEX" else case.dtype
        elementwise(case, name, 1, result, reference)
        if name == "popcnt":
            case.reference = lambda: _bit_count(case)


@generator("is_finite", FLOAT)
def _is_finite(case):
    elementwise(case, "is_finite", 1, I1, np.isfinite)


@generator("real", FLOAT + COMPLEX)
@generator("imag", FLOAT + COMPLEX)
def _part(case):
    elementwise(case, case.operation, 1, case.dtype.part, {"real": np.real, "imag": np.imag}[case.operation])


BINARY = {
    "add": (ALL, np.add),
    "subtract": (INTEGER + FLOAT + COMPLEX, np.subtract),
    "multiply": (ALL, np.multiply),
    "divide": (INTEGER + FLOAT + COMPLEX, np.divide),
    "remainder": (INTEGER + FLOAT, np.fmod),
    "maximum": (ALL, _lexicographic(True)),
    "minimum": (ALL, _lexicographic(False)),
    "power": (INTEGER + FLOAT + COMPLEX, np.power),
    "atan2": (FLOAT + COMPLEX, _atan2),
    "and": (BOOL + INTEGER, np.bitwise_and),
    "or": (BOOL + INTEGER, np.bitwise_or),
    "xor": (BOOL + INTEGER, np.bitwise_xor),
    "shift_left": (INTEGER, None),
    "shift_right_arithmetic": (INTEGER, None),
    "shift_right_logical": (INTEGER, None),
}

for _name, (_dtypes, _reference) in BINARY.items():

    @generator(_name, _dtypes)
    def _binary(case, name=_name, reference=_reference):
        # C has no complex atan2 that would say what infinities give.
        make = values.ordinary if name == "atan2" and case.dtype.kind == "COMPLEX" else values.special
        elementwise(case, name, 2, None, reference if not case.dtype.is_integer else None, make=make)
        if name == "power" and case.dtype.is_integer:
            case.reference = lambda: _integer_power(case)


@generator("complex", [BY_NAME["f32"], BY_NAME["f64"]])
def _complex(case):
    elementwise(case, "complex", 2, BY_NAME[f"complex<{case.dtype}>"])


DIRECTIONS = {
    "EQ": np.equal,
    "NE": np.not_equal,
    "GE": np.greater_equal,
    "GT": np.greater,
    "LE": np.less_equal,
    "LT": np.less,
}


@generator("compare", ALL)
def _compare(case):
    direction = str(case.random.choice(["EQ", "NE"] if case.dtype.kind == "COMPLEX" else list(DIRECTIONS)))
    kinds = {
        "BOOL": ["UNSIGNED"],
        "SIGNED": ["SIGNED"],
        "UNSIGNED": ["UNSIGNED"],
        "FLOAT": ["FLOAT", "TOTALORDER"],
        "COMPLEX": ["FLOAT"],
    }
    order = str(case.random.choice(["", *kinds[case.dtype.kind]]))
    shape = values.shape(case.random, largest=7)
    lhs = values.special(case.random, case.dtype, shape)
    # Equal elements do not come by chance.
    rhs = np.where(case.random.random(shape) < 0.3, lhs, values.special(case.random, case.dtype, shape))
    attributes = f"comparison_direction = #stablehlo<comparison_direction {direction}>"
    if order:
        attributes += f", compare_type = #stablehlo<comparison_type {order}>"
    operands = [case.input(values.one_nan(array, case.dtype)) for array in (lhs, rhs)]
    case.give(case.one("compare", operands, shape, I1, attributes))
    case.elementwise = True
    if order == "TOTALORDER":
        case.notes.add("total order")
        case.reference = lambda: [DIRECTIONS[direction](*(total_key(array) for array in case.arrays))]
    else:
        case.reference = lambda: [DIRECTIONS[direction](*(wide(array, case.dtype) for array in case.arrays))]


def total_key(array):
    """Integers in the order of totalOrder."""
    with np.errstate(all="ignore"):
        real = array.astype(np.float64)
    # The NaN of the FNUZ formats has no sign.
    real = np.where(np.isnan(real) & ("fnuz" in array.dtype.name), np.nan, real)
    bits = real.view(np.int64)
    return np.where(bits < 0, np.int64(-(2**63)) - bits - 1, bits)


@generator("select", ALL)
def _select(case):
    shape = values.shape(case.random)
    where = () if case.random.random() < 0.3 else shape
    operands = [case.input(values.special(case.random, I1, where), I1)]
    operands += [case.input(values.special(case.random, case.dtype, shape)) for _ in range(2)]
    case.give(case.one("select", operands, shape, case.dtype))


@generator("clamp", BOOL + INTEGER + FLOAT)
def _clamp(case):
    shape = values.shape(case.random)
    limits = [() if case.random.random() < 0.4 else shape for _ in range(2)]
    operands = [values.special(case.random, case.dtype, at) for at in (limits[0], shape, limits[1])]
    case.give(case.one("clamp", [case.input(array) for array in operands], shape, case.dtype))
    case.elementwise = True

    def reference():
        low, value, high = (wide(array, case.dtype) for array in case.arrays)
        return [values.rounded(np.minimum(np.maximum(value, low), high), case.dtype)]

    case.reference = reference


@generator("convert", ALL)
def _convert(case):
    """To some of the types."""
    shape = values.shape(case.random, rank=1, largest=40, smallest=20)
    operand = case.input(values.special(case.random, case.dtype, shape))
    targets = [ALL[i] for i in case.random.choice(len(ALL), 6, replace=False)]
    for result in targets:
        case.give(case.one("convert", [operand], shape, result))
    case.elementwise = True

    def reference():
        with np.errstate(all="ignore"):
            return [_converted(case.arrays[0], case.dtype, result) for result in targets]

    case.reference = reference


def _converted(array, source, target):
    if target.kind == "BOOL":
        return (
            array.astype(np.complex128) != 0
            if source.kind == "COMPLEX"
            else array.astype(np.float64) != 0 if source.kind == "FLOAT" else array != 0
        )
    if source.kind == "COMPLEX" and target.kind != "COMPLEX":
        return _converted(np.real(array), source.part, target)
    if target.is_integer and source.kind == "FLOAT":
        low, high = values.integer_limits(target)
        real = np.trunc(array.astype(np.float64).astype(np.longdouble))
        inside = np.where((real > low) & (real < high), real, 0)
        kind = np.uint64 if low == 0 else np.int64
        whole = inside.astype(kind)
        whole = np.where(real >= high, np.array(high, kind), whole)
        whole = np.where(real <= low, np.array(low, kind), whole)
        return whole.astype(target.numpy)
    if target.is_integer:
        # The lowest bits; the highest of them is the sign.
        spare = np.uint64(64 - target.bits)
        high = array.astype(np.int64).astype(np.uint64) << spare
        kind = np.int64 if target.kind == "SIGNED" else np.uint64
        return (high.view(kind) >> spare.astype(kind)).astype(target.numpy)
    if target.kind == "FLOAT" and (source.kind == "FLOAT" or source.bits < 32):
        array = array.astype(np.float64)
    return values.rounded(array, target)


@generator("bitcast_convert", ALL)
def _bitcast_convert(case):
    """To some of the types whose width divides or is divided by the operand's."""
    shape = values.shape(case.random, rank=int(case.random.integers(0, 3)))
    casts = []
    for result in (ALL[i] for i in case.random.permutation(len(ALL))):
        if "COMPLEX" in (result.kind, case.dtype.kind) and result != case.dtype:
            # XLA has no integer of 128 bits to go through, and ends the process.
            continue
        wide_bits, narrow_bits = max(case.dtype.bits, result.bits), min(case.dtype.bits, result.bits)
        if wide_bits % narrow_bits:
            continue
        ratio = wide_bits // narrow_bits
        if ratio == 1:
            operand_shape, result_shape = shape, shape
        elif result.bits < case.dtype.bits:
            operand_shape, result_shape = shape, (*shape, ratio)
        else:
            operand_shape, result_shape = (*shape, ratio), shape
        operand = case.input(values.any_bits(case.random, case.dtype, operand_shape))
        case.give(case.one("bitcast_convert", [operand], result_shape, result))
        casts.append((case.arrays[-1], result, result_shape))
        if len(casts) == 4:
            break
    case.reference = lambda: [_bits_as(array, case.dtype, result, shape) for array, result, shape in casts]


def _bits_as(array, source, target, shape):
    """The lowest bits come first."""
    if source.kind == "COMPLEX":
        return array
    size = source.numpy.itemsize
    raw = np.ascontiguousarray(array).reshape(-1).view(np.uint8).reshape(-1, size)
    bits = np.unpackbits(raw, axis=1, bitorder="little")[:, : source.bits]
    bits = bits.reshape(-1, target.bits)
    full = np.zeros((len(bits), 8 * target.numpy.itemsize), np.uint8)
    full[:, : target.bits] = bits
    if target.kind == "SIGNED" and target.bits < 8:
        full[:, target.bits :] = bits[:, -1:]
    return np.packbits(full, axis=1, bitorder="little").reshape(-1).view(target.numpy).reshape(shape)


@generator("reduce_precision", [dtype for dtype in FLOAT if dtype.bits >= 8])
def _reduce_precision(case):
    shape = values.shape(case.random, largest=9)
    exponent = int(case.random.integers(1, 12))
    mantissa = int(case.random.integers(0, 54))
    if case.random.random() < 0.6:
        exponent, mantissa = (int(x) for x in case.random.choice([(5, 10), (8, 7), (5, 2), (4, 3), (8, 23), (3, 4)]))
    operand = case.input(values.special(case.random, case.dtype, shape))
    case.give(
        case.one(
            "reduce_precision",
            [operand],
            shape,
            case.dtype,
            f"exponent_bits = {exponent} : i32, mantissa_bits = {mantissa} : i32",
        )
    )
    case.elementwise = True
    info = values.finfo(case.dtype)
    own = info.iexp if np.isinf(np.array(np.inf, case.dtype.numpy)) else 8  # formats without infinities go through f32
    case.reference = lambda: [
        values.rounded(_reduced(wide(case.arrays[0], case.dtype), exponent, mantissa, own), case.dtype)
    ]


def _reduced(array, exponent_bits, mantissa_bits, own_exponent_bits):
    """Rounds to the mantissa; out of a smaller exponent's range is infinite or zero."""
    with np.errstate(all="ignore"):
        fraction, exponent = np.frexp(array)
        kept = np.ldexp(np.rint(np.ldexp(fraction, mantissa_bits + 1)), exponent - mantissa_bits - 1)
        largest = 2 ** (exponent_bits - 1) - 1
        power = np.frexp(kept)[1] - 1
        if exponent_bits < own_exponent_bits:
            kept = np.where(power > largest, np.copysign(np.inf, array), kept)
            kept = np.where(power < 1 - largest, np.copysign(0.0, array), kept)
        return np.where(np.isfinite(array) & (array != 0), kept, array)


CHLO_UNARY = {
    "acos": (FLOAT + COMPLEX, np.arccos),
    "acosh": (FLOAT + COMPLEX, np.arccosh),
    "asin": (FLOAT + COMPLEX, np.arcsin),
    "asinh": (FLOAT + COMPLEX, np.arcsinh),
    "atan": (FLOAT + COMPLEX, np.arctan),
    "atanh": (FLOAT + COMPLEX, np.arctanh),
    "bessel_i1e": (PLAIN_FLOAT, scipy.special.i1e),
    "conj": (FLOAT + COMPLEX, np.conj),
    "cosh": (FLOAT + COMPLEX, np.cosh),
    "digamma": (FLOAT, scipy.special.digamma),
    "erf": (FLOAT, scipy.special.erf),
    "erf_inv": (FLOAT, scipy.special.erfinv),
    "erfc": (PLAIN_FLOAT, _erfc),
    "lgamma": (FLOAT, scipy.special.gammaln),
    "sinh": (FLOAT + COMPLEX, np.sinh),
    "square": (FLOAT + COMPLEX, np.square),
    "tan": (FLOAT + COMPLEX, np.tan),
}

for _name, (_dtypes, _reference) in CHLO_UNARY.items():

    @generator(f"chlo.{_name}", _dtypes)
    def _chlo_unary(case, reference=_reference):
        def narrow(a):
            return reference(
                a.astype(np.float64)
                if a.dtype == np.longdouble
                and isinstance(reference, np.ufunc)
                and reference.__name__ in vars(scipy.special)
                else a
            )

        elementwise(case, case.operation, 1, None, narrow)


@generator("chlo.is_inf", FLOAT)
@generator("chlo.is_pos_inf", FLOAT)
@generator("chlo.is_neg_inf", FLOAT)
def _is_inf(case):
    test = {"chlo.is_inf": np.isinf, "chlo.is_pos_inf": np.isposinf, "chlo.is_neg_inf": np.isneginf}[case.operation]
    elementwise(case, case.operation, 1, I1, test)


@generator("chlo.mulhi", INTEGER)
def _mulhi(case):
    elementwise(case, case.operation, 2)

    def reference():
        lhs, rhs = (array.ravel().tolist() for array in case.arrays)
        upper = [(int(a) * int(b)) >> case.dtype.bits for a, b in zip(lhs, rhs)]
        wide_type = np.int64 if case.dtype.kind == "SIGNED" else np.uint64
        return [np.array(upper, wide_type).astype(case.dtype.numpy).reshape(case.arrays[0].shape)]

    case.reference = reference


@generator("chlo.next_after", PLAIN_FLOAT)
def _next_after(case):
    elementwise(case, case.operation, 2)
    case.reference = lambda: [np.nextafter(*case.arrays)]


@generator("chlo.zeta", PLAIN_FLOAT)
def _zeta(case):
    def reference(x, q):
        x, q = x.astype(float), q.astype(float)
        found = np.where((x > 1e4) & (q > 1), 0, scipy.special.zeta(x, q))
        # Below zero two terms may each be too large for f64, and cancel.
        with np.errstate(all="ignore"):
            places = q[..., None].astype(np.longdouble) + np.arange(200)
            terms = places ** -x[..., None].astype(np.longdouble)
            cancels = np.isnan(found) & (x > 50) & (x == np.floor(x)) & (q < 0) & (q != np.floor(q))
            return np.where(cancels, terms.sum(-1).astype(float), found)

    def make(random, dtype, shape):
        # It is unspecified what an infinite order gives.
        array = values.special(random, dtype, shape)
        array = np.where(np.isinf(array), np.ones_like(array), array)
        # Far below zero SciPy goes up step by step.
        with np.errstate(invalid="ignore"):
            return np.where(array < np.array(-100, array.dtype), -array, array)

    elementwise(case, case.operation, 2, None, reference, make=make)


@generator("chlo.polygamma", PLAIN_FLOAT)
def _polygamma(case):
    def order(random, dtype, shape):
        return random.integers(0, 5, shape).astype(dtype.numpy)

    shape = values.shape(case.random)
    operands = [
        case.input(order(case.random, case.dtype, shape)),
        case.input(values.special(case.random, case.dtype, shape)),
    ]
    case.give(case.one(case.operation, operands, shape, case.dtype))
    case.elementwise = True

    def reference():
        order_array, x = (array.astype(float) for array in case.arrays)
        return [values.rounded(scipy.special.polygamma(order_array.astype(int), x), case.dtype)]

    case.reference = reference
