# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""tenon.fast.opencl_kernel and cuda_kernel: kernels of GPUs from a source text, where there is a device."""

import os
import subprocess
import sys

import numpy as np
import pytest
import tenon
import tenon.core as tn

# With a device that is no GPU, as PoCL's, in the place of one.
DEVICES = subprocess.run([os.environ["TENON_CLI"], "devices", "--json"], capture_output=True, text=True, check=True).stdout
if "TENON_DEVICE" not in os.environ and '"opencl:0"' in DEVICES:

    def test_on_opencl():
        done = subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", __file__], capture_output=True, text=True,
                              env={**os.environ, "TENON_DEVICE": "opencl", "PYTHONPATH": os.pathsep.join(sys.path)})
        assert done.returncode == 0, done.stdout + done.stderr


HAS_GPU = tn.default_device() == tn.Device(tn.gpu, 0)
on_a_gpu = pytest.mark.skipif(not HAS_GPU, reason="there is no GPU")
SCALE = "const tn_i64 i = tn_item(0);\nif (i < x_shape[0]) y[i] = FACTOR * x[i];\n"


def scale(x, factor=2):
    kernel = tenon.fast.opencl_kernel("scale", ["x"], ["y"], SCALE)
    return kernel(inputs=[x], grid=(x.size, 1, 1), threadgroup=(64, 1, 1), output_shapes=[x.shape], output_dtypes=[x.dtype],
                  template=[("FACTOR", factor)])[0]


@on_a_gpu
def test_a_kernel_computes_arrays():
    x = tn.arange(1000, dtype=tn.float32)
    np.testing.assert_array_equal(np.asarray(scale(x)), 2 * np.arange(1000, dtype=np.float32))
    np.testing.assert_array_equal(np.asarray(scale(x, 3) + 1), 3 * np.arange(1000, dtype=np.float32) + 1)


@on_a_gpu
@pytest.mark.parametrize("dtype", [tn.int8, tn.uint16, tn.int32, tn.int64])
def test_elements_have_the_dtype_of_the_arrays(dtype):
    np.testing.assert_array_equal(np.asarray(scale(tn.array([1, 2, 3], dtype))), [2, 4, 6])


@on_a_gpu
@pytest.mark.parametrize("dtype, word", [(tn.float16, "f16"), (tn.bfloat16, "bf16")])
def test_narrow_floats_are_loaded_and_stored(dtype, word):
    kernel = tenon.fast.cuda_kernel("half_of", ["x"], ["y"], f"""
        const tn_i64 i = tn_item(0);
        if (i < x_shape[0]) tn_store_{word}(y, i, tn_load_{word}(x, i) / 2);
    """)
    y, = kernel(inputs=[tn.array([1.0, 2.0, 5.0], dtype)], grid=(3, 1, 1), threadgroup=(4, 1, 1), output_shapes=[(3,)],
                output_dtypes=[dtype])
    assert y.dtype == dtype and y.tolist() == [0.5, 1.0, 2.5]


@on_a_gpu
def test_views_are_dense_in_the_kernel_and_shapes_are_there():
    kernel = tenon.fast.opencl_kernel("row_sums", ["x"], ["sums", "sizes"], """
        const tn_i64 row = tn_item(0);
        if (row >= x_shape[0]) return;
        T sum = 0;
        for (tn_i64 i = 0; i < x_shape[1]; ++i) sum += x[row * x_strides[0] + i * x_strides[1]];
        sums[row] = sum;
        sizes[row] = x_ndim * 100 + x_shape[1];
    """)
    x = tn.arange(6, dtype=tn.float32).reshape(2, 3).T
    sums, sizes = kernel(inputs=[x], grid=(3, 1, 1), threadgroup=(1, 1, 1), output_shapes=[(3,), (3,)],
                         output_dtypes=[tn.float32, tn.int32], template=[("T", tn.float32)])
    assert sums.tolist() == [3, 5, 7] and sizes.tolist() == [202, 202, 202]


@on_a_gpu
def test_errors_have_the_lines_of_the_source():
    kernel = tenon.fast.opencl_kernel("wrong", ["x"], ["y"], "\ny[0] = z;\n")
    with pytest.raises(Exception, match=r"wrong[:(]2"):  # as OpenCL's compilers say it, and CUDA's
        tn.eval(kernel(inputs=[tn.array([1.0])], grid=(1, 1, 1), threadgroup=(1, 1, 1), output_shapes=[()], output_dtypes=[tn.float32]))


@pytest.mark.skipif(HAS_GPU, reason="there is a GPU")
def test_the_cpu_runs_no_kernels_of_gpus():
    with pytest.raises(Exception, match="evaluate it with stream=tenon.core.gpu where there is one"):
        tn.eval(scale(tn.array([1.0, 2.0])))


def test_what_does_not_fit_the_kernel_is_refused():
    kernel = tenon.fast.opencl_kernel("add", ["a", "b"], ["c"], "")
    one = tn.array([1.0])
    with pytest.raises(ValueError, match="add: expected 2 inputs, a, b; found 1"):
        kernel(inputs=[one], grid=(1, 1, 1), threadgroup=(1, 1, 1), output_shapes=[()], output_dtypes=[tn.float32])
    with pytest.raises(ValueError, match="expected 1 shapes and dtypes of outputs; found 0 and 1"):
        kernel(inputs=[one, one], grid=(1, 1, 1), threadgroup=(1, 1, 1), output_shapes=[], output_dtypes=[tn.float32])
    with pytest.raises(ValueError, match="add: expected 3 numbers for grid; found 1"):
        kernel(inputs=[one, one], grid=(1,), threadgroup=(1, 1, 1), output_shapes=[()], output_dtypes=[tn.float32])


def test_arrays_are_attributes_of_calls():
    with pytest.raises(Exception, match="there is no such library|evaluate it with stream"):
        tn.eval(tenon.ffi.ffi_call("tenon.gpu_kernel", tn.array(1.0))(library=1 << 40, kernel="k", launch=tn.array([1, 2], tn.int64)))
