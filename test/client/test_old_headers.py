# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""Handlers compiled against the headers of older jaxlibs run in Tenon, of every version of the FFI since 0.1.

Where the newest jaxlib runs such a handler too, its results and errors are the same. With TENON_LONG_TESTS=1 the last
release of each minor version of jaxlib is tried, not only one for each version of the FFI.
"""

import concurrent.futures
import ctypes
import os
import shutil
import subprocess

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import host
import jaxlib_headers
from support import ROOT, assert_same

SOURCE = ROOT / "test" / "client" / "old_handlers.cc"
RELEASES = ["0.5.3", "0.8.1"]
if os.environ.get("TENON_LONG_TESTS", "0") != "0":
    RELEASES = ["0.4.34", "0.4.38", "0.5.3", "0.6.2", "0.7.2", "0.8.0", "0.8.3", "0.9.2", "0.10.2"]
FFI_MINOR = {"0.8.1": 2, "0.8.3": 2, "0.9.2": 3, "0.10.2": 3}  # the others: 1


class Old:
    """The library of a release, its handlers registered on both sides as RELEASE.name."""

    def __init__(self, release, path):
        self.release, self.path = release, path
        self.library = ctypes.CDLL(str(path))
        for handler in "attributes", "fail":
            jax.ffi.register_ffi_target(self.name(handler), jax.ffi.pycapsule(self.library[handler]), platform="cpu")
            host.register(self.name(handler), ctypes.cast(self.library[handler], ctypes.c_void_p).value)

    def name(self, handler):
        return f"{self.release}.{handler}"

    def run_both(self, handler, result_type, x, **attributes):
        """What the newest jaxlib gives and what Tenon gives: an array or the text of the error."""
        with jax.enable_x64(True):
            call = jax.ffi.ffi_call(self.name(handler), result_type)
            lowered = jax.jit(lambda x: call(x, **attributes)).lower(x)
            try:
                wanted = np.asarray(lowered.compile()(x))
            except jax.errors.JaxRuntimeError as error:
                wanted = str(error)
        try:
            got = host.Program(lowered.as_text())(x)[0]
        except host.Error as error:
            got = str(error)
        return wanted, got


def build(release, folder):
    path = folder / f"old_handlers_{release}.so"
    subprocess.run(["c++", "-std=c++17", "-O0", "-shared", "-fPIC", "-w", "-I", jaxlib_headers.fetch(release), SOURCE,
                    "-o", path], check=True)
    return path


@pytest.fixture(scope="module")
def libraries(tmp_path_factory):
    folder = tmp_path_factory.mktemp("old")
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        paths = pool.map(lambda release: build(release, folder), RELEASES)
        return {release: Old(release, path) for release, path in zip(RELEASES, paths)}


@pytest.fixture(params=RELEASES)
def old(request, libraries):
    return libraries[request.param]


X = np.arange(6, dtype=np.float32).reshape(2, 3)
F32 = jax.ShapeDtypeStruct((2, 3), jnp.float32)
F64 = jax.ShapeDtypeStruct((10,), jnp.float64)
ATTRIBUTES = dict(flag=True, small=np.int8(-3), word=np.uint32(2**31), number=0.1, text="ab", list=np.array([1, 2, -5]),
                  floats=np.array([0.5, 1], np.float32), command=np.int32(1), range=dict(lo=-1, hi=41),
                  nested=dict(inner=np.int32(7), other="x"))


def test_the_headers_are_those_of_the_release(old):
    assert old.library.ffi_minor() == FFI_MINOR.get(old.release, 1)


def test_attributes(old):
    wanted, got = old.run_both("attributes", F64, X, **ATTRIBUTES)
    assert_same(got, wanted)
    assert got.tolist() == [5, 1, -3, 2**31, 0.1, 2 + ord("b"), -0.5, 1, 42, 7]


def test_wrong_attributes_and_operands(old):
    for name, value in ("small", 3), ("list", np.array([1.5])), ("text", 1), ("range", dict(lo=1)):
        wanted, got = old.run_both("attributes", F64, X, **{**ATTRIBUTES, name: value})
        assert wanted.strip() in got
        assert old.name("attributes") in got
    missing = {name: value for name, value in ATTRIBUTES.items() if name != "word"}
    wanted, got = old.run_both("attributes", F64, X, **missing)
    assert wanted.strip() in got
    wanted, got = old.run_both("fail", F32, X.astype(np.int32), code=np.int32(3))
    assert "F32" in wanted and "S32" in wanted
    assert wanted.strip() in got


def test_errors(old):
    for code, name in (3, "INVALID_ARGUMENT"), (8, "RESOURCE_EXHAUSTED"), (16, "UNAUTHENTICATED"):
        wanted, got = old.run_both("fail", F32, X, code=np.int32(code))
        assert f"{name}: asked for code {code}" in wanted
        assert wanted.strip() in got


STATEFUL = """func.func @main() -> tensor<1xf64> {{
  %0 = stablehlo.custom_call @"{}"() {{has_side_effect = true, mhlo.backend_config = {{start = {} : i64}}}} : () -> tensor<1xf64>
  return %0 : tensor<1xf64>
}}
"""


def jaxlib_states(old, folder):
    """What the newest jaxlib gives for STATEFUL: three results, and an error. Of a copy of the library, since both
    sides write the type's id into it."""
    library = ctypes.CDLL(shutil.copy(old.path, folder))
    for function in library.counter_type_id, library.counter_type_info:
        function.restype = ctypes.c_void_p
    name = old.name("jaxlib_count")
    pointers = dict(type_id=library.counter_type_id(), type_info=library.counter_type_info())
    jax.devices()  # types are registered when there is a client
    jax.ffi.register_ffi_type(name, {key: jax.ffi.pycapsule(pointer) for key, pointer in pointers.items()}, platform="cpu")
    stages = dict(instantiate=library.count_instantiate, execute=library.count)
    jax.ffi.register_ffi_target(name, {key: jax.ffi.pycapsule(stage) for key, stage in stages.items()}, platform="cpu")
    with jax.enable_x64(True):
        call = jax.ffi.ffi_call(name, jax.ShapeDtypeStruct((1,), jnp.float64), has_side_effect=True)
        program = jax.jit(lambda: call(start=5)).lower().compile()
        with pytest.raises(jax.errors.JaxRuntimeError) as error:
            jax.jit(lambda: call(start=-5)).lower().compile()
        return [np.asarray(program())[0] for _ in range(3)], str(error.value).strip()


