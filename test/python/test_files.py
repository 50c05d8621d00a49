# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""save, savez, save_safetensors and load, with mlx.core and NumPy reading and writing the same files."""

import inspect
import io
import json
import os
import pathlib
import struct
import zipfile

import ml_dtypes
import mlx.core as mx
import numpy as np
import pytest
import tenon.core as tn

DTYPES = ["bool_", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "bfloat16", "float32",
          "complex64"]
VALUES = [[0, 1, 2], [3, 4, 5]]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def same(ours, theirs):
    assert ours.tolist() == theirs.tolist() and str(ours.dtype).split(".")[-1] == str(theirs.dtype).split(".")[-1]


@pytest.mark.parametrize("dtype", DTYPES)
def test_files_are_those_of_mlx(dtype):
    ours, theirs = tn.array(VALUES, getattr(tn, dtype)), mx.array(VALUES, getattr(mx, dtype))
    for save, load in [(tn, mx), (mx, tn), (tn, tn)]:
        given = ours if save is tn else theirs
        save.save("a.npy", given)
        same(load.load("a.npy"), given)
        for savez in (save.savez, save.savez_compressed):
            savez("a.npz", given, given, name=given)
            arrays = load.load("a.npz")
            assert set(arrays) == {"arr_0", "arr_1", "name"}
            same(arrays["name"], given)
        save.save_safetensors("a.safetensors", {"x": given, "y": given}, {"key": "value"})
        arrays, metadata = load.load("a.safetensors", return_metadata=True)
        assert set(arrays) == {"x", "y"} and metadata == {"key": "value"}
        same(arrays["y"], given)


@pytest.mark.parametrize("given", [np.arange(6.0), np.ones((2, 3), ">f4"), np.asfortranarray(VALUES), np.array(3), np.zeros((0, 2)),
                                   np.arange(3, dtype=">c8")])
def test_files_of_numpy_are_read_with_their_dtype(given):
    np.save("a.npy", given)
    array = tn.load("a.npy")
    assert array.tolist() == given.tolist() and array.dtype.name == given.dtype.name
    np.savez("b.npz", given, x=given)
    assert tn.load("b.npz")["x"].tolist() == given.tolist()


def test_numpy_reads_what_is_written():
    for value in (2.5, [], VALUES, np.arange(24).reshape(2, 3, 4)):
        tn.save("a", value)
        assert np.load("a.npy").tolist() == tn.array(value).tolist()
    tn.savez("b", tn.array(VALUES).T, y=tn.array(True))
    assert np.load("b.npz")["arr_0"].tolist() == [[0, 3], [1, 4], [2, 5]] and np.load("b.npz")["y"]
    tn.save("c.npy", tn.array([1.5], tn.bfloat16))
    assert np.load("c.npy").view(ml_dtypes.bfloat16).tolist() == [1.5]


def test_only_savez_compressed_compresses():
    array = tn.zeros_like(tn.array([0.0] * 1000))
    tn.savez("a", array)
    tn.savez_compressed("b", array)
    kinds = [[info.compress_type for info in zipfile.ZipFile(name).infolist()] for name in ("a.npz", "b.npz")]
    assert kinds == [[zipfile.ZIP_STORED], [zipfile.ZIP_DEFLATED]] and os.path.getsize("b.npz") < os.path.getsize("a.npz") / 4


def test_paths_and_open_files_are_files():
    array = tn.array([1.0, 2.0])
    for name, save, load in [("a.npy", lambda file: tn.save(file, array), lambda x: x),
                             ("a.npz", lambda file: tn.savez(file, x=array), lambda x: x["x"]),
                             ("a.safetensors", lambda file: tn.save_safetensors(file, {"x": array}), lambda x: x["x"])]:
        save(pathlib.Path(name))
        assert load(tn.load(pathlib.Path(name))).tolist() == [1, 2]
        with open("b_" + name, "wb") as file:
            save(file)
        with open("b_" + name, "rb") as file:
            assert load(tn.load(file)).tolist() == [1, 2] and not file.closed
        memory = io.BytesIO()
        save(memory)
        memory.seek(0)
        assert load(tn.load(memory, format=name[2:])).tolist() == [1, 2] and not memory.closed


