# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""Signatures of handlers that were built with XLA's headers: inferred by probe calls, and compared with their sources."""

import ctypes
import json
import re
import shutil
import subprocess

import jax
import numpy as np
import pytest

import host
from support import COMMAND, ROOT, tenon
from test_lapack import register_all

HERE = ROOT / "test" / "client"
INSPECT = ctypes.CDLL(host.PATH.with_name("libtenon_inspect.so"))
# Optimised code, and code that is not, answer alike.
COMPILERS = [how for how in (("g++", "-O2"), ("clang++", "-O0")) if shutil.which(how[0])]

ANY = "any number of any dtype"
# What foreign_handlers.cc binds.
SIGNATURES = {
    "axpby": "(f32, f32, a: float, b: float) -> (f32)",
    "look": "(any dtype, any attributes) -> (i32[rank 1])",
    "sum_all": f"(f32, {ANY}, any attributes) -> (f32, {ANY})",
    "optional": "(f32, f32 or none, any attributes) -> (f32, f32 or none)",
    "attributes": f"({ANY}, command: int32_t, flag: bool, floats: array(float), list: array(int64_t), "
                  "nested: dictionary, number: double, range: {lo: int64_t, hi: int64_t}, small: int8_t, "
                  "text: string, wide: int64_t, word: uint16_t) -> (f64[rank 1])",
    "all_attributes": f"({ANY}, any attributes) -> (unknown)",
    "every_number": f"({ANY}, f32: float, f64: double, s16: int16_t, s32: int32_t, s64: int64_t, s8: int8_t, "
                    "u16: uint16_t, u32: uint32_t, u64: uint64_t, u8: uint8_t) -> (f64[rank 1])",
    "every_list": f"({ANY}, f32: array(float), f64: array(double), s16: array(int16_t), s32: array(int32_t), "
                  "s64: array(int64_t), s8: array(int8_t), u16: array(uint16_t), u32: array(uint32_t), "
                  "u64: array(uint64_t), u8: array(uint8_t)) -> (f64[rank 1])",
    "pointer": f"({ANY}, address: address) -> (f64[rank 1])",
    "fail": "(f32, code: int32_t) -> (f32)",
    "throw_exception": "(f32, any attributes) -> (f32)",
    "later": "(f32, fails: bool) -> (f32)",
    "parallel": "(f32, any attributes) -> (f32)",
    "scratch": "(f32, any attributes) -> (f32)",
    "where": f"({ANY}, any attributes) -> (f64[rank 1])",
    "stream": "(f32, any attributes) -> (f32)",
    "in_place": "(f32, any attributes) -> (f32)",
    "flags": f"({ANY}, flags: unknown) -> (f64[rank 1])",
    "count": f"({ANY}, any attributes) -> (f64[rank 1])",
}
ASKS_FOR = {"where": "run id, device ordinal", "stream": "stream", "count": "state"}
UNKNOWN = {"flags": "execute: attribute flags has a decoder of its own, or one without error messages",
           "all_attributes": "execute: the type of its only result cannot be probed without reaching the kernel body"}


@pytest.fixture(scope="module", params=COMPILERS, ids="".join)
def library(request, tmp_path_factory):
    compiler, level = request.param
    path = tmp_path_factory.mktemp("foreign") / "foreign_handlers.so"
    subprocess.run([compiler, "-std=c++17", level, "-shared", "-fPIC", "-w", "-I", jax.ffi.include_dir(),
                    HERE / "foreign_handlers.cc", "-o", path, "-pthread"], check=True)
    return path


def inspect(library):
    specs = [f"{library}:{name}={name}#4" for name in SIGNATURES if name != "count"]
    count = f"{library}:count=count,instantiate=count_instantiate,type=counter:counter_type_id:counter_type_info"
    return {handler["name"]: handler for handler in json.loads(tenon("inspect", "--json", *specs, count))}


def need_confinement(handlers):
    if not all(handler["confined"] for handler in handlers.values()):
        pytest.skip("the system has no seccomp")


def test_all_that_handlers_bind_is_inferred(library):
    handlers = inspect(library)
    need_confinement(handlers)
    assert list(handlers) == sorted(SIGNATURES)
    for name, signature in SIGNATURES.items():
        handler = handlers[name]
        assert handler["signature"] == name + signature
        assert handler["probed"] and not handler["declared"]
        assert handler["required_services"] == ASKS_FOR.get(name)
        assert handler["unresolved"] == UNKNOWN.get(name)
        assert (handler["api_version"], handler["handler_minor"], handler["platform"]) == (4, 3, "Host")
    assert handlers["count"]["stages"] == ["instantiate", "execute"]
    assert handlers["count"]["state_type"] == "counter"
    assert handlers["count"]["other_stages"] == "instantiate(start: int64_t)"


