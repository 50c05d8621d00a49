# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""export_function, exporter and import_function."""

import io
import json

import mlx.core as mx
import numpy as np
import pytest
import tenon
import tenon.core as tn


def scale(x, y=None):
    out = tn.sin(x) * 2
    return out if y is None else (out, out + y)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "f.mlir"


def test_an_exported_function_is_the_function(path):
    x = tn.array([1.0, 2.0, 3.0])
    tn.export_function(path, scale, x)
    (out,) = tn.import_function(path)(x)
    np.testing.assert_allclose(out.tolist(), 2 * np.sin([1, 2, 3]), rtol=1e-6)
    assert tn.import_function(str(path))([x])[0].tolist() == out.tolist()


def test_an_exported_function_is_a_stablehlo_program(path):
    constant = tn.array([10.0, 20.0])
    tn.export_function(path, lambda x: x + constant, tn.array([1.0, 2.0]))
    assert tenon.load(path)(np.float32([3, 4])).tolist() == [13, 24]


def test_a_stablehlo_program_is_a_function_with_gradients(path):
    path.write_text("func.func @main(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {\n"
                    "  %y = stablehlo.multiply %x, %x : tensor<2xf32>\n  return %y, %x : tensor<2xf32>, tensor<2xf32>\n}\n")
    f = tn.import_function(path)
    assert [y.tolist() for y in f(tn.array([2.0, 3.0]))] == [[4, 9], [2, 3]]
    assert tn.grad(lambda x: f(x)[0].sum())(tn.array([2.0, 3.0])).tolist() == [4, 6]


def test_imported_functions_are_functions_for_transforms(path):
    x = tn.array([1.0, 2.0])
    tn.export_function(path, scale, x)
    f = tn.import_function(path)
    np.testing.assert_allclose(tn.grad(lambda v: f(v)[0].sum())(x).tolist(), 2 * np.cos([1, 2]), rtol=1e-6)
    assert tn.vmap(lambda v: f(v)[0])(tn.array([[1.0, 2.0], [3.0, 4.0]])).shape == (2, 2)
    assert tn.compile(lambda v: f(v)[0])(x).tolist() == f(x)[0].tolist()


@pytest.mark.parametrize("core", [tn, mx])
def test_keywords_are_told_apart(path, core):
    def f(x, z=None):
        return x if z is None else x - z

    x, z = core.array([5, 6]), core.array([2, 2])
    core.export_function(str(path), f, (x,), {"z": z})
    g = core.import_function(str(path))
    assert g(x, z=z)[0].tolist() == g((x,), {"z": z})[0].tolist() == [3, 4]
    core.export_function(str(path), f, z=z, x=x)
    g = core.import_function(str(path))
    assert g(x=x, z=z)[0].tolist() == g({"z": z, "x": x})[0].tolist() == [3, 4]
    for call in (lambda: g(x, z), lambda: g(x, z=z), lambda: g(x=x, y=z), lambda: g(x=x)):
        with pytest.raises(ValueError):
            call()


@pytest.mark.parametrize("core", [tn, mx])
def test_a_file_can_have_several_traces(path, core):
    def f(*arrays):
        return sum(arrays)

    with core.exporter(str(path), f, metadata="about") as export:
        export(core.array(1))
        export(core.array(1), core.array([2, 3]))
    with pytest.raises(RuntimeError):
        export(core.array([1]))
    g, metadata = core.import_function(str(path), return_metadata=True)
    assert metadata == "about" and g(core.array(4))[0].item() == 4 and g(core.array(4), core.array([1, 2]))[0].tolist() == [5, 6]
    with pytest.raises(ValueError):
        g(core.array([1.0, 2.0]))


def test_an_error_says_what_the_function_is_for(path):
    tn.export_function(path, scale, tn.array([1.0]), y=tn.array(1.0))
    with pytest.raises(ValueError, match=r"is for \(float32\[1\], y=float32\[\]\); it was called with \(int32\[2\]\)"):
        tn.import_function(path)(tn.array([1, 2]))


@pytest.mark.parametrize("core", [tn, mx])
@pytest.mark.parametrize("fun, arguments", [
    (abs, ["hi"]), (abs, [1.0, "hi"]), (lambda x: x[0][0], [[[1.0]]]), (lambda x: (x, 1), [1.0]), (lambda x: (x, [x]), [1.0]),
    (lambda x: {"a": x}, [1.0]),
])
def test_what_cannot_be_exported_is_an_error(path, core, fun, arguments):
    def convert(value):
        return core.array(value) if isinstance(value, float) else [convert(v) for v in value] if isinstance(value, list) else value

    with pytest.raises((ValueError, RuntimeError) if core is mx else ValueError):
        core.export_function(str(path), fun, *[convert(value) for value in arguments])


