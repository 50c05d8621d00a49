# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""What tools/dist makes is installed where nothing else is, and classifies the digits: wheels in an empty environment of each Python
that can be had, the Debian packages, built in one minimal Debian, in another. With TENON_LONG_TESTS: it builds all of a release."""

import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import zipfile

import minimal_debian
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
DIST, WORK = ROOT / "build/dist", ROOT / "build/dist-work"
DIGITS = ROOT / "examples/digits"
RIGHT = "353 of 360 images are classified correctly\n"
VERSIONS = ["3.11", "3.12", "3.13", "3.14", "3.13t", "3.14t"]
RELEASES = {"3.13": "trixie", "3.14": "forky"}  # of Debian, with that Python

pytestmark = pytest.mark.skipif(not os.environ.get("TENON_LONG_TESTS"), reason="builds a whole release: TENON_LONG_TESTS=1")
NO_DEBIAN = minimal_debian.what_is_missing()


def run(*command, **options):
    done = subprocess.run([str(part) for part in command], text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, **options)
    assert done.returncode == 0, f"$ {' '.join(map(str, command))}\n{done.stdout[-8000:]}"
    return done.stdout


@pytest.fixture(scope="module")
def release():
    run(ROOT / "tools/setup", "dist", cwd=ROOT)
    run(ROOT / "tools/dist", cwd=ROOT)
    return DIST


def wheel_for(release, version, processor=platform.machine()):
    tag = "cp{0}-cp{0}t".format(version[:-1].replace(".", "")) if version.endswith("t") else "cp311-abi3"
    found, = release.glob(f"tenon_runtime-*-{tag}-manylinux_2_28_{processor}.whl")
    return found


def interpreter(version):
    """Of the PATH, or of pyenv; None: there is none."""
    places = [f"python{version}", *sorted(pathlib.Path.home().glob(f".pyenv/versions/{version}*/bin/python3"))]
    for place in places:
        which = shutil.which(place)
        code = "import sys, sysconfig; t = sysconfig.get_config_var('Py_GIL_DISABLED'); print('%d.%d' % sys.version_info[:2] + 't' * bool(t))"
        if which and subprocess.run([which, "-c", code], capture_output=True, text=True).stdout.strip() == version:
            return which
    return None


def build_kernels(folder, flags):
    library = folder / "libdigits.so"
    run("cc", "-O3", "-shared", "-fPIC", *flags.split(), DIGITS / "kernels.c", "-o", library)
    return library


@pytest.mark.parametrize("version", VERSIONS)
def test_wheel_classifies_digits_in_an_empty_environment(release, tmp_path, version):
    python = interpreter(version)
    if not python:
        if NO_DEBIAN or version not in RELEASES:
            pytest.skip(f"Python {version} is not installed" + (f", and {NO_DEBIAN}" if version in RELEASES else ""))
        return in_minimal_debian(wheel_for(release, version), tmp_path, RELEASES[version])
    run(python, "-m", "venv", tmp_path / "site")
    bin = tmp_path / "site" / "bin"
    run(bin / "pip", "install", "--no-index", wheel_for(release, version))
    library = build_kernels(tmp_path, run(bin / "python", "-m", "tenon", "--cflags"))
    assert run(bin / "python", DIGITS / "classify.py", library, cwd=tmp_path) == RIGHT
    run(bin / "tenon", "run", DIGITS / "digits.mlir", "--load", library, "--input", DIGITS / "images.npy")
    assert run(bin / "python", "-c", "import importlib.metadata as m; print([it.name for it in m.distributions()])").count("tenon") == 1


def in_minimal_debian(wheel, folder, release):
    """Where no compiler is either: the kernels are compiled here."""
    library = build_kernels(folder, f"-I{ROOT / 'include'}")
    system = minimal_debian.Debian(folder / "root", WORK, release)
    system.install("python3", "python3-venv")
    system.take(wheel, library, DIGITS)
    said = system.run(f"python3 -m venv site && site/bin/pip install -q --no-index {wheel.name} && site/bin/python digits/classify.py ./libdigits.so")
    assert said.endswith(RIGHT)


def test_wheels_need_no_newer_glibc_than_they_say_and_hold_the_same(release):
    wheels = sorted(release.glob("*.whl"))
    assert {re.search(r"manylinux_2_28_(\w+)\.whl", path.name)[1] for path in wheels} == {"x86_64", "aarch64"}
    names = [{re.sub(r"core\..*\.so$", "core.so", name) for name in zipfile.ZipFile(path).namelist()} for path in wheels]
    assert all(it == names[0] for it in names)
    assert {"tenon/core/__init__.pyi", "tenon/bin/tenon", "tenon/lib/libtenon.so.0.1", "tenon/include/tenon/custom.h"} <= names[0]


def test_the_command_of_the_arm_wheel_runs_every_operation(release, tmp_path):
    emulator = shutil.which("qemu-aarch64-static")
    if not emulator or not pathlib.Path("/usr/aarch64-linux-gnu").exists():
        pytest.skip("no emulator of 64-bit ARM (tools/setup platforms)")
    zipfile.ZipFile(wheel_for(release, "3.11", "aarch64")).extractall(tmp_path)
    said = run(emulator, "-L", "/usr/aarch64-linux-gnu", tmp_path / "tenon/bin/tenon", "test", *(ROOT / "test/op").glob("*.mlir"))
    assert re.search(r"^[1-9]\d* ok, 0 failed", said, re.MULTILINE)


def test_the_wheel_passes_the_tests_of_the_package(release, tmp_path):
    """The compiler is another than that of the build that the tests usually see."""
    zipfile.ZipFile(wheel_for(release, "3.11")).extractall(tmp_path)
    for path in (tmp_path / "tenon/bin").iterdir():
        path.chmod(0o755)
    run(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", ROOT / "test/python", "--ignore", ROOT / "test/python/test_package.py",
        env={**os.environ, "TENON_PACKAGE_DIR": str(tmp_path)})


@pytest.mark.skipif(NO_DEBIAN is not None, reason=str(NO_DEBIAN))
def test_debian_packages_are_built_and_installed_where_nothing_else_is(release, tmp_path):
    builder = minimal_debian.Debian(tmp_path / "builder", WORK)
    builder.install("dpkg-dev", "lintian")
    builder.take(*release.glob("tenon_*"))
    builder.run("dpkg-source -x tenon_*.dsc source && cd source && apt-get -q -y build-dep --no-install-recommends ./")
    builder.run("cd source && dpkg-buildpackage --unsigned-source --unsigned-changes", log=WORK / "debian-build.log")
    told = builder.run("useradd -m checker && su checker -c 'lintian --fail-on error,warning /srv/*.changes'")
    assert not re.search(r"^[EW]:", told, re.MULTILINE), told
    packages = sorted((builder.root / "srv").glob("*.deb"))
    shipped = [path for path in packages if "-dbgsym" not in path.name]
    assert [path.name.partition("_")[0] for path in shipped] == ["libtenon-dev", "libtenon0.1", "python3-tenon", "tenon"]

    user = minimal_debian.Debian(tmp_path / "user", WORK)
    user.take(*shipped, ROOT / "examples", ROOT / "packaging/debian/tests/digits")
    user.install("gcc", "libc6-dev", "pkg-config", *(f"/srv/{path.name}" for path in shipped))
    assert user.run("sh digits").endswith(RIGHT)
    # A program that embeds it, and what other packages require by its name on PyPI.
    user.run("cc examples/ten_lines/ten_lines.c $(pkg-config --cflags --libs tenon) -o ten && ./ten")
    assert "tenon-runtime" in user.run("python3 -c 'import importlib.metadata as m; print([it.name for it in m.distributions()])'")
    assert re.fullmatch(r"/usr/lib/[\w-]+/cmake/Tenon\n", user.run("python3 -m tenon --cmake-dir"))
