# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""Real programs by theme, each run in Tenon as text and as artifact and compared with JAX.

A module is a theme: its PROGRAMS are what `register` decorates. `python test/client/compare.py` runs them.
"""

import importlib

THEMES = ["networks", "sequences", "randomness", "linear", "fourier", "ordering", "special", "cumulative", "indexing",
          "images", "solvers", "types", "numerics", "control", "sharding",
          "primitives", "models"]


def programs():
    """(theme, program) of all themes."""
    for theme in THEMES:
        for program in importlib.import_module(f"{__name__}.{theme}").PROGRAMS:
            yield theme, program
