# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""What it costs to compile a kernel: <tenon/custom.h> in C and XLA's ffi.h in C++, the same handler, in turns.

    build/venv/bin/python bench/header.py [--rounds N] [--record]

CPU seconds (user and system) and the largest resident memory of the compiler; medians. Both libraries are then loaded, so
that what is compared is known to be a handler.
"""

import argparse
import ctypes
import pathlib
import shutil
import statistics
import tempfile
import os

import jax

from report import machine, record, table

ROOT = pathlib.Path(__file__).resolve().parent.parent

C = """
#include <math.h>
#include <tenon/custom.h>

#define SWISH(ARG, ATTR, RET) ARG(x, f32, any_rank) ATTR(beta, float, 1.0f) RET(y, f32, like(x))

TN_OP(swish, SWISH, "y = x * sigmoid(beta * x)") {
  const float* x = call->x.data;
  for (int64_t i = 0; i < tn_size(call->x); ++i) call->y.data[i] = x[i] / (1 + expf(-call->beta * x[i]));
  return TN_OK;
}
"""

CPP = """
#include <cmath>
#include "xla/ffi/api/ffi.h"
namespace ffi = xla::ffi;

static ffi::Error Swish(float beta, ffi::Buffer<ffi::F32> x, ffi::ResultBuffer<ffi::F32> y) {
  for (size_t i = 0; i < x.element_count(); ++i)
    y->typed_data()[i] = x.typed_data()[i] / (1 + std::exp(-beta * x.typed_data()[i]));
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(swish, Swish, ffi::Ffi::Bind().Attr<float>("beta").Arg<ffi::Buffer<ffi::F32>>()
                                                .Ret<ffi::Buffer<ffi::F32>>());
"""


def compile_once(command):
    """CPU seconds and MiB of one run of the compiler and of its children."""
    process = os.spawnvp(os.P_NOWAIT, command[0], command)
    _, status, usage = os.wait4(process, 0)
    if status:
        raise SystemExit(f"{' '.join(command)} failed")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--record", action="store_true", help="puts the figures into bench/figures.json")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "swish.c").write_text(C)
        (folder / "swish.cc").write_text(CPP)
        flags = ["-O2", "-w", "-shared", "-fPIC"]
        subjects = {}
        for compiler in ("gcc", "clang"):
            if shutil.which(compiler):
                subjects[f"custom.h, {compiler}"] = [compiler, "-std=c11", *flags, "-I", str(ROOT / "include"),
                                                     str(folder / "swish.c"), "-lm"]
        for compiler in ("g++", "clang++"):
            if shutil.which(compiler):
                subjects[f"ffi.h, {compiler}"] = [compiler, "-std=c++17", *flags, "-I", jax.ffi.include_dir(),
                                                  str(folder / "swish.cc")]
        taken = {name: [] for name in subjects}
        for _ in range(given.rounds):
            for number, (name, command) in enumerate(subjects.items()):
                library = folder / f"{number}.so"
                taken[name].append(compile_once([*command, "-o", str(library)]))
                assert ctypes.CDLL(str(library)).swish
        rows = [[name, f"{statistics.median(s for s, _ in runs):.2f}", f"{max(m for _, m in runs):.0f}"]
                for name, runs in taken.items()]
        table(["one handler, -O2", "CPU s", "MiB"], rows)
        if given.record:
            record("header", "build/venv/bin/python bench/header.py", {
                name: {"cpu_s": statistics.median(s for s, _ in runs), "mib": max(m for _, m in runs)} for name, runs in taken.items()
            }, machine("jax"))


if __name__ == "__main__":
    main()
