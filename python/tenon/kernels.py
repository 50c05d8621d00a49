# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""Kernels of GPUs from a source text: tenon.fast.opencl_kernel and cuda_kernel, and those of mlx.core.fast."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Sequence
from typing import Any

from . import core

__all__ = ["cuda_kernel", "opencl_kernel"]

# By dtype: the C type of elements in memory, as <tenon/gpu.h> names it.
_TYPES = {
    core.bool_: "tn_u8", core.uint8: "tn_u8", core.uint16: "tn_u16", core.uint32: "tn_u32", core.uint64: "tn_u64",
    core.int8: "tn_i8", core.int16: "tn_i16", core.int32: "tn_i32", core.int64: "tn_i64", core.float16: "tn_f16",
    core.bfloat16: "tn_bf16", core.float32: "float", core.float64: "double", core.complex64: "tn_c64"}
# By the end of an input's name: a parameter that exists if the source uses it. The bits are those of gpu_kernel.c.
_WORDS = (("_shape", 1, "tn_dims {0}_", "#define {0} {0}_.at"), ("_strides", 2, "tn_dims {0}_", "#define {0} {0}_.at"),
          ("_ndim", 4, "int {0}", ""))
# How an element is set where it is more than a number in memory.
_STORES = {core.float16: "tn_store_f16(y, i, {0})", core.bfloat16: "tn_store_bf16(y, i, {0})",
           core.complex64: "y[i].real = {0}; y[i].imaginary = 0"}


def opencl_kernel(name: str, input_names: Sequence[str], output_names: Sequence[str], source: str, header: str = "",
                  ensure_row_contiguous: bool = True, atomic_outputs: bool = False, *,
                  vjp: Callable[..., Any] | None = None) -> Any:
    """A function of arrays that launches a kernel of a GPU, compiled when it is first evaluated.

        exp = tenon.fast.opencl_kernel("myexp", ["x"], ["y"], '''
            const tn_i64 i = tn_item(0);
            if (i < x_shape[0]) y[i] = exp(x[i]);
        ''')
        y, = exp(inputs=[x], grid=(x.size, 1, 1), threadgroup=(256, 1, 1), output_shapes=[x.shape], output_dtypes=[x.dtype])

    name: of the kernel.
    input_names, output_names: its parameters: pointers to the arrays' elements, dense and in row-major order.
    source: the body, in the C that OpenCL and CUDA share (<tenon/gpu.h>), or in what the device's language has besides.
        For an input `x` it may use x_shape[d], x_strides[d] and x_ndim, of up to 8 dimensions. float16 and bfloat16 are read with
        tn_load_f16(x, i) and written with tn_store_f16(y, i, value).
    header: source in front of the kernel.
    ensure_row_contiguous: inputs are row-major without gaps in any case; a kernel that reads x_strides finds those.
    atomic_outputs: the outputs are plain pointers in any case, as the atomic functions of OpenCL C and CUDA expect them; with
        init_value they begin with a known value.
    vjp: as of custom_function: vjp(primals, cotangents, outputs) gives the gradients of the inputs. Without it there are none.

    The function's parameters, by keyword:
    inputs: arrays, or numbers.
    output_shapes, output_dtypes: of the results.
    grid: how many threads along x, y and z, at least: compare with the size where it is no multiple of the threadgroup.
    threadgroup: how many threads a group has along x, y and z.
    template: pairs of a name and a dtype, an int or a bool, which the source can use.
    init_value: a number that all elements of the outputs have before the launch. None: they are unspecified.
    verbose: prints the source of the kernel.
    stream: a stream or a device.

    It returns a list of arrays. When they are evaluated, RuntimeError for a source that does not compile (the message has what the
    compiler printed, with the lines of the source), and where there is no GPU.
    """
    def kernel(*, inputs, output_shapes, output_dtypes, grid, threadgroup, template=None, init_value=None, verbose=False, stream=None):
        if len(inputs) != len(input_names):
            raise ValueError(f"{name}: expected {len(input_names)} inputs, {', '.join(input_names)}; found {len(inputs)}")
        if not len(output_names) == len(output_shapes) == len(output_dtypes):
            raise ValueError(f"{name}: expected {len(output_names)} shapes and dtypes of outputs; found {len(output_shapes)} and "
                             f"{len(output_dtypes)}")
        arrays = [core.array(it) if not isinstance(it, core.array) else it for it in inputs]
        text, takes = _source(name, zip(input_names, (it.dtype for it in arrays)), zip(output_names, output_dtypes), source, header,
                              template or (), init_value)
        if verbose:
            print(text)
        sizes = [*_three(name, "grid", grid), *_three(name, "threadgroup", threadgroup)]
        attributes = {"library": _library(name, text), "kernel": name, "launch": core.array(sizes + takes, core.int64),
                      "is_filled": init_value is not None}
        types = tuple((tuple(map(int, shape)), dtype) for shape, dtype in zip(output_shapes, output_dtypes))

        def launch(*operands):
            results = core._apply_target("tenon.gpu_kernel", operands, attributes, types, stream)
            return [results] if len(types) == 1 else list(results)

        if vjp is None:
            return launch(*arrays)
        custom = core.custom_function(launch)
        custom.vjp(vjp)
        return custom(*arrays)

    kernel.__name__ = kernel.__qualname__ = name
    kernel.__doc__ = f"The kernel {name} of a GPU; see tenon.fast.opencl_kernel."
    return kernel


