# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""CONTRIBUTING.md adds an element-wise operation in three edits: with TENON_LONG_TESTS they are made in a copy of the
repository, and the operation is used from every front end."""

import os
import re
import pathlib
import shutil
import subprocess
import textwrap

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
HERE = ROOT / "test" / "add_operation"
PARTS = ("CMakeLists.txt", "CMakePresets.json", "LICENSE", "bindings", "cli", "cmake", "examples", "include", "python", "src", "test", "tools")


def run(*command, **options):
    done = subprocess.run([*map(str, command)], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **options)
    assert done.returncode == 0, done.stdout[-4000:]
    return done.stdout


def edit(path, before, after):
    text = path.read_text()
    assert before in text
    path.write_text(text.replace(before, after, 1))


def written(name):
    """What is written into a file: without the licence of the example."""
    return re.sub(r"\A// SPDX.*\n// Copyright.*\n\n", "", (HERE / name).read_text())


def test_the_page_says_what_the_files_say():
    page = (ROOT / "CONTRIBUTING.md").read_text()
    for name in "row.def", "declaration.h", "soft_sign.mlir":
        quoted = textwrap.indent(written(name), "   ", lambda line: line.strip())
        assert quoted in page, name


@pytest.mark.skipif("TENON_LONG_TESTS" not in os.environ, reason="TENON_LONG_TESTS: builds Tenon again")
def test_three_edits_make_an_operation(tmp_path):
    for part in PARTS:
        if (ROOT / part).is_dir():
            shutil.copytree(ROOT / part, tmp_path / part)
        else:
            shutil.copy(ROOT / part, tmp_path / part)
    edit(tmp_path / "src/ops/scalar.def", "TN_UNARY(chlo, square,",
         written("row.def") + "TN_UNARY(chlo, square,")
    edit(tmp_path / "include/tenon/detail/array_ops.h", "// Square root.",
         written("declaration.h") + "// Square root.")
    shutil.copy(HERE / "soft_sign.mlir", tmp_path / "test/op/soft_sign.mlir")

    build = tmp_path / "build"
    run("cmake", "-G", "Ninja", "-S", tmp_path, "-B", build, "-DCMAKE_BUILD_TYPE=Debug", "-DCMAKE_C_FLAGS_DEBUG=-O0")
    run("cmake", "--build", build, "--target", "tenon", "tenon_cli", "program_reference_test", "transform_rules_rules_test",
        "array_bad_arguments_test")

    tenon = build / "cli" / "tenon"
    for device in "cpu", "reference":
        assert "2 ok" in run(tenon, "test", tmp_path / "test/op/soft_sign.mlir", "--device", device)
    assert "x / (1 + abs(x))" in run(tenon, "ops", "chlo.soft_sign")
    program = "func.func @main(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {\n" \
              "  %0 = chlo.soft_sign %x : tensor<64x64xf32> -> tensor<64x64xf32>\n" \
              "  %1 = stablehlo.add %0, %x : tensor<64x64xf32>\n  return %1 : tensor<64x64xf32>\n}\n"
    printed = run(tenon, "show", "-", input=program)
    assert "chlo.soft_sign" in printed and run(tenon, "show", "-", input=printed) == printed
    fused = run(tenon, "show", "-", "--stage", "program", input=program)
    assert "program: 1 instruction" in fused and "2 operations together" in fused

    run("cc", "-std=c11", "-Wall", "-Wextra", "-Werror", f"-I{tmp_path}/include", HERE / "front_ends.c",
        f"-L{build}/src", "-ltenon", "-lm", f"-Wl,-rpath,{build}/src", "-o", tmp_path / "front_ends")
    assert run(tmp_path / "front_ends") == ""
    # Against the reference in each dtype; slopes against differences, batches against their elements.
    briefly = {name: value for name, value in os.environ.items() if name != "TENON_LONG_TESTS"}
    run(build / "src/program_reference_test", env=briefly)
    run(build / "src/transform_rules_rules_test", env=briefly)
    # The function with wrong arguments, by its declaration alone.
    printed = run(build / "src/array_bad_arguments_test", env={**briefly, "TENON_OPERATION": "soft_sign", "TENON_PRINT": "1"})
    assert "soft_sign: operand 0 is NULL" in printed
