# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""Kernels from a source text: of the CPU, in C, and of GPUs."""

from __future__ import annotations

import functools
import hashlib
import inspect
import os
import pathlib
import re
import shlex
import shutil
import stat
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from . import core
from .ffi import include_dir

__all__ = ["CompileError", "cpu_kernel", "cuda_kernel", "opencl_kernel"]


class CompileError(RuntimeError):
    """The C compiler refused a source. The message has what it printed."""


def cpu_kernel(name: str, source: str, *, header: str = "", options: Iterable[str] = ("-O3",),
               fallback: Callable[..., Any] | None = None, vjp: Callable[..., Any] | None = None) -> Any:
    """A function of arrays from a C source, compiled when it is first called.

        swish = tenon.fast.cpu_kernel("swish", '''
            #define SWISH(ARG, ATTR, RET) ARG(x, f32, any_rank) ATTR(beta, float, 1.0f) RET(y, f32, like(x))
            TN_OP(swish, SWISH, "y = x * sigmoid(beta * x)") {
              for (int64_t i = 0; i < tn_size(call->x); ++i)
                call->y.data[i] = call->x.data[i] / (1 + expf(-call->beta * call->x.data[i]));
              return TN_OK;
            }
        ''')
        swish(x, beta=2.0)

    name: of the operation in the source, and of the function.
    source: defines it with TN_OP, and, if it has rules, with TN_DEFINE. <tenon/custom.h>, <tenon/operation.h> and <math.h> are
        included before it.
    header: C in front of the source, such as further #include lines.
    options: for the compiler, which is $CC, or cc, gcc or clang on the PATH.
    fallback: a function with the same parameters, which is called instead where there is no compiler.
    vjp: as of custom_function: vjp(primals, cotangent, output) gives the gradients. Without it, those of the source.

    The library is kept in a folder of the user's own ($XDG_CACHE_HOME/tenon/kernels, or ~/.cache), named by a digest of the source,
    the options, the compiler and the version of Tenon, and is not compiled again. Threads and processes may compile the same source
    at once.

    Raises ValueError if the source does not define the operation. When it is called: CompileError, FileNotFoundError without a compiler and a fallback, PermissionError if others could
    write to the folder, and what the operation raises.
    """
    if not re.search(rf"\bTN_\w*OP\w*\(\s*{re.escape(name)}\b", source):
        raise ValueError(f"the source of {name} defines no operation of that name: expected TN_OP({name}, ...)")
    text = "\n".join(["#include <math.h>", "#include <tenon/custom.h>", "#include <tenon/operation.h>", header, f'#line 1 "{name}"',
                      source, "" if "TN_LIBRARY" in source else f"TN_LIBRARY({name})", ""])

    @functools.lru_cache(maxsize=1)
    def operation():
        compiler = _compiler()
        if compiler is None and fallback is not None:
            return fallback
        path = _library(name, text, compiler, tuple(options))
        # Sources of one name do not get into each other's way, as when a cell of a notebook is run again.
        return core.load_kernel(str(path), name, f"{name}.{path.stem[:12]}", __name__)

    def kernel(*arguments, **keywords):
        return operation()(*arguments, **keywords)

    kernel.__name__ = kernel.__qualname__ = name
    kernel.__doc__ = f"The operation {name}, from a C source; `signature()` compiles it and gives its parameters."
    kernel.signature = lambda: inspect.signature(operation())
    if vjp is None:
        return kernel
    custom = core.custom_function(kernel)
    custom.vjp(vjp)
    return custom


# By dtype: what elements are in memory, in the words of <tenon/gpu.h>.
_GPU_TYPES = {
    core.bool_: "tn_u8", core.uint8: "tn_u8", core.uint16: "tn_u16", core.uint32: "tn_u32", core.uint64: "tn_u64",
    core.int8: "tn_i8", core.int16: "tn_i16", core.int32: "tn_i32", core.int64: "tn_i64", core.float16: "tn_f16",
    core.bfloat16: "tn_bf16", core.float32: "float", core.float64: "double", core.complex64: "tn_c64"}
# By the end of an input's name: a parameter that is there if the source has the word. The bits are those of gpu_kernel.c.
_GPU_WORDS = (("_shape", 1, "tn_dims {0}_", "#define {0} {0}_.at"), ("_strides", 2, "tn_dims {0}_", "#define {0} {0}_.at"),
              ("_ndim", 4, "int {0}", ""))


