# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""The package of a free-threaded Python, if there is one: the wheel, and the tests of threads in it."""

import importlib.util
import os
import pathlib
import re
import shutil
import subprocess
import zipfile

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
NAMES = ["python3.15t", "python3.14t", "python3.13t"]
# What builds and tests need, in Python alone: that of this environment serves.
PACKAGES = ["scikit_build_core", "packaging", "pathspec", "pytest", "_pytest", "py", "pluggy", "iniconfig", "pygments"]


def run(*command, cwd=None, **environment):
    done = subprocess.run(list(map(str, command)), cwd=cwd, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          env={**os.environ, **{name: str(value) for name, value in environment.items()}})
    assert done.returncode == 0, f"$ {' '.join(map(str, command))}\n{done.stdout[-6000:]}"
    return done.stdout


@pytest.fixture(scope="module")
def python():
    found = next(filter(None, map(shutil.which, NAMES)), None)
    if not found:
        pytest.skip(f"no free-threaded Python: none of {', '.join(NAMES)}")
    return found


@pytest.fixture(scope="module")
def packages(tmp_path_factory):
    folder = tmp_path_factory.mktemp("packages")
    for name in PACKAGES:
        origin = pathlib.Path(importlib.util.find_spec(name).origin)
        path = origin.parent if origin.name == "__init__.py" else origin
        (folder / path.name).symlink_to(path)
    return folder


@pytest.fixture(scope="module")
def wheel(python, packages, tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    run(python, "-c", f"from scikit_build_core.build import build_wheel; build_wheel({str(folder)!r})", cwd=ROOT, PYTHONPATH=packages)
    return next(folder.glob("*.whl"))


def test_a_wheel_is_for_one_version(wheel):
    (version,) = re.findall(r"-(cp3\d+)-\1t-linux_", wheel.name)
    names = [name for name in zipfile.ZipFile(wheel).namelist() if re.fullmatch(r"tenon/core\..*so", name)]
    assert len(names) == 1 and f"cpython-{version[2:]}t" in names[0]


def test_threads_share_what_they_may(python, packages, wheel, tmp_path):
    zipfile.ZipFile(wheel).extractall(tmp_path)
    text = run(python, "-m", "pytest", "-q", "-p", "no:cacheprovider", pathlib.Path(__file__).with_name("test_threads.py"),
               PYTHONPATH=packages, TENON_PACKAGE_DIR=tmp_path)
    assert re.search(r"^\d+ passed in", text, re.MULTILINE), text
