# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""What libraries compute: Tenon with them and without, XLA and NumPy, by turns; the fastest of several rounds counts.

    make bench                                           builds the command that this needs
    build/venv/bin/python bench/libraries.py [PATTERN]   all cases, or those whose name contains PATTERN

XLA and `tenon bench` run the same StableHLO on the same arrays (bfloat16: on random ones), with as many threads as there
are cores. `tenon version` says which libraries there are.
"""

import argparse
import json
import pathlib
import subprocess
import tempfile

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
from jax import lax

from turns import BARE, ROOT, floats, repeated_ms, runs_for, tenon_ms, write_case, xla_ms


def positive(dtype):
    x = floats(1024, 1024)
    return (x @ x.T + 1024 * np.eye(1024)).astype(dtype)


def convolution(x, w):
    return lax.conv_general_dilated(x, w, (1, 1), "SAME")


def pair(*shape, dtype=np.float32):
    return [floats(*shape).astype(dtype), floats(*shape).astype(dtype)]


def dot_i32(x, y):
    return jnp.dot(x, y, preferred_element_type=jnp.int32)


SQUARE = (1024, 1024)
IMAGES, WINDOWS = floats(8, 64, 56, 56), floats(64, 64, 3, 3)
BYTES = [np.random.default_rng(2).integers(-128, 127, SQUARE, np.int8) for _ in range(2)]
# The function, its arguments, and the same in NumPy or None.
CASES = {
    "dot 1024 f32": (jnp.dot, pair(*SQUARE), np.dot),
    "dot 1024 f64": (jnp.dot, pair(*SQUARE, dtype=np.float64), np.dot),
    "dot 1024 c64": (jnp.dot, pair(*SQUARE, dtype=np.complex64), np.dot),
    "dot 1024 bf16": (jnp.dot, pair(*SQUARE, dtype=ml_dtypes.bfloat16), None),
    "dot 1024 i8 to i32": (dot_i32, BYTES, None),
    "dot 64 f32": (jnp.dot, pair(64, 64), np.dot),
    "64 dots of 64 f32": (jnp.matmul, pair(64, 64, 64), np.matmul),
    "convolution 3x3 8x64x56x56 f32": (convolution, [IMAGES, WINDOWS], None),
    "convolution 3x3 8x64x56x56 f32, precise": (
        lambda x, w: lax.conv_general_dilated(x, w, (1, 1), "SAME", precision=lax.Precision.HIGHEST), [IMAGES, WINDOWS], None),
    "convolution 3x3 8x64x56x56 bf16": (
        convolution, [x.astype(ml_dtypes.bfloat16) for x in (IMAGES, WINDOWS)], None),
    "cholesky 1024 f32": (lambda x: lax.linalg.cholesky(x, symmetrize_input=False), [positive(np.float32)], np.linalg.cholesky),
    "cholesky 1024 f64": (lambda x: lax.linalg.cholesky(x, symmetrize_input=False), [positive(np.float64)], np.linalg.cholesky),
    "eigh 256 f32": (jnp.linalg.eigh, [positive(np.float32)[:256, :256]], np.linalg.eigh),
    "svd 256 f32": (jnp.linalg.svd, [floats(256, 256)], np.linalg.svd),
    "solve 512 f64": (jnp.linalg.solve, pair(512, 512, dtype=np.float64), np.linalg.solve),
    "fft 2^20 c64": (jnp.fft.fft, [floats(1 << 20).astype(np.complex64)], np.fft.fft),
    "fft 1,000,003 c64": (jnp.fft.fft, [floats(1_000_003).astype(np.complex64)], np.fft.fft),
    "rfft 2^20 f32": (jnp.fft.rfft, [floats(1 << 20)], np.fft.rfft),
}


def without_libraries(command):
    """None where Tenon has no kernel of its own."""
    done = subprocess.run(command, capture_output=True, text=True, env=BARE)
    return None if done.returncode else json.loads(done.stdout)["min_ms"]


def measure(tenon, function, arguments, in_numpy, rounds):
    lowered = jax.jit(function).lower(*arguments)
    with tempfile.TemporaryDirectory() as folder:
        command = [tenon, "bench", "--json", *write_case(folder, lowered.as_text(), arguments)]
        program = lowered.compile()
        on_device = [jax.device_put(x) for x in arguments]
        command += runs_for(tenon_ms([*command, "--runs", "1"]))
        turns = [(tenon_ms(command), without_libraries(command), xla_ms(program, on_device),
                  repeated_ms(in_numpy, *arguments) if in_numpy else None) for _ in range(rounds)]
    return [min(turn) if turn[0] is not None else None for turn in zip(*turns)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("pattern", nargs="?", default="")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    jax.config.update("jax_enable_x64", True)
    print("| | Tenon, ms | without libraries | XLA | NumPy | Tenon / XLA |\n| --- | --- | --- | --- | --- | --- |", flush=True)
    for name, (function, arguments, in_numpy) in CASES.items():
        if options.pattern not in name:
            continue
        own, reference, xla, numpy = measure(options.build / "cli/tenon", function, arguments, in_numpy, options.rounds)
        cells = ["" if x is None else f"{x:.3g}" for x in (own, reference, xla, numpy)]
        print(f"| {name} | {' | '.join(cells)} | {own / xla:.2f} |", flush=True)


if __name__ == "__main__":
    main()
