# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""The operation in a layer, and a training step: python layer.py. It needs the package mlx, whose layers run on tenon.core."""

import tenon.mlx  # first: from now on mlx.core is tenon.core
import mlx.core as mx
import mlx.nn as nn
import mlx.optimizers as optim
from axpby import axpby


class Blend(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.linear = nn.Linear(size, size)

    def __call__(self, x):
        return axpby(x, self.linear(x), alpha=0.5, beta=2.0)


mx.random.seed(0)
model = Blend(4)
optimizer = optim.SGD(learning_rate=0.05)
x = mx.random.normal((32, 4))


def loss(model, x):
    return mx.mean(mx.square(model(x) - 3 * x))


step = nn.value_and_grad(model, loss)
first, _ = step(model, x)
for _ in range(200):
    value, gradients = step(model, x)
    optimizer.update(model, gradients)
    mx.eval(model.parameters(), optimizer.state)

print(f"the loss falls by a factor of 1000: {value.item() < first.item() / 1000}")
