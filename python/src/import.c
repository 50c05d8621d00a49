// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Arrays from memory of other packages: the buffer protocol, DLPack, NumPy's arrays; asarray.

#include <string.h>
#include <tenon/dlpack.h>

#include "core.h"

// What comes of one way to import an object. After NOT_THIS, with an exception set, another is
// tried.
typedef enum outcome { FAILED, DONE, NOT_THIS } outcome_t;

static bool refuse_sharing(void) {
  PyErr_SetString(PyExc_ValueError,
                  "Unable to avoid copy while creating an array as requested: memory is shared if "
                  "its elements are row-major without gaps, of the dtype that is asked for, and "
                  "begin at a multiple of 64 bytes");
  return false;
}

// --- the buffer protocol

// Memory that a buffer of the library uses.
typedef struct lent {
  Py_buffer buffer;
  bool* is_returned;  // where to note it; NULL: nowhere
} lent_t;

static void give_back(lent_t* lent) {
  if (lent->is_returned) *lent->is_returned = true;
  PyBuffer_Release(&lent->buffer);
  PyMem_Free(lent);
}

// On any thread.
static void release_lent(void* user, void* data) {
  PyGILState_STATE state;
  (void)data;
  if (!core_interpreter_enter(&state)) return;  // the process ends
  give_back(user);
  core_interpreter_leave(state);
}

typedef struct layout {
  tn_dtype_t dtype;
  size_t rank;
  int64_t dims[TN_MAX_RANK];
} layout_t;

static bool read_layout(const Py_buffer* buffer, tn_dtype_t dtype, layout_t* layout) {
  layout->dtype = dtype ? dtype : core_dtype_of_format(buffer->format);
  if (!layout->dtype || (size_t)buffer->itemsize != tn_dtype_byte_size(layout->dtype)) {
    PyErr_Format(PyExc_TypeError, "elements of the buffer format '%s' have no dtype",
                 buffer->format ? buffer->format : "B");
    return false;
  }
  if (buffer->ndim > TN_MAX_RANK) {
    PyErr_Format(PyExc_ValueError, "the buffer has %d dimensions; at most %d are supported",
                 buffer->ndim, TN_MAX_RANK);
    return false;
  }
  if (buffer->ndim < 0 || (buffer->ndim > 1 && !buffer->shape)) {
    PyErr_Format(PyExc_BufferError, "the buffer has %d dimensions and no shape", buffer->ndim);
    return false;
  }
  layout->rank = (size_t)buffer->ndim;
  for (int i = 0; i < buffer->ndim; ++i) {
    layout->dims[i] = buffer->shape ? buffer->shape[i] : buffer->len / buffer->itemsize;
  }
  return true;
}

static bool copy_buffer(core_call_t* call, const Py_buffer* buffer, const layout_t* layout,
                        tn_array_t** out_array) {
  const size_t byte_size = (size_t)buffer->len;
  if (PyBuffer_IsContiguous(buffer, 'C')) {
    *out_array = tn_array_from_host(call->scope, layout->dtype, layout->rank, layout->dims,
                                    buffer->buf, byte_size);
    return true;
  }
  void* data = PyMem_Malloc(byte_size ? byte_size : 1);
  if (!data) {
    PyErr_NoMemory();
    return false;
  }
  const bool is_copied = PyBuffer_ToContiguous(data, buffer, buffer->len, 'C') == 0;
  if (is_copied) {
    *out_array =
        tn_array_from_host(call->scope, layout->dtype, layout->rank, layout->dims, data, byte_size);
  }
  PyMem_Free(data);
  return is_copied;
}

static bool add_buffer(core_call_t* call, tn_status_t status, tn_buffer_t* buffer,
                       tn_array_t** out_array) {
  if (!core_check(status)) return false;
  *out_array = tn_array_from_buffer(call->scope, buffer);
  tn_buffer_release(buffer);
  return true;
}

// Takes `lent`. The library says by its release whether the memory was copied.
static bool share_buffer(core_call_t* call, lent_t* lent, const layout_t* layout,
                         core_sharing_t sharing, tn_array_t** out_array) {
  bool is_copied = false;
  tn_buffer_t* buffer = NULL;
  lent->is_returned = &is_copied;
  tn_status_t status =
      tn_buffer_import(tn_scope_device(call->scope), layout->dtype, layout->rank, layout->dims,
                       lent->buffer.buf, (size_t)lent->buffer.len, release_lent, lent, &buffer);
  if (!is_copied) lent->is_returned = NULL;
  if (!status && is_copied && sharing == CORE_SHARE) {
    tn_buffer_release(buffer);
    return refuse_sharing();
  }
  return add_buffer(call, status, buffer, out_array);
}

