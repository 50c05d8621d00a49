# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""What happens while work runs: other threads, Ctrl-C, fork, and the end of the interpreter."""

import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
import tenon.core as tn

SIZE = 192


def run(text, **options):
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    return subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, env=env, timeout=600, **options)


# Work of many seconds of processors, in steps of a few milliseconds. interrupt() stands inside `try`:
# on a busy machine the signal may come before the work begins.
LONG = """
import signal, sys, threading, time
import numpy as np
import tenon.ffi
import tenon.core as tn
given = tn.array(np.eye(512, dtype=np.float32))
def long(stream=None):
    x = given
    for _ in range(20000):
        x = tn.matmul(x, given, stream=stream)
    return x
def interrupt(seconds=0.5):
    threading.Timer(seconds, signal.raise_signal, [signal.SIGINT]).start()
"""

WAITS = {
    "eval": "tn.eval(long())",
    "item": "long().sum().item()",
    "tolist": "long().tolist()",
    "numpy": "np.asarray(long())",
    "dlpack": "np.from_dlpack(long())",
    "print": "repr(long())",
    "a stream": "tn.eval(long(stream))",
    "an attribute": "tenon.ffi.ffi_call('none', tn.ones(1))(given, a=long())",
    "synchronize": "y = long(stream); tn.async_eval(y); tn.synchronize(stream)",
    "synchronize without a stream": "y = long(); tn.async_eval(y); tn.synchronize()",
    "synchronize with a device": "y = long(); tn.async_eval(y); tn.synchronize(tn.cpu)",
    "async_eval of what another thread evaluates": """
    y = long()
    threading.Thread(target=tn.eval, args=(y,), daemon=True).start()
    time.sleep(0.2)
    tn.async_eval(y)""",
}


@pytest.mark.parametrize("wait", WAITS.values(), ids=WAITS.keys())
def test_ctrl_c_ends_a_wait(wait):
    result = run(LONG + f"""
import os
stream = tn.new_stream(tn.cpu)
start = time.process_time()
try:
    interrupt()
    {wait}
except KeyboardInterrupt:
    print("interrupted", time.process_time() - start < 10)
sys.stdout.flush()
os._exit(0)
""")
    assert result.stdout == "interrupted True\n", result


def test_ctrl_c_ends_a_program(tmp_path):
    (tmp_path / "loop.mlir").write_text("""
func.func @main(%n: tensor<i64>) -> tensor<i64> {
  %zero = stablehlo.constant dense<0> : tensor<i64>
  %one = stablehlo.constant dense<1> : tensor<i64>
  %r = stablehlo.while(%i = %zero) : tensor<i64>
   cond {
    %p = stablehlo.compare LT, %i, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %j = stablehlo.add %i, %one : tensor<i64>
    stablehlo.return %j : tensor<i64>
  }
  return %r : tensor<i64>
}
""")
    result = run(LONG + f"""
import tenon
program = tenon.load({str(tmp_path / "loop.mlir")!r})
print(np.asarray(program(1000)).item())
try:
    interrupt()
    program(1 << 60)
except KeyboardInterrupt:
    print("interrupted")
""")
    assert result.stdout == "1000\ninterrupted\n", result


def test_arrays_can_be_evaluated_after_ctrl_c():
    result = run(LONG + """
x = given
for _ in range(500):
    x = tn.matmul(x, given)
try:
    interrupt(0.05)
    tn.eval(x)
    while True:
        time.sleep(0.01)
except KeyboardInterrupt:
    print("interrupted")
print(tn.sum(x).item())
""")
    assert result.stdout == "interrupted\n512.0\n", result


def test_a_handler_of_signals_runs_while_work_goes_on():
    result = run(LONG + """
x = given
for _ in range(300):
    x = tn.matmul(x, given)
calls = []
signal.signal(signal.SIGINT, lambda *_: calls.append(tn.add(1, 2).item()))
interrupt(0.05)
tn.eval(x)
while not calls:
    time.sleep(0.01)
print(calls, tn.sum(x).item())
""")
    assert result.stdout == "[3] 512.0\n", result


