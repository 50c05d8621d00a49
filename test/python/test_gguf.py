# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""save_gguf, and load of GGUF files, with mlx.core reading and writing the same files."""

import io
import pathlib
import random
import struct

import mlx.core as mx
import numpy as np
import pytest
import tenon.core as tn

VALUES = [[0, 1, 2], [3, 4, 5]]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def text(value):
    return struct.pack("<Q", len(value)) + value


def gguf(values=(), arrays=(), version=3, counts=None, alignment=32):
    """A file with metadata (key, number of the type, bytes) and arrays (name, dimensions, number of the type, bytes)."""
    head = b"GGUF" + struct.pack("<IQQ", version, *(counts or (len(arrays), len(values))))
    head += b"".join(text(key) + struct.pack("<I", number) + value for key, number, value in values)
    data = b""
    for name, dims, number, elements in arrays:
        head += text(name) + struct.pack(f"<I{len(dims)}QIQ", len(dims), *dims, number, len(data))
        data += elements + bytes(-len(elements) % alignment)
    return head + bytes(-len(head) % alignment) + data


def load(contents):
    return tn.load(io.BytesIO(contents), format="gguf", return_metadata=True)


def same(ours, theirs):
    assert str(ours.dtype).split(".")[-1] == str(theirs.dtype).split(".")[-1]
    np.testing.assert_array_equal(np.array(ours), np.array(theirs))


@pytest.mark.parametrize("dtype", ["int8", "int16", "int32", "float16", "float32"])
def test_files_are_those_of_mlx(dtype):
    for save, read in [(tn, mx), (mx, tn), (tn, tn)]:
        save.save_gguf("a", {"x": save.array(VALUES, getattr(save, dtype)), "y": save.array(2, getattr(save, dtype)), "z": save.zeros((0, 3))})
        arrays = read.load("a.gguf")
        assert list(arrays["x"].shape) == [2, 3] and arrays["x"].tolist() == VALUES and arrays["y"].item() == 2
        assert str(arrays["x"].dtype).endswith(dtype) and arrays["z"].size == 0


@pytest.mark.parametrize("dtype", ["uint8", "int8", "uint16", "int16", "uint32", "int32", "uint64", "int64", "float32", "bool_"])
def test_metadata_are_those_of_mlx(dtype):
    for save, read in [(tn, mx), (mx, tn), (tn, tn)]:
        metadata = {"number": save.array(1, getattr(save, dtype)), "list": save.array([1, 0], getattr(save, dtype)), "text": "säge", "texts": ["a", ""]}
        save.save_gguf("a", {}, metadata)
        arrays, found = read.load("a.gguf", return_metadata=True)
        assert not arrays and found["text"] == "säge" and found["texts"] == ["a", ""]
        same(found["number"], metadata["number"])
        same(found["list"], metadata["list"])


def test_more_dtypes_are_those_of_the_format():
    given = {"a": tn.array([1.5], tn.bfloat16), "b": tn.array([2**40], tn.int64), "c": tn.array([0.1], tn.float64)}
    tn.save_gguf("a", given)
    read = tn.load("a.gguf")
    assert all(read[key].dtype == array.dtype and read[key].tolist() == array.tolist() for key, array in given.items())


@pytest.mark.parametrize("number, byte_size, halves", [(2, 18, [0]), (3, 20, [0, 2]), (8, 34, [0]), (10, 84, [80, 82]), (14, 210, [208])])
def test_quantised_arrays_are_those_of_mlx(number, byte_size, halves):
    draw = np.random.default_rng(number)
    blocks = draw.integers(0, 256, (6, byte_size), dtype=np.uint8)
    for at in halves:
        blocks[:, at : at + 2] = draw.normal(size=(6, 1)).astype(np.float16).view(np.uint8)
    row = 2 * (32 if number < 10 else 256)
    pathlib.Path("a.gguf").write_bytes(gguf(arrays=[(b"layer.weight", (row, 3), number, blocks.tobytes())]))
    ours, theirs = tn.load("a.gguf"), mx.load("a.gguf")
    assert ours.keys() == theirs.keys()
    for name, array in ours.items():
        same(array, theirs[name])


