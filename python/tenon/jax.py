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
            setattr(module, name, _operation(getattr(loaded, name), tuple(operands), True))
            module.__all__.append(name)
    return module


def wrap(function: Callable[..., Any], *, operands: Iterable[str] | None = None) -> Callable[..., Any]:
    """A function of arrays of tenon.core as a JAX function.

    function: of pytrees of arrays, by position or by keyword; gives a pytree of arrays.
    operands: names of the parameters that are arrays; None: all are. The others are constants of the trace, which have a hash.

    The function is called once for each structure, shape and dtype of its arguments, and never again: whatever else it reads, such as
    a variable that it closes over or the state of tenon.core.random, keeps the value that it had then. Give such values as arguments,
    and random functions their `key`.

    Sizes are numbers: symbolic dimensions of jax.export are for operations (register), not for functions.
    """
    if operands is not None:
        return _operation(function, tuple(operands), False)

    @functools.wraps(function)
    def call(*arguments, **keywords):
        leaves, structure = jax.tree.flatten((arguments, keywords))
        return _bind(function, [jnp.asarray(leaf) for leaf in leaves], (), structure)

    return call


def _operation(function, operands, has_handler):
    """A function with attributes as a JAX function. has_handler: it is an operation of a library."""
    signature = inspect.signature(function)

    @functools.wraps(function)
    def call(*arguments, **keywords):
        try:
            bound = signature.bind(*arguments, **keywords).arguments
        except TypeError as error:
            raise TypeError(f"{function.__name__}(): {error}; it is {function.__name__}{signature}") from None
        if bound.pop("stream", None) is not None:
            raise TypeError(f"{function.__name__}(): JAX chooses where it runs; there is no stream")
        constants = tuple((name, _constant(function, name, value)) for name, value in bound.items() if name not in operands)
        arrays = [jnp.asarray(bound[name]) for name in operands if name in bound]
        if has_handler and any(_is_symbolic(array.shape) for array in arrays):
            return _call_symbolic(function, arrays, constants)
        return _bind(function, arrays, constants, None)

    return call


def _bind(function, arrays, constants, structure):
    for array in arrays:
        if _is_symbolic(array.shape):
            raise NotImplementedError(f"{function.__name__}(): an array has the shape {array.shape}: expected numbers. Symbolic dimensions "
                                      "are for the operations of tenon.jax.register")
    text, out_structure = _trace(function, constants, tuple((array.shape, array.dtype) for array in arrays), structure)
    return jax.tree.unflatten(out_structure, tenon_p.bind(*arrays, module=text))


def _is_symbolic(shape):
    return not all(isinstance(size, int) for size in shape)


# Sizes that stand for symbolic ones while shapes are inferred, twice: what depends on them differs.
_STAND_INS = ((8191, 6151, 4099, 3079, 2053, 1543, 1031, 769), (6143, 7919, 3083, 4093, 1549, 2063, 773, 1021))


def _call_symbolic(function, arrays, constants):
    """The call of an operation whose results have the operands' symbolic dimensions."""
    symbols = list(dict.fromkeys(size for array in arrays for size in array.shape if not isinstance(size, int)))
    if len(symbols) > len(_STAND_INS[0]):
        raise NotImplementedError(f"{function.__name__}(): the operands have {len(symbols)} different symbolic dimensions; expected at most "
                                  f"{len(_STAND_INS[0])}")
    found = []
    for stand_ins in _STAND_INS:
        numbers, back = dict(zip(symbols, stand_ins)), dict(zip(stand_ins, symbols))
        shapes = tuple((tuple(numbers.get(size, size) for size in array.shape), array.dtype) for array in arrays)
        text, structure = _trace(function, constants, shapes, None)
        found.append([(tuple(back.get(size, size) for size in shape), dtype.name) for shape, dtype in _imported(text)[1]])
    if found[0] != found[1]:
        raise NotImplementedError(f"{function.__name__}(): the results have sizes that follow from symbolic dimensions, and are none of them")
    if text.count("stablehlo.") != 1:  # others adapt the operands to the call
        raise NotImplementedError(f"{function.__name__}(): operands with symbolic dimensions must have one shape and dtype; found "
                                  + " and ".join(f"{array.dtype}{list(array.shape)}" for array in arrays))
    target, attributes = _call_in(text)
    results = [jax.ShapeDtypeStruct(shape, dtype) for shape, dtype in found[0]]
    return jax.tree.unflatten(structure, jax.ffi.ffi_call(target, results)(*arrays, **attributes))


def _call_in(text):
    """The target and the attributes, for ffi_call, of the only call in a module."""
    with mlir.make_ir_context():
        module = mlir.ir.Module.parse(text)
        call = module.body.operations[0].regions[0].blocks[0].operations[0]
        given = mlir.ir.DictAttr(call.attributes["backend_config"]) if "backend_config" in call.attributes else ()
        return mlir.ir.StringAttr(call.attributes["call_target_name"]).value, {it.name: _attribute(it.attr) for it in given}


def _attribute(attr):
    """A value that ffi_call spells as this attribute."""
    ir = mlir.ir
    if isinstance(attr, ir.BoolAttr):
        return attr.value
    if isinstance(attr, (ir.FloatAttr, ir.IntegerAttr)):
        return jnp.dtype({"i": "int", "f": "float"}[str(attr.type)[0]] + str(attr.type)[1:]).type(attr.value)
    if isinstance(attr, ir.DictAttr):
        return {it.name: _attribute(it.attr) for it in attr}
    if isinstance(attr, ir.StringAttr):
        return attr.value
    for kind in (ir.DenseI32ArrayAttr, ir.DenseI64ArrayAttr, ir.DenseF32ArrayAttr, ir.DenseF64ArrayAttr, ir.DenseBoolArrayAttr,
                 ir.DenseI8ArrayAttr, ir.DenseI16ArrayAttr):
        if isinstance(attr, kind):
            name = kind.__name__.removeprefix("Dense").removesuffix("ArrayAttr").lower().replace("i", "int").replace("f", "float")
            return np.array(list(attr), name)
    raise NotImplementedError(f"symbolic dimensions: an attribute {attr} has no value for jax.ffi")


def _constant(function, name, value):
    """An attribute as a part of the trace's key."""
    if isinstance(value, jax.core.Tracer):
        raise TypeError(f"{function.__name__}(): attribute '{name}' is traced; attributes are constants (static_argnums)")
    if isinstance(value, jax.Array) and value.ndim == 0:
        return np.asarray(value)[()]  # a scalar of NumPy, with its dtype
    if isinstance(value, list):
        return tuple(value)
    try:
        hash(value)
    except TypeError:
        raise TypeError(f"{function.__name__}(): attribute '{name}': expected a number, text or a list of numbers; "
                        f"found {type(value).__name__}") from None
    return value


@functools.lru_cache(maxsize=1024)
def _trace(function, constants, inputs, structure):
    """The function as a module, and the structure of its result. structure: of its arguments; None: they are arrays."""
    out_structure = None

    def call(*arrays):
        nonlocal out_structure
        arguments, keywords = (arrays, dict(constants)) if structure is None else jax.tree.unflatten(structure, arrays)
        leaves, out_structure = jax.tree.flatten(function(*arguments, **keywords))
        return leaves

    return core._export_module(call, *map(_example, inputs)), out_structure


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
