# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""Other devices do what the CPU does, with memory that the host cannot see: for every example, the demo, and lazy
arrays."""

import json
import os
import pathlib
import re
import subprocess

import device
import pytest

TENON = os.environ["TENON_CLI"]
BUILD = pathlib.Path(os.environ["TENON_BUILD_DIR"])
EXAMPLES = pathlib.Path(__file__).parents[2] / "examples"
DEVICES = device.others()


def on(name):
    return {**os.environ, "TENON_DEVICE": name}


def example_tests():
    done = subprocess.run(["ctest", "--test-dir", str(BUILD), "-L", "^example$", "--show-only=json-v1"],
                          capture_output=True, text=True, check=True)
    return json.loads(done.stdout)["tests"]


@pytest.mark.parametrize("name", DEVICES)
@pytest.mark.parametrize("test", example_tests(), ids=lambda test: test["name"])
def test_example_passes(test, name):
    expected = [pattern for prop in test["properties"] if prop["name"] == "PASS_REGULAR_EXPRESSION"
                for pattern in prop["value"]]
    done = subprocess.run(test["command"], env=on(name), capture_output=True, text=True)
    if expected:
        assert any(re.search(pattern, done.stdout) for pattern in expected), done.stdout + done.stderr
    else:
        assert done.returncode == 0, done.stdout + done.stderr


# Not those of fusion (which look into the CPU's kernel) and of donation (what the host computes lies in copies). Those of `LONG`
# take minutes where kernels are compiled, and a minute where regions are interpreted.
LONG = {"array_bad_arguments", "array_many_dimensions", "transform_rules_matrix", "transform_rules_rules",
        "transform_rules_window", "transform_training"}


@pytest.mark.parametrize("name", DEVICES)
@pytest.mark.parametrize("test", ["lazy_array", "array_bad_arguments", "array_definition", "array_many_dimensions",
                                  "array_missing_arguments", "array_elementwise", "array_fast", "array_index",
                                  "array_linalg", "array_product", "array_random", "array_reduce", "array_shape",
                                  "array_sort", "array_strides", "transform_rules_matrix", "transform_rules_rules",
                                  "transform_rules_window", "transform_compiled", "transform_training",
                                  "transform_transform", "import_import"])
def test_lazy_arrays_pass(test, name):
    program = BUILD / f"src/{test}_test"
    if test in LONG and "TENON_LONG_TESTS" not in os.environ:
        pytest.skip("with TENON_LONG_TESTS")
    if not program.exists():
        pytest.skip("cmocka was not found when Tenon was configured")
    done = subprocess.run([program], env=on(name), capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("name", DEVICES)
def test_demo_finds_the_same_digits(tmp_path, name):
    digits = EXAMPLES / "digits"
    out = {}
    for place in ["cpu", name]:
        out[place] = tmp_path / f"{place}.npy"
        subprocess.run([TENON, "run", digits / "digits.mlir", "--device", place,
                        "--load", BUILD / "examples/digits/libdigits.so", "--input", digits / "images.npy",
                        "--output", out[place], "--output", tmp_path / "probabilities.npy"], check=True)
    assert out["cpu"].read_bytes() == out[name].read_bytes()


@pytest.mark.parametrize("name", DEVICES)
def test_demo_takes_a_device(name):
    done = subprocess.run([EXAMPLES / "digits/demo.sh", BUILD, "--device", name], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert f"--device {name}" in done.stdout


@pytest.mark.parametrize("name", DEVICES)
def test_host_instructions_and_copies_are_shown(name):
    program = subprocess.run([TENON, "show", "--stage", "program", "--device", name, EXAMPLES / "digits/digits.mlir",
                              "--load", BUILD / "examples/digits/libdigits.so"], capture_output=True, text=True, check=True)
    kernels = [line.split()[1] for line in program.stdout.splitlines() if re.match(r"  \d+ ", line)]
    call = next(i for i, kernel in enumerate(kernels) if kernel.startswith("call"))
    if name == "reference":
        assert "copy.to_host" in kernels[:call] and "copy.to_device" in kernels[call:]
    else:  # the network's operations have kernels for it
        assert kernels[call] == "call.strided_gpu" and "copy.to_host" not in kernels[:call]
