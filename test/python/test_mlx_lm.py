# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""With TENON_LONG_TESTS: mlx-lm's own tests of its models, with random weights, run on tenon.core. pip fetches its sources."""

import json
import os
import pathlib
import subprocess
import sys

import pytest
import tenon

VERSION = "0.31.3"
# Tests that cannot run here, with mlx.core neither, and why.
NOT_HERE = {
    "test_bitnet": "its layers are kernels for Metal",
    "test_gated_delta": "compares a kernel for Metal",
    "test_gated_delta_masked": "compares a kernel for Metal",
    "test_gemma4_moe_router_quantizes_to_8bit": "needs huggingface_hub",
    "test_olmo": "needs ai2-olmo",
}
# The package without its __init__.py, which imports what loads models of the network.
PROGRAM = """
import json, pathlib, sys, types, unittest
root = pathlib.Path(sys.argv[1])
sys.path.insert(0, str(root / "tests"))
import tenon.mlx
package = types.ModuleType("mlx_lm")
package.__path__ = [str(root / "mlx_lm")]
sys.modules["mlx_lm"] = package


class Result(unittest.TestResult):
    def startTest(self, test):
        super().startTest(test)
        self.outcomes = getattr(self, "outcomes", {})
        self.outcomes[test.id().rpartition(".")[2]] = "passed"

    def note(self, test, text):
        self.outcomes[test.id().rpartition(".")[2]] = text

    def addError(self, test, error):
        self.note(test, self._exc_info_to_string(error, test))

    addFailure = addError

    def addSubTest(self, test, part, error):
        if error:
            self.addError(test, error)

    def addSkip(self, test, reason):
        self.note(test, reason)


result = Result()
unittest.defaultTestLoader.loadTestsFromNames(sys.argv[2:]).run(result)
print(json.dumps(result.outcomes))
"""


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory):
    folder = tmp_path_factory.mktemp("mlx_lm")
    fetched = subprocess.run([sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--no-binary", ":all:", "--no-build-isolation",
                              "-d", folder, f"mlx-lm=={VERSION}"], capture_output=True, text=True)
    archives = list(folder.glob("mlx_lm-*.tar.gz"))
    if not archives:
        pytest.skip(f"pip cannot fetch the sources of mlx-lm {VERSION}: {fetched.stderr[-300:]}")
    subprocess.run(["tar", "xf", archives[0], "-C", folder], check=True)
    environment = {**os.environ, "PYTHONPATH": str(pathlib.Path(tenon.__file__).parents[1])}
    done = subprocess.run([sys.executable, "-c", PROGRAM, folder / f"mlx_lm-{VERSION}", "test_models", "test_sample_utils"],
                          env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.skipif("TENON_LONG_TESTS" not in os.environ, reason="TENON_LONG_TESTS: builds and runs more than 80 models")
def test_the_models_of_mlx_lm_pass_their_tests(outcomes):
    failed = {name: outcome for name, outcome in outcomes.items() if outcome != "passed"}
    assert failed.keys() == NOT_HERE.keys(), "\n".join(f"{name}: {outcome}" for name, outcome in failed.items() if name not in NOT_HERE)
    assert len(outcomes) > 60 and sum(outcome == "passed" for outcome in outcomes.values()) >= len(outcomes) - len(NOT_HERE)
