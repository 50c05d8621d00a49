#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""Writes the table of the array functions, and what other languages need of it, from the public headers.

  tools/array_functions.py --table OUT.c        the table of src/bindings/functions.h
  tools/array_functions.py --markdown OUT.md    the reference of all functions

The declarations in include/tenon/detail/array_*.h are read: the comment directly above a declaration is its documentation,
and the annotations of array.h (TN_DEFAULT and so on) say what C does not. Fails for any construct it does not know.
"""

import argparse
import dataclasses
import os
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
HEADERS = {"array_ops.h": "", "array_linalg.h": "linalg", "array_fft.h": "fft", "array_random.h": "random",
           "array_fast.h": "fast"}
# Functions that are not in the table, since their parameters or results do not fit.
LEFT_OUT = {
    "tn_array_index": "a list of structs: bindings translate indexing expressions",
    "tn_array_index_update": "a list of structs",
    "tn_array_einsum_path": "gives pairs of integers",
    "tn_random_seed": "changes the scope",
}
INTEGER_TYPES = ("int", "int64_t", "uint64_t", "size_t")
DTYPES = {"PRED": "bool_", "S8": "int8", "S16": "int16", "S32": "int32", "S64": "int64", "U8": "uint8", "U16": "uint16",
          "U32": "uint32", "U64": "uint64", "F16": "float16", "BF16": "bfloat16", "F32": "float32", "F64": "float64",
          "C64": "complex64"}


class Unknown(Exception):
    """A construct that the headers of array functions do not have so far: file, line and what is wrong."""


@dataclasses.dataclass
class Declarator:
    """A parameter or a field, as it is written."""
    type: str
    name: str
    marks: dict  # TN_DEFAULT and so on, with their texts
    doc: str = ""


@dataclasses.dataclass
class Parameter:
    name: str  # the keyword
    kind: str  # as in tn_parameter_kind_t
    c_name: str
    c_type: str
    default: str = None  # in C; None: required
    count: str = None  # the expression of TN_COUNT
    count_name: str = None  # the C parameter that holds the number of elements
    is_shape: bool = False
    is_inverted: bool = False  # TN_NOT
    choices: list = None
    options: "Options" = None  # the struct that it is a field of


@dataclasses.dataclass
class Options:
    name: str
    fields: list


@dataclasses.dataclass
class Function:
    name: str
    module: str
    doc: str
    arguments: list  # of the call in C, in order: "scope", a Parameter, ("count", Parameter), Options, or a result's expression
    parameters: list  # in the order of the signature
    result_kind: str
    result_count: object  # a number, or the expression of TN_COUNT
    details: "Details" = None

    @property
    def attribute(self):
        return self.name.removeprefix(self.module + "_") if self.module in ("linalg", "random") else self.name


@dataclasses.dataclass
class Details:
    """What bindings/details.txt says of a function."""
    parameters: dict  # texts by name; "returns" is one of them
    example: list  # lines


class Header:
    """Reads one header: enums, structs and functions in its order."""

    def __init__(self, path, module, enums, structs):
        self.path, self.module, self.enums, self.structs = path, module, enums, structs
        self.functions, self.line = [], 0

    def fail(self, message):
        raise Unknown(f"{os.path.relpath(self.path, ROOT)}:{self.line}: {message}")

    def read(self):
        lines, comment, at = self.path.read_text().split("\n"), [], 0
        while at < len(lines):
            self.line, line = at + 1, lines[at]
            if line.startswith("//"):
                comment.append(line[2:].removeprefix(" "))
                at += 1
                continue
            if line.startswith("#"):
                while lines[at].endswith("\\"):
                    at += 1
                at += 1
            elif not line.strip() or line in ("TN_EXTERN_C_BEGIN", "TN_EXTERN_C_END"):
                at += 1
            elif re.match(r"typedef (enum|struct) ", line):
                end = next((i for i in range(at, len(lines)) if lines[i].startswith("}")), None)
                if end is None:
                    self.fail("the type has no end")
                self.read_type("\n".join(lines[at:end + 1]))
                at = end + 1
            elif line.startswith("TN_API "):
                end = next((i for i in range(at, len(lines)) if lines[i].endswith(";")), None)
                if end is None:
                    self.fail("the declaration has no end")
                self.read_function(" ".join(part.strip() for part in lines[at:end + 1]), "\n".join(comment))
                at = end + 1
            else:
                self.fail(f"expected a comment, a type or a function; found: {line}")
            comment = []

    def read_type(self, text):
        match = re.fullmatch(r"typedef (enum|struct) (\w+) \{\n(.*)\n\} (\w+);", text, re.DOTALL)
        if not match:
            self.fail("expected `typedef enum NAME {` or `typedef struct NAME {`, and `} NAME_t;`")
        if match[1] == "enum":
            names = re.findall(r"^\s*(TN_\w+)", match[3], re.MULTILINE)
            prefix = os.path.commonprefix(names).rpartition("_")[0] + "_"
            self.enums[match[4]] = {name: name.removeprefix(prefix).lower() for name in names}
        else:
            self.structs[match[4]] = Options(match[4], self.fields(match[3]))

    def fields(self, text):
        out, above = [], []
        for line in text.split("\n"):
            code, _, note = line.partition("//")
            if code.strip():
                if not code.strip().endswith(";"):
                    self.fail(f"expected one field in a line; found: {code.strip()}")
                out.append(self.declarator(code.strip()[:-1]))
                out[-1].doc = " ".join(above + [note.strip()] * bool(note))
                above = []
            elif re.match(r" {3,}", line) and out and not above:
                out[-1].doc += " " + note.strip()  # goes on
            else:
                above.append(note.strip())
        return out

    def declarator(self, text):
        marks = {}
        while True:
            match = re.fullmatch(r"(.*\S) (TN_(?:DEFAULT|NAMED|NOT|COUNT))\(((?:[^()]|\([^()]*\))*)\)", text)
            if not match:
                break
            text, marks[match[2]] = match[1], match[3].strip()
        match = re.fullmatch(r"((?:const )?\w+(?:\*| const\*|\* const\*|\*\*)?) ?(\w+)", text)
        if not match or "TN_" in text:
            self.fail(f"expected a type, a name and annotations; found: {text}")
        return Declarator(match[1], match[2], marks)

    def read_function(self, text, doc):
        match = re.fullmatch(r"TN_API (?:TN_MUST_USE )?(tn_array_t\*|void|tn_status_t) (\w+)\((.*?)\)(?: TN_ORDER\(([^)]*)\))?;", text)
        if not match:
            self.fail(f"expected TN_API, a type, a name and parameters; found: {text}")
        result, name, inside, order = match.groups()
        if name in LEFT_OUT:
            return
        if not name.startswith("tn_array_") or result == "tn_status_t":
            self.fail(f"{name} does not fit into the table; name it in LEFT_OUT, with the reason")
        if not doc or doc.startswith("---"):
            self.fail(f"{name} has no comment directly above it")
        declarators = [self.declarator(part.strip()) for part in re.split(r",(?![^()]*\))", inside)]
        function = Function(name.removeprefix("tn_array_"), self.module, doc, [], [], "ARRAY", 1)
        self.read_parameters(function, declarators)
        if (function.result_kind == "ARRAY") != (result == "tn_array_t*"):
            self.fail(f"{name}: expected a result, or parameters that begin with out_")
        function.doc = documentation(function, self.enums)
        self.order(function, order)
        self.check_counts(function)
        self.functions.append(function)

    def read_parameters(self, function, declarators):
        if declarators[0].name != "scope":
            self.fail(f"{function.name}: expected the scope as the first parameter")
        function.arguments.append("scope")
        outs, at = [], 1
        while at < len(declarators):
            it = declarators[at]
            after = declarators[at + 1] if at + 1 < len(declarators) else None
            if it.type == "tn_array_t**" and it.name.startswith("out_"):
                outs.append(it)
            elif it.type.removeprefix("const ").removesuffix("*") in self.structs:
                options = self.structs[it.type.removeprefix("const ").removesuffix("*")]
                function.arguments.append((options, [self.add(function, field, None, options) for field in options.fields[1:]]))
            elif it.type == "size_t" and after and after.type in ("const int64_t*", "tn_array_t* const*"):
                parameter = self.add(function, after, it.name)
                function.arguments += [("count", parameter), parameter]
                at += 1
            else:
                function.arguments.append(self.add(function, it))
            at += 1
        if outs and "TN_COUNT" in outs[0].marks:
            function.result_kind, function.result_count = "LIST", outs[0].marks["TN_COUNT"]
            function.arguments.append("results")
        elif outs:
            function.result_kind, function.result_count = "TUPLE", len(outs)
            function.arguments += [f"&results[{i}]" for i in range(len(outs))]

    def add(self, function, it, count_name=None, options=None):
        inverted = it.marks.get("TN_NOT")
        parameter = Parameter(it.marks.get("TN_NAMED", inverted or it.name), self.kind(it), it.name, it.type,
                              it.marks.get("TN_DEFAULT"), it.marks.get("TN_COUNT"), count_name,
                              is_inverted=inverted is not None, options=options)
        if inverted:
            parameter.default = {"true": "false", "false": "true"}[parameter.default]
        if count_name == "rank":
            parameter.name, parameter.is_shape = "shape", True
        if it.type in self.enums:
            parameter.choices = list(self.enums[it.type].values())
        function.parameters.append(parameter)
        return parameter

    def kind(self, it):
        if it.type in self.enums:
            return "CHOICE"
        if it.type in INTEGER_TYPES:
            return "AXIS" if it.name == "axis" else "INTEGER"
        kinds = {"tn_array_t*": "ARRAY", "tn_array_t* const*": "ARRAYS", "const int64_t*": "INTEGERS", "double": "REAL",
                 "const double*": "REAL_OR_NONE", "bool": "BOOL", "tn_dtype_t": "DTYPE", "const char*": "TEXT"}
        if it.type not in kinds:
            self.fail(f"{it.name} has the type {it.type}, which no kind of parameter has")
        return kinds[it.type]

    def order(self, function, order):
        names = [parameter.name for parameter in function.parameters]
        if order:
            wanted = [name.strip() for name in order.split(",")]
            if sorted(wanted) != sorted(names):
                self.fail(f"{function.name}: TN_ORDER names {', '.join(wanted)}; expected {', '.join(names)} in any order")
            function.parameters.sort(key=lambda parameter: wanted.index(parameter.name))
        optional = [parameter.default is not None for parameter in function.parameters]
        if optional != sorted(optional):
            self.fail(f"{function.name}: a parameter without a default follows one with a default; add TN_ORDER")

    def check_counts(self, function):
        for parameter in function.parameters:
            if parameter.kind == "INTEGERS" and not parameter.count_name and not parameter.count:
                self.fail(f"{function.name}: {parameter.c_name} has no TN_COUNT")
            if parameter.count:
                self.count(function, parameter.count)
        if function.result_kind == "LIST":
            self.count(function, function.result_count)

    def count(self, function, text):
        if count_in_c(function, text) is None:
            self.fail(f"{function.name}: TN_COUNT({text}): expected a number, rank(ARRAY), rank(ARRAY) - NUMBER, or a parameter")


def documentation(function, enums):
    """The comment as a reader of the other language needs it: keywords, None, names of choices."""
    doc = function.doc
    for parameter in function.parameters:
        if parameter.name != parameter.c_name and not parameter.options:
            doc = doc.replace(f"`{parameter.c_name}`", f"`{parameter.name}`")
    notes = [(parameter, field.doc) for parameter in function.parameters if parameter.options
             for field in parameter.options.fields if field.name == parameter.c_name and field.doc]
    doc = re.sub(r" ?`options` NULL: all defaults\.", "", doc)
    doc = "\n\n".join(" ".join(part.split("\n")) for part in doc.split("\n\n"))
    doc += "".join(f"\n`{parameter.name}`: {note}" for parameter, note in notes if not parameter.is_inverted)
    for names in enums.values():
        for name, choice in names.items():
            doc = doc.replace(name, f'"{choice}"')
    doc = re.sub(r"\b(NULL|TN_ALL_AXES|TN_DTYPE_INVALID)\b", "None", doc)
    return re.sub(r"\btn_array_(\w+)", r"\1", doc)


def read_details(path=ROOT / "bindings" / "details.txt"):
    """Details by the functions' names in Python: "sum", "linalg.qr"."""
    found, details = {}, None
    for number, line in enumerate(path.read_text().split("\n"), 1):
        if line.startswith("#") or not line:
            continue
        name, colon, text = line.partition(": ")
        if re.fullmatch(r"\[[\w.]+\]", line):
            details = found[line.strip("[]")] = Details({}, [])
        elif line.startswith(">>> ") or details and details.example:
            details.example.append(line)
        elif details and colon and re.fullmatch(r"\w+", name):
            details.parameters[name] = text
        else:
            raise Unknown(f"{os.path.relpath(path, ROOT)}:{number}: expected [FUNCTION], PARAMETER: TEXT or >>> CODE; found {line!r}")
    return found