def test_exceptions_of_handlers_come_out():
    result = run(LONG + """
def stop(*_):
    raise KeyError("mine")
signal.signal(signal.SIGINT, stop)
try:
    interrupt(0.05)
    tn.eval(long())
except KeyError as error:
    print(error)
import os
sys.stdout.flush()
os._exit(0)
""")
    assert result.stdout == "'mine'\n", result


def test_other_threads_run_while_work_runs():
    count, is_done, during = [0], threading.Event(), 0

    def work():
        while not is_done.wait(0.001):
            count[0] += 1

    thread = threading.Thread(target=work)
    thread.start()
    for length in (20, 100, 500, 2500):  # until the work is long enough for this machine
        x = tn.array(np.ones((1024, 1024), np.float32))
        for _ in range(length):
            x = tn.matmul(x, x) / 1024
        before = count[0]
        tn.eval(x)
        during = count[0] - before
        if during > 3:
            break
    is_done.set()
    thread.join()
    assert during > 3


def test_many_threads_evaluate_shared_arrays():
    x = tn.array(np.ones((SIZE, SIZE), np.float32))
    shared = [tn.matmul(x, x) + i for i in range(8)]
    results, errors = [], []

    def work(i):
        try:
            for _ in range(20):
                y = shared[i % 8] - SIZE
                results.append(tn.max(y).item() - i % 8)
                memoryview(y), np.from_dlpack(y.T), tn.asarray(np.asarray(y))
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors and set(results) == {0} and len(results) == 320


def test_threads_come_and_go():
    def work():
        with tn.stream(tn.new_stream(tn.cpu)):
            assert tn.sum(tn.array([1.0, 2.0]) + 1).item() == 5

    for _ in range(50):
        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()


FORK = """
import os, sys
import tenon.core as tn
x = tn.array([1.0, 2.0]) + 1
tn.eval(x)
child = os.fork()
if not child:
    print(x.tolist())
    for call in (lambda: tn.eval(x + 1), lambda: tn.eval(tn.add(x, 1, stream=tn.new_stream(tn.cpu)))):
        try:
            call()
            print("done")
        except RuntimeError as error:
            print("fork" in str(error))
    sys.exit(3)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), (x + 1).tolist())
"""


def test_a_child_of_fork_reads_values_and_says_why_it_cannot_compute():
    assert run(FORK).stdout.split("\n") == ["[2.0, 3.0]", "True", "True", "3 [3.0, 4.0]", ""]


ENDS = {
    "async work": "y = long(); tn.async_eval(y)",
    "work on a stream": "stream = tn.new_stream(tn.cpu); y = short(stream); tn.async_eval(y)",
    "a daemon": "threading.Thread(target=lambda: tn.eval(long()), daemon=True).start(); time.sleep(0.1)",
    "pending arrays": "y = long()",
    "exported memory": "y = np.asarray(given + 1), np.from_dlpack(given + 2), memoryview(given + 3)",
    "a cycle": "y = [given + 1]; y.append(y)",
}


@pytest.mark.parametrize("last", ENDS.values(), ids=ENDS.keys())
def test_the_interpreter_ends_while_work_runs(last):
    small = LONG.replace("np.eye(512", "np.eye(32").replace("range(20000)", "range(2000)")
    result = run(small + "short = long\n" + last + "\n")
    assert result.returncode == 0 and not result.stderr, result


def test_sigint_at_its_default_ends_the_process():
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    process = subprocess.Popen([sys.executable, "-c", LONG + "print('ready', flush=True)\ntn.eval(long())"], env=env,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    process.stdout.readline()
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=600)
    assert b"KeyboardInterrupt" in errors and process.returncode in (1, 130, -signal.SIGINT)
