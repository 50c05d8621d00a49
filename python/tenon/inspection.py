# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""What people look at: traces of what ran, and pictures of functions."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from typing import Any

from . import core
from .programs import Program

__all__ = ["Picture", "profile", "show"]


@contextlib.contextmanager
def profile(path: str | os.PathLike[str]) -> Iterator[None]:
    """Writes what runs inside of the `with` to a file that Perfetto (ui.perfetto.dev) and chrome://tracing open.

    Each operation and custom call is a slice with its name, kernel, types, bytes and GB/s, on the track of the thread that computes
    it: programs and the evaluation of lazy arrays. A fusion names its members.

    Raises OSError if the file cannot be written, RuntimeError if another profile is being written.
    """
    core._begin_profile(os.fspath(path))
    try:
        yield
    finally:
        core._end_profile()


class Picture:
    """A function as a graph: a notebook draws it, and `str` writes it as StableHLO."""

    def __init__(self, program: Program) -> None:
        self.program = program

    def __str__(self) -> str:
        return self.program.to_text("pass")

    def __repr__(self) -> str:
        return f"<tenon.Picture of {self.program!r}>"

    def to_dot(self) -> str:
        """The graph for Graphviz, after the passes."""
        return self.program.print("pass", "dot")

    def memory(self) -> str:
        """The memory of a run over time, as SVG."""
        return self.program.print("plan", "svg")

    def _repr_svg_(self) -> str:
        """The graph where Graphviz is installed, else the memory."""
        if not shutil.which("dot"):
            return self.memory()
        return subprocess.run(["dot", "-Tsvg"], input=self.to_dot(), capture_output=True, text=True, check=True).stdout

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the picture that a notebook would draw."""
        with open(path, "w") as file:
            file.write(self._repr_svg_())


def show(function: Callable[..., Any], *inputs: Any) -> Picture:
    """A picture of a function of arrays: its graph, its instructions and its memory.

    function: of arrays of tenon.core, or a program.
    inputs: arrays, or trees of them; only their shapes and dtypes matter.
    """
    if isinstance(function, Program):
        return Picture(function)
    if not callable(function):
        raise TypeError(f"show: expected a function or a program; found {function!r}")
    return Picture(Program(core._export_module(function, *inputs).encode()))