def test_damaged_files_are_errors(path):
    x = tn.array([1.0])
    tn.export_function(path, scale, x)
    text = path.read_text()
    for damaged in ("", text[:40], text[: len(text) // 2], text.replace("sine", "sein"), "// tenon.function {}\n", "\0\1\2"):
        path.write_text(damaged)
        with pytest.raises(ValueError):
            tn.import_function(path)(x)
    with pytest.raises(FileNotFoundError):
        tn.import_function(path.with_name("missing"))
    with pytest.raises(TypeError):
        tn.export_function(path, scale, x, metadata={"a": 1})
    with pytest.raises(ValueError):
        tn.export_function(lambda part: None, scale, x, metadata="a")


def test_a_function_without_shapes_is_for_all_sizes(path):
    weight, bias = tn.arange(12.0).reshape(3, 4), tn.array([1.0, 2.0, 3.0, 4.0], tn.bfloat16)

    def f(x, scale=1.0):
        y = tn.maximum(x @ weight + bias, 0)[..., ::-1]
        y[0] = tn.full((4,), 2)
        a, b = tn.split(y.at[:, 0].add(x[:, 0]), [1], axis=-1)
        return [(a * scale).astype(tn.float16), tn.softmax(b, axis=-1), b[:, None, tn.array([0, 2])].sum((-1, -2), keepdims=True), weight]

    tn.export_function(path, f, tn.ones((2, 3)), scale=tn.array(2.0), shapeless=True)
    g = tn.import_function(path)
    for shape in [(2, 3), (5, 3), (1, 3)]:
        x, scale = tn.random.normal(shape), tn.array(3.0)
        for ours, given in zip(g(x, scale=scale), f(x, scale=scale)):
            assert ours.dtype == given.dtype and ours.shape == given.shape
            np.testing.assert_allclose(np.array(ours.tolist()), np.array(given.tolist()), rtol=1e-6)
    assert tenon.load(path)(np.ones((2, 3), np.float32), np.float32(2))[0].shape == (2, 1)
    for wrong in (tn.ones(3), tn.ones((2, 3), tn.int32)):
        with pytest.raises(ValueError, match="the function is for"):
            g(wrong, scale=tn.array(1.0))
    with pytest.raises(ValueError, match="matmul"):
        g(tn.ones((2, 4)), scale=tn.array(1.0))


def test_sizes_that_a_function_has_read_stay(path):
    def f(x):
        return x.reshape(x.shape[0] * x.shape[1], -1), x / x.shape[0]

    tn.export_function(path, f, tn.ones((2, 3, 4)), shapeless=True)
    g = tn.import_function(path)
    assert g(tn.ones((2, 3, 8)))[0].shape == (6, 8) and g(tn.ones((4, 3, 2)))[1].max().item() == 0.5
    with pytest.raises(ValueError):
        g(tn.ones((5, 5, 5)))


# Gradients are not recorded, and only the shapes of the arguments are known.
def test_a_function_with_transforms_is_for_its_shapes(path):
    tn.export_function(path, tn.grad(lambda x: tn.sin(x).sum()), tn.ones(2), shapeless=True)
    g = tn.import_function(path)
    np.testing.assert_allclose(g(tn.ones(2))[0].tolist(), np.cos([1, 1]), rtol=1e-6)
    with pytest.raises(ValueError, match="the function is for"):
        g(tn.ones(3))


@pytest.mark.parametrize("damage", [
    lambda it: it["calls"].append(["save", ["x", {"value": 0}], [], 0]), lambda it: it["calls"].append(["none", [], [], 1]),
    lambda it: it["calls"].append(["abs", [], ["a"], 1]), lambda it: it["calls"].append(["array.__setitem__", [{"value": 0}], [], 1]),
    lambda it: it["calls"].append(["array.at.__class__", [{"value": 0}, 0, 1], [], 1]), lambda it: it["calls"].append(["array.at.", [3, 0, 1], [], 1]),
    lambda it: it["calls"].append(["sum", [{"value": 0}, 1 << 70], [], 1]), lambda it: it["calls"].append(["split", [{"value": 0}, 1 << 40], [], 1]),
    lambda it: it["calls"].append(["abs", [{"value": 9}], [], 1]), lambda it: it["calls"].append(["abs", [{"dtype": "save"}], [], 1]),
    lambda it: it["calls"].append(["abs", [{"zzz": 0}], [], 1]), lambda it: it["calls"].append([]), lambda it: it.pop("calls"),
    lambda it: it["outputs"].append({"constant": ["float32", [1 << 40], ""]}), lambda it: it["outputs"].append({"value": -1}),
    lambda it: it["outputs"].append({"constant": ["float32", [1], "AAA"]}), lambda it: it.update(outputs=3),
])
def test_damaged_calls_are_errors(path, damage):
    tn.export_function(path, lambda x: tn.abs(x), tn.ones(2), shapeless=True)
    line, _, text = path.read_text().partition("\n")
    mark, _, head = line.partition(" {")
    head = json.loads("{" + head)
    damage(head["shapeless"])
    path.write_text(f"{mark} {json.dumps(head)}\n{text}")
    with pytest.raises((ValueError, TypeError, OverflowError)):
        tn.import_function(path)(tn.ones(3))


def test_graphs_of_what_arrays_depend_on_are_drawn(path):
    x = tn.array([1.0, 2.0])
    picture = io.StringIO()
    tn.export_to_dot(picture, [tn.sin(x)], y=tn.divmod(x, x)[1])
    assert picture.getvalue().startswith('digraph "main" {') and '"sine\\ntensor<2xf32>"' in picture.getvalue()
    tn.export_to_dot(path, x)
    assert path.read_text().count("label=") == 2  # the array, and the result


def test_what_a_compiled_function_gives_is_one_node():
    def nodes(array):
        picture = io.StringIO()
        tn.export_to_dot(picture, array)
        return picture.getvalue().count("[label=")

    def f(x):
        return tn.sin(x) + tn.cos(x)

    x = tn.array([1.0, 2.0])
    assert nodes(tn.compile(f)(x)) < nodes(f(x))
