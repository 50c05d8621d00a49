// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Numbers and nested sequences of Python to arrays, and back.

#include <stdatomic.h>
#include <string.h>

#include "core.h"

// --- elements

static bool store_integer(tn_dtype_t dtype, PyObject* number, void* element) {
  int overflow = 0;
  int64_t value = PyLong_AsLongLongAndOverflow(number, &overflow);
  if (value == -1 && PyErr_Occurred()) return false;
  const uint32_t bits = tn_dtype_bit_width(dtype);
  const bool is_signed = tn_dtype_kind(dtype) == TN_KIND_SIGNED;
  if (overflow > 0 && !is_signed && bits == 64) {
    const uint64_t large = PyLong_AsUnsignedLongLong(number);
    overflow = PyErr_Occurred() != NULL;
    PyErr_Clear();
    value = (int64_t)large;
  } else if (!overflow && bits < 64) {
    const int64_t limit = (int64_t)1 << (is_signed ? bits - 1 : bits);
    overflow = value >= limit || value < (is_signed ? -limit : -(limit / 2));
  }
  if (overflow) {
    PyErr_Format(PyExc_ValueError, "Converting %S to %s would result in overflow.", number,
                 tn_dtype_numpy_name(dtype));
    return false;
  }
  memcpy(element, &value, tn_dtype_byte_size(dtype));  // little-endian
  return true;
}

static bool store_complex(tn_dtype_t dtype, PyObject* number, void* element) {
  const double real = PyComplex_RealAsDouble(number), imaginary = PyComplex_ImagAsDouble(number);
  if (PyErr_Occurred()) return false;
  if (dtype == TN_DTYPE_C128) {
    memcpy(element, (double[]){real, imaginary}, 2 * sizeof real);
  } else {
    memcpy(element, (float[]){(float)real, (float)imaginary}, 2 * sizeof(float));
  }
  return true;
}

// Stores a number of Python; NumPy's scalars have the methods of numbers.
static bool store(tn_dtype_t dtype, PyObject* number, void* element) {
  const tn_kind_t kind = tn_dtype_kind(dtype);
  if (kind == TN_KIND_BOOL) {
    const int is_true = PyObject_IsTrue(number);
    *(bool*)element = is_true > 0;
    return is_true >= 0;
  }
  if (kind & TN_KIND_INTEGER && PyLong_Check(number)) return store_integer(dtype, number, element);
  if (kind == TN_KIND_COMPLEX) return store_complex(dtype, number, element);
  const double value =
      PyComplex_Check(number) ? PyComplex_RealAsDouble(number) : PyFloat_AsDouble(number);
  if (value == -1 && PyErr_Occurred()) return false;
  tn_dtype_store(dtype, value, element);
  return true;
}

static PyObject* load_integer(tn_dtype_t dtype, const void* element) {
  const uint32_t bits = tn_dtype_bit_width(dtype);
  if (bits < 8) return PyLong_FromDouble(tn_dtype_load(dtype, element));
  uint64_t value = 0;
  memcpy(&value, element, tn_dtype_byte_size(dtype));
  if (tn_dtype_kind(dtype) == TN_KIND_UNSIGNED) return PyLong_FromUnsignedLongLong(value);
  const uint64_t sign = (uint64_t)1 << (bits - 1);
  return PyLong_FromLongLong((int64_t)((value ^ sign) - sign));
}

PyObject* core_element(tn_dtype_t dtype, const void* element) {
  switch (tn_dtype_kind(dtype)) {
    case TN_KIND_BOOL: return PyBool_FromLong(*(const bool*)element);
    case TN_KIND_SIGNED:
    case TN_KIND_UNSIGNED: return load_integer(dtype, element);
    case TN_KIND_COMPLEX: {
      const tn_dtype_t part = dtype == TN_DTYPE_C128 ? TN_DTYPE_F64 : TN_DTYPE_F32;
      const char* parts = element;
      return PyComplex_FromDoubles(tn_dtype_load(part, parts),
                                   tn_dtype_load(part, parts + tn_dtype_byte_size(part)));
    }
    default: return PyFloat_FromDouble(tn_dtype_load(dtype, element));
  }
}

// --- numbers

bool core_is_number(PyObject* object) {
  return PyFloat_Check(object) || PyLong_Check(object) || PyComplex_Check(object);
}

// Without an import of NumPy: before that there are no scalars of it.
static PyObject* find_numpy_scalars(void) {
  PyObject* name = PyUnicode_FromString("numpy");
  PyObject* numpy = name ? PyImport_GetModule(name) : NULL;
  PyObject* type = numpy ? PyObject_GetAttrString(numpy, "generic") : NULL;
  Py_XDECREF(numpy);
  Py_XDECREF(name);
  PyErr_Clear();
  return type;
}

