# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""The device `cuda` on a simulated driver: nothing here says what a GPU does (test/simulated_cuda/README.md)."""

import ctypes
import glob
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

import cuda
import pytest
import test_gpu_kernels
import test_other_devices

TENON = os.environ["TENON_CLI"]
BUILD = pathlib.Path(os.environ["TENON_BUILD_DIR"])
ROOT = pathlib.Path(__file__).parents[2]
FIXTURES = sorted((ROOT / "test/op").glob("*.mlir"))
ARCHITECTURES = ["sm_80", "sm_90", "sm_100"]

simulated = pytest.mark.skipif(not cuda.EXISTS, reason=cuda.REASON)


def run(*arguments, **more):
    return subprocess.run(arguments, env=cuda.environment(**more), capture_output=True, text=True)


@pytest.fixture(scope="session")
def kernels(tmp_path_factory):
    """Where the sources of kernels that were loaded are kept."""
    return tmp_path_factory.mktemp("kernels")


def kept(folder):
    return {"SIMULATED_CUDA_KEEP": str(folder)}


@simulated
def test_devices_say_that_they_are_simulated():
    assert ("cuda:0     CUDA     simulated GPU 0 of Tenon's tests, compute capability 9.0, cuBLAS 12.4.5 (libcublas.so.12)"
            in run(TENON, "devices").stdout)


def test_a_missing_driver_is_named():
    done = subprocess.run([TENON, "run", ROOT / "examples/digits/digits.mlir", "--device", "cuda:7"], capture_output=True, text=True)
    assert done.returncode == 1
    assert 'there is no device "cuda:7"' in done.stderr
    assert "the CUDA driver, libcuda.so.1, was not found" in done.stderr or "CUDA's driver has " in done.stderr


@simulated
def test_a_kernel_is_compiled_once_for_all_processes(tmp_path):
    cache = tmp_path / "tenon/kernels"
    for is_new in [True, False]:
        before = set(cache.iterdir()) if cache.exists() else set()
        done = run(TENON, "test", ROOT / "test/op/add.mlir", "--device", "cuda", XDG_CACHE_HOME=str(tmp_path))
        assert "ok, 0 failed" in done.stdout
        assert (set(cache.iterdir()) > before) == is_new
    assert cache.stat().st_mode & 0o777 == 0o700


