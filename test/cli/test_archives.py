# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""Arrays in .npz and safetensors files, in and out; the other side is NumPy's, and a reader of safetensors of ten lines."""

import json

import ml_dtypes
import numpy as np
import pytest
from command import tenon

DTYPES = {"F32": np.float32, "BF16": ml_dtypes.bfloat16, "I64": np.int64, "BOOL": np.bool_, "C64": np.complex64}
NAMES = {np.dtype(value): key for key, value in DTYPES.items()}


def load(path):
    data = path.read_bytes()
    length = int.from_bytes(data[:8], "little")
    assert length % 8 == 0
    header, rest = json.loads(data[8:8 + length]), data[8 + length:]
    return {name: np.frombuffer(rest[slice(*entry["data_offsets"])], DTYPES[entry["dtype"]]).reshape(entry["shape"])
            for name, entry in header.items() if name != "__metadata__"}


def save(path, arrays):
    header, data = {"__metadata__": {"format": "np"}}, b""
    for name, array in arrays.items():
        header[name] = {"dtype": NAMES[array.dtype], "shape": list(array.shape),
                        "data_offsets": [len(data), len(data) + array.nbytes]}
        data += array.tobytes()
    text = json.dumps(header, ensure_ascii=False).encode()
    path.write_bytes(len(text).to_bytes(8, "little") + text + data)


def identity(folder, *types):
    arguments = ", ".join(f"%x{i}: tensor<{kind}>" for i, kind in enumerate(types))
    results = ", ".join(f"tensor<{kind}>" for kind in types)
    values = ", ".join(f"%x{i}" for i in range(len(types)))
    path = folder / "identity.mlir"
    path.write_text(f"func.func @main({arguments}) -> ({results}) {{ return {values} : {results} }}")
    return path


@pytest.mark.parametrize("name, kind", [("F32", "2x3xf32"), ("BF16", "4xbf16"), ("I64", "i64"), ("BOOL", "2xi1"), ("C64", "0xcomplex<f32>")])
def test_safetensors_come_back(folder, name, kind):
    shape = [int(size) for size in kind.split("x")[:-1] if size.isdigit()]
    array = np.arange(np.prod(shape, dtype=int)).reshape(shape).astype(DTYPES[name])
    save(folder / "in.safetensors", {"other": np.ones(3, np.float32), "layer.0.w": array})
    tenon("run", identity(folder, kind), "-i", folder / "in.safetensors:layer.0.w", "-o", folder / "out.safetensors:y")
    found, = load(folder / "out.safetensors").values()
    assert found.dtype == array.dtype and np.array_equal(found, array) and found.shape == array.shape


@pytest.mark.parametrize("extension", ["npz", "safetensors"])
def test_results_that_name_one_file_are_saved_together(folder, extension):
    path, file = identity(folder, "3xf32", "i64", "2xi1"), folder / f"out.{extension}"
    tenon("run", path, "-i", "iota", "-i", "i64=7", "-i", "ones", "-o", f"{file}:a", "-o", folder / "b.npy", "-o", f"{file}:c")
    arrays = np.load(file) if extension == "npz" else load(file)
    assert sorted(arrays) == ["a", "c"] and np.load(folder / "b.npy") == 7
    assert arrays["a"].tolist() == [0, 1, 2] and arrays["c"].tolist() == [True, True]
    again = tenon("run", path, "-i", f"{file}:a", "-i", "zeros", "-i", f"{file}:c", "-o", f"{file}:x", "--json")[0]
    assert json.loads(again)["outputs"][0]["file"] == f"{file}:x"


def test_what_is_wrong_is_told(folder):
    path = identity(folder, "3xf32")
    save(folder / "w.safetensors", {"weight": np.ones(3, np.float32)})
    assert "did you mean weight?" in tenon("run", path, "-i", folder / "w.safetensors:wieght", code=1)[1]
    assert "which array of it?" in tenon("run", path, "-i", f"x0={folder}/w.safetensors", code=2)[1]
    assert "the name of the array is missing; expected y.npz:NAME" in tenon("run", path, "-i", "ones", "-o", "y.npz", code=2)[1]
    assert "x.safetensors:NAME and -" in tenon("run", path, "-i", "ones", "-o", "y.txt", code=2)[1]
    (folder / "w.safetensors").write_bytes(b"\x08\0\0\0\0\0\0\0{\"w\": 1}")
    assert "the header has `1}`; expected an object" in tenon("run", path, "-i", folder / "w.safetensors:w", code=1)[1]
