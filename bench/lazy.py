#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""Lazy arrays beside MLX and NumPy, in one run: small additions, and axpby on 4096 x 4096.

  build/venv/bin/python bench/lazy.py [PROGRAM]

PROGRAM is the benchmark in C, build/release/bench/lazy_eval_bench (make bench builds it); the operation is that of
examples/axpby in the same build.
"""

import pathlib
import statistics
import subprocess
import sys
import time

import mlx.core as mx
import numpy as np

ROOT = pathlib.Path(__file__).resolve().parent.parent
RUNS = 7


def median_ms(function):
    function()
    times = []
    for _ in range(RUNS):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return statistics.median(times) * 1e3


def numpy_adds():
    one = np.ones(4, np.float32)
    total = one
    for _ in range(1000):
        total = total + one


def mlx_adds():
    one = mx.ones((4,))
    total = one
    for _ in range(1000):
        total = total + one
    mx.eval(total)


def main():
    program = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build/release/bench/lazy_eval_bench")
    command = [program, program.parent.parent / "examples/axpby/libaxpby.so"]
    side = 4096
    x, y = np.full((2, side, side), 3, np.float32)
    a, b = mx.array(x), mx.array(y)
    mx.eval(a, b)
    print(subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE).stdout, end="")
    print(f"NumPy: add x1000, an operation {median_ms(numpy_adds) * 1e3:.1f} ns")
    print(f"MLX: add x1000 and eval, an operation {median_ms(mlx_adds) * 1e3:.1f} ns")
    print(f"NumPy: axpby float32 {median_ms(lambda: np.float32(4) * x + np.float32(2) * y):.2f} ms")
    print(f"MLX: axpby float32 {median_ms(lambda: mx.eval(4.0 * a + 2.0 * b)):.2f} ms")


if __name__ == "__main__":
    main()
