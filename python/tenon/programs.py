# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""StableHLO programs as functions of arrays."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from . import core

__all__ = ["Program", "Value", "load"]


class Value(NamedTuple):
    """An input or output of a program. Unknown dimensions are None; the dtype of a token is None."""

    name: str
    shape: tuple[Any, ...]
    dtype: core.Dtype | None


class Program(core.Program):
    """A compiled program: call it with its inputs, by position or by name.

    Inputs are arrays of any package (the buffer protocol, DLPack, __array__) or nested lists of numbers. Arrays must have the
    input's dtype and shape; numbers and lists take its dtype. The result is an array of tenon.core, which NumPy, JAX and PyTorch take
    without a copy, or a tuple of them if there are several outputs.

    Thread-safe: any number of calls may be in progress at once, and Python's lock is released meanwhile.
    """

    def __call__(self, *inputs: Any, donate: Iterable[int | str] | Any = None, timeout: float | Any | None = 0, **named: Any) -> Any:
        """Runs the program.

        inputs, named: also trees: a dict, list or named tuple stands for the inputs whose names begin with its own, as jax.export names
            them (`weights={"w": w, "layers": [{"b": b}]}` for `weights.w` and `weights.layers.0.b`). Leaves of a tree that the program
            does not have are not used by it.
        donate: numbers or names of inputs whose memory the run may overwrite, where nothing else uses it.
        timeout: seconds after which the run fails; 0 or None: no limit.

        Raises TypeError for inputs that are missing or unknown, ValueError for those of another type, DeadlineExceededError (a
        TimeoutError) after the timeout, RuntimeError if a kernel fails.
        """
        if any(map(_is_tree, inputs)) or any(map(_is_tree, named.values())):
            inputs, named = _spread(self.inputs, inputs, named)
        return self.run(inputs, named, donate, timeout)

    @property
    def inputs(self) -> tuple[Value, ...]:
        return tuple(Value(*it) for it in super().inputs)

    @property
    def outputs(self) -> tuple[Value, ...]:
        return tuple(Value(*it) for it in super().outputs)

    def to_text(self, stage: str = "program") -> str:
        """The program at a stage: "ir" as it was read, "pass" after the passes, "plan" of its memory, "program" with kernels."""
        return self.print(stage, "text")

    def __repr__(self) -> str:
        return f"<tenon.Program: {', '.join(map(_spell, self.inputs))} -> {', '.join(map(_spell, self.outputs))}>"

    def _repr_svg_(self) -> str:
        """The memory of a run over time, for notebooks."""
        return self.print("plan", "svg")


def _is_tree(value: Any) -> bool:
    return isinstance(value, (dict, list, tuple))


def _spread(values: tuple[Value, ...], inputs: tuple[Any, ...], named: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The inputs with the leaves of trees in their place, by name."""
    names = [value.name for value in values]
    roots = list(dict.fromkeys(name.partition(".")[0] for name in names))
    # By position, trees are parameters of the function that was exported: the first parts of the names.
    by_root = any(_is_tree(it) and i < len(roots) and roots[i] not in names for i, it in enumerate(inputs))
    if by_root and len(inputs) <= len(roots) and not set(roots[:len(inputs)]) & set(named):
        inputs, named = (), {**dict(zip(roots, inputs)), **named}
    out: dict[str, Any] = {}
    for name, value in named.items():
        leaves = {name: value} if name in names or not _is_tree(value) else {
            path: leaf for path, leaf in _leaves(name, value, names) if path in names}
        out.update(leaves or {name: value})
    return inputs, out


def _leaves(path: str, tree: Any, names: list[str]) -> Iterator[tuple[str, Any]]:
    if path in names or not _is_tree(tree):
        yield path, tree
        return
    parts = (tree.items() if isinstance(tree, dict) else zip(tree._fields, tree) if hasattr(tree, "_fields") else enumerate(tree))
    for key, part in parts:
        yield from _leaves(f"{path}.{key}", part, names)


def _spell(value: Value) -> str:
    shape = "".join(f"{'?' if size is None else size}x" for size in value.shape)
    return f"{value.name + ': ' if value.name else ''}{shape}{value.dtype.name if value.dtype else 'token'}"


def load(source: str | os.PathLike[str] | bytes | bytearray | memoryview, *, function: str | None = None,
         device: core.Device | core.DeviceType | None = None) -> Program:
    """Compiles a StableHLO program, as text or as a portable artifact (what jax.export writes).

    source: a path, or the module itself as bytes.
    function: of the module; None: `main`, or the only one.
    device: tenon.core.cpu and so on; None: the default.

    Raises FileNotFoundError if there is no such file, ValueError with the place in the text for a module that is not valid,
    NotImplementedError for what is not supported.
    """
    return Program(bytes(source) if isinstance(source, (bytes, bytearray, memoryview)) else os.fspath(source), function, device)
