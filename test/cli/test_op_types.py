# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""`tenon ops --json` says which element types an operation takes."""

import functools
import json

import pytest

from command import tenon


@functools.cache
def operations():
    return {row["name"]: row for row in json.loads(tenon("ops", "--json")[0])["operations"]}


def test_every_operation_takes_some_type_or_has_no_elements():
    for name, row in operations().items():
        assert row["types"] is None or row["types"] or row["types_not_computed"], name


def test_what_is_valid_is_computed():
    """All but quantized types, which no program has."""
    for name, row in operations().items():
        assert bool(row["types_not_computed"]) == ("quantize" in name), name


@pytest.mark.parametrize("name, dtype, is_computed", [
    ("stablehlo.add", "i1", True), ("stablehlo.add", "f4E2M1FN", True), ("stablehlo.not", "f32", False),
    ("stablehlo.abs", "complex<f32>", True), ("stablehlo.abs", "ui8", False), ("stablehlo.complex", "f64", True),
    ("stablehlo.complex", "f16", False), ("stablehlo.fft", "f32", True), ("stablehlo.fft", "complex<f64>", True),
    ("stablehlo.fft", "bf16", False), ("stablehlo.sort", "bf16", True), ("stablehlo.cholesky", "i32", False)])
def test_rules_decide_which_types_an_operation_takes(name, dtype, is_computed):
    assert (dtype in operations()[name]["types"]) == is_computed


def test_operations_on_tokens_have_no_types():
    assert operations()["stablehlo.after_all"]["types"] is None
