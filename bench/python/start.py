# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""A process from its start to the first printed result: Python alone, tenon.core, NumPy, mlx.core and JAX, which take turns.

build/venv/bin/python bench/python/start.py [ROUNDS] [--record]
"""

import os
import pathlib
import statistics
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))

import report  # noqa: E402

PROGRAMS = {
    "Python alone": "print(2.0)",
    "tenon.core": "import tenon.core as tn; print((tn.array([1.0]) + 1).item())",
    "NumPy": "import numpy as np; print((np.array([1.0]) + 1).item())",
    "mlx.core": "import mlx.core as mx; print((mx.array([1.0]) + 1).item())",
    "JAX": "import jax.numpy as jnp; print((jnp.array([1.0]) + 1).item())",
}


def run(program):
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "build" / "release" / "python"), "JAX_PLATFORMS": "cpu"}
    begin = time.perf_counter()
    subprocess.run([sys.executable, "-c", program], check=True, stdout=subprocess.DEVNULL, env=environment)
    return 1e3 * (time.perf_counter() - begin)


def main():
    times = {name: [] for name in PROGRAMS}
    rounds, = [int(word) for word in sys.argv[1:] if word != "--record"] or [15]
    for _ in range(rounds):
        for name, program in PROGRAMS.items():
            times[name].append(run(program))
    if "--record" in sys.argv:
        report.record("start", "build/venv/bin/python bench/python/start.py",
                      {name: {"ms": statistics.median(values)} for name, values in times.items()}, report.machine("mlx", "numpy", "jax"))
    for name, values in times.items():
        print(f"{name:14} {statistics.median(values):8.1f} ms")


if __name__ == "__main__":
    main()
