# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""Cases for array_cases.c: operations of mlx.core on random operands, and what they give."""

import itertools
import math
import random

import ml_dtypes
import mlx.core as mx
import numpy as np

mx.set_default_device(mx.cpu)

# Numbers of dtypes as include/tenon/detail/dtype.def has them.
NUMBERS = {"bool": 1, "int8": 2, "int16": 3, "int32": 4, "int64": 5, "uint8": 6, "uint16": 7, "uint32": 8,
           "uint64": 9, "float16": 10, "float32": 11, "float64": 12, "complex64": 15, "bfloat16": 16}
INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
FLOATS = ["float16", "bfloat16", "float32"]
REAL = ["bool", *INTEGERS, *FLOATS]
ALL = [*REAL, "complex64"]
# Of one operation; sums and products of many elements say by which factor they may be worse.
RELATIVE = {"float16": 2e-3, "bfloat16": 1.6e-2, "float32": 2e-6, "float64": 1e-13, "complex64": 4e-6}


def mlx_dtype(name):
    return mx.bool_ if name == "bool" else getattr(mx, name)


def to_mlx(array):
    if array.dtype == ml_dtypes.bfloat16:
        return mx.array(array.view(np.uint16)).view(mx.bfloat16).reshape(array.shape)
    return mx.array(array)


def to_numpy(array):
    if array.dtype == mx.bfloat16:
        return np.array(mx.contiguous(array).reshape(-1).view(mx.uint16)).view(ml_dtypes.bfloat16).reshape(array.shape)
    return np.array(array)


class Cases:
    """Lines and bytes for array_cases.c; `random` draws what is in them."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.numbers = np.random.default_rng(seed)
        self.lines, self.data, self.count, self.texts = [], bytearray(), 0, []

    # -- drawing

    def dtype(self, names=ALL):
        return self.random.choice(names)

    def shape(self, lowest=0, highest=4, empty=True):
        sizes = [1, 1, 2, 3, 4, 5, 7]
        dims = [self.random.choice(sizes) for _ in range(self.random.randint(lowest, highest))]
        if empty and dims and self.random.random() < 0.07:
            dims[self.random.randrange(len(dims))] = 0
        return tuple(dims)

    def axis(self, rank):
        return self.random.randrange(-rank, rank)

    def axes(self, rank):
        """None, or some of them."""
        if self.random.random() < 0.25:
            return None
        chosen = self.random.sample(range(rank), self.random.randint(min(rank, 1), rank))
        return [axis - rank if self.random.random() < 0.4 else axis for axis in chosen]

    def array(self, shape, dtype, low=-4.0, high=4.0, special=False):
        """Elements of [low, high], integers for integer dtypes."""
        if dtype == "bool":
            return self.numbers.integers(0, 2, shape).astype(bool)
        if dtype in INTEGERS:
            least = 0 if dtype.startswith("u") else math.ceil(low)
            return self.numbers.integers(max(least, math.ceil(low)), math.floor(high) + 1, shape).astype(dtype)
        values = np.asarray(self.numbers.uniform(low, high, shape))
        if dtype == "complex64":
            values = values + 1j * self.numbers.uniform(low, high, shape)
        elif special and values.size:
            flat = values.reshape(-1)
            for place in self.numbers.integers(0, flat.size, 1 + flat.size // 5):
                flat[place] = self.random.choice([math.nan, math.inf, -math.inf, 0.0, -0.0])
        return np.asarray(values).astype(ml_dtypes.bfloat16 if dtype == "bfloat16" else dtype)

    def draw(self, dtype, low=-4.0, high=4.0, lowest=0, highest=4, empty=True, special=False):
        return self.array(self.shape(lowest, highest, empty), dtype, low, high, special)

    def pair(self, count=2, highest=4):
        """Shapes that broadcast."""
        full = self.shape(0, highest)
        shapes = []
        for _ in range(count):
            dims = [1 if self.random.random() < 0.25 else dim for dim in full]
            shapes.append(tuple(dims[self.random.randint(0, len(dims)):] if self.random.random() < 0.3 else dims))
        return shapes

    # -- writing

    def tensor(self, letter, array, more=""):
        array = np.asarray(array)
        self.data.extend(b"\0" * (-len(self.data) % 16))
        self.lines.append(f"{letter} {array.dtype.name} {len(self.data)} {array.ndim}"
                          f"{''.join(f' {dim}' for dim in array.shape)}{more}")
        self.data.extend(np.ascontiguousarray(array).tobytes())

    def add(self, name, arrays=(), lists=(), reals=(), wanted=None, slack=1.0, atol=None, describe=""):
        """`wanted`: a function of the operands as mlx has them, or what it gives. What it refuses must be refused."""
        try:
            if callable(wanted):
                wanted = wanted(*[None if array is None else to_mlx(array) for array in arrays])
            wanted = list(wanted) if isinstance(wanted, (list, tuple)) else [wanted]
            wanted = [to_numpy(one) if isinstance(one, mx.array) else np.asarray(one) for one in wanted]
        except (ValueError, IndexError, RuntimeError, TypeError) as error:
            wanted = error
        self.lines.append(f"{self.count} {name}")
        self.texts.append((f"{name} {describe}".rstrip(), [None if array is None else f"{array.dtype.name}{list(array.shape)}"
                                  for array in map(lambda a: a if a is None else np.asarray(a), arrays)],
                           list(lists), list(reals), wanted if isinstance(wanted, Exception) else ""))
        self.count += 1
        for array in arrays:
            if array is None:
                self.lines.append("a none")
            else:
                self.tensor("a", array)
        for numbers in lists:
            if numbers is None:
                self.lines.append("l -1")
            else:
                numbers = numbers if isinstance(numbers, (list, tuple)) else [numbers]
                self.lines.append(f"l {len(numbers)} {' '.join(str(int(number)) for number in numbers)}")
        for number in reals:
            self.lines.append(f"r {float(number)!r}")
        if isinstance(wanted, Exception):
            self.lines.append("e")
            return
        for one in wanted:
            rtol = RELATIVE.get(one.dtype.name, 0.0) * slack
            sizes = np.abs(one.astype(np.complex128 if one.dtype.kind == "c" else np.float64))
            sizes = sizes[np.isfinite(sizes)]
            scale = min(1.0, float(sizes.max())) if sizes.size else 0.0
            self.tensor("o", one, f" {rtol!r} {(rtol * scale if atol is None else atol)!r}")

    def write(self, folder):
        (folder / "cases.txt").write_text("\n".join(self.lines) + "\n")
        (folder / "data.bin").write_bytes(bytes(self.data) or b"\0")

    def describe(self, number):
        name, arrays, lists, reals, error = self.texts[number]
        return f"{name} of {arrays}, lists {lists}, numbers {reals} {f'(mlx: {error})' if error else ''}"


# Every generator: name -> function(cases) that adds a case or a few.
GENERATORS = {}


def generator(*names):
    def register(function):
        for name in names:
            GENERATORS[name] = lambda cases, name=name: function(cases, name)
        return function
    return register


def generate(seed, rounds, names=None):
    """`rounds` draws of every operation, or of those named."""
    cases = Cases(seed)
    for name, _ in itertools.product(names or sorted(GENERATORS), range(rounds)):
        GENERATORS[name](cases)
    return cases