def cuda_kernel(name: str, input_names: Sequence[str], output_names: Sequence[str], source: str, header: str = "",
                ensure_row_contiguous: bool = True, shared_memory: int = 0, *, vjp: Callable[..., Any] | None = None) -> Any:
    """The same as opencl_kernel: the source is in the C that both share, or in CUDA C++ for devices of CUDA alone.

    shared_memory: 0; a kernel declares the memory that its groups share, as TN_SHARED arrays.
    """
    if shared_memory:
        raise NotImplementedError(f"{name}: expected shared_memory=0; found {shared_memory}. Declare it in the source: "
                                  "TN_SHARED float tile[256];")
    return opencl_kernel(name, input_names, output_names, source, header, ensure_row_contiguous, vjp=vjp)


# --- mlx.core.fast, which asks for its own platform


def _needs_cuda() -> None:
    if not core.cuda.is_available():
        raise RuntimeError("[cuda_kernel] No CUDA back-end.")


def core_cuda_kernel(name, input_names, output_names, source, header="", ensure_row_contiguous=True, shared_memory=0):
    _needs_cuda()
    return cuda_kernel(name, input_names, output_names, source, header, ensure_row_contiguous, shared_memory)


def precompiled_cuda_kernel(*, name, compiled_source, inputs, output_shapes, output_dtypes, scalars, grid, threadgroup, shared_memory=0,
                            init_value=None, ensure_row_contiguous=False, stream=None):
    _needs_cuda()
    raise NotImplementedError(f"precompiled_cuda_kernel: {name}: kernels are compiled from a source: use tenon.fast.cuda_kernel, or a "
                              "library of tenon_build_kernels")


def metal_kernel(name, input_names, output_names, source, header="", ensure_row_contiguous=True, atomic_outputs=False, compile_options=None):
    """Modules make kernels when they are imported, and ask metal.is_available() before they call them."""
    def kernel(*, inputs, output_shapes, output_dtypes, grid, threadgroup, template=None, init_value=None, verbose=False, stream=None):
        raise RuntimeError("[metal_kernel] No Metal back-end.")

    kernel.__name__ = kernel.__qualname__ = str(name)
    return kernel


# --- sources


@functools.lru_cache(maxsize=None)  # libraries stay, too
def _library(name, text):
    return core._add_kernel_library(name, text)


def _three(name, what, sizes):
    if len(sizes) != 3:
        raise ValueError(f"{name}: expected 3 numbers for {what}; found {len(sizes)}")
    return map(int, sizes)


def _source(name, inputs, outputs, body, header, template, init_value):
    """The source of a kernel, and what it takes of each input besides its address."""
    lines, parameters, takes, outputs = ["#include <tenon/gpu.h>"], [], [], list(outputs)
    for word, value in template:
        is_number = isinstance(value, (bool, int))
        lines.append(f"#define {word} {int(value)}" if is_number else f"typedef {_TYPES[value]} {word};")
    for it, dtype in inputs:
        parameters.append(f"TN_GLOBAL const {_TYPES[dtype]}* {it}")
        takes.append(0)
        for end, bit, parameter, line in _WORDS:
            if re.search(rf"\b{re.escape(it + end)}\b", body):
                parameters.append(parameter.format(it + end))
                lines.append(line.format(it + end))
                takes[-1] |= bit
    parameters += [f"TN_GLOBAL {_TYPES[dtype]}* {it}" for it, dtype in outputs]
    if init_value is not None:
        lines += [_fill(f"{name}_fill{i}", dtype, init_value) for i, (_, dtype) in enumerate(outputs)]
    lines += [header, f"TN_KERNEL void {name}({', '.join(parameters)}) {{", f'#line 1 "{name}"', body, "}", ""]
    return "\n".join(lines), takes


def _fill(name, dtype, value):
    """A kernel that sets each element of an output."""
    number = repr(int(value)) if core.issubdtype(dtype, core.integer) or dtype == core.bool_ else repr(float(value))
    number = {"inf": "INFINITY", "-inf": "-INFINITY", "nan": "NAN"}.get(number, number)
    store = _STORES.get(dtype, "y[i] = {0}").format(number)
    return f"TN_KERNEL void {name}(TN_GLOBAL {_TYPES[dtype]}* y, tn_i64 n) {{ const tn_i64 i = tn_item(0); if (i < n) {{ {store}; }} }}"
