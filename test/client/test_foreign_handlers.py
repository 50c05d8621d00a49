# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""Handlers compiled against jaxlib's headers give the same results and errors in Tenon as in JAX."""

import ctypes
import os
import shutil
import subprocess
import sys

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import host
from support import BUILD, ROOT, assert_same, tenon

HERE = ROOT / "test" / "client"
COMPILERS = [name for name in ("g++", "clang++") if shutil.which(name)]
HANDLERS = ["axpby", "look", "sum_all", "optional", "attributes", "all_attributes", "every_number", "every_list",
            "pointer", "fail", "throw_exception", "later", "parallel", "scratch", "where", "stream", "in_place", "flags"]


class Foreign:
    """The library, built by one compiler, with its handlers registered on both sides as COMPILER.name."""

    def __init__(self, compiler, path):
        self.compiler = compiler
        self.path = path
        self.library = ctypes.CDLL(str(self.path))
        for name in HANDLERS:
            jax.ffi.register_ffi_target(self.name(name), jax.ffi.pycapsule(self.library[name]), platform="cpu")
            host.register(self.name(name), self.address(name))

    def name(self, handler):
        return f"{self.compiler}.{handler}"

    def address(self, symbol):
        return ctypes.cast(self.library[symbol], ctypes.c_void_p).value

    def lower(self, handler, result_types, *arrays, options=None, **attributes):
        options = {"vmap_method": "sequential", **(options or {})}
        call = jax.ffi.ffi_call(self.name(handler), result_types, **options)
        return jax.jit(lambda *xs: call(*xs, **attributes)).lower(*arrays)

    def run_both(self, handler, result_types, *arrays, options=None, **attributes):
        """What JAX gives and what Tenon gives, each a list of arrays or the text of the error."""
        with jax.enable_x64(True):
            lowered = self.lower(handler, result_types, *arrays, options=options, **attributes)
            try:
                wanted = [np.asarray(x) for x in jax.tree.leaves(lowered.compile()(*arrays))]
            except jax.errors.JaxRuntimeError as error:
                wanted = str(error)
        try:
            got = host.Program(lowered.as_text())(*arrays)
        except host.Error as error:
            got = str(error)
        return wanted, got

    def same(self, *arguments, **keywords):
        wanted, got = self.run_both(*arguments, **keywords)
        assert not isinstance(wanted, str), wanted
        assert not isinstance(got, str), got
        assert len(got) == len(wanted)
        for a, b in zip(got, wanted):
            assert_same(a, b)
        return got

    def same_error(self, *arguments, **keywords):
        wanted, got = self.run_both(*arguments, **keywords)
        assert isinstance(wanted, str), wanted
        assert isinstance(got, str), got
        assert wanted.strip() in got, f"JAX: {wanted}\nTenon: {got}"
        assert self.name(arguments[0]) in got
        return got


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The library that a compiler makes of a source. All compilers are started at once."""
    folder = tmp_path_factory.mktemp("built")
    jobs = {}
    for source in "foreign_handlers", "self_registering":
        for compiler in COMPILERS:
            path = folder / f"{source}_{compiler}.so"
            command = [compiler, "-std=c++17", "-O2", "-shared", "-fPIC", "-w", "-I", jax.ffi.include_dir(),
                       HERE / f"{source}.cc", "-o", path, "-pthread"]
            jobs[compiler, source] = path, subprocess.Popen(command)

    def wait(compiler, source):
        path, process = jobs[compiler, source]
        assert process.wait() == 0, f"{compiler} {source}.cc"
        return path

    yield wait
    for _, process in jobs.values():
        process.kill()
        process.wait()


@pytest.fixture(scope="module", params=COMPILERS)
def foreign(request, built):
    return Foreign(request.param, built(request.param, "foreign_handlers"))


def f32(*shape):
    return jax.ShapeDtypeStruct(shape, jnp.float32)


def f64(n):
    return jax.ShapeDtypeStruct((n,), jnp.float64)


X = np.arange(6, dtype=np.float32).reshape(2, 3)


def test_buffers_and_scalars(foreign):
    foreign.same("axpby", f32(2, 3), X, X + 1, a=np.float32(2), b=np.float32(-0.5))
    foreign.same("axpby", f32(0, 3), X[:0], X[:0], a=np.float32(2), b=np.float32(-0.5))


def test_the_handler_in_c_gives_what_the_one_in_cpp_gives(foreign):
    """docs/from-xla-ffi.md"""
    library = BUILD / "examples/from_xla_ffi/libfrom_xla_ffi.so"
    in_c = ctypes.cast(ctypes.CDLL(str(library))["axpby"], ctypes.c_void_p).value
    lowered = foreign.lower("axpby", f32(2, 3), X, X + 1, a=np.float32(2), b=np.float32(-0.5))
    wanted = np.asarray(lowered.compile()(X, X + 1))
    host.register("axpby_in_c", in_c)
    got = host.Program(lowered.as_text().replace(foreign.name("axpby"), "axpby_in_c"))(X, X + 1)
    assert_same(got[0], wanted)


@pytest.mark.parametrize("dtype", [np.bool_, np.int8, np.uint16, np.int32, np.int64, np.float16, jnp.bfloat16,
                                   np.float64, np.complex64, np.complex128])
def test_any_buffer(foreign, dtype):
    for shape in (), (2, 3), (0, 1):
        foreign.same("look", jax.ShapeDtypeStruct((4,), jnp.int32), np.zeros(shape, dtype))


def test_remaining(foreign):
    for count in 1, 2, 5:
        foreign.same("sum_all", [f32(2, 3)] * count, *[X * i for i in range(count)])
    foreign.same_error("sum_all", [f32(2, 3)] * 2, X, X.astype(np.int32))


def test_optional(foreign):
    foreign.same("optional", [f32(2, 3)], X)
    foreign.same("optional", [f32(2, 3)], X, X)
    foreign.same("optional", [f32(2, 3)] * 2, X, X)
    foreign.same("optional", [f32(2, 3)], X, X, X)  # more than there are names for


ATTRIBUTES = dict(flag=True, small=np.int8(-3), word=np.uint16(65535), wide=2**62, number=0.1, text="a\0b",
                  list=np.array([1, 2, -3]), floats=np.array([0.5, 1], np.float32), command=np.int32(1),
                  range=dict(lo=-1, hi=41), nested=dict(inner=np.int32(7), other="x"))


def test_attributes(foreign):
    got = foreign.same("attributes", f64(14), **ATTRIBUTES)
    assert got[0].tolist() == [1, -3, 65535, 2**62, 0.1, 3, 0, 3, -3, 0.5, 1, 42, 7, 2]
    foreign.same("all_attributes", f64(2), x=2.5, more=1, Zulu="first")
    foreign.same("all_attributes", f64(2), x=2.5)
    value = ctypes.c_int64(1234)
    foreign.same("pointer", f64(1), address=ctypes.addressof(value))


NUMBERS = {"s8": np.int8(-8), "s16": np.int16(-16), "s32": np.int32(-32), "s64": np.int64(-64), "u8": np.uint8(200),
           "u16": np.uint16(60000), "u32": np.uint32(4000000000), "u64": np.uint64(2**62), "f32": np.float32(0.5),
           "f64": np.float64(0.1)}


def test_numbers_of_every_type(foreign):
    foreign.same("every_number", f64(10), **NUMBERS)
    foreign.same("every_list", f64(10), **{name: np.array([1, 2, x], x.dtype) for name, x in NUMBERS.items()})
    for name in NUMBERS:
        foreign.same_error("every_number", f64(10), **{**NUMBERS, name: "text"})


def test_wrong_attributes(foreign):
    for name, value in ("small", 3), ("list", np.array([1.5])), ("text", 1), ("range", dict(lo=1)):
        foreign.same_error("attributes", f64(14), **{**ATTRIBUTES, name: value})
    missing = {key: value for key, value in ATTRIBUTES.items() if key != "wide"}
    foreign.same_error("attributes", f64(14), **missing)
    foreign.same_error("all_attributes", f64(2), y=2.5)


def test_what_is_not_bound_may_be_there(foreign):
    """A handler that binds no operand takes any number of them; of results and attributes the same holds."""
    foreign.same("where", f64(2), X, X + 1, extra=1, more="text")
    foreign.same("all_attributes", f64(2), X, x=2.5)
    foreign.same("look", jax.ShapeDtypeStruct((4,), jnp.int32), X, extra=1)
    foreign.same_error("where", [f64(2), f32(2, 3)], X)


def test_wrong_buffers(foreign):
    scalars = dict(a=np.float32(1), b=np.float32(1))
    foreign.same_error("axpby", f32(2, 3), X, **scalars)
    foreign.same_error("axpby", f32(2, 3), X, X.astype(np.int32), **scalars)
    foreign.same_error("axpby", [f32(2, 3)] * 2, X, X, **scalars)


def test_errors(foreign):
    for code in 1, 3, 8, 16:
        foreign.same_error("fail", f32(2, 3), X, code=np.int32(code))
    foreign.same_error("throw_exception", f32(2, 3), X)


def test_host(foreign):
    foreign.same("parallel", f32(2, 3), X)
    foreign.same("where", f64(2))
    got = host.Program(foreign.lower("scratch", f32(2, 3), X).as_text())(X)  # XLA's CPU has none
    assert_same(got[0], X)
    wanted, got = foreign.run_both("stream", f32(2, 3), X)
    assert isinstance(wanted, str) and "no streams for handlers" in got


def test_futures(foreign):
    foreign.same("later", f32(2, 3), X, fails=False)
    foreign.same_error("later", f32(2, 3), X, fails=True)


def test_aliases(foreign):
    foreign.same("in_place", f32(2, 3), X, options=dict(input_output_aliases={0: 0}))
    _, got = foreign.run_both("in_place", f32(2, 3), X)
    assert isinstance(got, str) and "two places" in got


def test_state(foreign):
    """By --load's words, since only the library knows its type."""
    spec = (f"{foreign.path}:{foreign.name('count')}=count,instantiate=count_instantiate,"
            f"type={foreign.compiler}.counter:counter_type_id:counter_type_info")
    host.load(spec)
    live = foreign.library.live_counters
    config = "mhlo.backend_config = {start = 5 : i64}"
    text = ("func.func @main() -> tensor<1xf64> {\n  %0 = stablehlo.custom_call @\"" + foreign.name("count") +
            "\"() {has_side_effect = true, " + config + "} : () -> tensor<1xf64>\n  return %0 : tensor<1xf64>\n}\n")
    one, other = host.Program(text), host.Program(text)
    assert live() == 2
    assert [one()[0][0] for _ in range(3)] == [5, 6, 7]
    assert other()[0][0] == 5
    del one
    assert live() == 1
    del other
    assert live() == 0
    with pytest.raises(host.Error, match="INVALID_ARGUMENT: cannot start below zero"):
        host.Program(text.replace("5 : i64", "-5 : i64"))


