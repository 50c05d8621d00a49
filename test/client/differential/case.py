# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""One random program with its inputs, and modules of many such programs."""

import dataclasses
import re
import shlex
import zlib

import numpy as np

from dtypes import BY_NAME, Dtype

I1, I32, I64 = (BY_NAME[name] for name in ("i1", "i32", "i64"))


@dataclasses.dataclass(frozen=True)
class Value:
    name: str
    shape: tuple
    dtype: Dtype

    @property
    def type(self):
        return tensor(self.shape, self.dtype)


def tensor(shape, dtype):
    return f"tensor<{''.join(f'{size}x' for size in shape)}{dtype}>"


def integers(values):
    """A list attribute of i64."""
    return f"array<i64: {', '.join(map(str, values))}>" if len(values) else "array<i64>"


def booleans(values):
    words = ", ".join("true" if value else "false" for value in values)
    return f"array<i1: {words}>" if words else "array<i1>"


class Case:
    """Filled by a generator; the same operation, dtype and seed give the same program and the same inputs."""

    def __init__(self, operation, dtype, seed):
        self.operation, self.dtype, self.seed = operation, dtype, seed
        self.random = np.random.default_rng([seed, zlib.crc32(operation.encode()), dtype.number])
        self.inputs, self.arrays = [], []
        self.lines, self.results = [], []
        self.twins = {}  # the same for XLA: text by the number of the line
        self.names = 0
        # How results are compared, where the tables of the operation do not say it (compare.py).
        self.ulps = None
        self.by_norm = False  # units in the last place of the largest element wanted
        self.elementwise = False
        # Gives what the specification wants, for the deviations (deviations.py).
        self.reference = None
        self.notes = set()

    @property
    def is_large(self):
        """Whether arrays should be so large that blocks, threads and libraries come into play."""
        return self.operation.endswith(" large")

    def __str__(self):
        return shlex.join([self.operation, str(self.dtype), "--seed", str(self.seed)])

    def name(self):
        self.names += 1
        return f"%v{self.names}"

    def input(self, array, dtype=None):
        dtype = dtype or self.dtype
        array = np.asarray(array, dtype.numpy)
        value = Value(self.name(), array.shape, dtype)
        self.inputs.append(value)
        self.arrays.append(array)
        return value

    def emit(self, operation, operands, results, attributes="", regions=()):
        """An operation in its generic form. `results` are (shape, dtype) pairs; returns their values."""
        values = [Value(self.name(), tuple(int(size) for size in shape), dtype) for shape, dtype in results]
        if "." not in operation:
            operation = f"stablehlo.{operation}"
        text = f"{', '.join(value.name for value in values)}{' = ' if values else ''}\"{operation}\"("
        text += ", ".join(operand.name for operand in operands) + ")"
        if attributes:
            text += f" <{{{attributes}}}>"
        if regions:
            text += " ({\n" + "\n}, {\n".join(regions) + "\n})"
        text += f" : ({', '.join(operand.type for operand in operands)}) -> "
        text += f"({', '.join(value.type for value in values)})"
        self.lines.append(text)
        return values

    def twin(self, operation, operands, result, attributes):
        """XLA gets another operation of the same result in place of the last one, which it does not have."""
        lines, self.lines = self.lines, []
        name = self.emit(operation, operands, [(result.shape, result.dtype)], attributes)[0].name
        text, self.lines = self.lines[0], lines
        self.twins[len(lines) - 1] = text.replace(name, result.name, 1)

    def one(self, operation, operands, shape, dtype, attributes="", regions=()):
        return self.emit(operation, operands, [(shape, dtype)], attributes, regions)[0]

    def give(self, *values):
        self.results += values

    def region(self, arguments, body):
        """`arguments` are (shape, dtype) pairs; body(*values) emits operations and returns what the region gives."""
        values = [Value(self.name(), tuple(shape), dtype) for shape, dtype in arguments]
        outside, self.lines = self.lines, []
        given = body(*values)
        given = given if isinstance(given, (list, tuple)) else [given]
        lines, self.lines = self.lines, outside
        head = ", ".join(f"{value.name}: {value.type}" for value in values)
        end = f"\"stablehlo.return\"({', '.join(value.name for value in given)})"
        end += f" : ({', '.join(value.type for value in given)}) -> ()"
        return "\n".join(([f"^bb0({head}):"] if values else []) + lines + [end])

    def module(self):
        return module([self])


def module(cases, for_xla=False):
    """One function that has the inputs of all cases in order, and gives the results of all."""
    arguments, lines, results, types = [], [], [], []
    for i, case in enumerate(cases):

        def rename(text, i=i):
            return re.sub(r"%v(\d+)", rf"%c{i}_\1", text) if len(cases) > 1 else text

        arguments += [f"{rename(value.name)}: {value.type}" for value in case.inputs]
        twins = case.twins if for_xla else {}
        lines += [rename(twins.get(number, line)) for number, line in enumerate(case.lines)]
        results += [rename(value.name) for value in case.results]
        types += [value.type for value in case.results]
    body = "\n".join(lines)
    return (
        f"func.func @main({', '.join(arguments)}) -> ({', '.join(types)}) {{\n{body}\n"
        f"return {', '.join(results)} : {', '.join(types)}\n}}\n"
    )
