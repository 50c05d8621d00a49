# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""Libraries of custom operations as modules of functions."""

from __future__ import annotations

import glob
import os
import sys
import types

from . import core

__all__ = ["load", "load_package"]


def load(path: str | os.PathLike[str]) -> types.ModuleType:
    """Loads a library of operations, and returns a module with a function for each of them.

    The functions have the names, parameters, defaults and documentation of the library's own signatures: operands and attributes by
    position in the declared order or by keyword, then `stream`. Operands are arrays or anything that is like one; results are lazy
    arrays. To load a library again gives a module with the same functions; after it was rebuilt, with the new ones.

    path: of the shared library (TN_LIBRARY in <tenon/custom.h>). A name without a slash that is not in the current folder is looked
    for where the system looks for libraries.

    Raises FileNotFoundError if there is no such library, RuntimeError if the system cannot load it, ValueError if it has no
    operations, or a different function is registered under the name of one.
    """
    path = os.fspath(path)
    name = os.path.basename(path).removeprefix("lib").partition(".")[0]
    module = types.ModuleType(name, f"The operations of {path}.")
    functions = core._load_operations(path, name)
    module.__dict__.update(functions)
    module.__all__ = sorted(functions)
    module.__file__ = os.path.abspath(path)
    return module


def load_package(name: str) -> None:
    """Defines the operations of all libraries in a package's folder as functions of the package.

    For the package's __init__.py: `load_package(__name__)`.

    name: of a package that is being imported.

    Raises what `load` raises, and ImportError if there is no library.
    """
    package = sys.modules[name]
    folder = os.path.dirname(os.path.abspath(package.__file__))
    paths = sorted(glob.glob(os.path.join(glob.escape(folder), "*.so")))
    if not paths:
        raise ImportError(f"{folder} has no library of operations (*.so); build the package: pip install .", name=name)
    for path in paths:
        for function, value in core._load_operations(path, name).items():
            setattr(package, function, value)
