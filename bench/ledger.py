# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""Every row of the table of kernels in bench/results.md, beside XLA, NumPy, MLX, PyTorch and the machine's limit.

    make bench                                                 builds the command that this needs
    build/venv/bin/python bench/ledger.py [PATTERN]...         all rows, or those whose name contains a PATTERN
    build/venv/bin/python bench/ledger.py --json > new.json    for programs, and for the next run:
    build/venv/bin/python bench/ledger.py --last old.json      also names the rows that are 10 % slower than then
    build/venv/bin/python bench/ledger.py --svg ledger.svg     also draws the ratios
    build/venv/bin/python bench/ledger.py --record             also puts the rows into figures.json, for the documents

A row is a function that JAX lowers. XLA and `tenon bench`, with libraries and without, run the same StableHLO on the same
arrays by turns, with as many threads as there are cores; the fastest of several rounds counts. The same row in NumPy, MLX and
PyTorch, as peers.py has it, takes its turn as well, where they are installed. The limit is what the machine
needs to read every argument and write every result once, at the bandwidth measured by copying, or to multiply at the rate that
NumPy's product of matrices reaches, whichever is more. With --cpu the processor time of a run is measured, of all threads
together, and Tenon has one: that can be measured while others want the cores, and says nothing of how well work is shared out.
"""

import argparse
import html
import json
import math
import os
import pathlib
import statistics
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

import peers
import report
from turns import (BARE, RANDOM, ROOT, floats, mean_ratio, repeated_ms, runs_for, tenon_cpu_ms, tenon_ms, write_case,
                   xla_cpu_ms, xla_ms)

LOOP = "loop of"  # small operations: such rows begin so


def indices(limit, *shape):
    return RANDOM.integers(0, limit, shape, np.int32)


def signed_bytes(*shape):
    return RANDOM.integers(-128, 128, shape, np.int8)


def in_bf16(*arrays):
    return [x.astype(jnp.bfloat16) for x in arrays]


def max_pool(x):
    return lax.reduce_window(x, -jnp.inf, lax.max, (1, 3, 3, 1), (1, 2, 2, 1), "SAME")


def sum_pool(x):
    return lax.reduce_window(x, 0.0, lax.add, (1, 3, 3, 1), (1, 1, 1, 1), "SAME")


def convolution(x, w):
    return lax.conv_general_dilated(x, w, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))


def layer_norm(x, scale, bias):
    mean = x.mean(-1, keepdims=True)
    variance = ((x - mean) ** 2).mean(-1, keepdims=True)
    return (x - mean) / jnp.sqrt(variance + 1e-5) * scale + bias


def convolution_2(x, w):
    return lax.conv_general_dilated(x, w, (2, 2), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))


def by_input(convolve, *shape):
    """The gradient of the convolution by its input, which has this shape: a function of the kernel and a cotangent."""
    x = jax.ShapeDtypeStruct(shape, np.float32)
    return lambda w, t: jax.linear_transpose(lambda x: convolve(x, w), x)(t)[0]


def by_kernel(convolve, *shape):
    w = jax.ShapeDtypeStruct(shape, np.float32)
    return lambda x, t: jax.linear_transpose(lambda w: convolve(x, w), w)(t)[0]


def rms_norm(x):
    return x * lax.rsqrt((x * x).mean(-1, keepdims=True) + 1e-5)


def normal(x, axes):
    mean, variance = x.mean(axes, keepdims=True), x.var(axes, keepdims=True)
    return (x - mean) * lax.rsqrt(variance + 1e-5)


def group_norm(x):
    return normal(x.reshape(4, 8, 8, 32, 32), (2, 3, 4)).reshape(x.shape)


def group_norm_nhwc(x):
    return normal(x.reshape(1, 32, 32, 8, 8), (1, 2, 4)).reshape(x.shape)


def attention(q, k, v):
    return jax.nn.softmax(jnp.einsum("bhqd,bhkd->bhqk", q, k) * 0.125) @ v


def mlp(x, *weights):
    for w in weights:
        x = jax.nn.gelu(x @ w)
    return x


def scan(x, w):
    return lax.scan(lambda carry, row: ((carry * w + row), None), jnp.zeros_like(x[0]), x)[0]


def small_body(_, state):
    x, y = state
    a = x * 0.999 + y * 0.001
    c = jnp.maximum(a * a - y, 0.1)
    d = c * 0.5 + a
    return jnp.where(d > 1.0, d - 1.0, d), a * 0.25 + c * 0.75


def small_loop(x, y):
    return lax.fori_loop(0, 100000, small_body, (x, y))


def van_der_pol(x, y):
    def step(_, state):
        x, y = state
        dt = jnp.where(jnp.abs(x) > 1.0, 0.0001, 0.001)
        return x + dt * y, y + dt * (5.0 * (1 - x * x) * y - x)
    return lax.fori_loop(0, 10000, step, (x, y))


def neural_ode(w, b, y):
    def slope(y):
        return jnp.tanh(w @ y + b)

    def step(_, y):
        k1 = slope(y)
        k2 = slope(y + 0.005 * k1)
        k3 = slope(y + 0.005 * k2)
        return y + 0.01 / 6 * (k1 + 2 * k2 + 2 * k3 + slope(y + 0.01 * k3))
    return lax.fori_loop(0, 5000, step, y)


def softmax_loop(x):
    return lax.fori_loop(0, 5000, lambda _, x: jax.nn.softmax(x * 1.01), x)


def convolution_nchw(x, w):
    return lax.conv_general_dilated(x, w, (1, 1), "SAME")


def max_pool_nchw(x):
    return lax.reduce_window(x, -jnp.inf, lax.max, (1, 1, 3, 3), (1, 1, 2, 2), "SAME")


MILLION = floats(1000000)
HEADS = [floats(2, 8, 512, 64) for _ in range(3)]
LAYERS = [floats(256, 1024)] + [floats(1024, 1024) / 32 for _ in range(4)]
IMAGES = floats(8, 112, 112, 64)
SQUARE = floats(4096, 4096)
LIST = floats(1 << 20)
CASES = {
    "a x + b y, 4096x4096 f32": (lambda x, y: 2 * x + 3 * y, [SQUARE, SQUARE]),
    "exp of 4096x4096 f32": (jnp.exp, [SQUARE]),
    "gelu (tanh) of 4096x4096 f32": (jax.nn.gelu, [SQUARE]),
    "gelu (erf) of 4096x4096 f32": (lambda x: jax.nn.gelu(x, approximate=False), [SQUARE]),
    "softmax of rows, 4096x4096 f32": (jax.nn.softmax, [SQUARE]),
    "layer norm of rows, 4096x4096 f32": (layer_norm, [SQUARE, floats(4096), floats(4096)]),
    "RMS norm of rows, 4096x4096 f32": (rms_norm, [SQUARE]),
    "group norm of 4x64x32x32 f32": (group_norm, [floats(4, 64, 32, 32)]),
    "group norm of 1x32x32x64 f32, channels last": (group_norm_nhwc, [floats(1, 32, 32, 64)]),
    "cumsum rows of 4096x4096 f32": (lambda x: jnp.cumsum(x, axis=1), [SQUARE]),
    **{f"normal random numbers, 4096x1024 {name}": (
        lambda key, dtype=dtype: jax.random.normal(jax.random.wrap_key_data(key), (4096, 1024), dtype),
        [np.array([1, 2], np.uint32)]) for name, dtype in {"f32": np.float32, "f64": np.float64}.items()},
    **{f"{name} of 1,000,000 f32": (function, [MILLION]) for name, function in {
        "exp": jnp.exp, "tanh": jnp.tanh, "logistic": jax.nn.sigmoid, "log1p": lambda x: jnp.log1p(jnp.abs(x)),
        "sin": jnp.sin, "erf": lax.erf}.items()},
    "power of 1,000,000 f32": (lambda x, y: jnp.power(jnp.abs(x), y), [MILLION, floats(1000000)]),
    "outer product of 1,024 and 1,024 f32": (jnp.outer, [floats(1024), floats(1024)]),
    "200,000x10 f32 times a vector": (jnp.dot, [floats(200000, 10), floats(10)]),
    "200,000x10 f32 times 10x3": (jnp.dot, [floats(200000, 10), floats(10, 3)]),
    "100,000 times 3x3 f32 by a vector": (
        lambda a, b: jnp.einsum("bij,bj->bi", a, b), [floats(100000, 3, 3), floats(100000, 3)]),
    "100,000 times 3x3 by 3x3 f32": (jnp.matmul, [floats(100000, 3, 3), floats(100000, 3, 3)]),
    "one row of 768 by 50,257x768, transposed": (lambda h, e: h @ e.T, [floats(1, 768), floats(50257, 768)]),
    "8 rows of 768 by 50,257x768, transposed": (lambda h, e: h @ e.T, [floats(8, 768), floats(50257, 768)]),
    **{f"{name} of 768 by 50,257x768, transposed, bf16": (
        lambda h, e: h @ e.T, in_bf16(floats(rows, 768), floats(50257, 768)))
       for name, rows in {"one row": 1, "8 rows": 8}.items()},
    "dot 1024x1024x1024 bf16": (jnp.dot, in_bf16(floats(1024, 1024), floats(1024, 1024))),
    "dot 1024x1024x1024 i8 to i32": (
        lambda a, b: lax.dot(a, b, preferred_element_type=np.int32), [signed_bytes(1024, 1024), signed_bytes(1024, 1024)]),
    "attention 2x8x512x64 f32": (attention, HEADS),
    "attention 2x8x512x64 bf16": (attention, in_bf16(*HEADS)),
    "softmax of rows, 4096x1024 bf16": (jax.nn.softmax, in_bf16(floats(4096, 1024))),
    "layer norm of rows, 4096x1024 bf16": (
        layer_norm, in_bf16(floats(4096, 1024), floats(1024), floats(1024))),
    "gelu (tanh) of 4096x1024 bf16": (jax.nn.gelu, in_bf16(floats(4096, 1024))),
    "MLP of 4 layers of 1,024, 256 rows f32": (mlp, LAYERS),
    "gradient of that MLP": (jax.grad(lambda *a: mlp(*a).sum(), argnums=(1, 2, 3, 4)), LAYERS),
    "convolution 3x3 of 8x64x56x56 f32": (convolution_nchw, [floats(8, 64, 56, 56), floats(64, 64, 3, 3)]),
    "max pool 3x3/2 of 8x64x112x112 f32": (max_pool_nchw, [floats(8, 64, 112, 112)]),
    "scan of 2,048 steps of 1,024 f32": (scan, [floats(2048, 1024), floats(1024)]),
    "loop of 100,000 turns of 14 operations, scalars": (small_loop, [np.float32(0.5), np.float32(0.25)]),
    "loop of 100,000 turns of 14 operations, 16 f32": (small_loop, [floats(16), floats(16)]),
    "loop of 100,000 turns of 14 operations, 64 f32": (small_loop, [floats(64), floats(64)]),
    "loop of 10,000 steps of Van der Pol's equation": (van_der_pol, [np.float32(2), np.float32(0)]),
    "loop of 5,000 Runge-Kutta steps of a neural ODE of 16": (neural_ode, [floats(16, 16) / 4, floats(16), floats(16)]),
    "loop of 5,000 softmaxes of 32 f32": (softmax_loop, [floats(32)]),
    "take_along_axis of 3200x2x81 f32": (
        lambda x, i: jnp.take_along_axis(x, i, axis=2), [floats(3200, 2, 81), indices(81, 3200, 2, 81)]),
    "scatter-add 100,000 rows of 32 into 1,000": (
        lambda x, i, u: x.at[i].add(u), [floats(1000, 32), indices(1000, 100000), floats(100000, 32)]),
    "rfft2 of 64 images of 256x256 f32": (jnp.fft.rfft2, [floats(64, 256, 256)]),
    "sort 2^20 f32": (jnp.sort, [LIST]),
    "sort 2^20 f64": (jnp.sort, [LIST.astype(np.float64)]),
    "argsort 2^20 f32": (jnp.argsort, [LIST]),
    "sort rows of 1024x1024 f32": (lambda x: jnp.sort(x, axis=1), [floats(1024, 1024)]),
    "sort columns of 1024x1024 f32": (lambda x: jnp.sort(x, axis=0), [floats(1024, 1024)]),
    "transpose 4096x4096 f32": (jnp.transpose, [SQUARE]),
    "transpose 64x512x512 f32, last two": (lambda x: x.transpose(0, 2, 1), [floats(64, 512, 512)]),
    "transpose 8x512x16x64 f32, middle two": (lambda x: x.transpose(0, 2, 1, 3), [floats(8, 512, 16, 64)]),
    "sum rows of 4096x4096 f32": (lambda x: x.sum(1), [SQUARE]),
    "sum columns of 4096x4096 f32": (lambda x: x.sum(0), [SQUARE]),
    "sum all of 4096x4096 f32": (jnp.sum, [SQUARE]),
    "max rows of 4096x4096 f32": (lambda x: x.max(1), [SQUARE]),
    "argmax rows of 4096x4096 f32": (lambda x: x.argmax(1), [SQUARE]),
    "sum of squares, 4096x1024 f32": (lambda x: (x * x).sum(), [floats(4096, 1024)]),
    "sums of squares of columns, 4096x1024 f32": (lambda x: (x * x).sum(0), [floats(4096, 1024)]),
    "mean squared error, 4096x1024 f32": (
        lambda x, y: ((x - y) ** 2).mean(), [floats(4096, 1024), floats(4096, 1024)]),
    "softmax of rows, 4096x1024 f32": (jax.nn.softmax, [floats(4096, 1024)]),
    "logsumexp of rows, 4096x1024 f32": (lambda x: jax.nn.logsumexp(x, axis=-1), [floats(4096, 1024)]),
    "layer norm of rows, 4096x1024 f32": (layer_norm, [floats(4096, 1024), floats(1024), floats(1024)]),
    "gather 65,536 rows of 128 f32": (lambda x, i: x[i], [floats(65536, 128), indices(65536, 65536)]),
    "gather 2^20 numbers": (lambda x, i: x[i], [LIST, indices(1 << 20, 1 << 20)]),
    "gather 2^20 numbers of 1024x1024, by row and column": (
        lambda x, i, j: x[i, j], [floats(1024, 1024), indices(1024, 1 << 20), indices(1024, 1 << 20)]),
    "bilinear interpolation, 512x512 f32": (
        lambda x, u, v: jax.scipy.ndimage.map_coordinates(x, [511 * abs(jnp.sin(u)), 511 * abs(jnp.sin(v))], order=1),
        [floats(512, 512), floats(512, 512), floats(512, 512)]),
    "scatter-add 2^20 numbers into 2^16": (
        lambda x, i, u: x.at[i].add(u), [floats(1 << 16), indices(1 << 16, 1 << 20), LIST]),
    "scatter-add 65,536 rows of 128 into 4,096": (
        lambda x, i, u: x.at[i].add(u), [floats(4096, 128), indices(4096, 65536), floats(65536, 128)]),
    "scatter 2^20 numbers into 2^20": (
        lambda x, i, u: x.at[i].set(u), [LIST, indices(1 << 20, 1 << 20), LIST]),
    "scatter-add 2^20 numbers into 1024x1024, by row and column": (
        lambda x, i, j, u: x.at[i, j].add(u),
        [floats(1024, 1024), indices(1024, 1 << 20), indices(1024, 1 << 20), LIST]),
    "segment sum of 2^20 numbers, sorted, 2^12 segments": (
        lambda i, u: jax.ops.segment_sum(u, i, 4096, indices_are_sorted=True),
        [np.sort(indices(4096, 1 << 20)), LIST]),
    "histogram of 2^20 f32, 64 bins": (lambda x: jnp.histogram(x, 64, (-3, 3))[0], [LIST]),
    "cumsum rows of 2048x2048 f32": (lambda x: jnp.cumsum(x, axis=1), [floats(2048, 2048)]),
    "max pool 3x3/2 of 8x112x112x64": (max_pool, [IMAGES]),
    "sum pool 3x3 of 8x112x112x64": (sum_pool, [IMAGES]),
    "gradient of max pool 3x3/2": (jax.grad(lambda x: max_pool(x).sum()), [IMAGES]),
    "convolution 3x3 of 8x56x56x64": (convolution, [floats(8, 56, 56, 64), floats(3, 3, 64, 64)]),
    "gradient of it by its input": (
        by_input(convolution, 8, 56, 56, 64), [floats(3, 3, 64, 64), floats(8, 56, 56, 64)]),
    "gradient of it by its kernel": (
        by_kernel(convolution, 3, 3, 64, 64), [floats(8, 56, 56, 64), floats(8, 56, 56, 64)]),
    "convolution 3x3/2 of 64x14x14x16 to 32": (convolution_2, [floats(64, 14, 14, 16), floats(3, 3, 16, 32)]),
    "gradient of that by its input": (
        by_input(convolution_2, 64, 14, 14, 16), [floats(3, 3, 16, 32), floats(64, 7, 7, 32)]),
    "gradient of that by its kernel": (
        by_kernel(convolution_2, 3, 3, 16, 32), [floats(64, 14, 14, 16), floats(64, 7, 7, 32)]),
    "4096x4096 f32 times a vector": (jnp.dot, [SQUARE, floats(4096)]),
    "attention's products, 4x128x8x64 f32": (
        lambda q, k: jnp.einsum("bqhd,bkhd->bhqk", q, k), [floats(4, 128, 8, 64), floats(4, 128, 8, 64)]),
    "fft of 1,024 lines of 1,024 c64": (jnp.fft.fft, [floats(1024, 1024).astype(np.complex64)]),
    "dot 1024x1024x1024 f32": (jnp.dot, [floats(1024, 1024), floats(1024, 1024)]),
}


def bandwidth_gb():
    """Of copies on all cores, bytes read and written."""
    threads = os.cpu_count()
    source, target = np.ones((threads, 1 << 25), np.float32), np.zeros((threads, 1 << 25), np.float32)
    best = math.inf
    with ThreadPoolExecutor(threads) as pool:
        for _ in range(8):
            start = time.perf_counter()
            list(pool.map(lambda i: np.copyto(target[i], source[i]), range(threads)))
            best = min(best, time.perf_counter() - start)
    return 2 * source.nbytes / best / 1e9


def product_gflops():
    """Of NumPy's product of matrices of f32."""
    a, best = floats(2048, 2048), math.inf
    for _ in range(5):
        start = time.perf_counter()
        a @ a
        best = min(best, time.perf_counter() - start)
    return 2 * 2048**3 / best / 1e9


