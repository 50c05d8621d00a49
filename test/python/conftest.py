# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

import importlib.util
import os
import pathlib
import re
import sys
import types

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("TENON_BUILD_DIR", ROOT / "build" / "release"))
os.environ.setdefault("SCIPY_ARRAY_API", "1")  # read when SciPy is imported: its functions take arrays of any package
sys.path.insert(0, os.environ.get("TENON_PACKAGE_DIR", str(BUILD / "python")))


HAS_MLX = importlib.util.find_spec("mlx") is not None  # there are no wheels for free-threaded Python


class Absent(types.ModuleType):
    """Stands for a package that is not installed: tests that use it are skipped."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        pytest.skip(f"{self.__name__} is not installed", allow_module_level=True)


if not HAS_MLX:
    for name in ["mlx", "mlx.core", "mlx.nn", "mlx.optimizers", "mlx.utils"]:
        sys.modules[name] = Absent(name)
        if "." in name:
            setattr(sys.modules["mlx"], name.partition(".")[2], sys.modules[name])


def pytest_collection_modifyitems(items):
    for item in items:
        if not HAS_MLX and re.search("mlx|layers", item.nodeid):
            item.add_marker(pytest.mark.skip(reason="mlx is not installed"))
