"""A user's operation called from Python: the call alone, and with its evaluation, beside a function of tenon.core and of mlx.core.

build/venv/bin/python bench/python/operation.py [ROUNDS]    after a build of the examples
"""

import pathlib
import statistics
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "build" / "release" / "python"))

import mlx.core as mx  # noqa: E402
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
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 9
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
    for name, values in times.items():
        print(f"{name:24} {statistics.median(values):6.2f} us")


if __name__ == "__main__":
    main()