def test_handlers_need_not_be_named(library):
    need_confinement(inspect(library))
    handlers = {handler["name"]: handler for handler in json.loads(tenon("inspect", "--json", library))}
    # Functions that are no handlers are not taken for any.
    assert set(handlers) >= {*SIGNATURES, "count_instantiate"}
    assert not set(handlers) & {"counter_type_id", "counter_type_info", "live_counters"}
    assert "must be registered" in handlers["count_instantiate"]["unusable_reason"]
    for name in set(SIGNATURES) - {"count"}:  # without its type it cannot answer
        assert handlers[name]["signature"] == name + SIGNATURES[name]


def test_the_guide_shows_what_is_printed(library):
    command = "$ tenon inspect ./libforeign.so:axpby=axpby#4\n"
    shown = re.search(rf"^{re.escape(command)}(.*?)^```$", (ROOT / "docs" / "custom-calls.md").read_text(),
                      flags=re.MULTILINE | re.DOTALL).group(1)
    need_confinement(inspect(library))
    assert tenon("inspect", f"{library}:axpby=axpby#4").replace(str(library), "./libforeign.so") == shown


WRONG = """func.func @main(%x: tensor<3xi32>) -> tensor<3xf32> {
  %0 = stablehlo.custom_call @axpby(%x, %x) {mhlo.backend_config = {a = 1.0 : f32, b = 1.0 : f32}}
      : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
"""


def run_wrong(library, tmp_path, target, *options, text=WRONG):
    path = tmp_path / "wrong.mlir"
    path.write_text(text)
    done = subprocess.run([COMMAND, "run", path, "-l", f"{library}:{target}", "-i", "ones", *options],
                          capture_output=True, text=True, timeout=600)
    assert done.returncode == 1
    return done.stderr


@pytest.mark.parametrize("target", ["axpby=axpby#4", "axpby=axpby"])
def test_a_mismatch_is_an_error_of_the_compile_with_probe(library, tmp_path, target):
    """A function without an api version is a handler if it responds like one."""
    if "#" not in target:
        need_confinement(inspect(library))
    report = run_wrong(library, tmp_path, target, "--probe")
    assert "operand 0 has type tensor<3xi32>; expected elements of f32" in report
    assert "2:" in report  # the call's line
    assert "Failed to decode" not in report


@pytest.mark.parametrize("target", ["axpby=axpby#4", "axpby=axpby"])
def test_a_mismatch_when_it_runs_is_explained(library, tmp_path, target):
    if "#" not in target:
        need_confinement(inspect(library))
    report = run_wrong(library, tmp_path, target)
    assert "wrong.mlir:2:8: error: custom call @axpby: operand 0 has type tensor<3xi32>; expected elements" in report
    assert "Wrong buffer dtype: expected F32 but got S32" in report
    missing = WRONG.replace("b = ", "bb = ").replace("i32", "f32")
    report = run_wrong(library, tmp_path, target, text=missing)
    assert 'there is no attribute "bb"' in report and "did you mean b?" in report


CHECKED = WRONG.replace("%x: tensor<3xi32>", "").replace("  %0 =", "  %x = stablehlo.constant dense<1> : tensor<3xi32>\n  %0 =")


def test_a_mismatch_in_a_test_is_explained(library, tmp_path):
    path = tmp_path / "wrong.mlir"
    counts = CHECKED.replace("@axpby(%x, %x)", "@axpby(%x)").replace(": (tensor<3xi32>, tensor<3xi32>)", ": (tensor<3xi32>)")
    for text, message in [
            (CHECKED, "custom call @axpby: operand 0 has type tensor<3xi32>; expected elements of f32"),
            (counts, "custom call @axpby: has 1 operand; expected 2")]:
        path.write_text(text)
        done = subprocess.run([COMMAND, "test", path, "-l", f"{library}:axpby=axpby#4"],
                              capture_output=True, text=True, timeout=600)
        assert done.returncode == 1 and message in done.stderr and "note: when it ran: " in done.stderr


def test_an_expected_mismatch_changes_no_later_module(library, tmp_path):
    path = tmp_path / "wrong.mlir"
    path.write_text("// -----\n".join([CHECKED + "// error: Wrong buffer dtype: expected F32 but got S32\n"] * 2))
    done = subprocess.run([COMMAND, "test", path, "-l", f"{library}:axpby=axpby#4"],
                          capture_output=True, text=True, timeout=600)
    assert done.returncode == 0 and "2 ok, 0 failed" in done.stdout


def test_other_errors_of_handlers_are_left_alone(library, tmp_path):
    text = WRONG.replace("i32", "f32").replace("@axpby(%x, %x)", "@fail(%x)")
    text = text.replace("tensor<3xf32>, tensor<3xf32>)", "tensor<3xf32>)")
    text = text.replace("a = 1.0 : f32, b = 1.0 : f32", "code = 3 : i32")
    report = run_wrong(library, tmp_path, "fail=fail#4", text=text)
    assert "error: custom call @fail: INVALID_ARGUMENT: asked for code 3" in report
    assert "note:" not in report


