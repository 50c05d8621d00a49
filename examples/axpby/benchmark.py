# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""The operation beside the same in two operations: python benchmark.py, after pip install ."""

import time

import tenon.core as tn
from axpby import axpby


def simple_axpby(x, y, alpha, beta):
    return alpha * x + beta * y


M = N = 4096
x = tn.random.normal((M, N))
y = tn.random.normal((M, N))
alpha = 4.0
beta = 2.0
tn.eval(x, y)


def bench(function):
    for _ in range(5):
        tn.eval(function(x, y, alpha, beta))
    begin = time.perf_counter()
    for _ in range(100):
        tn.eval(function(x, y, alpha, beta))
    return 1000 * (time.perf_counter() - begin) / 100


simple = bench(simple_axpby)
custom = bench(axpby)
print(f"Simple axpby: {simple:.3f} ms | Custom axpby: {custom:.3f} ms")
