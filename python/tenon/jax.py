# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""Operations of libraries as JAX functions, and any function of tenon.core.

    ops = tenon.jax.register("libaxpby.so")
    jax.jit(jax.grad(lambda x, y: ops.axpby(x, y, alpha=4.0).sum()))(x, y)

A function is traced into a StableHLO module, which takes its place in JAX's program: XLA compiles it, and calls the library's handlers
through its FFI. Derivatives and batching rules are those of Tenon, traced in the same way.
"""

from __future__ import annotations

import functools
import hashlib
import inspect
import os
import types
from collections.abc import Callable, Iterable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.extend.core import Primitive
from jax.interpreters import ad, batching, mlir
from jaxlib.mlir.dialects import func as func_dialect

from . import core, ops

__all__ = ["register", "wrap"]


def register(path: str | os.PathLike[str]) -> types.ModuleType:
    """Loads a library of operations, and returns a module with a JAX function for each of them.

    The functions have the names and parameters of the library's own signatures: operands are arrays, attributes are constants. They
    work under jit, grad, jvp, vjp and vmap where the operations have the rules. The handlers, for the CPU and for CUDA, are registered
    with jax.ffi; those for CUDA may be in another library, which is registered before or after.

    Raises what tenon.ops.load raises.
    """
    # What JAX calls the platforms for which a handler may be.
    platforms = {"Host": "cpu", "CUDA": "CUDA"}
    loaded = ops.load(path)
    module = types.ModuleType(loaded.__name__, loaded.__doc__)
    module.__file__ = loaded.__file__
    module.__all__ = []
    for name, platform, traits, operands, stages in core._library_handlers(os.path.realpath(path)):
        if platform not in platforms:
            continue
        stages = {stage: capsule for stage, capsule in stages.items() if capsule is not None}
        jax.ffi.register_ffi_target(name, stages, platform=platforms[platform], traits=traits)
        if hasattr(loaded, name) and name not in module.__all__:
            setattr(module, name, wrap(getattr(loaded, name), operands=operands))
            module.__all__.append(name)
    return module


def wrap(function: Callable[..., Any], *, operands: Iterable[str] | None = None) -> Callable[..., Any]:
    """A function of arrays of tenon.core as a JAX function.

    function: takes arrays by position, and gives an array or a tuple or list of them.
    operands: names of the parameters that are arrays; None: all are. The others are constants of the trace, which have a hash.
    """
    signature = inspect.signature(function) if operands is not None else None

    @functools.wraps(function)
    def call(*arguments, **keywords):
        constants = ()
        if signature:
            bound = signature.bind(*arguments, **keywords).arguments
            if bound.pop("stream", None) is not None:
                raise TypeError(f"{function.__name__}(): JAX chooses where it runs; there is no stream")
            constants = tuple((name, _constant(function, name, value)) for name, value in bound.items() if name not in operands)
            arguments = [bound[name] for name in operands if name in bound]
        elif keywords:
            raise TypeError(f"{function.__name__}() takes arrays by position; found the keyword {next(iter(keywords))!r}")
        arrays = [jnp.asarray(argument) for argument in arguments]
        text, is_one = _trace(function, constants, tuple((array.shape, array.dtype) for array in arrays))
        results = tenon_p.bind(*arrays, module=text)
        return results[0] if is_one else tuple(results)

    return call


def _constant(function, name, value):
    """An attribute as a part of the trace's key."""
    if isinstance(value, jax.core.Tracer):
        raise TypeError(f"{function.__name__}(): attribute '{name}' is traced; attributes are constants (static_argnums)")
    if isinstance(value, list):
        return tuple(value)
    try:
        hash(value)
    except TypeError:
        raise TypeError(f"{function.__name__}(): attribute '{name}': expected a number, text or a list of numbers; "
                        f"found {type(value).__name__}") from None
    return value


