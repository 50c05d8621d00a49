# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""What JAX lowers gives in Tenon what it gives in JAX."""

import numpy as np
import pytest

from programs import PROGRAMS
from support import assert_same, load_npy, tenon


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_program_gives_the_results_of_jax(program, tmp_path):
    text = tmp_path / "program.mlir"
    text.write_text(program.lower().as_text(debug_info=True))
    wanted = program.expected()
    arguments = []
    for i, leaf in enumerate(program.inputs()):
        np.save(tmp_path / f"input{i}.npy", leaf)
        arguments += ["--input", tmp_path / f"input{i}.npy"]
    for i in range(len(wanted)):
        arguments += ["--output", tmp_path / f"output{i}.npy"]
    tenon("run", text, *arguments)
    for i, leaf in enumerate(wanted):
        assert_same(load_npy(tmp_path / f"output{i}.npy", leaf.dtype), leaf, program.slack, f"result {i}")
