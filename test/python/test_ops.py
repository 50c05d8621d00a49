# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""tenon.ops: libraries of operations as modules of functions."""

import gc
import inspect
import os
import pathlib
import re
import subprocess
import sys

import numpy as np
import pytest
import tenon
import tenon.core as tn

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("TENON_BUILD_DIR", ROOT / "build" / "release"))


def example(name):
    return tenon.ops.load(BUILD / "examples" / name / f"lib{name}.so")


def build(folder, name, source):
    (folder / f"{name}.c").write_text(source)
    subprocess.run([os.environ.get("CC", "cc"), "-O1", "-shared", "-fPIC", f"-I{ROOT / 'include'}", folder / f"{name}.c", "-o",
                    folder / f"lib{name}.so", "-lm"], check=True)
    return folder / f"lib{name}.so"


@pytest.fixture(scope="module")
def attributes(tmp_path_factory):
    """An operation that gives back what it was given."""
    return tenon.ops.load(build(tmp_path_factory.mktemp("ops"), "attributes", """
#include <tenon/custom.h>
#define SHOW(ARG, ATTR, RET)               \\
  ARG(x, f64, any_rank, "takes the result") \\
  ATTR(small, int8_t, -3)                  \\
  ATTR(flag, bool, true)                   \\
  ATTR(large, uint64_t, 7)                 \\
  ATTR(real, float, 0.5f, "a factor")      \\
  ATTR(text, string, "abc")                \\
  ATTR(list, array(int32_t), TN_EMPTY)     \\
  RET(y, f64, like(x))
TN_OP(show, SHOW, "what it was given") {
  double values[] = {call->small, call->flag, (double)call->large, call->real, (double)call->text.size, 0};
  for (size_t i = 0; i < call->list.count; ++i) values[5] += call->list.data[i];
  for (int64_t i = 0; i < tn_size(call->x) && i < 6; ++i) call->y.data[i] = values[i];
  return TN_OK;
}
TN_LIBRARY(show)
"""))


def test_a_library_is_a_module_of_functions():
    module = example("axpby")
    assert module.__all__ == ["axpby"] and module.__name__ == "axpby"
    assert str(inspect.signature(module.axpby)) == "(x, y, alpha=1.0, beta=1.0, *, stream=None)"
    assert module.axpby.__name__ == "axpby"
    assert "alpha: scales x" in module.axpby.__doc__


def test_operands_and_attributes_go_by_position_or_keyword():
    axpby = example("axpby").axpby
    x, y = tn.array([1.0, 2]), tn.array([10.0, 20])
    for z in (axpby(x, y, 4.0, 2.0), axpby(x, y, beta=2, alpha=4), axpby(y=y, x=x, alpha=np.float32(4), beta=np.int64(2))):
        assert z.tolist() == [24, 48]
    assert axpby(x, y).tolist() == [11, 22]


def test_operands_are_anything_that_is_like_an_array():
    axpby = example("axpby").axpby
    assert axpby([1, 2], np.array([10, 20], np.float16)).dtype == tn.float16
    assert axpby(tn.array([1, 2], tn.bfloat16), 3.0).dtype == tn.bfloat16
    assert axpby(tn.ones((2, 1)), tn.ones((3,))).shape == (2, 3)


def test_attributes_have_the_declared_types(attributes):
    x = tn.zeros((6,), dtype=tn.float64)
    assert attributes.show(x).tolist() == [-3, 1, 7, 0.5, 3, 0]
    given = attributes.show(x, -128, False, 2**64 - 1, 0.1, "länger", [1, 2, 3]).tolist()
    assert given == [-128, 0, float(2**64 - 1), float(np.float32(0.1)), 7, 6]
    assert attributes.show(x, flag=0, text=b"\x00\x00\x00", list=np.array([4, 5])).tolist() == [-3, 0, 7, 0.5, 3, 9]
    assert str(inspect.signature(attributes.show)) == \
        "(x, small=-3, flag=True, large=7, real=0.5, text='abc', list=None, *, stream=None)"