@simulated
@pytest.mark.parametrize("place", ["CUDA_HOME", "CUDA_PATH", "VIRTUAL_ENV", "beside Tenon"])
def test_the_compiler_is_found_where_it_is_installed(place, tmp_path):
    """The toolkit, and the Python packages of it, in the environment and in a folder with Tenon's own package."""
    (tmp_path / "driver").mkdir()
    (tmp_path / "driver/libcuda.so.1").symlink_to(cuda.FOLDER / "libcuda.so.1")
    environment = {"LD_LIBRARY_PATH": str(tmp_path / "driver"), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    folders = {"VIRTUAL_ENV": "lib/python3.12/site-packages/nvidia/cuda_nvrtc/lib", "beside Tenon": "nvidia/cuda_nvrtc/lib"}
    compiler = tmp_path / folders.get(place, "lib64")
    compiler.mkdir(parents=True)
    (compiler / "libnvrtc.so.12").symlink_to(cuda.FOLDER / "libnvrtc.so.12")
    if place == "beside Tenon":
        library = pathlib.Path(os.environ["TENON_SHARED_LIBRARY"])
        (tmp_path / "tenon/lib").mkdir(parents=True)
        for name in sorted(library.parent.glob("libtenon.so*")):
            shutil.copy(name, tmp_path / "tenon/lib")
        environment["LD_LIBRARY_PATH"] += f":{tmp_path}/tenon/lib"
    else:
        environment[place] = str(tmp_path)
    done = run(TENON, "test", ROOT / "test/op/add.mlir", "--device", "cuda", **environment)
    assert "ok, 0 failed" in done.stdout, done.stdout + done.stderr


@simulated
@pytest.mark.parametrize("architecture, compiled_for", [("90", "sm_90"), ("95", "compute_90"), ("300", "compute_121")])
def test_an_unknown_gpu_gets_ptx_of_the_newest_known_one(architecture, compiled_for, tmp_path):
    """NVRTC does not know it; the driver compiles from PTX."""
    done = run(TENON, "test", ROOT / "test/op/add.mlir", "--device", "cuda", SIMULATED_CUDA_ARCHITECTURE=architecture,
               XDG_CACHE_HOME=str(tmp_path))
    assert "ok, 0 failed" in done.stdout, done.stdout + done.stderr
    kept = [file.read_bytes() for file in (tmp_path / "tenon/kernels").iterdir()]
    assert kept and all(f"{compiled_for} --fmad".encode() in bytes for bytes in kept)


@simulated
def test_a_gpu_that_is_too_old_for_the_compiler_is_refused():
    done = run(TENON, "test", ROOT / "test/op/add.mlir", "--device", "cuda", SIMULATED_CUDA_ARCHITECTURE="52")
    expected = r"device cuda:0 has compute capability 5\.2; NVRTC 12\.\d+ compiles for no such device"
    assert re.search(expected, done.stdout + done.stderr)


@simulated
def test_a_missing_compiler_is_named(tmp_path):
    (tmp_path / "libcuda.so.1").symlink_to(cuda.FOLDER / "libcuda.so.1")
    others = ("CUDA_PATH", "CONDA_PREFIX", "VIRTUAL_ENV")
    environment = {name: value for name, value in os.environ.items() if name not in others}
    environment |= {"LD_LIBRARY_PATH": str(tmp_path), "CUDA_HOME": f"{tmp_path}/cuda"}
    done = subprocess.run([TENON, "test", FIXTURES[0], "--device", "cuda"], env=environment, capture_output=True, text=True)
    if "ok, 0 failed" in done.stdout:
        pytest.skip("the machine has a compiler of CUDA 12")
    expected = ("libnvrtc.so.12, CUDA's compiler, was not found, nor an older one: not by the loader, nor in "
                f"{tmp_path}/cuda/lib64, /usr/local/cuda/lib64")
    assert expected in done.stderr + done.stdout
    listed = subprocess.run([TENON, "devices"], env=environment, capture_output=True, text=True).stdout
    assert f"cuda       unavailable: its devices cannot be used: {expected}\n" in listed


@simulated
@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: path.stem)
def test_computes_what_the_fixture_says(path, tmp_path, kernels):
    accepted = [part for part in path.read_text().split("// -----") if "// error: " not in part]
    file = tmp_path / path.name
    file.write_text("// -----".join(accepted))
    done = run(TENON, "test", str(file), "--device", "cuda", **kept(kernels))
    assert done.returncode == 0, done.stdout + done.stderr
    assert ", 0 unsupported" in done.stdout


@simulated
@pytest.mark.parametrize("path", sorted(test_gpu_kernels.PROGRAMS.rglob("*.mlir")), ids=lambda path: path.stem)
def test_finds_what_the_cpu_finds(path, tmp_path, kernels, monkeypatch):
    for name, value in cuda.environment(**kept(kernels)).items():
        monkeypatch.setenv(name, value)
    for libraries in ["none", "cublas"] if "dot" in path.stem else ["none"]:
        monkeypatch.setenv("TENON_LIBRARIES", libraries)
        test_gpu_kernels.test_finds_what_the_cpu_finds(path, "cuda", tmp_path)


@pytest.fixture
def without_cublas(tmp_path):
    """Environments where it is absent, and where it is switched off."""
    folder = tmp_path / "without_cublas"
    folder.mkdir()
    for name in ["libcuda.so.1", "libnvrtc.so.12"]:
        (folder / name).symlink_to(cuda.FOLDER / name)
    return {"absent": {"LD_LIBRARY_PATH": str(folder)}, "off": {"TENON_LIBRARIES": "none"}}


PRODUCT = """func.func @main(%x: tensor<6x8xf32>, %w: tensor<4x8xf32>) -> tensor<6x4xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [1] : (tensor<6x8xf32>, tensor<4x8xf32>) -> tensor<6x4xf32>
  return %0 : tensor<6x4xf32>
}
"""


