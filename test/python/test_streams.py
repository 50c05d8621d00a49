# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""Devices, streams and memory: the names and behaviour of mlx.core."""

import copy
import gc
import inspect
import os
import pickle
import subprocess
import sys
import threading

import mlx.core as mx
import pytest
import tenon.core as tn

NAMES = ["default_device", "set_default_device", "default_stream", "set_default_stream", "new_stream", "new_thread_local_stream",
         "new_thread_unsafe_stream", "stream", "synchronize", "device_count", "device_info", "is_available", "clear_streams",
         "get_active_memory", "get_peak_memory", "reset_peak_memory", "get_cache_memory", "set_memory_limit", "get_memory_limit",
         "set_cache_limit", "set_wired_limit", "clear_cache"]


def in_thread(function):
    results = []
    thread = threading.Thread(target=lambda: results.append(function()))
    thread.start()
    thread.join()
    return results[0]


@pytest.fixture(autouse=True)
def defaults():
    yield
    tn.set_default_device(tn.cpu)
    tn.clear_streams()


@pytest.mark.parametrize("name", NAMES)
def test_functions_have_the_parameters_of_mlx(name):
    theirs = getattr(mx, name).__doc__.splitlines()[0]
    inside = theirs[theirs.index("(") + 1:theirs.rindex(")")]
    parameters = [part.split(":")[0].strip() for part in inside.split(", ") if part]
    assert list(inspect.signature(getattr(tn, name)).parameters) == parameters


@pytest.mark.parametrize("text", ["cpu", "gpu", "DeviceType.cpu", "Device(cpu)", "Device(gpu, 2)", "Device(type=cpu, index=1)",
                                  "default_device()", "default_stream(cpu)", "default_stream(cpu).device", "Device(cpu).type",
                                  "cpu.name", "gpu.value", "Device(cpu) == cpu", "cpu == Device(cpu)", "Device(cpu) == Device(cpu, 1)",
                                  "Device(cpu) == 3", "Device(cpu) != gpu", "device_count(cpu)", "is_available(cpu)",
                                  "default_stream(cpu) == default_stream(cpu)", "default_stream(cpu) == new_stream(cpu)",
                                  "default_stream(cpu) == cpu", "stream(cpu).__enter__()", "synchronize()", "synchronize(cpu)",
                                  "hash(Device(cpu)) == hash(Device(cpu, 0))", "is_available(Device(cpu, 3))", "metal.is_available()",
                                  "add(1, 2, stream=cpu).item()", "add(1, 2, stream=default_stream(cpu)).item()",
                                  "add(1, 2, stream=new_stream(device=cpu)).item()", "set_wired_limit(0)", "clear_cache()",
                                  "add(1, 2, stream=new_thread_local_stream(cpu)).item()", "synchronize(stream=new_stream(cpu))"])
def test_objects_are_those_of_mlx(text):
    assert repr(eval(text, dict(vars(tn)))) == repr(eval(text, dict(vars(mx))))


@pytest.mark.parametrize("text", ["default_stream(gpu)", "new_stream(gpu)", "set_default_device(gpu)", "stream(gpu)", "synchronize(gpu)",
                                  "add(1, 2, stream=gpu)"])
def test_a_gpu_that_is_not_there_is_an_error_that_says_so(text):
    if tn.is_available(tn.gpu):
        pytest.skip("there is a gpu")
    with pytest.raises(ValueError, match="There is no gpu 0: this machine has 0 devices of that type"):
        eval(text, dict(vars(tn)))
    assert tn.device_count(tn.gpu) == 0 and not tn.is_available(tn.gpu) and tn.device_info(tn.gpu) == {}


def test_work_on_the_cpu_loads_no_driver_of_other_devices():
    subprocess.run([sys.executable, "-c", """
import tenon.core as tn
assert (tn.array([1., 2.]) + 1).tolist() == [2, 3] and tn.default_device() == tn.cpu
assert "OpenCL" not in open("/proc/self/maps").read()
"""], env={**{name: value for name, value in os.environ.items() if name != "TENON_DEVICE"},
           "PYTHONPATH": os.pathsep.join(sys.path)}, check=True)


