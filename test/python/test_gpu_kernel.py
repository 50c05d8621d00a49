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
@pytest.mark.parametrize("dtype", [tn.int32, tn.float32, tn.float16, tn.bfloat16, tn.uint8])
def test_outputs_begin_with_a_value(dtype):
    kernel = tenon.fast.opencl_kernel("first", ["x"], ["y", "z"], "if (tn_item(0) == 0) z[0] = x[0];", atomic_outputs=True)
    y, z = kernel(inputs=[tn.array([5], tn.int32)], grid=(1, 1, 1), threadgroup=(1, 1, 1), output_shapes=[(2, 3), (4,)],
                  output_dtypes=[dtype, tn.int32], init_value=7)
    assert y.tolist() == [[7] * 3] * 2 and z.tolist() == [5, 7, 7, 7]


@on_a_gpu
def test_a_kernel_has_the_gradient_that_it_is_given():
    kernel = tenon.fast.opencl_kernel("scale", ["x"], ["y"], SCALE, vjp=lambda primals, cotangents, outputs: [3 * cotangents[0]])

    def loss(x):
        return kernel(inputs=[x], grid=(x.size, 1, 1), threadgroup=(64, 1, 1), output_shapes=[x.shape], output_dtypes=[x.dtype],
                      template=[("FACTOR", 3)])[0].sum()

    assert loss(tn.array([1.0, 2.0])).item() == 9 and tn.grad(loss)(tn.array([1.0, 2.0])).tolist() == [3, 3]


@pytest.mark.parametrize("transform", [lambda: tn.grad(lambda x: scale(x).sum())(tn.array([1.0])), lambda: tn.vmap(scale)(tn.ones((2, 2))),
                                       lambda: tn.jvp(scale, [tn.array([1.0])], [tn.array([1.0])])])
def test_without_rules_the_error_says_what_a_user_of_python_can_do(transform):
    with pytest.raises(Exception, match=r"vjp=, or wrap the function in tenon\.core\.custom_function") as error:
        transform()
    assert "TN_DEFINE" not in str(error.value)


def test_a_verbose_kernel_prints_its_source(capsys):
    kernel = tenon.fast.opencl_kernel("shout", ["x"], ["y"], "y[0] = 1;", "// header", True, False)
    kernel(inputs=[tn.array([1.0])], grid=(1, 1, 1), threadgroup=(1, 1, 1), output_shapes=[(1,)], output_dtypes=[tn.float32], verbose=True,
           template=None)
    assert "// header\nTN_KERNEL void shout(TN_GLOBAL const float* x, TN_GLOBAL float* y)" in capsys.readouterr().out


# --- the functions of mlx.core.fast


def test_a_kernel_for_metal_can_be_made_and_not_called():
    import mlx.core as mx

    call = {"grid": (1, 1, 1), "threadgroup": (1, 1, 1), "output_shapes": [(1,)]}
    for core in (mx, tn):
        kernel = core.fast.metal_kernel(name="copy", input_names=["x"], output_names=["y"], source="y[0] = x[0];", header="",
                                        ensure_row_contiguous=False, atomic_outputs=True, compile_options={"math_mode": "fast"})
        with pytest.raises(RuntimeError, match=r"^\[metal_kernel\] No Metal back-end\.$"):
            kernel(inputs=[core.ones(1)], output_dtypes=[core.float32], template=[("T", core.float32)], init_value=0, verbose=True,
                   stream=core.cpu, **call)
        with pytest.raises(TypeError):
            kernel(core.ones(1))
        with pytest.raises(TypeError):
            core.fast.metal_kernel("copy")
        assert not core.metal.is_available()


@pytest.mark.skipif(tn.cuda.is_available(), reason="there is a device of CUDA")
def test_kernels_for_cuda_need_a_device_of_cuda():
    import mlx.core as mx

    for core in (mx, tn):
        with pytest.raises(RuntimeError, match=r"^\[cuda_kernel\] No CUDA back-end\.$"):
            core.fast.cuda_kernel(name="copy", input_names=["x"], output_names=["y"], source="y[0] = x[0];")
        with pytest.raises(RuntimeError, match=r"^\[cuda_kernel\] No CUDA back-end\.$"):
            core.fast.precompiled_cuda_kernel(name="copy", compiled_source=b"", inputs=[core.ones(1)], output_shapes=[(1,)],
                                              output_dtypes=[core.float32], scalars=[1], grid=(1, 1, 1), threadgroup=(1, 1, 1))


def test_memory_that_groups_share_is_declared_in_the_source():
    with pytest.raises(NotImplementedError, match="TN_SHARED float"):
        tenon.fast.cuda_kernel("tiles", ["x"], ["y"], "", shared_memory=1024)


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
