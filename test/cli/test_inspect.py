# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""tenon inspect: what it shows of libraries, and what becomes of those that are none."""

import json
import shutil

import pytest
from command import BUILD, ROOT, compile_library, tenon

PARTS = {
    "aborts": '#include <stdlib.h>\n__attribute__((constructor)) static void start(void) { abort(); }\n',
    "exits": '#include <stdlib.h>\n__attribute__((constructor)) static void start(void) { exit(3); }\n',
    "crashes": '__attribute__((constructor)) static void start(void) { *(volatile int*)8 = 1; }\n',
    "lacks": 'void nobody_has_this(void);\n__attribute__((constructor)) static void start(void) { nobody_has_this(); }\n',
    "empty": 'int nothing;\n',
}


@pytest.fixture(scope="module")
def libraries(tmp_path_factory):
    folder = tmp_path_factory.mktemp("libraries")
    for name, text in PARTS.items():
        (folder / f"{name}.c").write_text(text)
        compile_library(folder / f"{name}.c", folder / f"{name}.so")
    elf = bytearray((folder / "empty.so").read_bytes())
    elf[18] = 0xF3  # RISC-V
    (folder / "other.so").write_bytes(elf)
    (folder / "text.so").write_text("this is no library\n")
    return folder


def test_declared_operations_show_all_that_their_author_wrote(folder):
    text = tenon("inspect", folder / "librms_norm.so")[0]
    assert text == f"""rms_norm on Host
  y = x / sqrt(mean(x * x) + eps) over the last axis
  rms_norm(x: f32, eps: float = 1e-5f) -> (y: like x)
    operand   x                f32
    attribute eps              float = 1e-5f
    result    y                like x
  api version 4, XLA FFI 0.1
  stages execute
  from {folder / "librms_norm.so"}
"""
    [handler] = json.loads(tenon("inspect", "--json", folder / "librms_norm.so")[0])
    assert handler["declared"] and not handler["probed"] and handler["unresolved"] is None
    assert [parameter["name"] for parameter in handler["parameters"]] == ["x", "eps", "y"]
    assert handler["definition"] is None


def test_definitions_are_summed_up_in_a_line():
    library = BUILD / "examples/axpby/libaxpby.so"
    assert "\n  for lazy arrays: elementwise, GPU kernels, jvp, vjp, print, equal\n" in tenon("inspect", library)[0]
    [handler] = json.loads(tenon("inspect", "--json", library)[0])
    assert handler["definition"] == "elementwise, GPU kernels, jvp, vjp, print, equal"


def test_functions_without_an_api_version_take_that_of_their_calls(folder):
    [handler] = json.loads(tenon("inspect", "--json", f"{folder / 'libold.so'}:scale=scale_kernel#1")[0])
    assert handler["api_version"] == 1 and handler["signature"] is None and not handler["probed"]
    assert "api version as each call states" in tenon("inspect", f"{folder / 'libold.so'}:scale=scale_kernel")[0]


def test_functions_that_are_no_handlers_are_not_taken_for_any(folder):
    error = tenon("inspect", folder / "libold.so", code=1)[1]
    assert f"name its targets: {folder / 'libold.so'}:TARGET=SYMBOL" in error


def test_several_libraries_are_shown_in_the_order_of_names(folder):
    both = tenon("inspect", "--json", folder / "librms_norm.so", f"{folder / 'libold.so'}:a=scale_kernel#1")[0]
    assert [handler["name"] for handler in json.loads(both)] == ["a", "rms_norm"]


@pytest.mark.parametrize("name, text", [
    ("aborts", "aborts.so: its initialiser ended the process (Aborted)"),
    ("exits", "exits.so: its initialiser ended the process with code 3"),
    ("crashes", "crashes.so: its initialiser ended the process (Segmentation fault)"),
    ("lacks", "undefined symbol: nobody_has_this"),
    ("empty", "empty.so has no table of operations (tenon_library, which TN_LIBRARY makes), and registered nothing while it was loaded"),
    ("other", "the library is built for another kind of machine than"),
    ("text", "this is not a shared library (no ELF file)"),
    ("missing", "missing.so: there is no such library"),
])
def test_what_is_no_library_of_handlers_is_an_error(libraries, name, text):
    out, error = tenon("inspect", libraries / f"{name}.so", code=1)
    assert out == "" and text in error


def test_words_that_are_no_request_are_an_error(libraries):
    assert "expected LIB.so or LIB.so:TARGET=SYMBOL" in tenon("inspect", f"{libraries / 'empty.so'}:=x", code=1)[1]
    assert "Usage: tenon inspect" in tenon("inspect", "--help")[0]
    tenon("inspect", code=2)


def test_a_library_of_the_current_folder_needs_no_slash(folder, monkeypatch):
    monkeypatch.chdir(folder)
    shutil.copy(folder / "librms_norm.so", folder / "alone.so")
    assert "rms_norm on Host" in tenon("inspect", "alone.so")[0]




def test_the_type_of_a_state_is_shown_without_an_address(tmp_path):
    source = (ROOT / "examples" / "stateful" / "kernels.c").read_text()
    (tmp_path / "kernels.c").write_text(source)
    compile_library(tmp_path / "kernels.c", tmp_path / "libkernels.so")
    output, _ = tenon("inspect", tmp_path / "libkernels.so")
    assert "  state of type average_t\n" in output
    listed = json.loads(tenon("inspect", "--json", tmp_path / "libkernels.so")[0])
    assert "average_t" in [handler["state_type"] for handler in listed]
