# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""Artifacts, as jax.export and StableHLO's serializer write them, are the programs whose text JAX lowers."""

import re

import jax
import jaxlib.mlir.dialects.chlo as chlo
import jaxlib.mlir.dialects.sdy as sdy
import jaxlib.mlir.dialects.stablehlo as stablehlo
import numpy as np
import pytest
from jax import export
from jaxlib.mlir import ir

from programs import PROGRAMS
from support import assert_same, load_npy, tenon

# The first ones of each encoding: 0.9 to 0.14 are containers of versions 0 to 4, later ones of 6; 1.1 has batching dimensions, 1.6
# algorithms, 1.9 and 1.10 accuracies, 1.14 regions of composites.
VERSIONS = ["0.9.0", "0.10.0", "0.12.0", "0.14.0", "0.15.0", "1.0.0", "1.5.0", "1.8.0", "1.9.0", "1.13.0",
            stablehlo.get_current_version()]
NAME = re.compile(r'"(?:[^"\\]|\\.)*"|%[\w$.-]+')
DEFINITION = re.compile(r"^ *(%[\w$.-]+(?::\d+)?(?:, %[\w$.-]+(?::\d+)?)*) = |(%[\w$.-]+): |(%[\w$.-]+) = (?=%)")


def serialize(text, version):
    """None where something in the program is younger than the version."""
    try:
        return stablehlo.serialize_portable_artifact_str(text, version)
    except Exception:  # what jaxlib raises has no type of its own
        return None


def deserialize(artifact):
    """The text that StableHLO's own tools have for an artifact."""
    with ir.Context() as context:
        for dialect in (stablehlo, chlo, sdy):
            dialect.register_dialect(context)
        return str(stablehlo.deserialize_portable_artifact(context, artifact))


def shown(path):
    """The module as the command prints it, line by line, with values numbered in the order of their definitions."""
    numbers, count, lines = {}, 0, []
    for line in tenon("show", path).splitlines():
        for match in DEFINITION.finditer(line):
            for name in re.findall(r"%[\w$.-]+", match.group(0)):
                numbers[name], count = f"%{count}", count + 1
        lines.append(NAME.sub(lambda m: m[0] if m[0][0] == '"' else numbers.get(m[0], m[0]), line))
    return lines


def run(path, program, folder):
    """Runs the program and compares with what JAX computes."""
    wanted, arguments = program.expected(), []
    for i, leaf in enumerate(program.inputs()):
        np.save(folder / f"input{i}.npy", leaf)
        arguments += ["--input", folder / f"input{i}.npy"]
    for i in range(len(wanted)):
        arguments += ["--output", folder / f"output{i}.npy"]
    tenon("run", path, *arguments)
    for i, leaf in enumerate(wanted):
        assert_same(load_npy(folder / f"output{i}.npy", leaf.dtype), leaf, program.slack, f"result {i}")


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_exported_program_gives_the_results_of_jax(program, tmp_path):
    jitted = jax.jit(program.function, keep_unused=True, donate_argnums=tuple(program.donate))
    calls = re.findall(r'custom_call @([\w.]+|"[^"]*")', program.lower().as_text())
    allowed = [export.DisabledSafetyCheck.custom_call(name) for name in calls]
    with program.mode():
        exported = export.export(jitted, platforms=["cpu"], disabled_checks=allowed)(*program.arguments)
    if len(exported.module_kept_var_idx) != len(program.inputs()):
        pytest.skip("export leaves unused arguments out")
    path = tmp_path / "program.mlirbc"
    path.write_bytes(exported.mlir_module_serialized)
    run(path, program, tmp_path)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_artifacts_are_the_text_that_stablehlo_makes_of_them(program, tmp_path):
    text, read = program.lower().as_text(), 0
    first = PROGRAMS.index(program)
    for version in VERSIONS[first % len(VERSIONS)::6] + VERSIONS[-1:]:  # every version has many programs
        artifact = serialize(text, version)
        if artifact is None:
            continue
        (tmp_path / "artifact.mlirbc").write_bytes(artifact)
        (tmp_path / "text.mlir").write_text(deserialize(artifact))
        assert shown(tmp_path / "artifact.mlirbc") == shown(tmp_path / "text.mlir"), version
        read += 1
    if not read:
        pytest.skip("StableHLO cannot serialize the program: it has operations of chlo")


def test_a_program_sharded_over_one_device_runs(tmp_path):
    mesh = jax.make_mesh((1,), ("x",), axis_types=(jax.sharding.AxisType.Auto,))
    spread = jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec("x"))

    def function(x):
        y = jax.lax.with_sharding_constraint(x * 2, spread)
        both = jax.shard_map(lambda part: part + part.sum(), mesh=mesh,
                             in_specs=jax.sharding.PartitionSpec("x"), out_specs=jax.sharding.PartitionSpec("x"))
        return both(y)

    x = np.arange(6, dtype=np.float32)
    path, results = tmp_path / "program.mlirbc", tmp_path / "output.npy"
    path.write_bytes(export.export(jax.jit(function))(x).mlir_module_serialized)
    np.save(tmp_path / "input.npy", x)
    tenon("run", path, "--input", tmp_path / "input.npy", "--output", results)
    assert_same(np.load(results), x * 2 + (x * 2).sum())