EXTRA = """func.func @main(%x: tensor<3xf32>) -> tensor<4xi32> {
  %0 = stablehlo.custom_call @look(%x) {mhlo.backend_config = {typo = 1.0 : f32}} : (tensor<3xf32>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}
"""


def test_an_attribute_that_is_not_bound_is_a_warning(library, tmp_path):
    path = tmp_path / "extra.mlir"
    path.write_text(EXTRA)
    done = subprocess.run([COMMAND, "run", path, "-l", f"{library}:look=look#4", "-i", "ones", "--probe"],
                          capture_output=True, text=True, timeout=600)
    assert done.returncode == 0 and "[11  1  3 12]" in done.stdout
    assert "extra.mlir:2:8: warning: custom call @look: attribute typo: the handler takes any attributes" in done.stderr


# --- the kernels inside jaxlib

class Parameter(ctypes.Structure):
    _fields_ = [("kind", ctypes.c_int), ("name", ctypes.c_char_p), ("type", ctypes.c_char_p),
                ("default", ctypes.c_char_p), ("doc", ctypes.c_char_p), ("dims", ctypes.c_char_p)]


class Info(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_size_t), ("name", ctypes.c_char_p), ("name_length", ctypes.c_size_t),
                ("platform", ctypes.c_char_p), ("api_version", ctypes.c_int32), ("handler_minor", ctypes.c_int32),
                ("stages", ctypes.c_bool * 3), ("library", ctypes.c_char_p), ("doc", ctypes.c_char_p),
                ("signature", ctypes.c_char_p), ("parameter_count", ctypes.c_size_t),
                ("parameters", ctypes.POINTER(Parameter)), ("unusable_reason", ctypes.c_char_p)]


VISIT = ctypes.CFUNCTYPE(ctypes.c_bool, ctypes.c_void_p, ctypes.POINTER(Info))
ELEMENT = {"s": "f32", "d": "f64", "c": "complex<f32>", "z": "complex<f64>"}
REAL = {"s": "f32", "d": "f64", "c": "f32", "z": "f64"}


def wanted_of(name):
    """From the conventions of JAX's lowering rules; None where this test knows none."""
    letter, rest = name.removeprefix("lapack_")[0], name.removeprefix("lapack_")[1:].removesuffix("_ffi")
    t, r, i = ELEMENT.get(letter), REAL.get(letter), "i32"
    return {
        "potrf": ([t], ["uplo"], [t, i]),
        "getrf": ([t], [], [t, i, i]),
        "geqrf": ([t], [], [t, t]),
        "trsm": ([t, t], ["diag", "side", "trans_x", "uplo"], [t]),
        "syevd": ([t], ["mode", "uplo"], [t, r, i]),
        "heevd": ([t], ["mode", "uplo"], [t, r, i]),
        "gesdd": ([t], ["mode"], [t, r, t, t, i]),
        "orgqr": ([t, t], [], [t]),
        "ungqr": ([t, t], [], [t]),
        "sytrd": ([t], ["uplo"], [t, r, r, t, i]),
        "hetrd": ([t], ["uplo"], [t, r, r, t, i]),
        "gehrd": ([t], ["high", "low"], [t, t, i]),
        "gtsv": ([t, t, t, t], [], [t, t, t, t, i]),
    }.get(rest)


def test_the_kernels_inside_jaxlib_say_what_they_take():
    register_all()
    probed = {}

    @VISIT
    def visit(_, info):
        host.call("tn_target_probe", None, ctypes.c_char_p(info.contents.name), ctypes.c_char_p(b"Host"),
                  library=INSPECT)
        return True

    @VISIT
    def look(_, info):
        parameters = [info.contents.parameters[i] for i in range(info.contents.parameter_count)]
        probed[info.contents.name.decode()] = tuple(
            [(parameter.name or parameter.type).decode().split("[")[0] for parameter in parameters if parameter.kind == kind]
            for kind in (0, 1, 2))
        return True

    host.call("tn_target_enumerate", visit, ctypes.c_void_p())
    host.call("tn_target_enumerate", look, ctypes.c_void_p())
    lapack = {name: found for name, found in probed.items() if name.startswith("lapack_")}
    assert len(lapack) >= 60
    checked = 0
    for name, found in lapack.items():
        wanted = wanted_of(name)
        if not wanted:
            continue
        operands, attributes, results = found
        attributes = [attribute for attribute in attributes if attribute != "any attributes"]
        assert (operands, attributes, results) == wanted, name
        checked += 1
    assert checked >= 40