def test_states(old, tmp_path):
    """Of every version; jaxlib 0.10.2 does not know how 0.1 sets them."""
    minor = old.library.ffi_minor()
    wanted = [5, 6, 7], "OUT_OF_RANGE: cannot start below zero"
    if minor >= 2:
        assert jaxlib_states(old, tmp_path) == wanted
    name = old.name("count")
    info = ":counter_type_info" if minor >= 2 else ""
    host.load(f"{old.path}:{name}=count,instantiate=count_instantiate,type={old.release}.counter:counter_type_id{info}")
    one, other = host.Program(STATEFUL.format(name, 5)), host.Program(STATEFUL.format(name, 50))
    assert old.library.live_counters() == 2
    assert [one()[0][0] for _ in range(3)] == wanted[0]
    assert other()[0][0] == 50
    del one
    assert old.library.live_counters() == 1
    del other
    assert old.library.live_counters() == 0
    with pytest.raises(host.Error, match=wanted[1]):
        host.Program(STATEFUL.format(name, -5))


def test_states_need_no_registered_type_where_handlers_bring_the_deleter(old):
    if old.library.ffi_minor() > 1:
        pytest.skip("the deleter comes with the type since version 0.2")
    name = old.name("count_unregistered")
    host.load(f"{old.path}:{name}=count,instantiate=count_instantiate")
    program = host.Program(STATEFUL.format(name, 5))
    assert [program()[0][0] for _ in range(2)] == [5, 6]
    del program
    assert old.library.live_counters() == 0
