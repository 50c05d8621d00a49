// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// safetensors files: the length of a header, the header in JSON, and the elements of the arrays.
// The format: https://huggingface.co/docs/safetensors

#include <string.h>

#include "file.h"

enum { PREFIX = 8, ALIGNMENT = 8, LARGEST_HEADER = 100000000 };

static const struct {
  const char* name;
  tn_dtype_t dtype;
} dtypes[] = {
    {"BOOL", TN_DTYPE_PRED},
    {"U8", TN_DTYPE_U8},
    {"I8", TN_DTYPE_S8},
    {"U16", TN_DTYPE_U16},
    {"I16", TN_DTYPE_S16},
    {"U32", TN_DTYPE_U32},
    {"I32", TN_DTYPE_S32},
    {"U64", TN_DTYPE_U64},
    {"I64", TN_DTYPE_S64},
    {"F16", TN_DTYPE_F16},
    {"BF16", TN_DTYPE_BF16},
    {"F32", TN_DTYPE_F32},
    {"F64", TN_DTYPE_F64},
    {"C64", TN_DTYPE_C64},
    {"F8_E4M3", TN_DTYPE_U8},  // read as codes, which from_fp8 takes
    {"F8_E4M3", TN_DTYPE_F8E4M3FN},
    {"F8_E5M2", TN_DTYPE_F8E5M2},
    {"F8_E8M0", TN_DTYPE_F8E8M0FNU},
};
enum { DTYPE_COUNT = sizeof dtypes / sizeof *dtypes };

// --- the header

// What it says of one array.
typedef struct entry {
  tn_dtype_t dtype;
  size_t rank;
  int64_t dims[TN_MAX_RANK];
  int64_t range[2];  // of its bytes, behind the header
  size_t byte_size;
} entry_t;

static bool refuse(const core_file_t* handle, PyObject* key, const char* what) {
  if (!PyErr_Occurred()) PyErr_Format(PyExc_ValueError, "%U: %U: %s", handle->name, key, what);
  return false;
}

// At most `capacity` numbers of 0 and above.
static bool read_numbers(PyObject* list, size_t capacity, int64_t* numbers, size_t* out_count) {
  const Py_ssize_t count = list && PyList_Check(list) ? PyList_Size(list) : -1;
  if (count < 0 || (size_t)count > capacity) return false;
  for (Py_ssize_t i = 0; i < count; ++i) {
    PyObject* number = PyList_GetItem(list, i);
    numbers[i] = PyLong_Check(number) && !PyBool_Check(number) ? PyLong_AsLongLong(number) : -1;
    PyErr_Clear();
    if (numbers[i] < 0) return false;
  }
  *out_count = (size_t)count;
  return true;
}

static tn_dtype_t dtype_of(PyObject* name) {
  const char* text = name && PyUnicode_Check(name) ? PyUnicode_AsUTF8AndSize(name, NULL) : NULL;
  PyErr_Clear();
  for (size_t i = 0; text && i < DTYPE_COUNT; ++i) {
    if (strcmp(text, dtypes[i].name) == 0) return dtypes[i].dtype;
  }
  return TN_DTYPE_INVALID;
}

static const char* name_of(tn_dtype_t dtype) {
  for (size_t i = 0; i < DTYPE_COUNT; ++i) {
    if (dtypes[i].dtype == dtype) return dtypes[i].name;
  }
  return NULL;
}

static bool read_entry(const core_file_t* handle, PyObject* key, PyObject* value, entry_t* entry) {
  size_t count = 0;
  if (!PyDict_Check(value)) return refuse(handle, key, "expected dtype, shape and data_offsets");
  entry->dtype = dtype_of(PyDict_GetItemString(value, "dtype"));
  if (!entry->dtype) return refuse(handle, key, "there is no dtype for the elements");
  if (!read_numbers(PyDict_GetItemString(value, "shape"), TN_MAX_RANK, entry->dims, &entry->rank)) {
    return refuse(handle, key, "expected a list of sizes as the shape");
  }
  if (!read_numbers(PyDict_GetItemString(value, "data_offsets"), 2, entry->range, &count) ||
      count != 2 || entry->range[0] > entry->range[1]) {
    return refuse(handle, key, "expected two offsets in order as data_offsets");
  }
  entry->byte_size = tn_dtype_byte_size(entry->dtype);
  for (size_t i = 0; i < entry->rank; ++i) {
    if (__builtin_mul_overflow(entry->byte_size, (size_t)entry->dims[i], &entry->byte_size)) {
      return refuse(handle, key, "the shape is too large");
    }
  }
  if ((uint64_t)(entry->range[1] - entry->range[0]) == entry->byte_size) return true;
  return refuse(handle, key, "data_offsets are not as far apart as the shape needs");
}

