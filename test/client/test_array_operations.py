# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""Every operation on lazy arrays against mlx.core (NumPy where MLX differs) on random operands."""

import os
import re
import subprocess

import pytest

pytest.importorskip("mlx.core", reason="mlx is not installed")

import array_cases
import array_elements  # noqa: F401, as below: they register generators
import array_imports  # noqa: F401
import array_numbers  # noqa: F401
import array_products  # noqa: F401
import array_shapes  # noqa: F401
import array_types  # noqa: F401
from support import BUILD

RUNNER = BUILD / "test" / "array_cases"
LONG = bool(os.environ.get("TENON_LONG_TESTS"))


def failures(cases, folder):
    cases.write(folder)
    done = subprocess.run([RUNNER, folder / "cases.txt", folder / "data.bin"], capture_output=True, text=True,
                          timeout=600)
    assert done.returncode in (0, 1), f"exit code {done.returncode}\n{done.stdout[-2000:]}\n{done.stderr}"
    found = re.findall(r"^case (\d+): (.*)$", done.stdout, re.MULTILINE)
    assert f"{len(found)} of {cases.count} cases failed" in done.stdout, done.stdout[-2000:]
    return [f"{why}\n    {cases.describe(int(number))}" for number, why in found]


def test_every_operation_has_cases():
    done = subprocess.run([RUNNER, "names"], capture_output=True, text=True, check=True, timeout=600)
    assert sorted(done.stdout.split()) == sorted(array_cases.GENERATORS)


@pytest.mark.parametrize("seed", range(8 if LONG else 1))
def test_operations_give_what_mlx_gives(seed, tmp_path):
    found = failures(array_cases.generate(seed, 40 if LONG else 8), tmp_path)
    assert not found, "\n".join([f"{len(found)} failed", *found[:40]])
