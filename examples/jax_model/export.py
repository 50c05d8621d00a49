# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

import jax
import jax.numpy as jnp
import numpy as np
from jax import export


def predict(weights, x):
    hidden = jax.nn.relu(x @ weights["w1"] + weights["b1"])
    return jax.nn.softmax(hidden @ weights["w2"] + weights["b2"])


# In place of trained weights: numbers that every machine agrees on.
weights = {
    "w1": np.sin(np.arange(32, dtype=np.float32)).reshape(4, 8),
    "b1": np.zeros(8, np.float32),
    "w2": np.cos(np.arange(24, dtype=np.float32)).reshape(8, 3),
    "b2": np.zeros(3, np.float32),
}
x = np.array([[5.1, 3.5, 1.4, 0.2], [6.7, 3.1, 4.4, 1.4]], np.float32)


def write(name, function, *inputs):
    exported = export.export(jax.jit(function))(*inputs)
    with open(name, "wb") as file:
        file.write(exported.mlir_module_serialized)


# The weights are constants of the first model and inputs of the second.
write("model.mlirbc", lambda x: predict(weights, x), x)
write("model_with_weights.mlirbc", predict, weights, x)
for name, weight in weights.items():
    np.save(f"{name}.npy", weight)
np.save("x.npy", x)

# One model for any number of rows.
batch, = export.symbolic_shape("batch")
write("model_any_batch.mlirbc", lambda x: predict(weights, x), jax.ShapeDtypeStruct((batch, 4), jnp.float32))

y = np.array(predict(weights, x))
np.save("y.npy", y)
print(y.round(4))
