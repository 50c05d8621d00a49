"""How compiling grows with the program: an unrolled chain of small operations, beside XLA.

    make bench                                   builds the program that this needs
    python3 bench/growth.py                      Tenon alone needs no package
    build/venv/bin/python bench/growth.py --xla  XLA too, up to --xla-limit operations (3,000)

The program repeats x = tanh(x @ w) + x on 8x8 matrices. Tenon's figure is the median of the runs of
program_compile_bench (text to runnable program: as the clock saw it, and the CPU time in it); XLA's is one compilation of the same text.
"""

import argparse
import json
import pathlib
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
T = "tensor<8x8xf32>"


def unrolled(operations):
    lines = [f"func.func @main(%x0: {T}, %w: {T}) -> {T} {{"]
    steps = operations // 3
    for i in range(steps):
        lines += [
            f"  %p{i} = stablehlo.dot_general %x{i}, %w, contracting_dims = [1] x [0] : ({T}, {T}) -> {T}",
            f"  %t{i} = stablehlo.tanh %p{i} : {T}",
            f"  %x{i + 1} = stablehlo.add %t{i}, %x{i} : {T}",
        ]
    return "\n".join([*lines, f"  return %x{steps} : {T}", "}", ""])


def compile_by_xla(text):
    import jax
    from jax.interpreters import mlir as jax_mlir
    from jaxlib import _jax
    from jaxlib.mlir import ir

    device = jax.local_devices(backend="cpu")[0]
    with jax_mlir.make_ir_context():
        begin = time.perf_counter()
        module = ir.Module.parse(text)
        with module.context:
            device.client.compile_and_load(module, _jax.DeviceList((device,)), _jax.CompileOptions())
        return (time.perf_counter() - begin) * 1e3


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release")
    parser.add_argument("--xla", action="store_true")
    parser.add_argument("--xla-limit", type=int, default=3000)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "unrolled.mlir")
        for operations in (750, 3000, 12000, 100000):
            path.write_text(unrolled(operations))
            program = arguments.build / "bench/program_compile_bench"
            output = subprocess.run([program, path], check=True, capture_output=True, text=True).stdout
            row = {"operations": operations, **json.loads(output)}
            if arguments.xla and operations <= arguments.xla_limit:
                row["xla_ms"] = compile_by_xla(path.read_text())
            rows.append(row)
    if arguments.json:
        print(json.dumps(rows, indent=1))
        return
    print("| operations | Tenon, ms | of it CPU | CPU us an operation | plan's peak, bytes | XLA, ms |")
    print("| --- | --- | --- | --- | --- | --- |")
    for row in rows:
        xla = f"{row['xla_ms']:,.0f}" if "xla_ms" in row else ""
        print(f"| {row['operations']:,} | {row['median_ms']:,.2f} | {row['cpu_ms']:,.2f} | "
              f"{row['cpu_ms'] * 1e3 / row['operations']:.2f} | {row['plan_bytes']:,} | {xla} |")


if __name__ == "__main__":
    main()
