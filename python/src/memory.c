// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// The memory of the default device, and the modules metal and cuda.

#include <string.h>

#include "device.h"

static tn_device_t* device(void) {
  return core_used_device(core_thread_slot())->device;
}

static tn_memory_statistics_t statistics(void) {
  tn_memory_statistics_t now = {.struct_size = sizeof now};
  tn_device_memory_statistics(device(), &now);
  return now;
}

#define NUMBER(function, member)                                  \
  static PyObject* function(PyObject* module, PyObject* unused) { \
    (void)module;                                                 \
    (void)unused;                                                 \
    return PyLong_FromUnsignedLongLong(statistics().member);      \
  }
NUMBER(get_active_memory, in_use_byte_size)
NUMBER(get_peak_memory, peak_byte_size)
NUMBER(get_cache_memory, cached_byte_size)
NUMBER(get_memory_limit, limit_byte_size)

static PyObject* reset_peak_memory(PyObject* module, PyObject* unused) {
  (void)module;
  (void)unused;
  tn_device_reset_peak(device());
  return Py_NewRef(Py_None);
}

static PyObject* clear_cache(PyObject* module, PyObject* unused) {
  (void)module;
  (void)unused;
  Py_BEGIN_ALLOW_THREADS;
  tn_device_trim(device(), 0);
  Py_END_ALLOW_THREADS;
  return Py_NewRef(Py_None);
}

static bool to_bytes(PyObject* limit, unsigned long long* out_byte_size) {
  PyObject* number = PyNumber_Index(limit);
  if (!number) return false;
  *out_byte_size = PyLong_AsUnsignedLongLong(number);
  Py_DECREF(number);
  if (!PyErr_Occurred()) return true;
  PyErr_Format(PyExc_TypeError, "expected a number of bytes; found %R", limit);
  return false;
}

// The limit that there was.
static PyObject* set_memory_limit(PyObject* limit) {
  unsigned long long byte_size = 0;
  if (!to_bytes(limit, &byte_size)) return NULL;
  const uint64_t before = statistics().limit_byte_size;
  tn_device_set_memory_limit(device(), byte_size);
  return PyLong_FromUnsignedLongLong(before);
}
CORE_ONE(set_memory_limit, "limit")

static PyObject* set_cache_limit(PyObject* limit) {
  unsigned long long byte_size = 0;
  if (!to_bytes(limit, &byte_size)) return NULL;
  const uint64_t before = statistics().cache_limit_byte_size;
  tn_device_set_cache_limit(device(), byte_size);
  return PyLong_FromUnsignedLongLong(before);
}
CORE_ONE(set_cache_limit, "limit")

// No memory is wired.
static PyObject* set_wired_limit(PyObject* limit) {
  unsigned long long byte_size = 0;
  return to_bytes(limit, &byte_size) ? PyLong_FromLong(0) : NULL;
}
CORE_ONE(set_wired_limit, "limit")

static PyMethodDef functions[] = {
    {"get_active_memory", get_active_memory, METH_NOARGS,
     "get_active_memory()\n--\n\nThe bytes that arrays of the default device take."},
    {"get_peak_memory", get_peak_memory, METH_NOARGS,
     "get_peak_memory()\n--\n\nThe most bytes in use at a time since the start, or since "
     "reset_peak_memory."},
    {"reset_peak_memory", reset_peak_memory, METH_NOARGS,
     "reset_peak_memory()\n--\n\nMakes the bytes in use the most that have been in use."},
    {"get_cache_memory", get_cache_memory, METH_NOARGS,
     "get_cache_memory()\n--\n\nThe bytes that no array takes, kept for the next ones."},
    CORE_ONE_METHOD(
        set_memory_limit,
        "set_memory_limit(limit)\n--\n\nSets the most bytes that arrays may take (0: any number), "
        "and returns the limit before. What needs more raises MemoryError."),
    {"get_memory_limit", get_memory_limit, METH_NOARGS,
     "get_memory_limit()\n--\n\nThe most bytes that arrays may take; 0: any number."},
    CORE_ONE_METHOD(
        set_cache_limit,
        "set_cache_limit(limit)\n--\n\nSets the most bytes that are kept for the next arrays, and "
        "returns the limit before."),
    CORE_ONE_METHOD(
        set_wired_limit,
        "set_wired_limit(limit)\n--\n\nDoes nothing, and returns 0: no memory is wired."),
    {"clear_cache", clear_cache, METH_NOARGS,
     "clear_cache()\n--\n\nReturns memory that no array takes to the system."},
    {NULL, NULL, 0, NULL},
};

// --- the modules metal and cuda

static bool note_platform(void* user, const tn_device_info_t* info) {
  const char** platform = user;
  if (strcmp(info->platform, *platform) != 0) return true;
  *platform = NULL;
  return false;
}

