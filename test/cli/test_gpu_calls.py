# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""`tenon run --device` computes programs with custom calls on a GPU, by the functions that are for it: OpenCL where there is a
device, CUDA on a simulated driver, and on a GPU where there is one."""

import json
import os
import pathlib
import re
import subprocess

import cuda
import device
import numpy
import pytest

TENON = os.environ["TENON_CLI"]
BUILD = pathlib.Path(os.environ["TENON_BUILD_DIR"])
EXAMPLES = pathlib.Path(__file__).parents[2] / "examples"

SUM = """
func.func @main(%b: tensor<128xf32>, %c: tensor<2048xf32>) -> tensor<2048xf32> {{
  %a = stablehlo.custom_call @{target}(%b, %c) {{api_version = {version} : i32}}
      : (tensor<128xf32>, tensor<2048xf32>) -> tensor<2048xf32>
  return %a : tensor<2048xf32>
}}
"""
AXPBY = """
func.func @main(%x: tensor<300x500x{dtype}>, %y: tensor<300x500x{dtype}>, %v: tensor<500x300x{dtype}>) -> (tensor<300x500x{dtype}>,
    tensor<300x500x{dtype}>) {{
  %dense = stablehlo.custom_call @axpby(%x, %y) {{api_version = 4 : i32, backend_config = {{alpha = 2.0 : f32, beta = -1.0 : f32}}}}
      : (tensor<300x500x{dtype}>, tensor<300x500x{dtype}>) -> tensor<300x500x{dtype}>
  %t = stablehlo.transpose %v, dims = [1, 0] : (tensor<500x300x{dtype}>) -> tensor<300x500x{dtype}>
  %strided = stablehlo.custom_call @axpby(%x, %t) {{api_version = 4 : i32, backend_config = {{alpha = 0.5 : f32}}}}
      : (tensor<300x500x{dtype}>, tensor<300x500x{dtype}>) -> tensor<300x500x{dtype}>
  return %dense, %strided : tensor<300x500x{dtype}>, tensor<300x500x{dtype}>
}}
"""
PRODUCT = """
func.func @main(%x: tensor<5x7xf32>, %w: tensor<7x3xf32>) -> tensor<5x3xf32> {
  %a = stablehlo.add %x, %x : tensor<5x7xf32>
  %y = stablehlo.custom_call @product(%a, %w) {api_version = 4 : i32} : (tensor<5x7xf32>, tensor<7x3xf32>) -> tensor<5x3xf32>
  %z = stablehlo.negate %y : tensor<5x3xf32>
  return %z : tensor<5x3xf32>
}
"""
PARTS = "tuple<tensor<32xf32>, tuple<tensor<64xf32>, tensor<128xf32>>, tensor<256xf32>>"
# Four operands and two results are six leaves.
TUPLE = f"""
func.func @main(%p0: {PARTS}) -> tensor<512xf32> {{
  %both = stablehlo.custom_call @sum_tuple(%p0) : ({PARTS}) -> tuple<tensor<512xf32>, tensor<1024xf32>>
  %sums = stablehlo.get_tuple_element %both[0] : (tuple<tensor<512xf32>, tensor<1024xf32>>) -> tensor<512xf32>
  return %sums : tensor<512xf32>
}}
"""

# By name: the program, its inputs, how many outputs, its example, and which kernel computes the custom calls.
CASES = {
    "the digits demo": (EXAMPLES / "digits/digits.mlir", [EXAMPLES / "digits/images.npy"], 2, "digits", "call.strided_gpu"),
    "the sum, untyped": (SUM.format(target="add_fixed", version=1), ["random:1", "random:2"], 1, "broadcast_add", "call.stream"),
    "the sum, typed": (SUM.format(target="broadcast_add", version=4), ["random:1", "random:2"], 1, "broadcast_add", "call.typed"),
    "cuBLAS on the call's stream": (PRODUCT, ["iota", "random:2"], 1, "product", "call.typed"),
    "the tuple": (TUPLE, ["random:1", "random:2", "random:3", "random:4"], 1, "tuples", "call.stream"),
    **{f"axpby, {dtype}": (AXPBY.format(dtype=dtype), ["random:1", "random:2", "random:3"], 2, "axpby", "call.strided_gpu")
       for dtype in ["f32", "f16", "bf16", "complex<f32>"]},
}


def library(example, kind=""):
    return BUILD / f"examples/{example}/lib{example}{kind}.so"


def libraries(example, name):
    """The example's, and the one for the device's own stream where it has one."""
    is_simulated = os.environ.get("LD_LIBRARY_PATH") == str(cuda.FOLDER)
    of_cuda = [cuda.FOLDER / f"lib{example}{way}.so" if is_simulated else library(example, way) for way in ["_nvrtc", "_cublas"]]
    own = {"opencl": [library(example, "_opencl")], "cuda": of_cuda}.get(name, [])
    return [library(example), *(file for file in own if file.exists())]


@pytest.fixture(params=["opencl", "cuda", "simulated cuda"])
def gpu(request, monkeypatch):
    name = request.param.removeprefix("simulated ")
    if request.param == "simulated cuda":
        if not cuda.EXISTS:
            pytest.skip(cuda.REASON)
        for variable, value in cuda.environment().items():
            monkeypatch.setenv(variable, value)
    elif f"{name}:0" not in device.all():
        pytest.skip(f"there is no device of {'CUDA' if name == 'cuda' else 'OpenCL'}")
    return name


def write(program, folder):
    if isinstance(program, pathlib.Path):
        return program
    file = folder / "program.mlir"
    file.write_text(program)
    return file


def tenon(command, path, name, example, *arguments):
    loads = [argument for file in libraries(example, name) for argument in ("--load", file)]
    done = subprocess.run([TENON, command, path, "--device", name, *loads, *arguments], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def outputs(path, name, example, inputs, count, folder):
    files = [folder / f"{name}-{i}.npy" for i in range(count)]
    tenon("run", path, name, example, *(argument for spec in inputs for argument in ("--input", spec)),
          *(argument for file in files for argument in ("--output", file)))
    return [numpy.load(file) for file in files]


def as_numbers(array):
    """bf16 is stored as its bytes."""
    return (array.view(numpy.uint16).astype(numpy.uint32) << 16).view(numpy.float32) if array.dtype.kind == "V" else array


@pytest.mark.parametrize("case", CASES)
def test_run_finds_what_the_cpu_finds(case, gpu, tmp_path):
    program, inputs, count, example, kernel = CASES[case]
    if kernel != "call.strided_gpu" and len(libraries(example, gpu)) == 1:
        pytest.skip(f"the example {example} has no functions for {gpu} here")
    path = write(program, tmp_path)
    instructions = json.loads(tenon("show", path, gpu, example, "--stage", "program", "--json"))["instructions"]
    calls = [it["kernel"] for it in instructions if it["kernel"].startswith("call.")]
    assert calls and set(calls) == {kernel}, instructions
    for of_cpu, of_gpu in zip(outputs(path, "cpu", example, inputs, count, tmp_path),
                              outputs(path, gpu, example, inputs, count, tmp_path)):
        if of_cpu.dtype.kind == "i":
            numpy.testing.assert_array_equal(of_gpu, of_cpu)
        else:
            tolerance = 2**-7 if of_cpu.dtype.kind == "V" else 2**-9 if of_cpu.dtype == numpy.float16 else 2e-5
            numpy.testing.assert_allclose(as_numbers(of_gpu), as_numbers(of_cpu), rtol=tolerance, atol=tolerance / 10)


@pytest.mark.parametrize("example", ["broadcast_add", "tuples"])
def test_nvcc_builds_the_functions(example):
    built = [library(example, kind) for kind in ["_cuda", "_nvrtc"] if library(example, kind).exists()]
    if not built or not cuda.EXISTS:
        pytest.skip("there is no toolkit of CUDA" if cuda.EXISTS else cuda.REASON)
    for file in built:
        shown = subprocess.run([TENON, "inspect", file], capture_output=True, text=True, env=cuda.environment())
        assert shown.returncode == 0, shown.stderr
        assert re.search(r"^\w+ on CUDA$", shown.stdout, re.MULTILINE), shown.stdout