@pytest.mark.parametrize("text", ["Device('cpu')", "Device()", "Device(cpu, 'a')", "Stream(0, Device(cpu))", "set_default_device(3)",
                                  "set_default_stream(cpu)", "device_count(Device(cpu))", "stream(None)", "stream(3)",
                                  "add(1, 2, stream=3)", "set_memory_limit(-1)", "set_memory_limit('a')", "DeviceType()"])
def test_other_objects_are_type_errors(text):
    with pytest.raises(TypeError):
        eval(text, dict(vars(tn)))


def test_a_device_that_is_not_there_is_named():
    with pytest.raises(ValueError, match="There is no cpu 4: this machine has 1 device of that type"):
        tn.add(1, 2, stream=tn.Device(tn.cpu, 4))
    with pytest.raises(ValueError, match="no cpu -1"):
        tn.new_stream(tn.Device(tn.cpu, -1))


def test_devices_are_copied_and_pickled():
    assert pickle.loads(pickle.dumps(tn.cpu)) is tn.cpu and copy.deepcopy(tn.gpu) is tn.gpu
    assert pickle.loads(pickle.dumps(tn.Device(tn.cpu, 2))) == tn.Device(tn.cpu, 2)


def test_the_context_sets_the_stream_of_its_block():
    stream, before = tn.new_stream(tn.cpu), tn.default_stream(tn.cpu)
    with tn.stream(stream):
        assert tn.default_stream(tn.cpu) == stream
        with tn.stream(tn.cpu):
            assert tn.default_stream(tn.cpu) == stream
        with tn.stream(before):
            assert tn.default_stream(tn.cpu) == before
        assert in_thread(lambda: tn.default_stream(tn.cpu)) == before
        x = tn.array([1.0, 2.0]) + 1
    assert tn.default_stream(tn.cpu) == before and (x * 2).tolist() == [4, 6]
    with pytest.raises(KeyError), tn.stream(stream):
        raise KeyError
    assert tn.default_stream(tn.cpu) == before


def test_a_context_is_entered_once_at_a_time():
    context = tn.stream(tn.new_stream(tn.cpu))
    for _ in range(2):
        with context, pytest.raises(RuntimeError, match="entered already"):
            context.__enter__()


def test_default_streams_are_those_of_a_thread():
    stream, before = tn.new_stream(tn.cpu), tn.default_stream(tn.cpu)
    tn.set_default_stream(stream)
    assert tn.default_stream(tn.cpu) == stream and in_thread(lambda: tn.default_stream(tn.cpu)) == before
    assert tn.add(1, 2).item() == 3
    tn.clear_streams()
    assert tn.default_stream(tn.cpu) == before


def test_thread_local_streams_differ_between_threads():
    local = tn.new_thread_local_stream(tn.cpu)

    def current():
        with tn.stream(local):
            return tn.default_stream(tn.cpu)

    assert current() == current() != in_thread(current)
    assert repr(local).startswith("ThreadLocalStream(Device(cpu, 0), ") and local.device == tn.cpu
    first = current()
    tn.clear_streams()
    assert current() != first


def test_streams_work_in_any_thread_and_beside_each_other():
    streams = [tn.new_stream(tn.cpu) for _ in range(3)]
    x = tn.add(tn.array([1.0, 2.0]), 1, stream=streams[0])
    y = in_thread(lambda: tn.multiply(x, x, stream=streams[1]))
    z = tn.add(y, x, stream=streams[2])
    tn.async_eval(z)
    tn.synchronize(streams[2])
    assert z.tolist() == [6, 12]


