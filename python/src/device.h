// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Devices and the streams of threads.
//
// A device is known by its type and its number among those of its type, as in mlx.core. Devices
// that have been used have a slot, which is theirs until the process ends.
#ifndef TENON_PYTHON_DEVICE_H_
#define TENON_PYTHON_DEVICE_H_

#include "core.h"

enum { CORE_DEVICE_LIMIT = 16, CORE_DEVICE_NAME_SIZE = 64 };

typedef enum core_kind { CORE_CPU, CORE_GPU } core_kind_t;

typedef struct core_place {
  core_kind_t kind;
  int index;
} core_place_t;

// A Device of Python.
typedef struct core_device {
  PyObject_HEAD core_place_t place;
} core_device_t;

typedef struct core_used_device {
  core_place_t place;
  tn_device_t* device;
  tn_stream_t* stream;  // for calls that name only the device; NULL: the thread that evaluates
  int64_t number;       // of that stream
} core_used_device_t;

// A function of one argument, which may be given by its name: `function` has it.
#define CORE_ONE(function, parameter)                                                           \
  static PyObject* call_##function(PyObject* module, PyObject* arguments, PyObject* keywords) { \
    static char* names[] = {parameter, NULL};                                                   \
    PyObject* object = NULL;                                                                    \
    (void)module;                                                                               \
    return PyArg_ParseTupleAndKeywords(arguments, keywords, "O:" #function, names, &object)     \
               ? function(object)                                                               \
               : NULL;                                                                          \
  }
#define CORE_ONE_METHOD(function, doc) \
  { #function, (PyCFunction)(void (*)(void))call_##function, METH_VARARGS | METH_KEYWORDS, doc }

// --- device.c

PyObject* core_device_object(core_place_t place);
bool core_is_device(PyObject* object);  // or a type of devices
// TypeError for what is neither.
bool core_place_from(const char* function, PyObject* object, core_place_t* out_place);
// The slot of a device, which is created. ValueError if the machine does not have it.
bool core_slot_of(const char* function, core_place_t place, int* out_slot);
const core_used_device_t* core_used_device(int slot);
int core_process_slot(void);  // of the default device

// --- stream.c

int64_t core_next_stream_number(void);
int core_thread_slot(void);  // of the default device of this thread

#endif  // TENON_PYTHON_DEVICE_H_