def chain(target, config, elements, result, dtype="f64"):
    """A program of one call, of one operand."""
    operand, out = f"tensor<{elements}x{dtype}>", f"tensor<{result}x{dtype}>"
    return (f"func.func @main(%x: {operand}) -> {out} {{\n  %0 = stablehlo.custom_call @\"{target}\"(%x) "
            f"{{has_side_effect = true{config}}} : ({operand}) -> {out}\n  return %0 : {out}\n}}\n")


def test_user_data(foreign):
    """What a run brings along for the handlers that ask for its type."""
    spec = f"{foreign.path}:{foreign.name('tally')}=add_to_tally,type={foreign.compiler}.tally:tally_type_id:tally_type_info"
    host.load(spec)
    program = host.Program(chain(foreign.name("tally"), ", mhlo.backend_config = {}", 1, 1))
    type_of = foreign.library.tally_type_id
    type_of.restype = ctypes.POINTER(ctypes.c_int64)
    tally, other = ctypes.c_double(10), ctypes.c_double(0)
    mine = (type_of()[0], ctypes.addressof(tally))
    x = np.array([2.5])
    assert [program(x, user_data=[mine])[0][0] for _ in range(2)] == [12.5, 15]
    stranger = (1 << 40, ctypes.addressof(other))
    assert program(x, user_data=[stranger, mine])[0][0] == 17.5
    assert (tally.value, other.value) == (17.5, 0)
    for others in [], [stranger]:
        with pytest.raises(host.Error, match=f"User data with type id {type_of()[0]} not found") as error:
            program(x, user_data=others)
        assert foreign.name("tally") in str(error.value)