// NumPy's dates say that they are bytes.
static bool is_described(PyObject* object, const layout_t* layout) {
  tn_dtype_t dtype = TN_DTYPE_U8;
  PyObject* theirs = NULL;
  if (layout->dtype == TN_DTYPE_U8) theirs = PyObject_GetAttrString(object, "dtype");
  const bool is_ours = !theirs || core_dtype_from(theirs, &dtype);
  Py_XDECREF(theirs);
  if (is_ours) PyErr_Clear();
  return is_ours && dtype == TN_DTYPE_U8;
}

// Elements of a dtype, or, if that is INVALID, of the one that the buffer's format says.
static outcome_t import_buffer(core_call_t* call, PyObject* object, tn_dtype_t dtype,
                               core_sharing_t sharing, tn_array_t** out_array) {
  layout_t layout;
  lent_t* lent = PyMem_Calloc(1, sizeof *lent);
  if (!lent) {
    PyErr_NoMemory();
    return FAILED;
  }
  if (PyObject_GetBuffer(object, &lent->buffer, PyBUF_FULL_RO) < 0) {
    PyMem_Free(lent);
    return NOT_THIS;
  }
  outcome_t outcome = NOT_THIS;
  const bool is_dense = PyBuffer_IsContiguous(&lent->buffer, 'C');
  if (read_layout(&lent->buffer, dtype, &layout) && (dtype || is_described(object, &layout))) {
    if (is_dense && sharing != CORE_COPY) {
      return share_buffer(call, lent, &layout, sharing, out_array) ? DONE : FAILED;
    }
    const bool is_done = sharing == CORE_SHARE
                             ? refuse_sharing()
                             : copy_buffer(call, &lent->buffer, &layout, out_array);
    outcome = is_done ? DONE : FAILED;
  }
  give_back(lent);
  return outcome;
}

// --- DLPack

// Objects on devices whose memory the CPU cannot read copy their elements when they are asked to.
static bool is_on_host(PyObject* object, bool* out_is_on_host) {
  enum { CPU = 1, CUDA_HOST = 3, ROCM_HOST = 11 };
  int type = CPU, number = 0;
  *out_is_on_host = true;
  if (!PyObject_HasAttrString(object, "__dlpack_device__")) return true;
  PyObject* place = PyObject_CallMethod(object, "__dlpack_device__", NULL);
  PyObject* kind = place ? PySequence_GetItem(place, 0) : NULL;
  PyObject* index = kind ? PyNumber_Long(kind) : NULL;  // an enumeration in some packages
  if (index) type = (int)PyLong_AsLong(index);
  Py_XDECREF(index);
  Py_XDECREF(kind);
  Py_XDECREF(place);
  (void)number;
  *out_is_on_host = type == CPU || type == CUDA_HOST || type == ROCM_HOST;
  return !PyErr_Occurred();
}

static PyObject* ask(PyObject* method, const char* format, ...) {
  va_list values;
  va_start(values, format);
  PyObject* keywords = Py_VaBuildValue(format, values);
  va_end(values);
  PyObject* none = keywords ? PyTuple_New(0) : NULL;
  PyObject* capsule = none ? PyObject_Call(method, none, keywords) : NULL;
  Py_XDECREF(none);
  Py_XDECREF(keywords);
  return capsule;
}

// Objects from before DLPack 1.0 know no keywords.
static PyObject* ask_for_capsule(PyObject* object, core_sharing_t sharing) {
  bool is_near = false;
  PyObject* method = PyObject_GetAttrString(object, "__dlpack__");
  PyObject* capsule = NULL;
  if (method && is_on_host(object, &is_near)) {
    PyObject* copy = sharing == CORE_COPY ? Py_True : sharing == CORE_SHARE ? Py_False : Py_None;
    capsule = is_near ? ask(method, "{s:(ii),s:O}", "max_version", 1, 1, "copy", copy)
                      : ask(method, "{s:(ii),s:O,s:(ii)}", "max_version", 1, 1, "copy", copy,
                            "dl_device", 1, 0);
    if (!capsule && PyErr_ExceptionMatches(PyExc_TypeError)) {
      PyErr_Clear();
      capsule = PyObject_CallNoArgs(method);
    }
  }
  Py_XDECREF(method);
  return capsule;
}

