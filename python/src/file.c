// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Arrays in files: .npy, .npz, safetensors and GGUF, by path or by an open file.

#include <string.h>

#include "file.h"

// --- files

// `file` is a path or a descriptor.
static PyObject* open_object(PyObject* file, const char* mode, bool is_closed) {
  PyObject* io = PyImport_ImportModule("io");
  PyObject* object = io ? PyObject_CallMethod(io, "open", "OsiOOOO", file, mode, -1, Py_None,
                                              Py_None, Py_None, is_closed ? Py_True : Py_False)
                        : NULL;
  Py_XDECREF(io);
  return object;
}

static PyObject* open_new(core_file_t* handle) {
  PyObject* path = PyUnicode_EncodeFSDefault(handle->name);
  const char* bytes = path ? PyBytes_AsString(path) : NULL;
  PyObject *descriptor = NULL, *object = NULL;
  if (bytes && core_check(tn_file_writer_create(bytes, &handle->writer))) {
    descriptor = PyLong_FromLong(tn_file_writer_descriptor(handle->writer));
    object = descriptor ? open_object(descriptor, "wb", false) : NULL;
  }
  if (!object) {
    tn_file_writer_discard(handle->writer);
    handle->writer = NULL;
  }
  Py_XDECREF(descriptor);
  Py_XDECREF(path);
  return object;
}

static bool open_path(const char* function, PyObject* path, const char* mode, const char* ending,
                      core_file_t* handle) {
  PyObject* text = PyOS_FSPath(path);
  if (text && !PyUnicode_Check(text)) {
    PyErr_Format(PyExc_ValueError, "[%s] expected a path of characters; found %R", function, text);
    Py_CLEAR(text);
  }
  if (!text) return false;
  PyObject* suffix = PyUnicode_FromString(ending);
  const Py_ssize_t has_ending =
      suffix ? PyUnicode_Tailmatch(text, suffix, 0, PY_SSIZE_T_MAX, 1) : -1;
  handle->name = has_ending == 0 ? PyUnicode_Concat(text, suffix) : Py_NewRef(text);
  Py_XDECREF(suffix);
  Py_DECREF(text);
  handle->is_own = true;
  if (handle->name && has_ending >= 0) {
    handle->file = *mode == 'w' ? open_new(handle) : open_object(handle->name, mode, true);
  }
  if (!handle->file) Py_CLEAR(handle->name);
  return handle->file != NULL;
}

static PyObject* name_of_file(PyObject* file) {
  PyObject* name = PyObject_GetAttrString(file, "name");
  if (name && PyUnicode_Check(name)) return name;
  PyErr_Clear();
  Py_XDECREF(name);
  return PyUnicode_FromString("file");
}

bool core_file_open(const char* function, PyObject* file, const char* mode, const char* ending,
                    core_file_t* handle) {
  *handle = (core_file_t){0};
  if (PyUnicode_Check(file) || PyObject_HasAttrString(file, "__fspath__")) {
    return open_path(function, file, mode, ending, handle);
  }
  if (!PyObject_HasAttrString(file, *mode == 'r' ? "read" : "write")) {
    PyErr_Format(PyExc_ValueError,
                 "[%s] expected a path, or a file opened in binary mode; found %R", function, file);
    return false;
  }
  handle->name = name_of_file(file);
  handle->file = handle->name ? Py_NewRef(file) : NULL;
  return handle->file != NULL;
}

bool core_file_close(core_file_t* handle) {
  PyObject *type, *value, *trace;
  PyErr_Fetch(&type, &value, &trace);
  PyObject* result = handle->is_own ? PyObject_CallMethod(handle->file, "close", NULL) : NULL;
  bool is_closed = !handle->is_own || result;
  Py_XDECREF(result);
  Py_CLEAR(handle->file);
  Py_CLEAR(handle->name);
  if (handle->writer && is_closed && !type) {
    is_closed = core_check(tn_file_writer_commit(handle->writer));
  } else {
    tn_file_writer_discard(handle->writer);
  }
  handle->writer = NULL;
  if (type) PyErr_Restore(type, value, trace);
  return is_closed && !type;
}