@pytest.mark.parametrize("call, error, text", [
    (lambda f, x: f(), TypeError, "missing required argument 'x'"),
    (lambda f, x: f(x, smal=1), TypeError, "unexpected keyword argument 'smal' (did you mean 'small'?); it is show(x, small=-3"),
    (lambda f, x: f(x, small=200), ValueError, "small"),
    (lambda f, x: f(x, small=0.5), ValueError, "small"),
    (lambda f, x: f(x, text=3), ValueError, "text"),
    (lambda f, x: f(x, x=x), TypeError, "multiple values for argument 'x'"),
    (lambda f, x: f("a"), TypeError, "show(): operand 0: expected an array, a number or a sequence of them; found str"),
    (lambda f, x: f(tn.zeros((2,), dtype=tn.int8)), ValueError, "show: operand 0 (x) has type tensor<2xi8>; expected elements of f64"),
    (lambda f, x: f(x, 1, True, 2, 3.0, "a", [1], 8), TypeError, "takes 7 positional arguments but 8 were given"),
    (lambda f, x: f(x, large=2**64), OverflowError, "too big"),
])
def test_mistakes_name_the_operation_and_the_argument(attributes, call, error, text):
    with pytest.raises(error, match=re.escape(text)):
        call(attributes.show, tn.zeros((6,), dtype=tn.float64))


def test_operations_with_several_results_or_operands_give_tuples_and_take_lists(tmp_path):
    module = tenon.ops.load(build(tmp_path, "several", """
#include <tenon/custom.h>
#define BOTH(ARG, ATTR, RET) ARG(x, f32, any_rank) RET(y, f32, like(x)) RET(z, f32, like(x))
TN_OP(both, BOTH, "x + 1, and x - 1") {
  for (int64_t i = 0; i < tn_size(call->x); ++i) {
    call->y.data[i] = call->x.data[i] + 1;
    call->z.data[i] = call->x.data[i] - 1;
  }
  return TN_OK;
}
#define TOTAL(ARG, ATTR, RET) ARG(first, f32, rank(0)) ARG(rest, f32, remaining) RET(y, f32, rank(0))
TN_OP(total, TOTAL, "the sum of all") {
  *call->y.data = *call->first.data;
  for (int64_t i = 0; i < call->rest.count; ++i) {
    tn_arg_f32_t part;
    TN_TRY(tn_get_arg(call, call->rest, i, f32, &part));
    *call->y.data += *part.data;
  }
  return TN_OK;
}
TN_LIBRARY(both, total)
"""))
    y, z = module.both([1.0, 2.0])
    assert y.tolist() == [2, 3] and z.tolist() == [0, 1]
    assert module.total(1.0, [tn.array(2.0), 3.0]).item() == module.total(1.0, (float(i) for i in (2, 3))).item() == 6


def test_loading_again_gives_the_same_and_a_missing_file_is_named(tmp_path):
    assert example("axpby").axpby([1.0], [1.0]).item() == example("axpby").axpby([1.0], [1.0]).item() == 2
    with pytest.raises(FileNotFoundError, match="nothing.so"):
        tenon.ops.load("./nothing.so")
    (tmp_path / "text.so").write_text("no library")
    with pytest.raises(RuntimeError, match="no ELF file"):
        tenon.ops.load(tmp_path / "text.so")


def test_a_library_on_the_system_s_path_is_found_by_its_name(tmp_path):
    (tmp_path / "libfound_by_name.so").symlink_to(BUILD / "examples" / "axpby" / "libaxpby.so")
    done = subprocess.run([sys.executable, "-c", "import tenon; print(tenon.ops.load('libfound_by_name.so').__all__)"], cwd="/",
                          capture_output=True, text=True,
                          env={**os.environ, "LD_LIBRARY_PATH": str(tmp_path), "PYTHONPATH": str(BUILD / "python")})
    assert done.stdout == "['axpby']\n", done.stderr


def test_functions_of_a_library_go_with_their_module():
    function = example("axpby").axpby
    gc.collect()
    assert function([1.0], [2.0]).item() == 3  # the module is gone
