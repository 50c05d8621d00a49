# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""How far elementwise functions are from the exact value, in units in the last place of the exact value.

The exact value comes from the C library's functions of 64-bit mantissas (x86) or from mpmath; 0.5 is correct rounding.
"""

import functools

import mpmath
import numpy as np

import host
from differential import values
from dtypes import BY_NAME

PLAIN = ["f32", "f64", "f16", "bf16"]
COMPLEX = ["complex<f32>", "complex<f64>"]
COLUMNS = PLAIN + COMPLEX
PRECISION = 240  # bits of mpmath: more than what cancels between operands of f64

mp = mpmath.mp


def _logistic(a):
    return 1 / (1 + np.exp(-a))


# By the C library's long double.
LIBRARY = {
    "add": np.add,
    "subtract": np.subtract,
    "multiply": np.multiply,
    "divide": np.divide,
    "remainder": np.fmod,
    "power": np.power,
    "atan2": np.arctan2,
    "sqrt": np.sqrt,
    "rsqrt": lambda a: 1 / np.sqrt(a),
    "cbrt": np.cbrt,
    "exponential": np.exp,
    "exponential_minus_one": np.expm1,
    "log": np.log,
    "log_plus_one": np.log1p,
    "logistic": _logistic,
    "sine": np.sin,
    "cosine": np.cos,
    "tan": np.tan,
    "tanh": np.tanh,
    "chlo.sinh": np.sinh,
    "chlo.cosh": np.cosh,
    "chlo.asin": np.arcsin,
    "chlo.acos": np.arccos,
    "chlo.atan": np.arctan,
    "chlo.asinh": np.arcsinh,
    "chlo.acosh": np.arccosh,
    "chlo.atanh": np.arctanh,
}
BINARY = {"add", "subtract", "multiply", "divide", "remainder", "power", "atan2", "chlo.zeta", "chlo.polygamma"}


def _log_gamma(x):
    return (
        mp.re(mp.loggamma(x))
        if x > 0
        else (
            mp.log(abs(mp.pi / (mp.sinpi(x) * mp.gamma(1 - x))))
            if x > -100
            else mp.log(mp.pi / abs(mp.sinpi(x))) - mp.re(mp.loggamma(1 - x))
        )
    )


def _erf_inv(x):
    if abs(x) >= 1:
        return mp.nan
    return mp.erfinv(x)


def _bessel_i1e(x):
    size = abs(x)
    if size < 200:
        return mp.sign(x) * mp.besseli(1, size) * mp.exp(-size)
    term = total = mp.mpf(1)
    for k in range(1, 40):
        term *= -(4 - (2 * k - 1) ** 2) / (8 * k * size)
        total += term
    return mp.sign(x) * total / mp.sqrt(2 * mp.pi * size)


def _zeta(s, q):
    """By Euler's and Maclaurin's formula: mpmath's own function loses digits of small sums."""
    a = q + 80
    total = mp.fsum((q + n) ** -s for n in range(80)) + a ** (1 - s) / (s - 1) + a**-s / 2
    term = a**-s
    for k in range(1, 31):
        term *= (s + 2 * k - 3) * (s + 2 * k - 2) / a**2 if k > 1 else s / a
        total += mp.bernoulli(2 * k) / mp.factorial(2 * k) * term
    return total


# By mpmath: of real numbers.
SPECIAL = {
    "chlo.erf": mp.erf,
    "chlo.erfc": mp.erfc,
    "chlo.erf_inv": _erf_inv,
    "chlo.lgamma": _log_gamma,
    "chlo.digamma": mp.digamma,
    "chlo.bessel_i1e": _bessel_i1e,
    "chlo.zeta": _zeta,
    "chlo.polygamma": lambda n, x: mp.psi(int(n), x),
}

# By mpmath: of complex numbers. Results are compared as points, by the modulus of the exact one.
POINTS = {
    "multiply": lambda a, b: a * b,
    "divide": lambda a, b: a / b,
    "power": mp.power,
    "sqrt": mp.sqrt,
    "rsqrt": lambda a: 1 / mp.sqrt(a),
    "exponential": mp.exp,
    "exponential_minus_one": lambda a: mp.exp(a) - 1,
    "log": mp.log,
    "log_plus_one": lambda a: mp.log(1 + a),
    "logistic": lambda a: 1 / (1 + mp.exp(-a)),
    "sine": mp.sin,
    "cosine": mp.cos,
    "tan": mp.tan,
    "tanh": mp.tanh,
    "chlo.sinh": mp.sinh,
    "chlo.cosh": mp.cosh,
    "chlo.asin": mp.asin,
    "chlo.acos": mp.acos,
    "chlo.atan": mp.atan,
    "chlo.asinh": mp.asinh,
    "chlo.acosh": mp.acosh,
    "chlo.atanh": mp.atanh,
}

OPERATIONS = list(dict.fromkeys([*LIBRARY, *SPECIAL]))


def columns(operation):
    return (PLAIN if operation in LIBRARY or operation in SPECIAL else []) + (COMPLEX if operation in POINTS else [])


@functools.cache
def program(operation, dtype, count):
    kind = f"tensor<{count}x{dtype}>"
    operands = ["%a", "%b"] if operation in BINARY else ["%a"]
    name = operation if "." in operation else f"stablehlo.{operation}"
    arguments = ", ".join(f"{operand}: {kind}" for operand in operands)
    return host.Program(
        f'func.func @main({arguments}) -> {kind} {{ %r = "{name}"({", ".join(operands)}) : '
        f'({", ".join([kind] * len(operands))}) -> {kind}\n return %r : {kind} }}'
    )


