# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""Lazy arrays, and the gradient of a loss."""

import numpy as np
import tenon.core as tn

x = tn.array(np.linspace(-1, 1, 64).reshape(64, 1))
y = 3 * x + 0.5


def loss(w, b):
    return tn.mean(tn.square(x * w + b - y))


step = tn.value_and_grad(loss, argnums=(0, 1))
w, b = tn.array(0.0), tn.array(0.0)
for _ in range(200):
    value, (dw, db) = step(w, b)
    w, b = w - 0.5 * dw, b - 0.5 * db
    tn.eval(w, b)

print(f"w {w.item():.3f}, b {b.item():.3f}, loss {value.item():.6f}")
