# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""NULL for every pointer of every public function, read from the headers: an error that names the argument, never a crash."""

import ctypes
import os
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIBRARY = os.environ["TENON_SHARED_LIBRARY"]

TEXT = b"func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> { return %x : tensor<4xf32> }"
F32 = 11  # of dtype.def

# What may be NULL everywhere: the default of its kind, or nothing.
OPTIONAL = re.compile(r"(tn_context_t\*|const tn_\w+_options_t\*|const tn_allocator_t\*|tn_status_t|tn_cancellation_t\*) \w+"
                      r"|void\* user")
# What may be NULL as its comment says, and what this test cannot reach, by function and parameter.
ACCEPTED = {
    "tn_builder_create name": "no name",
    "tn_scope_create device": "the default device",
    "tn_scope_set_stream stream": "the default stream",
    "tn_context_set_default_device device": "the initial default",
    "tn_set_default_device device": "the initial default",
    "tn_set_default_stream stream": "the device's own",
    "tn_to_stream otherwise": "the default device",
    "tn_buffer_import release": "nothing to release",
    "tn_buffer_to_device stream": "the default stream",
    "tn_type_register deleter": "nothing to delete",
    "tn_module_parse name": "<string>",
    "tn_module_parse_part name": "<string>",
    "tn_status_at file": "unknown",
    "tn_status_at line_text": "unknown",
    "tn_import_function function": "the entry",
    "tn_trace_begin in_axes": "axis 0 of each",
    "tn_grad argnums": "input 0",
    "tn_value_and_grad argnums": "input 0",
    "tn_npy_read expected": "any type",
    "tn_npy_decode expected": "any type",
    "tn_npz_read expected": "any type",
    "tn_archive_read expected": "any type",
    "tn_safetensors_read expected": "any type",
    "tn_jvp tangents": "needs a function: derive's own tests",
    "tn_vjp cotangents": "needs a function: derive's own tests",
    "tn_vmap function": "needs inputs with a batch: vmap's own tests",
    "tn_vmap in_axes": "axis 0 of each",
    "tn_trace_jvp tangents": "needs a trace of this scope: trace_test",
    "tn_trace_vjp cotangents": "needs a trace of this scope: trace_test",
}


class Function:
    """A declaration: its result, its name, and its parameters' types and names."""

    def __init__(self, text):
        text = re.sub(r" TN_(?!MUST_USE)\w+\((?:[^()]|\([^()]*\))*\)", "", text)
        self.result, self.name, inside = re.fullmatch(r"(?:TN_MUST_USE )?(.*?) ?(\w+)\((.*)\)", text).groups()
        self.parameters = []
        for part in re.split(r",(?![^()]*\))", inside):
            found = re.fullmatch(r"(.*) ?\(\*(\w+)\)\(.*\)|(.*?) ?(\w+)", part.strip())
            if found and part.strip() != "void":
                self.parameters.append(("callback", found[2]) if found[2] else (found[3], found[4]))


def functions():
    """All that the headers declare."""
    out = []
    for path in sorted([*ROOT.glob("include/tenon/*.h"), *ROOT.glob("include/tenon/detail/*.h")]):
        text = re.sub(r"^ *#(?:.*\\\n)*.*", "", re.sub(r"//.*", "", path.read_text()), flags=re.MULTILINE)
        out += [Function(" ".join(found[1].split())) for found in re.finditer(r"TN_API\s+(.*?);", text, re.DOTALL)]
    return out


class Where(ctypes.Structure):
    """tn_stream_or_device_t of neither."""
    _fields_ = [("stream", ctypes.c_void_p), ("device", ctypes.c_void_p)]


