# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""test/op/<operation>.mlir: input, operation, expected value. A part with the line `// error: TEXT` is refused with it."""

import json
import os
import pathlib
import re
import subprocess

import device
import pytest

TENON = os.environ["TENON_CLI"]
FOLDER = pathlib.Path(__file__).parents[1] / "op"
FILES = sorted(FOLDER.glob("*.mlir"))

# Operations that no program has by itself, or that only make sense inside others.
WITHOUT_FIXTURE = {"return", "check.expect_eq", "check.expect_eq_const", "check.expect_almost_eq",
                   "check.expect_almost_eq_const", "check.expect_close"}


def parts(path):
    return path.read_text().split("// -----")


def error_of(part):
    found = re.search(r"^// error: (.*)$", part, re.MULTILINE)
    return found and found.group(1)


@pytest.mark.parametrize("name", device.all())
@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_computes_what_the_fixture_says(path, name, tmp_path):
    accepted = [part for part in parts(path) if not error_of(part)]
    file = tmp_path / path.name
    file.write_text("// -----".join(accepted))
    # The device's own kernels, and where there is one the strict arithmetic that tests have by default.
    for options in ([], ["--arithmetic", "fast"]):
        done = subprocess.run([TENON, "test", str(file), "--device", name, *options], capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
        assert ", 0 unsupported" in done.stdout


@pytest.mark.parametrize("path", [p for p in FILES if any(map(error_of, parts(p)))], ids=lambda p: p.stem)
def test_refuses_what_the_fixture_says(path, tmp_path):
    for part in filter(error_of, parts(path)):
        file = tmp_path / path.name
        file.write_text(part)
        done = subprocess.run([TENON, "show", str(file), "--stage", "plan"], capture_output=True, text=True)
        assert done.returncode == 1, part
        assert error_of(part) in done.stderr, done.stderr


def test_every_operation_that_is_computed_has_a_fixture():
    listed = json.loads(subprocess.run([TENON, "ops", "--json"], check=True, capture_output=True).stdout)
    names = {operation["name"].removeprefix("stablehlo.").removeprefix("func.")
             for operation in listed["operations"] if operation["supported"]}
    missing = names - {path.stem for path in FILES} - WITHOUT_FIXTURE
    assert not missing