static bool is_numpy_scalar(PyObject* object) {
  static PyObject* _Atomic known;  // as long as the process
  if (core_is_array(object) || PyFloat_Check(object) || PyLong_Check(object)) return false;
  PyObject* generic = atomic_load_explicit(&known, memory_order_acquire);
  if (!generic) {
    generic = find_numpy_scalars();
    atomic_store_explicit(&known, generic, memory_order_release);
  }
  return generic && PyType_Check(generic) && PyObject_TypeCheck(object, (PyTypeObject*)generic);
}

bool core_is_scalar(PyObject* object) {
  return core_is_number(object) || is_numpy_scalar(object);
}

bool core_is_integer(PyObject* object) {
  if (PyLong_Check(object)) return true;
  if (!PyIndex_Check(object)) return false;
  const bool has_length = PyObject_Size(object) >= 0;
  if (!has_length) PyErr_Clear();
  return !has_length;
}

static bool fits_in_int32(PyObject* number) {
  int overflow = 0;
  const int64_t value = PyLong_AsLongLongAndOverflow(number, &overflow);
  return !overflow && value >= INT32_MIN && value <= INT32_MAX;
}

// The dtype of a number by itself.
static tn_dtype_t dtype_of(PyObject* number) {
  if (PyBool_Check(number)) return TN_DTYPE_PRED;
  if (PyLong_Check(number)) return fits_in_int32(number) ? TN_DTYPE_S32 : TN_DTYPE_S64;
  return PyComplex_Check(number) ? TN_DTYPE_C64 : TN_DTYPE_F32;
}

tn_dtype_t core_dtype_beside(PyObject* number, tn_dtype_t like) {
  if (like == TN_DTYPE_INVALID) return dtype_of(number);
  const tn_kind_t kind = tn_dtype_kind(like);
  if (PyBool_Check(number)) return like;
  if (PyLong_Check(number)) return kind == TN_KIND_BOOL ? dtype_of(number) : like;
  if (PyComplex_Check(number)) {
    return like == TN_DTYPE_C128 || like == TN_DTYPE_F64 ? TN_DTYPE_C128 : TN_DTYPE_C64;
  }
  return kind & TN_KIND_FLOAT ? like : TN_DTYPE_F32;
}

static bool convert_number(core_call_t* call, PyObject* number, tn_dtype_t dtype,
                           tn_array_t** out_array) {
  _Alignas(16) char element[16];
  if (!store(dtype, number, element)) return false;
  *out_array = tn_array_scalar_of(call->scope, dtype, element);
  return true;
}

// --- nested sequences

typedef struct nest {
  size_t rank;
  int64_t dims[TN_MAX_RANK];
  tn_dtype_t dtype;  // of all numbers; INVALID: there are none
} nest_t;

static bool is_sequence(PyObject* object) {
  return PyList_Check(object) || PyTuple_Check(object);
}

static Py_ssize_t size_of(PyObject* sequence) {
  return PyList_Check(sequence) ? PyList_Size(sequence) : PyTuple_Size(sequence);
}

static PyObject* item_of(PyObject* sequence, Py_ssize_t i) {
  return PyList_Check(sequence) ? PyList_GetItem(sequence, i) : PyTuple_GetItem(sequence, i);
}

static tn_dtype_t wider(tn_dtype_t a, tn_dtype_t b) {
  return a == TN_DTYPE_INVALID ? b : tn_promote_types(a, b);
}

static bool fail(const char* message) {
  PyErr_SetString(PyExc_ValueError, message);
  return false;
}

// The shape along the first elements.
static bool measure_shape(PyObject* sequence, nest_t* nest) {
  while (is_sequence(sequence)) {
    if (nest->rank == TN_MAX_RANK) return fail("too many nested sequences");
    const Py_ssize_t size = size_of(sequence);
    nest->dims[nest->rank++] = size;
    if (!size) break;
    sequence = item_of(sequence, 0);
  }
  return true;
}

// Whether all parts have that shape, and what dtype all numbers have.
static bool measure_numbers(PyObject* object, size_t depth, nest_t* nest) {
  if (!is_sequence(object)) {
    if (depth != nest->rank) return fail("Initialization encountered non-uniform length.");
    nest->dtype = wider(nest->dtype, dtype_of(object));
    return true;
  }
  if (depth == nest->rank || size_of(object) != nest->dims[depth]) {
    return fail("Initialization encountered non-uniform length.");
  }
  for (Py_ssize_t i = 0; i < nest->dims[depth]; ++i) {
    PyObject* item = item_of(object, i);
    if (!item || !measure_numbers(item, depth + 1, nest)) return false;
  }
  return true;
}

