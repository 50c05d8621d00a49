# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""tenon.profile and tenon.show: what people look at."""

import json
import os
import pathlib
import re
import threading

import pytest
import tenon
import tenon.core as tn

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("TENON_BUILD_DIR", ROOT / "build" / "release"))


def slices(path):
    return json.loads(path.read_text())["traceEvents"]


def test_a_profile_names_operations_and_custom_calls(tmp_path):
    roll = tenon.ops.load(BUILD / "examples" / "roll" / "libroll.so").roll
    x = tn.ones((64, 64))
    with tenon.profile(tmp_path / "t.json"):
        tn.eval(tn.matmul(x, x))
        tn.eval(roll(x))
    tn.eval(x + 1)
    found = slices(tmp_path / "t.json")
    names = [it["name"] for it in found]
    assert "dot_general" in names and "roll" in names and "add" not in names
    product = found[names.index("dot_general")]
    assert product["ph"] == "X" and product["dur"] > 0 and product["args"]["written_bytes"] == 64 * 64 * 4
    assert product["args"]["gb_per_s"] > 0
    assert product["args"]["types"] == "(tensor<64x64xf32>, tensor<64x64xf32>) -> (tensor<64x64xf32>)"


def test_a_fusion_names_its_members(tmp_path):
    swish = tenon.ops.load(BUILD / "examples" / "swish" / "libswish.so").swish
    function = tn.compile(lambda x: tn.exp(swish(x + 1)))
    tn.eval(function(tn.ones((64, 64))))
    with tenon.profile(tmp_path / "t.json"):
        tn.eval(function(tn.ones((64, 64))))
    members = [it["args"]["members"] for it in slices(tmp_path / "t.json") if "members" in it["args"]]
    assert any("swish" in it.split(", ") and "exponential" in it.split(", ") for it in members)


def test_threads_have_tracks_of_their_own(tmp_path):
    def work():
        for _ in range(5):
            tn.eval(tn.ones((32, 32)) @ tn.ones((32, 32)))

    with tenon.profile(tmp_path / "t.json"):
        threads = [threading.Thread(target=work) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert len({it["tid"] for it in slices(tmp_path / "t.json")}) >= 3


def test_a_profile_that_cannot_be_written_says_so(tmp_path):
    with pytest.raises(OSError, match="nowhere"):
        with tenon.profile(tmp_path / "nowhere" / "t.json"):
            pass
    with tenon.profile(tmp_path / "t.json"):
        with pytest.raises(RuntimeError, match="another profile"):
            with tenon.profile(tmp_path / "other.json"):
                pass
    assert slices(tmp_path / "t.json") == []


def test_a_function_is_shown_as_graph_text_and_memory(tmp_path):
    picture = tenon.show(lambda x: tn.exp(x @ x).sum(), tn.ones((8, 8)))
    assert "stablehlo.dot_general" in str(picture)
    assert picture.to_dot().startswith("digraph") and picture.memory().startswith("<svg")
    assert "<svg" in picture._repr_svg_()
    picture.save(tmp_path / "picture.svg")
    assert "</svg>" in (tmp_path / "picture.svg").read_text()


def test_what_cannot_be_shown_is_named():
    with pytest.raises(TypeError, match="show: expected a function or a program; found 3"):
        tenon.show(3)
    with pytest.raises(TypeError, match="the function should return arrays; it returned None"):
        tenon.show(lambda x: None, tn.ones((2,)))


@pytest.mark.parametrize("shape", [(2,), (8, 32), (64, 64), (512, 512)])
def test_constants_of_one_value_are_written_once(shape):
    picture = tenon.show(lambda x: tn.maximum(x * 2 + 1, 0), tn.ones(shape))
    text = str(picture)
    assert re.findall(r"dense<([^>]*)>", text) == ["2.000000e+00", "1.000000e+00", "0.000000e+00"] and len(text) < 1500
    assert len(picture.to_dot()) < 3000 and max(map(len, re.findall(r'label="([^"]*)"', picture.to_dot()))) < 160
    assert repr(picture).startswith("<tenon.Picture of <tenon.Program: ")
