# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""What a subinterpreter gets: the module of the main interpreter, or an ImportError."""

import os
import subprocess
import sys

import pytest

TEXT = """
import sys
try:
    import _interpreters
except ImportError:
    import _xxsubinterpreters as _interpreters

CODE = '''
import sys
sys.path[:] = %r
try:
    import tenon.core as tn
    print((tn.array([1.0, 2.0]) + 1).tolist() == [2, 3])
except ImportError as error:
    print("subinterpreter" in str(error))
''' % (sys.path,)

def use(*options):
    sub = _interpreters.create(*options)
    _interpreters.run_string(sub, CODE)
    sys.stdout.flush()
    _interpreters.destroy(sub)

def use_all():
    use()
    use()
    if sys.version_info >= (3, 13):
        use("legacy")
        use("isolated")
"""

ORDERS = {
    "first": "use_all()",
    "later": "import tenon.core; use_all()",
    "between": "use(); import tenon.core; use_all()",
}


@pytest.mark.parametrize("order", ORDERS.values(), ids=ORDERS.keys())
def test_a_subinterpreter_works_or_gets_an_import_error(order):
    text = TEXT + order + "\nimport tenon.core as tn\nprint((tn.array([1, 2]) + 1).tolist())\n"
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, env=env, timeout=600)
    *lines, last = done.stdout.splitlines()
    assert done.returncode == 0 and set(lines) == {"True"} and last == "[2, 3]", done
