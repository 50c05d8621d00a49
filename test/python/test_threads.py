# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""What threads share: arrays, functions, the sequence of random keys. In free-threaded Python they run at once."""

import copy
import os
import pathlib
import pickle
import subprocess
import sys
import sysconfig
import threading

import pytest
import tenon
import tenon.core as tn
import tenon.fast

BUILD = pathlib.Path(os.environ.get("TENON_BUILD_DIR", pathlib.Path(__file__).resolve().parents[2] / "build" / "release"))
THREADS = 8
IS_FREE_THREADED = bool(sysconfig.get_config_var("Py_GIL_DISABLED"))


def at_once(work, count=THREADS):
    """Calls work(0), work(1)... on a thread each, which begin together; gives the results."""
    results, errors = [None] * count, []
    barrier = threading.Barrier(count)

    def run(i):
        try:
            barrier.wait()
            results[i] = work(i)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(i,)) for i in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]
    return results


@pytest.fixture(autouse=True)
def switch_often():
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(before)


@pytest.mark.skipif(not IS_FREE_THREADED, reason="this Python has a GIL")
def test_the_package_keeps_the_gil_off():
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    text = "import sys, tenon, tenon.core, tenon.ops, tenon.fast, tenon.ffi; print(sys._is_gil_enabled())"
    done = subprocess.run([sys.executable, "-W", "error", "-c", text], capture_output=True, text=True, env=env, check=True)
    assert (done.stdout, done.stderr) == ("False\n", "")
    assert not sys._is_gil_enabled()


def test_the_module_is_for_the_abi_of_the_interpreter():
    suffix = pathlib.Path(tn.__file__).name.partition(".")[2]
    assert suffix == (sysconfig.get_config_var("EXT_SUFFIX")[1:] if IS_FREE_THREADED else "abi3.so")


# --- arrays


def test_arithmetic_is_the_same_on_all_threads():
    shared = [tn.array([1.0, 2.0, 3.0]) * i for i in range(4)]

    def work(i):
        total = tn.zeros(3)
        for k in range(200):
            x = shared[(i + k) % 4]
            total = total + x * 2 - x.T @ x + tn.sum(x) * x.shape[0]
            assert x.dtype == tn.float32 and x.ndim == 1 and len(x) == 3
        return total.tolist()

    assert len({tuple(result) for result in at_once(work)}) == 1


def test_no_update_in_place_is_lost():
    x = tn.zeros(4, dtype=tn.int32)

    def work(i):
        nonlocal x
        for _ in range(100):
            x += 1

    at_once(work)
    assert x.tolist() == [100 * THREADS] * 4


def test_elements_of_one_array_are_set_by_many_threads():
    x = tn.zeros((THREADS, 50), dtype=tn.int32)

    def work(i):
        for k in range(50):
            x[i, k] = 100 * i + k

    at_once(work)
    assert x.tolist() == [[100 * i + k for k in range(50)] for i in range(THREADS)]


