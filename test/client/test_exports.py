# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""What exporters write beside plain operations: kernels in programs of unknown sizes, programs for several platforms,
calls that stand for operations, shardings of one device. JAX is the other side."""

import subprocess

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import export, lax
from jax.sharding import PartitionSpec

import host
from support import COMMAND, ROOT, assert_same, parse, tenon, xla_run

RANDOM = np.random.default_rng(7)


def numbers(*shape):
    return RANDOM.standard_normal(shape).astype(np.float32)


def dynamic(function, *shapes, dtype=np.float32, constraints=(), **options):
    scope = export.SymbolicScope(constraints)
    arguments = [jax.ShapeDtypeStruct(export.symbolic_shape(shape, scope=scope), dtype) for shape in shapes]
    return export.export(jax.jit(function), **options)(*arguments)


def agree(exported, function, *inputs, slack=10):
    wanted = jax.tree.leaves(jax.jit(function)(*inputs))
    for got, want in zip(host.Program(exported.mlir_module())(*inputs), wanted, strict=True):
        assert_same(got, np.asarray(want), slack=slack)


# -- custom calls whose results have unknown sizes

KERNEL = r"""
#include <math.h>
#include <tenon/custom.h>
#define SWISH(ARG, ATTR, RET) ARG(x, f32, any_rank) ATTR(beta, float, 1.0f) RET(y, f32, like(x))
TN_OP(swish_here, SWISH, "x * logistic(beta * x)") {
  for (int64_t i = 0; i < tn_size(call->x); ++i) {
    call->y.data[i] = call->x.data[i] / (1 + expf(-call->beta * call->x.data[i]));
  }
  return TN_OK;
}
"""


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    folder = tmp_path_factory.mktemp("kernel")
    (folder / "swish.c").write_text(KERNEL)
    subprocess.run(["cc", "-O1", "-shared", "-fPIC", "-I", ROOT / "include", folder / "swish.c", "-o",
                    folder / "libswish.so", "-lm"], check=True)
    return folder / "libswish.so"


@pytest.mark.parametrize("shape", [(3,), (1,), (7,)])
def test_a_kernel_runs_in_a_program_of_unknown_size(library, tmp_path, shape):
    def swish(x):
        call = jax.ffi.ffi_call("swish_here", jax.ShapeDtypeStruct(x.shape, x.dtype))
        return call(x + 1, beta=np.float32(2)) * 3

    exported = dynamic(swish, "(n,)", disabled_checks=[export.DisabledSafetyCheck.custom_call("swish_here")])
    (tmp_path / "swish.mlir").write_text(exported.mlir_module())
    x = numbers(*shape)
    np.save(tmp_path / "x.npy", x)
    tenon("run", tmp_path / "swish.mlir", "--load", f"{library}:swish_here=swish_here", "-i", tmp_path / "x.npy", "-o", tmp_path / "y.npy")
    y = (x + 1) / (1 + np.exp(-2 * (x + 1))) * 3
    np.testing.assert_allclose(np.load(tmp_path / "y.npy"), y, rtol=1e-5)


def symmetric(b, n):
    a = numbers(b, n, n)
    return a @ a.transpose(0, 2, 1) + n * np.eye(n, dtype=np.float32)


FACTORISATIONS = [
    ("cholesky", jnp.linalg.cholesky), ("inv", jnp.linalg.inv), ("slogdet", jnp.linalg.slogdet),
    ("eigvalsh", jnp.linalg.eigvalsh), ("singular_values", lambda a: jnp.linalg.svd(a, compute_uv=False)),
    ("qr", lambda a: jnp.abs(jnp.linalg.qr(a)[1])), ("solve", lambda a: jnp.linalg.solve(a, a[..., :1])),
    ("expm", lambda a: jax.scipy.linalg.expm(a / 10)),
]


@pytest.mark.parametrize("function", [f for _, f in FACTORISATIONS], ids=[name for name, _ in FACTORISATIONS])
def test_linear_algebra_of_an_unknown_batch(function):
    exported = dynamic(function, "(b, 4, 4)")
    for batch in (1, 3):
        agree(exported, function, symmetric(batch, 4), slack=100)


# -- operations with sizes as operands, in the names that JAX guarantees

def windows(x):
    n = x.shape[0]
    return lax.reduce_window(x, np.float32(0), lax.add, (n, 2), (1, 1), "VALID")


def approximate(x):
    return lax.approx_max_k(x, 3), lax.approx_min_k(x, 2, reduction_dimension=0)


@pytest.mark.parametrize("function", [
    windows,
    lambda x: lax.top_k(x, x.shape[1] // 2),
    approximate,
    lambda x: lax.approx_max_k(x, x.shape[1] // 2),
    lambda x: jax.random.bits(jax.random.wrap_key_data(jnp.arange(4, dtype=jnp.uint32), impl="rbg"), x.shape) + 0,
    lambda x: lax.empty(x.shape, x.dtype) * 0 if hasattr(lax, "empty") else x * 0,
], ids=["reduce_window", "top_k", "approx_k", "approx_top_k", "rng_bit_generator", "empty"])
def test_operations_of_unknown_sizes(function):
    exported = dynamic(function, "(n, m)", constraints=["n>=4", "m>=6"])
    for shape in ((4, 6), (5, 8)):
        agree(exported, function, numbers(*shape))


def test_sizes_as_operands_are_read_where_all_sizes_are_known():
    """The constants are computed, and one goes through a function."""
    text = """
      func.func @main(%state: tensor<2xui64>) -> (tensor<2xui64>, tensor<2x3xui32>) {
        %two = stablehlo.constant dense<[2]> : tensor<1xi32>
        %one = stablehlo.constant dense<[1]> : tensor<1xi32>
        %three = stablehlo.add %two, %one : tensor<1xi32>
        %0:2 = call @bits(%state, %two, %three) : (tensor<2xui64>, tensor<1xi32>, tensor<1xi32>) -> (tensor<2xui64>, tensor<2x3xui32>)
        return %0#0, %0#1 : tensor<2xui64>, tensor<2x3xui32>
      }
      func.func private @bits(%state: tensor<2xui64>, %a: tensor<1xi32>, %b: tensor<1xi32>) -> (tensor<2xui64>, tensor<2x3xui32>) {
        %shape = stablehlo.concatenate %a, %b, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
        %0:2 = stablehlo.custom_call @stablehlo.dynamic_rng_bit_generator(%state, %shape)
          {api_version = 2 : i32, rng_algorithm = #stablehlo<rng_algorithm THREE_FRY>} : (tensor<2xui64>, tensor<2xi32>) -> (tensor<2xui64>, tensor<2x3xui32>)
        return %0#0, %0#1 : tensor<2xui64>, tensor<2x3xui32>
      }"""
    state = np.array([1, 2], np.uint64)
    got = host.Program(text)(state)
    plain = """
      func.func @main(%state: tensor<2xui64>) -> (tensor<2xui64>, tensor<2x3xui32>) {
        %0:2 = stablehlo.rng_bit_generator %state, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<2x3xui32>)
        return %0#0, %0#1 : tensor<2xui64>, tensor<2x3xui32>
      }"""
    for one, other in zip(got, xla_run(parse(plain), [state], x64=True), strict=True):
        assert_same(one, other)


def test_every_name_that_jax_guarantees_is_known(tmp_path):
    """It is computed, replaced, or the error says for which platform jax.export writes it."""
    from jax._src.export import _export
    names = sorted(_export._CUSTOM_CALL_TARGETS_GUARANTEED_STABLE)
    assert len(names) > 80
    unknown = []
    for name in names:
        (tmp_path / "program.mlir").write_text(
            f"func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {{\n"
            f'  %0 = stablehlo.custom_call @"{name}"(%x) : (tensor<2xf32>) -> tensor<2xf32>\n  return %0 : tensor<2xf32>\n}}\n')
        done = command("run", tmp_path / "program.mlir", "-i", "ones")
        is_elsewhere = f"note: jax.export writes @{name} for platform" in done.stderr or "a function of TensorFlow" in done.stderr
        if "nothing is registered" in done.stderr and not is_elsewhere:
            unknown.append(name)
        assert "there is no kernel" not in done.stderr, done.stderr
    assert not unknown


# -- calls that name operations

UNARY = ["acos", "acosh", "asin", "asinh", "atanh", "cosh", "erf", "sinh", "tan"]


@pytest.mark.parametrize("name", UNARY)
def test_functions_that_exporters_wrote_as_calls(name):
    text = f"""func.func @main(%x: tensor<5xf32>) -> tensor<5xf32> {{
      %0 = stablehlo.custom_call @mhlo.{name}(%x) {{mhlo.attributes = {{}}, mhlo.version = 1 : i64}} : (tensor<5xf32>) -> tensor<5xf32>
      return %0 : tensor<5xf32>
    }}"""
    x = np.array([-0.9, -0.1, 0.0, 0.5, 1.5], np.float32)
    assert_same(host.Program(text)(x)[0], xla_run(parse(text), [x])[0])


TOP_K = {
    "mhlo.topk": ("@mhlo.topk(%x) {mhlo.attributes = {k = 2 : i64, largest = true}, mhlo.version = 1 : i64}", False),
    "TopK": ("@TopK(%x)", True),
}


@pytest.mark.parametrize("call, is_tuple", TOP_K.values(), ids=TOP_K)
def test_the_largest_elements_as_calls(call, is_tuple):
    pair = "tensor<2xf32>, tensor<2xi32>"
    parts = "%0#0, %0#1"
    text = f"%0:2 = stablehlo.custom_call {call} : (tensor<5xf32>) -> ({pair})\n"
    if is_tuple:
        parts = "%1, %2"
        text = (f"%0 = stablehlo.custom_call {call} : (tensor<5xf32>) -> tuple<{pair}>\n"
                f"%1 = stablehlo.get_tuple_element %0[0] : (tuple<{pair}>) -> tensor<2xf32>\n"
                f"%2 = stablehlo.get_tuple_element %0[1] : (tuple<{pair}>) -> tensor<2xi32>\n")
    text = f"func.func @main(%x: tensor<5xf32>) -> ({pair}) {{\n{text}return {parts} : {pair}\n}}"
    x = np.array([3, 1, 4, 1, 5], np.float32)
    for got, wanted in zip(host.Program(text)(x), xla_run(parse(text), [x]), strict=True):
        assert_same(got, wanted)


# -- programs for several platforms

def by_platform(x):
    inner = jax.jit(lambda y: lax.platform_dependent(y, cpu=lambda z: z + 1, cuda=lambda z: z * 2, default=lambda z: -z))
    return inner(x) + lax.cond(x[0, 0] > 0, inner, lambda z: z, x)


def factor(x):
    return jnp.linalg.cholesky(x @ x.T + 4 * jnp.eye(3)) + jnp.linalg.inv(x)


def command(*arguments):
    return subprocess.run([COMMAND, *map(str, arguments)], capture_output=True, text=True, timeout=600)


@pytest.mark.parametrize("spelling", ["text", "artifact"])
def test_a_program_for_several_platforms_runs_here(tmp_path, spelling):
    platforms = ("cpu", "cuda", "tpu")
    exported = export.export(jax.jit(factor), platforms=platforms)(jax.ShapeDtypeStruct((3, 3), np.float32))
    path = tmp_path / "program"
    if spelling == "text":
        path.write_text(exported.mlir_module())
    else:
        path.write_bytes(exported.mlir_module_serialized)
    x = numbers(3, 3)
    np.save(tmp_path / "x.npy", x)
    for options in (["--platform-index", "0"], ["-i", "i32=0"]):
        printed = tenon("run", path, *options, "-i", tmp_path / "x.npy", "-o", tmp_path / "y.npy")
        assert printed == ""
        np.testing.assert_allclose(np.load(tmp_path / "y.npy"), jax.jit(factor)(x), rtol=1e-4, atol=1e-5)
    taken = command("run", path, "-i", "i32=1", "-i", tmp_path / "x.npy")
    assert taken.returncode == 1
    assert "custom call @cusolver_potrf_ffi: nothing is registered" in taken.stderr
    assert 'for platform cuda; export the program for cpu' in taken.stderr
    early = command("run", path, "--platform-index", "1", "-i", tmp_path / "x.npy")
    assert early.returncode == 1 and "@cusolver_" in early.stderr
    shown = tenon("show", path, "--stage", "pass", "--platform-index", "0")
    assert "cusolver" not in shown and "stablehlo.case" not in shown


def test_the_index_chooses_the_branch_everywhere(tmp_path):
    platforms = ("cpu", "cuda", "tpu")
    exported = export.export(jax.jit(by_platform), platforms=platforms)(jax.ShapeDtypeStruct((2, 2), np.float32))
    (tmp_path / "program.mlir").write_text(exported.mlir_module())
    x = np.array([[1, 2], [3, 4]], np.float32)
    np.save(tmp_path / "x.npy", x)
    for index, wanted in enumerate((2 * (x + 1), 4 * x, -2 * x)):
        for options in (["--platform-index", index], ["-i", f"i32={index}"]):
            tenon("run", tmp_path / "program.mlir", *options, "-i", tmp_path / "x.npy", "-o", tmp_path / "y.npy")
            np.testing.assert_array_equal(np.load(tmp_path / "y.npy"), wanted)


def test_a_platform_is_chosen_in_programs_of_unknown_size(tmp_path):
    function = lambda x: lax.platform_dependent(x, cpu=lambda z: z + 1, cuda=lambda z: z * 2)  # noqa: E731
    exported = dynamic(function, "(b, 3)", platforms=("cpu", "cuda"))
    (tmp_path / "program.mlir").write_text(exported.mlir_module())
    for options in (["--platform-index", "1"], ["-i", "i32=1"]):
        assert tenon("run", tmp_path / "program.mlir", *options, "-i", "1x3xf32=1,2,3") == "[[2. 4. 6.]]\n"


REFUSALS = [
    ("2", 1, "platform index 2: the program was exported for 2 platforms; expected 0 to 1"),
    ("-1", 2, "--platform-index -1: expected the index of a platform"),
    ("cpu", 2, "--platform-index cpu: expected the index of a platform"),
]


@pytest.mark.parametrize("index, code, text", REFUSALS)
def test_an_index_of_no_platform_is_refused(tmp_path, index, code, text):
    function = lambda x: lax.platform_dependent(x, cpu=lambda z: z + 1, cuda=lambda z: z * 2)  # noqa: E731
    exported = export.export(jax.jit(function), platforms=("cpu", "cuda"))(jax.ShapeDtypeStruct((3,), np.float32))
    (tmp_path / "program.mlir").write_text(exported.mlir_module())
    done = command("run", tmp_path / "program.mlir", "--platform-index", index, "-i", "ones")
    assert done.returncode == code and text in done.stderr


def test_an_index_for_a_program_of_one_platform_is_refused(tmp_path):
    exported = export.export(jax.jit(jnp.sin))(jax.ShapeDtypeStruct((3,), np.float32))
    (tmp_path / "program.mlir").write_text(exported.mlir_module())
    done = command("run", tmp_path / "program.mlir", "--platform-index", "0", "-i", "ones")
    assert done.returncode == 1 and "the program is for one platform" in done.stderr


BRANCH = """func.func @main(%p: tensor<i1>, %x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.if"(%p) ({
    %1 = func.call @inner(%x) : (tensor<2xf32>) -> tensor<2xf32>
    stablehlo.return %1 : tensor<2xf32>
  }, {
    stablehlo.return %x : tensor<2xf32>
  }) : (tensor<i1>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
func.func private @inner(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.custom_call @mis_spelt(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}"""


def test_a_missing_call_in_another_branch_is_a_warning_until_it_is_taken(tmp_path):
    (tmp_path / "program.mlir").write_text(BRANCH)
    warning = "warning: custom call @mis_spelt: nothing is registered for platform Host; a run that takes this branch fails"
    for value, code in (("0", 0), ("1", 1)):
        done = command("run", tmp_path / "program.mlir", "-i", f"i1={value}", "-i", "ones")
        assert done.returncode == code, done.stderr
        assert warning in done.stderr
        assert (":11:8: error: custom call @mis_spelt: nothing is registered" in done.stderr) == (code == 1)
    always = BRANCH.replace("return %0 : tensor<2xf32>\n}\nfunc", "%2 = func.call @inner(%x) : (tensor<2xf32>) -> tensor<2xf32>\n"
                            "return %2 : tensor<2xf32>\n}\nfunc", 1)
    (tmp_path / "program.mlir").write_text(always)
    done = command("run", tmp_path / "program.mlir", "-i", "i1=0", "-i", "ones")
    assert done.returncode == 1 and "custom call @mis_spelt: nothing is registered" in done.stderr


# -- shardings

def test_manual_computations_of_one_device_are_what_they_hold(tmp_path):
    mesh = jax.make_mesh((1,), ("d",), axis_types=(jax.sharding.AxisType.Auto,))

    def whole(x, y):
        part = jax.shard_map(lambda a, b: (a @ b, a + 1), mesh=mesh, in_specs=(PartitionSpec("d"), PartitionSpec()),
                             out_specs=(PartitionSpec("d"), PartitionSpec("d")), check_vma=False)
        product, more = part(x, y)
        return jnp.sin(product) + more @ y

    arguments = [jax.ShapeDtypeStruct((2, 3), np.float32), jax.ShapeDtypeStruct((3, 3), np.float32)]
    exported = export.export(jax.jit(whole))(*arguments)
    inputs = [numbers(2, 3), numbers(3, 3)]
    agree(exported, whole, *inputs)
    (tmp_path / "program.mlirbc").write_bytes(exported.mlir_module_serialized)
    for number, value in enumerate(inputs):
        np.save(tmp_path / f"{number}.npy", value)
    tenon("run", tmp_path / "program.mlirbc", "-i", tmp_path / "0.npy", "-i", tmp_path / "1.npy", "-o", tmp_path / "y.npy")
    assert_same(np.load(tmp_path / "y.npy"), np.asarray(jax.jit(whole)(*inputs)), slack=10)


GENERIC = """module {
  sdy.mesh @mesh = #sdy.mesh<["d"=1]>
  func.func @main(%x: tensor<2x4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>) {
    %0:2 = "sdy.manual_computation"(%x) <{in_shardings = #sdy.sharding_per_value<[<@mesh, [{"d"}, {}]>]>,
      manual_axes = #sdy<manual_axes{"d"}>, out_shardings = #sdy.sharding_per_value<[<@mesh, [{"d"}, {}]>, <@mesh, [{}, {}]>]>}> ({
    ^bb0(%a: tensor<2x4xf32>):
      %b = stablehlo.add %a, %x : tensor<2x4xf32>
      "sdy.return"(%b, %a) : (tensor<2x4xf32>, tensor<2x4xf32>) -> ()
    }) : (tensor<2x4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>)
    return %0#1, %0#0 : tensor<2x4xf32>, tensor<2x4xf32>
  }
}"""


PRETTY = """module {
  sdy.mesh @mesh = <["d"=1]>
  func.func @main(%x: tensor<2x4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>) {
    %0:2 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"d"}, {}]>] out_shardings=[<@mesh, [{"d"}, {}]>, <@mesh, [{}, {}]>]
        manual_axes={"d"} (%a: tensor<2x4xf32>) {
      %1 = sdy.named_computation<"sum">(%a) (%c: tensor<2x4xf32>) {
        %b = stablehlo.add %c, %c : tensor<2x4xf32>
        sdy.return %b : tensor<2x4xf32>
      } : (tensor<2x4xf32>) -> tensor<2x4xf32>
      %2 = sdy.reshard %1 <@mesh, [{}, {}]> : tensor<2x4xf32>
      sdy.return %2, %a : tensor<2x4xf32>, tensor<2x4xf32>
    } : (tensor<2x4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>)
    return %0#1, %0#0 : tensor<2x4xf32>, tensor<2x4xf32>
  }
}"""


@pytest.mark.parametrize("text", [PRETTY, GENERIC], ids=["pretty", "generic"])
def test_both_forms_of_a_manual_computation_are_read(text):
    x = numbers(2, 4)
    one, other = host.Program(text)(x)
    np.testing.assert_array_equal(one, x)
    np.testing.assert_array_equal(other, 2 * x)


def test_manual_computations_of_several_devices_are_read_and_not_run(tmp_path):
    text = GENERIC.replace('"d"=1', '"d"=2').replace("%a: tensor<2x4xf32>", "%a: tensor<1x4xf32>")
    text = text.replace("%b = stablehlo.add %a, %x : tensor<2x4xf32>", "%b = stablehlo.add %a, %a : tensor<1x4xf32>")
    text = text.replace('(%b, %a) : (tensor<2x4xf32>, tensor<2x4xf32>)', '(%b, %a) : (tensor<1x4xf32>, tensor<1x4xf32>)')
    (tmp_path / "program.mlir").write_text(text)
    assert tenon("check", tmp_path / "program.mlir") == ""
    done = command("run", tmp_path / "program.mlir", "-i", "ones")
    assert done.returncode == 1
    assert "tensor<2x4xf32> and the result tensor<1x4xf32>: values that are divided between several devices" in done.stderr


@pytest.mark.parametrize("old, new, text", [
    ("(%b, %a) : (tensor<2x4xf32>, ", "(%b, %a) : (tensor<1x4xf32>, ", "the types in the return of the region"),
    ("(%b, %a) : (tensor<2x4xf32>, tensor<2x4xf32>)", "(%b) : (tensor<2x4xf32>)", "the region returns 1 values; expected 2"),
    ("(%a: tensor<2x4xf32>)", "(%a: tensor<2x4xf32>, %c: tensor<2x4xf32>)", "the region has 2 arguments; expected 1"),
    ('      "sdy.return"(%b, %a) : (tensor<2x4xf32>, tensor<2x4xf32>) -> ()\n', "", "expected an operation or sdy.return"),
    ("%0:2 =", "%0:3 =", "the operation makes 2 values; 3 are named"),
    ("return %0#1, %0#0", "return %0#1, %a", "%a is used before it is defined"),
])
def test_a_manual_computation_that_contradicts_itself_is_an_error(tmp_path, old, new, text):
    assert old in GENERIC
    (tmp_path / "program.mlir").write_text(GENERIC.replace(old, new))
    done = command("check", tmp_path / "program.mlir")
    assert done.returncode == 1 and text in done.stderr


# -- operations that imply broadcasts, as torch-mlir writes them, and constants of other dialects

BROADCASTS = [
    ("add", "3x2xf32", "2xf32", "3x2xf32", ""), ("subtract", "2xf32", "3x2xf32", "3x2xf32", ""),
    ("multiply", "3x2xf32", "f32", "3x2xf32", ""), ("divide", "3x1xf32", "1x2xf32", "3x2xf32", ""),
    ("maximum", "3x2xf32", "2xf32", "3x2xf32", "{broadcast_dimensions = array<i64: 1>}"),
    ("power", "3x2xf32", "2xf32", "3x2xf32", "{broadcast_dimensions = array<i64: 1>}"),
    ("next_after", "2xf32", "f32", "2xf32", ""), ("and", "2xi32", "3x2xi32", "3x2xi32", ""),
    ("complex", "2xf32", "3x1xf32", "3x2xcomplex<f32>", ""), ("shift_left", "3xi32", "i32", "3xi32", ""),
    ("compare", "3x2xf32", "2xf32", "3x2xi1", "{comparison_direction = #chlo<comparison_direction LT>}"),
    ("remainder", "f32", "f32", "f32", ""),
]


def sample(type):
    *dims, dtype = type.split("x") if not type.endswith(">") else [*type.split("x")[:-1], type]
    shape = tuple(map(int, dims))
    return RANDOM.integers(1, 9, shape, dtype=np.int32) if dtype == "i32" else (1 + np.abs(numbers(*shape)))


@pytest.mark.parametrize("name, left, right, result, attributes", BROADCASTS, ids=[case[0] for case in BROADCASTS])
def test_operations_broadcast_their_operands(name, left, right, result, attributes):
    signature = f"(tensor<{left}>, tensor<{right}>) -> tensor<{result}>"
    inside = "{}" if not attributes else attributes
    x, y = sample(left), sample(right)
    for line in (f"chlo.broadcast_{name} %x, %y {attributes}", f'"chlo.broadcast_{name}"(%x, %y) <{inside}>'):
        text = f"""func.func @main(%x: tensor<{left}>, %y: tensor<{right}>) -> tensor<{result}> {{
          %0 = {line} : {signature}
          return %0 : tensor<{result}>
        }}"""
        assert_same(host.Program(text)(x, y)[0], xla_run(parse(text.replace("<{}>", "")), [x, y])[0])


def test_operations_broadcast_operands_of_unknown_size():
    text = """func.func @main(%x: tensor<?x?xf32>, %y: tensor<?x1xf32>, %p: tensor<?xi1>) -> tensor<?x?xf32> {
      %0 = chlo.broadcast_add %x, %y : (tensor<?x?xf32>, tensor<?x1xf32>) -> tensor<?x?xf32>
      %1 = "chlo.constant_like"(%0) <{value = 3.0 : f32}> : (tensor<?x?xf32>) -> tensor<?x?xf32>
      %2 = chlo.broadcast_select %p, %0, %1 : (tensor<?xi1>, tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
      return %2 : tensor<?x?xf32>
    }"""
    program = host.Program(text)
    for rows, columns, more in ((3, 2, 3), (1, 4, 5), (4, 1, 1)):
        x, y, p = numbers(rows, columns), numbers(more, 1), RANDOM.integers(0, 2, columns).astype(bool)
        assert_same(program(x, y, p)[0], np.where(p, x + y, np.float32(3)))


def test_constants_of_other_dialects_are_read():
    text = """func.func @main(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xi32>) {
      %c = arith.constant dense<2.0> : tensor<2xf32>
      %i = "arith.constant"() <{value = dense<[1, 2]> : tensor<2xi32>}> : () -> tensor<2xi32>
      %l = "chlo.constant_like"(%x) {value = 0.5 : f32} : (tensor<2xf32>) -> tensor<2xf32>
      %0 = stablehlo.add %x, %c : tensor<2xf32>
      %1 = stablehlo.add %0, %l : tensor<2xf32>
      return %1, %i : tensor<2xf32>, tensor<2xi32>
    }"""
    one, other = host.Program(text)(np.ones(2, np.float32))
    assert one.tolist() == [3.5, 3.5] and other.tolist() == [1, 2]


@pytest.mark.parametrize("line, text", [
    ("chlo.broadcast_add %x, %x {broadcast_dimensions = array<i64: 2>} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2x2xf32>",
     "broadcast_dimensions has 2; expected a dimension of the result tensor<2x2xf32>"),
    ("chlo.broadcast_add %x, %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<f32>", "expected a tensor of the rank of the result"),
    ("chlo.broadcast_add %x, %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<3xf32>", "broadcast_in_dim (C5)"),
    ("chlo.broadcast_nothing %x, %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>", "unknown operation"),
    ('"chlo.constant_like"(%x) {value = 1 : i32} : (tensor<2xf32>) -> tensor<2xf32>', "expected a number of the type of the elements"),
    ('"chlo.constant_like"(%x) : (tensor<2xf32>) -> tensor<2xf32>', "the value is missing"),
    ("arith.constant 1.0 : f32", "the value is a float; expected dense<...>"),
])
def test_an_implied_broadcast_that_makes_no_sense_is_an_error(tmp_path, line, text):
    (tmp_path / "program.mlir").write_text(f"func.func @main(%x: tensor<2xf32>) {{\n  %0 = {line}\n  return\n}}\n")
    done = command("check", tmp_path / "program.mlir")
    assert done.returncode == 1 and text in done.stderr, done.stderr


@pytest.mark.parametrize("old, new, text", [
    ("in_shardings=[<@mesh", "in_shardings=%x [<@mesh", "expected `[` or `{` of the value"),
    ('manual_axes={"d"} ', "manual_axes ", "expected `=`"),
    ("(%a: tensor<2x4xf32>) {", "(%a: tensor<2x4xf32>)", "expected `{` of the region"),
])
def test_settings_of_a_manual_computation_have_values(tmp_path, old, new, text):
    assert old in PRETTY
    (tmp_path / "program.mlir").write_text(PRETTY.replace(old, new))
    done = command("check", tmp_path / "program.mlir")
    assert done.returncode == 1 and text in done.stderr, done.stderr


# -- texts

def test_a_function_type_is_printed_without_the_aliases_of_its_types(tmp_path):
    text = "!t = tensor<2xf32>\nmodule attributes {k = (!t, tensor<i32>) -> (!t, !t), m = () -> !t, n = (!t) -> ()} {\n}\n"
    (tmp_path / "program.mlir").write_text(text)
    printed = tenon("show", tmp_path / "program.mlir")
    assert "k = (tensor<2xf32>, tensor<i32>) -> (tensor<2xf32>, tensor<2xf32>)" in printed
    assert "m = () -> tensor<2xf32>, n = (tensor<2xf32>) -> ()" in printed
    (tmp_path / "again.mlir").write_text(printed)
    assert tenon("show", tmp_path / "again.mlir") == printed


TWO = "module { func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> { return %x : tensor<2xf32> } }\n" * 2
BOUND = """func.func @main(%x: tensor<?x3xf32, #stablehlo.bounds<4, ?>>) -> tensor<?x3xf32, #stablehlo.bounds<4, ?>> {
  %0 = stablehlo.add %x, %x : tensor<?x3xf32, #stablehlo.bounds<4, ?>>
  return %0 : tensor<?x3xf32, #stablehlo.bounds<4, ?>>
}
"""


def test_a_text_of_two_modules_says_so(tmp_path):
    (tmp_path / "program.mlir").write_text(TWO)
    done = command("check", tmp_path / "program.mlir")
    assert done.returncode == 1 and "the text has several modules, which are read as one" in done.stderr


def test_sizes_are_within_their_bounds(tmp_path):
    (tmp_path / "program.mlir").write_text(BOUND)
    assert tenon("run", tmp_path / "program.mlir", "-i", "1x3xf32=1") == "[[2. 2. 2.]]\n"
    done = command("run", tmp_path / "program.mlir", "-i", "9x3xf32=1")
    assert done.returncode == 1 and "dimension 0 has size 9, above its bound of 4" in done.stderr
    assert "such as x.npy or 2x3xf32=1\n" in command("run", tmp_path / "program.mlir").stderr


def called(count):
    lines = "".join(f"  %v{i + 1} = call @f(%v{i}) : (tensor<?xf32>) -> tensor<?xf32>\n" for i in range(count))
    body = "".join(f"  %{i + 1} = stablehlo.add %{i}, %0 : tensor<?xf32>\n" for i in range(100))
    return (f"func.func @main(%v0: tensor<?xf32>) -> tensor<?xf32> {{\n{lines}  return %v{count} : tensor<?xf32>\n}}\n"
            f"func.func private @f(%0: tensor<?xf32>) -> tensor<?xf32> {{\n{body}  return %100 : tensor<?xf32>\n}}\n")


def test_a_program_of_unknown_size_with_many_calls_runs_or_says_that_it_is_too_large(tmp_path):
    (tmp_path / "program.mlir").write_text(called(3000))
    assert tenon("run", tmp_path / "program.mlir", "-i", "2xf32=0") == "[0. 0.]\n"
    (tmp_path / "program.mlir").write_text(called(12000))
    done = command("run", tmp_path / "program.mlir", "-i", "2xf32=0")
    assert done.returncode == 1 and "the program with all copies is too large or nests too deep" in done.stderr
