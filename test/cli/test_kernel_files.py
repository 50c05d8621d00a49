# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""Kernel libraries that are files beside the library of their operation (test/kernel_files)."""

import ctypes
import os
import pathlib
import shutil
import subprocess

import cuda
import device
import pytest

TENON = os.environ["TENON_CLI"]
FOLDER = pathlib.Path(os.environ["TENON_BUILD_DIR"]) / "test/kernel_files"
PROGRAM = pathlib.Path(__file__).parents[1] / "kernel_files/scale.mlir"

simulated = pytest.mark.skipif(not cuda.EXISTS, reason=cuda.REASON)


@pytest.fixture
def folder(tmp_path):
    """The library and its kernels' source, elsewhere than they were built."""
    for name in ["libscale.so", "scale_kernels.kernels"]:
        shutil.copy(FOLDER / name, tmp_path)
    return tmp_path


def run(folder, name, cwd=None, library=None):
    environment = cuda.environment(XDG_CACHE_HOME=str(folder / "cache")) if name == "cuda" else os.environ
    done = subprocess.run([TENON, "test", PROGRAM, "--device", name, "--load", library or folder / "libscale.so"], cwd=cwd,
                          env=environment, capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


@pytest.fixture(params=["opencl", "cuda"])
def gpu(request):
    if request.param == "opencl" and "opencl:0" not in device.all():
        pytest.skip("there is no device of OpenCL")
    if request.param == "cuda" and not cuda.EXISTS:
        pytest.skip(cuda.REASON)
    return request.param


def test_files_are_found_beside_the_library(folder, gpu):
    assert run(folder, gpu)[0] == 0


def test_files_are_found_beside_a_library_that_is_loaded_by_a_relative_path(folder, gpu):
    assert run(folder, gpu, cwd=folder, library="./libscale.so")[0] == 0


def test_a_missing_file_is_named(folder, gpu):
    (folder / "scale_kernels.kernels").unlink()
    code, told = run(folder, gpu)
    assert code == 1
    assert f"custom call @scale: NOT_FOUND: {folder}/scale_kernels.kernels: No such file or directory" in told


def test_errors_are_located_in_the_files_that_were_bundled(folder, gpu):
    file = folder / "scale_kernels.kernels"
    file.write_text(file.read_text().replace("y[i] = x[i] + SHIFT;", "y[i] = what;"))
    code, told = run(folder, gpu)
    assert code == 1
    assert "kernel library scale_kernels does not compile" in told
    assert "shift.cl:10:" in told


def simulated_binary(source, architecture):
    """What the simulated compiler makes of a source."""
    nvrtc = ctypes.CDLL(cuda.FOLDER / "libnvrtc.so.12")
    program, size = ctypes.c_void_p(), ctypes.c_size_t()
    options = (ctypes.c_char_p * 1)(f"--gpu-architecture={architecture}".encode())
    assert nvrtc.nvrtcCreateProgram(ctypes.byref(program), source.encode(), b"scale", 0, None, None) == 0
    assert nvrtc.nvrtcCompileProgram(program, 1, options) == 0
    assert nvrtc.nvrtcGetCUBINSize(program, ctypes.byref(size)) == 0
    binary = ctypes.create_string_buffer(size.value)
    assert nvrtc.nvrtcGetCUBIN(program, binary) == 0
    return binary.raw


# Not what the source says, so that results tell them apart.
BINARY = """
extern "C" __global__ void scale(const float* x, float* y, long long size) {
  const long long i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < size) y[i] = -x[i];
}
extern "C" __global__ void shift(const float* x, float* y, long long size) {
  const long long i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < size) y[i] = x[i] - 1;
}
"""


@simulated
def test_cuda_takes_the_binary_of_nvcc(folder):
    (folder / "scale_kernels.fatbin").write_bytes(simulated_binary(BINARY, "sm_90"))
    code, told = run(folder, "cuda")
    assert code == 1
    assert "is -1; expected 1 (5 of 5 elements differ)" in told


@simulated
@pytest.mark.parametrize("binary", ["other GPUs", "no binary", "nvcc"])
def test_cuda_compiles_the_source_where_the_binary_is_not_for_it(binary, folder):
    file = folder / "scale_kernels.fatbin"
    if binary == "other GPUs":
        file.write_bytes(simulated_binary(BINARY, "sm_80"))
    elif binary == "no binary":
        file.write_bytes(b"what the driver does not know, and longer than a header")
    elif not (FOLDER / file.name).exists():
        pytest.skip("nvcc was not found when Tenon was configured")
    else:  # the simulated driver runs nothing of it
        shutil.copy(FOLDER / file.name, file)
    assert run(folder, "cuda")[0] == 0
