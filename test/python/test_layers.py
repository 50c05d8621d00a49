# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""tenon.mlx: the layers and optimizers of the installed package mlx on tenon.core, beside mlx itself, each in a process of its own."""

import json
import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest
import tenon

# A program that is run with both: it prints what it computes as JSON.
HEAD = """
import json, sys, traceback
if sys.argv[1] == "tenon":
    import tenon.mlx
import mlx.core as mx
import mlx.nn as nn
import mlx.optimizers as optim
import numpy as np
from functools import partial
from mlx.utils import tree_flatten, tree_map

assert mx.__name__ == sys.argv[1] + ".core" or sys.argv[1] == "mlx", mx
numbers = np.random.default_rng(7)


def random(*shape):
    return mx.array(numbers.standard_normal(shape).astype(np.float32))


def randomize(model):
    "Parameters that do not depend on the library's random numbers."
    model.update(tree_map(lambda p: 0.5 * random(*p.shape), model.parameters()))
    return model


def show_for(name, work):
    "A line with the arrays that the work yields, or with its error."
    try:
        print(json.dumps([name, [np.array(a).astype(np.float64).tolist() for a in work()]]))
    except Exception:
        print(json.dumps([name, traceback.format_exc()]))
"""


def run(library, program, *arguments):
    environment = dict(os.environ, PYTHONPATH=str(pathlib.Path(tenon.__file__).parents[1]))
    done = subprocess.run([sys.executable, "-c", HEAD + program, library, *arguments], env=environment, capture_output=True, text=True,
                          timeout=600)
    assert done.returncode == 0, done.stderr
    return done.stdout


def run_each(library, program, what=None):
    return dict(json.loads(line) for line in run(library, program, json.dumps(what)).splitlines())


def agree(results, name, tolerance):
    ours, theirs = (result[name] for result in results)
    assert isinstance(theirs, list), theirs
    assert isinstance(ours, list), ours
    for x, y in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(x, y, rtol=tolerance, atol=tolerance)


LAYERS = {
    "Linear": "nn.Linear(3, 4), (2, 3)",
    "Bilinear": "nn.Bilinear(3, 3, 4), (2, 3), (2, 3)",
    "Conv1d": "nn.Conv1d(3, 4, 3, stride=2), (2, 8, 3)",
    "Conv2d": "nn.Conv2d(3, 4, 3, padding=1), (2, 8, 8, 3)",
    "ConvTranspose2d": "nn.ConvTranspose2d(3, 4, 3, stride=2), (2, 4, 4, 3)",
    "LayerNorm": "nn.LayerNorm(4), (2, 4)",
    "RMSNorm": "nn.RMSNorm(4), (2, 4)",
    "BatchNorm": "nn.BatchNorm(4), (6, 4)",
    "GroupNorm": "nn.GroupNorm(2, 4), (2, 3, 4)",
    "InstanceNorm": "nn.InstanceNorm(4, affine=True), (2, 5, 4)",
    "MultiHeadAttention": "nn.MultiHeadAttention(8, 2), (2, 5, 8), (2, 5, 8), (2, 5, 8)",
    "TransformerEncoderLayer": "nn.TransformerEncoderLayer(8, 2), (2, 5, 8), None",
    "RNN": "nn.RNN(3, 4), (2, 5, 3)",
    "RoPE": "nn.RoPE(4), (1, 2, 3, 4)",
    "SinusoidalPositionalEncoding": "nn.SinusoidalPositionalEncoding(8), (5,)",
    "MaxPool2d": "nn.MaxPool2d(2), (1, 4, 4, 2)",
    "AvgPool1d": "nn.AvgPool1d(2), (1, 4, 2)",
    "GELU": "nn.GELU(), (5,)",
    "PReLU": "nn.PReLU(), (5,)",
    "Softmax": "nn.Softmax(), (2, 5)",
    "Upsample": "nn.Upsample(2.0, mode='linear'), (1, 3, 2)",
}


EACH_LAYER = """
def values_of(layer, *shapes):
    layer = randomize(layer)
    inputs = [None if s is None else random(*s) for s in shapes]
    yield layer(*inputs)
    if layer.parameters():
        gradients = nn.value_and_grad(layer, lambda *x: (layer(*x) ** 2).sum())(*inputs)[1]
        for name, gradient in sorted(tree_flatten(gradients)):
            yield gradient


for name, layer in json.loads(sys.argv[2]).items():
    numbers = np.random.default_rng(7)
    show_for(name, lambda: values_of(*eval(layer)))
"""


@pytest.fixture(scope="module")
def layers():
    return [run_each(library, EACH_LAYER, LAYERS) for library in ("tenon", "mlx")]


@pytest.mark.parametrize("layer", LAYERS)
def test_layers_and_their_gradients_are_those_of_mlx(layers, layer):
    agree(layers, layer, 2e-5)