# mlx.core gives two groups of 32 the scale of the first.
def test_each_group_of_q4_k_has_its_scale():
    draw = np.random.default_rng(0)
    block = draw.integers(0, 256, 144, dtype=np.uint8)
    block[:4] = np.array([0.5, 0.25], np.float16).view(np.uint8)
    codes, packed = block[16:].reshape(4, 32), block[4:16]
    expected = []
    for group in range(8):
        scale, offset = packed[group] & 63, packed[(group + 4) % 12] & 63
        if group >= 4:
            scale, offset = packed[group + 4] & 15 | packed[group - 4] >> 6 << 4, packed[group + 4] >> 4 | packed[group] >> 6 << 4
        half = codes[group // 2] >> 4 if group % 2 else codes[group // 2] & 15
        expected += (0.5 * scale * half.astype(np.float64) - 0.25 * offset).tolist()
    arrays, _ = load(gguf(arrays=[(b"x", (256,), 12, block.tobytes())]))
    assert arrays["x"].dtype == tn.float16 and arrays["x"].tolist() == np.float16(expected).tolist()


def test_dequantize_reads_packed_arrays():
    blocks = np.zeros((1, 18), np.uint8)
    blocks[:, :2], blocks[:, 2:] = np.array([0.5], np.float16).view(np.uint8), 0x9F
    arrays, _ = load(gguf(arrays=[(b"x.weight", (32, 1), 2, blocks.tobytes())]))
    whole = tn.dequantize(arrays["x.weight"], arrays["x.scales"], arrays["x.biases"], group_size=32, bits=4)
    assert whole.tolist() == [[3.5] * 16 + [0.5] * 16]


def test_the_alignment_is_that_of_the_metadata():
    values = [(b"general.alignment", 4, struct.pack("<I", 64))]
    arrays, metadata = load(gguf(values, [(b"x", (1,), 0, struct.pack("<f", 5)), (b"y", (1,), 0, struct.pack("<f", 6))], alignment=64))
    assert arrays["x"].item() == 5 and arrays["y"].item() == 6
    file = io.BytesIO()
    tn.save_gguf(file, arrays, metadata)
    assert len(file.getvalue()) % 64 == 0 and load(file.getvalue())[0]["y"].item() == 6


def test_texts_of_any_bytes_come_back():
    contents = gguf([(b"k", 8, text(b"\xff\0a")), (b"l", 9, struct.pack("<IQ", 8, 1) + text(b"\x80"))])
    file = io.BytesIO()
    tn.save_gguf(file, *load(contents))
    assert file.getvalue() == contents


def test_version_2_is_read_and_floats_of_64_bits_become_float32():
    _, metadata = load(gguf([(b"k", 12, struct.pack("<d", 0.5))], version=2))
    assert metadata["k"].dtype == tn.float32 and metadata["k"].item() == 0.5


@pytest.mark.parametrize("contents, error, words", [
    (b"GGUX" + bytes(20), ValueError, "not a GGUF file"),
    (gguf(version=1), ValueError, "version 1"),
    (gguf(counts=(0, 1 << 63)), RuntimeError, "ends too early"),
    (gguf(counts=(1 << 63, 0)), RuntimeError, "ends too early"),
    (gguf([(b"k", 13, b"")]), ValueError, "no type 13"),
    (gguf([(b"k", 9, struct.pack("<IQ", 13, 0))]), ValueError, "no type 13"),
    (gguf([(b"k", 9, struct.pack("<IQ", 9, 1))]), ValueError, "lists of lists"),
    (gguf([(b"k", 9, struct.pack("<IQ", 0, 1 << 60))]), RuntimeError, "ends too early"),
    (gguf([(b"k", 8, struct.pack("<Q", 1 << 60))]), RuntimeError, "ends too early"),
    (gguf([(b"general.alignment", 4, struct.pack("<I", 0))]), ValueError, "general.alignment"),
    (gguf([(b"general.alignment", 8, text(b"x"))]), ValueError, "general.alignment"),
    (gguf(arrays=[(b"x", (1 << 40, 1 << 40), 0, b"")]), RuntimeError, "ends too early"),
    (gguf(arrays=[(b"x", (1 << 63, 0), 0, b"")]), ValueError, "9223372036854775808"),
    (gguf(arrays=[(b"x", (1,) * 65, 0, bytes(4))]), ValueError, "65 dimensions"),
    (gguf(arrays=[(b"x", (33,), 2, bytes(36))]), ValueError, "rows of 33 elements"),
    (gguf(arrays=[(b"x", (), 8, bytes(36))]), ValueError, "rows of 1 elements"),
    (gguf(arrays=[(b"x", (32,), 6, bytes(22))]), NotImplementedError, "type 6 of GGML"),
], ids=lambda it: it if isinstance(it, str) else "")
def test_files_that_lie_are_errors(contents, error, words):
    with pytest.raises(error, match=words):
        load(contents)


def test_damaged_files_are_errors_or_other_arrays():
    file = io.BytesIO()
    tn.save_gguf(file, {"x": tn.array([1.0, 2.0])}, {"k": tn.array([1, 2]), "t": ["a", "b"], "general.alignment": tn.array(32, tn.uint32)})
    whole = file.getvalue()
    for length in range(len(whole) - 24):  # behind the elements there is nothing but padding
        with pytest.raises((ValueError, RuntimeError)):
            load(whole[:length])
    draw = random.Random(0)
    for _ in range(2000):
        damaged = bytearray(whole)
        for _ in range(draw.randint(1, 4)):
            damaged[draw.randrange(len(damaged))] = draw.choice([0, 1, 2, 8, 9, 127, 128, 255, draw.randrange(256)])
        try:
            arrays, metadata = load(bytes(damaged))
            tn.eval(arrays, metadata)
        except (ValueError, RuntimeError, NotImplementedError):
            pass


@pytest.mark.parametrize("call, error, words", [
    (lambda: tn.save_gguf("a", {"x": tn.array([1], tn.uint32)}), ValueError, "x: GGUF files have no elements uint32"),
    (lambda: tn.save_gguf("a", {"x": tn.array([1])}, {"m": tn.array(1, tn.float16)}), ValueError, "metadata 'm': float16"),
    (lambda: tn.save_gguf("a", {}, {"m": tn.zeros((2, 2))}), ValueError, "metadata 'm': float32 of shape"),
    (lambda: tn.save_gguf("a", {}, {"m": []}), ValueError, "metadata 'm'"),
    (lambda: tn.save_gguf("a", {}, {"general.alignment": 0}), ValueError, "general.alignment"),
    (lambda: tn.save_gguf("a", {3: tn.array(1)}), TypeError, "3 cannot be a name"),
    (lambda: tn.save_gguf("a", [1]), TypeError, "dict"),
    (lambda: tn.save_gguf("a", {"x": object()}), TypeError, "object"),
    (lambda: tn.save_gguf("none/a", {}), FileNotFoundError, "none/a.gguf"),
])
def test_mistakes_are_errors_and_leave_no_file(call, error, words):
    with pytest.raises(error, match=words):
        call()
    assert not pathlib.Path("a.gguf").exists()


def test_arrays_of_any_layout_are_written():
    tn.save_gguf("a", {"t": tn.array(VALUES).T, "b": tn.broadcast_to(tn.array([1, 2]), (2, 2))})
    arrays = tn.load("a.gguf", stream=tn.cpu)
    assert arrays["t"].tolist() == [[0, 3], [1, 4], [2, 5]] and arrays["b"].tolist() == [[1, 2], [1, 2]]
