// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Attributes of operations from Python's values.

#include <string.h>

#include "operation.h"

// --- types of signatures

static const struct {
  const char* name;
  tn_dtype_t dtype;
} types[] = {{"bool", TN_DTYPE_PRED},    {"int8_t", TN_DTYPE_S8},    {"int16_t", TN_DTYPE_S16},
             {"int32_t", TN_DTYPE_S32},  {"int64_t", TN_DTYPE_S64},  {"uint8_t", TN_DTYPE_U8},
             {"uint16_t", TN_DTYPE_U16}, {"uint32_t", TN_DTYPE_U32}, {"uint64_t", TN_DTYPE_U64},
             {"float", TN_DTYPE_F32},    {"double", TN_DTYPE_F64}};

// The dtype of "float", or of the elements of "array(float)"; INVALID for other types.
static tn_dtype_t dtype_of_type(const char* type) {
  if (!type) return TN_DTYPE_INVALID;
  const char* open = strchr(type, '(');
  const char* name = open ? open + 1 : type;
  const size_t length = strcspn(name, ")");
  for (size_t i = 0; i < sizeof types / sizeof *types; ++i) {
    if (strlen(types[i].name) == length && strncmp(types[i].name, name, length) == 0) {
      return types[i].dtype;
    }
  }
  return TN_DTYPE_INVALID;
}

// --- values

static bool from_text(PyObject* object, tn_attribute_t* out_attribute) {
  Py_ssize_t size = 0;
  char* bytes = NULL;
  if (PyBytes_Check(object)) {
    if (PyBytes_AsStringAndSize(object, &bytes, &size) < 0) return false;
    out_attribute->data = bytes;
  } else {
    out_attribute->data = PyUnicode_AsUTF8AndSize(object, &size);
  }
  out_attribute->kind = TN_ATTRIBUTE_STRING;
  out_attribute->count = (size_t)size;
  return out_attribute->data != NULL;
}

static bool from_integer(PyObject* object, const char* type, tn_attribute_t* out_attribute) {
  PyObject* index = PyNumber_Index(object);
  if (!index) return false;
  int overflow = 0;
  int64_t value = PyLong_AsLongLongAndOverflow(index, &overflow);
  if (overflow > 0) value = (int64_t)PyLong_AsUnsignedLongLong(index);
  Py_DECREF(index);
  if (PyErr_Occurred()) return false;
  if (overflow < 0) {
    PyErr_Format(PyExc_OverflowError, "%R does not fit into 64 bits", object);
    return false;
  }
  const bool is_bool = type && strcmp(type, "bool") == 0 && (value == 0 || value == 1);
  out_attribute->kind = is_bool ? TN_ATTRIBUTE_BOOL : TN_ATTRIBUTE_INTEGER;
  out_attribute->dtype = is_bool ? TN_DTYPE_INVALID : overflow ? TN_DTYPE_U64 : TN_DTYPE_S64;
  out_attribute->integer = value;
  return true;
}

static bool from_real(PyObject* object, tn_attribute_t* out_attribute) {
  out_attribute->kind = TN_ATTRIBUTE_FLOAT;
  out_attribute->dtype = TN_DTYPE_F64;
  out_attribute->real = PyFloat_AsDouble(object);
  return out_attribute->real != -1 || !PyErr_Occurred();
}

static bool evaluate(tn_array_t* array) {
  tn_status_t status = TN_OK;
  Py_BEGIN_ALLOW_THREADS;
  status = core_evaluate(1, &array);
  Py_END_ALLOW_THREADS;
  return core_check(status);
}

static bool from_array(core_call_t* call, core_pool_t* pool, const char* type, PyObject* object,
                       tn_attribute_t* out_attribute) {
  tn_array_t* array = NULL;
  if (!core_convert_to(call, object, dtype_of_type(type), &array)) return false;
  if (!evaluate(array)) return false;
  const size_t byte_size = tn_array_byte_size(array);
  void* data = core_allocate(pool, byte_size, 1);
  if (!data || !core_check(tn_array_to_host(array, data, byte_size))) return false;
  out_attribute->kind = TN_ATTRIBUTE_ARRAY;
  out_attribute->dtype = tn_array_dtype(array);
  out_attribute->data = data;
  out_attribute->count = (size_t)tn_array_size(array);
  return true;
}