OPTIMIZERS = {name: name for name in [
    "optim.SGD(learning_rate=0.1)", "optim.SGD(learning_rate=0.1, momentum=0.9, nesterov=True)", "optim.Adam(learning_rate=0.01)",
    "optim.AdamW(learning_rate=0.01, weight_decay=0.1)", "optim.Adam(learning_rate=optim.cosine_decay(0.02, 8))",
    "optim.RMSprop(learning_rate=0.01)", "optim.Adagrad(learning_rate=0.1)", "optim.Lion(learning_rate=0.01)",
]}

EACH_OPTIMIZER = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = [nn.Linear(4, 8), nn.Linear(8, 3)]
        self.norm = nn.LayerNorm(8)

    def __call__(self, x):
        return self.layers[1](nn.gelu(self.norm(self.layers[0](x))))


def loss_fn(model, x, y):
    return nn.losses.cross_entropy(model(x), y, reduction="mean")


def train(optimizer, is_compiled):
    model = randomize(Net())
    x, y = random(16, 4), mx.array((np.arange(16) % 3).astype(np.int32))
    step_gradient = nn.value_and_grad(model, loss_fn)
    state = [model.state, optimizer.state]

    def step(x, y):
        loss, gradients = step_gradient(model, x, y)
        optimizer.update(model, gradients)
        return loss

    if is_compiled:
        step = mx.compile(step, inputs=state, outputs=state)
    for _ in range(10):
        yield step(x, y)
        mx.eval(state)
    for name, parameter in sorted(tree_flatten(model.parameters())):
        yield parameter


for name in json.loads(sys.argv[2]):
    for is_compiled in (False, True):
        numbers = np.random.default_rng(7)
        show_for(f"{name} {is_compiled}", lambda: train(eval(name), is_compiled))
"""


@pytest.fixture(scope="module")
def optimizers():
    return [run_each(library, EACH_OPTIMIZER, OPTIMIZERS) for library in ("tenon", "mlx")]


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_training_goes_step_by_step_as_with_mlx(optimizers, optimizer, compiled):
    agree(optimizers, f"{optimizer} {compiled}", 1e-5)


TRANSFORMER = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(11, 8)
        self.block = nn.TransformerEncoder(2, 8, 2, dropout=0.0)
        self.out = nn.Linear(8, 11)

    def __call__(self, tokens):
        mask = nn.MultiHeadAttention.create_additive_causal_mask(tokens.shape[1])
        return self.out(self.block(self.embedding(tokens), mask))


model = randomize(Net())
tokens = mx.array(numbers.integers(0, 11, (4, 7)).astype(np.int32))
optimizer = optim.Adam(learning_rate=1e-2)
step_gradient = nn.value_and_grad(model, lambda t: nn.losses.cross_entropy(model(t[:, :-1]), t[:, 1:], reduction="mean"))
state = [model.state, optimizer.state]


@partial(mx.compile, inputs=state, outputs=state)
def step(tokens):
    loss, gradients = step_gradient(tokens)
    optimizer.update(model, gradients)
    return loss


show_for("losses", lambda: (step(tokens) for _ in range(5)))
"""


def test_a_transformer_is_trained_as_with_mlx():
    agree([run_each(library, TRANSFORMER) for library in ("tenon", "mlx")], "losses", 1e-4)


def test_the_library_of_mlx_is_not_loaded():
    run("tenon", """
assert mx.__file__.endswith(".abi3.so") and "tenon" in mx.__file__
assert nn.Linear.__call__.__globals__["mx"] is mx is sys.modules["mlx.core"]
import mlx
import mlx.core.random
from mlx.core import fast
assert mlx.core is mx and mlx.core.random is mx.random and fast is mx.fast
import tenon.mlx
assert not any("/mlx/" in line for line in open("/proc/self/maps"))
""")


def test_an_mlx_that_is_loaded_already_is_an_error():
    done = subprocess.run([sys.executable, "-c", "import mlx.core\nimport tenon.mlx"],
                          env=dict(os.environ, PYTHONPATH=str(pathlib.Path(tenon.__file__).parents[1])), capture_output=True, text=True)
    assert done.returncode != 0
    assert "ImportError: mlx.core has been imported already: import tenon.mlx first" in done.stderr


def test_distributed_is_a_group_of_one():
    run("tenon", """
group = mx.distributed.init()
assert group.rank() == 0 and group.size() == 1 and not mx.distributed.is_available()
assert mx.distributed.all_sum(mx.array([1, 2]), group=group).tolist() == [1, 2]
for call in (lambda: mx.distributed.init(strict=True), lambda: group.split(0)):
    try:
        call()
    except RuntimeError:
        continue
    raise AssertionError
""")
