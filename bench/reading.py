# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""How fast modules are read, as text and as artifacts, and in how much memory.

    make bench                              builds the program that this needs
    build/venv/bin/python bench/reading.py

JAX writes the modules: a transformer of 100 blocks with its weights as constants; the gradient of one whose weights are
arguments, which is operations and next to nothing else; 12,000 small operations.
"""

import argparse
import json
import pathlib
import subprocess
import tempfile

import jax
import jax.numpy as jnp
import numpy as np

ROOT = pathlib.Path(__file__).resolve().parent.parent
LAYERS, HEADS = 100, 4
RANDOM = np.random.default_rng(0)


def normalise(x, gain, bias):
    mean = x.mean(-1, keepdims=True)
    return (x - mean) * jax.lax.rsqrt(((x - mean) ** 2).mean(-1, keepdims=True) + 1e-5) * gain + bias


def attend(layer, x):
    q, k, v = (
        (x @ layer[name]).reshape(*x.shape[:2], HEADS, -1).transpose(0, 2, 1, 3) for name in ("q", "k", "v"))
    weights = jax.nn.softmax(q @ k.transpose(0, 1, 3, 2) / np.float32(q.shape[-1] ** 0.5), axis=-1)
    return (weights @ v).transpose(0, 2, 1, 3).reshape(x.shape) @ layer["o"]


def transformer(layers, x):
    for layer in layers:
        x = x + attend(layer, normalise(x, layer["gain1"], layer["bias1"]))
        y = normalise(x, layer["gain2"], layer["bias2"])
        x = x + jax.nn.gelu(y @ layer["up"]) @ layer["down"]
    return x


def weights(width):
    def random(*shape):
        return jnp.asarray(RANDOM.standard_normal(shape, np.float32))

    return [
        {name: random(width, width) for name in "qkvo"}
        | {name: random(width) for name in ("gain1", "bias1", "gain2", "bias2")}
        | {"up": random(width, 4 * width), "down": random(4 * width, width)} for _ in range(LAYERS)]


def unrolled(x, w):
    for _ in range(4000):
        x = jnp.tanh(x @ w) + x
    return x


def modules():
    small, wide = weights(32), weights(64)
    yield "transformer with its weights", lambda x: transformer(small, x), [jnp.zeros((4, 32, 32))]
    gradient = jax.grad(lambda layers, x: (transformer(layers, x) ** 2).mean())
    yield "gradient of a transformer, no constants", gradient, [wide, jnp.zeros((4, 32, 64))]
    yield "12,000 small operations", unrolled, [jnp.zeros((8, 8))] * 2


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release")
    arguments = parser.parse_args()
    print("| module | | MB | operations | MB/s | ns an operation | memory / size |\n" + "| --- " * 7 + "|")
    with tempfile.TemporaryDirectory() as folder:
        for name, function, inputs in modules():
            exported = jax.export.export(jax.jit(function))(*inputs)
            for kind, data in (("artifact", exported.mlir_module_serialized), ("text", exported.mlir_module().encode())):
                path = pathlib.Path(folder, "module")
                path.write_bytes(data)
                program = arguments.build / "bench/text_bytecode_bytecode_bench"
                row = json.loads(subprocess.run([program, path], check=True, capture_output=True, text=True).stdout)
                print(f"| {name} | {kind} | {row['bytes'] * 1e-6:.2f} | {row['operations']:,} | {row['mb_per_s']:,.0f} "
                      f"| {row['ns_per_operation']:,.0f} | {row['most_memory'] / row['bytes']:.1f} |", flush=True)


if __name__ == "__main__":
    main()
