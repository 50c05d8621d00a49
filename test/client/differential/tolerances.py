# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""How far XLA's results may be from Tenon's, in units in the last place, and why."""

# Operation: units for dtypes of 32 bits and more, units for narrower ones, reason. Others must agree to the last bit.
TABLE = {}

FUNCTIONS = """atan2 cbrt cosine exponential exponential_minus_one log log_plus_one logistic power rsqrt sine tan tanh
chlo.acos chlo.acosh chlo.asin chlo.asinh chlo.atan chlo.atanh chlo.bessel_i1e chlo.cosh chlo.digamma chlo.erf
chlo.erf_inv chlo.erfc chlo.lgamma chlo.polygamma chlo.sinh chlo.tan chlo.zeta""".split()
for _name in FUNCTIONS:
    TABLE[_name] = (8, 4, "XLA approximates by polynomials, and computes f8 in f16")
TABLE["sqrt"] = (0, 1, "XLA computes f8 in f16, and rounds twice")


def tolerance(case, dtype):
    if not dtype.is_inexact:
        return 0
    if case.ulps is not None:
        return case.ulps
    row = TABLE.get(case.operation)
    if row is None:
        return 4 if case.elementwise and dtype.kind == "COMPLEX" else 0
    if dtype.kind == "COMPLEX":
        return max(row[0] if row else 0, 4)
    return row[0] if dtype.part.bits >= 32 else row[1]
