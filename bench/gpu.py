"""A device beside what its memory and its multipliers can do: `tenon bench` on large arrays, and what a launch costs.

    make bench                                       builds the command that this needs
    build/venv/bin/python bench/gpu.py [DEVICE]      opencl, or cuda...

GB/s are of operands and results, each once; compare them with the device's bandwidth, and GFLOP/s with a product of its own library.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
TENON = ROOT / "build/release/cli/tenon"
AXPBY = ROOT / "build/release/examples/axpby/libaxpby.so"
N, K = 4096, 1024
LARGE, ROW, WIDE = f"tensor<{N}x{N}xf32>", f"tensor<{N}xf32>", f"tensor<{N}x{K}xf32>"
SMALL = "tensor<1024xf32>"
SUM = "stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [{}] : (" + LARGE + ", tensor<f32>) -> "
MAX = SUM.replace("%zero", "%low").replace("stablehlo.add", "stablehlo.maximum")
CALL = 'stablehlo.custom_call @axpby(%x, %x) {api_version = 4 : i32, backend_config = {}} : '


def main(inputs, result, *lines):
    """A function with %x and %y, two numbers that reductions begin with, and its last value."""
    arguments = ", ".join(f"%{name}: {type}" for name, type in zip("xy", inputs))
    body = ["%zero = stablehlo.constant dense<0.0> : tensor<f32>", "%low = stablehlo.constant dense<0xFF800000> : tensor<f32>",
            *lines, f"return %r : {result}"]
    return f"func.func @main({arguments}) -> {result} {{\n" + "\n".join(body) + "\n}\n"


def chain(count, line):
    """`count` small operations, one behind the other."""
    names = ["x", *(f"v{i}" for i in range(count - 1)), "r"]
    return main([SMALL], SMALL, *(line.replace("%out", f"%{after}").replace("%in", f"%{before}")
                                  for before, after in zip(names, names[1:])))


# Reversals, which are not fused.
MOVES = "%out = stablehlo.reverse %in, dims = [0] : " + SMALL
CALLS = '%out = stablehlo.custom_call @axpby(%in, %in) {api_version = 4 : i32, backend_config = {}} : (' + \
    f"{SMALL}, {SMALL}) -> {SMALL}"
# By name: the program, the bytes that it moves, its multiplications and additions, and its kernels.
CASES = {
    "add": (main([LARGE, LARGE], LARGE, f"%r = stablehlo.add %x, %y : {LARGE}"), 3 * N * N * 4, 0, 1),
    "tanh(x) * y + x": (main([LARGE, LARGE], LARGE, f"%a = stablehlo.tanh %x : {LARGE}", f"%b = stablehlo.multiply %a, %y : {LARGE}",
                             f"%r = stablehlo.add %b, %x : {LARGE}"), 3 * N * N * 4, 0, 1),
    "axpby (a custom call)": (main([LARGE], LARGE, f"%r = {CALL}({LARGE}, {LARGE}) -> {LARGE}"), 2 * N * N * 4, 0, 1),
    "transpose": (main([LARGE], LARGE, f"%r = stablehlo.transpose %x, dims = [1, 0] : ({LARGE}) -> {LARGE}"), 2 * N * N * 4, 0, 1),
    "sum of rows": (main([LARGE], ROW, f"%r = {SUM.format(1)}{ROW}"), N * N * 4, 0, 1),
    "sum of columns": (main([LARGE], ROW, f"%r = {SUM.format(0)}{ROW}"), N * N * 4, 0, 1),
    "sum of all": (main([LARGE], "tensor<f32>", f"%r = {SUM.format('0, 1')}tensor<f32>"), N * N * 4, 0, 1),
    "softmax": (main([LARGE], LARGE, f"%m = {MAX.format(1)}{ROW}",
                     f"%mm = stablehlo.broadcast_in_dim %m, dims = [0] : ({ROW}) -> {LARGE}",
                     f"%s = stablehlo.subtract %x, %mm : {LARGE}", f"%e = stablehlo.exponential %s : {LARGE}",
                     f"%t = {SUM.replace('%x', '%e').format(1)}{ROW}",
                     f"%tt = stablehlo.broadcast_in_dim %t, dims = [0] : ({ROW}) -> {LARGE}",
                     f"%r = stablehlo.divide %e, %tt : {LARGE}"), 2 * N * N * 4, 0, 1),
    f"dot {N}x{K}x{N}": (main([WIDE, f"tensor<{K}x{N}xf32>"], LARGE, "%r = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : "
                              f"({WIDE}, tensor<{K}x{N}xf32>) -> {LARGE}"), 0, 2 * N * N * K, 1),
    "100 small kernels": (chain(100, MOVES), 0, 0, 100),
    "100 small custom calls": (chain(100, CALLS), 0, 0, 100),
}


def measure(device, program):
    with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file:
        file.write(program)
        file.flush()
        done = subprocess.run([TENON, "bench", "--json", "--device", device, "--load", AXPBY, file.name], capture_output=True, text=True)
    told = json.loads(done.stdout or done.stderr)
    if done.returncode:
        sys.exit(told["error"]["report"].rstrip())
    return told


def report(device):
    print(subprocess.run([TENON, "devices"], capture_output=True, text=True, check=True).stdout)
    print(f"on {device}: medians")
    for name, (program, moved, operations, kernels) in CASES.items():
        times = measure(device, program)
        seconds = times["median_ms"] / 1e3
        rate = f"{moved / seconds / 1e9:8.1f} GB/s" if moved else f"{operations / seconds / 1e9:8.1f} GFLOP/s" if operations else \
            f"{seconds / kernels * 1e6:8.2f} us each"
        print(f"{name:24} {times['median_ms']:10.3f} ms {rate}")


if __name__ == "__main__":
    report(sys.argv[1] if len(sys.argv) > 1 else "opencl")
