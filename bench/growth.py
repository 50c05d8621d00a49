# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""How compiling and running grow with the program: an unrolled chain of small operations, beside XLA.

    make bench                                   builds the programs that this needs
    python3 bench/growth.py                      Tenon alone needs no package
    build/venv/bin/python bench/growth.py --xla  XLA too, up to --xla-limit operations (3,000)

The program repeats x = tanh(x @ w) + x on 8x8 matrices. Tenon's figures are the median of the runs of
program_compile_bench (text to runnable program: as the clock saw it, and the CPU time in it), the fastest run of
`tenon bench`, and what a process has in memory at most beyond that of a program of 3 operations; XLA's are one compilation of the same text and its fastest run.

The last line is a chain of negations of one number, whose work is next to nothing: what an instruction itself costs.
"""

import argparse
import json
import pathlib
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
MATRIX = "tensor<8x8xf32>"
XLA_RUNS = 20


def unrolled(operations):
    steps = operations // 3
    lines = [f"func.func @main(%x0: {MATRIX}, %w: {MATRIX}) -> {MATRIX} {{"]
    for i in range(steps):
        lines += [
            f"  %p{i} = stablehlo.dot_general %x{i}, %w, contracting_dims = [1] x [0] : ({MATRIX}, {MATRIX}) -> {MATRIX}",
            f"  %t{i} = stablehlo.tanh %p{i} : {MATRIX}",
            f"  %x{i + 1} = stablehlo.add %t{i}, %x{i} : {MATRIX}",
        ]
    return "\n".join([*lines, f"  return %x{steps} : {MATRIX}", "}", ""])


def negations(count):
    lines = ["func.func @main(%x0: tensor<f32>) -> tensor<f32> {"]
    lines += [f"  %x{i + 1} = stablehlo.negate %x{i} : tensor<f32>" for i in range(count)]
    return "\n".join([*lines, f"  return %x{count} : tensor<f32>", "}", ""])


def output_of(command):
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def compile_and_run_by_xla(text):
    import jax
    import numpy as np
    from jax.interpreters import mlir as jax_mlir
    from jaxlib import _jax
    from jaxlib.mlir import ir

    device = jax.local_devices(backend="cpu")[0]
    with jax_mlir.make_ir_context():
        begin = time.perf_counter()
        module = ir.Module.parse(text)
        with module.context:
            program = device.client.compile_and_load(module, _jax.DeviceList((device,)), _jax.CompileOptions())
        compile_ms = (time.perf_counter() - begin) * 1e3
    arguments = [jax.device_put(np.zeros((8, 8), np.float32), device)] * 2
    times = []
    for _ in range(XLA_RUNS):
        begin = time.perf_counter()
        for shards in program.execute_sharded(arguments).disassemble_into_single_device_arrays():
            shards[0].block_until_ready()
        times.append(time.perf_counter() - begin)
    return {"xla_ms": compile_ms, "xla_run_ms": min(times) * 1e3}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release")
    parser.add_argument("--xla", action="store_true")
    parser.add_argument("--xla-limit", type=int, default=3000)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    tenon, compiler = arguments.build / "cli/tenon", arguments.build / "bench/program_compile_bench"
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "unrolled.mlir")
        path.write_text(unrolled(3))
        least_bytes = output_of([compiler, path])["most_memory"]
        for operations in (750, 3000, 12000, 100000):
            path.write_text(unrolled(operations))
            row = {
                "operations": operations,
                **output_of([compiler, path]),
                "run_ms": output_of([tenon, "bench", "--json", path])["min_ms"],
            }
            if arguments.xla and operations <= arguments.xla_limit:
                row |= compile_and_run_by_xla(path.read_text())
            rows.append(row)
        path.write_text(negations(10000))
        own_ns = output_of([tenon, "bench", "--json", path])["min_ms"] * 1e6 / 10000
    if arguments.json:
        print(json.dumps({"rows": rows, "least_bytes": least_bytes, "own_ns": own_ns}, indent=1))
        return
    print("| operations | compiling, ms | of it CPU | CPU us an operation | bytes an operation | running, ns an operation "
          "| XLA compiling, ms | XLA running, ns an operation |")
    print("| --- " * 8 + "|")
    for row in rows:
        count = row["operations"]
        xla, xla_run = "", ""
        if "xla_ms" in row:
            xla, xla_run = f"{row['xla_ms']:,.0f}", f"{row['xla_run_ms'] * 1e6 / count:,.0f}"
        print(f"| {count:,} | {row['median_ms']:,.2f} | {row['cpu_ms']:,.2f} | {row['cpu_ms'] * 1e3 / count:.2f} | "
              f"{(row['most_memory'] - least_bytes) / count:,.0f} | {row['run_ms'] * 1e6 / count:,.0f} | {xla} | {xla_run} |")
    print(f"\nAn instruction by itself: {own_ns:.1f} ns")


if __name__ == "__main__":
    main()
