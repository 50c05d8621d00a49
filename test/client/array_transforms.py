# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""Cases of transforms for array_cases.c: derivatives, batches and nested ones, and what JAX gives for them.

The generators of array_cases.py draw the operands; here they are floats of one precision, and what they give is left
to JAX, which computes with 64 bits."""

import itertools

import array_cases
import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
from array_cases import FLOATS, INTEGERS
from array_function_twins import FUNCTIONS, operands_of
from array_twins import TWINS

NO_AXIS = -2**63
array_cases.NUMBERS.setdefault("complex128", 18)
COMPLEX = {"float64": "complex128", "float32": "complex64"}
# What a result may be off by, in parts of the largest element; a function of many operations by `slack` more.
RELATIVE = {"float64": 1e-10, "float32": 1e-4, "float16": 2e-2, "bfloat16": 1e-1}
# Innermost first.
STACKS = [("jvp",), ("vjp",), ("vmap",), ("vjp", "jvp"), ("vjp", "vjp"), ("jvp", "jvp"), ("vjp", "vmap"), ("jvp", "vmap"),
          ("vmap", "vjp"), ("vmap", "vmap"), ("vjp", "compile"), ("compile", "vjp"), ("checkpoint", "vjp"),
          ("vjp", "vjp", "vmap"), ("vmap", "vjp", "jvp"), ("jvp", "compile"), ("compile", "jvp"), ("checkpoint", "jvp"),
          ("vmap", "compile"), ("compile", "vmap"), ("checkpoint", "vmap"), ("compile", "vjp", "vjp"),
          ("vjp", "checkpoint", "vjp"), ("checkpoint", "vmap", "vjp"), ("compile", "vjp", "vmap")]
INVISIBLE = {"checkpoint", "compile"}  # give what is inside
SINGLE = {"cross_entropy", "gated_delta_update", "rope"}  # computed in float32, whatever the operands are
REAL = {"arctan2", "expm1", "sigmoid"}  # of real numbers alone; JAX has it of complex ones
CANCELLED = {"linalg_eig_again"}  # what is left of large numbers is 0
WIDE = ("linalg_", "fft", "ifft", "rfft", "irfft", "stft", "istft")  # beginnings of what takes no narrow floats, or widens
# Of infinities there are no differences; the sign of a complex number counts as constant, in JAX as well.
UNLIKE_DIFFERENCES = {"cummax", "cummin", "logcumsumexp", "sign"}


def is_smooth(array):
    return jnp.issubdtype(array.dtype, jnp.inexact)


def upcast(array):
    if not is_smooth(array):
        return array
    return array.astype(np.complex128 if array.dtype.kind == "c" else np.float64)


def visible(stack):
    return tuple(kind for kind in stack if kind not in INVISIBLE)


class Level:
    """A transform of `function`, which takes and gives lists of arrays, as a function and as the runner reads it."""

    def __init__(self, kind, function, inputs, cases):
        outputs = jax.eval_shape(lambda *xs: function(*xs), *map(upcast, inputs))
        smooth_inputs = [i for i, x in enumerate(inputs) if is_smooth(x)]
        smooth_outputs = [i for i, x in enumerate(outputs) if is_smooth(x)]
        if kind in ("jvp", "vjp") and not (smooth_inputs and smooth_outputs):
            raise NotImplementedError("nothing to differentiate")
        self.inputs, first, second = list(inputs), smooth_inputs, smooth_outputs
        count = len(inputs)

        def part(xs, ys):  # of the function: from smooth inputs to smooth outputs
            full = list(xs)
            for i, y in zip(smooth_inputs, ys):
                full[i] = y
            results = function(*full)
            return [results[i] for i in smooth_outputs]

        if kind == "jvp":
            self.inputs += [cases.change(inputs[i]) for i in smooth_inputs]
            self.function = lambda *xs: jax.jvp(lambda *ys: part(xs[:count], ys), [xs[i] for i in smooth_inputs],
                                                list(xs[count:]))[1]
        elif kind == "vjp":
            self.inputs += [cases.change(outputs[i]) for i in smooth_outputs]
            self.function = lambda *xs: list(jax.vjp(lambda *ys: part(xs[:count], ys), *[xs[i] for i in smooth_inputs])[1](
                list(xs[count:])))
        elif kind == "vmap":
            first, second = cases.batch(self.inputs, outputs)
            axes = [None if axis == NO_AXIS else axis for axis in first]
            batched = jax.vmap(lambda *xs: tuple(function(*xs)), axes, tuple(second))
            self.function = lambda *xs: list(batched(*xs))
        else:
            self.function = function
        lists = [f"{len(numbers)}{''.join(f' {number}' for number in numbers)}" for numbers in (first, second)]
        self.line = f"x {kind} {count} {len(outputs)} {lists[0]} {lists[1]}"


class TransformCases(array_cases.Cases):
    """Draws as Cases does, but each case under one of `stacks`, its floats of the dtype `real`."""

    def __init__(self, seed, real, stacks):
        super().__init__(seed)
        self.real, self.stacks = real, stacks
        self.complex = COMPLEX.get(real)
        self.done = {}  # name -> stacks of the cases there are
        self.refused = []

    # -- drawing

    def dtype(self, names=array_cases.ALL):
        if not set(names) & set(FLOATS):
            return self.random.choice(names)
        return self.complex if self.complex and "complex64" in names and self.random.random() < 0.25 else self.real

    def array(self, shape, dtype, low=-4.0, high=4.0, special=False):
        if dtype == "bool" or dtype in INTEGERS:
            return super().array(shape, dtype, low, high)
        values = self.numbers.uniform(low, high, shape)
        if dtype.startswith("complex") and self.complex:
            values = values + 1j * self.numbers.uniform(low, high, shape)
        return self.narrow(np.asarray(values))

    def narrow(self, array):
        if array.dtype.kind == "c":
            return array.astype(self.complex)
        if array.dtype.kind == "f" or array.dtype == ml_dtypes.bfloat16:
            return array.astype(ml_dtypes.bfloat16 if self.real == "bfloat16" else self.real)
        return array

    def change(self, like):
        """A tangent or cotangent."""
        return self.array(like.shape, "complex64" if like.dtype.kind == "c" else "float32", -1, 1)

    def batch(self, inputs, outputs):
        """Gives some of the inputs a batch, in place; where they and the outputs have it."""
        size, axes = self.random.randint(1, 3), []
        some = [self.random.random() < 0.8 for _ in inputs]
        some[self.random.randrange(len(inputs))] = True
        for i, x in enumerate(inputs):
            axes.append(self.random.randint(-x.ndim - 1, x.ndim) if some[i] else NO_AXIS)
            if some[i]:
                elements = [x if not is_smooth(x) else (x.astype(upcast(x).dtype) * (1 - 0.06 * k)).astype(x.dtype)
                            for k in range(size)]
                inputs[i] = np.stack(elements, axes[-1])
        return axes, [self.random.randint(-len(y.shape) - 1, len(y.shape)) for y in outputs]

    # -- writing

    def add(self, name, arrays=(), lists=(), reals=(), wanted=None, slack=1.0, atol=None):
        if name not in TWINS or name in SINGLE and self.real != "float32":
            return
        if name.startswith(WIDE) and not self.complex:
            return
        if name in REAL and any(array is not None and np.iscomplexobj(array) for array in arrays):
            return
        arrays = [None if array is None else self.narrow(np.asarray(array)) for array in arrays]
        lists = [None if one is None else list(one) if isinstance(one, (list, tuple)) else [int(one)] for one in lists]
        self.add_transforms(name, self.stacks(self, name), arrays, lists, list(reals), slack)

    def add_transforms(self, name, stacks, *what):
        """What JAX gives is computed once for all stacks that differ in what is invisible alone: they have the same draw."""
        known = {}  # visible stack -> what drew, and what JAX gave
        for stack in stacks:
            state, wanted = known.get(visible(stack), ((self.random.getstate(), self.numbers.bit_generator.state), None))
            latest = self.random.getstate(), self.numbers.bit_generator.state
            self.random.setstate(state[0])
            self.numbers.bit_generator.state = state[1]
            wanted = self.add_transform(name, stack, *what, wanted=wanted)
            if visible(stack) in known:
                self.random.setstate(latest[0])
                self.numbers.bit_generator.state = latest[1]
            known.setdefault(visible(stack), (state, wanted))

    def add_transform(self, name, stack, arrays, lists, reals, slack=1.0, wanted=None, is_smooth_here=True):
        present = [i for i, array in enumerate(arrays) if array is not None]
        if not present:
            return None

        def function(*xs):
            full = list(arrays)
            for i, x in zip(present, xs):
                full[i] = x
            given = (TWINS.get(name) or FUNCTIONS[name])(full, lists, reals)
            return list(given) if isinstance(given, (list, tuple)) else [given]

        level, inputs, levels = function, [arrays[i] for i in present], []
        try:
            for kind in stack:
                levels.append(Level(kind, level, inputs, self))
                level, inputs = levels[-1].function, levels[-1].inputs
            wanted = wanted or jax.jit(lambda *xs: level(*xs))(*map(upcast, inputs))
        except (ValueError, TypeError, IndexError, ArithmeticError, NotImplementedError, AssertionError,
                jax.errors.JaxRuntimeError) as error:  # the last: XLA's verifier does not take what XLA made
            self.refused.append((name, stack, f"{type(error).__name__}: {error}"))
            return None
        wanted = [np.asarray(one) for one in wanted]
        self.write_case(name, stack, arrays, lists, reals, levels, inputs, wanted, slack, is_smooth_here)
        return wanted

    def write_case(self, name, stack, arrays, lists, reals, levels, inputs, wanted, slack, is_smooth_here):
        self.lines.append(f"{self.count} {name}")
        self.count += 1
        shapes = lambda arrays: [None if array is None else f"{array.dtype.name}{list(array.shape)}" for array in arrays]
        self.texts.append((f"{' '.join(stack)} of {name}", shapes(arrays), lists, reals,
                           f"inputs {shapes(inputs)}, {[level.line for level in levels]}"))
        for array in arrays:
            self.lines.append("a none") if array is None else self.tensor("a", array)
        for numbers in lists:
            self.lines.append("l -1" if numbers is None else f"l {len(numbers)} {' '.join(map(str, map(int, numbers)))}")
        self.lines += [f"r {float(number)!r}" for number in reals]
        self.lines += [level.line for level in levels]
        for array in inputs:
            self.tensor("i", array)
        rtol = RELATIVE[self.real] * max(1.0, slack / 40)
        if stack == ("jvp",) and self.real == "float64" and is_smooth_here and name not in UNLIKE_DIFFERENCES:
            self.lines.append("f 1e-6 1e-5")
        for one in wanted:
            letter = "o" if is_smooth(one) else "n"
            sizes = np.abs(one[np.isfinite(one)].astype(np.complex128))
            largest = max(float(sizes.max()) if sizes.size else 0.0, 1.0 if name in CANCELLED else 1e-3)
            # Tangents are up to 1, and terms of that size that cancel each other leave what they were rounded by: gradients
            # of a softmax that is all but 1 are 1 - 1 in bfloat16.
            rounding = float(ml_dtypes.finfo(self.real).eps)
            self.tensor(letter, self.narrow(one), f" {rtol!r} {max(rtol * largest, rounding)!r}")
        self.done.setdefault(name, set()).add(stack)


def generate_functions(seed, stacks, real="float64", names=None):
    """Every function under every one of `stacks`."""
    with jax.enable_x64(True):
        cases = TransformCases(seed, real, None)
        for name in names or FUNCTIONS:
            arrays = [cases.narrow(np.asarray(one)) for one in operands_of(cases, name)]
            cases.add_transforms(name, stacks, arrays, [], [], 400)
    return cases


def generate_edges(edges, stacks, wanted=lambda *case: None):
    """Each of `edges` under every one of `stacks`, all changes being ones. `wanted` knows better than JAX, or gives None."""
    with jax.enable_x64(True):
        cases = TransformCases(0, "float64", None)
        cases.change = lambda like: np.ones(like.shape, "complex128" if like.dtype.kind == "c" else "float64")
        for (number, edge), stack in itertools.product(enumerate(edges), stacks):
            cases.add_transform(edge[0], stack, *edge[1:], wanted=wanted(number, stack), is_smooth_here=False)
    return cases


def generate(seed, rounds, stacks, real="float64", names=None):
    """`rounds` draws of every operation that has a twin, or more until there is a case; `stacks` of (cases, name) says how
    each is transformed."""
    with jax.enable_x64(True):
        cases = TransformCases(seed, real, stacks)
        for name in names or sorted(TWINS):
            for drawn in range(4 * rounds):
                if name in array_cases.GENERATORS and (drawn < rounds or name not in cases.done):
                    array_cases.GENERATORS[name](cases)
    return cases