def _bits(dtype, patterns):
    return patterns.astype(f"u{dtype.numpy.itemsize}").view(dtype.numpy)


def _moderate(random, dtype, count):
    """Of the size at which functions have their zeros, poles and turns."""
    return values.rounded(random.standard_normal(count) * 10.0 ** random.uniform(-2, 1.5, count), dtype)


def operands(operation, dtype, count, random):
    """All numbers of 16 bits if they are asked for; else evenly spaced ones of all, and as many ordinary ones."""
    if dtype.kind == "COMPLEX":
        pair = [values.ordinary(random, dtype, (count,)) for _ in range(2 if operation in BINARY else 1)]
        near = np.array([0, 1, -1, 1j, -1j], dtype.numpy)[random.integers(0, 5, count)]
        pair[0] = np.where(random.random(count) < 0.4, near + pair[0] / 256, pair[0]).astype(dtype.numpy)
        return pair
    given = []
    for i in range(2 if operation in BINARY else 1):
        if dtype.bits == 16 and operation not in BINARY and count >= 2**16:
            given.append(_bits(dtype, np.arange(2**16)))
            continue
        half = count // 2
        first = int(random.integers(0, 2**32))
        even = (np.arange(half, dtype=np.float64) * (2.0**dtype.bits / half)).astype(np.uint64) + np.uint64(first)
        array = np.concatenate(
            [
                _bits(dtype, even % np.uint64(2**dtype.bits) if dtype.bits < 64 else even),
                _moderate(random, dtype, count - half),
            ]
        )
        given.append(random.permutation(array) if i else array)
    if operation in ("chlo.polygamma", "chlo.zeta"):
        # mpmath takes its time far out.
        given[1] = values.rounded(10.0 ** random.uniform(-3, 2.5, count), dtype)
        given[0] = (
            random.integers(0, 6, count).astype(dtype.numpy)
            if operation == "chlo.polygamma"
            else values.rounded(1 + random.uniform(0.05, 30, count), dtype)
        )
    if operation == "power":
        given[0] = np.abs(given[0])
    return given


def _unit(exact, dtype):
    info = values.finfo(dtype)
    exponent = np.frexp(exact)[1] - 1
    return np.maximum(np.ldexp(np.longdouble(float(info.eps)), exponent), np.longdouble(float(info.smallest_subnormal)))


def _error(got, exact, dtype):
    """`exact` in long double. An infinity stands for the number after the largest."""
    largest = np.longdouble(float(values.finfo(dtype).max))
    beyond = largest + _unit(largest, dtype)
    with np.errstate(all="ignore"):
        wide = np.clip(got.astype(np.float64).astype(np.longdouble), -beyond, beyond)
        error = np.abs(wide - np.clip(exact, -beyond, beyond)) / _unit(np.clip(exact, -largest, largest), dtype)
    return np.where(np.isnan(error), np.inf, error).astype(np.float64)


def _long(number):
    """An mpmath number as a long double, by two doubles."""
    high = float(number)
    return np.longdouble(high) + np.longdouble(float(number - high)) if np.isfinite(high) else np.longdouble(high)


def measure(operation, name, count, random):
    """The worst error of some operands, and the operands of it."""
    dtype = BY_NAME[name]
    given = operands(operation, dtype, count, random)
    got = program(operation, dtype, len(given[0]))(*given)[0]
    if dtype.kind == "COMPLEX":
        errors = _point_errors(operation, dtype, given, got)
    else:
        with np.errstate(all="ignore"):
            wide = [array.astype(np.float64).astype(np.longdouble) for array in given]
            finite = np.all([np.isfinite(array) for array in wide], axis=0)
            exact = LIBRARY[operation](*wide) if operation in LIBRARY else _special(operation, wide, finite)
            finite &= np.isfinite(exact)
            errors = np.where(finite, _error(got, np.where(finite, exact, 0), dtype), 0)
    worst = int(np.argmax(errors))
    return float(errors[worst]), [array[worst] for array in given]


def _special(operation, wide, finite):
    exact = np.full(finite.shape, np.nan, np.longdouble)
    with mp.workprec(PRECISION):
        for i in np.flatnonzero(finite):
            numbers = [mp.mpf(float(array[i])) for array in wide]
            try:
                result = SPECIAL[operation](*numbers)
            except (ValueError, ZeroDivisionError, OverflowError, mpmath.libmp.NoConvergence):
                continue  # poles
            if isinstance(result, mp.mpf):
                exact[i] = _long(result)
    return exact


def _point_errors(operation, dtype, given, got):
    info = values.finfo(dtype)
    errors = np.zeros(got.shape)
    with mp.workprec(PRECISION):
        for i in range(len(got)):
            try:
                exact = mp.mpc(POINTS[operation](*[mp.mpc(complex(array[i])) for array in given]))
            except (ValueError, ZeroDivisionError, OverflowError):
                continue
            size = abs(exact)
            if not mp.isfinite(size) or size > float(info.max) or size == 0:
                continue
            exponent = int(mp.floor(mp.log(size, 2)))
            unit = max(mp.ldexp(float(info.eps), exponent), mp.mpf(float(info.smallest_subnormal)))
            gap = abs(mp.mpc(complex(got[i])) - exact) / unit
            errors[i] = float(gap) if mp.isfinite(gap) else np.inf
    return errors
