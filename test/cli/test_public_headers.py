# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""Public headers compile wherever a program includes them."""

import shutil
import subprocess

import pytest
from command import ROOT

COMPILERS = [name for name in ("gcc", "clang") if shutil.which(name)]
HEADERS = sorted(str(path.relative_to(ROOT / "include/tenon")) for path in (ROOT / "include/tenon").rglob("*.h"))
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wconversion", "-Werror"]


CPP_COMPILERS = [name for name in ("g++", "clang++") if shutil.which(name)]


@pytest.mark.parametrize("compiler", CPP_COMPILERS)
def test_headers_compile_in_cpp_with_all_warnings(compiler):
    source = "".join(f"#include <tenon/{name}>\n" for name in HEADERS)
    subprocess.run([compiler, "-std=c++17", *WARNINGS, "-I", ROOT / "include", "-fsyntax-only", "-xc++", "-"],
                   input=source, text=True, check=True)


@pytest.mark.parametrize("compiler", COMPILERS)
def test_headers_compile_behind_type_generic_math(compiler):
    source = "#include <tgmath.h>\n" + "".join(f"#include <tenon/{name}>\n" for name in HEADERS)
    subprocess.run([compiler, "-std=c11", *WARNINGS, "-I", ROOT / "include", "-fsyntax-only", "-xc", "-"],
                   input=source, text=True, check=True)
