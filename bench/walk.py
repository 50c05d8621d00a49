# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""The walk from text to outputs, side by side with JAX on this machine, in one run.

    make bench                                   builds the programs that this needs
    build/venv/bin/python bench/walk.py          prints Markdown tables; --json for programs, --record for the documents

Every figure is a median; Tenon and JAX take turns, because the machine may be busy with other things.
"""

import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import jax
import jax.numpy as jnp
import numpy as np

from report import machine, record, table

ROOT = pathlib.Path(__file__).resolve().parent.parent


def median_ms(times):
    return statistics.median(times) * 1e3


def lower(function, *arguments):
    return jax.jit(function, keep_unused=True).lower(*arguments)


# --- the eight modules of the plan's comparison


def f32(*shape):
    return jax.ShapeDtypeStruct(shape, jnp.float32)


def mlp(x, w1, b1, w2, b2):
    return jnp.tanh(x @ w1 + b1) @ w2 + b2


def mlp_loss(parameters, x, y):
    return jnp.mean((mlp(x, *parameters) - y) ** 2)


def attention(q, k, v):
    scores = jnp.einsum("bqhd,bkhd->bhqk", q, k) / np.sqrt(q.shape[-1])
    return jnp.einsum("bhqk,bkhd->bqhd", jax.nn.softmax(scores), v)


def layer_norm(x, scale, bias):
    mean = x.mean(-1, keepdims=True)
    variance = ((x - mean) ** 2).mean(-1, keepdims=True)
    return (x - mean) / jnp.sqrt(variance + 1e-5) * scale + bias


def block(x, w, u):
    normal = (x - x.mean(0)) / (x.std(0) + 1e-3)
    hidden = jax.nn.softmax(normal @ w, axis=-1)
    return jnp.max(hidden @ u, axis=-1), jnp.sum(hidden, axis=0), jnp.argmax(hidden, axis=-1)


def scan(state, inputs, w):
    def step(h, x):
        h = jnp.tanh(h @ w + x)
        return h, h

    return jax.lax.scan(step, state, inputs)


def half_layer_norm(x, scale, bias):
    wide = x.astype(jnp.float32)
    centred = wide - wide.mean(-1, keepdims=True)
    variance = (centred**2).mean(-1, keepdims=True)
    return (centred * jax.lax.rsqrt(variance + 1e-5)).astype(x.dtype) * scale + bias


def transformer_block(x, p):
    h = layer_norm(x, *p["norm1"])
    q, k, v = [(h @ w).reshape(*x.shape[:2], 8, -1) for w in p["qkv"]]
    x = x + attention(q, k, v).reshape(x.shape) @ p["out"]
    return x + jax.nn.gelu(layer_norm(x, *p["norm2"]) @ p["up"]) @ p["down"]


def transformer_loss(p, x):
    return (transformer_block(x, p) ** 2).mean()


def transformer_parameters(width):
    norm = (f32(width), f32(width))
    square = f32(width, width)
    return {
        "norm1": norm, "norm2": norm, "qkv": (square,) * 3, "out": square,
        "up": f32(width, 4 * width), "down": f32(4 * width, width),
    }


def eight_modules():
    def bf16(*shape):
        return jax.ShapeDtypeStruct(shape, jnp.bfloat16)

    parameters = (f32(512, 1024), f32(1024), f32(1024, 256), f32(256))
    return {
        "MLP": lower(mlp, f32(256, 512), *parameters),
        "gradient of the MLP": lower(jax.grad(mlp_loss), parameters, f32(256, 512), f32(256, 256)),
        "attention": lower(attention, *[f32(4, 128, 8, 64)] * 3),
        "layer norm": lower(layer_norm, f32(1024, 1024), f32(1024), f32(1024)),
        "layer norm of bf16": lower(half_layer_norm, bf16(1024, 1024), bf16(1024), bf16(1024)),
        "gradient of a transformer block": lower(
            jax.grad(transformer_loss), transformer_parameters(512), f32(4, 128, 512)),
        "block with reductions": lower(block, f32(512, 512), f32(512, 512), f32(512, 512)),
        "scan": lower(scan, f32(64, 256), f32(100, 64, 256), f32(256, 256)),
    }


# --- measurements


def compile_by_tenon(program, paths):
    output = subprocess.run([program, *map(str, paths)], check=True, capture_output=True, text=True).stdout
    return [json.loads(line) for line in output.splitlines()]


def compile_x_plus_1(build):
    """Text to runnable program, both from StableHLO text."""
    text = lower(lambda x: x + 1, f32(8)).as_text()
    backend = jax.devices()[0].client
    options = jax._src.compiler.get_compile_options(num_replicas=1, num_partitions=1)
    devices = jax._src.interpreters.pxla.xc.DeviceList(tuple(jax.devices()))
    tenon, xla = [], []
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "x_plus_1.mlir")
        path.write_text(text)
        for _ in range(11):
            tenon += [compile_by_tenon(build / "bench/program_compile_bench", [path])[0]]
            begin = time.perf_counter()
            backend.compile_and_load(text, devices, options)
            xla.append(time.perf_counter() - begin)
    return {
        "tenon_ms": statistics.median(r["median_ms"] for r in tenon),
        "tenon_first_ms": statistics.median(r["first_ms"] for r in tenon),
        "xla_ms": median_ms(xla),
    }


def process_start(build):
    """A whole process, from exec to the printed result, of a program that adds 1."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "x_plus_1.mlir")
        path.write_text(lower(lambda x: x + 1, f32(8)).as_text())
        commands = {
            "tenon": [str(build / "cli/tenon"), "run", str(path), "--input", "ones"],
            "true": ["true"],
            "jax": [sys.executable, "-c", "import jax, jax.numpy as n; print(jax.jit(lambda x: x + 1)(n.ones(8)))"],
        }
        times = {name: [] for name in commands}
        for round_ in range(21):
            for name, command in commands.items():
                if name == "jax" and round_ >= 5:
                    continue
                begin = time.perf_counter()
                subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
                times[name].append(time.perf_counter() - begin)
    return {name + "_ms": median_ms(values) for name, values in times.items()}


