# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""Kernels from a source text: of the CPU, in C, and of GPUs (kernels.py)."""

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
from collections.abc import Callable, Iterable
from typing import Any

from . import core
from .ffi import include_dir
from .kernels import cuda_kernel as cuda_kernel, opencl_kernel as opencl_kernel

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
        # Sources of one name do not get into each other's way, as when a cell of a notebook is run again. Messages show what is
        # before the separator.
        return core._load_kernel(str(path), name, f"{name}\x1f{path.stem[:12]}", __name__)

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
    if _is_whole(path):
        return path
    with tempfile.TemporaryDirectory(dir=folder) as work:
        (pathlib.Path(work) / "kernel.c").write_text(text)
        done = subprocess.run([*compiler, *flags, "kernel.c", "-o", "kernel.so", "-lm"], cwd=work, capture_output=True, text=True)
        if done.returncode:
            raise CompileError(f"{name}: {shlex.join([*compiler, *flags])} failed:\n{done.stderr.strip()}")
        built = pathlib.Path(work) / "kernel.so"
        with open(built, "r+b") as file:
            digest = hashlib.sha256(file.read()).digest()
            file.write(digest)  # behind what the system loads
        os.replace(built, path)
    return path


def _is_whole(path):
    """Whether a library of the cache exists and ends with the digest of the rest: after a full disk or a crash it may not."""
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return False
    return hashlib.sha256(content[:-32]).digest() == content[-32:]