def parse(folder=ROOT / "include" / "tenon" / "detail"):
    """All functions, in the order of the headers."""
    enums, structs, functions = {}, {}, []
    for name, module in HEADERS.items():
        header = Header(folder / name, module, enums, structs)
        header.read()
        functions += header.functions
    details = read_details()
    for function in functions:
        function.details = details.pop(f"{function.module}.{function.attribute}".lstrip("."), None)
    if details:
        raise Unknown(f"bindings/details.txt: there is no function {next(iter(details))}")
    return functions


def full_documentation(function):
    """With the details, as text for a terminal."""
    if not function.details:
        return function.doc
    parameters = "".join(f"\n{name}: {text}" for name, text in function.details.parameters.items())
    summary = re.sub(r"\n`\w+`: [^\n]*", "", function.doc)  # of fields of options, which the details describe
    return summary + "\n" + parameters + "\n\n" + "\n".join(function.details.example)


def details_in_markdown(function):
    if not function.details:
        return ""
    parameters = "".join(f"- `{name}`: {text}\n" for name, text in function.details.parameters.items())
    example = "".join(f"    {line}\n" for line in function.details.example)
    return f"\n{parameters}\nIn Python:\n\n{example}"


# --- Python


def default_in_python(parameter):
    value = parameter.default
    if value in ("NULL", "TN_ALL_AXES", "TN_DTYPE_INVALID"):
        return "None"
    if parameter.kind == "BOOL":
        return value.capitalize()
    if parameter.kind == "DTYPE":
        return DTYPES[value.removeprefix("TN_DTYPE_")]
    if parameter.kind == "CHOICE":
        return repr(next(choice for choice in parameter.choices if value.lower().endswith("_" + choice)))
    return repr(float(value)) if parameter.kind == "REAL" else value


