# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""What the tests of the command share: running it, and a folder with the files that its examples name."""

import json
import os
import pathlib
import shutil
import subprocess

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("TENON_BUILD_DIR", ROOT / "build" / "release"))
COMMAND = pathlib.Path(os.environ.get("TENON_CLI", BUILD / "cli" / "tenon"))

ADD = """func.func @main(%a: tensor<3xf32>, %b: tensor<3xf32>) -> tensor<3xf32> {
  %0 = stablehlo.add %a, %b : tensor<3xf32>
  return %0 : tensor<3xf32>
}
"""
MODEL = """func.func @main(%images: tensor<4x8xf32>) -> (tensor<4x4xf32>, tensor<4x8xf32>) {
  %t = stablehlo.transpose %images, dims = [1, 0] : (tensor<4x8xf32>) -> tensor<8x4xf32>
  %0 = stablehlo.dot_general %images, %t, contracting_dims = [1] x [0]
      : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  %1 = stablehlo.tanh %0 : tensor<4x4xf32>
  %2 = stablehlo.add %images, %images : tensor<4x8xf32>
  return %1, %2 : tensor<4x4xf32>, tensor<4x8xf32>
}
"""
NORM = """func.func @main(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %0 = stablehlo.custom_call @rms_norm(%x) {api_version = 4 : i32, backend_config = {eps = 1.0e-05 : f32}}
      : (tensor<2x4xf32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}
"""
OLD = """func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = stablehlo.custom_call @scale(%x) {api_version = 1 : i32} : (tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
"""
OLD_LIBRARY = """
void scale_kernel(void* out, const void** in);
void scale_kernel(void* out, const void** in) {
  for (int i = 0; i < 3; ++i) ((float*)out)[i] = 2 * ((const float*)in[0])[i];
}
"""
TRAIN = """func.func @main(%w: tensor<4xf32> loc("params['w']"), %x: tensor<4xf32> loc("x"))
    -> (tensor<4xf32> {jax.result_info = "result['w']"}) {
  %0 = stablehlo.subtract %w, %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
"""
CHECKS = """func.func @main() {
  %0 = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %1 = stablehlo.add %0, %0 : tensor<2xi32>
  check.expect_eq_const %1, dense<[2, 4]> : tensor<2xi32>
  return
}
"""


ROWS = """func.func @main(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %0 = stablehlo.add %x, %x : tensor<?x8xf32>
  return %0 : tensor<?x8xf32>
}
"""


def write_safetensors(path, arrays):
    """The format in a few lines; arrays of f32."""
    header, data = {}, b""
    for name, array in arrays.items():
        header[name] = {"dtype": "F32", "shape": list(array.shape), "data_offsets": [len(data), len(data) + array.nbytes]}
        data += array.tobytes()
    text = json.dumps(header).encode()
    path.write_bytes(len(text).to_bytes(8, "little") + text + data)


def tenon(*arguments, code=0, stdin=None, **environment):
    """Runs the command, which must end with this code. Returns what it wrote, (stdout, stderr)."""
    done = subprocess.run([COMMAND, *map(str, arguments)], input=stdin, capture_output=True, text=True, timeout=600,
                          env={**os.environ, **environment})
    words = " ".join(map(str, arguments))
    assert done.returncode == code, f"tenon {words}\nexit code {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout, done.stderr


def compile_library(source, output):
    compiler = os.environ.get("CC", "cc")
    subprocess.run([compiler, "-O1", "-shared", "-fPIC", "-I", ROOT / "include", source, "-o", output, "-lm"], check=True)


def make_folder(folder):
    """Everything that the examples of the help name."""
    (folder / "add.mlir").write_text(ADD)
    (folder / "model.mlir").write_text(MODEL)
    (folder / "norm.mlir").write_text(NORM)
    (folder / "train.mlir").write_text(TRAIN)
    np.save(folder / "w.npy", np.arange(4, dtype=np.float32))
    write_safetensors(folder / "weights.safetensors", {"params.w": np.arange(4, dtype=np.float32)})
    (folder / "rows.mlir").write_text(ROWS)
    (folder / "old.mlir").write_text(OLD)
    (folder / "kernels.mlir").write_text(CHECKS + "// -----\n" + CHECKS)
    (folder / "test" / "op").mkdir(parents=True)
    (folder / "test" / "op" / "add.mlir").write_text(CHECKS)
    np.save(folder / "images.npy", np.arange(32, dtype=np.float32).reshape(4, 8) / 100)
    np.savez(folder / "data.npz", x=np.array([1, 2, 3], np.float32), y=np.zeros((2, 2)))
    (folder / "libold.c").write_text(OLD_LIBRARY)
    compile_library(folder / "libold.c", folder / "libold.so")
    compile_library(ROOT / "examples" / "rms_norm" / "rms_norm.c", folder / "librms_norm.so")
    shutil.copy(folder / "librms_norm.so", folder / "libkernels.so")
    return folder