// How many bytes the file has taken; writers of Python that return None take all. -1: an exception.
static Py_ssize_t write_some(PyObject* file, const char* bytes, size_t length) {
  PyObject* memory =
      PyMemoryView_FromMemory((char*)(uintptr_t)bytes, (Py_ssize_t)length, PyBUF_READ);
  PyObject* result = memory ? PyObject_CallMethod(file, "write", "O", memory) : NULL;
  PyObject* released = result ? PyObject_CallMethod(memory, "release", NULL) : NULL;
  Py_ssize_t count = released ? (Py_ssize_t)length : -1;
  if (released && result != Py_None) count = PyLong_AsSsize_t(result);
  if (!PyErr_Occurred() && (count <= 0 || (size_t)count > length)) {
    PyErr_Format(PyExc_OSError, "write() of %zu bytes returned %R", length, result);
    count = -1;
  }
  Py_XDECREF(released);
  Py_XDECREF(result);
  Py_XDECREF(memory);
  return count;
}

// Files without a buffer may take a part at a time.
bool core_file_write(PyObject* file, const void* bytes, size_t length) {
  for (size_t done = 0; done < length;) {
    const Py_ssize_t count = write_some(file, (const char*)bytes + done, length - done);
    if (count < 0) return false;
    done += (size_t)count;
  }
  return true;
}

static bool truncated(PyObject* name) {
  PyErr_Format(PyExc_RuntimeError, "%U: the file ends too early", name);
  return false;
}

// For files that have no readinto. -1: an exception.
static Py_ssize_t read_object(PyObject* file, char* bytes, size_t length) {
  char* data = NULL;
  Py_ssize_t count = 0;
  PyObject* object = PyObject_CallMethod(file, "read", "n", (Py_ssize_t)length);
  const bool is_read = object && PyBytes_AsStringAndSize(object, &data, &count) == 0;
  if (is_read && (size_t)count <= length) memcpy(bytes, data, (size_t)count);
  Py_XDECREF(object);
  return is_read ? count : -1;
}

static Py_ssize_t read_some(PyObject* file, char* bytes, size_t length) {
  if (!PyObject_HasAttrString(file, "readinto")) return read_object(file, bytes, length);
  PyObject* memory = PyMemoryView_FromMemory(bytes, (Py_ssize_t)length, PyBUF_WRITE);
  PyObject* result = memory ? PyObject_CallMethod(file, "readinto", "O", memory) : NULL;
  const Py_ssize_t count = result && result != Py_None ? PyLong_AsSsize_t(result) : -1;
  Py_XDECREF(result);
  Py_XDECREF(memory);
  return count;
}

bool core_file_read(const core_file_t* handle, void* bytes, size_t length) {
  for (size_t done = 0; done < length;) {
    const Py_ssize_t count = read_some(handle->file, (char*)bytes + done, length - done);
    if (PyErr_Occurred()) return false;
    if (count <= 0 || (size_t)count > length - done) return truncated(handle->name);
    done += (size_t)count;
  }
  return true;
}

// --- buffers and arrays

static tn_status_t wait_for(tn_buffer_t* buffer) {
  tn_event_t* ready = tn_buffer_ready_event(buffer);
  return ready ? tn_event_wait(ready, -1) : TN_OK;
}

tn_buffer_t* core_file_buffer(PyObject* object) {
  core_call_t call;
  tn_array_t* array = NULL;
  tn_buffer_t* buffer = NULL;
  if (!core_begin(&call, NULL)) return NULL;
  const bool is_array = core_convert_to(&call, object, TN_DTYPE_INVALID, &array);
  tn_status_t status = TN_OK;
  if (is_array) {
    Py_BEGIN_ALLOW_THREADS;
    status = core_evaluate(1, &array);
    if (!status) status = tn_array_to_buffer(array, &buffer);
    if (!status) status = wait_for(buffer);
    Py_END_ALLOW_THREADS;
  }
  core_end(&call);
  if (is_array && core_check(status)) return buffer;
  tn_buffer_release(buffer);
  return NULL;
}

PyObject* core_file_array(core_call_t* call, tn_buffer_t* buffer) {
  tn_device_t* device = tn_scope_device(call->scope);
  tn_status_t status = TN_OK;
  if (device != tn_buffer_device(buffer)) {
    tn_buffer_t* source = buffer;
    status = tn_buffer_to_device(source, device, NULL, &buffer);
    tn_buffer_release(source);
  }
  if (!core_check(status)) return NULL;
  PyObject* array = core_array_object(tn_array_from_buffer(call->scope, buffer));
  tn_buffer_release(buffer);
  return array;
}

