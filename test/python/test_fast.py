# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""tenon.fast.cpu_kernel: kernels from a C source."""

import concurrent.futures
import os
import pathlib
import stat
import subprocess
import sys

import numpy as np
import pytest
import tenon
import tenon.core as tn

SWISH = """
#define SWISH(ARG, ATTR, RET) ARG(x, f32, any_rank) ATTR(beta, float, 1.0f) RET(y, f32, like(x))
TN_OP(swish, SWISH, "y = x * sigmoid(beta * x)") {
  for (int64_t i = 0; i < tn_size(call->x); ++i)
    call->y.data[i] = call->x.data[i] / (1 + expf(-call->beta * call->x.data[i]));
  return TN_OK;
}
"""
X = np.linspace(-2, 2, 5, dtype=np.float32)


def swish(x, beta=1.0):
    return x * tn.sigmoid(beta * x)


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "tenon" / "kernels"


def close(a, b):
    np.testing.assert_allclose(np.asarray(a), np.asarray(b), rtol=1e-6)


def test_a_source_becomes_a_function_with_its_signature():
    kernel = tenon.fast.cpu_kernel("swish", SWISH)
    close(kernel(tn.array(X)), swish(tn.array(X)))
    close(kernel(X, beta=3), swish(tn.array(X), 3))
    assert str(kernel.signature()) == "(x, beta=1.0, *, stream=None)"
    with pytest.raises(TypeError, match="unexpected keyword argument 'gamma'"):
        kernel(X, gamma=1)
    with pytest.raises(ValueError, match="expected elements of f32"):
        kernel(tn.array([1, 2]))


@pytest.mark.parametrize("damage", [lambda path: path.write_bytes(b""), lambda path: path.write_bytes(path.read_bytes()[:4096]),
                                    lambda path: path.write_bytes(path.read_bytes()[:-1]), lambda path: path.write_bytes(b"no library"),
                                    lambda path: path.write_bytes(bytes(path.stat().st_size))])
def test_a_damaged_file_of_the_cache_is_built_again(cache, damage):
    source = SWISH.replace("swish", "again")
    (pathlib.Path(cache).parent).mkdir(exist_ok=True)
    subprocess.run([sys.executable, "-c", USE, source], check=True, env=environment(cache))
    (library,) = cache.glob("*.so")
    whole = library.read_bytes()
    damage(library)
    subprocess.run([sys.executable, "-c", USE, source], check=True, env=environment(cache))
    assert library.read_bytes() == whole


USE = """
import sys, tenon, tenon.core as tn
assert abs(tenon.fast.cpu_kernel("again", sys.argv[1])(tn.array([1.0])).item() - 0.731) < 1e-3
"""


def environment(cache):
    return {**os.environ, "XDG_CACHE_HOME": str(cache.parent.parent), "PYTHONPATH": os.pathsep.join(sys.path)}


def test_it_is_compiled_once_into_a_private_folder(cache, monkeypatch):
    tenon.fast.cpu_kernel("swish", SWISH)(X)
    (library,) = cache.glob("*.so")
    assert stat.S_IMODE(cache.stat().st_mode) == 0o700
    when = library.stat().st_mtime_ns
    tenon.fast.cpu_kernel("swish", SWISH)(X)
    assert [path.stat().st_mtime_ns for path in cache.glob("*")] == [when]
    tenon.fast.cpu_kernel("swish2", SWISH.replace("swish", "swish2"), options=["-O1"])(X)
    assert len(list(cache.glob("*.so"))) == 2
    cache.chmod(0o777)
    with pytest.raises(PermissionError, match="others can write to it"):
        tenon.fast.cpu_kernel("swish3", SWISH.replace("swish", "swish3"))(X)


def test_sources_of_one_name_do_not_get_into_each_other_s_way():
    one = tenon.fast.cpu_kernel("swish", SWISH)
    y = one(X)
    other = tenon.fast.cpu_kernel("swish", SWISH.replace("call->x.data[i] /", "2 * call->x.data[i] /"))
    close(other(X), 2 * np.asarray(one(X)))
    close(y, one(X))


def test_messages_have_the_name_that_the_author_wrote():
    kernel = tenon.fast.cpu_kernel("mode", """
        #define MODE(ARG, ATTR, RET) ARG(x, f32, dims(n, k)) ATTR(scale, float, 1.0f) RET(y, f32, dims(k))
        TN_OP(mode, MODE, "no more than a shape") { return TN_ERROR(call, INTERNAL, "never"); }
    """)
    x = tn.ones((2, 3))
    for call, message, note in (
            (lambda: tn.vmap(kernel)(tn.ones((4, 2, 3))), "mode: there is no vmap of this operation", "TN_DEFINE(mode, .vmap = ...)"),
            (lambda: tn.grad(lambda x: tn.sum(kernel(x)))(x), "mode: there is no vjp of this operation", "TN_DEFINE(mode, .vjp = ...)"),
            (lambda: tn.eval(kernel(x)), "custom call @mode: INTERNAL: mode: never", ""),
            (lambda: kernel(tn.ones(2)), "mode: operand 0 (x): expected dims(n, k); found tensor<2xf32>", "")):
        with pytest.raises(Exception) as raised:
            tn.eval(call())
        assert message in str(raised.value) and note in str(raised.value), str(raised.value)
        assert "\x1f" not in str(raised.value) and "\\1F" not in str(raised.value)


def test_many_threads_may_compile_at_once(cache):
    source = SWISH.replace("swish", "swish4")
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        results = list(pool.map(lambda _: tenon.fast.cpu_kernel("swish4", source)(X).tolist(), range(4)))
    assert all(result == results[0] for result in results) and len(list(cache.glob("*"))) == 1


def test_what_the_compiler_refuses_is_shown():
    with pytest.raises(tenon.fast.CompileError, match=r"(?s)bad:.*bad:5.*undeclared") as caught:
        tenon.fast.cpu_kernel("bad", SWISH.replace("swish", "bad").replace("call->beta", "beta"))(X)
    assert "failed" in str(caught.value)


def test_a_source_without_the_operation_is_refused():
    with pytest.raises(ValueError, match=r"the source of swosh defines no operation of that name: expected TN_OP\(swosh, ...\)"):
        tenon.fast.cpu_kernel("swosh", SWISH)


def test_without_a_compiler_the_fallback_is_called(monkeypatch):
    monkeypatch.setenv("PATH", "/nothing")
    monkeypatch.delenv("CC", raising=False)
    close(tenon.fast.cpu_kernel("swish5", SWISH.replace("swish", "swish5"), fallback=swish)(tn.array(X), beta=2.0),
          swish(tn.array(X), 2.0))
    with pytest.raises(FileNotFoundError, match="no C compiler was found"):
        tenon.fast.cpu_kernel("swish5", SWISH.replace("swish", "swish5"))(X)


def test_gradients_are_those_of_a_rule_in_python():
    def rule(primals, cotangent, output):
        x = primals if isinstance(primals, tn.array) else primals[0]
        s = tn.sigmoid(x)
        return cotangent * (s + x * s * (1 - s))

    kernel = tenon.fast.cpu_kernel("swish", SWISH, vjp=rule)
    x = tn.array(X)
    close(tn.grad(lambda x: kernel(x).sum())(x), tn.grad(lambda x: swish(x).sum())(x))
    plain = tenon.fast.cpu_kernel("swish", SWISH)
    with pytest.raises(NotImplementedError, match="swish"):
        tn.grad(lambda x: plain(x).sum())(x)
