# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""The wheel, and packages of authors that are built against it."""

import contextlib
import email
import functools
import http.server
import os
import pathlib
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import textwrap
import threading
import venv
import zipfile

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
WHEELS = ROOT / "build" / "venv" / "wheels"  # what isolated builds install


def run(*command, cwd=None, **environment):
    done = subprocess.run(list(map(str, command)), cwd=cwd, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          env={**{key: value for key, value in os.environ.items() if key != "PYTHONPATH"}, **environment})
    assert done.returncode == 0, f"$ {' '.join(map(str, command))}\n{done.stdout[-6000:]}"
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    run(sys.executable, "-m", "pip", "wheel", "-q", "--no-build-isolation", "--no-deps", "-w", folder, ROOT)
    return next(folder.glob("*.whl"))


class Site:
    """An environment with the wheel, and nothing else but what a test installs."""

    def __init__(self, folder, wheel):
        venv.create(folder, with_pip=False)
        self.python, self.bin = folder / "bin" / "python", folder / "bin"
        self.packages = next(folder.glob("lib/python*/site-packages"))
        self.links = [f"--find-links={WHEELS}", f"--find-links={wheel.parent}"]
        self.pip("install", "--no-deps", wheel)

    def pip(self, *arguments, **environment):
        links = f"{WHEELS} {self.links[1].partition('=')[2]}"
        return run(sys.executable, "-m", "pip", "--python", self.python, *arguments, "-q", "--disable-pip-version-check",
                   PIP_NO_INDEX="1", PIP_FIND_LINKS=links, **environment)

    def say(self, program, cwd="/", **environment):
        return run(self.python, "-c", textwrap.dedent(program), cwd=cwd, **environment).strip()


@pytest.fixture
def site(tmp_path, wheel):
    return Site(tmp_path / "site", wheel)


def copy_example(folder, name):
    """The example, and its scripts, without what it needs of this checkout."""
    return pathlib.Path(shutil.copytree(ROOT / "examples" / name, folder / name))


def test_one_wheel_serves_every_python_from_3_11_on(wheel):
    suffix, tag = "abi3.so", "cp311-abi3"
    if sysconfig.get_config_var("Py_GIL_DISABLED"):  # a wheel for each version
        suffix = sysconfig.get_config_var("EXT_SUFFIX")[1:]
        tag = "cp{0}{1}-cp{0}{1}t".format(*sys.version_info)
    assert re.fullmatch(rf"tenon_runtime-[\d.]+-{tag}-linux_\w+\.whl", wheel.name)
    assert wheel.stat().st_size < 5_000_000
    names = zipfile.ZipFile(wheel).namelist()
    for name in [f"core.{suffix}", "bin/tenon", "include/tenon/custom.h", "lib/cmake/Tenon/TenonConfig.cmake", "py.typed",
                 "core/__init__.pyi", "core/linalg.pyi"]:
        assert f"tenon/{name}" in names
    assert len(names) == len(set(names))
    assert sum(pathlib.PurePath(name).name.startswith("libtenon.so") for name in names) == 1


def test_it_needs_and_loads_nothing_else(site):
    assert site.say("import tenon.core as tn; print((tn.array([1, 2]) + 1).tolist())") == "[2, 3]"
    assert site.say("import sys, tenon.core; print([name for name in ('numpy', 'mlx', 'jax') if name in sys.modules])") == "[]"


def test_the_sources_of_a_release_build_it(tmp_path):
    run(sys.executable, "-c", f"from scikit_build_core.build import build_sdist; build_sdist({str(tmp_path)!r})", cwd=ROOT)
    (archive,) = tmp_path.glob("*.tar.gz")
    with tarfile.open(archive) as file:
        names = {name.partition("/")[2] for name in file.getnames()}
    assert {"pyproject.toml", "CMakeLists.txt", "LICENSE", "python/src/core.h", "bindings/functions.h"} <= names
    assert not any(name.startswith(("build", "test/", ".git")) for name in names)


def test_the_command_comes_with_it(site):
    assert run(site.bin / "tenon", "version").startswith("tenon ")
    assert run(site.python, "-m", "tenon", "version").startswith("tenon ")


def test_builds_find_the_package_without_loading_it(site, tmp_path):
    asked = run(site.python, "-X", "importtime", "-m", "tenon", "--cflags")
    assert "tenon.core" not in asked and "-I" in asked
    flags = run(site.python, "-m", "tenon", "--cflags", "--libs").split()
    run("cc", "-O3", "-shared", "-fPIC", flags[0], ROOT / "examples/axpby/axpby.c", "-o", tmp_path / "libaxpby.so")
    run("cc", flags[0], ROOT / "examples/axpby/program.c", *flags[1:], "-o", tmp_path / "program")
    assert run(tmp_path / "program", tmp_path / "libaxpby.so") == (ROOT / "examples/axpby/program.txt").read_text()
    where = run(site.python, "-m", "tenon", "--cmake-dir").strip()
    run("cmake", "-S", ROOT / "examples/axpby", "-B", tmp_path / "build", f"-DTenon_DIR={where}")
    run("cmake", "--build", tmp_path / "build")
    assert list((tmp_path / "build").glob("*axpby.so"))


