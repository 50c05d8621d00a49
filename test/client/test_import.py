# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""Functions that JAX exports, imported as functions of lazy arrays."""

import pytest

pytest.importorskip("mlx.core", reason="mlx is not installed")

import array_cases
import array_imports
from test_array_operations import failures


def test_exported_functions_compute_and_transform_as_in_jax(tmp_path):
    cases = array_cases.Cases(5)
    for name, (_, _, modes) in array_imports.FUNCTIONS.items():
        for mode in modes:
            array_imports.add(cases, name, mode)
    found = failures(cases, tmp_path)
    assert not found, "\n".join([f"{len(found)} failed", *found])