def test_an_error_of_a_stream_is_raised_by_what_waits():
    stream, limit = tn.new_stream(tn.cpu), tn.get_memory_limit()
    x = tn.add(tn.broadcast_to(tn.array(1.0), (1024, 1024)), 1, stream=stream)
    tn.set_memory_limit(tn.get_active_memory() + (1 << 20))
    try:
        with pytest.raises(MemoryError):
            tn.eval(x)
    finally:
        tn.set_memory_limit(limit)
    tn.clear_streams()
    assert tn.add(1, 2, stream=tn.new_stream(tn.cpu)).item() == 3


def test_device_info_describes_the_device():
    ours, theirs = tn.device_info(), mx.device_info(mx.cpu)
    assert ours == tn.device_info(tn.cpu) == tn.device_info(d=tn.Device(tn.cpu))
    assert set(theirs) <= set(ours) and ours["architecture"] == theirs["architecture"] and ours["memory_size"] > 0


def test_the_module_metal_has_the_earlier_names():
    for core in (tn, mx):
        assert core.metal.stop_capture() is None and isinstance(core.metal.device_info(), dict)
    with pytest.warns(DeprecationWarning, match="use tenon.core.get_active_memory"):
        assert tn.metal.get_active_memory() == tn.get_active_memory()
    with pytest.warns(DeprecationWarning):
        limit = tn.metal.set_cache_limit(1 << 20)
    assert tn.set_cache_limit(limit) == 1 << 20
    with pytest.warns(DeprecationWarning), pytest.raises(TypeError):
        tn.metal.set_cache_limit()
    with pytest.warns(DeprecationWarning):
        assert tn.metal.clear_cache() is None and tn.metal.get_cache_memory() == tn.get_cache_memory()


def test_memory_is_counted():
    gc.collect()  # arrays of other tests
    tn.clear_cache()
    before = tn.get_active_memory()
    tn.reset_peak_memory()
    assert tn.get_peak_memory() == before
    x = tn.array([1.0]) * tn.ones_like(tn.array([[0.0] * 1024] * 1024))
    tn.eval(x)
    assert 4 << 20 <= tn.get_active_memory() - before < 5 << 20
    del x
    assert tn.get_active_memory() - before < 1 << 16
    assert tn.get_peak_memory() - before >= 4 << 20 and tn.get_cache_memory() >= 4 << 20
    tn.clear_cache()
    assert tn.get_cache_memory() < 1 << 20


def test_limits_are_set_and_return_those_before():
    limit = tn.get_memory_limit()
    assert tn.set_memory_limit(tn.get_active_memory() + (1 << 20)) == limit
    try:
        with pytest.raises(MemoryError):
            tn.eval(tn.array([1.0]) * tn.ones_like(tn.broadcast_to(tn.array(1.0), (1024, 1024))))
    finally:
        tn.set_memory_limit(limit)
    cache = tn.set_cache_limit(1 << 20)
    assert tn.set_cache_limit(cache) == 1 << 20 and tn.get_memory_limit() == limit


# The reference device stands for a gpu: it is a device of another type with memory of its own.
GPU = """
import tenon.core as tn
assert tn.default_device() == tn.gpu and repr(tn.default_device()) == 'Device(gpu, 0)', tn.default_device()
assert tn.device_count(tn.gpu) >= 1 and tn.is_available(tn.gpu) and tn.device_info()['device_name']
stream = tn.default_stream(tn.gpu)
assert stream.device == tn.gpu and stream == tn.default_stream(tn.gpu) != tn.default_stream(tn.cpu)
x = tn.array([1., 2.])
y = tn.add(x, x)
z = tn.multiply(y, 2, stream=tn.cpu)
with tn.stream(tn.cpu):
    assert tn.default_device() == tn.cpu
    w = tn.add(z, 1)
assert tn.default_device() == tn.gpu
assert (y + w).tolist() == [7, 13]
tn.set_default_device(tn.cpu)
assert tn.add(y, 1).tolist() == [3, 5]
tn.synchronize(tn.gpu)
"""


def test_a_gpu_is_used_like_the_cpu():
    subprocess.run([sys.executable, "-c", GPU], check=True,
                   env={**os.environ, "TENON_DEVICE": "reference", "PYTHONPATH": os.pathsep.join(sys.path)})
