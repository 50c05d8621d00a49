// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// .npz and safetensors files, which the library reads and writes: here are the bytes of files that
// are Python's, and dicts.
#include <string.h>
#include <tenon/npy.h>

#include "file.h"

// --- reading

// The bytes of a file from where it is now: it may be one in another.
typedef struct source {
  const core_file_t* handle;
  int64_t begin;
} source_t;

// Called with the GIL, since it is not given up while an archive is read.
static tn_status_t read_bytes(void* user, uint64_t offset, void* data, size_t length) {
  const source_t* source = user;
  PyObject* moved = PyObject_CallMethod(source->handle->file, "seek", "L",
                                        (long long)(source->begin + (int64_t)offset));
  Py_XDECREF(moved);
  if (moved && core_file_read(source->handle, data, length)) return TN_OK;
  return tn_status_create(TN_CODE_DATA_LOSS, "the file cannot be read");
}

static int64_t call_for_number(PyObject* result) {
  const int64_t number = result ? PyLong_AsLongLong(result) : -1;
  Py_XDECREF(result);
  return number;
}

static bool find_extent(source_t* source, uint64_t* out_byte_size) {
  PyObject* file = source->handle->file;
  source->begin = call_for_number(PyObject_CallMethod(file, "tell", NULL));
  if (source->begin < 0) return false;
  const int64_t end = call_for_number(PyObject_CallMethod(file, "seek", "ii", 0, 2));
  if (end < source->begin && !PyErr_Occurred()) {
    PyErr_Format(PyExc_ValueError, "%U: the file has no size", source->handle->name);
  }
  *out_byte_size = (uint64_t)(end - source->begin);
  return !PyErr_Occurred();
}

// mlx.core has no dtype for F8_E4M3, and gives its codes, which from_fp8 takes. Takes the buffer.
static tn_status_t take_codes(tn_buffer_t** buffer) {
  tn_buffer_t* from = *buffer;
  const void* data = NULL;
  if (tn_buffer_dtype(from) != TN_DTYPE_F8E4M3FN) return TN_OK;
  *buffer = NULL;
  tn_status_t status = tn_buffer_map(from, &data);
  if (!status) {
    status =
        tn_buffer_create_from_host(core_cpu(), TN_DTYPE_U8, tn_buffer_rank(from),
                                   tn_buffer_dims(from), data, tn_buffer_byte_size(from), buffer);
    tn_buffer_unmap(from);
  }
  tn_buffer_release(from);
  return status;
}

// A name that is not UTF-8, as zip files may have, keeps its bytes as the file system's names do.
static PyObject* decode_name(const char* name) {
  return PyUnicode_DecodeUTF8(name, (Py_ssize_t)strlen(name), "surrogateescape");
}

static bool add_reason(PyObject* reasons, PyObject* name, tn_status_t status) {
  PyObject* reason = PyUnicode_FromString(tn_status_message(status));
  const bool is_added = reason && PyDict_SetItem(reasons, name, reason) == 0;
  Py_XDECREF(reason);
  tn_status_release(status);
  return is_added;
}

// Adds one array, or why it cannot be one.
static bool add_array(core_call_t* call, tn_archive_t* archive, size_t index, PyObject* arrays,
                      PyObject* reasons) {
  tn_buffer_t* buffer = NULL;
  PyObject* name = decode_name(tn_archive_name(archive, index));
  if (!name) return false;
  tn_status_t status = tn_archive_read(archive, index, core_cpu(), NULL, &buffer);
  if (!status) status = take_codes(&buffer);
  bool is_added = false;
  if (tn_status_code(status) == TN_CODE_UNIMPLEMENTED) {
    is_added = add_reason(reasons, name, status);
  } else if (core_check(status)) {
    PyObject* array = core_file_array(call, buffer);
    is_added = array && PyDict_SetItem(arrays, name, array) == 0;
    Py_XDECREF(array);
  }
  Py_DECREF(name);
  return is_added;
}

// A dict that says so where one of them is asked for.
static PyObject* with_reasons(PyObject* arrays, PyObject* reasons) {
  PyObject* arguments = PyTuple_Pack(2, arrays, reasons);
  PyObject* result =
      arguments ? core_call_python("tenon.archive", "PartialArrays", arguments, NULL) : NULL;
  Py_XDECREF(arguments);
  Py_DECREF(arrays);
  return result;
}

static PyObject* read_arrays(core_call_t* call, tn_archive_t* archive) {
  PyObject *arrays = PyDict_New(), *reasons = PyDict_New();
  bool is_read = arrays && reasons;
  for (size_t i = 0; is_read && i < tn_archive_count(archive); ++i) {
    is_read = add_array(call, archive, i, arrays, reasons);
  }
  if (!is_read) Py_CLEAR(arrays);
  if (arrays && PyDict_Size(reasons)) arrays = with_reasons(arrays, reasons);
  Py_XDECREF(reasons);
  return arrays;
}

static PyObject* read_metadata(const tn_archive_t* archive) {
  const char *key = NULL, *value = NULL;
  PyObject* metadata = PyDict_New();
  for (size_t i = 0; metadata && tn_archive_metadata(archive, i, &key, &value); ++i) {
    PyObject* text = PyUnicode_FromString(value);
    if (!text || PyDict_SetItemString(metadata, key, text) < 0) Py_CLEAR(metadata);
    Py_XDECREF(text);
  }
  return metadata;
}