def test_all_stages(foreign):
    """XLA's CPU knows instantiate and execute alone; prepare and initialize come before each run's execute here."""
    live = foreign.library.live_counters
    name = foreign.name("stages")
    host.load(f"{foreign.path}:{name}=stages,instantiate=stages_instantiate,prepare=stages_prepare,"
              f"initialize=stages_initialize,type={foreign.compiler}.stages:counter_type_id:counter_type_info")
    text = chain(name, ", mhlo.backend_config = {start = 5 : i64}", 1, 3)
    program = host.Program(text)
    assert live() == 1
    x = np.array([0.25])
    assert [program(x)[0].tolist() for _ in range(2)] == [[6, 600, 10600.25], [7, 700, 10700.25]]
    assert live() == 1  # states of prepare and initialize live for one run
    fails = host.Program(text.replace("5 : i64", "13 : i64"))
    with pytest.raises(host.Error, match="UNAVAILABLE: thirteen"):
        fails(x)
    assert live() == 2
    del program, fails
    assert live() == 0


def test_lists_of_booleans(foreign):
    """XLA's compiler has none, as attributes or at all; in Tenon they are arrays of PRED."""
    wanted, _ = foreign.run_both("flags", f64(2), flags=np.array([True]))
    assert isinstance(wanted, str) and "Unsupported" in wanted
    for flags, value in ("true, false, true", 5), ("", 0), ("false", 0):
        count = len(flags.split(",")) if flags else 0
        text = chain(foreign.name("flags"), f", mhlo.backend_config = {{flags = array<i1{': ' if flags else ''}{flags}>}}", 1, 2)
        text = text.replace("(%x)", "()").replace(": (tensor<1xf64>) ->", ": () ->")
        assert host.Program(text)(np.zeros(1))[0].tolist() == [count, value]
    lowered = foreign.lower("flags", f64(2), flags=np.array([False, True, True]))
    assert host.Program(lowered.as_text())()[0].tolist() == [3, 6]


