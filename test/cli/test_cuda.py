"""The device `cuda` on a simulated driver: nothing here says what a GPU does (test/simulated_cuda/README.md)."""

import ctypes
import glob
import os
import pathlib
import shutil
import subprocess

import cuda
import pytest
import test_gpu_kernels

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
    """Where the sources of compiled kernels are kept."""
    return tmp_path_factory.mktemp("kernels")


def kept(folder):
    """With a cache that has nothing but what is kept."""
    return {"SIMULATED_CUDA_KEEP": str(folder), "XDG_CACHE_HOME": str(folder / "cache")}


@simulated
def test_devices_say_that_they_are_simulated():
    assert "cuda:0     CUDA     simulated GPU 0 of Tenon's tests, compute capability 9.0" in run(TENON, "devices").stdout


def test_a_missing_driver_is_named():
    done = subprocess.run([TENON, "run", ROOT / "examples/digits/digits.mlir", "--device", "cuda:7"], capture_output=True, text=True)
    assert done.returncode == 1
    assert 'there is no device "cuda:7"' in done.stderr
    assert "libcuda.so.1, CUDA's driver, was not found" in done.stderr or "CUDA's driver has " in done.stderr


@simulated
def test_a_kernel_is_compiled_once_for_all_processes(tmp_path):
    for folder, is_new in [("first", True), ("second", False)]:
        keep = tmp_path / folder
        keep.mkdir()
        done = run(TENON, "test", ROOT / "test/op/add.mlir", "--device", "cuda", SIMULATED_CUDA_KEEP=str(keep),
                   XDG_CACHE_HOME=str(tmp_path))
        assert "ok, 0 failed" in done.stdout
        assert any(keep.iterdir()) == is_new
    assert (tmp_path / "tenon/kernels").stat().st_mode & 0o777 == 0o700


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
    assert "device cuda:0 has compute capability 5.2; NVRTC 12.4 compiles for no such device" in done.stdout + done.stderr


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
    assert f"cuda       none     its devices cannot be used: {expected}\n" in listed


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
@pytest.mark.parametrize("path", sorted(test_gpu_kernels.PROGRAMS.glob("*.mlir")), ids=lambda path: path.stem)
def test_finds_what_the_cpu_finds(path, tmp_path, kernels, monkeypatch):
    for name, value in cuda.environment(**kept(kernels)).items():
        monkeypatch.setenv(name, value)
    test_gpu_kernels.test_finds_what_the_cpu_finds(path, "cuda", tmp_path)


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


def compiler():
    """CUDA's own, of version 12 or later; it needs no GPU."""
    names = ["libnvrtc.so.13", "libnvrtc.so.12", *sorted(glob.glob("/usr/local/cuda*/lib*/libnvrtc.so.1[2-9]"))]
    for name in names:
        try:
            return ctypes.CDLL(name)
        except OSError:
            pass
    return None


def compile_kernel(nvrtc, source, architecture):
    program, size = ctypes.c_void_p(), ctypes.c_size_t()
    options = [f"--gpu-architecture={architecture}".encode(), b"--fmad=false", b"--disable-warnings"]
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
def test_cudas_own_compiler_takes_the_kernels(architecture, kernels):
    nvrtc = compiler()
    if not nvrtc:
        pytest.skip("CUDA's compiler (libnvrtc.so) was not found")
    sources = sorted(kernels.glob("*.cu"))
    assert sources
    if architecture != "sm_90" and "TENON_LONG_TESTS" not in os.environ:
        sources = sources[::8]
    for source in sources:
        error, log = compile_kernel(nvrtc, source.read_bytes(), architecture)
        assert error == 0, f"{log}\n{source.read_text()}"