PyObject* core_archive_load(core_call_t* call, const core_file_t* handle, const char* format,
                            PyObject** out_metadata) {
  source_t from = {.handle = handle};
  tn_byte_source_t source = {.read = read_bytes, .user = &from};
  tn_archive_t* archive = NULL;
  *out_metadata = NULL;
  const char* name = PyUnicode_AsUTF8AndSize(handle->name, NULL);
  if (!name || !find_extent(&from, &source.byte_size)) return NULL;
  if (!core_check(tn_archive_open_source(name, format, &source, &archive))) return NULL;
  PyObject* arrays = read_arrays(call, archive);
  *out_metadata = arrays ? read_metadata(archive) : NULL;
  if (!*out_metadata) Py_CLEAR(arrays);
  tn_archive_close(archive);
  return arrays;
}

// --- writing safetensors

// Names and texts are views of the dicts' strings, which `kept` has.
typedef struct content {
  size_t count, text_count;
  const char **names, **keys, **values;
  tn_buffer_t** buffers;
  PyObject* kept;
} content_t;

static void free_content(content_t* content) {
  for (size_t i = 0; i < content->count; ++i) tn_buffer_release(content->buffers[i]);
  PyMem_Free(content->names);
  PyMem_Free(content->keys);
  PyMem_Free(content->values);
  PyMem_Free(content->buffers);
  Py_XDECREF(content->kept);
}

static void* allocate_list(PyObject* dict) {
  void* list = PyMem_Calloc((size_t)PyDict_Size(dict) + 1, sizeof(void*));
  if (!list) PyErr_NoMemory();
  return list;
}

static bool check_texts(PyObject* dict) {
  Py_ssize_t at = 0;
  PyObject *key = NULL, *value = NULL;
  bool is_text = PyDict_Check(dict);
  while (is_text && PyDict_Next(dict, &at, &key, &value)) {
    is_text = PyUnicode_Check(key) && PyUnicode_Check(value);
  }
  if (is_text) return true;
  PyErr_SetString(PyExc_ValueError,
                  "[save_safetensors] Metadata must be a dictionary with string keys and values");
  return false;
}

// A string without NULs, which are the end of C's.
static const char* text_of(PyObject* string) {
  Py_ssize_t length = 0;
  const char* text = PyUnicode_AsUTF8AndSize(string, &length);
  if (!text || strlen(text) == (size_t)length) return text;
  PyErr_Format(PyExc_ValueError, "[save_safetensors] %R has a null character", string);
  return NULL;
}

static bool collect_texts(content_t* content, PyObject* metadata) {
  Py_ssize_t at = 0;
  PyObject *key = NULL, *value = NULL;
  content->keys = allocate_list(metadata);
  content->values = content->keys ? allocate_list(metadata) : NULL;
  bool is_done = content->values != NULL;
  while (is_done && PyDict_Next(metadata, &at, &key, &value)) {
    const char* text = text_of(key);
    content->keys[content->text_count] = text;
    content->values[content->text_count] = text ? text_of(value) : NULL;
    is_done = content->values[content->text_count++] != NULL;
  }
  return is_done;
}

static bool collect_arrays(content_t* content, PyObject* arrays) {
  Py_ssize_t at = 0;
  PyObject *key = NULL, *value = NULL;
  content->names = allocate_list(arrays);
  content->buffers = content->names ? allocate_list(arrays) : NULL;
  bool is_done = content->buffers != NULL;
  while (is_done && PyDict_Next(arrays, &at, &key, &value)) {
    if (!PyUnicode_Check(key) || PyUnicode_CompareWithASCIIString(key, "__metadata__") == 0) {
      PyErr_Format(PyExc_TypeError, "[save_safetensors] %R cannot be the name of an array", key);
      return false;
    }
    content->names[content->count] = text_of(key);
    tn_buffer_t* buffer = content->names[content->count] ? core_file_buffer(value) : NULL;
    if (buffer) content->buffers[content->count++] = buffer;
    is_done = buffer != NULL;
  }
  return is_done;
}

static tn_status_t write_part(void* user, const char* bytes, size_t length) {
  return core_file_write(user, bytes, length)
             ? TN_OK
             : tn_status_create(TN_CODE_DATA_LOSS, "the file cannot be written");
}

static PyObject* save(PyObject* file, const content_t* content) {
  core_file_t handle;
  if (!core_file_open("save_safetensors", file, "wb", ".safetensors", &handle)) return NULL;
  core_check(tn_safetensors_encode(content->count, content->names, content->buffers,
                                   content->text_count, content->keys, content->values, write_part,
                                   handle.file));
  return core_file_close(&handle) ? Py_NewRef(Py_None) : NULL;
}

// The dicts are copied first: conversion may call anything.
PyObject* core_safetensors_save(PyObject* module, PyObject* arguments, PyObject* keywords) {
  static char* names[] = {"file", "arrays", "metadata", NULL};
  PyObject *file = NULL, *arrays = NULL, *metadata = Py_None;
  (void)module;
  if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "OO!|O:save_safetensors", names, &file,
                                   &PyDict_Type, &arrays, &metadata)) {
    return NULL;
  }
  content_t content = {.kept = PyTuple_New(2)};
  PyObject* array_copy = content.kept ? PyDict_Copy(arrays) : NULL;
  if (array_copy) PyTuple_SetItem(content.kept, 0, array_copy);
  PyObject* text_copy =
      array_copy ? metadata == Py_None ? PyDict_New() : core_frozen(metadata) : NULL;
  if (text_copy) PyTuple_SetItem(content.kept, 1, text_copy);
  const bool is_collected = text_copy && check_texts(text_copy) &&
                            collect_texts(&content, text_copy) &&
                            collect_arrays(&content, array_copy);
  PyObject* result = is_collected ? save(file, &content) : NULL;
  free_content(&content);
  return result;
}
