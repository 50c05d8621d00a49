# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""Artifacts that Tenon writes are to StableHLO's own tools what their own are, and JAX runs them."""

import dataclasses
import os
import re
import subprocess

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import export

import compare
import library
from programs import PROGRAMS
from support import COMMAND, tenon
from test_bytecode import deserialize, serialize

# Those in which operations or types begin that these programs have, and what jaxlib writes today.
VERSIONS = ["1.0.0", "1.1.0", "1.5.0", "1.6.0", "1.8.0", "1.9.0", "1.10.0", "1.15.0", "1.17.0"]
IS_LONG = bool(os.environ.get("TENON_LONG_TESTS"))
THEMES = [program for _, program in library.programs() if program.sample or IS_LONG]


def convert(path, *options):
    """The artifact that Tenon makes of a file; None where it is refused, with a reason."""
    target = path.with_suffix(".written.mlirbc")
    done = subprocess.run([COMMAND, "convert", path, target, *options], capture_output=True, text=True, timeout=600)
    if done.returncode:
        assert re.search(r"no artifact can hold it|is in StableHLO from version", done.stderr), done.stderr
        return None
    return target.read_bytes()


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_written_programs_are_those_of_stablehlos_own_serializer(program, tmp_path):
    text = program.lower().as_text()
    (tmp_path / "program.mlir").write_text(text)
    compared = 0
    for version in VERSIONS:
        wanted = serialize(text, version)
        written = convert(tmp_path / "program.mlir", "--target-version", version)
        assert (wanted is None) == (written is None), version
        if written is None:
            continue
        assert deserialize(written) == deserialize(wanted), version
        compared += 1
    oldest = convert(tmp_path / "program.mlir")
    assert (oldest is None) == (compared == 0)
    if oldest is None:
        pytest.skip("the program has operations of chlo")
    assert deserialize(oldest) == deserialize(wanted)


def run(exported, program):
    # The optimiser of loops changes how long LLVM takes, not what comes out.
    lowered = jax.jit(exported.call).lower(*program.arguments)
    return lowered.compile({"xla_backend_optimization_level": 0})(*program.arguments)


@pytest.mark.parametrize("program", THEMES, ids=lambda program: program.name)
def test_jax_runs_what_tenon_made_of_its_artifact(program, tmp_path):
    exported = compare.exported_program(program)
    path = tmp_path / "program.mlirbc"
    path.write_bytes(exported.mlir_module_serialized)
    written = convert(path)
    assert written is not None
    again = dataclasses.replace(exported, mlir_module_serialized=written)
    with program.mode():
        wanted, got = (jax.tree.leaves(run(one, program)) for one in (exported, again))
    assert len(got) == len(wanted)
    for one, other in zip(got, wanted):
        np.testing.assert_array_equal(np.asarray(one), np.asarray(other))


def test_a_program_of_another_origin_takes_the_place_of_an_exported_one(tmp_path):
    def f(x):
        return x

    text, path = tmp_path / "program.mlir", tmp_path / "program.mlirbc"
    text.write_text("func.func public @main(%x: tensor<3xf32>) -> tensor<3xf32> {\n"
                    "  %0 = stablehlo.add %x, %x : tensor<3xf32>\n  return %0 : tensor<3xf32>\n}\n")
    tenon("convert", text, path)
    x = jnp.arange(3, dtype=jnp.float32)
    exported = export.export(jax.jit(f))(x)  # whose inputs and outputs are those of the program
    exported = dataclasses.replace(exported, mlir_module_serialized=path.read_bytes())
    y = exported.call(x)
    np.testing.assert_array_equal(np.asarray(y), [0, 2, 4])