// What a capsule gives, and where its elements were.
typedef struct taken {
  tn_buffer_t* buffer;
  const void* data;
  bool is_copy;  // made for us
} taken_t;

static const void* data_of(const tn_dl_tensor_t* tensor) {
  return tensor->data ? (const char*)tensor->data + tensor->byte_offset : NULL;
}

// Consumes the capsule.
static bool take_tensor(core_call_t* call, PyObject* capsule, taken_t* taken) {
  tn_device_t* device = tn_scope_device(call->scope);
  if (PyCapsule_IsValid(capsule, "dltensor_versioned")) {
    tn_dl_versioned_t* tensor = PyCapsule_GetPointer(capsule, "dltensor_versioned");
    taken->data = data_of(&tensor->tensor);
    taken->is_copy = tensor->flags & TN_DL_IS_COPIED;
    if (PyCapsule_SetName(capsule, "used_dltensor_versioned") < 0) return false;
    return core_check(tn_buffer_from_dlpack_versioned(device, tensor, &taken->buffer));
  }
  tn_dl_managed_t* tensor = PyCapsule_GetPointer(capsule, "dltensor");
  if (!tensor) return false;
  taken->data = data_of(&tensor->tensor);
  if (PyCapsule_SetName(capsule, "used_dltensor") < 0) return false;
  return core_check(tn_buffer_from_dlpack(device, tensor, &taken->buffer));
}

static bool is_shared(const taken_t* taken) {
  const void* data = NULL;
  tn_status_t status = tn_buffer_map(taken->buffer, &data);
  if (!status) tn_buffer_unmap(taken->buffer);
  tn_status_release(status);
  return data == taken->data;
}

static outcome_t import_dlpack(core_call_t* call, PyObject* object, core_sharing_t sharing,
                               tn_array_t** out_array) {
  taken_t taken = {0};
  PyObject* capsule = ask_for_capsule(object, sharing);
  if (!capsule) return NOT_THIS;
  const bool is_taken = take_tensor(call, capsule, &taken);
  Py_DECREF(capsule);
  if (!is_taken) return FAILED;
  const bool is_lent = is_shared(&taken);
  tn_status_t status = TN_OK;
  if (sharing == CORE_SHARE && !is_lent) {
    tn_buffer_release(taken.buffer);
    refuse_sharing();
    return FAILED;
  }
  if (sharing == CORE_COPY && is_lent && !taken.is_copy) {
    tn_buffer_t* lent = taken.buffer;
    status = tn_buffer_to_device(lent, tn_scope_device(call->scope), NULL, &taken.buffer);
    tn_buffer_release(lent);
  }
  return add_buffer(call, status, taken.buffer, out_array) ? DONE : FAILED;
}

// --- arrays of NumPy with elements that only some of its packages know

// The dtype of an object's `dtype`; INVALID, without an exception, if it has none of ours.
static tn_dtype_t dtype_of(PyObject* object) {
  tn_dtype_t dtype = TN_DTYPE_INVALID;
  PyObject* theirs = PyObject_GetAttrString(object, "dtype");
  if (!theirs || !core_dtype_from(theirs, &dtype)) {
    PyErr_Clear();
    dtype = TN_DTYPE_INVALID;
  }
  Py_XDECREF(theirs);
  return dtype;
}

// With elements in the byte order of the machine.
static PyObject* to_native(PyObject* array) {
  PyObject* dtype = PyObject_GetAttrString(array, "dtype");
  PyObject* is_native = dtype ? PyObject_GetAttrString(dtype, "isnative") : NULL;
  PyObject* native = NULL;
  if (is_native && PyObject_IsTrue(is_native)) {
    native = Py_NewRef(array);
  } else if (is_native) {
    PyObject* ordered = PyObject_CallMethod(dtype, "newbyteorder", "s", "=");
    if (ordered) native = PyObject_CallMethod(array, "astype", "O", ordered);
    Py_XDECREF(ordered);
  }
  Py_XDECREF(is_native);
  Py_XDECREF(dtype);
  return native;
}

static outcome_t import_numpy(core_call_t* call, PyObject* array, core_sharing_t sharing,
                              tn_array_t** out_array) {
  const tn_dtype_t dtype = dtype_of(array);
  if (!dtype) {
    PyObject* theirs = PyObject_GetAttrString(array, "dtype");
    if (theirs) PyErr_Format(PyExc_TypeError, "elements of type %S have no dtype", theirs);
    Py_XDECREF(theirs);
    return FAILED;
  }
  char bits[8];
  snprintf(bits, sizeof bits, "V%d", (int)tn_dtype_byte_size(dtype));
  PyObject* native = to_native(array);
  PyObject* raw = native ? PyObject_CallMethod(native, "view", "s", bits) : NULL;
  const outcome_t outcome = raw ? import_buffer(call, raw, dtype, sharing, out_array) : FAILED;
  Py_XDECREF(raw);
  Py_XDECREF(native);
  return outcome;
}

