# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""With --json an error is one line of JSON on the standard error, whatever went wrong."""

import json
import subprocess

import pytest
from command import ADD, COMMAND, tenon


def error(*arguments, code=1, stdin=None):
    output, errors = tenon(*arguments, "--json", code=code, stdin=stdin)
    assert output == "" and errors.count("\n") == 1 and errors.endswith("\n")
    return json.loads(errors)["error"]


def test_an_error_in_a_program_has_its_place_and_the_report():
    text = ADD.replace("%b :", "%c :")
    found = error("run", "-", stdin=text)
    assert (found["code"], found["file"], found["line"], found["column"]) == ("INVALID_ARGUMENT", "<stdin>", 2, 26)
    assert found["message"] in found["report"]
    assert found["report"] == tenon("run", "-", code=1, stdin=text)[1]


@pytest.mark.parametrize("command", ["run", "bench", "show"])
def test_a_missing_file_is_not_found(command):
    found = error(command, "nowhere.mlir")
    assert found["code"] == "NOT_FOUND" and "nowhere.mlir: No such file" in found["message"]
    assert "line" not in found


def test_wrong_use_is_an_error_too(folder):
    for words, message in [(["run"], "missing argument FILE"), (["run", "a.mlir", "--inptu", "x"], "did you mean '--input'?"),
                           (["bench", folder / "add.mlir", "--runs", "0"], "--runs 0"),
                           (["run", folder / "add.mlir"], "has no --input")]:
        found = error(*words, code=2)
        assert found["code"] == "INVALID_ARGUMENT" and message in found["message"]


def test_the_short_option_does_the_same():
    done = subprocess.run([COMMAND, "run", "-j", "nowhere.mlir"], capture_output=True, text=True)
    assert json.loads(done.stderr)["error"]["code"] == "NOT_FOUND"


def test_a_file_of_that_name_is_no_option():
    errors = tenon("run", "--", "--json", code=1)[1]
    assert errors == "error: --json: No such file or directory\n"


def test_an_unknown_operation_is_not_found():
    output, errors = tenon("ops", "ad", "--json", code=1)
    assert json.loads(output)["operations"] == []
    assert json.loads(errors)["error"]["code"] == "NOT_FOUND"


def test_a_missing_file_among_tests_leaves_the_list_whole(folder):
    output, errors = tenon("test", folder / "nowhere.mlir", folder / "kernels.mlir", "--json", code=1)
    assert json.loads(output)["ok"] == 2
    assert json.loads(errors)["error"]["code"] == "NOT_FOUND"


def test_bytes_that_are_no_text_stay_json(tmp_path):
    path = tmp_path / "bytes.mlir"
    path.write_bytes(b'module { \xff\xfe"\xc0\x80\xed\xa0\x80\x01 \xc3\xa9 }')
    done = subprocess.run([COMMAND, "run", path, "--json"], capture_output=True)
    assert done.returncode == 1
    assert json.loads(done.stderr.decode("utf-8"))["error"]["code"] == "INVALID_ARGUMENT"
