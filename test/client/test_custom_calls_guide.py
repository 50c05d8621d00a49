# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""docs/custom-calls.md and docs/custom-op.md show the examples as they are, and messages as they come."""

import re
import subprocess

import pytest

from support import BUILD, COMMAND, ROOT, tenon

GUIDE = (ROOT / "docs" / "custom-calls.md").read_text()
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", flags=re.MULTILINE | re.DOTALL)
BLOCKS = BLOCK.findall(GUIDE)


@pytest.mark.parametrize("block", [block for language, block in BLOCKS if language == "mlir"])
def test_programs_are_pieces_of_the_examples(block):
    assert any(block in path.read_text() for path in (ROOT / "examples").glob("*/*.mlir")), block


def test_every_example_of_a_custom_call_is_in_a_guide():
    blocks = BLOCKS + BLOCK.findall((ROOT / "docs" / "custom-op.md").read_text())
    for rules in (ROOT / "examples").glob("*/CMakeLists.txt"):
        if "tenon_example(" in rules.read_text():
            assert any(block in path.read_text() for _, block in blocks for path in rules.parent.glob("*.c")), rules


def test_mistakes_are_the_ones_that_the_tests_make():
    text = (ROOT / "examples" / "mistakes" / "mistakes.mlir").read_text()
    messages = re.findall(r"^// error: (.*)$", text, flags=re.MULTILINE)
    assert len(messages) > 10
    for message in messages:
        assert f"`{message}`" in GUIDE or f"`` {message} ``" in GUIDE, message


def test_messages_of_libraries(tmp_path):
    (tmp_path / "libtext.so").write_text("this is no library\n")
    (tmp_path / "plain.c").write_text("void f(void* out, const void** in) { (void)out, (void)in; }\n")
    subprocess.run(["cc", "-shared", "-fPIC", tmp_path / "plain.c", "-o", tmp_path / "libplain.so"], check=True)
    roots = BUILD / "examples" / "status" / "libstatus.so"
    rows = GUIDE[GUIDE.index("Errors when a library is loaded:"):].splitlines()[4:8]
    specs = ["./libnowhere.so", "./libtext.so", "./libplain.so", f"{roots}:roots=roos"]
    module = ROOT / "examples" / "status" / "status.mlir"
    for spec, row in zip(specs, rows, strict=True):
        done = subprocess.run([COMMAND, "test", module, "--load", spec], cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode != 0
        for message in re.findall(r"`(.*?)`", row):
            assert message in done.stderr, f"{message}\n{done.stderr}"


# The operation in its generic form, with its attributes behind it, as XLA's own page about typed custom calls prints it.
GENERIC = """func.func @main(%arg0: TYPE) -> TYPE {
%0 = "stablehlo.custom_call"(%arg0) {
  call_target_name = "foo",CONFIG
  api_version = 4 : i32
} : (TYPE) -> TYPE
  return %0 : TYPE
}
"""


@pytest.mark.parametrize("symbol, dtype, config, printed", [
    ("copy", "tensor<2x2xf32>", "", "[[1. 1.]\n [1. 1.]]"),
    ("scalar_attributes", "tensor<f32>", """
  backend_config= {
    i32 = 42 : i32,
    str = "string"
  },""", "49.0"),
    ("enum_attribute", "tensor<f32>", """
  backend_config= {
    command = 0 : i32
  },""", "2.0"),
    ("all_attributes_of_it", "tensor<f32>", """
  backend_config= {
    i32 = 42 : i32,
    str = "string"
  },""", "43.0"),
    ("struct_attribute", "tensor<f32>", """
  backend_config= {
    range = { lo = 0 : i64, hi = 42 : i64 }
  },""", "1.0"),
])
def test_calls_in_generic_form(symbol, dtype, config, printed, tmp_path):
    path = tmp_path / "module.mlir"
    path.write_text(GENERIC.replace("TYPE", dtype).replace("CONFIG", config))
    library = BUILD / "examples" / "typed_attributes" / "libtyped_attributes.so"
    output = tenon("run", path, "--input", "ones", "--load", f"{library}:foo={symbol}")
    assert output.strip() == printed