def signature(function):
    return f"{function.attribute}(" + ", ".join(
        parameter.name + (f"={default_in_python(parameter)}" if parameter.default is not None else "")
        for parameter in function.parameters) + ")"


def markdown(functions):
    out = ["# Array functions\n", "The functions of `<tenon/arrays.h>` with their keywords and defaults. In C they are called "
           "`tn_array_NAME`, those of `linalg` and `random` `tn_array_linalg_NAME` and `tn_array_random_NAME`; all parameters are "
           "given, in the order of the header.\n"]
    for module in HEADERS.values():
        out.append(f"## {module or 'core'}\n")
        for function in functions:
            if function.module == module:
                out.append(f"### {function.attribute}\n\n`{signature(function)}`\n\n" + function.doc.replace("\n", "\n\n") + "\n"
                           + details_in_markdown(function))
    return "\n".join(out)


# --- C


def string(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def index(function, parameter):
    return function.parameters.index(parameter)


def count_in_c(function, text, of_results=False):
    """An expression of TN_COUNT over the arguments `a`; None if it is none."""
    if text.isdigit():
        return text
    match = re.fullmatch(r"rank\((\w+)\)(?: - (\d+))?", text)
    if match:
        found = [parameter for parameter in function.parameters if parameter.c_name == match[1] and parameter.kind == "ARRAY"]
        return f"rank_of(a[{index(function, found[0])}].array, {match[2] or 0})" if found else None
    name, _, more = text.partition(" + ")
    for parameter in function.parameters:
        it = f"a[{index(function, parameter)}]"
        if parameter.count_name == name:
            is_given = parameter.kind == "ARRAYS" or of_results
            return f"{it}.count + {more or 0}" if is_given else f"count_of(&{it}, {more or 0})"
        if parameter.kind == "INTEGER" and parameter.c_name == name:
            return f"size_of({it}.integer)"
    return None


def argument_in_c(function, argument):
    """What the call in C passes for it."""
    if isinstance(argument, str):
        return [argument]
    if isinstance(argument, tuple) and argument[0] == "count":
        parameter = argument[1]
        it = f"a[{index(function, parameter)}]"
        # Lists that are as long as this one say how long it is if it is not given.
        others = [f"a[{index(function, other)}]" for other in function.parameters if other.count == parameter.count_name]
        if parameter.default is not None and others:
            return [f"{it}.integers ? {it}.count : {others[0]}.count"]
        return [f"{it}.count"]
    if isinstance(argument, tuple):
        return ["&options"]
    it = f"a[{index(function, argument)}]"
    if argument.kind in ("AXIS", "INTEGER"):
        casts = {"int64_t": f"{it}.integer", "size_t": f"size_of({it}.integer)"}
        return [casts.get(argument.c_type, f"({argument.c_type}){it}.integer")]
    return [{"ARRAY": f"{it}.array", "ARRAYS": f"{it}.arrays", "INTEGERS": f"{it}.integers", "REAL": f"{it}.real",
             "REAL_OR_NONE": f"{it}.real_or_null", "BOOL": f"{it}.integer {'==' if argument.is_inverted else '!='} 0",
             "DTYPE": f"(tn_dtype_t){it}.integer", "CHOICE": f"({argument.c_type}){it}.integer",
             "TEXT": f"{it}.text"}[argument.kind]]


def default_in_c(parameter):
    fields = []
    if parameter.default not in (None, "NULL"):
        fields = [f".real = {parameter.default}" if parameter.kind == "REAL" else f".integer = {parameter.default}"]
    return fields


def function_in_c(function):
    """The definitions of one function, and its row."""
    name, out, rows = function.name, [], []
    for parameter in function.parameters:
        fields = [f".name = {string(parameter.name)}", f".kind = TN_PARAMETER_{parameter.kind}", *default_in_c(parameter)]
        if parameter.default is not None:
            fields.append(".is_optional = true")
        if parameter.is_shape:
            fields.append(".is_shape = true")
        if parameter.count:
            fields.append(f".count = count_{name}_{parameter.c_name}")
            out.append(f"static size_t count_{name}_{parameter.c_name}(const tn_argument_t* a) {{\n  (void)a;\n"
                       f"  return {count_in_c(function, parameter.count)};\n}}")
        if parameter.choices:
            fields.append(f".choices = choices_{parameter.c_type}")
        rows.append("  {" + ", ".join(fields) + "},")
    out.append(f"static const tn_parameter_t parameters_{name}[] = {{\n" + "\n".join(rows) + "\n};")
    body = []
    for argument in function.arguments:
        if isinstance(argument, tuple) and argument[0] != "count":
            options, fields = argument
            values = [f"    .{field.c_name} = {argument_in_c(function, field)[0]}," for field in fields]
            body.append(f"  const {options.name} options = {{\n    .struct_size = sizeof options,\n" + "\n".join(values) + "\n  };")
    call = f"tn_array_{name}({', '.join(part for argument in function.arguments for part in argument_in_c(function, argument))});"
    body.append(("  results[0] = " if function.result_kind == "ARRAY" else "  ") + call)
    out.append(f"static void call_{name}(tn_scope_t* scope, const tn_argument_t* a, tn_array_t** results) {{\n" + "\n".join(body) + "\n}")
    row = [f".name = {string(name)}", f".module = {string(function.module)}", f".attribute = {string(function.attribute)}",
           f".signature = {string(signature(function))}", f".doc = {string(full_documentation(function))}",
           f".parameter_count = {len(function.parameters)}", f".parameters = parameters_{name}",
           f".result_kind = TN_RESULT_{function.result_kind}"]
    if function.result_kind == "LIST":
        out.append(f"static size_t results_{name}(const tn_argument_t* a) {{\n  return {count_in_c(function, function.result_count, of_results=True)};\n}}")
        row.append(f".count = results_{name}")
    else:
        row.append(f".result_count = {function.result_count}")
    row.append(f".call = call_{name}")
    return "\n".join(out), "  {" + ", ".join(row) + "},"


def table(functions):
    choices = {parameter.c_type: parameter.choices for function in functions for parameter in function.parameters if parameter.choices}
    lists = [f"static const char* const choices_{name}[] = {{{', '.join(map(string, values))}, NULL}};"
             for name, values in choices.items()]
    parts = [function_in_c(function) for function in functions]
    return "\n".join(["// Written by tools/array_functions.py.", '#include "bindings/counts.h"', "", *lists, "",
                      *[definition for definition, _ in parts], "", "const tn_array_function_t tn_array_functions[] = {",
                      *[row for _, row in parts], "};", "const size_t tn_array_function_count = sizeof tn_array_functions / sizeof *tn_array_functions;", ""])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--table", type=pathlib.Path, metavar="OUT.c")
    parser.add_argument("--markdown", type=pathlib.Path, metavar="OUT.md")
    parser.add_argument("--headers", type=pathlib.Path, default=ROOT / "include" / "tenon" / "detail", metavar="FOLDER",
                        help="where the headers are")
    options = parser.parse_args()
    if not (options.table or options.markdown):
        parser.error("expected --table or --markdown")
    try:
        functions = parse(options.headers)
    except Unknown as error:
        sys.exit(str(error))
    if options.table:
        options.table.write_text(table(functions))
    if options.markdown:
        options.markdown.write_text(markdown(functions))


if __name__ == "__main__":
    main()
