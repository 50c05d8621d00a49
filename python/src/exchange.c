// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Arrays as memory for other packages: the buffer protocol, DLPack, __array__.

#include <string.h>
#include <tenon/dlpack.h>

#include "core.h"

// --- formats of the buffer protocol

typedef struct format {
  const char* text;
  tn_dtype_t dtype;
} format_t;

static const format_t formats[] = {
    {"?", TN_DTYPE_PRED}, {"b", TN_DTYPE_S8},  {"B", TN_DTYPE_U8},   {"h", TN_DTYPE_S16},
    {"H", TN_DTYPE_U16},  {"i", TN_DTYPE_S32}, {"I", TN_DTYPE_U32},  {"q", TN_DTYPE_S64},
    {"Q", TN_DTYPE_U64},  {"l", TN_DTYPE_S64}, {"L", TN_DTYPE_U64},  {"e", TN_DTYPE_F16},
    {"f", TN_DTYPE_F32},  {"d", TN_DTYPE_F64}, {"Zf", TN_DTYPE_C64}, {"Zd", TN_DTYPE_C128},
};
enum { FORMAT_COUNT = sizeof formats / sizeof *formats };

tn_dtype_t core_dtype_of_format(const char* text) {
  if (!text) return TN_DTYPE_U8;
  if (*text == '@' || *text == '=' || *text == '<') ++text;
  for (size_t i = 0; i < FORMAT_COUNT; ++i) {
    if (strcmp(text, formats[i].text) == 0) return formats[i].dtype;
  }
  return TN_DTYPE_INVALID;
}

static const char* format_of_dtype(tn_dtype_t dtype) {
  for (size_t i = 0; i < FORMAT_COUNT; ++i) {
    if (formats[i].dtype == dtype) return formats[i].text;
  }
  return NULL;
}

// --- buffers, which are views of the elements

// A tensor of DLPack, which has the same memory and layout.
typedef struct exported {
  tn_dl_versioned_t* loan;  // owned; NULL: none
  Py_ssize_t numbers[2 * TN_MAX_RANK];
} exported_t;

static void fill(Py_buffer* buffer, PyObject* object, exported_t* it, const char* format,
                 const tn_array_t* array) {
  const tn_dl_tensor_t* tensor = &it->loan->tensor;
  const Py_ssize_t item = (Py_ssize_t)tn_dtype_byte_size(tn_array_dtype(array));
  *buffer = (Py_buffer){
      .buf = (char*)tensor->data + tensor->byte_offset,
      .obj = Py_NewRef(object),
      .len = (Py_ssize_t)tn_array_byte_size(array),
      .itemsize = item,
      .readonly = 1,
      .ndim = (int)tensor->rank,
      .format = (char*)(uintptr_t)format,
      .shape = it->numbers,
      .strides = it->numbers + TN_MAX_RANK,
      .internal = it,
  };
  for (int32_t i = 0; i < tensor->rank; ++i) {
    buffer->shape[i] = (Py_ssize_t)tensor->dims[i];
    buffer->strides[i] = (Py_ssize_t)tensor->strides[i] * item;
  }
}

// What a consumer asks for decides what it needs not look at.
static bool suits(Py_buffer* buffer, int flags) {
  const bool has_strides = (flags & PyBUF_STRIDES) == PyBUF_STRIDES;
  char order = has_strides ? 0 : 'C';
  if ((flags & PyBUF_C_CONTIGUOUS) == PyBUF_C_CONTIGUOUS) order = 'C';
  if ((flags & PyBUF_F_CONTIGUOUS) == PyBUF_F_CONTIGUOUS) order = 'F';
  if ((flags & PyBUF_ANY_CONTIGUOUS) == PyBUF_ANY_CONTIGUOUS) order = 'A';
  if (order && !PyBuffer_IsContiguous(buffer, order)) return false;
  if ((flags & PyBUF_FORMAT) != PyBUF_FORMAT) buffer->format = NULL;
  if (!has_strides) buffer->strides = NULL;
  if ((flags & PyBUF_ND) != PyBUF_ND) buffer->shape = NULL;
  return true;
}

static void release(exported_t* it) {
  if (it->loan) it->loan->deleter(it->loan);
  PyMem_Free(it);
}

// NumPy goes on to __array__ after any error of a buffer: Ctrl-C is raised there again.
static _Thread_local tn_array_t* interrupted;  // retained; NULL: none

static void note_interrupt(tn_array_t* array) {
  if (PyErr_ExceptionMatches(PyExc_KeyboardInterrupt)) tn_array_assign(&interrupted, array);
}

