# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""Programs by theme give in Tenon what they give in JAX, as text and as artifact; a table says how far they lie apart.

TENON_LONG_TESTS: all of them, else a sample.
"""

import os

import ml_dtypes
import numpy as np
import pytest

import compare
import library
from conftest import OUTCOMES
from programs import Program
from support import COMMAND, ROOT

IS_LONG = bool(os.environ.get("TENON_LONG_TESTS"))
PROGRAMS = [(theme, program) for theme, program in library.programs()
            if program.sample or IS_LONG]


# With TENON_LONG_TESTS the one that sanitizers watch runs them as well.
SANITIZED = ROOT / "build" / "asan" / "cli" / "tenon"
COMMANDS = [COMMAND] + [SANITIZED] * (IS_LONG and SANITIZED.exists())


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.parents[1].name)
@pytest.mark.parametrize("theme, program", PROGRAMS, ids=[f"{theme}.{program.name}" for theme, program in PROGRAMS])
def test_program_gives_the_results_of_jax(theme, program, command, tmp_path):
    outcome = compare.run(program, theme, tmp_path, command)
    if command == COMMAND:
        OUTCOMES.append(outcome)
    if outcome.result == "waits":
        pytest.skip(outcome.message)
    assert outcome.result == "ok", outcome.message


def test_names_are_unique():
    names = [program.name for _, program in library.programs()]
    assert len(names) == len(set(names))


ONES = np.ones(4, np.float32)
NEXT = np.nextafter(ONES, np.float32(2))


@pytest.mark.parametrize("got, wanted, apart", [
    (NEXT, ONES, 1), (ONES, ONES, 0), (ONES * np.nan, ONES * np.nan, 0), (ONES * np.inf, ONES * np.inf, 0),
    (ONES * np.nan, ONES, np.inf), (ONES, ONES * np.inf, np.inf), (-ONES * np.inf, ONES * np.inf, np.inf),
    (NEXT * 2**-100, ONES * np.float32(2**-100), 1), (np.float32([1, 2**-23]), np.float32([1, 0]), 1),
    (np.float32([1000, 2**-23]), np.float32([1000, 0]), 1), (NEXT * 1024, ONES * 1024, 1.0),
    (ONES.astype(ml_dtypes.bfloat16) + ml_dtypes.bfloat16(2**-7), ONES.astype(ml_dtypes.bfloat16), 1),
    (ONES + NEXT * 1j, (ONES + 1j).astype(np.complex64), 2**-0.5), (ONES.astype(np.float64), ONES, np.inf),
    (ONES[:3], ONES, np.inf), (np.int32([1, 2]), np.int32([1, 3]), np.inf),
     (np.int8([-8]), np.array([-8], ml_dtypes.int4), 0),
    (np.int8([8]), np.array([-8], ml_dtypes.int4), np.inf)])
def test_distances_are_counted_in_units_of_the_last_place(got, wanted, apart):
    if np.iscomplexobj(wanted):
        got = got.astype(np.complex64)
    found, complaint = compare.difference(got, wanted, Program("", None, (), ulps=0))
    assert found == pytest.approx(apart, rel=1e-3)
    assert bool(complaint) == (apart != 0)


def test_sums_are_compared_with_the_largest_element():
    got, wanted = np.float32([1000, 2**-12]), np.float32([1000, 2**-13])
    assert compare.units_apart(got, wanted, "each") == pytest.approx(2**23)
    assert compare.units_apart(got, wanted, "ones") == pytest.approx(1024)
    assert compare.units_apart(got, wanted, "largest") == pytest.approx(1.024)
