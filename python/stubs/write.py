# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""Writes the type stubs of tenon.core into a folder: core/__init__.pyi and a file for each module in it.

  PYTHONPATH=build/release/python python3 python/stubs/write.py FOLDER

The built module says which functions there are, with what parameters, defaults and documentation. The types of the parameters are
those of the table of array functions (tools/array_functions.py) for the parameters with their names, unless `TYPES` has others; the
files next to this one have what is neither: classes, functions that are not of arrays, and overloads.
"""

import ast
import inspect
import pathlib
import re
import sys
import types

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "tools"))

import array_functions  # noqa: E402
import tenon.core as core  # noqa: E402

LICENCE = "# SPDX-License-Identifier: Apache-2.0\n# Copyright (c) 2026 The Tenon authors\n\n"
MARK = LICENCE + "# Written by python/stubs/write.py."
HEADER = """from collections.abc import Iterable
from typing import Any, Literal, NamedTuple, SupportsIndex, final, overload

from . import Device, DeviceType, _ArrayLike, _DtypeLike, _Integers, _Real, _StreamOrDevice, array

"""
KINDS = {"ARRAY": "_ArrayLike", "ARRAYS": "Iterable[_ArrayLike]", "AXIS": "SupportsIndex | None", "INTEGER": "SupportsIndex",
         "INTEGERS": "_Integers", "REAL": "_Real", "REAL_OR_NONE": "_Real | None", "BOOL": "bool", "DTYPE": "_DtypeLike", "TEXT": "str"}
# The parameters with these names, wherever the table does not say.
NAMES = {"stream": "_StreamOrDevice", "device": "Device | DeviceType", "copy": "bool", "descending": "bool", "stable": "bool", "keepdims": "bool",
         "ord": "_Real", "rtol": "_ArrayLike", "prepend": "_ArrayLike", "append": "_ArrayLike", "n": "SupportsIndex", "axis": "_Integers",
         "dtype": "_DtypeLike", "side": "Literal['left', 'right']", "UPLO": "Literal['L', 'U']",
         "operands": "_ArrayLike", "mode": "str", "group_size": "SupportsIndex", "bits": "SupportsIndex", "transpose": "bool",
         "sorted_indices": "bool", "correction": "SupportsIndex", "include_initial": "bool", "full_matrices": "bool", "invert": "bool", "allow_col_major": "bool", "force_fused": "bool",
         "num_samples": "SupportsIndex", "subscripts": "str"}
NAMES |= {name: "_ArrayLike" for name in ("a", "b", "w", "x", "x1", "x2", "scales", "biases", "global_scale", "global_scale_x", "global_scale_w",
                                          "lhs_indices", "rhs_indices")}
# Parameters and results ("->") of functions that differ from those of the table with the same name.
TYPES = {
    "arange": {"start": "_Real", "stop": "_Real", "step": "_Real"},
    "broadcast_arrays": {"arrays": "_ArrayLike"},
    "broadcast_shapes": {"shapes": "_Integers", "->": "tuple[int, ...]"},
    "can_cast": {"from_": "_ArrayLike | _DtypeLike", "to": "_DtypeLike", "->": "bool"},
    "clip": {"a_min": "_ArrayLike | None", "a_max": "_ArrayLike | None"},
    "concatenate": {"axis": "SupportsIndex | None"},
    "conv_general": {"padding": "_Integers | Iterable[_Integers]"},
    "eig": {"->": "_Eig"}, "eigh": {"->": "_Eig"}, "slogdet": {"->": "_Slogdet"},
    "einsum": {"operands": "_ArrayLike"},
    "einsum_path": {"->": "tuple[list[tuple[int, ...]], str]"},
    "get_array_buffer_size": {"args": "Any", "->": "int"},
    "isdtype": {"dtype": "_DtypeLike", "kind": "_DtypeLike | tuple[_DtypeLike, ...]", "->": "bool"},
    "issubdtype": {"arg1": "_DtypeLike | DtypeCategory", "arg2": "_DtypeLike | DtypeCategory", "->": "bool"},
    "layer_norm": {"weight": "_ArrayLike | None", "bias": "_ArrayLike | None"},
    "hfft": {"axis": "SupportsIndex", "norm": "Literal['backward', 'ortho', 'forward']"},
    "ihfft": {"axis": "SupportsIndex", "norm": "Literal['backward', 'ortho', 'forward']"},
    "matrix_norm": {"ord": "_Real | str"},
    "meshgrid": {"arrays": "_ArrayLike", "sparse": "bool", "indexing": "Literal['xy', 'ij']", "->": "tuple[array, ...]"},
    "moveaxis": {"source": "_Integers", "destination": "_Integers"},
    "norm": {"ord": "_Real | str"},
    "qr": {"mode": "Literal['reduced', 'complete']", "->": "_QR"},
    "pad": {"pad_width": "_Integers | Iterable[_Integers]"},
    "permutation": {"x": "SupportsIndex | _ArrayLike"},
    "quantize": {"->": "tuple[array, ...]"},
    "result_type": {"arrays_and_dtypes": "_ArrayLike | _DtypeLike", "->": "Dtype"},
    "rms_norm": {"weight": "_ArrayLike | None"},
    "roll": {"shift": "_Integers"},
    "rope": {"base": "_Real | None"},
    "scaled_dot_product_attention": {"mask": "_ArrayLike | Literal['causal']"},
    "split": {"indices_or_sections": "_Integers"},
    "tensordot": {"axes": "SupportsIndex | Iterable[_Integers]"},
    "nonzero": {"->": "tuple[array, ...]"},
    "to_device": {"device": "Device | DeviceType"},
    "unique_all": {"->": "_UniqueAll"}, "unique_counts": {"->": "_UniqueCounts"}, "unique_inverse": {"->": "_UniqueInverse"},
    "unstack": {"->": "tuple[array, ...]"},
}
SLOTS = {"subtract": "sub", "multiply": "mul", "true_divide": "truediv", "floor_divide": "floordiv", "remainder": "mod",
         "matrix_multiply": "matmul", "negative": "neg", "absolute": "abs"}


def table():
    """The functions of the table, by the modules and names that Python has them under."""
    functions = {function.name: function for function in array_functions.parse()}
    found = {(function.module, function.attribute): function for function in functions.values()}
    adapters = (HERE.parent / "src" / "adapters.def").read_text()
    for module, name, target in re.findall(r'^(?:ADAPTER|CASTING|FORWARD)\("(\w*)", (\w+), "(\w+)"', adapters, re.MULTILINE):
        found[module, name] = functions[target]
    return found


TABLE = table()


def operators():
    """The operators of arrays, from their table."""
    out = []
    for arity, slot in re.findall(r"^(BINARY|UNARY)\((\w+),", (HERE.parent / "src" / "operators.def").read_text(), re.MULTILINE):
        name = SLOTS.get(slot, slot)
        if arity == "UNARY":
            out.append(f"    def __{name}__(self) -> array: ...")
        else:
            out += [f"    def __{prefix}{name}__(self, value: _ArrayLike, /) -> array: ..." for prefix in ("", "r", "i")]
    return out


def type_of(module, name, parameter):
    given = TYPES.get(name, {}).get(parameter.name)
    function = TABLE.get((module, name))
    found = next((it for it in function.parameters if it.name == parameter.name), None) if function else None
    text = given or (choices(found) or KINDS[found.kind] if found else NAMES[parameter.name])
    is_none = parameter.default is None and "None" not in text and text != "_StreamOrDevice"
    return in_core(module, f"{text} | None" if is_none else text)


def in_core(module, text):
    """In tenon.core `bool` is a dtype."""
    return text if module else re.sub(r"\bbool\b", "_bool", text)


def choices(parameter):
    return parameter.choices and f"Literal[{', '.join(map(repr, parameter.choices))}]"


def result_of(module, name):
    function = TABLE.get((module, name))
    tuples = f"tuple[{', '.join(['array'] * function.result_count)}]" if function and function.result_kind == "TUPLE" else ""
    found = {"TUPLE": tuples, "LIST": "list[array]"}.get(function.result_kind, "array") if function else "array"
    return in_core(module, TYPES.get(name, {}).get("->", found))


def parameters(module, name, function):
    """As they are written, with types."""
    out, before = [], None
    for parameter in inspect.signature(function).parameters.values():
        if before is parameter.POSITIONAL_ONLY is not parameter.kind:
            out.append("/")
        if parameter.kind is parameter.KEYWORD_ONLY and before not in (parameter.KEYWORD_ONLY, parameter.VAR_POSITIONAL):
            out.append("*")
        before = parameter.kind
        text = "*" * (parameter.kind is parameter.VAR_POSITIONAL) + parameter.name
        if not (parameter.name == "self" and parameter.kind is parameter.POSITIONAL_ONLY):
            text += f": {type_of(module, name, parameter)}"
        out.append(text + (f" = {parameter.default!r}" if parameter.default is not parameter.empty else ""))
    return ", ".join(out + ["/"] * (before is inspect.Parameter.POSITIONAL_ONLY))


def documentation(it, indent):
    """A docstring of what says more than its signature; or an ellipsis."""
    text = (getattr(it, "__doc__", None) or "").strip().replace("\\", "\\\\").replace('"""', "'''")
    return f'"""{text}"""'.replace("\n", f"\n{indent}").replace(f"\n{indent}\n", "\n\n") if text else "..."


