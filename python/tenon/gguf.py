# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""GGUF files: arrays, quantised ones among them, and metadata. The format: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md"""

import contextlib
import math
import os
import struct

from . import core

__all__ = ["load", "save_gguf"]

_MAGIC = b"GGUF"
_MOST_DIMENSIONS = 64
_ALIGNMENT = 32  # unless the metadata say otherwise

# Values of metadata by the number of their type: how struct reads one, and the dtype it gets here.
_VALUES = {
    0: ("B", core.uint8), 1: ("b", core.int8), 2: ("H", core.uint16), 3: ("h", core.int16), 4: ("I", core.uint32), 5: ("i", core.int32),
    6: ("f", core.float32), 7: ("?", core.bool_), 10: ("Q", core.uint64), 11: ("q", core.int64), 12: ("d", core.float32),
}
_TEXT, _LIST = 8, 9
_VALUE_NUMBERS = {dtype: number for number, (_, dtype) in _VALUES.items() if number != 12}

# Elements of arrays by the number of their type.
_ELEMENTS = {
    0: core.float32, 1: core.float16, 24: core.int8, 25: core.int16, 26: core.int32, 27: core.int64, 28: core.float64, 30: core.bfloat16,
}
_ELEMENT_NUMBERS = {dtype: number for number, dtype in _ELEMENTS.items()}


# --- blocks of quantised elements: arrays of bytes, one row for each block


def _halves(blocks, at):
    """The float16 at a byte of each block."""
    return core.contiguous(blocks[:, at : at + 2]).view(core.float16)


def _nibbles(bytes_):
    """The low halves of the bytes of each row, then the high ones."""
    return core.concatenate([bytes_ & 15, bytes_ >> 4], axis=-1)


def _packed_nibbles(blocks, at):
    codes = _nibbles(blocks[:, at : at + 16])
    return core.contiguous(codes[:, ::2] | (codes[:, 1::2] << 4))


def _q4_0(blocks):
    scales = _halves(blocks, 0)
    return _packed_nibbles(blocks, 2), scales, scales * -8


def _q4_1(blocks):
    return _packed_nibbles(blocks, 4), _halves(blocks, 0), _halves(blocks, 2)


def _q8_0(blocks):
    scales = _halves(blocks, 0)
    return core.contiguous(blocks[:, 2:34] ^ 128), scales, scales * -128


# The types that dequantize reads, in groups of 32: bytes of a block, and the codes, scales and biases of blocks.
_PACKED = {2: (18, _q4_0), 3: (20, _q4_1), 8: (34, _q8_0)}


def _scaled(codes, scales, offsets=None):
    """Rows of groups: each scale, and each offset, is for the codes of a group."""
    groups = codes.reshape(codes.shape[0], scales.shape[1], -1) * scales[..., None]
    return groups if offsets is None else groups - offsets[..., None]


def _pairs(bytes_):
    """Each byte as four numbers of two bits: those of the lowest bits of all bytes come first."""
    return core.concatenate([(bytes_ >> shift) & 3 for shift in (0, 2, 4, 6)], axis=-1)


def _q2_k(blocks):
    codes = core.concatenate([_pairs(blocks[:, 16:48]), _pairs(blocks[:, 48:80])], axis=-1)
    scales, offsets = blocks[:, :16] & 15, blocks[:, :16] >> 4
    single = core.float32
    return _scaled(codes, _halves(blocks, 80).astype(single) * scales, _halves(blocks, 82).astype(single) * offsets)


def _q4_k(blocks):
    low, mid, high = blocks[:, 4:8], blocks[:, 8:12], blocks[:, 12:16]  # of 6 bits each, those of the last four in two parts
    scales = core.concatenate([low & 63, (high & 15) | ((low >> 6) << 4)], axis=-1)
    offsets = core.concatenate([mid & 63, (high >> 4) | ((mid >> 6) << 4)], axis=-1)
    codes = core.concatenate([_nibbles(blocks[:, at : at + 32]) for at in range(16, 144, 32)], axis=-1)
    single = core.float32
    return _scaled(codes, _halves(blocks, 0).astype(single) * scales, _halves(blocks, 2).astype(single) * offsets)