def plans(build):
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for name, lowered in eight_modules().items():
            path = pathlib.Path(folder, "module.mlir")
            path.write_text(lowered.as_text())
            tenon = compile_by_tenon(build / "bench/program_compile_bench", [path])[0]
            begin = time.perf_counter()
            compiled = lowered.compile()
            xla_ms = (time.perf_counter() - begin) * 1e3
            analysis = compiled.memory_analysis()
            rows.append({
                "module": name,
                "plan_bytes": tenon["plan_bytes"],
                "lower_bound_bytes": tenon["plan_lower_bound_bytes"],
                "xla_temporary_bytes": analysis.temp_size_in_bytes,
                "tenon_compile_ms": tenon["median_ms"],
                "xla_compile_ms": xla_ms,
            })
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--record", action="store_true", help="puts the figures into bench/figures.json")
    arguments = parser.parse_args()
    result = {
        "compile": compile_x_plus_1(arguments.build),
        "start": process_start(arguments.build),
        "plans": plans(arguments.build),
    }
    if arguments.record:
        gradient = next(row for row in result["plans"] if row["module"] == "gradient of a transformer block")
        record("walk", "build/venv/bin/python bench/walk.py", {
            "x + 1, text to a runnable program": result["compile"],
            "a process from start to printed result": result["start"],
            "gradient of a transformer block, text to a runnable program": {
                "tenon_ms": gradient["tenon_compile_ms"], "xla_ms": gradient["xla_compile_ms"]},
        }, machine("jax"))
    if arguments.json:
        print(json.dumps(result, indent=1))
        return
    c, s = result["compile"], result["start"]
    table(
        ["from text to a runnable program, x + 1", "ms", "XLA / Tenon"],
        [
            ["Tenon, warm", f"{c['tenon_ms']:.3f}", f"{c['xla_ms'] / c['tenon_ms']:.0f}"],
            ["Tenon, first in the process", f"{c['tenon_first_ms']:.3f}", f"{c['xla_ms'] / c['tenon_first_ms']:.0f}"],
            ["XLA", f"{c['xla_ms']:.1f}", ""],
        ],
    )
    table(
        ["a process from start to printed result", "ms"],
        [
            ["tenon run", f"{s['tenon_ms']:.2f}"],
            ["true (the process itself)", f"{s['true_ms']:.2f}"],
            ["python, import jax, jit", f"{s['jax_ms']:.0f}"],
        ],
    )
    table(
        ["module", "plan's peak", "lower bound", "XLA's temporaries", "peak / XLA", "compile ms, Tenon", "XLA"],
        [
            [
                r["module"],
                f"{r['plan_bytes']:,}",
                f"{r['lower_bound_bytes']:,}",
                f"{r['xla_temporary_bytes']:,}",
                f"{r['plan_bytes'] / max(1, r['xla_temporary_bytes']):.2f}",
                f"{r['tenon_compile_ms']:.2f}",
                f"{r['xla_compile_ms']:.0f}",
            ]
            for r in result["plans"]
        ],
    )


if __name__ == "__main__":
    main()
