# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""The element types, as include/tenon/detail/dtype.def lists them, with NumPy's types for those that it has."""

import dataclasses
import pathlib
import re

import ml_dtypes
import numpy as np

ROW = re.compile(r'^TN_DTYPE\(\w+, (\d+), "([^"]*)", "([^"]*)", (\d+), (\w+)\)', re.MULTILINE)


@dataclasses.dataclass(frozen=True)
class Dtype:
    number: int
    mlir: str
    numpy: np.dtype
    bits: int
    kind: str  # BOOL, SIGNED, UNSIGNED, FLOAT, COMPLEX

    def __str__(self):
        return self.mlir

    @property
    def is_integer(self):
        return self.kind in ("SIGNED", "UNSIGNED")

    @property
    def is_inexact(self):
        return self.kind in ("FLOAT", "COMPLEX")

    @property
    def part(self):
        """The type of the real part."""
        return BY_NAME[self.mlir.removeprefix("complex<").removesuffix(">")]


def _numpy_type(name):
    if not name:
        return None
    if hasattr(ml_dtypes, name):
        return np.dtype(getattr(ml_dtypes, name))
    return np.dtype(name) if hasattr(np, name) else None


def _read():
    table = (pathlib.Path(__file__).resolve().parents[2] / "include" / "tenon" / "detail" / "dtype.def").read_text()
    for number, mlir, numpy, bits, kind in ROW.findall(table):
        found = _numpy_type(numpy)
        if found is not None:
            yield Dtype(int(number), mlir, found, int(bits), kind)


DTYPES = list(_read())
BY_NAME = {dtype.mlir: dtype for dtype in DTYPES}
BY_NUMBER = {dtype.number: dtype for dtype in DTYPES}
BY_NUMPY = {dtype.numpy: dtype for dtype in DTYPES}