def function_stub(module, name, function, known_as=None, indent=""):
    head = f"def {name}({parameters(module, known_as or name, function)}) -> {result_of(module, known_as or name)}:"
    return f"{indent}{head}\n{indent}    {documentation(function, indent + '    ')}"


def functions(module, namespace, known):
    """Those of a module that its file does not have, and other names of them."""
    out, seen = [], {}
    for name, it in vars(namespace).items():
        if not isinstance(it, types.BuiltinFunctionType) or name in known or name.startswith("_"):
            continue
        if it.__name__ != name and it.__name__ in vars(namespace):
            seen[name] = it.__name__
        else:
            out.append(function_stub(module, name, it))
    return out + [f"{name} = {target}" for name, target in seen.items()]


def methods(known):
    """The methods of arrays that are functions."""
    known_as = dict(re.findall(r"^METHOD_AS\((\w+), (?:array\.)?(\w+)\)", (HERE.parent / "src" / "methods.def").read_text(), re.MULTILINE))
    return [function_stub("", name, it, known_as.get(name), "    ") for name, it in sorted(vars(core.array).items())
            if isinstance(it, types.MethodDescriptorType) and name not in known and not name.startswith("_")]


def constants(namespace, mark, indent=""):
    """Objects of the module's own types."""
    kinds = (core.Dtype, core.DtypeCategory, core.DeviceType)
    return [f"{indent}{name}: {mark}[{type(it).__name__}]" for name, it in vars(namespace).items() if isinstance(it, kinds)]


