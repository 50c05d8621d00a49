# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""What calls from Python cost, in tenon.core and in mlx.core: small arrays, so that only the calls count.

build/venv/bin/python bench/python/dispatch.py [ROUNDS] [--record]

The two take turns, and each figure is the best of all rounds. The last column is mlx.core's time divided by tenon.core's.
"""

import gc
import pathlib
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "build" / "release" / "python"), str(ROOT / "bench")]

import mlx.core as mx  # noqa: E402
import numpy as np  # noqa: E402
import report  # noqa: E402
import tenon.core as tn  # noqa: E402


class Operands:
    def __init__(self, core):
        self.core = core
        self.x, self.y = core.array([1.0]), core.array([2.0])
        self.matrix = core.array([[1.0, 2.0], [3.0, 4.0]])
        self.given = np.zeros(16, np.float32)
        core.eval(self.x, self.y, self.matrix)


def add(o, count):
    x, y = o.x, o.y
    for _ in range(count):
        x = x + y
    return x


def add_number(o, count):
    x = o.x
    for _ in range(count):
        x = x + 1.5
    return x


def call(o, count):
    x, y, f = o.x, o.y, o.core.add
    for _ in range(count):
        x = f(x, y)
    return x


def keyword(o, count):
    x, f = o.matrix, o.core.sum
    for _ in range(count):
        f(x, axis=1, keepdims=True)


def method(o, count):
    x = o.matrix
    for _ in range(count):
        x.reshape(4)


def shape(o, count):
    x = o.matrix
    for _ in range(count):
        x.shape


def evaluate(o, count):
    x, y, f = o.x, o.y, o.core.eval
    for _ in range(count):
        f(x + y)


def item(o, count):
    x, y = o.x, o.y
    for _ in range(count):
        (x + y).item()


def from_list(o, count):
    f = o.core.array
    for _ in range(count):
        f([1.0, 2.0])


def from_numpy(o, count):
    f, given = o.core.array, o.given
    for _ in range(count):
        f(given)


def to_numpy(o, count):
    x = o.matrix
    for _ in range(count):
        np.asarray(x)


BUILT = {"x + y": add, "x + 1.5": add_number, "add(x, y)": call}
OTHERS = {"sum(x, axis=1, keepdims=True)": keyword, "x.reshape(4)": method, "x.shape": shape, "eval(x + y)": evaluate,
          "(x + y).item()": item, "array([1.0, 2.0])": from_list, "array(numpy)": from_numpy, "numpy.asarray(x)": to_numpy}


def once(function, operands, count):
    """Microseconds a call, and of the evaluation of what it has built."""
    start = time.perf_counter()
    result = function(operands, count)
    built = time.perf_counter()
    operands.core.eval(result)
    end = time.perf_counter()
    return (built - start) / count * 1e6, (end - built) / count * 1e6


def measure(rounds, count):
    peers = [Operands(tn), Operands(mx)]
    best = {}
    gc.disable()
    for _ in range(rounds):
        for name, function in (BUILT | OTHERS).items():
            for i, operands in enumerate(peers):
                for part, figure in enumerate(once(function, operands, count)):
                    key = name, part, i
                    best[key] = min(best.get(key, figure), figure)
    return best


RECORDED = ("x + y", "eval(x + y)", "sum(x, axis=1, keepdims=True)", "x.reshape(4)")


def recorded(best):
    for name in RECORDED:
        row = {"tenon_us": best[name, 0, 0], "mlx_us": best[name, 0, 1]}
        if name in BUILT:
            row |= {"tenon_evaluation_us": best[name, 1, 0], "mlx_evaluation_us": best[name, 1, 1]}
        yield name, row


def main():
    rounds = [int(word) for word in sys.argv[1:] if word != "--record"]
    best = measure(*rounds or [10], 2000)
    if "--record" in sys.argv:
        report.record("dispatch", "build/venv/bin/python bench/python/dispatch.py", dict(recorded(best)), report.machine("mlx", "numpy"))
    print(f"{'us a call':40} {'tenon':>8} {'mlx':>8} {'mlx/tenon':>10}")
    for name in BUILT | OTHERS:
        for part, title in enumerate([name, "  its evaluation in a chain of 2000"]):
            if part and name not in BUILT:
                continue
            ours, theirs = (best[name, part, i] for i in range(2))
            print(f"{title:40} {ours:8.3f} {theirs:8.3f} {theirs / ours:10.1f}")


if __name__ == "__main__":
    main()