@functools.lru_cache(maxsize=1024)
def _trace(function, constants, inputs):
    """The function as a module, and whether it gives one array."""
    is_one = False

    def call(*arrays):
        nonlocal is_one
        result = function(*arrays, **dict(constants))
        is_one = isinstance(result, core.array)
        return result

    return core._export_module(call, *map(_example, inputs)), is_one


def _example(type):
    shape, dtype = type
    return core.broadcast_to(core.array(0, dtype=str(dtype)), shape)


@functools.lru_cache(maxsize=1024)
def _imported(module):
    return core._import_module(module)


# --- the modules of derivatives: functions of the primals, and then of tangents or cotangents


def _is_float(dtype):
    return jnp.issubdtype(jnp.dtype(dtype.name), jnp.inexact)


def _chosen(module, primals, argnums):
    """The floating-point results as a function of the arrays with the numbers `argnums`."""
    function, results = _imported(module)

    def call(*chosen):
        arrays = list(primals)
        for argnum, array in zip(argnums, chosen):
            arrays[argnum] = array
        return [array for array, (_, dtype) in zip(function(*arrays), results) if _is_float(dtype)]

    return call


@functools.lru_cache(maxsize=1024)
def _jvp_module(module, inputs, argnums):
    def call(*arrays):
        primals, tangents = arrays[:len(inputs)], arrays[len(inputs):]
        return core.jvp(_chosen(module, primals, argnums), [primals[i] for i in argnums], list(tangents))[1]

    return core._export_module(call, *map(_example, inputs), *(_example(inputs[i]) for i in argnums))


@functools.lru_cache(maxsize=1024)
def _vjp_module(module, inputs, argnums):
    def call(*arrays):
        primals, cotangents = arrays[:len(inputs)], arrays[len(inputs):]
        return core.vjp(_chosen(module, primals, argnums), [primals[i] for i in argnums], list(cotangents))[1]

    results = [type for type in _imported(module)[1] if _is_float(type[1])]
    return core._export_module(call, *map(_example, inputs), *(_example((shape, dtype.name)) for shape, dtype in results))


@functools.lru_cache(maxsize=1024)
def _vmap_module(module, inputs, is_batched):
    call = core.vmap(_imported(module)[0], in_axes=tuple(0 if it else None for it in is_batched))
    return core._export_module(call, *map(_example, inputs))


# --- the primitives: a module, and the tangents of a module


def _types(arrays):
    return tuple((tuple(array.aval.shape if hasattr(array, "aval") else np.shape(array)),
                  str(array.aval.dtype if hasattr(array, "aval") else np.asarray(array).dtype)) for array in arrays)


def _avals(results):
    return [jax.core.ShapedArray(shape, jnp.dtype(dtype.name)) for shape, dtype in results]


def _lower(context, operands, module):
    """Puts the module's function into the program, once, and calls it."""
    name = f"tenon_{hashlib.sha256(module.encode()).hexdigest()[:16]}"
    program = context.module_context
    if name not in program.symbol_table:
        parsed = mlir.ir.Module.parse(module)
        copy = parsed.body.operations[0].clone(ip=mlir.ir.InsertionPoint(program.module.body))
        copy.attributes["sym_name"] = mlir.ir.StringAttr.get(name)
        copy.attributes["sym_visibility"] = mlir.ir.StringAttr.get("private")
        program.symbol_table.insert(copy)
    results = mlir.ir.FunctionType(mlir.ir.TypeAttr(program.symbol_table[name].attributes["function_type"]).value).results
    return func_dialect.CallOp(results, mlir.ir.FlatSymbolRefAttr.get(name), operands).results


tenon_p = Primitive("tenon")
tenon_p.multiple_results = True


@functools.lru_cache(maxsize=1024)
def _compiled(module):
    return jax.jit(functools.partial(tenon_p.bind, module=module))


@tenon_p.def_impl
def _run(*arrays, module):
    return _compiled(module)(*arrays)


@tenon_p.def_abstract_eval
def _abstract(*avals, module):
    return _avals(_imported(module)[1])