@simulated
def test_products_are_the_same_without_cublas(tmp_path, kernels, without_cublas):
    if "cublas     used" in run(TENON, "version", **without_cublas["absent"]).stdout:
        pytest.skip("the machine has cuBLAS")
    program = tmp_path / "product.mlir"
    program.write_text(PRODUCT)
    outputs, shown = [], {}
    for name, more in [("there", {}), *without_cublas.items()]:
        shown[name] = run(TENON, "show", program, "--device", "cuda", "--stage", "program", **more).stdout
        done = run(TENON, "run", program, "--device", "cuda", "--input", "iota", "--input", "ones", **kept(kernels), **more)
        assert done.returncode == 0, done.stderr
        outputs.append(done.stdout)
    assert len(set(outputs)) == 1
    assert "cublas.dot_general" in shown["there"] and "(library cublas)" in shown["there"]
    absent = "(libcublas.so.12, CUDA's matrix products, was not found, nor an older one: not by the loader"
    assert "gpu.dot_general" in shown["absent"] and absent in shown["absent"]
    assert "gpu.dot_general" in shown["off"] and "(switched off)" in shown["off"]
    assert "no cuBLAS" in run(TENON, "devices", **without_cublas["absent"]).stdout


@simulated
@pytest.mark.parametrize("test", ["lazy_array", "array_elementwise", "array_fast", "array_index", "array_product",
                                  "array_random", "array_reduce", "array_shape", "transform_compiled",
                                  "transform_training", "import_import"])
def test_lazy_arrays_pass(test, kernels):
    program = BUILD / f"src/{test}_test"
    if not program.exists():
        pytest.skip("cmocka was not found when Tenon was configured")
    done = run(program, TENON_DEVICE="cuda", **kept(kernels))
    assert done.returncode == 0, done.stdout + done.stderr


@simulated
@pytest.mark.parametrize("test", test_other_devices.example_tests(), ids=lambda test: test["name"])
def test_example_passes(test, kernels, monkeypatch):
    for name, value in cuda.environment(**kept(kernels)).items():
        monkeypatch.setenv(name, value)
    test_other_devices.test_example_passes(test, "cuda")


@simulated
@pytest.mark.parametrize("example", ["broadcast_add", "tuples"])
def test_functions_on_the_stream_pass(example, kernels):
    libraries = [BUILD / f"examples/{example}/lib{example}.so", cuda.FOLDER / f"lib{example}_nvrtc.so"]
    loads = [argument for library in libraries for argument in ("--load", library)]
    done = run(TENON, "test", ROOT / f"examples/{example}/{example}.mlir", "--device", "cuda", *loads, **kept(kernels))
    assert done.returncode == 0, done.stdout + done.stderr


@simulated
def test_the_check_for_gpus_runs(tmp_path):
    done = run(ROOT / "bench/gpu/check", "--only", "devices", "--only", "memcheck")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "without memcheck: compute-sanitizer was not found" in done.stdout or "compute-sanitizer --tool" in done.stdout


# Here for their kernels: they are tests of their own.
@simulated
@pytest.mark.parametrize("test", ["program_run", "program_gpu_eval", "program_stream_call"])
def test_components_pass(test, kernels):
    program = BUILD / f"src/{test}_test"
    if test == "program_run" and "TENON_LONG_TESTS" not in os.environ:
        pytest.skip("with TENON_LONG_TESTS")
    if not program.exists():
        pytest.skip("cmocka was not found when Tenon was configured")
    done = run(program, OCL_ICD_VENDORS="none", **kept(kernels))
    assert done.returncode == 0, done.stdout + done.stderr


# -- CUDA's own compiler, without a GPU


def of_toolkit(library):
    """CUDA's own, of version 12 or later; it needs no GPU."""
    names = [f"{library}.so.13", f"{library}.so.12", *sorted(glob.glob(f"/usr/local/cuda*/lib*/{library}.so.1[2-9]"))]
    for name in names:
        try:
            return ctypes.CDLL(name)
        except OSError:
            pass
    return None