// --- .npy

static tn_status_t write_part(void* user, const char* bytes, size_t length) {
  return core_file_write(user, bytes, length)
             ? TN_OK
             : tn_status_create(TN_CODE_DATA_LOSS, "the file cannot be written");
}

// Takes the buffer; NULL: an exception is set.
static bool write_npy(PyObject* file, tn_buffer_t* buffer) {
  if (!buffer) return false;
  tn_status_t status = tn_npy_encode(buffer, write_part, file);
  tn_buffer_release(buffer);
  return core_check(status);
}

static PyObject* decode_npy(core_call_t* call, PyObject* name, PyObject* bytes) {
  Py_buffer view;
  tn_buffer_t* buffer = NULL;
  const char* text = PyUnicode_AsUTF8AndSize(name, NULL);
  if (!text || PyObject_GetBuffer(bytes, &view, PyBUF_SIMPLE) < 0) return NULL;
  tn_status_t status = TN_OK;
  Py_BEGIN_ALLOW_THREADS;
  status = tn_npy_decode(core_cpu(), text, view.buf, (size_t)view.len, NULL, &buffer);
  Py_END_ALLOW_THREADS;
  PyBuffer_Release(&view);
  return core_check(status) ? core_file_array(call, buffer) : NULL;
}

static PyObject* load_npy(core_call_t* call, const core_file_t* handle) {
  PyObject* bytes = PyObject_CallMethod(handle->file, "read", NULL);
  PyObject* array = bytes ? decode_npy(call, handle->name, bytes) : NULL;
  Py_XDECREF(bytes);
  return array;
}

static PyObject* save(PyObject* module, PyObject* arguments, PyObject* keywords) {
  static char* names[] = {"file", "arr", NULL};
  PyObject *file = NULL, *array = NULL;
  core_file_t handle;
  (void)module;
  if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "OO:save", names, &file, &array)) {
    return NULL;
  }
  if (!core_is_like_array(array)) {
    return PyErr_Format(PyExc_TypeError, "save(): argument 'arr': expected an array; found %R",
                        array);
  }
  tn_buffer_t* buffer = core_file_buffer(array);  // what cannot be computed leaves no file
  if (!buffer) return NULL;
  if (!core_file_open("save", file, "wb", ".npy", &handle)) {
    tn_buffer_release(buffer);
    return NULL;
  }
  write_npy(handle.file, buffer);
  return core_file_close(&handle) ? Py_NewRef(Py_None) : NULL;
}

// --- .npz, written: zip files whose members are .npy files

static PyObject* create_archive(const core_file_t* handle, bool is_compressed) {
  enum { STORED = 0, DEFLATED = 8 };
  PyObject* package = PyImport_ImportModule("zipfile");
  PyObject* archive = package ? PyObject_CallMethod(package, "ZipFile", "Osi", handle->file, "w",
                                                    is_compressed ? DEFLATED : STORED)
                              : NULL;
  Py_XDECREF(package);
  return archive;
}

// Closes what has a method for it, also after an exception, which stays.
static bool close_object(PyObject* object) {
  core_file_t handle = {.file = object, .is_own = true};
  return core_file_close(&handle);
}

static bool add_member(PyObject* archive, PyObject* key, PyObject* array) {
  PyObject* name = PyUnicode_FromFormat("%U.npy", key);
  PyObject* method = name ? PyObject_GetAttrString(archive, "open") : NULL;
  PyObject* positions = method ? Py_BuildValue("(Os)", name, "w") : NULL;
  PyObject* names = positions ? Py_BuildValue("{s:O}", "force_zip64", Py_True) : NULL;
  PyObject* member = names ? PyObject_Call(method, positions, names) : NULL;
  Py_XDECREF(names);
  Py_XDECREF(positions);
  Py_XDECREF(method);
  Py_XDECREF(name);
  if (!member) return false;
  write_npy(member, core_file_buffer(array));
  return close_object(member);
}

