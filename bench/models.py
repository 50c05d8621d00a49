# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""Whole models beside XLA: the folder models/ has them.

    make bench                                                  builds the command that this needs
    build/venv/bin/python bench/models.py [PATTERN]...          all models, or those whose name contains a PATTERN
    build/venv/bin/python bench/models.py --check [PATTERN]...  compares the results alone
    build/venv/bin/python bench/models.py --keep FOLDER ...     also keeps the modules and their arguments

jax.export makes a module of each. First its results are compared with XLA's, with libraries and without: no element may differ by
more than the model's tolerance times the largest element, integers not at all. Then `tenon bench`, with libraries and without,
and XLA run it on the same arrays by turns, with as many threads as there are cores; the fastest of several rounds counts.
--cpu measures processor time instead, as in ledger.py, while others want the cores.
"""

import argparse
import json
import math
import pathlib
import re
import subprocess
import sys
import tempfile
import time

import jax
import numpy as np
from jax import export

import report
from models import MODELS  # the folder
from turns import BARE, ROOT, mean_ratio, runs_for, tenon_bench, tenon_cpu_ms, write_case, xla_cpu_ms, xla_ms

COLUMNS = {"operations": "operations", "tenon_compile_ms": "compile, ms", "xla_compile_ms": "by XLA", "plan_mb": "plan, MB",
           "xla_mb": "XLA's", "tenon_ms": "Tenon, ms", "without_libraries_ms": "without libraries", "xla_ms": "XLA, ms"}
LIBRARY_ONLY = "Tenon has one of its own, which needs"  # of a custom call: a cell of the table is empty
OPERATION = re.compile(r"(?<!#)\b(?:stablehlo|chlo)\.(?!return|constant)\w")


def progress(text):
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)


def names_of(results):
    return ["result" + jax.tree_util.keystr(path) for path, _ in jax.tree_util.tree_leaves_with_path(results)]


def largest_difference(found, wanted):
    """As a share of the largest element; infinite where integers differ or a number is not finite."""
    if found.shape != wanted.shape or found.dtype != wanted.dtype:
        return np.inf
    if wanted.dtype.kind not in "fc":
        return 0.0 if np.array_equal(found, wanted) else np.inf
    if not (np.isfinite(found).all() and np.isfinite(wanted).all()):
        return np.inf
    return float(np.abs(found - wanted).max(initial=0) / (np.abs(wanted).max(initial=0) or 1))


def check(tenon, words, model, tolerance, results, folder):
    """Compares what Tenon finds; what is wrong ends the script. Returns the largest difference, and whether the model runs
    without libraries as well."""
    wanted, names = [np.asarray(leaf) for leaf in jax.tree.leaves(results)], names_of(results)
    largest, alone = 0.0, True
    for environment, how in ((None, "with libraries"), (BARE, "without libraries")):
        paths = [f"{folder}/result{i}.npy" for i in range(len(wanted))]
        command = [tenon, "run", *words, *(word for path in paths for word in ("--output", path))]
        done = subprocess.run(command, capture_output=True, text=True, env=environment)
        if environment and LIBRARY_ONLY in done.stderr:
            alone = False
            continue
        if done.returncode:
            raise SystemExit(f"{model.name}, {how}: tenon run fails with exit code {done.returncode}\n{done.stderr.strip()}")
        for name, path, leaf in zip(names, paths, wanted):
            apart = largest_difference(np.load(path), leaf)
            largest = max(largest, apart)
            if not apart <= tolerance:
                raise SystemExit(f"{model.name}, {how}: {name} differs from XLA's by {apart:.3g} of its largest element; "
                                 f"{tolerance:g} is allowed")
    return largest, alone


def measure(tenon, words, program, arguments, alone, rounds, in_cpu_time):
    command = [tenon, "bench", "--json", *words]
    once = min((tenon_bench([*command, "--runs", "1"]) for _ in range(3)), key=lambda run: run["compile_ms"])
    if in_cpu_time:
        runs = max(2, min(20, int(500 / once["min_ms"])))
        turns = [(tenon_cpu_ms(command, runs), tenon_cpu_ms(command, runs, BARE) if alone else math.inf,
                  xla_cpu_ms(program, arguments, runs)) for _ in range(rounds)]
        own, bare, xla = map(min, zip(*turns))
        return {"tenon_compile_ms": once["compile_ms"], "plan_mb": once["plan_bytes"] / 1e6, "tenon_ms": own,
                "without_libraries_ms": bare if alone else None, "xla_ms": xla}
    command += runs_for(once["min_ms"])
    turns = [(tenon_bench(command), tenon_bench(command, BARE) if alone else None, xla_ms(program, arguments))
             for _ in range(rounds)]
    own, bare, xla = zip(*turns)
    return {"tenon_compile_ms": min(turn["compile_ms"] for turn in own),
            "plan_mb": own[0]["plan_bytes"] / 1e6, "tenon_ms": min(turn["min_ms"] for turn in own),
            "without_libraries_ms": min(turn["min_ms"] for turn in bare) if alone else None, "xla_ms": min(xla)}


def row_of(model, options, folder):
    tenon, say = options.build / "cli/tenon", lambda what: progress(f"{model.name}: {what}")
    say("exporting")
    jitted, arguments = model.made()
    leaves = [np.asarray(leaf) for leaf in jax.tree.leaves(arguments)]
    with jax.enable_x64(model.x64):
        exported = export.export(jitted)(*arguments)
        words = write_case(folder, exported.mlir_module_serialized, leaves)
        lowered = jax.jit(exported.call, keep_unused=True).lower(*arguments)
        say("XLA compiles")
        start = time.perf_counter()
        program = lowered.compile()
        compile_ms = (time.perf_counter() - start) * 1e3
        on_device = jax.device_put(arguments)
        results = program(*on_device)
    say("comparing results")
    tolerance = model.tolerance if options.tolerance is None else options.tolerance
    difference, alone = check(tenon, words, model, tolerance, results, folder)
    row = {"model": model.name, "small_operations": model.small_operations, "difference": difference,
           "tolerance": tolerance}
    if options.check:
        return row
    say("measuring")
    return row | {"operations": len(OPERATION.findall(exported.mlir_module())), "xla_compile_ms": compile_ms,
                  "xla_mb": program.memory_analysis().temp_size_in_bytes / 1e6,
                  **measure(tenon, words, program, on_device, alone, options.rounds, options.cpu)}


def cells(row):
    return [f"{row['operations']:,}", f"{row['tenon_compile_ms']:.3g}", f"{row['xla_compile_ms']:,.0f}",
            f"{row['plan_mb']:.3g}", f"{row['xla_mb']:.3g}",
            *(f"{row[key]:.3g}" if row[key] else "" for key in ("tenon_ms", "without_libraries_ms", "xla_ms"))]


def means(rows):
    for key, how in (("tenon_ms", ""), ("without_libraries_ms", " without libraries")):
        counted = [row for row in rows if row[key]]
        if counted:
            yield f"{mean_ratio(counted, key):.2f} of {len(counted)} models{how}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("patterns", nargs="*", metavar="PATTERN")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", metavar="FILE", help="where to write the figures for programs")
    parser.add_argument("--cpu", action="store_true", help="processor time of all threads, Tenon on one")
    parser.add_argument("--check", action="store_true", help="compare results, measure nothing")
    parser.add_argument("--tolerance", type=float, metavar="SHARE", help="instead of the models' own")
    parser.add_argument("--record", action="store_true", help="puts the figures into bench/figures.json")
    parser.add_argument("--keep", type=pathlib.Path, metavar="FOLDER", help="keeps modules and arguments there")
    options = parser.parse_args()
    for pattern in options.patterns:
        if not any(pattern in model.name for model in MODELS):
            parser.error(f"no model has {pattern!r} in its name; there are\n  " + "\n  ".join(m.name for m in MODELS))
    if options.record and (options.cpu or options.check or options.patterns):
        parser.error("--record: what is recorded is the time of all cores, for all models")
    if options.rounds < 1:
        parser.error("--rounds must be at least 1")
    if not (options.build / "cli/tenon").exists():
        parser.error(f"there is no {options.build / 'cli/tenon'}: run make bench")
    rows = []
    if not options.check:
        print("| | " + " | ".join(COLUMNS.values()) + " | XLA / Tenon |\n|" + " --- |" * (len(COLUMNS) + 2), flush=True)
    for model in MODELS:
        if options.patterns and not any(pattern in model.name for pattern in options.patterns):
            continue
        with tempfile.TemporaryDirectory() as temporary:
            folder = options.keep / re.sub(r"\W+", "_", model.name) if options.keep else pathlib.Path(temporary)
            folder.mkdir(parents=True, exist_ok=True)
            row = row_of(model, options, folder)
        rows.append(row)
        progress("")
        if options.check:
            print(f"{model.name}: {row['difference']:.2g} of the largest element, {row['tolerance']:g} allowed", flush=True)
        else:
            print(f"| {model.name} | {' | '.join(cells(row))} | {row['xla_ms'] / row['tenon_ms']:.2f} |", flush=True)
    if not options.check:
        print("\nXLA's time over Tenon's, geometric mean:", ", ".join(means(rows)))
    if options.record:
        report.record("models", "build/venv/bin/python bench/models.py",
                      {row["model"]: {key: row[key] for key in COLUMNS} for row in rows}, report.machine("jax"))
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main()