static outcome_t import_method(core_call_t* call, PyObject* object, core_sharing_t sharing,
                               tn_array_t** out_array) {
  PyObject* array = PyObject_CallMethod(object, "__array__", NULL);
  const outcome_t outcome = array ? import_numpy(call, array, sharing, out_array) : FAILED;
  Py_XDECREF(array);
  return outcome;
}

// By __array_interface__, which pictures of PIL have: NumPy reads it.
static outcome_t import_interface(core_call_t* call, PyObject* object, core_sharing_t sharing,
                                  tn_array_t** out_array) {
  PyObject* numpy = PyImport_ImportModule("numpy");
  PyObject* array = numpy ? PyObject_CallMethod(numpy, "asarray", "O", object) : NULL;
  const outcome_t outcome = array ? import_numpy(call, array, sharing, out_array) : FAILED;
  Py_XDECREF(array);
  Py_XDECREF(numpy);
  return outcome;
}

// --- anything

static outcome_t import_by(int way, core_call_t* call, PyObject* object, core_sharing_t sharing,
                           tn_array_t** out_array) {
  switch (way) {
    case 0: return import_buffer(call, object, TN_DTYPE_INVALID, sharing, out_array);
    case 1: return import_dlpack(call, object, sharing, out_array);
    case 2: return import_method(call, object, sharing, out_array);
    default: return import_interface(call, object, sharing, out_array);
  }
}

static const char* const ways[] = {"", "__dlpack__", "__array__", "__array_interface__"};
enum { WAY_COUNT = sizeof ways / sizeof *ways };

// Whether an object has that way; an exception that is set stays.
static bool has_way(int way, PyObject* object) {
  PyObject *type, *value, *trace;
  if (way == 0) return PyObject_CheckBuffer(object);
  PyErr_Fetch(&type, &value, &trace);
  const bool is_known = PyObject_HasAttrString(object, ways[way]);
  PyErr_Restore(type, value, trace);
  return is_known;
}

bool core_import(core_call_t* call, PyObject* object, core_sharing_t sharing,
                 tn_array_t** out_array) {
  *out_array = NULL;
  for (int way = 0; way < WAY_COUNT; ++way) {
    if (!has_way(way, object)) continue;
    PyErr_Clear();
    const outcome_t outcome = import_by(way, call, object, sharing, out_array);
    if (outcome != NOT_THIS) return outcome == DONE;
  }
  return !PyErr_Occurred();
}

// --- functions

static bool read_sharing(PyObject* copy, core_sharing_t* out_sharing) {
  *out_sharing = CORE_SHARE_OR_COPY;
  if (copy == Py_None) return true;
  const int is_copy = PyObject_IsTrue(copy);
  *out_sharing = is_copy ? CORE_COPY : CORE_SHARE;
  return is_copy >= 0;
}

// The array itself has the elements that an array is made of.
static bool adopt(core_call_t* call, PyObject* array, tn_dtype_t dtype, core_sharing_t sharing,
                  tn_array_t** out_array) {
  tn_array_t* value = core_array_hold(call, array);
  const bool is_same = !dtype || dtype == tn_array_dtype(value);
  if (!is_same && sharing == CORE_SHARE) return refuse_sharing();
  *out_array = is_same ? value : tn_array_astype(call->scope, value, dtype);
  return true;
}

// As mlx.core does: arrays in double precision are asked for by their dtype.
static tn_dtype_t single_precision(tn_dtype_t dtype) {
  if (dtype == TN_DTYPE_F64) return TN_DTYPE_F32;
  return dtype == TN_DTYPE_C128 ? TN_DTYPE_C64 : dtype;
}

bool core_import_as(core_call_t* call, PyObject* object, tn_dtype_t dtype, core_sharing_t sharing,
                    tn_array_t** out_array) {
  tn_array_t* array = NULL;
  if (!core_import(call, object, sharing, &array)) return false;
  if (!array) {
    return core_raise_type(PyExc_TypeError,
                           "expected an array, a number or a sequence of them; found %U", object);
  }
  if (!dtype) dtype = single_precision(tn_array_dtype(array));
  if (dtype == tn_array_dtype(array)) {
    *out_array = array;
    return true;
  }
  if (sharing == CORE_SHARE) return refuse_sharing();
  *out_array = tn_array_astype(call->scope, array, dtype);
  return true;
}