static bool was_interrupted(PyObject* object) {
  if (!interrupted) return false;
  tn_array_t* array = core_array_borrow(object);
  const bool was = interrupted == array;
  core_array_return(array);
  tn_array_assign(&interrupted, NULL);
  if (was) PyErr_SetNone(PyExc_KeyboardInterrupt);
  return was;
}

static int export_elements(PyObject* object, tn_array_t* array, const char* format,
                           Py_buffer* buffer, int flags) {
  tn_status_t status = TN_OK;
  exported_t* it = PyMem_Calloc(1, sizeof *it);
  if (!it) {
    PyErr_NoMemory();
    return -1;
  }
  Py_BEGIN_ALLOW_THREADS;
  status = core_evaluate(1, &array);
  if (!status) status = tn_array_to_dlpack_versioned(array, &it->loan);
  Py_END_ALLOW_THREADS;
  if (!core_check(status)) {
    note_interrupt(array);
    release(it);
    return -1;
  }
  if (interrupted == array) tn_array_assign(&interrupted, NULL);
  fill(buffer, object, it, format, array);
  if (suits(buffer, flags)) return 0;
  PyErr_SetString(PyExc_BufferError, "the array is not contiguous as it is asked for");
  release(it);
  Py_CLEAR(buffer->obj);
  return -1;
}

static int get_buffer(PyObject* object, tn_array_t* array, Py_buffer* buffer, int flags) {
  const char* format = format_of_dtype(tn_array_dtype(array));
  buffer->obj = NULL;
  if (flags & PyBUF_WRITABLE) {
    PyErr_SetString(PyExc_BufferError, "arrays are read-only");
    return -1;
  }
  if (!format) {
    PyErr_Format(PyExc_BufferError, "elements of the dtype %s have no buffer format",
                 tn_dtype_numpy_name(tn_array_dtype(array)));
    return -1;
  }
  return export_elements(object, array, format, buffer, flags);
}

int core_get_buffer(PyObject* object, Py_buffer* buffer, int flags) {
  tn_array_t* array = core_array_take(object);
  const int result = get_buffer(object, array, buffer, flags);
  tn_array_release(array);
  return result;
}

void core_release_buffer(PyObject* object, Py_buffer* buffer) {
  (void)object;
  release(buffer->internal);
}

// --- DLPack

static void drop_tensor(PyObject* capsule) {
  if (!PyCapsule_IsValid(capsule, "dltensor")) return;  // consumed
  tn_dl_managed_t* tensor = PyCapsule_GetPointer(capsule, "dltensor");
  if (tensor && tensor->deleter) tensor->deleter(tensor);
}

static void drop_versioned(PyObject* capsule) {
  if (!PyCapsule_IsValid(capsule, "dltensor_versioned")) return;
  tn_dl_versioned_t* tensor = PyCapsule_GetPointer(capsule, "dltensor_versioned");
  if (tensor && tensor->deleter) tensor->deleter(tensor);
}

static PyObject* to_tensor(tn_array_t* array) {
  tn_dl_managed_t* tensor = NULL;
  tn_status_t status = TN_OK;
  Py_BEGIN_ALLOW_THREADS;
  status = core_evaluate(1, &array);
  if (!status) status = tn_array_to_dlpack(array, &tensor);
  Py_END_ALLOW_THREADS;
  if (!core_check(status)) return NULL;
  PyObject* capsule = PyCapsule_New(tensor, "dltensor", drop_tensor);
  if (!capsule && tensor && tensor->deleter) tensor->deleter(tensor);
  return capsule;
}

// A copy is its consumer's alone, who may write it.
static PyObject* to_versioned(tn_array_t* array, bool is_copy) {
  tn_dl_versioned_t* tensor = NULL;
  tn_status_t status = TN_OK;
  Py_BEGIN_ALLOW_THREADS;
  status = core_evaluate(1, &array);
  if (!status) status = tn_array_to_dlpack_versioned(array, &tensor);
  Py_END_ALLOW_THREADS;
  if (!core_check(status)) return NULL;
  if (is_copy && tensor)
    tensor->flags = (tensor->flags | TN_DL_IS_COPIED) & ~(uint64_t)TN_DL_READ_ONLY;
  PyObject* capsule = PyCapsule_New(tensor, "dltensor_versioned", drop_versioned);
  if (!capsule && tensor && tensor->deleter) tensor->deleter(tensor);
  return capsule;
}

// An array in memory of its own, a new reference.
static tn_array_t* copy_of(tn_array_t* array) {
  core_call_t call;
  void* data = NULL;
  tn_buffer_t* buffer = NULL;
  if (!core_begin(&call, NULL)) return NULL;
  tn_status_t status = TN_OK;
  tn_array_t* copy = NULL;
  Py_BEGIN_ALLOW_THREADS;
  status = core_evaluate(1, &array);
  if (!status)
    status = tn_buffer_create(core_cpu(), tn_array_dtype(array), tn_array_rank(array),
                              tn_array_dims(array), &data, &buffer);
  if (!status) status = tn_array_to_host(array, data, tn_array_byte_size(array));
  Py_END_ALLOW_THREADS;
  if (core_check(status)) copy = tn_array_retain(tn_array_from_buffer(call.scope, buffer));
  tn_buffer_release(buffer);
  core_end(&call);
  return copy;
}