def limit_ms(program, arguments, results, bandwidth, gflops):
    moved = sum(x.nbytes for x in [*arguments, *results])
    work = sum(line.startswith(("dot", "convolution")) for line in program.as_text().replace("=", " ").split())
    operations = program.cost_analysis().get("flops", 0) if work else 0
    return max(moved / bandwidth / 1e6, operations / gflops / 1e6)


def key_of(title):
    return f"{title.lower()}_ms"


def measure(name, others, options, machine):
    """What one row is, in milliseconds."""
    tenon, (function, arguments) = options.build / "cli/tenon", CASES[name]
    lowered = jax.jit(function).lower(*arguments)
    with tempfile.TemporaryDirectory() as folder:
        command = [tenon, "bench", "--json", *write_case(folder, lowered.as_text(), arguments)]
        program = lowered.compile()
        device_arguments = [jax.device_put(x) for x in arguments]
        once = tenon_ms([*command, "--runs", "1"])
        if options.cpu:
            turns = [(tenon_cpu_ms(command, 20), xla_cpu_ms(program, device_arguments, 20))
                     for _ in range(options.rounds)]
            return dict(zip(("tenon_ms", "xla_ms"), (statistics.median(x) for x in zip(*turns))))
        command += runs_for(once)
        expected = jax.tree.leaves(program(*device_arguments))
        calls = {peer.title: peers.prepare(peer, name, arguments, expected) for peer in others}
        turns = [(tenon_ms(command), tenon_ms(command, BARE), xla_ms(program, device_arguments),
                  *(call and repeated_ms(call) for call in calls.values())) for _ in range(options.rounds)]
        keys = "tenon_ms", "without_libraries_ms", "xla_ms", *(key_of(title) for title in calls)
        row = {key: None if None in times else min(times) for key, times in zip(keys, zip(*turns))}
        row["limit_ms"] = limit_ms(program, arguments, expected, **machine)
        return row


