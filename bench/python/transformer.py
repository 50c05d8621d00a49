# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""Training steps of a transformer block in mlx.nn, on tenon.core and on mlx.core: time of a step, memory of the process.

build/venv/bin/python bench/python/transformer.py [ROUNDS] [--record]

The same script runs with `import tenon.mlx` and without, each in processes of their own, which take turns. The losses are compared.
"""

import os
import pathlib
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))

import report  # noqa: E402

PROGRAM = """
import resource, sys, time
if sys.argv[1] == "tenon":
    import tenon.mlx
import mlx.core as mx
import mlx.nn as nn
import mlx.optimizers as optim

mx.random.seed(0)
model = nn.TransformerEncoderLayer(64, 4)
x = mx.array([[[((7 * i + 3 * j + k) % 11) / 11 - 0.5 for k in range(64)] for j in range(32)] for i in range(4)])
optimizer = optim.Adam(learning_rate=1e-3)

def loss(model, x):
    return mx.mean(mx.square(model(x, None) - x[:, ::-1]))

gradient = nn.value_and_grad(model, loss)

def step(x):
    value, gradients = gradient(model, x)
    optimizer.update(model, gradients)
    return value

if sys.argv[2] == "compiled":
    state = [model.state, optimizer.state]
    step = mx.compile(step, inputs=state, outputs=state)
times = []
for _ in range(60):
    begin = time.perf_counter()
    value = step(x)
    mx.eval(value, model.parameters(), optimizer.state)
    times.append(time.perf_counter() - begin)
times.sort()
print(1e3 * times[len(times) // 2], value.item(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
"""


def run(library, how):
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "build" / "release" / "python")}
    out = subprocess.run([sys.executable, "-c", PROGRAM, library, how], check=True, capture_output=True, text=True, env=environment)
    return [float(word) for word in out.stdout.split()]


def main():
    rounds, = [int(word) for word in sys.argv[1:] if word != "--record"] or [5]
    rows = {}
    for how in ("plain", "compiled"):
        found = {"tenon": [], "mlx": []}
        for _ in range(rounds):
            for library, runs in found.items():
                runs.append(run(library, how))
        ms = {library: statistics.median(it[0] for it in runs) for library, runs in found.items()}
        mib = {library: max(it[2] for it in runs) for library, runs in found.items()}
        losses = {library: runs[0][1] for library, runs in found.items()}
        rows[how] = {"tenon_ms": ms["tenon"], "tenon_mib": round(mib["tenon"]), "mlx_ms": ms["mlx"], "mlx_mib": round(mib["mlx"])}
        print(f"{how:9} tenon {ms['tenon']:7.2f} ms {mib['tenon']:5.0f} MiB   mlx {ms['mlx']:7.2f} ms {mib['mlx']:5.0f} MiB   "
              f"mlx / tenon {ms['mlx'] / ms['tenon']:5.1f}   losses {losses['tenon']:.6f} {losses['mlx']:.6f}")
    if "--record" in sys.argv:
        report.record("transformer", "build/venv/bin/python bench/python/transformer.py", rows, report.machine("mlx"))


if __name__ == "__main__":
    main()
