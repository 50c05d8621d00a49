# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""Gathers and scatters: places that operands name, some of them out of bounds."""

import numpy as np

from differential import values
from differential.case import I32, integers
from differential.elementwise import ALL, BOOL, COMPLEX, FLOAT, INTEGER
from differential.folding import scalar_body
from differential.generators import generator
from differential.movement import INDEX, listed


class Places:
    """Dimension numbers that gather and scatter share, and indices for them."""

    def __init__(self, case, smallest=0):
        random = case.random
        rank = int(random.integers(1, 5))
        self.shape = values.shape(random, rank, smallest=smallest)
        order = [int(d) for d in random.permutation(rank)]
        batches = int(random.integers(0, min(rank, 2)))
        self.batching = sorted(order[:batches])
        rest = order[batches:]
        self.mapped = rest[: int(random.integers(0, len(rest) + 1))]
        collapsed = int(random.integers(0, len(rest) + 1))
        self.collapsed = sorted(int(d) for d in random.permutation(rest)[:collapsed] if self.shape[d] > 0)
        self.sizes = []
        for d, size in enumerate(self.shape):
            if d in self.batching:
                self.sizes.append(min(size, 1))
            elif d in self.collapsed:
                self.sizes.append(1)
            else:
                self.sizes.append(int(random.integers(min(size, 1), size + 1)))
        window = [size for d, size in enumerate(self.sizes) if d not in self.collapsed and d not in self.batching]
        # The dimensions of the indices: those that run along with batching ones, and others.
        extra = values.shape(random, int(random.integers(0, 3)))
        outer = [(None, size) for size in extra] + [(d, self.shape[d]) for d in self.batching]
        outer = [outer[i] for i in random.permutation(len(outer))]
        vector = int(random.integers(0, len(outer) + 1))
        implicit = len(self.mapped) == 1 and random.random() < 0.5
        index_shape = [size for _, size in outer]
        if implicit:
            vector = len(outer)
        else:
            index_shape.insert(vector, len(self.mapped))
        where = [place + (not implicit and place >= vector) for place in range(len(outer))]
        self.index_batching = [where[[d for d, _ in outer].index(d)] for d in self.batching]
        self.vector = vector
        # The dimensions of the result: window ones among outer ones, each in their order.
        total = len(outer) + len(window)
        self.offsets = sorted(int(d) for d in random.permutation(total)[: len(window)])
        self.result, windows, outers = [], iter(window), iter([size for _, size in outer])
        for d in range(total):
            self.result.append(next(windows) if d in self.offsets else next(outers))
        dtype = INDEX[int(random.integers(0, len(INDEX)))]
        low, high = values.integer_limits(dtype)
        array = random.integers(max(low, -2), min(high, 6), index_shape, endpoint=True)
        far = random.random(index_shape) < 0.05
        self.indices = case.input(
            np.where(far, random.choice([max(low, -(2**40)), min(high, 2**40)], index_shape), array).astype(
                dtype.numpy
            ),
            dtype,
        )

    def gather_numbers(self):
        return (
            f"#stablehlo.gather<offset_dims = {self.offsets}, collapsed_slice_dims = {self.collapsed}, "
            f"operand_batching_dims = {self.batching}, start_indices_batching_dims = {self.index_batching}, "
            f"start_index_map = {self.mapped}, index_vector_dim = {self.vector}>"
        )


@generator("gather", ALL)
def _gather(case):
    places = Places(case)
    x = case.input(values.any_bits(case.random, case.dtype, places.shape))
    numbers = places.gather_numbers()
    case.give(
        case.one(
            "gather",
            [x, places.indices],
            places.result,
            case.dtype,
            f"dimension_numbers = {numbers}, indices_are_sorted = false, slice_sizes = {integers(places.sizes)}",
        )
    )


@generator("dynamic_gather", ALL)
def _dynamic_gather(case):
    places = Places(case)
    x = case.input(values.any_bits(case.random, case.dtype, places.shape))
    sizes = listed(case, places.sizes)
    attributes = f"dimension_numbers = {places.gather_numbers()}, indices_are_sorted = false"
    result = case.one("dynamic_gather", [x, places.indices, sizes], places.result, case.dtype, attributes)
    case.twin("gather", [x, places.indices], result, f"{attributes}, slice_sizes = {integers(places.sizes)}")
    case.give(result)


@generator("scatter", [dtype for dtype in FLOAT if dtype.bits >= 16] + INTEGER + COMPLEX + BOOL)
def _scatter(case):
    """The order in which updates come to one place does not show: it is that of a sum, a minimum or a maximum."""
    places = Places(case)
    operation = (
        "or"
        if case.dtype.kind == "BOOL"
        else "add" if case.dtype.kind == "COMPLEX" else str(case.random.choice(["add", "minimum", "maximum"]))
    )
    x = case.input(values.small(case.random, case.dtype, places.shape))
    update = case.input(values.small(case.random, case.dtype, tuple(places.result)))
    numbers = (
        f"#stablehlo.scatter<update_window_dims = {places.offsets}, inserted_window_dims = {places.collapsed}, "
        f"input_batching_dims = {places.batching}, scatter_indices_batching_dims = {places.index_batching}, "
        f"scatter_dims_to_operand_dims = {places.mapped}, index_vector_dim = {places.vector}>"
    )
    case.give(
        case.one(
            "scatter",
            [x, places.indices, update],
            places.shape,
            case.dtype,
            f"indices_are_sorted = false, scatter_dimension_numbers = {numbers}, unique_indices = false",
            [scalar_body(case, operation, case.dtype)],
        )
    )
    case.reference = lambda: scattered(case, places, operation)


@generator("chlo.top_k", [dtype for dtype in INTEGER + FLOAT if dtype.bits > 4])
def _top_k(case):
    shape = values.shape(case.random, int(case.random.integers(1, 4)), largest=20, smallest=1)
    count = int(case.random.integers(0, shape[-1] + 1))
    x = case.input(values.small(case.random, case.dtype, shape))
    result = (*shape[:-1], count)
    case.give(*case.emit("chlo.top_k", [x], [(result, case.dtype), (result, I32)], f"k = {count} : i64"))


def scattered(case, places, operation):
    """As the specification has it: element by element, each within bounds or left out."""
    indices, result, updates = (array.copy() for array in case.arrays)
    combine = {"add": lambda a, b: a + b, "minimum": min, "maximum": max, "or": lambda a, b: a | b}[operation]
    window_dims = [d for d in range(result.ndim) if d not in places.collapsed and d not in places.batching]
    index_batching = dict(zip(places.batching, places.index_batching))
    for place in np.ndindex(updates.shape):
        outer = [i for d, i in enumerate(place) if d not in places.offsets]
        window = [i for d, i in enumerate(place) if d in places.offsets]
        at = [0] * result.ndim
        for k, d in enumerate(places.mapped):
            at[d] = int(
                indices[tuple(outer)]
                if places.vector == indices.ndim
                else indices[tuple(outer[: places.vector] + [k] + outer[places.vector :])]
            )
        for d, along in index_batching.items():
            at[d] = outer[along - (along > places.vector and places.vector < indices.ndim)]
        for d, i in zip(window_dims, window):
            at[d] += i
        if all(0 <= i < size for i, size in zip(at, result.shape)):
            with np.errstate(all="ignore"):
                result[tuple(at)] = combine(result[tuple(at)], updates[place])
    return [result]