// Whether there is anything but numbers, which must be like an array.
static bool look_for_arrays(PyObject* object, bool* has_arrays) {
  if (core_is_number(object)) return true;
  if (!is_sequence(object)) {
    *has_arrays = true;
    return core_is_like_array(object) ||
           core_raise_type(PyExc_ValueError, "Invalid type %U received in array initialization.",
                           object);
  }
  if (Py_EnterRecursiveCall(" in a nested sequence")) return false;
  bool is_done = true;
  const Py_ssize_t size = size_of(object);
  for (Py_ssize_t i = 0; is_done && i < size; ++i) {
    PyObject* item = item_of(object, i);
    is_done = item && look_for_arrays(item, has_arrays);
  }
  Py_LeaveRecursiveCall();
  return is_done;
}

static bool store_elements(PyObject* object, size_t depth, const nest_t* nest, tn_dtype_t dtype,
                           char** at) {
  if (depth == nest->rank) {
    const bool is_stored = store(dtype, object, *at);
    *at += tn_dtype_byte_size(dtype);
    return is_stored;
  }
  for (Py_ssize_t i = 0; i < nest->dims[depth]; ++i) {
    PyObject* item = item_of(object, i);
    if (!item || !store_elements(item, depth + 1, nest, dtype, at)) return false;
  }
  return true;
}

static bool convert_numbers(core_call_t* call, PyObject* sequence, const nest_t* nest,
                            tn_dtype_t dtype, tn_array_t** out_array) {
  size_t byte_size = tn_dtype_byte_size(dtype);
  for (size_t i = 0; i < nest->rank; ++i) byte_size *= (size_t)nest->dims[i];
  char* data = PyMem_Malloc(byte_size ? byte_size : 1);
  if (!data) {
    PyErr_NoMemory();
    return false;
  }
  char* at = data;
  const bool is_stored = store_elements(sequence, 0, nest, dtype, &at);
  if (is_stored) {
    *out_array = tn_array_from_host(call->scope, dtype, nest->rank, nest->dims, data, byte_size);
  }
  PyMem_Free(data);
  return is_stored;
}

static bool have_same_shape(const tn_array_t* a, const tn_array_t* b) {
  const size_t rank = tn_array_rank(a);
  return rank == tn_array_rank(b) &&
         (!rank || memcmp(tn_array_dims(a), tn_array_dims(b), rank * sizeof(int64_t)) == 0);
}

// Tuples with arrays in them are stacked.
static bool stack_parts(core_call_t* call, PyObject* sequence, tn_dtype_t dtype,
                        tn_array_t** out_array) {
  const Py_ssize_t count = size_of(sequence);
  tn_array_t** parts = PyMem_Calloc((size_t)count, sizeof *parts);
  if (!parts) {
    PyErr_NoMemory();
    return false;
  }
  bool is_done = true;
  for (Py_ssize_t i = 0; i < count && is_done; ++i) {
    PyObject* item = item_of(sequence, i);
    is_done = item && core_convert_to(call, item, dtype, &parts[i]);
  }
  for (Py_ssize_t i = 1; i < count && is_done; ++i) {
    is_done = have_same_shape(parts[0], parts[i]) ||
              fail("Initialization encountered non-uniform length.");
  }
  if (is_done) *out_array = tn_array_stack(call->scope, (size_t)count, parts, 0);
  PyMem_Free(parts);
  return is_done;
}

// Their conversion may call code of Python, which may change the sequence.
static bool convert_parts(core_call_t* call, PyObject* sequence, tn_dtype_t dtype,
                          tn_array_t** out_array) {
  PyObject* parts = PySequence_Tuple(sequence);
  const bool is_done = parts && stack_parts(call, parts, dtype, out_array);
  Py_XDECREF(parts);
  return is_done;
}

static bool convert_frozen(core_call_t* call, PyObject* sequence, tn_dtype_t dtype,
                           tn_array_t** out_array) {
  bool has_arrays = false;
  nest_t nest = {0};
  if (!look_for_arrays(sequence, &has_arrays)) return false;
  if (has_arrays) return convert_parts(call, sequence, dtype, out_array);
  if (!measure_shape(sequence, &nest) || !measure_numbers(sequence, 0, &nest)) return false;
  if (dtype == TN_DTYPE_INVALID) dtype = nest.dtype ? nest.dtype : TN_DTYPE_F32;
  return convert_numbers(call, sequence, &nest, dtype, out_array);
}

