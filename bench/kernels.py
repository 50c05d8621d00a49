"""The heavy operations, beside XLA: each is measured by turns, several rounds, and the fastest of each side counts.

    make bench                                         builds the command that this needs
    build/venv/bin/python bench/kernels.py [PATTERN]   all cases, or those whose name contains PATTERN

A case is a function that JAX lowers; XLA and `tenon bench` run the same StableHLO on the same arrays, with as many
threads as there are cores. With --cpu the processor time of a run is measured, of all threads together, and Tenon has one:
that can be measured while others want the cores, and says nothing of how well work is shared out.
"""

import argparse
import json
import os
import pathlib
import resource
import statistics
import subprocess
import tempfile
import time

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

ROOT = pathlib.Path(__file__).resolve().parent.parent
RANDOM = np.random.default_rng(1)


def floats(*shape):
    return RANDOM.standard_normal(shape, np.float32)


def indices(limit, *shape):
    return RANDOM.integers(0, limit, shape, np.int32)


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


IMAGES = floats(8, 112, 112, 64)
SQUARE = floats(4096, 4096)
LIST = floats(1 << 20)
CASES = {
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


def xla_ms(program, arguments, budget_s):
    times, begin = [], time.perf_counter()
    while len(times) < 3 or time.perf_counter() - begin < budget_s:
        start = time.perf_counter()
        jax.block_until_ready(program(*arguments))
        times.append(time.perf_counter() - start)
    return min(times) * 1e3


def tenon_ms(command):
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)["min_ms"]


def xla_cpu_ms(program, arguments, runs):
    start = time.process_time()
    for _ in range(runs):
        jax.block_until_ready(program(*arguments))
    return (time.process_time() - start) / runs * 1e3


def tenon_cpu_ms(command, runs):
    """What more runs take more, so that reading and compiling do not count."""

    def seconds(count):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        environment = {**os.environ, "TENON_NUM_THREADS": "1"}
        subprocess.run([*command, "--runs", str(count)], check=True, capture_output=True, env=environment)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    return (seconds(2 * runs + 1) - seconds(1)) / (2 * runs) * 1e3


def measure(tenon, function, arguments, rounds, cpu):
    lowered = jax.jit(function).lower(*arguments)
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "case.mlir")
        path.write_text(lowered.as_text())
        command = [tenon, "bench", "--json", path]
        for i, argument in enumerate(arguments):
            np.save(f"{folder}/{i}.npy", argument)
            command += ["--input", f"{folder}/{i}.npy"]
        program = lowered.compile()
        device_arguments = [jax.device_put(x) for x in arguments]
        once = tenon_ms([*command, "--runs", "1"])
        if cpu:
            turns = [(tenon_cpu_ms(command, 20), xla_cpu_ms(program, device_arguments, 20)) for _ in range(rounds)]
            return (statistics.median(x) for x in zip(*turns))
        command += ["--runs", str(max(1, min(50, int(300 / once))))]
        return (min(x) for x in zip(*[(tenon_ms(command), xla_ms(program, device_arguments, 0.3)) for _ in range(rounds)]))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("pattern", nargs="?", default="")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--cpu", action="store_true", help="processor time of all threads, Tenon on one")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    jax.config.update("jax_enable_x64", True)
    rows = []
    if not options.json:
        print("| | Tenon, ms | XLA, ms | Tenon / XLA |\n| --- | --- | --- | --- |", flush=True)
    for name, (function, arguments) in CASES.items():
        if options.pattern not in name:
            continue
        tenon, xla = measure(options.build / "cli/tenon", function, arguments, options.rounds, options.cpu)
        rows.append({"case": name, "tenon_ms": tenon, "xla_ms": xla})
        if not options.json:
            print(f"| {name} | {tenon:.2f} | {xla:.2f} | {tenon / xla:.2f} |", flush=True)
    if options.json:
        print(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
