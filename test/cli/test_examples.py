# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""The example programs say how they are used."""

import os
import subprocess

import pytest

from command import BUILD

PROGRAMS = sorted(path for path in (BUILD / "examples").glob("*/*")
                  if path.is_file() and os.access(path, os.X_OK) and path.suffix != ".so")


def run(program, *arguments):
    return subprocess.run([program, *arguments], text=True, capture_output=True, stdin=subprocess.DEVNULL, timeout=600)


def test_there_are_programs():
    assert len(PROGRAMS) >= 14


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.name)
def test_programs_without_their_arguments_print_their_usage(program):
    done = run(program)
    assert done.returncode in (0, 2)
    assert done.stderr.startswith("usage: ") == (done.returncode == 2)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.name)
def test_programs_name_the_file_that_does_not_exist(program):
    arguments = ["nowhere.so"] * run(program).stderr.count(" ", len("usage: "))
    done = run(program, *arguments)
    assert (done.returncode == 0) == (not arguments)
    assert not arguments or "nowhere.so" in done.stdout + done.stderr
