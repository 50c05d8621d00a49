# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""Functions of arrays in files: tenon.core.export_function, exporter, import_function; and pictures of graphs.

A file has one part for each trace: a comment with what Python needs to know, and a StableHLO module. A file with one part is a
StableHLO program for any tool, such as `tenon run`. The comment of a function without shapes has the calls of array functions that
the function made: for other shapes they are made again.
"""

import base64
import json
import os

from . import core

__all__ = ["FunctionExporter", "export_function", "export_to_dot", "exporter", "import_function"]

_MARK = "// tenon.function "


def _is_arrays(values):
    return all(isinstance(value, core.array) for value in values)


def _arguments(name, args, kwargs):
    """The arrays by position and by name; they may be given as a sequence and a dict of them, too."""
    positional, named = args, kwargs
    if args and isinstance(args[-1], dict) and not kwargs:
        named, positional = args[-1], args[:-1]
    if len(positional) == 1 and isinstance(positional[0], (list, tuple)):
        positional = positional[0]
    if not _is_arrays(positional) or not _is_arrays(named.values()) or not all(isinstance(key, str) for key in named):
        raise ValueError(f"[{name}] the arguments should be arrays, or a list or tuple of arrays and a dict of arrays")
    return tuple(positional), dict(sorted(named.items()))


def _types(arrays):
    return [[list(array.shape), array.dtype.name] for array in arrays]


def _forget_sizes(inputs, keywords):
    return [(len(shape), dtype) for shape, dtype in inputs], {key: (len(shape), dtype) for key, (shape, dtype) in keywords.items()}


def _spell(positional, named):
    parts = [f"{dtype}{shape}" for shape, dtype in positional]
    return f"({', '.join(parts + [f'{key}={dtype}{shape}' for key, (shape, dtype) in named.items()])})"


# --- calls of array functions as JSON


class _NotWritable(Exception):
    pass


class _Value(int):
    """The number of an array: inputs come first, then the results of the calls."""


def _leaves(tree):
    return [tree] if isinstance(tree, core.array) else [leaf for part in tree for leaf in _leaves(part)]


def _encode(value, numbers):
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, core.array):
        number = numbers.get(core._value_id(value))
        data = None if number is not None else base64.b64encode(bytes(value)).decode()
        return {"constant": [value.dtype.name, list(value.shape), data]} if number is None else {"value": number}
    if isinstance(value, (list, tuple)):
        return {"list" if isinstance(value, list) else "tuple": [_encode(part, numbers) for part in value]}
    if isinstance(value, slice):
        return {"slice": [_encode(part, numbers) for part in (value.start, value.stop, value.step)]}
    if isinstance(value, core.Dtype):
        return {"dtype": value.name}
    if isinstance(value, complex):
        return {"complex": [value.real, value.imag]}
    if value is Ellipsis:
        return {"ellipsis": None}
    if isinstance(value, (core.Stream, core.Device, core.DeviceType)):
        return None
    raise _NotWritable


def _dtype(name):
    dtype = getattr(core, name)
    if not isinstance(dtype, core.Dtype):
        raise ValueError(name)
    return dtype


def _value(number):
    if not isinstance(number, int) or number < 0:
        raise ValueError(number)
    return _Value(number)


_DECODERS = {
    "constant": lambda given: core.array._from_bytes(_dtype(given[0]), tuple(given[1]), base64.b64decode(given[2])),
    "list": lambda given: [_decode(part) for part in given],
    "tuple": lambda given: tuple(_decode(part) for part in given),
    "slice": lambda given: slice(*(_decode(part) for part in given)),
    "value": _value,
    "dtype": _dtype,
    "complex": lambda given: complex(*given),
    "ellipsis": lambda given: Ellipsis,
}


def _decode(value):
    if not isinstance(value, dict):
        return value
    ((kind, given),) = value.items()
    return _DECODERS[kind](given)


def _encode_recording(recording):
    """The calls, each a list of name, arguments, names of the last ones, and number of results; and the outputs."""
    calls, inputs, outputs = recording
    numbers, count, encoded = {core._value_id(array): number for number, array in enumerate(inputs)}, len(inputs), []
    for name, arguments, names, result in calls:
        results = _leaves(result)
        encoded.append([name, [_encode(value, numbers) for value in arguments], list(names or ()), len(results)])
        numbers.update({core._value_id(array): count + i for i, array in enumerate(results)})
        count += len(results)
    return {"calls": encoded, "outputs": [_encode(array, numbers) for array in _leaves(outputs)]}


class _Recording:
    """Calls of array functions that a file has, for arrays of any shapes."""

    def __init__(self, encoded):
        self._calls = [(name, _decode({"tuple": arguments}), tuple(names), count) for name, arguments, names, count in encoded["calls"]]
        self._outputs = _decode({"tuple": encoded["outputs"]})

    def __call__(self, *inputs):
        values = list(inputs)
        for name, arguments, names, count in self._calls:
            results = _leaves(core._call_function(name, self._fill(arguments, values), names))
            if len(results) != count:
                raise ValueError(f"[import_function] {name} gave {count} arrays when it was exported, and {len(results)} for these shapes")
            values += results
        return self._fill(self._outputs, values)

    def check(self, input_count):
        """IndexError if an array is used before there is one with that number."""
        numbers = list(range(input_count))
        for _, arguments, _, count in self._calls:
            self._fill(arguments, numbers)
            numbers += range(count)
        self._fill(self._outputs, numbers)
        return self

    def _fill(self, tree, values):
        if isinstance(tree, (list, tuple)):
            return type(tree)(self._fill(part, values) for part in tree)
        return values[tree] if isinstance(tree, _Value) else tree


# --- files


class FunctionExporter:
    """Writes a function for the arguments of each call: a context manager, made by tenon.core.exporter."""

    def __init__(self, file, fun, shapeless=False, metadata=None):
        if not callable(fun):
            raise TypeError(f"exporter(): expected a function; found {fun!r}")
        if metadata is not None and not isinstance(metadata, str):
            raise TypeError(f"exporter(): metadata is a string; found {metadata!r}")
        self._file = open(os.fspath(file), "w", encoding="utf-8")  # noqa: SIM115
        self._fun, self._shapeless, self._metadata, self._seen = fun, shapeless, metadata or "", []

    def __call__(self, *args, **kwargs):
        if self._file is None:
            raise RuntimeError("[export_function] the file has been closed")
        positional, named = _arguments("export_function", args, kwargs)
        head = {"inputs": _types(positional), "keywords": dict(zip(named, _types(named.values()))), "metadata": self._metadata}
        if head in self._seen:
            raise RuntimeError("[export_function] the function has been exported for such arguments already")

        def call(*arrays):
            outputs = self._fun(*arrays[: len(positional)], **dict(zip(named, arrays[len(positional):])))
            if not isinstance(outputs, core.array) and not (isinstance(outputs, (list, tuple)) and _is_arrays(outputs)):
                raise ValueError("[export_function] the function should return an array, or a list or tuple of arrays")
            return outputs

        text, recording = (core._export_recorded if self._shapeless else _export_fixed)(call, *positional, *named.values())
        self._seen.append(head)
        self._file.write(f"{_MARK}{json.dumps({**head, **_recording_of(recording)})}\n{text}")

    def close(self):
        """Ends the file."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.close()


