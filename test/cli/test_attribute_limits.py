# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""Attributes at their limits: every number in every fixture becomes each of a few others. What comes out is a result or an
error, in time, whatever the number was for: strides, windows, permutations, index vectors, counts of groups."""

import os
import pathlib
import re
import subprocess

import pytest

TENON = os.environ["TENON_CLI"]
FILES = sorted((pathlib.Path(__file__).parents[1] / "op").glob("*.mlir"))
NUMBERS = ["-1", "0", "1", "3", "64", "4294967296", "9223372036854775807", "-9223372036854775808"]

# Not in types, names and literals of elements: those decide how large the arrays are.
NUMBER = re.compile(r"(?<![\w%.#@<x])-?\d+(?![\w.x])")
WITHOUT_ATTRIBUTES = re.compile(r"constant|check\.|func\.func|return|\^bb|^\s*//")


def attributes_end(line):
    """Where the types of an operation begin."""
    found = re.search(r" : (\(|tensor|tuple|!)", line)
    return found.start() if found else len(line)


def changed(text):
    """The text with one number in another's place, for each place and number."""
    lines = text.split("\n")
    for at, line in enumerate(lines):
        if WITHOUT_ATTRIBUTES.search(line):
            continue
        for found in NUMBER.finditer(line, 0, attributes_end(line)):
            for number in NUMBERS:
                if number != found.group():
                    other = line[:found.start()] + number + line[found.end():]
                    yield "\n".join([*lines[:at], other, *lines[at + 1:]])


def programs_of(path):
    parts = [re.sub(r"^// error.*$", "", part, flags=re.MULTILINE) for part in path.read_text().split("// -----")]
    return [program for part in parts for program in changed(part)]


@pytest.mark.parametrize("path", filter(programs_of, FILES), ids=lambda path: path.stem)
def test_numbers_at_their_limits_give_results_or_errors(path, tmp_path):
    programs = programs_of(path)
    file = tmp_path / path.name
    file.write_text("\n// -----\n".join(programs))
    done = subprocess.run([TENON, "test", file], capture_output=True, text=True, timeout=600, errors="replace")
    assert done.returncode in (0, 1), done.stderr[-2000:]
    counts = re.search(r"(\d+) ok, (\d+) failed, (\d+) unsupported", done.stdout)
    assert sum(map(int, counts.groups())) == len(programs)
