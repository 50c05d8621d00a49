"""Tenon: array programs with custom operations that are written once, in C.

  tenon.core      lazy arrays and the functions on them, with the names of mlx.core
  tenon.ops       libraries of custom operations
"""

import importlib

__all__ = ["core", "ops"]


def __getattr__(name):
    # On first use: `python -m tenon --cflags` does not load the library.
    if name in __all__:
        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__():
    return sorted([*globals(), *__all__])