def _q6_k(blocks):
    low = core.concatenate([_nibbles(blocks[:, :64]), _nibbles(blocks[:, 64:128])], axis=-1)
    high = core.concatenate([_pairs(blocks[:, 128:160]), _pairs(blocks[:, 160:192])], axis=-1)
    codes = (low | (high << 4)).astype(core.float32) - 32
    scales = core.contiguous(blocks[:, 192:208]).view(core.int8)
    return _scaled(codes, _halves(blocks, 208).astype(core.float32) * scales)


# Those that become float16, in blocks of 256: bytes of a block, and the elements.
_EXPANDED = {10: (84, _q2_k), 12: (144, _q4_k), 14: (210, _q6_k)}


# --- reading


class _Reader:
    """The file from where it is now to its end."""

    def __init__(self, file, name):
        self._file, self.name = file, name
        self.at = file.tell()
        self.end = file.seek(0, os.SEEK_END)
        self.move(self.at)

    def refuse(self, what):
        return ValueError(f"[load] {self.name}: {what}")

    def move(self, at):
        self._file.seek(at)
        self.at = at

    def check(self, count):
        if count > self.end - self.at:
            raise RuntimeError(f"[load] {self.name}: the file ends too early")

    def bytes(self, count):
        self.check(count)
        data = self._file.read(count)
        if len(data) != count:
            raise RuntimeError(f"[load] {self.name}: the file ends too early")
        self.at += count
        return data

    def number(self, letter):
        return struct.unpack("<" + letter, self.bytes(struct.calcsize("<" + letter)))[0]

    def text(self):
        # Any bytes come back as they were when the text is written again.
        return self.bytes(self.number("Q")).decode("utf-8", "surrogateescape")

    def array(self, dtype, shape):
        data = self.bytes(math.prod(shape) * dtype.size)
        return core.array._from_bytes(dtype, tuple(shape), data)


def _read_numbers(reader, number, shape):
    if number not in _VALUES:
        raise reader.refuse(f"there is no type {number} of metadata")
    letter, dtype = _VALUES[number]
    stored = core.float64 if letter == "d" else core.uint8 if letter == "?" else dtype
    values = reader.array(stored, shape)
    return values != 0 if letter == "?" else values.astype(dtype)


def _read_value(reader):
    number = reader.number("I")
    if number == _TEXT:
        return reader.text()
    if number != _LIST:
        return _read_numbers(reader, number, ())
    number, count = reader.number("I"), reader.number("Q")
    if number == _LIST:
        raise reader.refuse("lists of lists are not supported as metadata")
    reader.check(count)  # each element takes a byte or more
    if number == _TEXT:
        return [reader.text() for _ in range(count)]
    return _read_numbers(reader, number, (count,))


def _read_info(reader):
    """Of an array: its name, shape, type, and where its elements are."""
    name, rank = reader.text(), reader.number("I")
    if rank > _MOST_DIMENSIONS:
        raise reader.refuse(f"{name}: {rank} dimensions; at most {_MOST_DIMENSIONS} are supported")
    shape = [reader.number("Q") for _ in range(rank)][::-1]
    if any(size >= 1 << 63 for size in shape):
        raise reader.refuse(f"{name}: a dimension of {max(shape)}")
    return name, shape, reader.number("I"), reader.number("Q")