static bool check_metadata(const core_file_t* handle, PyObject* metadata) {
  Py_ssize_t at = 0;
  PyObject *key = NULL, *value = NULL;
  bool is_text = PyDict_Check(metadata);
  while (is_text && PyDict_Next(metadata, &at, &key, &value)) is_text = PyUnicode_Check(value);
  if (!is_text) PyErr_Format(PyExc_ValueError, "%U: the metadata are not strings", handle->name);
  return is_text;
}

// A dict, and how many bytes there are before the elements.
static PyObject* read_header(const core_file_t* handle, int64_t* out_length) {
  unsigned char prefix[PREFIX];
  uint64_t length = 0;
  if (!core_file_read(handle, prefix, PREFIX)) return NULL;
  for (int i = PREFIX; i-- > 0;) length = length << 8 | prefix[i];
  if (length > LARGEST_HEADER) {
    return PyErr_Format(PyExc_ValueError,
                        "%U: this is not a safetensors file: its header would have %llu bytes",
                        handle->name, (unsigned long long)length);
  }
  PyObject* text = PyObject_CallMethod(handle->file, "read", "n", (Py_ssize_t)length);
  PyObject* json = text ? PyImport_ImportModule("json") : NULL;
  PyObject* header = json ? PyObject_CallMethod(json, "loads", "O", text) : NULL;
  if (header && !PyDict_Check(header)) Py_CLEAR(header);
  if (!header && (!PyErr_Occurred() || PyErr_ExceptionMatches(PyExc_ValueError) ||
                  PyErr_ExceptionMatches(PyExc_RecursionError))) {
    PyErr_Format(PyExc_ValueError,
                 "%U: the header of the safetensors file is not an object in JSON", handle->name);
  }
  Py_XDECREF(json);
  Py_XDECREF(text);
  *out_length = PREFIX + (int64_t)length;
  return header;
}

// --- reading

// Any other byte than 0 is true.
static void normalize(tn_dtype_t dtype, unsigned char* data, size_t byte_size) {
  if (dtype != TN_DTYPE_PRED) return;
  for (size_t i = 0; i < byte_size; ++i) data[i] = data[i] != 0;
}

// The size of a file that tells it; -1 for others.
static int64_t size_of_file(const core_file_t* handle) {
  PyObject* size = PyObject_CallMethod(handle->file, "seek", "ii", 0, 2);
  const int64_t count = size ? PyLong_AsLongLong(size) : -1;
  Py_XDECREF(size);
  PyErr_Clear();
  return count;
}

static bool read_elements(const core_file_t* handle, int64_t offset, const entry_t* entry,
                          void* data) {
  PyObject* moved = PyObject_CallMethod(handle->file, "seek", "L", (long long)offset);
  Py_XDECREF(moved);
  if (!moved || !core_file_read(handle, data, entry->byte_size)) return false;
  normalize(entry->dtype, data, entry->byte_size);
  return true;
}

static PyObject* read_array(core_call_t* call, const core_file_t* handle, int64_t offset,
                            const entry_t* entry) {
  tn_buffer_t* buffer = NULL;
  void* data = NULL;
  tn_status_t status =
      tn_buffer_create(core_cpu(), entry->dtype, entry->rank, entry->dims, &data, &buffer);
  if (!core_check(status)) return NULL;
  if (read_elements(handle, offset, entry, data)) return core_file_array(call, buffer);
  tn_buffer_release(buffer);
  return NULL;
}

// Where the elements begin in the file, and where the file ends.
typedef struct extent {
  int64_t begin, end;
} extent_t;

static bool add_array(core_call_t* call, const core_file_t* handle, const extent_t* extent,
                      PyObject* key, PyObject* value, PyObject* arrays) {
  entry_t entry;
  if (!read_entry(handle, key, value, &entry)) return false;
  if (entry.range[1] > extent->end - extent->begin) {
    PyErr_Format(PyExc_RuntimeError, "%U: %U: the file ends too early", handle->name, key);
    return false;
  }
  PyObject* array = read_array(call, handle, extent->begin + entry.range[0], &entry);
  const bool is_added = array && PyDict_SetItem(arrays, key, array) == 0;
  Py_XDECREF(array);
  return is_added;
}