// As an array does that has dimensions.
static bool has_length(PyObject* object) {
  const bool is_sized = PyObject_Size(object) >= 0;
  PyErr_Clear();
  return is_sized;
}

// A scalar of NumPy keeps its dtype; *has_dtype is false for other objects.
static bool from_scalar(core_call_t* call, PyObject* object, bool* has_dtype,
                        tn_attribute_t* out_attribute) {
  PyObject* dtype_object = PyObject_GetAttrString(object, "dtype");
  PyErr_Clear();
  *has_dtype = dtype_object && PyNumber_Check(object) && !has_length(object);
  tn_dtype_t dtype = TN_DTYPE_INVALID;
  const bool is_dtype = *has_dtype && core_dtype_from(dtype_object, &dtype);
  Py_XDECREF(dtype_object);
  if (!*has_dtype) return true;
  tn_array_t* array = NULL;
  if (!is_dtype || !core_convert_to(call, object, dtype, &array) || !evaluate(array)) return false;
  const tn_kind_t kind = tn_dtype_kind(dtype);
  out_attribute->dtype = dtype;
  if (kind & TN_KIND_FLOAT) {
    out_attribute->kind = TN_ATTRIBUTE_FLOAT;
    return core_check(tn_array_item(array, &out_attribute->real));
  }
  out_attribute->kind = kind == TN_KIND_BOOL ? TN_ATTRIBUTE_BOOL : TN_ATTRIBUTE_INTEGER;
  return core_check(tn_array_item_as(array, TN_DTYPE_S64, &out_attribute->integer));
}

static bool from_dict(core_call_t* call, core_pool_t* pool, PyObject* object,
                      tn_attribute_t* out_attribute) {
  PyObject* dict = core_frozen(object);
  if (!core_keep(pool, dict)) return false;  // with its texts
  const size_t count = (size_t)PyDict_Size(dict);
  tn_attribute_t* entries = core_allocate(pool, count, sizeof *entries);
  if (!entries) return false;
  Py_ssize_t at = 0;
  PyObject *key = NULL, *value = NULL;
  for (size_t i = 0; i < count && PyDict_Next(dict, &at, &key, &value); ++i) {
    const char* name = PyUnicode_AsUTF8AndSize(key, NULL);
    if (!name || !core_attribute_from(call, pool, name, NULL, value, &entries[i])) return false;
  }
  out_attribute->kind = TN_ATTRIBUTE_DICTIONARY;
  out_attribute->entries = entries;
  out_attribute->count = count;
  return true;
}

bool core_attribute_from(core_call_t* call, core_pool_t* pool, const char* name, const char* type,
                         PyObject* object, tn_attribute_t* out_attribute) {
  *out_attribute = (tn_attribute_t){.name = name};
  const bool is_list = type && *type == 'a' && strncmp(type, "array(", strlen("array(")) == 0;
  if (PyFloat_CheckExact(object) && !is_list) return from_real(object, out_attribute);
  if (PyUnicode_Check(object) || PyBytes_Check(object)) return from_text(object, out_attribute);
  if (PyBool_Check(object)) {
    out_attribute->kind = TN_ATTRIBUTE_BOOL;
    out_attribute->integer = object == Py_True;
    return true;
  }
  if (is_list) return from_array(call, pool, type, object, out_attribute);
  if (PyLong_CheckExact(object)) return from_integer(object, type, out_attribute);
  bool has_dtype = false;
  if (!from_scalar(call, object, &has_dtype, out_attribute)) return false;
  if (has_dtype) return true;
  if (PyFloat_Check(object)) return from_real(object, out_attribute);
  if (core_is_integer(object)) {
    return from_integer(object, type, out_attribute);
  }
  if (PyDict_Check(object)) return from_dict(call, pool, object, out_attribute);
  return from_array(call, pool, type, object, out_attribute);
}
