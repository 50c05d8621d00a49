# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""Elementwise functions are close to the exact value, and docs/accuracy.md shows a table of how close they are."""

import re

import numpy as np
import pytest

from support import ROOT

pytest.importorskip("mpmath")
import accuracy  # noqa: E402

# Units in the last place. Complex results count as points.
LIMITS = {"f32": 2, "f16": 1, "bf16": 1, "f64": 4, "complex<f32>": 3, "complex<f64>": 4}


@pytest.mark.parametrize("operation", accuracy.OPERATIONS)
def test_function_is_close_to_the_exact_value(operation):
    random = np.random.default_rng(1)
    for column in accuracy.columns(operation):
        count = 20000 if operation in accuracy.LIBRARY and column in accuracy.PLAIN else 60
        worst, where = accuracy.measure(operation, column, count, random)
        assert worst <= LIMITS[column], f"{operation} of {column} is {worst:.3g} ulp off at {where}"


def test_document_shows_every_function_within_the_limits():
    rows = dict(re.findall(r"^\| (\S+) \| (.*) \|$", (ROOT / "docs" / "accuracy.md").read_text(), re.MULTILINE))
    assert set(accuracy.OPERATIONS) <= set(rows), "tools/accuracy --write prints the table"
    for operation in accuracy.OPERATIONS:
        for column, cell in zip(accuracy.COLUMNS, rows[operation].split("|")):
            assert not cell.strip() or float(cell) <= LIMITS[column], f"{operation} of {column}"