typedef struct request {
  PyObject* stream;  // the elements are there when the call returns
  PyObject* max_version;
  PyObject* device;
  PyObject* copy;
} request_t;

// Elements are lent in the memory of the CPU.
static bool is_for_cpu(PyObject* device) {
  int type = 1, number = 0;
  if (device == Py_None) return true;
  PyObject* pair = PySequence_Tuple(device);
  const bool is_read = pair && PyArg_ParseTuple(pair, "ii:__dlpack__", &type, &number);
  Py_XDECREF(pair);
  if (is_read && (type != 1 || number != 0)) {
    PyErr_Format(PyExc_BufferError,
                 "elements are exported in the memory of the CPU (1, 0); found the device (%d, %d)",
                 type, number);
  }
  return is_read && type == 1 && number == 0;
}

static bool is_versioned(PyObject* max_version, bool* out_is_versioned) {
  int major = 0, minor = 0;
  *out_is_versioned = false;
  if (max_version == Py_None) return true;
  PyObject* pair = PySequence_Tuple(max_version);
  const bool is_read = pair && PyArg_ParseTuple(pair, "ii:__dlpack__", &major, &minor);
  Py_XDECREF(pair);
  *out_is_versioned = major >= 1;
  return is_read;
}

static PyObject* to_capsule(tn_array_t* array, const request_t* request) {
  bool has_version = false;
  if (!is_for_cpu(request->device) || !is_versioned(request->max_version, &has_version)) {
    return NULL;
  }
  const int is_copy = request->copy == Py_None ? 0 : PyObject_IsTrue(request->copy);
  if (is_copy < 0) return NULL;
  tn_array_t* source = is_copy ? copy_of(array) : tn_array_retain(array);
  if (!source) return NULL;
  PyObject* capsule = has_version ? to_versioned(source, is_copy) : to_tensor(source);
  tn_array_release(source);
  return capsule;
}

PyObject* core_to_dlpack(PyObject* self, PyObject* arguments, PyObject* keywords) {
  static char* names[] = {"stream", "max_version", "dl_device", "copy", NULL};
  request_t request = {Py_None, Py_None, Py_None, Py_None};
  if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "|$OOOO:__dlpack__", names, &request.stream,
                                   &request.max_version, &request.device, &request.copy)) {
    return NULL;
  }
  tn_array_t* array = core_array_take(self);
  PyObject* capsule = to_capsule(array, &request);
  tn_array_release(array);
  return capsule;
}

PyObject* core_dlpack_device(PyObject* self, PyObject* unused) {
  (void)self;
  (void)unused;
  return Py_BuildValue("(ii)", 1, 0);
}

static PyObject* to_bytes(tn_array_t* array) {
  const size_t byte_size = tn_array_byte_size(array);
  PyObject* bytes = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)byte_size);
  if (!bytes) return NULL;
  char* data = PyBytes_AsString(bytes);
  tn_status_t status = TN_OK;
  Py_BEGIN_ALLOW_THREADS;
  status = core_evaluate(1, &array);
  if (!status) status = tn_array_to_host(array, data, byte_size);
  Py_END_ALLOW_THREADS;
  if (!core_check(status)) Py_CLEAR(bytes);
  return bytes;
}

PyObject* core_to_bytes(PyObject* self, PyObject* unused) {
  (void)unused;
  tn_array_t* array = core_array_take(self);
  PyObject* bytes = to_bytes(array);
  tn_array_release(array);
  return bytes;
}

// --- NumPy

// The elements of an array as numbers of their size, for dtypes without a buffer format.
static PyTypeObject* bits_type;

static void bits_dealloc(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  tn_array_release(((core_array_t*)self)->value);
  PyObject_Free(self);
  Py_DECREF(type);
}

static int bits_get_buffer(PyObject* object, Py_buffer* buffer, int flags) {
  tn_array_t* array = ((core_array_t*)object)->value;  // which never changes
  buffer->obj = NULL;
  return export_elements(object, array, tn_dtype_byte_size(tn_array_dtype(array)) == 1 ? "B" : "H",
                         buffer, flags);
}