// Arrays without a name are arr_0, arr_1...
static PyObject* name_arrays(const char* function, PyObject* arrays, PyObject* named) {
  PyObject* all = named ? PyDict_Copy(named) : PyDict_New();
  const Py_ssize_t count = PyTuple_Size(arrays);
  for (Py_ssize_t i = 1; all && i < count; ++i) {
    PyObject* key = PyUnicode_FromFormat("arr_%zd", i - 1);
    const int is_taken = key ? PyDict_Contains(all, key) : -1;
    if (is_taken > 0) {
      PyErr_Format(PyExc_ValueError, "[%s] Cannot use un-named variables and keyword %U", function,
                   key);
    }
    if (is_taken != 0 || PyDict_SetItem(all, key, PyTuple_GetItem(arrays, i)) < 0) Py_CLEAR(all);
    Py_XDECREF(key);
  }
  return all;
}

static bool add_members(PyObject* archive, PyObject* arrays) {
  Py_ssize_t at = 0;
  PyObject *key = NULL, *array = NULL;
  while (PyDict_Next(arrays, &at, &key, &array)) {
    if (!add_member(archive, key, array)) return false;
  }
  return true;
}

static PyObject* save_archive(const char* function, PyObject* arguments, PyObject* keywords,
                              bool is_compressed) {
  core_file_t handle;
  if (PyTuple_Size(arguments) < 1) {
    return PyErr_Format(PyExc_TypeError, "%s() missing required argument 'file'", function);
  }
  PyObject* arrays = name_arrays(function, arguments, keywords);
  if (!arrays) return NULL;
  if (!core_file_open(function, PyTuple_GetItem(arguments, 0), "wb", ".npz", &handle)) {
    Py_DECREF(arrays);
    return NULL;
  }
  PyObject* archive = create_archive(&handle, is_compressed);
  if (archive) {
    add_members(archive, arrays);
    close_object(archive);
  }
  Py_DECREF(arrays);
  return core_file_close(&handle) ? Py_NewRef(Py_None) : NULL;
}

static PyObject* savez(PyObject* module, PyObject* arguments, PyObject* keywords) {
  (void)module;
  return save_archive("savez", arguments, keywords, false);
}

static PyObject* savez_compressed(PyObject* module, PyObject* arguments, PyObject* keywords) {
  (void)module;
  return save_archive("savez_compressed", arguments, keywords, true);
}

// --- load

static PyObject* load_gguf(const core_file_t* handle, PyObject* stream, PyObject** out_metadata) {
  PyObject* arguments = PyTuple_Pack(3, handle->file, handle->name, stream);
  PyObject* pair = arguments ? core_call_python("tenon.gguf", "load", arguments, NULL) : NULL;
  PyObject* arrays = pair ? Py_NewRef(PyTuple_GetItem(pair, 0)) : NULL;
  if (pair) *out_metadata = Py_NewRef(PyTuple_GetItem(pair, 1));
  Py_XDECREF(pair);
  Py_XDECREF(arguments);
  return arrays;
}

static PyObject* load_as(core_call_t* call, const core_file_t* handle, const char* format,
                         PyObject* stream, PyObject** out_metadata) {
  *out_metadata = NULL;
  if (strcmp(format, "npy") == 0) return load_npy(call, handle);
  if (strcmp(format, "gguf") == 0) return load_gguf(handle, stream, out_metadata);
  return core_archive_load(call, handle, format, out_metadata);
}

// What is behind the last dot of a name.
static const char* ending_of(PyObject* name) {
  const char* text = PyUnicode_AsUTF8AndSize(name, NULL);
  const char* dot = text ? strrchr(text, '.') : NULL;
  return dot ? dot + 1 : "";
}

static bool check_format(const char* format, bool has_metadata) {
  static const char* const formats[] = {"npy", "npz", "safetensors", "gguf"};
  for (size_t i = 0; i < sizeof formats / sizeof *formats; ++i) {
    if (strcmp(format, formats[i]) != 0) continue;
    if (!has_metadata || i >= 2) return true;
    PyErr_Format(PyExc_ValueError, "[load] metadata not supported for format %s", format);
    return false;
  }
  if (*format) {
    PyErr_Format(PyExc_ValueError,
                 "[load] Unknown file format %s; expected npy, npz, safetensors or gguf", format);
  } else {
    PyErr_SetString(PyExc_ValueError,
                    "[load] Could not infer file format from extension: give it as `format`");
  }
  return false;
}

