# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""Runs random programs of single operations in XLA and in Tenon.

    build/venv/bin/python test/client/differential [OPERATION|all] [DTYPE|all] [--seed N] [--count N]

Prints the programs whose results differ; the exit status is 1 if there are any. TENON_BUILD_DIR says where Tenon was
built (build/release)."""

import argparse
import collections
import time

from differential import deviations
from differential.registry import GENERATORS, make
from differential.runner import report, run


def summary(operation, outcomes, seconds):
    failed = sorted({str(outcome.case.dtype) for outcome in outcomes if outcome.failure})
    used = collections.Counter(name for outcome in outcomes for name in outcome.deviations)
    text = f"{operation}: {len(outcomes)} programs in {seconds:.1f} s"
    if failed:
        text += f", DIFFERENT in {', '.join(failed)}"
    worst = max((outcome.worst for outcome in outcomes), default=0)
    if worst:
        text += f", at most {worst:.3g} ulp apart"
    if used:
        text += ", XLA departs: " + ", ".join(f"{name} ({count})" for name, count in sorted(used.items()))
    return text


def table():
    """The deviations, as docs/xla.md shows them."""
    rows = ["| | operations | element types | XLA on the CPU | the specification |", "| --- | --- | --- | --- | --- |"]
    rows += [
        f"| {row.name} | {row.operations} | {row.dtypes} | {row.xla} | {row.specification} |"
        for row in deviations.TABLE
    ]
    return "\n".join(rows) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("operation", nargs="?", default="all")
    parser.add_argument("dtype", nargs="?", default="all")
    parser.add_argument("--seed", type=int, default=0, help="the first seed")
    parser.add_argument("--count", type=int, default=1, help="how many seeds")
    parser.add_argument("--deviations", action="store_true", help="print the table of docs/xla.md instead")
    options = parser.parse_args()
    if options.deviations:
        print(table(), end="")
        return 0
    bad = 0
    for operation, (dtypes, _) in GENERATORS.items():
        if options.operation not in ("all", operation):
            continue
        began = time.monotonic()
        outcomes = []
        for seed in range(options.seed, options.seed + options.count):
            outcomes += run([make(operation, dtype, seed) for dtype in dtypes if options.dtype in ("all", dtype.mlir)])
        for outcome in outcomes:
            if outcome.failure:
                bad += 1
                print(report(outcome))
        print(summary(operation, outcomes, time.monotonic() - began), flush=True)
    return 1 if bad else 0