def _export_fixed(call, *inputs):
    return core._export_module(call, *inputs), None


def _recording_of(recording):
    """What the comment says besides. Without it the function is for the shapes of its arguments alone."""
    try:
        return {"shapeless": _encode_recording(recording)} if recording else {}
    except _NotWritable:
        return {}


def exporter(file, fun, *, shapeless=False, metadata=None):
    return FunctionExporter(file, fun, shapeless, metadata)


def export_function(file_or_callback, fun, *args, shapeless=False, metadata=None, **kwargs):
    if callable(file_or_callback):
        if metadata is not None:
            raise ValueError("[export_function] metadata is for files, not for a callback")
        raise NotImplementedError("[export_function] expected the path of a file; callbacks are not supported")
    positional, named = _arguments("export_function", args, kwargs)
    with FunctionExporter(file_or_callback, fun, shapeless, metadata) as export:
        export(*positional, **named)


class _Imported:
    """A function with a module for each kind of arguments."""

    def __init__(self, parts):
        self._parts = [(head, core._import_module(text)[0]) for head, text in parts]
        self._recordings = [(head, head["shapeless"]) for head, _ in parts if head and "shapeless" in head]

    def __call__(self, *args, **kwargs):
        positional, named = _arguments("import_function", args, kwargs)
        inputs, keywords = _types(positional), dict(zip(named, _types(named.values())))
        for head, function in self._parts:
            if head is None or (head["inputs"] == inputs and head["keywords"] == keywords):
                return function(*positional, *named.values())
        for head, function in self._recordings:
            if _forget_sizes(head["inputs"], head["keywords"]) == _forget_sizes(inputs, keywords):
                return function(*positional, *named.values())
        known = ", ".join(_spell(head["inputs"], head["keywords"]) for head, _ in self._parts)
        raise ValueError(f"[import_function] the function is for {known}; it was called with {_spell(inputs, keywords)}")


def _head(file, line):
    """What the comment before a module says."""
    try:
        head = json.loads(line)
    except ValueError:
        head = None
    if isinstance(head, dict) and {"inputs", "keywords", "metadata"} <= head.keys():
        try:
            if "shapeless" in head:
                head["shapeless"] = _Recording(head["shapeless"]).check(len(head["inputs"]) + len(head["keywords"]))
            return head
        except (AttributeError, KeyError, IndexError, TypeError, ValueError):
            pass
    raise ValueError(f"[import_function] {file}: the comment before a function is damaged: {line[:80]!r}")


def import_function(file, return_metadata=False):
    with open(os.fspath(file), encoding="utf-8") as stream:
        before, *rest = stream.read().split(_MARK)
    parts = []
    for part in rest:
        line, _, text = part.partition("\n")
        parts.append((_head(file, line), text))
    if not parts:
        parts = [(None, before)]
    if not all("@main" in text for _, text in parts):
        raise ValueError(f"[import_function] {file}: there is no function @main")
    function = _Imported(parts)
    return (function, parts[0][0]["metadata"] if parts[0][0] else "") if return_metadata else function


def export_to_dot(file, /, *args, **kwargs):
    module = core._graph_module(*args, *kwargs.values())
    text = core.Program(module.encode()).print("ir", "dot")
    if hasattr(file, "write"):
        file.write(text)
    else:
        with open(os.fspath(file), "w", encoding="utf-8") as stream:
            stream.write(text)