def test_cublas_has_the_functions_that_tenon_calls():
    cublas = of_toolkit("libcublas")
    if not cublas:
        pytest.skip("cuBLAS (libcublas.so) was not found")
    names = re.findall(r"^TN_CUBLAS_FUNCTION\([^,]+, (\w+), (\w*),", (ROOT / "src/kernel/lib/cublas.def").read_text(), re.MULTILINE)
    assert len(names) == 9
    assert [name for name, suffix in names if not hasattr(cublas, f"cublas{name}{suffix}")] == []
    name = cublas.cublasGetStatusName
    name.restype = ctypes.c_char_p
    major = ctypes.c_int()
    assert cublas.cublasGetProperty(0, ctypes.byref(major)) == 0 and major.value >= 12
    assert name(3) == b"CUBLAS_STATUS_ALLOC_FAILED"


@pytest.fixture(scope="session")
def nvrtc():
    found = of_toolkit("libnvrtc")
    if not found:
        pytest.skip("CUDA's compiler (libnvrtc.so) was not found")
    return found


def compile_kernel(nvrtc, source, architecture, *more):
    program, size = ctypes.c_void_p(), ctypes.c_size_t()
    options = [option.encode() for option in (f"--gpu-architecture={architecture}", "--fmad=false", "--disable-warnings", *more)]
    assert nvrtc.nvrtcCreateProgram(ctypes.byref(program), source, b"kernel.cu", 0, None, None) == 0
    error = nvrtc.nvrtcCompileProgram(program, len(options), (ctypes.c_char_p * len(options))(*options))
    nvrtc.nvrtcGetProgramLogSize(program, ctypes.byref(size))
    log = ctypes.create_string_buffer(size.value)
    nvrtc.nvrtcGetProgramLog(program, log)
    nvrtc.nvrtcDestroyProgram(ctypes.byref(program))
    return error, log.value.decode()


# After the tests above, whose kernels it takes.
@simulated
@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_cudas_own_compiler_takes_the_kernels(architecture, kernels, nvrtc):
    sources = sorted(kernels.glob("*.cu"))
    assert sources
    if architecture != "sm_90" and "TENON_LONG_TESTS" not in os.environ:
        sources = sources[::8]
    for source in sources:
        error, log = compile_kernel(nvrtc, source.read_bytes(), architecture)
        assert error == 0, f"{log}\n{source.read_text()}"


def bench():
    sys.path.insert(0, str(ROOT / "bench/gpu"))
    import measure

    return measure


@pytest.fixture(scope="session")
def bench_kernels(tmp_path_factory):
    """The sources of the programs of bench/gpu, on smaller arrays."""
    sources = {}
    for name, (program, *_) in bench().large_programs(128).items():
        folder = tmp_path_factory.mktemp("bench")
        file = folder / "program.mlir"
        file.write_text(program)
        inputs = ["--input", "ones"] * len(re.findall(r"%[xy]:", program))
        done = run(TENON, "run", file, "--device", "cuda", "--load", BUILD / "examples/axpby/libaxpby.so", *inputs,
                   TENON_LIBRARIES="none", **kept(folder))
        assert done.returncode == 0, done.stderr
        sources[name] = [source.read_bytes() for source in folder.glob("*.cu")]
        assert sources[name]
    return sources


@simulated
@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_kernels_of_the_bench_keep_what_they_compute_in_registers(architecture, bench_kernels, nvrtc):
    for name, sources in bench_kernels.items():
        for source in sources:
            error, log = compile_kernel(nvrtc, source, architecture, "--ptxas-options=-v")
            assert error == 0, log
            assert "0 bytes spill stores, 0 bytes spill loads" in log
            assert not re.search(r"[1-9]\d* bytes spill", log), f"{name}: {log}"


@simulated
def test_kernels_of_the_bench_are_those_of_large_arrays(tmp_path):
    for size in [128, 4096]:
        for i, (program, *_) in enumerate(bench().large_programs(size).values()):
            (tmp_path / f"{size}-{i}.mlir").write_text(program)
    for small in tmp_path.glob("128-*.mlir"):
        large = small.with_name(small.name.replace("128-", "4096-"))
        assert shown_kernels(small) == shown_kernels(large)


def shown_kernels(path):
    done = run(TENON, "show", path, "--stage", "program", "--json", "--device", "cuda", "--load", BUILD / "examples/axpby/libaxpby.so",
               TENON_LIBRARIES="none")
    return [it["kernel"] for it in json.loads(done.stdout)["instructions"]]