class Values:
    """A valid value for every parameter, as far as a function looks before it finds the NULL."""

    def __init__(self, library):
        self.library, self.keep = library, []
        self.device = self.make("tn_device_create", b"cpu", None)
        self.dims = self.memory((ctypes.c_int64 * 16)(4))
        self.noop = ctypes.CFUNCTYPE(ctypes.c_void_p)(lambda: None)

    def memory(self, block):
        self.keep.append(block)
        return ctypes.addressof(block)

    def make(self, name, *arguments):
        """What a function creates."""
        out = ctypes.c_void_p()
        function = self.library[name]
        function.restype = ctypes.c_void_p
        arguments = [ctypes.c_void_p(it) if isinstance(it, int) and it > 1 << 16 else it for it in arguments]
        assert function(*arguments, ctypes.byref(out)) is None, name
        return out.value

    def array(self):
        scope, function = self.make("tn_scope_create", self.device), self.library["tn_array_from_host"]
        function.restype = ctypes.c_void_p
        return function(ctypes.c_void_p(scope), F32, ctypes.c_size_t(1), ctypes.c_void_p(self.dims),
                        ctypes.c_void_p(self.dims), ctypes.c_size_t(16))

    def module(self):
        return self.make("tn_module_parse", None, b"m", TEXT, ctypes.c_size_t(len(TEXT)))

    def buffer(self):
        return self.make("tn_buffer_create_from_host", self.device, F32, ctypes.c_size_t(1), self.dims, self.dims,
                         ctypes.c_size_t(16))

    def handle(self, kind):
        """A new object: `tn_KIND_t`."""
        if kind in ("array", "module", "buffer"):
            return getattr(self, kind)()
        if kind == "program":
            return self.make("tn_program_compile", self.device, self.module(), None)
        if kind in ("stream", "event", "scope"):
            return self.make(f"tn_{kind}_create", self.device)
        if kind == "device":
            return self.device
        if kind == "cancellation":
            return self.make("tn_cancellation_create", None)
        if kind == "builder":
            return self.make("tn_builder_create", None, b"m")
        if kind == "type":
            function = self.library["tn_buffer_type"]
            function.restype = ctypes.c_void_p
            return function(ctypes.c_void_p(self.buffer()))
        return None

    def of(self, kind, name):
        """A value of the type `kind` for the parameter `name`."""
        if OPTIONAL.fullmatch(f"{kind} {name}"):
            return ctypes.c_void_p()
        if kind == "tn_stream_or_device_t":
            return Where()
        if kind in ("double", "float"):
            return getattr(ctypes, f"c_{kind}")(1)
        if kind == "tn_dtype_t":
            return ctypes.c_int(F32)
        if not kind.endswith("*"):
            return self.noop if is_pointer(kind) else ctypes.c_int64(16 if name == "byte_size" else 1)
        handle = re.fullmatch(r"(?:const )?tn_(\w+)_t\*((?: const\*)?)", kind)
        address = self.handle(handle[1]) if handle else None
        if handle and handle[2] and address:
            return ctypes.c_void_p(self.memory((ctypes.c_void_p * 16)(*[address] * 16)))
        if kind == "const char* const*":
            return ctypes.c_void_p(self.memory((ctypes.c_char_p * 16)(*[b"x"] * 16)))
        if kind == "const int64_t*":
            return ctypes.c_void_p(self.dims)
        if kind == "const char*":
            return ctypes.c_char_p(b"/nonexistent/folder/x" if name in ("path", "spec") else b"x")
        return ctypes.c_void_p(address or self.memory((ctypes.c_int64 * 512)()))


def cases():
    """Every function with each of its pointers that may not be NULL."""
    for function in functions():
        if function.result != "tn_status_t" and not function.name.endswith(("_release", "_destroy", "_retain")):
            continue
        for index, (kind, name) in enumerate(function.parameters):
            is_out = name.startswith("out_") or re.search(r"\w\*\*$", kind)
            is_format = "format" in name  # printf's
            if is_pointer(kind) and not is_out and not is_format and not OPTIONAL.fullmatch(f"{kind} {name}"):
                yield function, index


def is_pointer(kind):
    return kind.endswith("*") or kind == "callback" or kind.endswith(("_fn", "_function_t"))


def call(library, values, function, index):
    """What the function says."""
    arguments = [ctypes.c_void_p() if i == index else values.of(*it) for i, it in enumerate(function.parameters)]
    called = library[function.name]
    called.restype = None if function.result in ("void", "double") else ctypes.c_void_p
    result = called(*arguments)
    if function.result != "tn_status_t":
        return "OK"
    message = library["tn_status_message"]
    message.restype = ctypes.c_char_p
    return message(ctypes.c_void_p(result)).decode() if result else "OK"


class Libraries:
    """The functions of both libraries."""

    def __init__(self):
        self.loaded = [ctypes.CDLL(LIBRARY, ctypes.RTLD_GLOBAL), ctypes.CDLL(LIBRARY.replace("libtenon.", "libtenon_inspect."))]

    def __getitem__(self, name):
        return next(it for it in self.loaded if hasattr(it, name))[name]


def run_from(first, every):
    """Answers in a child, from the case `first` on, until one ends it."""
    readable, writable = os.pipe()
    child = os.fork()
    if child == 0:
        library = Libraries()
        values = Values(library)
        for function, index in every[first:]:
            os.write(writable, (call(library, values, function, index).replace("\n", " ") + "\n").encode())
        os._exit(0)
    os.close(writable)
    with os.fdopen(readable) as answers:
        lines = answers.read().splitlines()
    return lines, os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def answers():
    every, out = list(cases()), []
    while len(out) < len(every):
        lines, code = run_from(len(out), every)
        out += lines
        if len(out) < len(every):
            out.append(f"ended the process: {code}")
    return zip(every, out)


def test_every_required_pointer_is_checked():
    wrong = []
    for (function, index), answer in answers():
        name = function.parameters[index][1]
        is_fine = answer == "OK" if function.result != "tn_status_t" else re.match(r"[\w.]+: .*\bNULL\b", answer)
        if f"{function.name} {name}" in ACCEPTED:
            is_fine = not answer.startswith("ended")
        if not is_fine:
            wrong.append(f"{function.name}, {name} is NULL: {answer}")
    assert not wrong, "\n".join(wrong)


def test_exceptions_are_parameters():
    known = {f"{function.name} {name}" for function in functions() for _, name in function.parameters}
    assert set(ACCEPTED) <= known