static void replace(PyObject** variable, PyObject* object) {
  PyObject* old = *variable;
  *variable = Py_NewRef(object);
  Py_XDECREF(old);
}

static PyObject* read_arrays(core_call_t* call, const core_file_t* handle, const extent_t* extent,
                             PyObject* header, PyObject** out_metadata) {
  Py_ssize_t at = 0;
  PyObject *key = NULL, *value = NULL;
  PyObject* arrays = PyDict_New();
  while (arrays && PyDict_Next(header, &at, &key, &value)) {
    bool is_read = false;
    if (PyUnicode_CompareWithASCIIString(key, "__metadata__") == 0) {
      is_read = check_metadata(handle, value);
      if (is_read) replace(out_metadata, value);
    } else {
      is_read = add_array(call, handle, extent, key, value, arrays);
    }
    if (!is_read) Py_CLEAR(arrays);
  }
  return arrays;
}

// A file may be one in another, and begins where it is now.
static int64_t position_of(const core_file_t* handle) {
  PyObject* position = PyObject_CallMethod(handle->file, "tell", NULL);
  const int64_t at = position ? PyLong_AsLongLong(position) : -1;
  Py_XDECREF(position);
  return at;
}

PyObject* core_safetensors_load(core_call_t* call, const core_file_t* handle,
                                PyObject** out_metadata) {
  int64_t length = 0;
  *out_metadata = NULL;
  const int64_t start = position_of(handle);
  PyObject* header = start >= 0 ? read_header(handle, &length) : NULL;
  if (!header) return NULL;
  *out_metadata = PyDict_New();
  const extent_t extent = {start + length, size_of_file(handle)};
  PyObject* arrays =
      *out_metadata ? read_arrays(call, handle, &extent, header, out_metadata) : NULL;
  Py_DECREF(header);
  if (!arrays) Py_CLEAR(*out_metadata);
  return arrays;
}

// --- writing

static bool are_texts(PyObject* dict) {
  Py_ssize_t at = 0;
  PyObject *key = NULL, *value = NULL;
  while (PyDict_Next(dict, &at, &key, &value)) {
    if (!PyUnicode_Check(key) || !PyUnicode_Check(value)) return false;
  }
  return true;
}

static bool check_texts(PyObject* metadata) {
  PyObject* dict = core_frozen(metadata);
  if (!dict) return false;
  const bool is_text = PyDict_Check(dict) && are_texts(dict);
  Py_DECREF(dict);
  if (!is_text) {
    PyErr_SetString(PyExc_ValueError,
                    "[save_safetensors] Metadata must be a dictionary with string keys and values");
  }
  return is_text;
}

// What is written: the arrays in the order of the dict.
typedef struct content {
  size_t count;
  tn_buffer_t** buffers;
  PyObject* header;  // a dict
  uint64_t byte_size;
} content_t;

static PyObject* shape_of(const tn_buffer_t* buffer) {
  const size_t rank = tn_buffer_rank(buffer);
  PyObject* shape = PyList_New((Py_ssize_t)rank);
  for (size_t i = 0; shape && i < rank; ++i) {
    PyObject* size = PyLong_FromLongLong(tn_buffer_dims(buffer)[i]);
    if (size) {
      PyList_SetItem(shape, (Py_ssize_t)i, size);
    } else {
      Py_CLEAR(shape);
    }
  }
  return shape;
}

static bool add_entry(content_t* content, PyObject* key, tn_buffer_t* buffer) {
  const char* dtype = name_of(tn_buffer_dtype(buffer));
  const uint64_t end = content->byte_size + tn_buffer_byte_size(buffer);
  if (!dtype) {
    PyErr_Format(PyExc_TypeError, "[save_safetensors] %U: safetensors files have no elements %s",
                 key, tn_dtype_numpy_name(tn_buffer_dtype(buffer)));
    return false;
  }
  PyObject* shape = shape_of(buffer);
  PyObject* entry =
      shape ? Py_BuildValue("{s:s,s:O,s:[KK]}", "dtype", dtype, "shape", shape, "data_offsets",
                            (unsigned long long)content->byte_size, (unsigned long long)end)
            : NULL;
  const bool is_added = entry && PyDict_SetItem(content->header, key, entry) == 0;
  Py_XDECREF(entry);
  Py_XDECREF(shape);
  content->byte_size = end;
  return is_added;
}

