# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""Random programs of single operations give the same in XLA and in Tenon, or what the specification says where XLA
departs from it (docs/xla.md). A failure names the command that repeats it. TENON_LONG_TESTS runs many more programs."""

import json
import os
import zlib

import pytest

from differential.command import table
from differential.registry import GENERATORS, make
from differential.runner import report, run
from support import ROOT, tenon

LONG = bool(os.environ.get("TENON_LONG_TESTS"))
# In the short run these types and a few others; in the long one all.
USUAL = {"i1", "i32", "ui8", "f32", "f64", "bf16", "complex<f32>"}
OPERATIONS = {
    entry["name"].removeprefix("stablehlo."): entry for entry in json.loads(tenon("ops", "--json"))["operations"]
}

# Operations of which XLA is no witness, and who is instead.
ELSEWHERE = {
    "constant": "every fixture holds some; test_jaxlib_parses.py",
    "replica_id": "0 in one process: the fixture",
    "partition_id": "0 in one process: the fixture",
    "create_token": "tokens have no contents",
    "after_all": "tokens have no contents",
    "tuple": "XLA's entry takes no tuples: the fixtures",
    "get_tuple_element": "as tuple",
    "custom_call": "test_custom_header.py, test_foreign_handlers.py",
    "composite": "runs its decomposition: the fixture",
    "return": "ends every region here",
    "func.return": "ends every program here",
    "func.call": "test_jax_programs.py",
    "chlo.scan": "XLA has none: the fixture",
    "tenon.fusion": "XLA has none: the fixture",
    "tenon.row_blocks": "XLA has none: the fixture",
    "chlo.ragged_dot": "XLA has none on the CPU: the fixture",
    "chlo.constant": "as constant",
    "rng": "which numbers come is not said: the fixture",
    "unary_einsum": "XLA has none: the fixture",
    "set_dimension_size": "XLA's result has a dynamic dimension: the fixture",
    **{
        name: "several processes: the fixture for a group of one, or what is refused"
        for name in """all_gather all_reduce all_to_all collective_broadcast collective_permute collective_reduce
        reduce_scatter cross-replica-sum send recv infeed outfeed async_start async_done""".split()
    },
}


def operation_of(name):
    return name.split(" ")[0]


@pytest.mark.parametrize("name", GENERATORS)
def test_same_as_xla(name):
    entry = OPERATIONS[operation_of(name)]
    if not entry["supported"]:
        pytest.skip("not supported yet")
    dtypes, _ = GENERATORS[name]
    outcomes = []
    for seed in range(12 if LONG else 1):
        chosen = [
            dtype for dtype in dtypes if LONG or dtype.mlir in USUAL or zlib.crc32(f"{name} {dtype}".encode()) % 4 == 0
        ]
        outcomes += run([make(name, dtype, seed) for dtype in chosen])
    failed = [outcome for outcome in outcomes if outcome.failure]
    assert not failed, f"{len(failed)} of {len(outcomes)} programs\n" + "\n".join(map(report, failed[:3]))


def test_every_operation_is_compared():
    compared = {operation_of(name) for name in GENERATORS}
    missing = [
        name
        for name, entry in OPERATIONS.items()
        if entry["supported"] and not name.startswith("check.") and name not in compared and name not in ELSEWHERE
    ]
    assert not missing, f"operations without a generator of programs: {missing}"


def test_document_shows_the_table():
    assert table() in (ROOT / "docs" / "xla.md").read_text(), "test/client/differential --deviations prints the table"
