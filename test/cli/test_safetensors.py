# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""Safetensors files, exchanged with the format's own library, which also decides which files are not valid."""

import json

import numpy as np
import pytest
import safetensors
import safetensors.numpy
from command import tenon

ENTRY = {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}
NAMES = ["poids_é", "a/b", "😀", 'q"\\', "tab\t", "\u202e", "x\x7f"]


def write(path, header, data, **options):
    text = header if isinstance(header, bytes) else json.dumps(header, **options).encode()
    path.write_bytes(len(text).to_bytes(8, "little") + text + data)


def identity(folder):
    path = folder / "two.mlir"
    path.write_text("func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> { return %x : tensor<2xf32> }")
    return path


def is_read_by_both(path, name="x"):
    """Whether the library reads it; Tenon agrees."""
    try:
        safetensors.numpy.load_file(path)
        is_valid = True
    except safetensors.SafetensorError:
        is_valid = False
    tenon("run", identity(path.parent), "-i", f"{path}:{name}", code=0 if is_valid else 1)
    return is_valid


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("ensure_ascii", [True, False])
def test_names_are_read_however_they_are_spelt(tmp_path, name, ensure_ascii):
    write(tmp_path / "in.safetensors", {name: ENTRY}, bytes(8), ensure_ascii=ensure_ascii)
    assert is_read_by_both(tmp_path / "in.safetensors", name)


@pytest.mark.parametrize("name", NAMES)
def test_names_are_written_as_the_library_reads_them(tmp_path, name):
    path = tmp_path / "out.safetensors"
    tenon("run", identity(tmp_path), "-i", "iota", "-o", f"{path}:{name}")
    assert {key: value.tolist() for key, value in safetensors.numpy.load_file(path).items()} == {name: [0, 1]}


DTYPES = {"float32": "f32", "float16": "f16", "float64": "f64", "int8": "i8", "uint8": "ui8", "int16": "i16", "uint16": "ui16", "int32": "i32",
          "uint32": "ui32", "int64": "i64", "uint64": "ui64", "bool": "i1", "complex64": "complex<f32>"}


@pytest.mark.parametrize("dtype", DTYPES)
def test_arrays_come_back_from_the_library(tmp_path, dtype):
    array = np.arange(6).reshape(2, 3).astype(dtype)
    kind = f"tensor<2x3x{DTYPES[dtype]}>"
    (tmp_path / "a.mlir").write_text(f"func.func @main(%x: {kind}) -> {kind} {{ return %x : {kind} }}")
    safetensors.numpy.save_file({"x": array, "other": np.zeros(5, np.float32)}, tmp_path / "in.safetensors", {"format": "np"})
    tenon("run", tmp_path / "a.mlir", "-i", tmp_path / "in.safetensors", "-o", f"{tmp_path}/out.safetensors:y")
    found = safetensors.numpy.load_file(tmp_path / "out.safetensors")["y"]
    assert found.dtype == array.dtype and np.array_equal(found, array)


FLOATS = bytes(16)
HEADERS = {
    "whole": ({"x": ENTRY}, bytes(8), True),
    "in another order": ({"y": {**ENTRY, "data_offsets": [8, 16]}, "x": ENTRY}, FLOATS, True),
    "without elements": ({"x": ENTRY, "y": {"dtype": "F32", "shape": [0], "data_offsets": [8, 8]}}, bytes(8), True),
    "metadata": ({"__metadata__": {"a": "b"}, "x": ENTRY}, bytes(8), True),
    "blanks behind": (json.dumps({"x": ENTRY}).encode() + b"   ", bytes(8), True),
    "blanks before": (b" " + json.dumps({"x": ENTRY}).encode(), bytes(8), True),
    "overlap": ({"x": ENTRY, "y": {**ENTRY, "data_offsets": [4, 12]}}, bytes(12), False),
    "twice the same bytes": ({"x": ENTRY, "y": ENTRY}, bytes(8), False),
    "hole": ({"x": ENTRY, "y": {**ENTRY, "data_offsets": [12, 20]}}, bytes(20), False),
    "hole at the beginning": ({"x": {**ENTRY, "data_offsets": [4, 12]}}, bytes(12), False),
    "trailing bytes": ({"x": ENTRY}, bytes(9), False),
    "too few bytes": ({"x": ENTRY}, bytes(7), False),
    "wrong size": ({"x": {**ENTRY, "shape": [3]}}, bytes(8), False),
    "metadata that are not texts": ({"__metadata__": {"a": 1}, "x": ENTRY}, bytes(8), False),
    "not UTF-8": (json.dumps({"x": ENTRY}).encode().replace(b"x", b"\xff"), bytes(8), False),
    "half a surrogate": (json.dumps({"x": ENTRY}).encode().replace(b"x", b"\\ud800"), bytes(8), False),
}


@pytest.mark.parametrize("name", HEADERS)
def test_what_the_library_refuses_is_refused(tmp_path, name):
    header, data, is_valid = HEADERS[name]
    write(tmp_path / "in.safetensors", header, data)
    assert is_read_by_both(tmp_path / "in.safetensors") == is_valid


def test_a_name_that_is_given_twice_is_refused(tmp_path):
    entry, other = json.dumps(ENTRY), json.dumps({**ENTRY, "data_offsets": [8, 16]})
    for again in ("x", "\\u0078"):
        write(tmp_path / "in.safetensors", f'{{"x": {entry}, "{again}": {other}}}'.encode(), FLOATS)
        assert "there are two tensors 'x'" in tenon("run", identity(tmp_path), "-i", f"{tmp_path}/in.safetensors:x", code=1)[1]