def _blocks(reader, name, shape, per_block, byte_size):
    """The blocks of an array, a row for each."""
    if not shape or shape[-1] % per_block:
        raise reader.refuse(f"{name}: rows of {shape[-1] if shape else 1} elements are not made of blocks of {per_block}")
    return reader.array(core.uint8, (math.prod(shape) // per_block, byte_size))


def _read_array(reader, name, shape, number, arrays):
    if number in _ELEMENTS:
        arrays[name] = reader.array(_ELEMENTS[number], shape)
    elif number in _EXPANDED:
        byte_size, expand = _EXPANDED[number]
        arrays[name] = expand(_blocks(reader, name, shape, 256, byte_size)).astype(core.float16).reshape(shape)
    elif number in _PACKED:
        byte_size, unpack = _PACKED[number]
        codes, scales, biases = unpack(_blocks(reader, name, shape, 32, byte_size))
        groups = [*shape[:-1], shape[-1] // 32]
        arrays[name] = codes.view(core.uint32).reshape([*shape[:-1], groups[-1] * codes.shape[1] // 4])
        layer = name.removesuffix(".weight")
        arrays[layer + ".scales"], arrays[layer + ".biases"] = scales.reshape(groups), biases.reshape(groups)
    else:
        raise NotImplementedError(f"[load] {reader.name}: {name}: elements of the type {number} of GGML are not supported")


def load(file, name, stream=None):
    """The arrays, and the metadata: arrays, strings and lists of strings."""
    reader = _Reader(file, name)
    with contextlib.nullcontext() if stream is None else core.stream(stream):
        return _read(reader)


def _read(reader):
    if reader.bytes(len(_MAGIC)) != _MAGIC:
        raise reader.refuse("this is not a GGUF file")
    version, count, value_count = reader.number("I"), reader.number("Q"), reader.number("Q")
    if version not in (2, 3):
        raise reader.refuse(f"version {version} of GGUF; expected 2 or 3")
    metadata, arrays = {}, {}
    for _ in range(value_count):
        key = reader.text()
        metadata[key] = _read_value(reader)
    infos = [_read_info(reader) for _ in range(count)]
    alignment = _alignment(metadata)
    if alignment is None:
        raise reader.refuse("general.alignment is not a positive integer")
    start = reader.at + -reader.at % alignment
    for key, shape, number, offset in infos:
        reader.move(min(start + offset, reader.end))
        _read_array(reader, key, shape, number, arrays)
    return arrays, metadata


def _alignment(metadata):
    value = metadata.get("general.alignment", _ALIGNMENT)
    if isinstance(value, core.array) and value.ndim == 0 and core.issubdtype(value.dtype, core.integer):
        value = value.item()
    return value if isinstance(value, int) and value > 0 else None


# --- writing


def _spell_text(text):
    data = text.encode("utf-8", "surrogateescape")
    return struct.pack("<Q", len(data)) + data


def _spell_key(key):
    if not isinstance(key, str):
        raise TypeError(f"[save_gguf] {key!r} cannot be a name; expected a string")
    return _spell_text(key)


def _spell_value(key, value):
    if isinstance(value, str):
        return struct.pack("<I", _TEXT) + _spell_text(value)
    if isinstance(value, (list, tuple)) and value and all(isinstance(text, str) for text in value):
        return struct.pack("<IIQ", _LIST, _TEXT, len(value)) + b"".join(map(_spell_text, value))
    array = core.asarray(value)
    if array.dtype not in _VALUE_NUMBERS or array.ndim > 1 or array.size == 0:
        raise ValueError(f"[save_gguf] metadata {key!r}: {array.dtype.name} of shape {array.shape}; expected a string, a list of strings, "
                         "or a number or a list of numbers, which are bool, integers or float32")
    number = _VALUE_NUMBERS[array.dtype]
    head = struct.pack("<I", number) if array.ndim == 0 else struct.pack("<IIQ", _LIST, number, array.size)
    return head + bytes(array)


def _spell_head(arrays, metadata, alignment):
    parts = [_MAGIC, struct.pack("<IQQ", 3, len(arrays), len(metadata))]
    parts += [_spell_key(key) + _spell_value(key, value) for key, value in metadata.items()]
    offset = 0
    for name, array in arrays.items():
        if array.dtype not in _ELEMENT_NUMBERS:
            raise ValueError(f"[save_gguf] {name}: GGUF files have no elements {array.dtype.name}")
        parts += [_spell_key(name), struct.pack(f"<I{array.ndim}Q", array.ndim, *array.shape[::-1]),
                  struct.pack("<IQ", _ELEMENT_NUMBERS[array.dtype], offset)]
        offset += array.nbytes + -array.nbytes % alignment
    return b"".join(parts)


def _write(file, head, arrays, alignment):
    file.write(head + bytes(-len(head) % alignment))
    for array in arrays.values():
        file.write(bytes(array) + bytes(-array.nbytes % alignment))


def save_gguf(file, arrays, metadata=None):
    if not isinstance(arrays, dict) or not isinstance(metadata, (dict, type(None))):
        raise TypeError("[save_gguf] expected a dict of arrays, and of metadata")
    metadata = metadata or {}
    arrays = {name: core.asarray(array) for name, array in arrays.items()}
    core.eval(arrays)
    alignment = _alignment({key: core.asarray(value) for key, value in metadata.items() if key == "general.alignment"})
    if alignment is None:
        raise ValueError("[save_gguf] general.alignment is not a positive integer")
    head = _spell_head(arrays, metadata, alignment)
    _write(file, head, arrays, alignment)