def opencl_kernel(name: str, input_names: Sequence[str], output_names: Sequence[str], source: str, *, header: str = "") -> Any:
    """A function of arrays that launches a kernel of a GPU, compiled when it is first evaluated.

        exp = tenon.fast.opencl_kernel("myexp", ["x"], ["y"], '''
            const tn_i64 i = tn_item(0);
            if (i < x_shape[0]) y[i] = exp(x[i]);
        ''')
        y, = exp(inputs=[x], grid=(x.size, 1, 1), threadgroup=(256, 1, 1), output_shapes=[x.shape], output_dtypes=[x.dtype])

    name: of the kernel.
    input_names, output_names: its parameters: pointers to the arrays' elements, dense and in row-major order.
    source: the body, in the C that OpenCL and CUDA share (with the macros of <tenon/gpu.h>), or in what the device's language has besides.
        For an input `x` it may use x_shape[d], x_strides[d] and x_ndim, of up to 8 dimensions. float16 and bfloat16 are read with
        tn_load_f16(x, i) and written with tn_store_f16(y, i, value).
    header: source in front of the kernel.

    The function's parameters, by keyword:
    inputs: arrays, or numbers.
    output_shapes, output_dtypes: of the results.
    grid: how many threads along x, y and z, at least: compare with the size where it is no multiple of the threadgroup.
    threadgroup: how many threads a group has along x, y and z.
    template: pairs of a name and a dtype, an int or a bool, which the source can use.
    stream: a stream or a device.

    It returns a list of arrays. When they are evaluated, RuntimeError for a source that does not compile (the message has what the
    compiler printed, with the lines of the source), and where there is no GPU.
    """
    def kernel(*, inputs, output_shapes, output_dtypes, grid, threadgroup, template=(), stream=None):
        if len(inputs) != len(input_names):
            raise ValueError(f"{name}: expected {len(input_names)} inputs, {', '.join(input_names)}; found {len(inputs)}")
        if not len(output_names) == len(output_shapes) == len(output_dtypes):
            raise ValueError(f"{name}: expected {len(output_names)} shapes and dtypes of outputs; found {len(output_shapes)} and "
                             f"{len(output_dtypes)}")
        arrays = [core.array(it) if not isinstance(it, core.array) else it for it in inputs]
        text, takes = _gpu_source(name, zip(input_names, (it.dtype for it in arrays)), zip(output_names, output_dtypes), source,
                                  header, template)
        launch = core.array([*_three(name, "grid", grid), *_three(name, "threadgroup", threadgroup), *takes], core.int64)
        types = tuple((tuple(map(int, shape)), dtype) for shape, dtype in zip(output_shapes, output_dtypes))
        results = core.apply_target("tenon.gpu_kernel", tuple(arrays), {"library": _gpu_library(name, text), "kernel": name, "launch": launch},
                                    types, stream)
        return [results] if len(types) == 1 else list(results)

    kernel.__name__ = kernel.__qualname__ = name
    kernel.__doc__ = f"The kernel {name} of a GPU; see tenon.fast.opencl_kernel."
    return kernel


# The words are those of both: a source in CUDA C alone compiles on devices of CUDA alone.
cuda_kernel = opencl_kernel


@functools.lru_cache(maxsize=None)  # libraries stay, too
def _gpu_library(name, text):
    return core.add_kernel_library(name, text)


def _three(name, what, sizes):
    if len(sizes) != 3:
        raise ValueError(f"{name}: expected 3 numbers for {what}; found {len(sizes)}")
    return map(int, sizes)


def _gpu_source(name, inputs, outputs, body, header, template):
    """The source of a kernel, and what it takes of each input besides its address."""
    lines, parameters, takes = ["#include <tenon/gpu.h>"], [], []
    for word, value in template:
        is_number = isinstance(value, (bool, int))
        lines.append(f"#define {word} {int(value)}" if is_number else f"typedef {_GPU_TYPES[value]} {word};")
    for it, dtype in inputs:
        parameters.append(f"TN_GLOBAL const {_GPU_TYPES[dtype]}* {it}")
        takes.append(0)
        for end, bit, parameter, line in _GPU_WORDS:
            if re.search(rf"\b{re.escape(it + end)}\b", body):
                parameters.append(parameter.format(it + end))
                lines.append(line.format(it + end))
                takes[-1] |= bit
    parameters += [f"TN_GLOBAL {_GPU_TYPES[dtype]}* {it}" for it, dtype in outputs]
    lines += [header, f"TN_KERNEL void {name}({', '.join(parameters)}) {{", f'#line 1 "{name}"', body, "}", ""]
    return "\n".join(lines), takes


def _compiler():
    named = os.environ.get("CC")
    if named:
        return shlex.split(named)
    found = next(filter(None, map(shutil.which, ("cc", "gcc", "clang"))), None)
    return [found] if found else None


@functools.lru_cache(maxsize=8)
def _identity(compiler):
    return subprocess.run([*compiler, "--version"], check=True, capture_output=True, text=True).stdout


def _folder():
    """The cache, which only the user can write to."""
    root = os.environ.get("XDG_CACHE_HOME")
    folder = pathlib.Path(root) if root else pathlib.Path.home() / ".cache"
    folder = folder / "tenon" / "kernels"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    found = folder.stat()
    if found.st_uid != os.getuid() or found.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise PermissionError(f"{folder}: others can write to it; its libraries would be theirs. Make it yours: chmod 700 {folder}")
    return folder


def _library(name, text, compiler, options):
    if compiler is None:
        raise FileNotFoundError(f"{name}: no C compiler was found ($CC, cc, gcc, clang)")
    flags = ["-std=c11", "-shared", "-fPIC", "-Wall", *options, f"-I{include_dir()}"]
    facts = [text, repr(flags), _identity(tuple(compiler)), core.__version__]
    folder = _folder()
    path = folder / f"{hashlib.sha256(chr(0).join(facts).encode()).hexdigest()}.so"
    if path.exists():
        return path
    with tempfile.TemporaryDirectory(dir=folder) as work:
        (pathlib.Path(work) / "kernel.c").write_text(text)
        done = subprocess.run([*compiler, *flags, "kernel.c", "-o", "kernel.so", "-lm"], cwd=work, capture_output=True, text=True)
        if done.returncode:
            raise CompileError(f"{name}: {shlex.join([*compiler, *flags])} failed:\n{done.stderr.strip()}")
        os.replace(pathlib.Path(work) / "kernel.so", path)
    return path
