#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""Training steps of small networks with Adam, in Tenon, MLX and JAX, in one run: how many a second,
and the most memory that one takes.

  build/venv/bin/python bench/training.py [PROGRAM]

PROGRAM is the benchmark in C, build/release/bench/transform_training_bench (make bench builds it). MLX
and JAX run the same networks from the same kind of numbers; MLX as it is and with mx.compile, JAX
with jit and donated state. JAX does not tell how much memory it takes on a CPU.
"""

import functools
import json
import pathlib
import statistics
import subprocess
import sys
import time

import jax
import jax.numpy as jnp
import mlx.core as mx
import numpy as np

ROOT = pathlib.Path(__file__).resolve().parent.parent
RUNS = 5

# Name: dimensions of the input, classes, dimensions of the parameters, steps a run.
NETWORKS = {
    "dense": ((256, 784), 10, [(784, 512), (512,), (512, 512), (512,), (512, 10), (10,)], 20),
    "convolutional": (
        (64, 28, 28, 1),
        10,
        [(16, 3, 3, 1), (16,), (32, 3, 3, 16), (32,), (7 * 7 * 32, 10), (10,)],
        20,
    ),
    "small": ((16, 16), 16, [(16, 16), (16,)] * 10, 200),
}


def mlx_convolution(x, kernel):
    return mx.conv2d(x, kernel, stride=2, padding=1)


def jax_convolution(x, kernel):
    return jax.lax.conv_general_dilated(
        x, kernel, (2, 2), [(1, 1), (1, 1)], dimension_numbers=("NHWC", "OHWI", "NHWC")
    )


def loss(np_like, logsumexp, convolution, parameters, x, labels):
    pairs = list(zip(parameters[::2], parameters[1::2]))
    for i, (weight, bias) in enumerate(pairs):
        if weight.ndim == 4:
            x = np_like.maximum(convolution(x, weight) + bias, 0.0)
            continue
        if x.ndim == 4:
            x = x.reshape(x.shape[0], -1)
        elif i:
            x = np_like.maximum(x, 0.0)
        x = x @ weight + bias
    return (logsumexp(x, -1) - (x * labels).sum(-1)).mean()


def step(value_and_grad, sqrt, state, x, labels):
    parameters, means, variances = state
    value, gradients = value_and_grad(parameters, x, labels)
    means = [0.9 * m + 0.1 * g for m, g in zip(means, gradients)]
    variances = [0.999 * v + 0.001 * g * g for v, g in zip(variances, gradients)]
    parameters = [
        p - 1e-3 * m / (sqrt(v) + 1e-8) for p, m, v in zip(parameters, means, variances)
    ]
    return value, [parameters, means, variances]


def data(shapes, input_dims, class_count):
    rng = np.random.default_rng(0)
    parameters = [
        rng.uniform(-0.1, 0.1, s).astype(np.float32) * (len(s) > 1) for s in shapes
    ]
    zeros = [np.zeros(s, np.float32) for s in shapes]
    x = rng.uniform(-1, 1, input_dims).astype(np.float32)
    labels = np.eye(class_count, dtype=np.float32)[np.arange(input_dims[0]) % class_count]
    return [parameters, zeros, zeros], x, labels


def rate(steps, function):
    for _ in range(3):
        function()
    rates = []
    for _ in range(RUNS):
        start = time.perf_counter()
        for _ in range(steps):
            function()
        rates.append(steps / (time.perf_counter() - start))
    return statistics.median(rates)


def run_mlx(name, compiles):
    input_dims, class_count, shapes, steps = NETWORKS[name]
    arrays = data(shapes, input_dims, class_count)
    state = [[mx.array(a) for a in part] for part in arrays[0]]
    x, labels = mx.array(arrays[1]), mx.array(arrays[2])
    del arrays
    mx.eval(state, x, labels)
    gradient = mx.value_and_grad(functools.partial(loss, mx, mx.logsumexp, mlx_convolution))
    one = functools.partial(step, gradient, mx.sqrt)
    one = mx.compile(one) if compiles else one

    def call():
        nonlocal state
        value, state = one(state, x, labels)
        mx.eval(value, state)
        return value.item()

    call()
    mx.clear_cache()
    mx.reset_peak_memory()
    held = mx.get_active_memory()
    found = {"steps_per_second": rate(steps, call), "peak": mx.get_peak_memory(), "held": held}
    return found | {"grown": mx.get_active_memory() - held}


def run_jax(name):
    input_dims, class_count, shapes, steps = NETWORKS[name]
    state, x, labels = jax.tree.map(jnp.asarray, data(shapes, input_dims, class_count))
    gradient = jax.value_and_grad(
        functools.partial(loss, jnp, jax.nn.logsumexp, jax_convolution)
    )
    one = jax.jit(functools.partial(step, gradient, jnp.sqrt), donate_argnums=0)
    state = jax.tree.map(jnp.copy, state)

    def call():
        nonlocal state
        value, state = one(state, x, labels)
        return float(value)

    return {"steps_per_second": rate(steps, call)}


def main():
    program = sys.argv[1] if len(sys.argv) > 1 else ROOT / "build/release/bench/transform_training_bench"
    for name in NETWORKS:
        done = subprocess.run([program, name], check=True, text=True, stdout=subprocess.PIPE)
        rows = {}
        for line in done.stdout.splitlines():
            found = json.loads(line)
            rows["Tenon, " + found["how"]] = found
        rows["MLX, lazy"] = run_mlx(name, False)
        rows["MLX, compiled"] = run_mlx(name, True)
        rows["JAX, jit"] = run_jax(name)
        for how, row in rows.items():
            rest = "".join(
                f", {text} {row[key] / 1e6:.2f} MB"
                for key, text in (("peak", "peak"), ("held", "between steps"), ("grown", "grown by"))
                if key in row
            )
            print(f"{name}: {how}: {row['steps_per_second']:.1f} steps/s{rest}", flush=True)


if __name__ == "__main__":
    main()