def test_endings_are_added_and_formats_are_read_from_them():
    tn.save("a", tn.array(1))
    tn.save_safetensors("b", {})
    assert sorted(os.listdir()) == ["a.npy", "b.safetensors"]
    assert tn.load("b.safetensors", return_metadata=True) == ({}, {})
    os.rename("a.npy", "c.txt")
    assert tn.load("c.txt", format="npy").item() == 1 == tn.load("c.txt", "npy", False, stream=tn.cpu).item()


def test_names_and_metadata_may_have_any_character():
    name, metadata = 'a"\\\n\u00e9\U0001f600', {'k\n"': "v\u00e9", "": ""}
    tn.save_safetensors("a", {name: tn.array([1, 2])}, metadata)
    for core in (tn, mx):
        arrays, read = core.load("a.safetensors", return_metadata=True)
        assert read == metadata and arrays[name].tolist() == [1, 2]
    tn.savez("b", **{"a/b c": tn.array(1)})
    assert tn.load("b.npz")["a/b c"].item() == 1


def test_dtypes_of_eight_bits_come_back():
    given = {name: tn.array([0, 1, 2], getattr(tn, name)) for name in ("float8_e4m3fn", "float8_e5m2", "float8_e8m0fnu")}
    tn.save_safetensors("a", given)
    read = tn.load("a.safetensors")
    assert read["float8_e5m2"].dtype == tn.float8_e5m2 and read["float8_e8m0fnu"].dtype == tn.float8_e8m0fnu
    codes = read["float8_e4m3fn"]  # as in MLX
    assert codes.dtype == tn.uint8 and tn.from_fp8(codes, tn.float32).tolist() == [0, 1, 2]
    with pytest.raises(NotImplementedError, match="no elements i4"):
        tn.save_safetensors("a", {"x": tn.array([1], tn.int4)})


def test_functions_have_the_parameters_of_mlx():
    for name in ("save", "savez", "savez_compressed", "save_safetensors", "load"):
        theirs = getattr(mx, name).__doc__.splitlines()[0]
        inside = theirs[theirs.index("(") + 1:theirs.rindex(") ->") if ") ->" in theirs else theirs.rindex(")")]
        parameters = [part.split(":")[0].strip(" *") for part in inside.split(", ") if part.split(":")[0].strip() not in ("/", "*")]
        parameters = [name for name in parameters if name.isidentifier() and name not in ("array", "Any")]
        assert list(inspect.signature(getattr(tn, name)).parameters) == parameters


@pytest.mark.parametrize("call, error, text", [
    (lambda: tn.load("none.npy"), FileNotFoundError, "none.npy"),
    (lambda: tn.load("none.npz"), FileNotFoundError, "none.npz"),
    (lambda: tn.load("none.safetensors"), FileNotFoundError, "none.safetensors"),
    (lambda: tn.load("none"), FileNotFoundError, "none"),
    (lambda: tn.load("a.npy", format="zip"), ValueError, "Unknown file format zip"),
    (lambda: tn.load("a.npy", format="npz"), ValueError, "a.npy: this is not a .npz archive"),
    (lambda: tn.load("a.npy", format="safetensors"), ValueError, "a.npy: this is not a safetensors file"),
    (lambda: tn.load("a.npy", return_metadata=True), ValueError, "metadata not supported for format npy"),
    (lambda: tn.load(io.BytesIO(b"")), ValueError, "Could not infer file format"),
    (lambda: tn.load(io.BytesIO(b""), format="npy"), ValueError, "file: this is not a .npy file"),
    (lambda: tn.load(3), ValueError, "expected a path, or a file"),
    (lambda: tn.load(b"a.npy"), ValueError, "expected a path"),
    (lambda: tn.save(3, tn.array(1)), ValueError, "expected a path, or a file"),
    (lambda: tn.save("x.npy", object()), TypeError, "expected an array"),
    (lambda: tn.save("none/x.npy", tn.array(1)), FileNotFoundError, "none/x.npy"),
    (lambda: tn.savez("x", tn.array(1), arr_0=tn.array(2)), ValueError, "Cannot use un-named variables and keyword arr_0"),
    (lambda: tn.savez(), TypeError, "missing required argument 'file'"),
    (lambda: tn.savez("x", object()), TypeError, "object"),
    (lambda: tn.save_safetensors("x", {"a": tn.array(1)}, {"k": 3}), ValueError, "string keys and values"),
    (lambda: tn.save_safetensors("x", {"a": tn.array(1)}, 3), ValueError, "string keys and values"),
    (lambda: tn.save_safetensors("x", {1: tn.array(1)}), TypeError, "1 cannot be the name"),
    (lambda: tn.save_safetensors("x", {"__metadata__": tn.array(1)}), TypeError, "cannot be the name"),
    (lambda: tn.save_safetensors("x", [1]), TypeError, "dict"),
    (lambda: tn.save_safetensors("x", {"a": "b"}), TypeError, "str"),
])
def test_mistakes_are_errors_that_name_the_file(call, error, text):
    tn.save("a.npy", tn.array([1.0] * 100))
    with pytest.raises(error, match=text):
        call()


