# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""The models of bench/models give in Tenon what they give in XLA. TENON_LONG_TESTS: all of them, else a few small ones."""

import os
import subprocess
import sys

from support import BUILD, ROOT

SAMPLE = [] if os.environ.get("TENON_LONG_TESTS") else ["ViT", "HMC", "lattice", "neural ODE"]


def models(*arguments):
    script = [sys.executable, ROOT / "bench/models.py", "--build", BUILD, *arguments]
    return subprocess.run(script, capture_output=True, text=True, timeout=600)


def test_models_give_the_results_of_xla():
    done = models("--check", *SAMPLE)
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) >= max(1, len(SAMPLE))


def test_a_difference_is_named():
    done = models("--check", "--tolerance", "0", "neural ODE")
    assert done.returncode == 1
    assert "neural ODE, 32 spirals, Dormand-Prince, with libraries: result differs from XLA's by" in done.stderr


def test_an_unknown_model_is_an_error():
    done = models("no such model")
    assert done.returncode == 2
    assert "no model has 'no such model' in its name" in done.stderr
