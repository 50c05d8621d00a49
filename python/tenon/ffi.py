# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""C functions of arrays, with jax.ffi's API: code written for it works with either.

`tenon.ops.load` is simpler where a library carries its signatures (TN_LIBRARY in <tenon/custom.h>); these functions call any handler
of XLA's FFI, and untyped functions.
"""

from __future__ import annotations

import ctypes
import pathlib
from collections.abc import Callable
from typing import Any

from . import core

__all__ = ["ffi_call", "include_dir", "pycapsule", "register_ffi_target"]

_PLATFORMS = {"cpu": "Host", "cuda": "CUDA", "opencl": "OpenCL"}


def include_dir() -> str:
    """The folder of the headers: <tenon/custom.h> and the others."""
    return str(pathlib.Path(__file__).resolve().parent / "include")


def pycapsule(funcptr: Any) -> Any:
    """The address of a function of ctypes as a capsule, for register_ffi_target."""
    destructor = ctypes.CFUNCTYPE(None, ctypes.py_object)
    new = ctypes.pythonapi.PyCapsule_New
    new.restype = ctypes.py_object
    new.argtypes = (ctypes.c_void_p, ctypes.c_char_p, destructor)
    return new(ctypes.cast(funcptr, ctypes.c_void_p), None, destructor(0))


def register_ffi_target(name: str, fn: Any, platform: str = "cpu", api_version: int = 1) -> None:
    """Registers a function under a name, for ffi_call and for custom calls of programs.

    fn: a capsule with the function's address (pycapsule); or a dict with capsules for the stages of a handler: "execute", and any of
        "instantiate", "prepare", "initialize".
    platform: "cpu", "cuda" or "opencl".
    api_version: 1: a handler of XLA's FFI; 0: an untyped function, void f(void* out, const void** in).

    Raises ValueError if a different function has that name.
    """
    stages = fn if isinstance(fn, dict) else {"execute": fn}
    known = ("instantiate", "prepare", "initialize", "execute")
    unknown = sorted(set(stages) - set(known))
    if unknown or "execute" not in stages:
        raise ValueError(f"expected the stages {', '.join(known)}, 'execute' among them; found {sorted(stages)}")
    if platform not in _PLATFORMS:
        raise ValueError(f"expected one of the platforms {', '.join(_PLATFORMS)}; found {platform!r}")
    if api_version not in (0, 1):
        raise ValueError(f"expected an api_version of 0 or 1; found {api_version!r}")
    core._register_target(name, _PLATFORMS[platform], 4 if api_version else 0, *(stages.get(stage) for stage in known))


def ffi_call(target_name: str, result_shape_dtypes: Any, *,
             stream: core.Stream | core.ThreadLocalStream | core.Device | core.DeviceType | None = None) -> Callable[..., Any]:
    """A function of arrays that calls a registered target.

    target_name: registered with register_ffi_target, or by a library that was loaded.
    result_shape_dtypes: anything with .shape and .dtype (jax.ShapeDtypeStruct, an array), or a sequence of them.
    stream: a stream or a device.

    The function takes the operands, and attributes as keywords: bool, int (64 bits), float (64 bits), a scalar of NumPy with its own
    dtype, str, bytes, an array, a dict of these. It returns an array, or a tuple of them if result_shape_dtypes is a sequence.
    """
    has_many = isinstance(result_shape_dtypes, (list, tuple))
    results = result_shape_dtypes if has_many else [result_shape_dtypes]
    types = tuple((tuple(map(int, it.shape)), it.dtype) for it in results)

    def call(*operands, **attributes):
        out = core._apply_target(target_name, operands, attributes, types, stream)
        return (out,) if has_many and len(types) == 1 else out

    return call