def test_errors_of_a_file_come_out_unchanged():
    class Full(io.BytesIO):
        def write(self, data):
            raise OSError(28, "no space")

        def read(self, *args):
            raise KeyError("mine")

        readinto = read

    for save in (lambda file: tn.save(file, tn.array(1)), lambda file: tn.savez(file, tn.array(1)),
                 lambda file: tn.save_safetensors(file, {"a": tn.array(1)})):
        with pytest.raises(OSError, match="no space"):
            save(Full())
    for name in ("npy", "npz"):
        with pytest.raises(KeyError, match="mine"):
            tn.load(Full(b"PK\5\6" + bytes(18)), format=name)


def safetensors(header, data=b""):
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data


ENTRY = {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}


@pytest.mark.parametrize("contents, error", [
    (b"", ValueError), (b"\1\0\0", ValueError), (struct.pack("<Q", 1 << 60), ValueError), (struct.pack("<Q", 10) + b"{", ValueError),
    (safetensors(b"[]"), ValueError), (safetensors(b"\xff\xff"), ValueError), (safetensors(b"[" * 100000), ValueError),
    (safetensors({"a": 3}), ValueError), (safetensors({"a": {}}), ValueError), (safetensors({"a": ENTRY}), RuntimeError),
    (safetensors({"a": ENTRY}, bytes(7)), RuntimeError),
    (safetensors({"a": {**ENTRY, "dtype": 3}}, bytes(8)), ValueError), (safetensors({"a": {**ENTRY, "shape": [3]}}, bytes(8)), ValueError),
    (safetensors({"a": {**ENTRY, "shape": [-2]}}, bytes(8)), ValueError), (safetensors({"a": {**ENTRY, "shape": 2}}, bytes(8)), ValueError),
    (safetensors({"a": {**ENTRY, "shape": [True, 2]}}, bytes(8)), ValueError),
    (safetensors({"a": {**ENTRY, "shape": [2.0]}}, bytes(8)), ValueError),
    (safetensors({"a": {**ENTRY, "shape": [1 << 62, 1 << 62]}}, bytes(8)), ValueError),
    (safetensors({"a": {**ENTRY, "shape": [1] * 65}}, bytes(8)), ValueError),
    (safetensors({"a": {**ENTRY, "data_offsets": [8, 0]}}, bytes(8)), ValueError),
    (safetensors({"a": {**ENTRY, "data_offsets": [0]}}, bytes(8)), ValueError),
    (safetensors({"a": {**ENTRY, "data_offsets": [-8, 0]}}, bytes(8)), ValueError),
    (safetensors({"a": {**ENTRY, "data_offsets": [1 << 70, 1 << 70]}}, bytes(8)), ValueError),
    (safetensors({"a": {**ENTRY, "shape": [1 << 40], "data_offsets": [0, 1 << 42]}}, bytes(8)), RuntimeError),
    (safetensors({"__metadata__": {"a": 3}}), ValueError), (safetensors({"__metadata__": []}), ValueError),
])
def test_safetensors_that_lie_are_errors(contents, error):
    before = tn.get_active_memory()
    with pytest.raises(error):
        tn.load(io.BytesIO(contents), format="safetensors")
    assert tn.get_active_memory() == before


def test_every_truncation_of_a_file_is_an_error():
    for name, save in [("npy", lambda file: tn.save(file, tn.array([1.0, 2.0]))), ("npz", lambda file: tn.savez(file, tn.array([1.0, 2.0]))),
                       ("safetensors", lambda file: tn.save_safetensors(file, {"a": tn.array([1.0, 2.0])}))]:
        file = io.BytesIO()
        save(file)
        for length in range(len(file.getvalue())):
            with pytest.raises((ValueError, RuntimeError)):
                tn.load(io.BytesIO(file.getvalue()[:length]), format=name)


