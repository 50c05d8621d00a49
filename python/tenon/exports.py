"""Functions of arrays in files: tenon.core.export_function, exporter, import_function; and pictures of graphs.

A file has one part for each trace: a comment with what Python needs to know, and a StableHLO module. A file with one part is a
StableHLO program for any tool, such as `tenon run`.
"""

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


def _spell(positional, named):
    parts = [f"{dtype}{shape}" for shape, dtype in positional]
    return f"({', '.join(parts + [f'{key}={dtype}{shape}' for key, (shape, dtype) in named.items()])})"


class FunctionExporter:
    """Writes a function for the arguments of each call: a context manager, made by tenon.core.exporter."""

    def __init__(self, file, fun, shapeless=False, metadata=None):
        if not callable(fun):
            raise TypeError(f"exporter(): expected a function; found {fun!r}")
        if metadata is not None and not isinstance(metadata, str):
            raise TypeError(f"exporter(): metadata is a string; found {metadata!r}")
        self._file = open(os.fspath(file), "w", encoding="utf-8")  # noqa: SIM115
        self._fun, self._metadata, self._seen = fun, metadata or "", []

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

        text = core.export_module(call, *positional, *named.values())
        self._seen.append(head)
        self._file.write(f"{_MARK}{json.dumps(head)}\n{text}")

    def close(self):
        """Ends the file."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.close()


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
        self._parts = [(head, core.import_module(text)[0]) for head, text in parts]

    def __call__(self, *args, **kwargs):
        positional, named = _arguments("import_function", args, kwargs)
        inputs, keywords = _types(positional), dict(zip(named, _types(named.values())))
        for head, function in self._parts:
            if head is None or (head["inputs"] == inputs and head["keywords"] == keywords):
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
        return head
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
    module = core.graph_module(*args, *kwargs.values())
    text = core.Program(module.encode()).print("ir", "dot")
    if hasattr(file, "write"):
        file.write(text)
    else:
        with open(os.fspath(file), "w", encoding="utf-8") as stream:
            stream.write(text)
