# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""Every public function of mlx.core has one of Tenon's, or a reason why it has none."""

import ctypes
import os

import pytest

mx = pytest.importorskip("mlx.core", reason="mlx is not installed")

from support import BUILD

LIBRARY = ctypes.CDLL(os.environ.get("TENON_SHARED_LIBRARY", BUILD / "src" / "libtenon.so"))
MODULES = {"": mx, "fast.": mx.fast, "fft.": mx.fft, "linalg.": mx.linalg, "random.": mx.random}
# How functions of a module are called by their own names.
PREFIXES = {"": "tn_array_", "fast.": "tn_array_", "fft.": "tn_array_", "linalg.": "tn_array_linalg_",
            "random.": "tn_array_random_"}
# Aliases of MLX's own, and names that C has otherwise.
NAMES = {
    "acos": "tn_array_arccos", "acosh": "tn_array_arccosh", "asin": "tn_array_arcsin", "asinh": "tn_array_arcsinh",
    "atan": "tn_array_arctan", "atan2": "tn_array_arctan2", "atanh": "tn_array_arctanh", "concat": "tn_array_concatenate",
    "conj": "tn_array_conjugate", "pow": "tn_array_power", "permute_dims": "tn_array_transpose",
    "bitwise_left_shift": "tn_array_left_shift", "bitwise_right_shift": "tn_array_right_shift",
    "cumulative_prod": "tn_array_cumprod", "cumulative_sum": "tn_array_cumsum", "matrix_norm": "tn_array_linalg_norm",
    "slice": "tn_array_slice_at", "slice_update": "tn_array_slice_update_at", "asarray": "tn_array_from_host",
    "array": "tn_array_from_host", "load": "tn_npy_read", "save": "tn_npy_write",
    "can_cast": "tn_can_cast", "isdtype": "tn_isdtype", "result_type": "tn_result_type", "issubdtype": "tn_issubdtype",
    "broadcast_shapes": "tn_broadcast_shapes",
    "eval": "tn_array_eval", "async_eval": "tn_array_async_eval", "synchronize": "tn_scope_synchronize",
    "grad": "tn_grad", "value_and_grad": "tn_value_and_grad", "jvp": "tn_jvp", "vjp": "tn_vjp", "vmap": "tn_vmap",
    "compile": "tn_closure_compile", "checkpoint": "tn_checkpoint", "custom_function": "tn_custom_function_call",
    "stop_gradient": "tn_array_stop_gradient", "export_function": "tn_export_function", "exporter": "tn_export_functions",
    "import_function": "tn_import_function", "export_to_dot": "tn_program_print", "clear_cache": "tn_scope_clear_cache",
    "new_stream": "tn_stream_create", "new_thread_local_stream": "tn_stream_create",
    "new_thread_unsafe_stream": "tn_stream_create", "default_stream": "tn_scope_stream",
    "set_default_stream": "tn_scope_set_stream", "stream": "tn_scope_set_stream", "default_device": "tn_scope_device",
    "set_default_device": "tn_scope_create", "device_info": "tn_device_name",
    "random.permutation": "tn_array_random_permute", "random.seed": "tn_random_seed",
    "linalg.lu_factor": "tn_array_linalg_lu_factor",
}
QUANTIZED = "quantised weights are a format of MLX's own"
MEMORY = "allocators are the caller's (<tenon/detail/allocator.h>); there is no pool behind his back"
DEVICES = "devices are opened by name (<tenon/detail/device.h>)"
FILES = "arrays are saved one by one, as .npy"
PYTHON = "of Python alone"
LACKING = {
    "dequantize": QUANTIZED, "gather_qmm": QUANTIZED, "gather_qqmm": QUANTIZED, "qqmm": QUANTIZED, "quantize": QUANTIZED,
    "quantized_matmul": QUANTIZED,
    "clear_streams": "a stream goes with its last reference",
    "device_count": DEVICES, "is_available": DEVICES,
    "disable_compile": "what is not compiled is called", "enable_compile": "what is not compiled is called",
    "from_dlpack": "memory of others becomes a buffer (tn_buffer_import), and that an array (tn_array_from_buffer)",
    "get_active_memory": MEMORY, "get_array_buffer_size": MEMORY, "get_cache_memory": MEMORY, "get_memory_limit": MEMORY,
    "get_peak_memory": MEMORY, "reset_peak_memory": MEMORY, "set_cache_limit": MEMORY, "set_memory_limit": MEMORY,
    "set_wired_limit": MEMORY,
    "get_printoptions": "tn_array_print prints as NumPy does", "set_printoptions": "tn_array_print prints as NumPy does",
    "printoptions": "tn_array_print prints as NumPy does",
    "save_gguf": FILES, "save_safetensors": FILES, "savez": FILES, "savez_compressed": FILES,
    "fast.cuda_kernel": "operations of authors have kernels for every platform (<tenon/operation.h>)",
    "fast.metal_kernel": "operations of authors have kernels for every platform (<tenon/operation.h>)",
    "fast.precompiled_cuda_kernel": "operations of authors have kernels for every platform (<tenon/operation.h>)",
}


def functions():
    for prefix, module in MODULES.items():
        for name in dir(module):
            value = getattr(module, name)
            # Types and modules are no functions; those that make something are among the names above.
            if name.startswith("_") or not callable(value) or isinstance(value, type):
                continue
            if not isinstance(value, (mx.Dtype, mx.DeviceType)):
                yield prefix, name


def covered(prefix, name):
    symbol = NAMES.get(prefix + name, PREFIXES[prefix] + name)
    return hasattr(LIBRARY, symbol)


def test_every_function_is_covered_or_has_a_reason():
    found = list(functions())
    assert len(found) > 290
    missing = [prefix + name for prefix, name in found if not covered(prefix, name) and prefix + name not in LACKING]
    assert not missing, f"neither covered nor in LACKING: {missing}"


def test_reasons_are_given_for_what_is_lacking_alone():
    found = {prefix + name for prefix, name in functions()}
    assert not [name for name in LACKING if name not in found], "MLX has no such function"
    assert not [name for name in LACKING if covered(*("fast.", name[5:]) if name.startswith("fast.") else ("", name))]
    assert not [name for name in NAMES if name not in found and not isinstance(getattr(mx, name, None), type)]
