# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""docs/jax-model.md, followed word by word from an empty folder, against an installed Tenon; and README's first program."""

import re
import subprocess
import sys

import numpy as np
import pytest
from command import COMMAND, ROOT
from guide import Guide, install, is_example

GUIDE = Guide("jax-model.md")


def test_following_it_gives_what_it_shows(tmp_path):
    install(tmp_path)
    folder = tmp_path / "model"
    folder.mkdir()
    assert GUIDE.follow(tmp_path, Guide("write-an-operation.md").only("sh"), folder) > 8


@pytest.mark.parametrize("name", GUIDE.files())
def test_its_files_are_those_of_the_example(name):
    assert is_example(GUIDE.files()[name], f"jax_model/{name}")


def test_program_of_the_readme_runs_from_the_command(tmp_path):
    line, = re.findall(r"`tenon (run model\.mlirbc .*?)`", (ROOT / "README.md").read_text(), re.DOTALL)
    subprocess.run([sys.executable, ROOT / "examples/jax_model/first.py"], cwd=tmp_path, check=True)
    subprocess.run([COMMAND, *line.split()], cwd=tmp_path, check=True)
    x = np.load(tmp_path / "x.npy")
    np.testing.assert_allclose(np.load(tmp_path / "y.npy"), np.exp(x) / np.exp(x).sum(), rtol=1e-6)