def test_an_array_is_read_while_it_is_updated():
    x = tn.zeros((2, 64))
    sinks = [x.tolist, lambda: memoryview(x).tolist(), lambda: tn.from_dlpack(x).tolist(), lambda: tn.asarray(memoryview(x)).tolist(),
             lambda: (x + x - x).tolist(), lambda: [row.tolist() for row in iter(x)], lambda: copy.copy(x).tolist(),
             lambda: pickle.loads(pickle.dumps(x)).tolist(), lambda: [[x[0, 0].item()]], lambda: [[float(f"{x[0, 1]:.1f}")]],
             lambda: [[float(repr(x)[len("array([["):].split(",")[0])]], lambda: [[len(x), x.shape[0], len(bytes(x)) // 256]]]

    def work(i):
        for k in range(150):
            if i % 2:
                x[:] = x + 1
            else:
                values = sinks[(i + k) % len(sinks)]()
                assert len(set(values[0])) == 1 and values[0][0] == int(values[0][0])

    at_once(work)


def test_shapes_change_in_place_while_others_ask_for_them():
    x = tn.zeros((4, 1))

    def work(i):
        nonlocal x
        for k in range(200):
            if i == 0:
                x *= tn.ones((4, 1 + k % 2)) if k % 2 else tn.ones((4, 1))
            else:
                assert x.shape in ((4, 1), (4, 2)) and x.T.shape[1] == 4 and x.size in (4, 8) and x.nbytes in (16, 32)

    at_once(work)


def test_threads_share_an_iterator():
    rows = iter(tn.arange(1000))
    found = sorted({row.item() for part in at_once(lambda i: list(rows)) for row in part})
    assert found == list(range(1000))


def test_arrays_die_on_any_thread():
    def work(i):
        keep = []
        for k in range(300):
            x = tn.array([float(k)]) + 1
            keep.append(x + x)
            if len(keep) > 10:
                keep.clear()
        return len(keep)

    at_once(work)


# --- lists and dicts of the user's


def test_lists_and_dicts_may_change_while_they_are_read():
    numbers = [[1.0, 2.0], [3.0, 4.0]]
    tree = {"a": [tn.array(1.0), tn.array(2.0)], "b": {"c": tn.array(3.0)}}

    def work(i):
        for k in range(300):
            if i == 0:
                numbers[k % 2] = [float(k)] * (2 + k % 3)
                numbers[k % 2] = [1.0, 2.0]
                tree["a"].append(tn.array(float(k)))
                tree["b"][k % 7] = tn.array(float(k))
                if k % 5 == 0:
                    del tree["a"][2:]
                    tree["b"] = {"c": tn.array(3.0)}
            else:
                try:
                    assert tn.array(numbers).shape[0] == 2
                except ValueError:
                    pass  # of no uniform length just now
                tn.eval(tree)
                tn.stack(list(tree["a"]))

    at_once(work)


# --- random numbers


def test_random_numbers_of_threads_differ():
    tn.random.seed(7)
    expected = {tn.random.randint(0, 1 << 30).item() for _ in range(60 * THREADS)}
    tn.random.seed(7)
    drawn = at_once(lambda i: [tn.random.randint(0, 1 << 30) for _ in range(60)])
    numbers = [number.item() for part in drawn for number in part]
    assert set(numbers) == expected and len(set(numbers)) == len(numbers)


# --- functions


def test_a_compiled_function_is_traced_once_for_all_threads():
    count = [0]

    @tn.compile
    def f(x, scale):
        count[0] += 1
        return {"y": tn.sum(x * scale) + 1}

    def work(i):
        return [f(tn.ones(n), scale=2.0)["y"].item() for n in (3, 4, 5) for _ in range(20)]

    results = at_once(work)
    assert all(result == [7.0] * 20 + [9.0] * 20 + [11.0] * 20 for result in results)
    assert count[0] == 3


def test_calls_of_a_compiled_function_take_turns_with_captured_state():
    state = {"count": tn.array(0), "history": [tn.array(0.0)]}

    def step(x):
        state["count"] = state["count"] + 1
        state["history"][0] = state["history"][0] + x
        return state["count"]

    compiled = tn.compile(step, inputs=state, outputs=state)
    results = at_once(lambda i: [compiled(tn.array(2.0)) for _ in range(25)])
    counts = sorted(count.item() for part in results for count in part)
    assert counts == list(range(1, 25 * THREADS + 1))
    assert state["count"].item() == 25 * THREADS and state["history"][0].item() == 50.0 * THREADS


def test_threads_draw_random_numbers_in_one_compiled_function():
    draw = tn.compile(lambda: tn.random.uniform(shape=(4,)), inputs=tn.random.state, outputs=tn.random.state)
    drawn = [tuple(x.tolist()) for part in at_once(lambda i: [draw() for _ in range(20)]) for x in part]
    assert len(set(drawn)) == 20 * THREADS


def test_a_compiled_function_calls_itself():
    @tn.compile
    def f(x, n):
        return x if n == 0 else f(x + 1, n - 1)

    assert at_once(lambda i: f(tn.array(1.0), 5).item()) == [6.0] * THREADS


def test_an_exception_ends_one_trace_and_no_other():
    @tn.compile
    def f(x):
        if x.shape == (2,):
            raise KeyError("mine")
        return x + 1

    def work(i):
        for _ in range(20):
            if i % 2:
                with pytest.raises(KeyError, match="mine"):
                    f(tn.ones(2))
            else:
                assert f(tn.ones(3)).tolist() == [2, 2, 2]

    at_once(work)


def test_transforms_of_a_shared_function():
    x = tn.array([1.0, 2.0, 3.0])
    loss = tn.value_and_grad(lambda w: tn.sum(tn.square(w) * x))
    rows = tn.vmap(lambda row: tn.sum(row) * row)

    @tn.custom_function
    def cube(w):
        return w * w * w

    @cube.vjp
    def cube_vjp(w, cotangent, output):
        return cotangent * 3 * w * w

    cubes = tn.grad(lambda w: tn.sum(cube(w)))

    def work(i):
        for k in range(15):
            w = x * (i + k)
            value, gradient = loss(w)
            assert gradient.tolist() == (2 * w * x).tolist() and value.item() == tn.sum(w * w * x).item()
            assert rows(tn.ones((2, 3))).tolist() == [[3.0] * 3] * 2
            assert cubes(w).tolist() == (3 * w * w).tolist()
            if i == 0:
                cube.vjp(cube_vjp)  # sets the same rule anew
            (primal,), (tangent,) = tn.jvp(lambda a: a * a, [w], [tn.ones(3)])
            assert tangent.tolist() == (2 * w).tolist()

    at_once(work)


# --- the rest of the package


def test_a_library_of_operations_is_loaded_by_many_threads():
    path = BUILD / "examples" / "axpby" / "libaxpby.so"

    def work(i):
        results = []
        for _ in range(10):
            axpby = tenon.ops.load(path).axpby
            results.append(axpby(tn.array([1.0, 2.0]), tn.array([3.0, 4.0]), 2.0, beta=3.0).tolist())
        return results

    assert at_once(work) == [[[11.0, 16.0]] * 10] * THREADS


def test_a_kernel_is_compiled_when_many_threads_call_it_first(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    kernel = tenon.fast.cpu_kernel("thrice", """
        #define THRICE(ARG, ATTR, RET) ARG(x, f32, any_rank) RET(y, f32, like(x))
        TN_OP(thrice, THRICE, "y = 3 x") {
          for (int64_t i = 0; i < tn_size(call->x); ++i) call->y.data[i] = 3 * call->x.data[i];
          return TN_OK;
        }
    """)
    assert at_once(lambda i: kernel(tn.array([1.0, float(i)])).tolist()) == [[3.0, 3.0 * i] for i in range(THREADS)]


def test_a_program_runs_on_many_threads(tmp_path):
    path = tmp_path / "double.mlir"
    path.write_text("""
func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = stablehlo.add %x, %x : tensor<3xf32>
  return %0 : tensor<3xf32>
}
""")
    program = tenon.load(path)
    results = at_once(lambda i: [program([1.0, 2.0, float(k)]).tolist() for k in range(30)])
    assert results == [[[2.0, 4.0, 2.0 * k] for k in range(30)]] * THREADS


def test_threads_print_with_options():
    x = tn.array([1.0, 2.5])
    texts = {repr(x)}
    with tn.printoptions(precision=2):
        texts.add(repr(x))

    def work(i):
        for _ in range(100):
            if i == 0:
                with tn.printoptions(precision=2):
                    pass
            assert repr(x) in texts

    at_once(work)


def test_streams_of_threads():
    local = tn.new_thread_local_stream(tn.cpu)

    def work(i):
        for k in range(20):
            with tn.stream(local if k % 2 else tn.new_stream(tn.cpu)):
                assert (tn.arange(5) * i).sum().item() == 10 * i
            tn.set_default_stream(tn.new_stream(tn.cpu))
        tn.clear_streams()

    at_once(work)


def test_the_context_of_a_stream_is_left_by_the_thread_that_entered():
    context = tn.stream(tn.new_stream(tn.cpu))
    context.__enter__()
    try:
        with pytest.raises(RuntimeError, match="entered already"):
            at_once(lambda i: context.__enter__(), 1)
        with pytest.raises(RuntimeError, match="entered by another thread"):
            at_once(lambda i: context.__exit__(None, None, None), 1)
    finally:
        context.__exit__(None, None, None)


def test_files_are_written_and_read_at_once(tmp_path):
    def work(i):
        path = str(tmp_path / f"{i}.safetensors")
        for k in range(5):
            tn.save_safetensors(path, {"a": tn.arange(4) + i, "b": tn.ones((2, 2))}, {"step": str(k)})
            loaded, metadata = tn.load(path, return_metadata=True)
            assert loaded["a"].tolist() == [i, i + 1, i + 2, i + 3] and metadata == {"step": str(k)}

    at_once(work)


# --- code of Python that changes an operand while others are converted


class Updates:
    """Is like an array, and updates another one when it is asked for its elements."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **keywords):
        for k in range(50):
            self.array[:] = tn.full(self.array.shape, float(k))
            tn.eval(self.array)
        return tn.ones(3).__dlpack__(**keywords)

    def __index__(self):
        self.__dlpack__()
        return 0


@pytest.mark.parametrize("use", [
    lambda x: tn.add(x, Updates(x)),
    lambda x: tn.concatenate([x, Updates(x)]),
    lambda x: tn.stack([x, Updates(x)]),
    lambda x: tn.array([x, Updates(x)]),
    lambda x: tn.where(x, Updates(x), x),
    lambda x: x.at[:].add(Updates(x)),
    lambda x: x[Updates(x)],
    lambda x: x.__setitem__(Updates(x), 1.0),
    lambda x: tn.sum(x, axis=Updates(x)),
    lambda x: tn.clip(x, 0, Updates(x)),
], ids=["add", "concatenate", "stack", "array", "where", "at", "index", "set", "axis", "clip"])
def test_an_operand_may_be_updated_while_others_are_converted(use):
    x = tn.array([1.0, 2.0, 3.0]) + 1
    result = use(x)
    tn.eval(result if result is not None else x)
    assert x.tolist()[1:] == [49.0, 49.0]


def test_operands_of_an_iterator_live_until_the_call():
    assert tn.concatenate(iter([tn.ones(2) + i for i in range(3)])).tolist() == [1, 1, 2, 2, 3, 3]


def test_a_list_that_changes_while_it_is_converted_is_read_within_its_bounds():
    numbers = [1] * 8

    class Grows(int):
        def __bool__(self):
            numbers.extend([1] * 100000)
            return True

    numbers[0] = Grows(1)
    assert tn.array(numbers, dtype=tn.bool_).tolist() == [True] * 8
