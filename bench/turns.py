# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""What the scripts here share: the same module on the same arrays, in `tenon bench` and in XLA by turns."""

import json
import math
import os
import pathlib
import resource
import statistics
import subprocess
import time

import jax
import numpy as np

ROOT = pathlib.Path(__file__).resolve().parent.parent
RANDOM = np.random.default_rng(1)
BARE = {**os.environ, "TENON_LIBRARIES": "none"}


def floats(*shape):
    return RANDOM.standard_normal(shape, np.float32)


def write_case(folder, module, arguments):
    """Writes a module (text or artifact) and its arrays; what it gives follows `tenon run` or `tenon bench`."""
    path = pathlib.Path(folder, "case.mlir")
    path.write_bytes(module.encode() if isinstance(module, str) else module)
    words = [path]
    for i, argument in enumerate(arguments):
        known = argument.dtype.name != "bfloat16"  # .npy files have no name for it
        if known:
            np.save(f"{folder}/{i}.npy", argument)
        words += ["--input", f"{folder}/{i}.npy" if known else f"random:{i}"]
    return words


def tenon_bench(command, environment=None):
    """What `tenon bench --json` says."""
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True, env=environment).stdout)


def tenon_ms(command, environment=None):
    return tenon_bench(command, environment)["min_ms"]


def runs_for(ms):
    """How many runs of so many milliseconds are a turn."""
    return ["--runs", str(max(1, min(50, int(300 / ms))))]


def repeated_ms(function, *arguments, budget_s=0.3):
    """The fastest call of many."""
    times, begin = [], time.perf_counter()
    while len(times) < 3 or time.perf_counter() - begin < budget_s:
        start = time.perf_counter()
        function(*arguments)
        times.append(time.perf_counter() - start)
    return min(times) * 1e3


def xla_ms(program, arguments):
    return repeated_ms(lambda: jax.block_until_ready(program(*arguments)))


def xla_cpu_ms(program, arguments, runs):
    """Processor time of all threads."""
    start = time.process_time()
    for _ in range(runs):
        jax.block_until_ready(program(*arguments))
    return (time.process_time() - start) / runs * 1e3


def tenon_cpu_ms(command, runs, environment=os.environ):
    """Processor time of one thread: what more runs take more, so that reading and compiling do not count."""

    def seconds(count):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([*command, "--runs", str(count)], check=True, capture_output=True,
                       env={**environment, "TENON_NUM_THREADS": "1"})
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    return (seconds(2 * runs + 1) - seconds(1)) / (2 * runs) * 1e3


def mean_ratio(rows, key, peer="xla_ms"):
    """XLA's time over that of the key, or that of another peer, in the geometric mean."""
    return math.exp(statistics.mean(math.log(row[peer] / row[key]) for row in rows))
