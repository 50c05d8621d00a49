# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""C functions of arrays, with jax.ffi's API: code written for it works with either.

`tenon.ops.load` is simpler where a library carries its signatures (TN_LIBRARY in <tenon/custom.h>); these functions call any handler
of XLA's FFI, and untyped functions.
"""

from __future__ import annotations

import ctypes
import pathlib
from collections.abc import Callable, Sequence
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
    platform: "cpu", "CUDA" or "OpenCL", in any case.
    api_version: 1: a handler of XLA's FFI; 0: an untyped function, void f(void* out, const void** in).

    Raises ValueError if a different function has that name.
    """
    stages = fn if isinstance(fn, dict) else {"execute": fn}
    known = ("instantiate", "prepare", "initialize", "execute")
    unknown = sorted(set(stages) - set(known))
    if unknown or "execute" not in stages:
        raise ValueError(f"expected the stages {', '.join(known)}, 'execute' among them; found {sorted(stages)}")
    if platform.lower() not in _PLATFORMS:
        raise ValueError(f"expected one of the platforms {', '.join(_PLATFORMS)}; found {platform!r}")
    if api_version not in (0, 1):
        raise ValueError(f"expected an api_version of 0 or 1; found {api_version!r}")
    core._register_target(name, _PLATFORMS[platform.lower()], 4 if api_version else 0, *(stages.get(stage) for stage in known))


def ffi_call(target_name: str, result_shape_dtypes: Any, *, has_side_effect: bool = False, vmap_method: str | None = None,
             input_layouts: Sequence[Sequence[int] | None] | None = None, output_layouts: Any = None,
             input_output_aliases: dict[int, int] | None = None, custom_call_api_version: int = 4, legacy_backend_config: str | None = None,
             stream: core.Stream | core.ThreadLocalStream | core.Device | core.DeviceType | None = None) -> Callable[..., Any]:
    """A function of arrays that calls a registered target.

    target_name: registered with register_ffi_target, or by a library that was loaded.
    result_shape_dtypes: anything with .shape and .dtype (jax.ShapeDtypeStruct, an array), or a sequence of them.
    has_side_effect: the call is started at once, not when its results are needed; in a compiled function it is made if they are.
    vmap_method: how tenon.core.vmap calls it: "sequential" (or "sequential_unrolled"), once for each element of the batch;
        "broadcast_all", once with a first axis of the batch's size on all operands; "expand_dims", the same with one of size 1 on
        operands that have no batch. None: it is an error.
    input_layouts, output_layouts: the axes of each operand and result from major to minor, as memory has them; None: row-major.
    input_output_aliases: results, by number, whose memory begins with the elements of an operand. None or {}: an operation
        has memory of its own for its results, and others are an error.
    custom_call_api_version: of the target, which register_ffi_target knows: 1 to 4.
    stream: a stream or a device.

    The function takes the operands, and attributes as keywords: bool, int (64 bits), float (64 bits), a scalar of NumPy with its own
    dtype, str, bytes, an array, a dict of these. It returns an array, or a tuple of them if result_shape_dtypes is a sequence.
    """
    has_many = isinstance(result_shape_dtypes, (list, tuple))
    results = result_shape_dtypes if has_many else [result_shape_dtypes]
    types = tuple((tuple(map(int, it.shape)), it.dtype) for it in results)
    if vmap_method not in _VMAP_METHODS:
        raise ValueError(f"{target_name}: expected a vmap_method of {', '.join(map(repr, _VMAP_METHODS))}; found {vmap_method!r}")
    if custom_call_api_version not in (1, 2, 3, 4):
        raise ValueError(f"{target_name}: expected a custom_call_api_version of 1 to 4; found {custom_call_api_version!r}")
    if input_output_aliases:
        raise NotImplementedError(f"{target_name}: input_output_aliases: results have memory of their own: {input_output_aliases}. In a "
                                  "StableHLO program (tenon.load) a custom call may have output_operand_aliases")
    if legacy_backend_config is not None:
        raise NotImplementedError(f"{target_name}: legacy_backend_config: expected attributes as keywords of the function")
    layouts_out = list(output_layouts) if has_many and output_layouts is not None else [output_layouts] * len(types)

    def call(*operands, **attributes):
        layouts_in = input_layouts or [None] * len(operands)
        for what, layouts, count in (("input", layouts_in, len(operands)), ("output", layouts_out, len(types))):
            if len(layouts) != count:
                raise ValueError(f"{target_name}: expected {count} {what}_layouts; found {len(layouts)}")

        def apply(types, *arrays):
            arrays = [_store(target_name, array, layout) for array, layout in zip(arrays, layouts_in)]
            out = core._apply_target(target_name, tuple(arrays), attributes, types, stream)
            out = (out,) if len(types) == 1 else out
            return tuple(_restore(target_name, array, layout) for array, layout in zip(out, layouts_out))

        arrays = [it if isinstance(it, core.array) else core.asarray(it) for it in operands] if vmap_method or input_layouts else operands
        out = _batchable(apply, types, vmap_method)(*arrays) if vmap_method else apply(types, *arrays)
        if has_side_effect:
            _start(out)
        return out if has_many else out[0]

    return call


_VMAP_METHODS = (None, "sequential", "sequential_unrolled", "expand_dims", "broadcast_all")


def _start(arrays):
    try:
        core.async_eval(arrays)
    except ValueError as error:
        if "graph transformation" not in str(error):
            raise


# --- memory in other orders: axes from major to minor


def _check_layout(name, rank, layout):
    axes = [int(axis) for axis in layout]
    if sorted(axes) != list(range(rank)):
        raise ValueError(f"{name}: expected the layout of {rank} axes; found {layout!r}")
    return axes


def _store(name, array, layout):
    """An array of the same shape whose row-major elements are those of `array` in this order."""
    if layout is None:
        return array
    return core.reshape(core.transpose(array, _check_layout(name, array.ndim, layout)), array.shape)


def _restore(name, array, layout):
    """The array that a target has written in this order."""
    if layout is None:
        return array
    axes = _check_layout(name, array.ndim, layout)
    return core.transpose(core.reshape(array, [array.shape[axis] for axis in axes]), [axes.index(axis) for axis in range(array.ndim)])


# --- batches


def _batchable(apply, types, method):
    """A function of arrays with a rule for vmap, which applies to it as well."""
    function = core.custom_function(lambda *arrays: apply(types, *arrays))

    @function.vmap
    def batch(arrays, axes):
        # A single operand comes by itself.
        arrays, axes = (arrays, axes) if isinstance(arrays, (list, tuple)) else ([arrays], [axes])
        size = next(array.shape[axis] for array, axis in zip(arrays, axes) if axis is not None)
        moved = [array if axis is None else core.moveaxis(array, axis, 0) for array, axis in zip(arrays, axes)]
        if method.startswith("sequential"):
            parts = [_batchable(apply, types, method)(*(array if axis is None else array[i] for array, axis in zip(moved, axes)))
                     for i in range(size)]
            return [core.stack(results) for results in zip(*parts)], [0] * len(types)
        moved = [core.expand_dims(array, 0) if axis is None else array for array, axis in zip(moved, axes)]
        if method == "broadcast_all":
            moved = [core.broadcast_to(array, (size, *array.shape[1:])) for array in moved]
        batched = tuple(((size, *shape), dtype) for shape, dtype in types)
        return list(_batchable(apply, batched, method)(*moved)), [0] * len(types)

    return function