def test_an_author_ships_an_operation_with_pip_install(site, tmp_path):
    project = copy_example(tmp_path, "axpby")
    site.pip("install", project)
    assert run(site.python, project / "usage.py", cwd="/") == "c shape: [3, 4]\nc dtype: float32\nc is correct: True\n"
    assert [path.name for path in (site.packages / "axpby").glob("*.so")] == ["libaxpby.so"]
    said = site.say("""
        import inspect
        import axpby
        print(inspect.signature(axpby.axpby))
        print(axpby.axpby.__module__, axpby.axpby.__doc__.splitlines()[0])
    """)
    assert said == "(x, y, alpha=1.0, beta=1.0, *, stream=None)\naxpby z = alpha * x + beta * y, element by element"


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *arguments):
        pass


@contextlib.contextmanager
def index(folder):
    """A package index at 127.0.0.1 with the wheels of the folder: lists of links, which is all that pip asks of one."""
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=folder)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/"
        finally:
            server.shutdown()


def foreign_wheel(folder):
    """A newer package `tenon` that is not ours, as PyPI has one."""
    path, info = folder / "tenon-9.9-py3-none-any.whl", "tenon-9.9.dist-info"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("tenon/__init__.py", "raise ImportError('this is the package of others')\n")
        archive.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\nName: tenon\nVersion: 9.9\n")
        archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr(f"{info}/RECORD", "")
    return path


@pytest.mark.parametrize("project", ["blend_in", "axpby"])
def test_packages_get_ours_from_an_index_that_has_a_foreign_tenon_too(wheel, tmp_path, project):
    """With build isolation: for the build and for the environment."""
    wheels = [wheel, foreign_wheel(tmp_path), *WHEELS.glob("*.whl")]
    for path in wheels:
        name = path.name.partition("-")[0].replace("_", "-").lower()
        (tmp_path / "index" / name).mkdir(parents=True, exist_ok=True)
        shutil.copy(path, tmp_path / "index" / name)
    venv.create(tmp_path / "site", with_pip=False)
    python = tmp_path / "site" / "bin" / "python"
    if project == "axpby":
        source = copy_example(tmp_path, "axpby")
    else:
        run(os.environ["TENON_CLI"], "new", project, cwd=tmp_path)
        source = tmp_path / project
    with index(tmp_path / "index") as url:
        run(sys.executable, "-m", "pip", "--python", python, "install", "-q", "--disable-pip-version-check", source,
            PIP_INDEX_URL=url, PIP_FIND_LINKS="", PIP_NO_INDEX="0", PIP_CONFIG_FILE=os.devnull, NO_PROXY="127.0.0.1")
    found = run(python, "-c", "import importlib.metadata as m; print(sorted(it.name for it in m.distributions()))").strip()
    assert found == str(sorted([project, "tenon-runtime"]))
    assert run(python, "-c", f"import tenon.core as tn; from {project} import {project} as f; print(f(tn.ones(2), tn.ones(2)).tolist())",
               cwd="/") == "[2.0, 2.0]\n"


def test_metadata_names_authors_licences_and_no_dead_link(wheel):
    archive = zipfile.ZipFile(wheel)
    metadata, = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
    said = email.message_from_bytes(archive.read(metadata))
    assert said["Name"] == "tenon-runtime" and said["Author"] == "The Tenon authors" and said["License-Expression"] == "Apache-2.0"
    assert said.get_all("License-File") == ["AUTHORS", "LICENSE", "NOTICE"]
    assert said.get_all("Provides-Extra") == ["jax"]
    # A page of an index has no files beside it.
    assert said.get_payload() == (ROOT / "packaging/pypi.md").read_text()
    assert not re.search(r"\]\((?!https?://)|<img|^\[.*\]:", said.get_payload(), re.MULTILINE)


@pytest.mark.parametrize("from_path", [True, False], ids=["script on the PATH", "its own path"])
def test_what_tenon_new_prints_next_works_with_the_package(site, tmp_path, from_path):
    settings = {"PATH": f"{site.bin}:{os.environ['PATH']}"} if from_path else {}
    command = site.bin / "tenon" if from_path else site.packages / "tenon" / "bin" / "tenon"
    said = run(command, "new", "blend_in", cwd=tmp_path, **settings)
    typed = [line.strip() for line in said.partition("\ncd ")[2].splitlines() if re.match(r"  \S", line)]
    assert len(typed) == 3 and typed[0].startswith("pip install .")  # which the tests around this one do
    path = f"{site.bin}:{os.environ['PATH']}"
    for line in typed[1:]:
        out = run("bash", "-c", line, cwd=tmp_path / "blend_in", PATH=path)
    assert out.endswith("1 ok, 0 failed, 0 unsupported\n")


