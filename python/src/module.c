// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// The module tenon.core.

#include <math.h>
#include <tenon/version.h>

#include "core.h"
#include "operation.h"

static bool add_constants(PyObject* module) {
  static const struct {
    const char* name;
    double value;
  } constants[] = {{"pi", 3.14159265358979323846},
                   {"e", 2.71828182845904523536},
                   {"euler_gamma", 0.57721566490153286061},
                   {"inf", INFINITY},
                   {"nan", NAN}};
  for (size_t i = 0; i < sizeof constants / sizeof *constants; ++i) {
    PyObject* value = PyFloat_FromDouble(constants[i].value);
    const bool is_added = value && PyModule_AddObjectRef(module, constants[i].name, value) == 0;
    Py_XDECREF(value);
    if (!is_added) return false;
  }
  return PyModule_AddObjectRef(module, "newaxis", Py_None) == 0 &&
         PyModule_AddStringConstant(module, "__array_api_version__", "2024.12") == 0 &&
         PyModule_AddStringConstant(module, "__version__", tn_version_string()) == 0;
}

static PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "tenon.core",
    .m_doc = "Lazy arrays and the functions on them, with the names of mlx.core.",
    .m_size = -1,
};

// What fills the module, in this order.
static bool (*const parts[])(PyObject* module) = {
    // One a line.
    // clang-format off
    core_add_errors,
    core_prepare_functions,
    core_add_dtypes,
    core_add_categories,
    core_add_devices,
    core_add_streams,
    core_add_memory,
    core_add_files,
    core_add_interpreter,
    core_add_array,
    core_add_indexing,
    core_add_import,
    core_add_exchange,
    core_add_namespace,
    core_add_named,
    core_add_functions,
    core_add_random,
    core_add_evaluation,
    core_add_printing,
    core_add_operations,
    core_add_gpu_kernels,
    core_add_programs,
    core_add_exports,
    core_add_profiles,
    core_add_transformed,
    core_add_transforms,
    core_add_compile,
    core_add_custom_function,
    core_add_distributed,
    add_constants,
    // clang-format on
};

// Types, scopes and devices are there once in a process, for its main interpreter.
static bool is_main_interpreter(void) {
  if (PyInterpreterState_GetID(PyInterpreterState_Get()) == 0) return true;
  PyErr_SetString(PyExc_ImportError, "tenon.core cannot be imported in a subinterpreter");
  return false;
}

PyMODINIT_FUNC PyInit_core(void);
PyMODINIT_FUNC PyInit_core(void) {
  PyObject* module = is_main_interpreter() ? PyModule_Create(&definition) : NULL;
  if (!module) return NULL;
#ifdef Py_GIL_DISABLED
  PyUnstable_Module_SetGIL(module, Py_MOD_GIL_NOT_USED);
#endif
  for (size_t i = 0; i < sizeof parts / sizeof *parts; ++i) {
    if (!parts[i](module)) {
      Py_DECREF(module);
      return NULL;
    }
  }
  return module;
}