@pytest.fixture(scope="module", params=COMPILERS)
def self_registering(request, built):
    return built(request.param, "self_registering")


def test_libraries_that_register_themselves(self_registering, tmp_path):
    """--load LIB.so alone: its static registrations are all there is to know."""
    for target, wanted in ("twice", "2"), ("thrice", "3"), ("add_up", "1"):
        path = tmp_path / f"{target}.mlir"
        path.write_text(chain(f"self_registering.{target}", ", mhlo.backend_config = {}", 1, 1, "f32"))
        assert wanted in tenon("run", path, "--input", "ones", "--load", self_registering)
    listed = tenon("ops", "--load", self_registering)
    assert "self_registering.twice" in listed and "self_registering.add_up" in listed


LOCALLY = r"""
import ctypes, sys
import numpy as np
sys.path.insert(0, sys.argv[1])
import host  # ctypes loads Tenon for itself alone
assert not hasattr(ctypes.CDLL(None), "tn_program_run")
x = np.arange(4, dtype=np.float32)
def text(target, version, config=""):
    return (f"func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {{ %0 = stablehlo.custom_call @{target}(%x) "
            f"{{api_version = {version} : i32{config}}} : (tensor<4xf32>) -> tensor<4xf32> return %0 : tensor<4xf32> }}")
def fails(program, *words):
    try:
        program(-x - 1)
    except host.Error as error:
        assert all(word in str(error) for word in words), error
    else:
        assert False
host.load(sys.argv[2] + ":negate=negate_status#2")
host.load(sys.argv[2] + ":repeat=repeat_opaque#3")
negate = host.Program(text("negate", 2))
assert (negate(x)[0] == -x).all()
fails(negate, "negate", "the first is negative", "test.mlir:1")
repeat = host.Program(text("repeat", 3, ', backend_config = "ab\\00\\05"'))
assert (repeat(x)[0] == x + 405).all()
fails(host.Program(text("repeat", 3)), "repeat", "INTERNAL: a")
"""


def test_status_functions_are_found_when_tenon_is_loaded_locally(tmp_path):
    library = tmp_path / "status_kernels.so"
    subprocess.run(["cc", "-O2", "-shared", "-fPIC", HERE / "status_kernels.c", "-o", library], check=True)
    undefined = subprocess.run(["nm", "-D", "--undefined-only", library], check=True, capture_output=True, text=True).stdout
    assert "XlaCustomCallStatusSetFailure" in undefined and "XlaCustomCallStatusSetSuccess" in undefined
    done = subprocess.run([sys.executable, "-c", LOCALLY, HERE, library], capture_output=True, text=True,
                          env={**os.environ, "JAX_PLATFORMS": "cpu"})
    assert done.returncode == 0, done.stderr


KERNEL_THAT_REGISTERS_ITSELF = r"""
#include <tenon/detail/call.h>
static void halve(void* out, const void** in) { *(float*)out = *(const float*)in[0] / 2; }
TN_REGISTER_CUSTOM_CALL_TARGET(halve, "Host");
"""

LOADED_LOCALLY = r"""
import ctypes, sys
import numpy as np
sys.path.insert(0, sys.argv[1])
import host  # ctypes loads Tenon for itself alone
assert not hasattr(ctypes.CDLL(None), "tn_target_register_at_start")
host.load(sys.argv[2])
program = host.Program("func.func @main(%x: tensor<f32>) -> tensor<f32> { %0 = stablehlo.custom_call @halve(%x) : "
                       "(tensor<f32>) -> tensor<f32> return %0 : tensor<f32> }")
assert program(np.float32(5))[0] == 2.5
"""


def test_functions_register_themselves_when_tenon_is_loaded_locally(tmp_path):
    library = tmp_path / "halve.so"
    subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-I", ROOT / "include", "-x", "c", "-", "-o", library], check=True,
                   input=KERNEL_THAT_REGISTERS_ITSELF, text=True)
    done = subprocess.run([sys.executable, "-c", LOADED_LOCALLY, HERE, library], capture_output=True, text=True,
                          env={**os.environ, "JAX_PLATFORMS": "cpu"})
    assert done.returncode == 0, done.stderr