def test_a_new_project_is_a_package_with_a_tested_gradient(site, tmp_path):
    run(site.bin / "tenon", "new", "blend_in", cwd=tmp_path)
    tests = "import test_blend_in as it; it.test_values(); it.test_gradient(); print('passed')"
    site.pip("install", tmp_path / "blend_in")
    assert site.say(tests, cwd=tmp_path / "blend_in") == "passed"
    site.pip("uninstall", "-y", "blend_in")
    site.pip("install", "setuptools", "wheel")
    run(site.python, "setup.py", "build_ext", "--inplace", cwd=tmp_path / "blend_in")
    assert site.say(tests, cwd=tmp_path / "blend_in", PYTHONPATH="src") == "passed"


def test_without_isolation_in_place_and_editable(site, tmp_path):
    project = copy_example(tmp_path, "axpby")
    site.pip("install", "setuptools", "wheel")
    run(site.python, "setup.py", "build_ext", "-j8", "--inplace", cwd=project)
    assert (project / "src" / "axpby" / "libaxpby.so").exists()
    assert run(site.python, "usage.py", cwd=project, PYTHONPATH="src").endswith("True\n")
    (project / "src" / "axpby" / "libaxpby.so").unlink()
    site.pip("install", "--no-build-isolation", "-e", project)
    assert run(site.python, project / "usage.py", cwd="/").endswith("True\n")
    site.pip("uninstall", "-y", "axpby")
    site.pip("install", "--no-build-isolation", project)
    assert run(site.python, project / "usage.py", cwd="/").endswith("True\n")


def test_cmake_builds_libraries_into_the_package(site, tmp_path):
    project = tmp_path / "project"
    (project / "double_up").mkdir(parents=True)
    (project / "double_up" / "__init__.py").write_text("from tenon.ops import load_package\n\nload_package(__name__)\n")
    (project / "setup.py").write_text(textwrap.dedent("""
        from setuptools import setup
        from tenon import extension

        setup(
            name="double_up", version="0.0.0", packages=["double_up"],
            ext_modules=[extension.CMakeExtension("double_up._ext")], cmdclass={"build_ext": extension.CMakeBuild},
        )
    """))
    (project / "CMakeLists.txt").write_text(textwrap.dedent("""
        cmake_minimum_required(VERSION 3.18)
        project(double_up LANGUAGES C)
        find_package(Tenon CONFIG REQUIRED)
        tenon_add_extension(double_up double_up.c)
    """))
    (project / "double_up.c").write_text(textwrap.dedent("""
        #include <tenon/custom.h>
        #define DOUBLE(ARG, ATTR, RET) ARG(x, f32, any_rank) RET(y, f32, like(x))
        TN_OP(double_up, DOUBLE, "y = 2 * x") {
          for (int64_t i = 0; i < tn_size(call->x); ++i) call->y.data[i] = 2 * call->x.data[i];
          return TN_OK;
        }
        TN_LIBRARY(double_up)
    """))
    site.pip("install", "setuptools", "wheel")
    site.pip("install", "--no-build-isolation", project)
    use = "import double_up; print(double_up.double_up([1.0, 2.0]).tolist())"
    assert site.say(use) == "[2.0, 4.0]"
    site.pip("uninstall", "-y", "double_up")
    run(site.python, "setup.py", "build_ext", "-j8", "--inplace", cwd=project)
    assert site.say(use, cwd=project) == "[2.0, 4.0]"


def test_a_package_holds_kernels_of_gpus(site, tmp_path):
    project = copy_example(tmp_path, "rms_norm_gpu")
    (project / "norms").mkdir()
    (project / "norms" / "__init__.py").write_text("from tenon.ops import load_package\n\nload_package(__name__)\n")
    (project / "setup.py").write_text(textwrap.dedent("""
        from setuptools import setup
        from tenon import extension

        setup(
            name="norms", version="0.0.0", packages=["norms"], cmdclass={"build_ext": extension.BuildExtension},
            ext_modules=[extension.Extension("norms.norms", ["rms_norm.c"], kernels={"rms_norm_kernels": ["rms_norm.cl"]})],
        )
    """))
    site.pip("install", "setuptools", "wheel")
    run(site.python, "setup.py", "build_ext", "--inplace", cwd=project)
    assert site.say("import norms; print(norms.rms_norm([[3.0, 3.0]], eps=0.0).tolist())", cwd=project) == "[[1.0, 1.0]]"


def test_kernels_are_bundled_as_cmake_does():
    from tenon import extension

    sources = ROOT / "test/kernel_files"
    seen = set()
    text = "".join(extension.bundle_kernels(sources / name, [sources / "words"], seen) + "\n" for name in ["scale.cl", "shift.cl"])
    assert text == (pathlib.Path(os.environ["TENON_BUILD_DIR"]) / "test/kernel_files/scale_kernels.kernels").read_text()


def test_a_package_that_was_not_built_says_so(site, tmp_path):
    (tmp_path / "bare").mkdir()
    (tmp_path / "bare" / "__init__.py").write_text("from tenon.ops import load_package\nload_package(__name__)\n")
    assert "has no library of operations" in site.say("""
        try:
            import bare
        except ImportError as error:
            print(error)
    """, cwd=tmp_path)