static bool collect(content_t* content, PyObject* arrays) {
  Py_ssize_t at = 0;
  PyObject *key = NULL, *value = NULL;
  PyObject* copy = PyDict_Copy(arrays);  // conversion may call anything
  if (!copy) return false;
  content->buffers = PyMem_Calloc((size_t)PyDict_Size(copy) + 1, sizeof(tn_buffer_t*));
  if (!content->buffers) PyErr_NoMemory();
  bool is_done = content->buffers != NULL;
  while (is_done && PyDict_Next(copy, &at, &key, &value)) {
    if (!PyUnicode_Check(key) || PyUnicode_CompareWithASCIIString(key, "__metadata__") == 0) {
      PyErr_Format(PyExc_TypeError, "[save_safetensors] %R cannot be the name of an array", key);
      is_done = false;
      break;
    }
    tn_buffer_t* buffer = core_file_buffer(value);
    if (buffer) content->buffers[content->count++] = buffer;
    is_done = buffer && add_entry(content, key, buffer);
  }
  Py_XDECREF(copy);
  return is_done;
}

// Behind the header, blanks up to a multiple of 8 bytes.
static PyObject* encode_header(PyObject* header) {
  PyObject* json = PyImport_ImportModule("json");
  PyObject* text = json ? PyObject_CallMethod(json, "dumps", "O", header) : NULL;
  PyObject* bytes = text ? PyUnicode_AsUTF8String(text) : NULL;
  Py_XDECREF(text);
  Py_XDECREF(json);
  if (!bytes) return NULL;
  const Py_ssize_t length = PyBytes_Size(bytes);
  const Py_ssize_t padded = (length + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  PyObject* all = PyBytes_FromStringAndSize(NULL, PREFIX + padded);
  if (all) {
    char* to = PyBytes_AsString(all);
    for (int i = 0; i < PREFIX; ++i) to[i] = (char)((uint64_t)padded >> 8 * i);
    memset(to + PREFIX, ' ', (size_t)padded);
    memcpy(to + PREFIX, PyBytes_AsString(bytes), (size_t)length);
  }
  Py_DECREF(bytes);
  return all;
}

static bool write_buffer(PyObject* file, tn_buffer_t* buffer) {
  const void* data = NULL;
  if (!core_check(tn_buffer_map(buffer, &data))) return false;
  const size_t byte_size = tn_buffer_byte_size(buffer);
  const bool is_written = !byte_size || core_file_write(file, data, byte_size);
  tn_buffer_unmap(buffer);
  return is_written;
}

static bool write_content(const content_t* content, PyObject* file) {
  PyObject* header = encode_header(content->header);
  bool is_written =
      header && core_file_write(file, PyBytes_AsString(header), (size_t)PyBytes_Size(header));
  Py_XDECREF(header);
  for (size_t i = 0; is_written && i < content->count; ++i) {
    is_written = write_buffer(file, content->buffers[i]);
  }
  return is_written;
}

static PyObject* save(PyObject* file, content_t* content, PyObject* arrays, PyObject* metadata) {
  core_file_t handle;
  const bool has_metadata = metadata != Py_None && PyDict_Size(metadata) > 0;
  if (has_metadata && PyDict_SetItemString(content->header, "__metadata__", metadata) < 0) {
    return NULL;
  }
  if (!collect(content, arrays) ||
      !core_file_open("save_safetensors", file, "wb", ".safetensors", &handle)) {
    return NULL;
  }
  write_content(content, handle.file);
  return core_file_close(&handle) ? Py_NewRef(Py_None) : NULL;
}

PyObject* core_safetensors_save(PyObject* module, PyObject* arguments, PyObject* keywords) {
  static char* names[] = {"file", "arrays", "metadata", NULL};
  PyObject *file = NULL, *arrays = NULL, *metadata = Py_None;
  (void)module;
  if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "OO!|O:save_safetensors", names, &file,
                                   &PyDict_Type, &arrays, &metadata) ||
      (metadata != Py_None && !check_texts(metadata))) {
    return NULL;
  }
  content_t content = {.header = PyDict_New()};
  PyObject* result = content.header ? save(file, &content, arrays, metadata) : NULL;
  for (size_t i = 0; i < content.count; ++i) tn_buffer_release(content.buffers[i]);
  PyMem_Free(content.buffers);
  Py_XDECREF(content.header);
  return result;
}