def documented(text, namespace):
    """A file next to this one, with the documentation of what it declares."""
    lines, edits = text.split("\n"), []

    def visit(node, owner):
        for it in node.body:
            if not isinstance(it, (ast.FunctionDef, ast.ClassDef)) or it.name.startswith("__"):
                continue
            found, is_class = getattr(owner, it.name, None), isinstance(it, ast.ClassDef)
            first = it.body[0]
            is_short = isinstance(first, ast.Expr) and first.value.value is ...
            if found is not None and (is_short or is_class):
                at = first if not getattr(first, "decorator_list", None) else first.decorator_list[0]
                edits.append((at.lineno - 1, it.col_offset, documentation(found, " " * (it.col_offset + 4)), is_short))
            if is_class:
                visit(it, found)

    visit(ast.parse(text), namespace)
    for line, indent, doc, is_short in reversed(edits):
        inside = f"{' ' * (indent + 4)}{doc}"
        if doc == "...":
            continue
        if is_short:
            lines[line] = f"{lines[line].removesuffix(' ...')}\n{inside}"
        else:
            lines.insert(line, inside)
    return "\n".join(lines)


def core_stub(text):
    """The text, with what comes of tables in the places that it names."""
    inside = re.search(r"^class array:\n(.*?)^@final", text, re.MULTILINE | re.DOTALL)[1]
    text = documented(text, core)
    places = {"OPERATORS": operators(), "METHODS": methods(re.findall(r"def (\w+)", inside)), "CONSTANTS": constants(core, "Final")}
    for kind in (core.DeviceType, core.DtypeCategory):
        places[f"CONSTANTS of {kind.__name__}"] = constants(kind, "ClassVar", "    ")
    for place, lines in places.items():
        text, count = re.subn(rf"^ *# {place}$", lambda _: "\n".join(lines), text, flags=re.MULTILINE)  # noqa: B023
        if count != 1:
            sys.exit(f"core.pyi: expected one line `# {place}`; found {count}")
    return text


def write(folder):
    modules = {"": core, **{name: it for name, it in vars(core).items() if isinstance(it, types.ModuleType)}}
    for module, namespace in modules.items():
        path = HERE / f"{module or 'core'}.pyi"
        text = path.read_text().removeprefix(LICENCE) if path.exists() else ""
        known = re.findall(r"^def (\w+)", text, re.MULTILINE)
        parts = [MARK, documented(HEADER + text, namespace) if module else core_stub(text), *functions(module, namespace, known), ""]
        (folder / f"{module or '__init__'}.pyi").write_text("\n".join(parts))


if __name__ == "__main__":
    target = pathlib.Path(sys.argv[1]) / "core"
    target.mkdir(parents=True, exist_ok=True)
    write(target)
