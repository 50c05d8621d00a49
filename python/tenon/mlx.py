# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""Layers written for MLX on tenon.core: `import tenon.mlx` before anything of mlx.

From then on `mlx.core` is tenon.core in this process: `import mlx.nn`, `mlx.optimizers`, `mlx.utils` and other code that imports
mlx.core use Tenon's arrays and functions. Their source files are those of the installed package mlx, which is needed, unchanged;
its library mlx.core is not loaded. Texts of dtypes say mlx.core, too. ImportError if it has been: the arrays of the two libraries do not mix.
"""

import importlib
import sys
import types

import tenon.core as core


def _modules():
    """tenon.core and the modules in it, by their names in mlx."""
    yield "mlx.core", core
    for name, value in vars(core).items():
        if isinstance(value, types.ModuleType):
            yield f"mlx.core.{name}", value


def _install():
    loaded = sys.modules.get("mlx.core")
    if loaded is not None and loaded is not core:
        raise ImportError("mlx.core has been imported already: import tenon.mlx first, before mlx and what uses it")
    try:
        package = importlib.import_module("mlx")
    except ImportError as error:
        raise ImportError("the package mlx, whose layers are to be used, is not installed: pip install mlx") from error
    sys.modules.update(_modules())
    package.core = core
    core._name_dtypes("mlx.core")


_install()