static bool is_memory(PyObject* object) {
  return PyObject_CheckBuffer(object) || PyObject_HasAttrString(object, "__dlpack__") ||
         PyObject_HasAttrString(object, "__array__") ||
         PyObject_HasAttrString(object, "__array_interface__");
}

static bool to_array(core_call_t* call, PyObject* object, tn_dtype_t dtype, core_sharing_t sharing,
                     tn_array_t** out_array) {
  if (core_is_array(object)) return adopt(call, object, dtype, sharing, out_array);
  if (is_memory(object) && !core_is_number(object)) {
    return core_import_as(call, object, dtype, sharing, out_array);
  }
  if (sharing == CORE_SHARE) return refuse_sharing();
  return core_convert_to(call, object, dtype, out_array);
}

// The array on the device that is asked for, which is that of the call.
static PyObject* place_on(core_call_t* call, tn_array_t* array, PyObject* device,
                          core_sharing_t sharing) {
  tn_array_t* there = device == Py_None ? array : core_bring(call, array);
  if (there != array && sharing == CORE_SHARE) {
    refuse_sharing();
    return NULL;
  }
  return core_array_object(there);
}

static PyObject* asarray(PyObject* module, PyObject* arguments, PyObject* keywords) {
  static char* names[] = {"a", "dtype", "copy", "device", NULL};
  PyObject *object = NULL, *dtype_object = Py_None, *copy = Py_None, *device = Py_None;
  tn_dtype_t dtype = TN_DTYPE_INVALID;
  core_sharing_t sharing = CORE_SHARE_OR_COPY;
  tn_array_t* array = NULL;
  core_call_t call;
  (void)module;
  if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O|O$OO:asarray", names, &object,
                                   &dtype_object, &copy, &device) ||
      (dtype_object != Py_None && !core_dtype_from(dtype_object, &dtype)) ||
      !read_sharing(copy, &sharing) || !core_begin(&call, device)) {
    return NULL;
  }
  const bool is_done = to_array(&call, object, dtype, sharing, &array);
  PyObject* result = is_done ? place_on(&call, array, device, sharing) : NULL;
  core_end(&call);
  return result;
}

static PyObject* from_dlpack(PyObject* module, PyObject* arguments, PyObject* keywords) {
  static char* names[] = {"", "copy", "device", NULL};
  PyObject *object = NULL, *copy = Py_None, *device = Py_None;
  core_sharing_t sharing = CORE_SHARE_OR_COPY;
  tn_array_t* array = NULL;
  core_call_t call;
  (void)module;
  if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O|$OO:from_dlpack", names, &object, &copy,
                                   &device) ||
      !read_sharing(copy, &sharing)) {
    return NULL;
  }
  if (PyType_Check(object) || !PyObject_HasAttrString(object, "__dlpack__")) {
    return PyErr_Format(PyExc_TypeError,
                        "from_dlpack(): expected an object with __dlpack__; found %R", object);
  }
  if (!core_begin(&call, device)) return NULL;
  const bool is_done = core_is_array(object)
                           ? adopt(&call, object, TN_DTYPE_INVALID, sharing, &array)
                           : core_import_as(&call, object, TN_DTYPE_INVALID, sharing, &array);
  PyObject* result = is_done ? place_on(&call, array, device, sharing) : NULL;
  core_end(&call);
  return result;
}

static PyMethodDef functions[] = {
    {"asarray", (PyCFunction)(void (*)(void))asarray, METH_VARARGS | METH_KEYWORDS,
     "asarray(a, dtype=None, *, copy=None, device=None)\n--\n\nAn array of a number, a sequence, "
     "or of the "
     "memory of another package's array. The memory is shared if that can be (it must then not be "
     "written), copied if `copy` is true; if it is false, what cannot be shared is a ValueError."},
    {"from_dlpack", (PyCFunction)(void (*)(void))from_dlpack, METH_VARARGS | METH_KEYWORDS,
     "from_dlpack(x, /, *, copy=None, device=None)\n--\n\nAn array of the memory of another "
     "package's array, "
     "which is shared or copied as by `asarray`."},
    {NULL, NULL, 0, NULL},
};

bool core_add_import(PyObject* module) {
  return PyModule_AddFunctions(module, functions) == 0;
}
