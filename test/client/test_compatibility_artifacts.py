# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""JAX's own compatibility artifacts, of 2023 on, as its package has them: every one is read, every one for CPUs runs
and gives what JAX expects, and one for another platform runs or says which kernel it lacks.

The folder is that of the installed jax; TENON_JAX_ARTIFACTS names another one (export_back_compat_test_data of a
checkout). With neither, the tests are skipped and say so."""

import importlib.util
import os
import pathlib
import re
import subprocess

import numpy as np
import pytest

from support import COMMAND, assert_same

INSTALLED = "jax._src.internal_test_util.export_back_compat_test_data"
FEWEST = 142  # in jax 0.10.2


def folder():
    named = os.environ.get("TENON_JAX_ARTIFACTS")
    if named:
        return pathlib.Path(named)
    spec = importlib.util.find_spec(INSTALLED)
    return pathlib.Path(spec.origin).parent if spec and spec.origin else None


FOLDER = folder()
if FOLDER is None:
    pytest.skip(f"this jax has no {INSTALLED}; TENON_JAX_ARTIFACTS may name a folder that has them",
                allow_module_level=True)


def artifacts(value):
    """The artifacts in nested dictionaries and lists."""
    if isinstance(value, dict) and "mlir_module_serialized" in value:
        yield value
    elif isinstance(value, dict):
        for inner in value.values():
            yield from artifacts(inner)
    elif isinstance(value, (list, tuple)):
        for inner in value:
            yield from artifacts(inner)


def load(path):
    spec = importlib.util.spec_from_file_location(f"artifacts_{path.stem}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    for name, value in vars(module).items():
        if not name.startswith("__"):
            for number, artifact in enumerate(artifacts(value)):
                yield pytest.param(artifact, id=f"{path.stem}-{name}-{number}")


ALL = [case for path in sorted(FOLDER.rglob("*.py")) for case in load(path)]
LACKING = re.compile(r"^error: custom call @\S+: (nothing is registered|.* several devices are not supported)")


def tenon(*arguments):
    return subprocess.run([COMMAND, *map(str, arguments)], capture_output=True, text=True, timeout=600)


def run(artifact, path):
    """The process, and the results as far as it came to them."""
    program, options, outputs = path / "program.mlirbc", [], []
    program.write_bytes(artifact["mlir_module_serialized"])
    for number, value in enumerate(artifact["inputs"]):
        np.save(path / f"in{number}.npy", np.asarray(value))
        options += ["-i", path / f"in{number}.npy"]
    for number, _ in enumerate(artifact["expected_outputs"]):
        outputs.append(path / f"out{number}.npy")
        options += ["-o", outputs[-1]]
    done = tenon("run", program, *options)
    return done, [np.load(output) for output in outputs] if done.returncode == 0 else []


# What LAPACK leaves open, signs and orders of vectors, is compared by what it does not.
def unique(name, results):
    if "eig" in name:  # vectors, and values in any order
        values = results[0 if "geev" in name else 1]
        return [np.sort_complex(values).astype(values.dtype) if values.dtype.kind == "c" else np.sort(values)]
    if "gees" in name:  # the triangle, and the vectors: their product is the input
        triangle, vectors = results
        return [vectors @ triangle @ np.conj(np.swapaxes(vectors, -1, -2))]
    return results


def test_there_are_as_many_as_jax_has():
    if os.environ.get("TENON_JAX_ARTIFACTS"):
        assert ALL
    else:
        assert len(ALL) >= FEWEST


@pytest.mark.parametrize("artifact", ALL)
def test_it_is_read(artifact, tmp_path):
    path = tmp_path / "program.mlirbc"
    path.write_bytes(artifact["mlir_module_serialized"])
    done = tenon("check", path)
    assert done.returncode == 0, done.stderr


def of(*platforms):
    return [case for case in ALL if case.values[0]["platform"] in platforms]


@pytest.mark.parametrize("artifact", of("cpu"))
def test_a_program_for_cpus_runs(artifact, tmp_path, request):
    done, results = run(artifact, tmp_path)
    assert done.returncode == 0, done.stderr
    expected = [np.asarray(value) for value in artifact["expected_outputs"]]
    assert [(r.dtype, r.shape) for r in results] == [(e.dtype, e.shape) for e in expected]
    name = request.node.callspec.id
    for found, wanted in zip(unique(name, results), unique(name, expected), strict=True):
        assert_same(found, wanted, slack=100)


@pytest.mark.parametrize("artifact", of("cuda", "rocm", "tpu"))
def test_a_program_for_another_platform_runs_or_says_what_it_lacks(artifact, tmp_path):
    done, _ = run(artifact, tmp_path)
    if done.returncode:
        assert LACKING.search(done.stderr), done.stderr