// `self` is the platform's name.
static PyObject* is_platform_available(PyObject* self, PyObject* unused) {
  const char* platform = PyUnicode_AsUTF8AndSize(self, NULL);
  tn_status_t status = TN_OK;
  (void)unused;
  if (!platform) return NULL;
  Py_BEGIN_ALLOW_THREADS;
  status = tn_device_enumerate(note_platform, &platform);
  Py_END_ALLOW_THREADS;
  return core_check(status) ? PyBool_FromLong(!platform) : NULL;
}

static PyMethodDef availability = {"is_available", is_platform_available, METH_NOARGS,
                                   "is_available()\n--\n\nWhether there is a device of this kind."};

static bool add_platform(PyObject* core, const char* name, const char* platform) {
  char full[64];
  snprintf(full, sizeof full, "tenon.core.%s", name);
  PyObject* module = PyImport_AddModule(full);  // borrowed
  PyObject* self = PyUnicode_FromString(platform);
  PyObject* function = self ? PyCFunction_NewEx(&availability, self, NULL) : NULL;
  const bool is_added =
      module && function &&
      PyModule_SetDocString(module,
                            strcmp(name, "metal") == 0
                                ? "Apple's GPUs, and earlier names of functions of tenon.core."
                                : "Devices of CUDA.") == 0 &&
      PyModule_AddObjectRef(core, name, module) == 0 &&
      PyModule_AddObjectRef(module, "is_available", function) == 0;
  Py_XDECREF(function);
  Py_XDECREF(self);
  return is_added;
}

// --- earlier names in the module metal, which mlx.core keeps

// `self` is the function of tenon.core.
static PyObject* call_current(PyObject* self, PyObject* arguments, PyObject* keywords) {
  PyObject* name = PyObject_GetAttrString(self, "__name__");
  const bool is_warned =
      name && PyErr_WarnFormat(PyExc_DeprecationWarning, 1,
                               "metal.%U is deprecated: use tenon.core.%U", name, name) == 0;
  Py_XDECREF(name);
  return is_warned ? PyObject_Call(self, arguments, keywords) : NULL;
}

#define DEPRECATED(name, parameters)                                                \
  {                                                                                 \
#name, (PyCFunction)(void (*)(void))call_current, METH_VARARGS | METH_KEYWORDS, \
        #name "(" parameters ")\n--\n\nDeprecated: tenon.core." #name "."           \
  }
static PyMethodDef deprecated[] = {
    DEPRECATED(get_active_memory, ""),    DEPRECATED(get_peak_memory, ""),
    DEPRECATED(reset_peak_memory, ""),    DEPRECATED(get_cache_memory, ""),
    DEPRECATED(clear_cache, ""),          DEPRECATED(set_memory_limit, "limit"),
    DEPRECATED(device_info, ""),          DEPRECATED(set_cache_limit, "limit"),
    DEPRECATED(set_wired_limit, "limit"),
};

static bool add_deprecated(PyObject* core, PyObject* metal) {
  bool is_added = true;
  for (size_t i = 0; is_added && i < sizeof deprecated / sizeof *deprecated; ++i) {
    PyObject* current = PyObject_GetAttrString(core, deprecated[i].ml_name);
    PyObject* function = current ? PyCFunction_NewEx(&deprecated[i], current, NULL) : NULL;
    is_added = function && PyModule_AddObjectRef(metal, deprecated[i].ml_name, function) == 0;
    Py_XDECREF(function);
    Py_XDECREF(current);
  }
  return is_added;
}

// Without Metal there is nothing to capture.
static PyObject* start_capture(PyObject* path) {
  PyObject* bytes = NULL;
  if (!PyUnicode_FSConverter(path, &bytes)) return NULL;
  Py_DECREF(bytes);
  return Py_NewRef(Py_None);
}
CORE_ONE(start_capture, "path")

static PyObject* stop_capture(PyObject* module, PyObject* unused) {
  (void)module;
  (void)unused;
  return Py_NewRef(Py_None);
}

static PyMethodDef captures[] = {
    CORE_ONE_METHOD(start_capture,
                    "start_capture(path)\n--\n\nDoes nothing: captures are those of Metal. See "
                    "tenon.profile."),
    {"stop_capture", stop_capture, METH_NOARGS, "stop_capture()\n--\n\nDoes nothing."},
    {NULL, NULL, 0, NULL},
};

bool core_add_memory(PyObject* module) {
  if (PyModule_AddFunctions(module, functions) < 0 || !add_platform(module, "metal", "Metal") ||
      !add_platform(module, "cuda", "CUDA")) {
    return false;
  }
  PyObject* metal = PyObject_GetAttrString(module, "metal");
  const bool is_added =
      metal && add_deprecated(module, metal) && PyModule_AddFunctions(metal, captures) == 0;
  Py_XDECREF(metal);
  return is_added;
}