static PyType_Slot bits_slots[] = {
    CORE_SLOT(Py_tp_dealloc, bits_dealloc),
    CORE_SLOT(Py_bf_getbuffer, bits_get_buffer),
    CORE_SLOT(Py_bf_releasebuffer, core_release_buffer),
    {0, NULL},
};
static PyType_Spec bits_spec = {
    .name = "tenon.core._Bits",
    .basicsize = sizeof(core_array_t),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = bits_slots,
};

static PyObject* bits_of(tn_array_t* array) {
  core_array_t* object = PyObject_New(core_array_t, bits_type);
  if (object) object->value = tn_array_retain(array);
  return (PyObject*)object;
}

// With a dtype of ml_dtypes.
static PyObject* to_foreign(PyObject* numpy, tn_array_t* array) {
  PyObject* package = PyImport_ImportModule("ml_dtypes");
  PyObject* dtype =
      package ? PyObject_GetAttrString(package, tn_dtype_numpy_name(tn_array_dtype(array))) : NULL;
  PyObject* bits = dtype ? bits_of(array) : NULL;
  PyObject* numbers = bits ? PyObject_CallMethod(numpy, "asarray", "O", bits) : NULL;
  PyObject* result = numbers ? PyObject_CallMethod(numbers, "view", "O", dtype) : NULL;
  Py_XDECREF(numbers);
  Py_XDECREF(bits);
  Py_XDECREF(dtype);
  Py_XDECREF(package);
  return result;
}

static PyObject* view_of(PyObject* numpy, PyObject* self) {
  tn_array_t* array = core_array_take(self);
  const bool has_format = format_of_dtype(tn_array_dtype(array)) != NULL;
  PyObject* foreign = has_format ? NULL : to_foreign(numpy, array);
  tn_array_release(array);
  if (!has_format) return foreign;
  PyObject* memory = PyMemoryView_FromObject(self);
  PyObject* view = memory ? PyObject_CallMethod(numpy, "asarray", "O", memory) : NULL;
  Py_XDECREF(memory);
  return view;
}

// Takes `view`.
static PyObject* convert_view(PyObject* numpy, PyObject* view, PyObject* dtype, PyObject* copy) {
  const int is_copy = copy == Py_None ? 0 : PyObject_IsTrue(copy);
  PyObject* wanted =
      is_copy < 0 || dtype == Py_None ? NULL : PyObject_CallMethod(numpy, "dtype", "O", dtype);
  PyObject* theirs = wanted ? PyObject_GetAttrString(view, "dtype") : NULL;
  const int is_other = theirs ? PyObject_RichCompareBool(theirs, wanted, Py_NE) : 0;
  PyObject* result = NULL;
  if (PyErr_Occurred()) {
    // the exception is set
  } else if (is_other && copy != Py_None && !is_copy) {
    PyErr_SetString(PyExc_ValueError,
                    "Unable to avoid copy while creating an array as requested: the dtypes differ");
  } else if (is_other) {
    result = PyObject_CallMethod(view, "astype", "O", wanted);
  } else {
    result = is_copy ? PyObject_CallMethod(view, "copy", NULL) : Py_NewRef(view);
  }
  Py_XDECREF(theirs);
  Py_XDECREF(wanted);
  Py_DECREF(view);
  return result;
}

PyObject* core_to_numpy(PyObject* self, PyObject* arguments, PyObject* keywords) {
  static char* names[] = {"dtype", "copy", NULL};
  PyObject *dtype = Py_None, *copy = Py_None;
  if (was_interrupted(self)) return NULL;
  if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "|OO:__array__", names, &dtype, &copy)) {
    return NULL;
  }
  PyObject* numpy = PyImport_ImportModule("numpy");
  PyObject* view = numpy ? view_of(numpy, self) : NULL;
  PyObject* result = view ? convert_view(numpy, view, dtype, copy) : NULL;
  Py_XDECREF(numpy);
  return result;
}

// --- the array API

PyObject* core_namespace(PyObject* self, PyObject* arguments, PyObject* keywords) {
  static char* names[] = {"api_version", NULL};
  PyObject* version = Py_None;
  (void)self;
  if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "|O:__array_namespace__", names,
                                   &version)) {
    return NULL;
  }
  if (version != Py_None) {
    return PyErr_Format(PyExc_ValueError,
                        "__array_namespace__(): no version is told from another; "
                        "expected None, found %R",
                        version);
  }
  return PyImport_ImportModule("tenon.core");
}

// Operators with an array of NumPy on the left are those of the array on the right.
bool core_add_exchange(PyObject* module) {
  (void)module;
  bits_type = (PyTypeObject*)PyType_FromSpec(&bits_spec);
  PyObject* priority = bits_type ? PyLong_FromLong(1000) : NULL;
  const bool is_set = priority && PyObject_SetAttrString((PyObject*)core_array_type,
                                                         "__array_priority__", priority) == 0;
  Py_XDECREF(priority);
  return is_set;
}
