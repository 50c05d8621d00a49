# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""A device beside what its memory and its multipliers can do, and what a launch and a custom call cost: `tenon bench`.

    make bench                                                     builds the command that this needs
    build/venv/bin/python bench/gpu/measure.py [DEVICE] [--size N] opencl, or cuda...; N is 4096 for figures that count
    ... cuda --size 4096 --record, and again with 8192             puts the figures into bench/figures.json

GB/s are of operands and results, each once.
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import cublas

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))

import report as documents  # noqa: E402

BUILD = pathlib.Path(os.environ.get("TENON_BUILD_DIR", ROOT / "build/release"))
TENON = BUILD / "cli/tenon"
AXPBY = BUILD / "examples/axpby/libaxpby.so"
SMALL = "tensor<1024xf32>"
CALL = 'stablehlo.custom_call @{} {{api_version = 4 : i32, backend_config = {{}}}} : '
COUNT = 100  # of small kernels


def main(inputs, result, *lines):
    """A function with %x and %y, two numbers that reductions begin with, and its last value."""
    arguments = ", ".join(f"%{name}: {type}" for name, type in zip("xy", inputs))
    body = ["%zero = stablehlo.constant dense<0.0> : tensor<f32>", "%low = stablehlo.constant dense<0xFF800000> : tensor<f32>",
            *lines, f"return %r : {result}"]
    return f"func.func @main({arguments}) -> {result} {{\n" + "\n".join(body) + "\n}\n"


def chain(line):
    """Small operations, one behind the other."""
    names = ["x", *(f"v{i}" for i in range(COUNT - 1)), "r"]
    return main([SMALL], SMALL, *(line.replace("%out", f"%{after}").replace("%in", f"%{before}")
                                  for before, after in zip(names, names[1:])))


def large_programs(n):
    """By name: the program on n x n elements, the bytes that it moves, its multiplications and additions."""
    k = n // 4
    large, row, wide, tall = f"tensor<{n}x{n}xf32>", f"tensor<{n}xf32>", f"tensor<{n}x{k}xf32>", f"tensor<{k}x{n}xf32>"

    def fold(value, operation, zero, dims, result):
        return (f"stablehlo.reduce(%{value} init: %{zero}) applies stablehlo.{operation} across dimensions = [{dims}] : ({large}, "
                f"tensor<f32>) -> {result}")

    return {
        "add": (main([large, large], large, f"%r = stablehlo.add %x, %y : {large}"), 12 * n * n, 0),
        "tanh(x) * y + x": (main([large, large], large, f"%a = stablehlo.tanh %x : {large}",
                                 f"%b = stablehlo.multiply %a, %y : {large}", f"%r = stablehlo.add %b, %x : {large}"), 12 * n * n, 0),
        "axpby (a custom call)": (main([large, large], large, f"%r = {CALL.format('axpby(%x, %y)')}({large}, {large}) -> {large}"),
                                  12 * n * n, 0),
        "transpose": (main([large], large, f"%r = stablehlo.transpose %x, dims = [1, 0] : ({large}) -> {large}"), 8 * n * n, 0),
        "sum of rows": (main([large], row, f"%r = {fold('x', 'add', 'zero', '1', row)}"), 4 * n * n, 0),
        "sum of columns": (main([large], row, f"%r = {fold('x', 'add', 'zero', '0', row)}"), 4 * n * n, 0),
        "sum of all": (main([large], "tensor<f32>", f"%r = {fold('x', 'add', 'zero', '0, 1', 'tensor<f32>')}"), 4 * n * n, 0),
        "softmax": (main([large], large, f"%m = {fold('x', 'maximum', 'low', '1', row)}",
                         f"%mm = stablehlo.broadcast_in_dim %m, dims = [0] : ({row}) -> {large}",
                         f"%s = stablehlo.subtract %x, %mm : {large}", f"%e = stablehlo.exponential %s : {large}",
                         f"%t = {fold('e', 'add', 'zero', '1', row)}",
                         f"%tt = stablehlo.broadcast_in_dim %t, dims = [0] : ({row}) -> {large}",
                         f"%r = stablehlo.divide %e, %tt : {large}"), 8 * n * n, 0),
        f"dot {n}x{k}x{n}": (main([wide, tall], large, f"%r = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : "
                                  f"({wide}, {tall}) -> {large}"), 0, 2 * n * n * k),
    }


# Of which none is fused with others, or left out.
SMALL_PROGRAMS = {
    f"{COUNT} small kernels": chain("%out = stablehlo.pad %in, %zero, low = [1], high = [-1], interior = [0] : "
                                    f"({SMALL}, tensor<f32>) -> {SMALL}"),
    f"{COUNT} kernels of custom calls": chain(f"%out = {CALL.format('axpby(%in, %in)')}({SMALL}, {SMALL}) -> {SMALL}"),
    f"{COUNT} calls without work": chain(f"%out = {CALL.format('noop(%in)')}({SMALL}) -> {SMALL}"),
}