static PyObject* load_file(const core_file_t* handle, const char* format, bool has_metadata,
                           PyObject* stream) {
  core_call_t call;
  PyObject* metadata = NULL;
  if (!format) format = ending_of(handle->name);
  if (PyErr_Occurred() || !check_format(format, has_metadata) || !core_begin(&call, stream)) {
    return NULL;
  }
  PyObject* result = load_as(&call, handle, format, stream, &metadata);
  core_end(&call);
  if (result && has_metadata) {
    PyObject* arrays = result;
    result = PyTuple_Pack(2, arrays, metadata);
    Py_DECREF(arrays);
  }
  Py_XDECREF(metadata);
  return result;
}

static PyObject* load(PyObject* module, PyObject* arguments, PyObject* keywords) {
  static char* names[] = {"", "format", "return_metadata", "stream", NULL};
  PyObject *file = NULL, *stream = Py_None;
  const char* format = NULL;
  int has_metadata = 0;
  core_file_t handle;
  (void)module;
  if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O|zp$O:load", names, &file, &format,
                                   &has_metadata, &stream) ||
      !core_file_open("load", file, "rb", "", &handle)) {
    return NULL;
  }
  PyObject* result = load_file(&handle, format, has_metadata, stream);
  if (!core_file_close(&handle)) Py_CLEAR(result);
  return result;
}

static PyObject* save_gguf(PyObject* module, PyObject* arguments, PyObject* keywords) {
  static char* names[] = {"file", "arrays", "metadata", NULL};
  PyObject *file = NULL, *arrays = NULL, *metadata = Py_None;
  core_file_t handle;
  (void)module;
  if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "OO|O:save_gguf", names, &file, &arrays,
                                   &metadata) ||
      !core_file_open("save_gguf", file, "wb", ".gguf", &handle)) {
    return NULL;
  }
  PyObject* all = PyTuple_Pack(3, handle.file, arrays, metadata);
  PyObject* result = all ? core_call_python("tenon.gguf", "save_gguf", all, NULL) : NULL;
  Py_XDECREF(all);
  if (!core_file_close(&handle)) Py_CLEAR(result);
  return result;
}

static PyMethodDef functions[] = {
    {"save", (PyCFunction)(void (*)(void))save, METH_VARARGS | METH_KEYWORDS,
     "save(file, arr)\n--\n\nWrites an array as a .npy file. `file` is a path, to which .npy is "
     "added if it is missing, or a file opened in binary mode."},
    {"savez", (PyCFunction)(void (*)(void))savez, METH_VARARGS | METH_KEYWORDS,
     "savez(file, *args, **kwargs)\n--\n\nWrites arrays as a .npz archive: those of `args` as "
     "arr_0, arr_1 and so on, those of `kwargs` by their names."},
    {"savez_compressed", (PyCFunction)(void (*)(void))savez_compressed,
     METH_VARARGS | METH_KEYWORDS,
     "savez_compressed(file, *args, **kwargs)\n--\n\nThe same as `savez`, compressed."},
    {"save_safetensors", (PyCFunction)(void (*)(void))core_safetensors_save,
     METH_VARARGS | METH_KEYWORDS,
     "save_safetensors(file, arrays, metadata=None)\n--\n\nWrites a dict of arrays, and of strings "
     "as metadata, as a safetensors file."},
    {"save_gguf", (PyCFunction)(void (*)(void))save_gguf, METH_VARARGS | METH_KEYWORDS,
     "save_gguf(file, arrays, metadata=None)\n--\n\nWrites a dict of arrays, and of metadata "
     "(strings, lists of strings, numbers and lists of numbers), as a GGUF file."},
    {"load", (PyCFunction)(void (*)(void))load, METH_VARARGS | METH_KEYWORDS,
     "load(file, /, format=None, return_metadata=False, *, stream=None)\n--\n\nReads an array from "
     "a .npy file, or a dict of arrays from a .npz, safetensors or GGUF file. `format` is by "
     "default "
     "the ending of the file's name. With `return_metadata` the result is a tuple of the dict and "
     "that of a safetensors or GGUF file's metadata."},
    {NULL, NULL, 0, NULL},
};

bool core_add_files(PyObject* module) {
  return PyModule_AddFunctions(module, functions) == 0;
}