#ifdef Py_GIL_DISABLED
// Nested tuples for lists, which other threads may change between two looks at them. A new
// reference.
static PyObject* freeze(PyObject* object) {
  if (!PyList_Check(object) && !PyTuple_Check(object)) return Py_NewRef(object);
  if (Py_EnterRecursiveCall(" in a nested sequence")) return NULL;
  PyObject* given = PySequence_Tuple(object);
  const Py_ssize_t size = given ? PyTuple_Size(given) : 0;
  PyObject* frozen = given ? PyTuple_New(size) : NULL;
  for (Py_ssize_t i = 0; frozen && i < size; ++i) {
    PyObject* item = freeze(PyTuple_GetItem(given, i));
    if (!item || PyTuple_SetItem(frozen, i, item) < 0) Py_CLEAR(frozen);
  }
  Py_XDECREF(given);
  Py_LeaveRecursiveCall();
  return frozen;
}
#else
static PyObject* freeze(PyObject* object) {
  return Py_NewRef(object);
}
#endif

static bool convert_sequence(core_call_t* call, PyObject* sequence, tn_dtype_t dtype,
                             tn_array_t** out_array) {
  PyObject* frozen = freeze(sequence);
  const bool is_done = frozen && convert_frozen(call, frozen, dtype, out_array);
  Py_XDECREF(frozen);
  return is_done;
}

// --- anything

bool core_is_like_array(PyObject* object) {
  static const char* const protocols[] = {"__dlpack__", "__array__", "__array_interface__"};
  if (core_is_array(object) || core_is_number(object) || is_sequence(object) ||
      PyObject_CheckBuffer(object)) {
    return !PyType_Check(object);
  }
  for (size_t i = 0; i < sizeof protocols / sizeof *protocols; ++i) {
    if (PyObject_HasAttrString(object, protocols[i])) return !PyType_Check(object);
  }
  return false;
}

// A scalar of NumPy beside an array counts as a number of Python.
static bool convert_scalar(core_call_t* call, PyObject* scalar, tn_dtype_t like,
                           tn_array_t** out_array) {
  PyObject* number = PyObject_CallMethod(scalar, "item", NULL);
  if (!number) return false;
  const bool is_done =
      core_is_number(number)
          ? convert_number(call, number, core_dtype_beside(number, like), out_array)
          : core_import_as(call, scalar, TN_DTYPE_INVALID, CORE_COPY, out_array);
  Py_DECREF(number);
  return is_done;
}

bool core_convert(core_call_t* call, PyObject* object, tn_dtype_t like, tn_array_t** out_array) {
  if (core_is_array(object)) {
    *out_array = core_array_hold(call, object);
    return true;
  }
  if (like != TN_DTYPE_INVALID && is_numpy_scalar(object)) {
    return convert_scalar(call, object, like, out_array);
  }
  if (core_is_number(object)) {
    return convert_number(call, object, core_dtype_beside(object, like), out_array);
  }
  return core_convert_to(call, object, TN_DTYPE_INVALID, out_array);
}

bool core_convert_to(core_call_t* call, PyObject* object, tn_dtype_t dtype,
                     tn_array_t** out_array) {
  if (core_is_array(object)) {
    tn_array_t* array = core_array_hold(call, object);
    *out_array = dtype ? tn_array_astype(call->scope, array, dtype) : array;
    return true;
  }
  if (core_is_number(object)) {
    return convert_number(call, object, dtype ? dtype : dtype_of(object), out_array);
  }
  if (is_sequence(object)) return convert_sequence(call, object, dtype, out_array);
  return core_import_as(call, object, dtype, CORE_COPY, out_array);
}

// --- to lists

static PyObject* to_list(const tn_mapped_array_t* view, size_t axis, const char* data) {
  if (axis == view->rank) return core_element(view->dtype, data);
  const int64_t size = view->dims[axis];
  const ptrdiff_t step =
      (ptrdiff_t)view->strides[axis] * (ptrdiff_t)tn_dtype_byte_size(view->dtype);
  PyObject* list = PyList_New(size);
  for (int64_t i = 0; list && i < size; ++i) {
    PyObject* item = to_list(view, axis + 1, data + i * step);
    if (!item) {
      Py_DECREF(list);
      return NULL;
    }
    PyList_SetItem(list, i, item);
  }
  return list;
}

PyObject* core_to_list(tn_array_t* array) {
  tn_mapped_array_t view;
  tn_status_t status = TN_OK;
  Py_BEGIN_ALLOW_THREADS;
  status = core_map(array, &view);
  Py_END_ALLOW_THREADS;
  if (!core_check(status)) return NULL;
  PyObject* list = to_list(&view, 0, view.data);
  tn_array_unmap(array);
  return list;
}
