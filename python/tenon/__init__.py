# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""Tenon: array programs with custom operations that are written once, in C.

  tenon.core      lazy arrays and the functions on them, with the names of mlx.core
  tenon.ops       libraries of custom operations
  tenon.fast      kernels from a C source
  tenon.ffi       C and XLA FFI functions, with jax.ffi's API
  tenon.jax       operations as functions of JAX
  tenon.load      a StableHLO program as a function
  tenon.profile   a trace of what runs, for Perfetto
  tenon.show      a picture of a function
"""

import importlib
import sys

_MODULES = ["core", "fast", "ffi", "jax", "ops"]
_NAMES = {"load": "programs", "Program": "programs", "profile": "inspection", "show": "inspection"}  # and the modules they are in

__all__ = [*_MODULES, *_NAMES]


TYPE_CHECKING = False
if TYPE_CHECKING:  # the same for type checkers
    from . import core as core, fast as fast, ffi as ffi, jax as jax, ops as ops
    from .core import __version__ as __version__
    from .inspection import profile as profile, show as show
    from .programs import Program as Program, load as load
else:

    def __getattr__(name):
        # On first use: `python -m tenon --cflags` does not load the library.
        if name in _MODULES:
            try:
                return importlib.import_module(f"{__name__}.{name}")
            except ModuleNotFoundError as error:  # of JAX, say: there is no such attribute then, for hasattr, help and inspect
                raise AttributeError(f"module {__name__!r} has no attribute {name!r}: {error}", name=name, obj=sys.modules[__name__]) from error
        if name in _NAMES:
            return getattr(importlib.import_module(f"{__name__}.{_NAMES[name]}"), name)
        if name == "__version__":
            return importlib.import_module(f"{__name__}.core").__version__
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
