# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""Models as people export them, in their true shapes at small sizes: written here from what the papers say, with random
weights, which are arguments. A builder gives a function and its arguments."""

import dataclasses
import math
from collections.abc import Callable

import jax
import numpy as np


@dataclasses.dataclass
class Model:
    name: str
    build: Callable
    tolerance: float  # the largest difference from XLA, as a share of the largest element of the result
    small_operations: bool  # a loop of them takes most of the time
    x64: bool  # with numbers of 64 bits

    def made(self):
        """The function, the arrays of its arguments, and both as JAX lowers them."""
        with jax.enable_x64(self.x64):
            function, arguments = self.build()
            return jax.jit(function, keep_unused=True), arguments


MODELS = []


def model(name, tolerance=1e-4, small_operations=False, x64=False):
    def register(build):
        MODELS.append(Model(name, build, tolerance, small_operations, x64))
        return build
    return register


class Weights:
    """Random arrays, the same in every run."""

    def __init__(self):
        self.random = np.random.default_rng(0)

    def normal(self, *dims, scale=1.0):
        return self.random.standard_normal(dims, np.float32) * np.float32(scale)

    def matrix(self, *dims, gain=1.0):
        """Keeps the size of what it multiplies: all but the last dimension are summed over."""
        return self.normal(*dims, scale=math.sqrt(gain / math.prod(dims[:-1])))

    def dense(self, into, out):
        return {"w": self.matrix(into, out), "b": self.normal(out, scale=0.02)}

    def norm(self, width):
        return {"scale": 1 + self.normal(width, scale=0.1), "bias": self.normal(width, scale=0.1)}

    def integers(self, limit, *dims):
        return self.random.integers(0, limit, dims, np.int32)


from models import images, language, sampling, sequences, simulation  # noqa: E402, F401: they register