def test_entries_without_a_dtype_are_errors_only_where_they_are_asked_for():
    text = {"a": ENTRY, "b": {"dtype": "F4", "shape": [4], "data_offsets": [8, 10]}}
    np.savez("a.npz", x=np.array([1.0, 2.0], np.float32), y=np.array("text"), z=np.array({}, object))
    for arrays, known, reasons in [(tn.load(io.BytesIO(safetensors(text, struct.pack("<2fh", 1, 2, 0))), format="safetensors"), "a", {"b": "F4"}),
                                   (tn.load("a.npz"), "x", {"y": "<U4", "z": "[|]O"})]:
        assert isinstance(arrays, dict) and arrays[known].tolist() == [1, 2] and list(arrays) == [known]
        for name, dtype in reasons.items():
            assert name not in arrays and arrays.get(name) is None
            with pytest.raises(NotImplementedError, match=f"the array has the dtype '{dtype}', which Tenon does not have"):
                arrays[name]
        with pytest.raises(KeyError):
            arrays["nothing"]


def test_sparse_matrices_of_scipy_can_be_read():
    sparse = pytest.importorskip("scipy.sparse")
    sparse.save_npz("a.npz", sparse.csr_matrix(np.eye(3, dtype=np.float32)))
    arrays = tn.load("a.npz")
    assert arrays["data"].tolist() == [1, 1, 1] and arrays["indptr"].tolist() == [0, 1, 2, 3] and arrays["shape"].tolist() == [3, 3]


def test_what_fails_leaves_the_file_that_was_there():
    class Array:
        """What cannot be computed."""

        def __array__(self, *args, **keywords):
            raise KeyError("no elements")

    good = tn.array([1.0, 2.0])
    saves = {"a.npy": lambda value: tn.save("a.npy", value), "a.npz": lambda value: tn.savez("a.npz", x=good, y=value),
             "b.npz": lambda value: tn.savez_compressed("b.npz", x=good, y=value),
             "a.safetensors": lambda value: tn.save_safetensors("a.safetensors", {"x": good, "y": value}),
             "a.gguf": lambda value: tn.save_gguf("a.gguf", {"x": good, "y": value})}
    for name, save in saves.items():
        save(good)
        with open(name, "rb") as file:
            before = file.read()
        with pytest.raises(Exception):
            save(Array())
        with open(name, "rb") as file:
            assert file.read() == before, name
    assert sorted(os.listdir()) == sorted(saves)


def test_files_that_can_only_be_read_into_objects_are_read():
    class Plain:
        """No readinto."""

        def __init__(self, contents):
            self.file = io.BytesIO(contents)
            self.read, self.seek, self.tell = self.file.read, self.file.seek, self.file.tell

    assert tn.load(Plain(safetensors({"a": ENTRY}, struct.pack("<2f", 1, 2))), format="safetensors")["a"].tolist() == [1, 2]


def test_booleans_of_other_bytes_are_true():
    contents = safetensors({"a": {"dtype": "BOOL", "shape": [3], "data_offsets": [0, 3]}}, b"\0\2\xff")
    assert tn.load(io.BytesIO(contents), format="safetensors")["a"].tolist() == [False, True, True]


def test_a_safetensors_file_may_be_in_another_file():
    file = io.BytesIO(b"before" + safetensors({"a": ENTRY}, struct.pack("<2f", 1, 2)))
    file.seek(6)
    assert tn.load(file, format="safetensors")["a"].tolist() == [1, 2]


class Slow(io.RawIOBase):
    """A file that takes and gives a few bytes at a time, as one without a buffer may."""

    def __init__(self, content=b""):
        self.content, self.at = bytearray(content), 0

    def writable(self):
        return True

    def readable(self):
        return True

    def write(self, bytes):
        part = memoryview(bytes).cast("B")[:7]
        self.content += part
        return len(part)

    def readinto(self, room):
        part = self.content[self.at:self.at + min(5, len(room))]
        room[:len(part)] = part
        self.at += len(part)
        return len(part)


def test_files_may_take_a_part_at_a_time():
    x, file = tn.arange(100.0).reshape(4, 25), Slow()
    tn.save(file, x)
    assert np.load(io.BytesIO(file.content)).tolist() == x.tolist()


@pytest.mark.parametrize("answer", [0, -1, 1 << 40, "all"])
def test_a_file_that_does_not_write_is_an_error(answer):
    file = Slow()
    file.write = lambda bytes: answer
    with pytest.raises((OSError, TypeError)):
        tn.save(file, tn.ones(3))
