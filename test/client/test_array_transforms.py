# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""Derivatives and batches of every operation on lazy arrays, and of functions made of many, against JAX and against
differences. TENON_LONG_TESTS: all operations under all transforms, else a sample."""

import os
import random
import re
import subprocess

import pytest

jax = pytest.importorskip("jax", reason="jax is not installed")
pytest.importorskip("mlx.core", reason="mlx is not installed")
# XLA compiles thousands of small programs that run once; its algebraic simplifier aborts the process on some gradients of
# convolutions ("Window dimensions do not match RHS shape").
os.environ["XLA_FLAGS"] = (os.environ.get("XLA_FLAGS", "") + " --xla_backend_optimization_level=0"
                           " --xla_llvm_disable_expensive_passes=true --xla_disable_hlo_passes=algsimp")

import array_elements  # noqa: F401, as below: they register generators
import array_numbers  # noqa: F401
import array_products  # noqa: F401
import array_shapes  # noqa: F401
import array_transforms
import array_types  # noqa: F401
from array_edges import DEPARTURES, EDGES, SECOND_EDGES
from array_function_twins import FUNCTIONS
from array_transforms import STACKS, visible
from array_twins import TWINS, WITHOUT
from test_array_operations import LONG, RUNNER, failures

# Values, gradients, products with the second derivative, gradients of each element of a batch, tangents of gradients;
# all of it with what is inside computed again, or as one program.
FUNCTION_STACKS = [(), ("vjp",), ("vjp", "jvp"), ("vjp", "vjp"), ("vjp", "vmap"), ("jvp", "vjp"), ("vmap", "vjp"),
                   ("checkpoint", "vjp"), ("checkpoint", "vjp", "jvp"), ("vjp", "compile"), ("compile", "vjp"),
                   ("vjp", "vmap", "compile"), ("compile", "vjp", "jvp"), ("checkpoint", "vjp", "vmap")]
# Give integers or booleans: there are batches of these alone.
FLAT = {"all", "allclose", "any", "argmax", "argmin", "argpartition", "argsort", "array_equal", "bitwise_and", "bitwise_invert",
        "bitwise_or", "bitwise_xor", "count_nonzero", "equal", "greater", "greater_equal", "isclose", "isfinite", "isinf",
        "isnan", "isneginf", "isposinf", "left_shift", "less", "less_equal", "logical_and", "logical_not", "logical_or",
        "logical_xor", "not_equal", "right_shift", "searchsorted"}


@pytest.fixture(autouse=True)
def forget_programs():
    """Each program of XLA's maps pieces of memory, of which a process may have some 65,000."""
    yield
    jax.clear_caches()


def check(cases, folder):
    found = failures(cases, folder)
    assert not found, "\n".join([f"{len(found)} failed", *found[:40]])


def names_of(what):
    return subprocess.run([RUNNER, what], capture_output=True, text=True, check=True, timeout=600).stdout.split()


def test_every_operation_has_a_twin_in_jax():
    assert not TWINS.keys() & WITHOUT.keys()
    assert sorted(names_of("names")) == sorted([*TWINS, *WITHOUT])
    assert sorted(names_of("functions")) == sorted(FUNCTIONS)


def test_what_is_drawn_repeats():
    first, second = (array_transforms.generate(7, 1, lambda cases, name: STACKS[:1], names=["add", "tanh"]) for _ in range(2))
    assert first.lines == second.lines and first.data == second.data


@pytest.mark.skipif(LONG, reason="all of them are run")
def test_a_sample_of_transforms_gives_what_jax_gives(tmp_path):
    names = random.Random(3).sample(sorted(TWINS), 70)
    check(array_transforms.generate(3, 1, lambda cases, name: cases.random.sample(STACKS, 1), names=names), tmp_path)


@pytest.mark.skipif(not LONG, reason="TENON_LONG_TESTS")
@pytest.mark.parametrize("seen", dict.fromkeys(map(visible, STACKS)), ids=" ".join)
def test_transforms_of_operations_give_what_jax_gives(seen, tmp_path):
    stacks = [stack for stack in STACKS if visible(stack) == seen]
    cases = array_transforms.generate(STACKS.index(seen), 6, lambda cases, name: stacks)
    smooth = set(TWINS) - array_transforms.SINGLE - (FLAT if {"jvp", "vjp"} & set(seen) else set())
    assert not [name for name in smooth if cases.done.get(name) != set(stacks)], "operations without a case"
    check(cases, tmp_path)


@pytest.mark.skipif(not LONG, reason="TENON_LONG_TESTS")
@pytest.mark.parametrize("real", ["float32", "float16", "bfloat16"])
def test_narrow_floats_have_the_same_derivatives(real, tmp_path):
    check(array_transforms.generate(11, 3, lambda cases, name: cases.random.sample(STACKS[:3], 1), real), tmp_path)


def test_edges_are_where_jax_has_them(tmp_path):
    edges = EDGES if LONG else random.Random(5).sample(EDGES, 12)
    check(array_transforms.generate_edges(edges, [("jvp",), ("vjp",)]), tmp_path)


def test_edges_of_second_derivatives_are_where_jax_has_them(tmp_path):
    check(array_transforms.generate_edges(SECOND_EDGES, [("jvp", "jvp"), ("vjp", "jvp"), ("vjp", "vjp"), ("jvp", "vjp")]), tmp_path)


def test_deviations_from_jax_are_as_documented(tmp_path):
    wanted = [gradients for _, gradients in DEPARTURES]
    check(array_transforms.generate_edges([edge for edge, _ in DEPARTURES], [("vjp",)],
                                          lambda number, stack: wanted[number]), tmp_path)


@pytest.mark.skipif(LONG, reason="all of them are run")
def test_a_sample_of_functions_gives_what_jax_gives(tmp_path):
    names = random.Random(5).sample(sorted(FUNCTIONS), 5)
    check(array_transforms.generate_functions(5, [("vjp", "jvp"), ("vjp", "vmap")], names=names), tmp_path)


@pytest.mark.skipif(not LONG, reason="TENON_LONG_TESTS")
@pytest.mark.parametrize("real", ["float64", "float32"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_transforms_of_functions_give_what_jax_gives(name, real, tmp_path):
    cases = array_transforms.generate_functions(1, FUNCTION_STACKS, real, [name])
    assert cases.done[name] == set(FUNCTION_STACKS)
    check(cases, tmp_path)