def tenon(*arguments):
    done = subprocess.run([TENON, *map(str, arguments)], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"tenon {' '.join(map(str, arguments))}\n{done.stdout}{done.stderr}")
    return done.stdout


def measure(device, program, libraries):
    with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file:
        file.write(program)
        file.flush()
        loads = [argument for library in libraries for argument in ("--load", library)]
        return json.loads(tenon("bench", "--json", "--device", device, *loads, file.name))["median_ms"]


def build_noop(folder, device):
    library = pathlib.Path(folder) / "libnoop.so"
    platform = next(it["platform"] for it in json.loads(tenon("devices", "--json")) if it["name"].split(":")[0] == device.split(":")[0])
    subprocess.run([os.environ.get("CC", "cc"), "-O2", "-shared", "-fPIC", "-I", ROOT / "include", f'-DPLATFORM="{platform}"',
                    pathlib.Path(__file__).with_name("noop.c"), "-o", library], check=True)
    return library


def axpby_beside_operations(device, n):
    """examples/axpby/benchmark.py, with the median: ms of the operations, and of the custom one."""
    os.environ["TENON_DEVICE"] = device
    sys.path.insert(0, str(BUILD / "python"))
    import tenon.core as core
    import tenon.ops

    axpby = tenon.ops.load(AXPBY).axpby
    core.set_default_device(core.gpu)
    x, y = core.random.normal((n, n)), core.random.normal((n, n))
    core.eval(x, y)

    def median_ms(function):
        times = []
        for _ in range(25):
            begin = time.perf_counter()
            core.eval(function(x, y, 4.0, 2.0))
            times.append(time.perf_counter() - begin)
        return 1e3 * statistics.median(times[5:])

    return median_ms(lambda x, y, alpha, beta: alpha * x + beta * y), median_ms(axpby)


def report(device, n):
    """Prints what is measured, and gives it as rows of the record."""
    rows = {}
    print(tenon("devices"))
    names = [it["name"] for it in json.loads(tenon("devices", "--json"))]
    if not {device, f"{device}:0"} & set(names):
        sys.exit(f"there is no device {device}; there are: {', '.join(names)}")
    print(f"on {device}, {n} x {n} elements: medians")
    direct, bandwidth = None, 0
    if device.startswith("cuda"):
        try:
            direct = cublas.Cublas()
            bandwidth = direct.bandwidth()
        except OSError as error:
            print(f"cuBLAS is not measured beside: {error}")
    for name, (program, moved, operations) in large_programs(n).items():
        ms = measure(device, program, [AXPBY])
        rate = f"{moved / ms / 1e6:10.1f} GB/s" if moved else f"{operations / ms / 1e6:10.1f} GFLOP/s"
        if moved and bandwidth:
            rate += f"{moved / ms / 1e4 / bandwidth:6.1f} % of {bandwidth:.0f} GB/s"
        if operations and direct:
            of_cublas = direct.f32_ms(n, n // 4, n)
            rate += f", cuBLAS {of_cublas:.3f} ms: {100 * ms / of_cublas:.1f} % of its time"
        title = name if operations else f"{name}, {n} x {n}"
        rows[title] = {"ms": ms, "gb_s": round(moved / ms / 1e6)} if moved else {"ms": ms}
        print(f"{name:28}{ms:10.3f} ms {rate}")
    with tempfile.TemporaryDirectory() as folder:
        libraries = [AXPBY, build_noop(folder, device)]
        for name, program in SMALL_PROGRAMS.items():
            ms = measure(device, program, libraries)
            rows[name] = {"ms": ms}
            print(f"{name:28}{ms:10.3f} ms {1e3 * ms / COUNT:10.2f} us each")
    simple, custom = axpby_beside_operations(device, n)
    print(f"axpby of lazy arrays: {simple:.3f} ms as operations, {custom:.3f} ms as one: {simple / custom:.1f} times as fast")
    return rows


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("device", nargs="?", default="opencl")
    parser.add_argument("--size", type=int, default=4096)
    parser.add_argument("--record", action="store_true", help="puts the figures into bench/figures.json, those of this size")
    given = parser.parse_args()
    rows = report(given.device, given.size)
    if given.record:
        documents.record("gpu", "build/venv/bin/python bench/gpu/measure.py cuda --size N", rows,
                         ", ".join(it["description"] for it in json.loads(tenon("devices", "--json")) if it["name"].split(":")[0] == given.device.split(":")[0]),
                         keep=True)
