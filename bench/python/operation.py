# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""A user's operation called from Python: the call alone, and with its evaluation, beside a function of tenon.core and of mlx.core.

build/venv/bin/python bench/python/operation.py [ROUNDS] [--record]    after a build of the examples
"""

import pathlib
import statistics
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "build" / "release" / "python"), str(ROOT / "bench")]

import mlx.core as mx  # noqa: E402
import report  # noqa: E402
import tenon  # noqa: E402
import tenon.core as tn  # noqa: E402

COUNT = 10_000
axpby = tenon.ops.load(ROOT / "build" / "release" / "examples" / "axpby" / "libaxpby.so").axpby


def chain(call, x, y):
    begin = time.perf_counter()
    for _ in range(COUNT):
        call(x, y)
    return 1e6 * (time.perf_counter() - begin) / COUNT


def main():
    rounds, = [int(word) for word in sys.argv[1:] if word != "--record"] or [9]
    ours, theirs = (tn.array([1.0]), tn.array([2.0])), (mx.array([1.0]), mx.array([2.0]))
    cases = {
        "axpby(x, y)": lambda: chain(axpby, *ours),
        "axpby(x, y, 4.0, 2.0)": lambda: chain(lambda x, y: axpby(x, y, 4.0, 2.0), *ours),
        "tenon.core.add(x, y)": lambda: chain(tn.add, *ours),
        "mlx.core.add(x, y)": lambda: chain(mx.add, *theirs),
    }
    times = {name: [] for name in cases}
    for _ in range(rounds):
        for name, case in cases.items():
            times[name].append(case())
    if "--record" in sys.argv:
        report.record("operation", "build/venv/bin/python bench/python/operation.py",
                      {name: {"tenon_us": statistics.median(values)} for name, values in times.items() if name.startswith("axpby")},
                      report.machine("mlx"))
    for name, values in times.items():
        print(f"{name:24} {statistics.median(values):6.2f} us")


if __name__ == "__main__":
    main()