def draw(rows, path):
    """XLA's time over Tenon's, on a scale of doublings around 1."""
    left, unit, height = 360, 60, 22
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {left + 11 * unit} {height * len(rows) + 40}" '
           'font-family="sans-serif" font-size="12">', '<rect width="100%" height="100%" fill="#ffffff"/>']
    one = left + 4 * unit
    for power in range(-4, 7):
        x = one + power * unit
        out += [f'<line x1="{x}" y1="24" x2="{x}" y2="{height * len(rows) + 30}" stroke="#d0d7de"/>',
                f'<text x="{x}" y="16" text-anchor="middle" fill="#57606a">{2.0**power:g}</text>']
    for i, row in enumerate(rows):
        length = max(-4, min(6, math.log2(row["xla_ms"] / row["tenon_ms"]))) * unit
        y, color = 28 + i * height, "#1a7f37" if length >= 0 else "#bc4c00"
        out += [f'<text x="{left - 8}" y="{y + 14}" text-anchor="end">{html.escape(row["case"])}</text>',
                f'<rect x="{one + min(0, length):.1f}" y="{y + 3}" width="{abs(length):.1f}" height="14" fill="{color}"/>']
    pathlib.Path(path).write_text("\n".join([*out, "</svg>\n"]))


def name_slower(rows, path):
    last = {row["case"]: row for row in json.loads(pathlib.Path(path).read_text())}
    for row in rows:
        before = last.get(row["case"])
        if before and row["tenon_ms"] / row["xla_ms"] > 1.1 * before["tenon_ms"] / before["xla_ms"]:
            print(f"slower beside XLA than last time: {row['case']}, {before['tenon_ms']:.3g} to {row['tenon_ms']:.3g} ms "
                  f"(XLA {before['xla_ms']:.3g}, {row['xla_ms']:.3g})")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("patterns", nargs="*", metavar="PATTERN", default=[""])
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--cpu", action="store_true", help="processor time of all threads, Tenon on one")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--record", action="store_true", help="puts the figures into bench/figures.json")
    parser.add_argument("--last", metavar="FILE", help="what --json printed before")
    parser.add_argument("--svg", metavar="FILE")
    options = parser.parse_args()
    for pattern in options.patterns:
        if not any(pattern in name for name in CASES):
            parser.error(f"no row has {pattern!r} in its name")
    if options.record and (options.cpu or options.patterns != [""]):
        parser.error("--record: what is recorded is the time of all cores, for all rows")
    if options.last and not pathlib.Path(options.last).is_file():
        parser.error(f"--last {options.last}: there is no such file")
    if not (options.build / "cli/tenon").exists():
        parser.error(f"there is no {options.build / 'cli/tenon'}: run make bench")
    jax.config.update("jax_enable_x64", True)
    machine = {} if options.cpu else {"bandwidth": bandwidth_gb(), "gflops": product_gflops()}
    others = [] if options.cpu else peers.installed()
    columns = {"tenon_ms": "Tenon, ms", "without_libraries_ms": "without libraries", "xla_ms": "XLA",
               **{key_of(peer.title): peer.title for peer in others}, "limit_ms": "limit"}
    columns = {key: text for key, text in columns.items() if not options.cpu or key in ("tenon_ms", "xla_ms")}
    rows = []
    if not options.json:
        print("| | " + " | ".join(columns.values()) + " | XLA / Tenon |\n|" + " --- |" * (len(columns) + 2), flush=True)
    for name in CASES:
        if not any(pattern in name for pattern in options.patterns):
            continue
        row = {"case": name, **measure(name, others, options, machine)}
        rows.append(row)
        if not options.json:
            cells = " | ".join("" if row[key] is None else f"{row[key]:.3g}" for key in columns)
            print(f"| {name} | {cells} | {row['xla_ms'] / row['tenon_ms']:.2f} |", flush=True)
    if options.json:
        print(json.dumps(rows, indent=1))
    elif rows:
        counted = [row for row in rows if not row["case"].startswith(LOOP)] or rows
        means = [f"{text.removesuffix(', ms')} {mean_ratio(counted, key):.2f}" for key, text in columns.items()
                 if key in ("tenon_ms", "without_libraries_ms")]
        print(f"\nXLA's time over Tenon's, geometric mean of {len(counted)} rows, loops of small operations left out: "
              + ", ".join(means))
        for peer in others:
            both = [row for row in rows if row[key_of(peer.title)]]
            if both:
                ratio = mean_ratio(both, "tenon_ms", key_of(peer.title))
                print(f"{peer.title}'s time over Tenon's, geometric mean of {len(both)} rows: {ratio:.2f}")
    if options.svg:
        draw(rows, options.svg)
    if options.record:
        report.record("ledger", f"build/venv/bin/python bench/ledger.py --rounds {options.rounds}",
                      {row["case"]: {key: row[key] for key in columns} for row in rows},
                      report.machine("jax", *(peer.package.split(".")[0] for peer in others)))
    if options.last:
        name_slower(rows, options.last)


if __name__ == "__main__":
    main()
