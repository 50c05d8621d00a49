# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""A model of JAX, served without JAX."""

import sys

import numpy as np
import tenon

program = tenon.load(sys.argv[1])
print(program)

x = np.ones(program.inputs[-1].shape, np.float32)
weights = {it.name: np.full(it.shape, 0.5, np.float32) for it in program.inputs[:-1]}
y = program(x=x, **weights)
print(np.asarray(y))
