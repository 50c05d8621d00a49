# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""GPUs compute these programs themselves, with so many launches, and find what the CPU finds. What is in the folder `lanes`, the
host computes where the items of a group are not fast together."""

import json
import os
import pathlib
import re
import subprocess

import device
import numpy
import pytest

TENON = os.environ["TENON_CLI"]
GPUS = [name for name in device.others() if name != "reference"]
PROGRAMS = pathlib.Path(__file__).parent / "gpu"


def kernels(path, name):
    shown = subprocess.run([TENON, "show", "--stage", "program", "--device", name, path], capture_output=True, text=True,
                           check=True)
    # A library of the device's stands in for a kernel of ours.
    return [line.split()[1].replace("cublas.", "gpu.") for line in shown.stdout.splitlines() if re.match(r"  \d+ ", line)]


def outputs(path, name, folder, count):
    files = [folder / f"{name.replace(':', '')}-{i}.npy" for i in range(count)]
    inputs = re.search(r"^// inputs: (.*)$", path.read_text(), re.MULTILINE).group(1).split()
    subprocess.run([TENON, "run", path, "--device", name, *(arg for spec in inputs for arg in ("--input", spec)),
                    *(arg for file in files for arg in ("--output", file))], check=True)
    return [numpy.load(file) for file in files]


@pytest.mark.parametrize("name", GPUS)
@pytest.mark.parametrize("path", sorted(PROGRAMS.glob("*.mlir")), ids=lambda path: path.stem)
def test_finds_what_the_cpu_finds(path, name, tmp_path):
    text = path.read_text()
    expected = re.search(r"^// kernels: (.*)$", text, re.MULTILINE).group(1).split()
    assert kernels(path, name) == expected
    count = int(re.search(r"^// outputs: (\d+)$", text, re.MULTILINE).group(1))
    for of_cpu, of_gpu in zip(outputs(path, "cpu", tmp_path, count), outputs(path, name, tmp_path, count)):
        if of_cpu.dtype == numpy.float16:  # sums in another order may be rounded to the next number
            numpy.testing.assert_allclose(of_gpu, of_cpu, rtol=2.0**-10, atol=2.0**-24)
        elif of_cpu.dtype.kind in "fc":
            numpy.testing.assert_allclose(of_gpu, of_cpu, rtol=2e-5, atol=2e-6)
        else:
            numpy.testing.assert_array_equal(of_gpu, of_cpu)


@pytest.mark.parametrize("name", GPUS)
def test_members_of_fusions_are_shown(name):
    path = PROGRAMS / "fusion_chain.mlir"
    members = ["add", "multiply", "tanh", "compare", "select", "convert"]
    text = subprocess.run([TENON, "show", "--stage", "program", "--device", name, path], capture_output=True, text=True,
                          check=True).stdout
    assert [line.split()[0] for line in text.splitlines() if line.startswith(" " * 10)] == members
    shown = json.loads(subprocess.run([TENON, "show", "--stage", "program", "--json", "--device", name, path],
                                      capture_output=True, text=True, check=True).stdout)
    assert [operation["operation"] for operation in shown["instructions"][0]["operations"]] == [
        f"stablehlo.{member}" for member in members]