mlir.register_lowering(tenon_p, lambda context, *operands, module: _lower(context, operands, module))


def _jvp(primals, tangents, *, module):
    results = tenon_p.bind(*primals, module=module)
    argnums = tuple(i for i, tangent in enumerate(tangents) if not isinstance(tangent, ad.Zero))
    linear = iter(tenon_linear_p.bind(*primals, *(ad.instantiate_zeros(tangents[i]) for i in argnums), module=module, argnums=argnums))
    return results, [next(linear) if jnp.issubdtype(result.dtype, jnp.inexact)
                     else ad.Zero(jax.core.ShapedArray(result.shape, jax.dtypes.float0)) for result in results]


ad.primitive_jvps[tenon_p] = _jvp


def _batch(arrays, axes, *, module):
    moved = [array if axis is None else jnp.moveaxis(array, axis, 0) for array, axis in zip(arrays, axes)]
    batched = _vmap_module(module, _types(moved), tuple(axis is not None for axis in axes))
    results = tenon_p.bind(*moved, module=batched)
    return results, [0] * len(results)


batching.primitive_batchers[tenon_p] = _batch

# The tangents of the results; operands are the primals and the tangents of those with the numbers `argnums`.
tenon_linear_p = Primitive("tenon_linear")
tenon_linear_p.multiple_results = True


def _linear_module(arrays, module, argnums):
    return _jvp_module(module, _types(arrays[:len(arrays) - len(argnums)]), argnums)


@tenon_linear_p.def_impl
def _run_linear(*arrays, module, argnums):
    return tenon_p.bind(*arrays, module=_linear_module(arrays, module, argnums))


@tenon_linear_p.def_abstract_eval
def _abstract_linear(*avals, module, argnums):
    return _avals([type for type in _imported(module)[1] if _is_float(type[1])])


def _lower_linear(context, *operands, module, argnums):
    types = tuple((tuple(aval.shape), str(aval.dtype)) for aval in context.avals_in)
    return _lower(context, operands, _jvp_module(module, types[:len(types) - len(argnums)], argnums))


mlir.register_lowering(tenon_linear_p, _lower_linear)


def _jvp_linear(primals, tangents, *, module, argnums):
    derived = _linear_module(primals, module, argnums)
    return _jvp(primals, tangents, module=derived)


ad.primitive_jvps[tenon_linear_p] = _jvp_linear


def _transpose(cotangents, *operands, module, argnums):
    primals = operands[:len(operands) - len(argnums)]
    gradients = tenon_p.bind(*primals, *map(ad.instantiate_zeros, cotangents), module=_vjp_module(module, _types(primals), argnums))
    wanted = [ad.is_undefined_primal(operand) for operand in operands[len(primals):]]
    return [None] * len(primals) + [gradient if is_wanted else None for gradient, is_wanted in zip(gradients, wanted)]


ad.primitive_transposes[tenon_linear_p] = _transpose


def _batch_linear(arrays, axes, *, module, argnums):
    count = len(arrays) - len(argnums)
    size = next(array.shape[axis] for array, axis in zip(arrays, axes) if axis is not None)
    # A primal and its tangent are batched together.
    is_batched = [axis is not None for axis in axes[:count]]
    for i, argnum in enumerate(argnums):
        is_batched[argnum] |= axes[count + i] is not None
    wanted = [*is_batched, *(is_batched[argnum] for argnum in argnums)]
    moved = [array if not is_wanted else jnp.broadcast_to(array, (size, *array.shape)) if axis is None else jnp.moveaxis(array, axis, 0)
             for array, axis, is_wanted in zip(arrays, axes, wanted)]
    batched = _vmap_module(module, _types(moved[:count]), tuple(is_batched))
    results = tenon_linear_p.bind(*moved, module=batched, argnums=argnums)
    return results, [0] * len(results)


batching.primitive_batchers[tenon_linear_p] = _batch_linear
