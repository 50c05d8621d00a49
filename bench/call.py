# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""What a custom call costs in Tenon and in XLA: the same compiled handlers, the same text, in one run.

    make bench                                   builds the program that this needs
    build/venv/bin/python bench/call.py          prints Markdown tables; --json for programs, --record for the documents

1000 calls in one program, each fed by the one before, of a handler that decodes its frame and does nothing: 1 operand and
1 result, or 6 operands, 2 attributes and 2 results. Handlers are built with <tenon/custom.h> by the C compiler, and with
XLA's headers by g++ and clang++. Tenon (call_call_bench) and XLA take turns; every figure is a median. "The handler" is its
time when it is called from a frame built by hand; what a call takes beyond that is the runtime's own share.
"""

import argparse
import ctypes
import json
import pathlib
import shutil
import statistics
import subprocess
import tempfile
import time

import jax
import numpy as np
from jaxlib import _jax

from report import machine, record, table

ROOT = pathlib.Path(__file__).resolve().parent.parent
CALLS = 1000
VECTOR = jax.ShapeDtypeStruct((8,), np.float32)
# operands, results, attributes
CASES = {"small": (1, 1, {}), "large": (6, 2, {"eps": np.float32(1e-5), "n": 3})}
NAMES = {"small": "1 operand, 1 result", "large": "6 operands, 2 attributes, 2 results"}


def build_libraries(folder):
    """{what made it: library}"""
    recipes = {"custom.h, cc": ["cc", "-std=c11", "-I", ROOT / "include", ROOT / "bench/call_handlers.c"]}
    for compiler in "g++", "clang++":
        if shutil.which(compiler):
            recipes[f"XLA's headers, {compiler}"] = [compiler, "-std=c++17", "-w", "-I", jax.ffi.include_dir(),
                                                     ROOT / "bench/call_handlers.cc"]
    libraries = {}
    for number, (name, command) in enumerate(recipes.items()):
        libraries[name] = folder / f"handlers_{number}.so"
        subprocess.run([*command, "-O2", "-shared", "-fPIC", "-o", libraries[name]], check=True)
    return libraries


def lower(target, case):
    """The chain as JAX lowers it."""
    operands, results, attributes = CASES[case]
    call = jax.ffi.ffi_call(target, [VECTOR] * results)

    def chain(*values):
        values = list(values)
        for _ in range(CALLS):
            values[:results] = call(*values, **attributes)
        return values[:results]

    return jax.jit(chain).lower(*[VECTOR] * operands).as_text()


class InXla:
    def __init__(self, text, case):
        self.device = jax.devices()[0]
        self.text = text
        self.devices = _jax.DeviceList((self.device,))
        self.arrays = [jax.device_put(np.zeros(8, np.float32), self.device) for _ in range(CASES[case][0])]
        self.compile()

    def compile(self):
        begin = time.perf_counter()
        self.program = self.device.client.compile_and_load(self.text, self.devices, _jax.CompileOptions())
        return (time.perf_counter() - begin) * 1e3

    def call_ns(self, runs):
        times = []
        for _ in range(runs):
            begin = time.perf_counter()
            results = self.program.execute_sharded(self.arrays).disassemble_into_single_device_arrays()
            for shards in results:
                shards[0].block_until_ready()
            times.append(time.perf_counter() - begin)
        return statistics.median(times) / CALLS * 1e9


def in_tenon(program, library, case, path):
    operands, results, attributes = CASES[case]
    command = [program, library, case, path, str(operands), str(results), str(len(attributes))]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def measure(program, library, case, folder, rounds):
    target = f"{library.stem}_{case}"
    handler = ctypes.CDLL(str(library))[case]
    jax.ffi.register_ffi_target(target, jax.ffi.pycapsule(handler), platform="cpu")
    text = lower(target, case)
    path = folder / "chain.mlir"
    path.write_text(text)
    xla = InXla(text, case)
    xla.call_ns(20)
    tenon, xla_ns, xla_compile_ms = [], [], []
    for _ in range(rounds):
        tenon.append(in_tenon(program, library, case, path))
        xla_ns.append(xla.call_ns(100))
        xla_compile_ms.append(xla.compile())
    row = {key: statistics.median(one[key] for one in tenon)
           for key in ("call_ns", "handler_ns", "empty_ns", "tenon_ns", "compile_ms", "first_compile_ms")}
    return {"text_bytes": len(text), **row, "xla_call_ns": statistics.median(xla_ns),
            "xla_compile_ms": statistics.median(xla_compile_ms)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release")
    parser.add_argument("--rounds", type=int, default=11)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--record", action="store_true", help="puts the figures into bench/figures.json")
    arguments = parser.parse_args()
    program = arguments.build / "bench/call_call_bench"
    rows = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for built, library in build_libraries(folder).items():
            for case in CASES:
                rows.append({"call": NAMES[case], "handler": built,
                             **measure(program, library, case, folder, arguments.rounds)})
    if arguments.record:
        record("call", "build/venv/bin/python bench/call.py", {f"{row['call']}; {row['handler']}": {
            "tenon_ns": row["tenon_ns"], "xla_ns": row["xla_call_ns"] - row["handler_ns"], "handler_ns": row["handler_ns"],
            "tenon_compile_ms": row["compile_ms"], "xla_compile_ms": row["xla_compile_ms"]} for row in rows}, machine("jax"))
    if arguments.json:
        print(json.dumps(rows, indent=1))
        return
    table(["call", "handler built with", "Tenon, ns a call", "the handler", "an empty one", "Tenon's own", "XLA, ns a call", "XLA's own"],
          [[r["call"], r["handler"], f"{r['call_ns']:.1f}", f"{r['handler_ns']:.1f}", f"{r['empty_ns']:.1f}",
            f"{r['tenon_ns']:.1f}", f"{r['xla_call_ns']:.1f}",
            f"{r['xla_call_ns'] - r['handler_ns']:.1f}"] for r in rows])
    table(["call", "handler built with", "text, KB", "Tenon compiles, ms", "the first time", "XLA, ms", "XLA / Tenon",
           "the first time"],
          [[r["call"], r["handler"], f"{r['text_bytes'] / 1e3:.0f}", f"{r['compile_ms']:.2f}",
            f"{r['first_compile_ms']:.2f}", f"{r['xla_compile_ms']:.1f}", f"{r['xla_compile_ms'] / r['compile_ms']:.1f}",
            f"{r['xla_compile_ms'] / r['first_compile_ms']:.1f}"] for r in rows])


if __name__ == "__main__":
    main()
