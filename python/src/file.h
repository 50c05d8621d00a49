// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Files that arrays are read from and written to: objects of Python.
#ifndef TENON_PYTHON_FILE_H_
#define TENON_PYTHON_FILE_H_

#include <tenon/npy.h>

#include "core.h"

typedef struct core_file {
  PyObject* file;
  PyObject* name;            // for messages
  bool is_own;               // opened by core_file_open, and to be closed
  tn_file_writer_t* writer;  // of the file at a path that is written; NULL: another file
} core_file_t;

// A path, to which `ending` is added if it is missing, or a file opened in binary mode. A file at a
// path is written next to the one that it replaces when it is closed without an exception.
bool core_file_open(const char* function, PyObject* file, const char* mode, const char* ending,
                    core_file_t* handle);
// Also after an exception, which stays: false then.
bool core_file_close(core_file_t* handle);
// Exactly `length` bytes.
bool core_file_read(const core_file_t* handle, void* bytes, size_t length);
bool core_file_write(PyObject* file, const void* bytes, size_t length);

// The dense elements of what is like an array, a new reference; they are there.
tn_buffer_t* core_file_buffer(PyObject* object);
// An array of the scope's device. Takes the buffer, which is of the CPU.
PyObject* core_file_array(core_call_t* call, tn_buffer_t* buffer);

// --- archive.c

// A dict of arrays; *out_metadata is a dict of strings, a new reference. `format` is "npz" or
// "safetensors".
PyObject* core_archive_load(core_call_t* call, const core_file_t* handle, const char* format,
                            PyObject** out_metadata);
PyObject* core_safetensors_save(PyObject* module, PyObject* arguments, PyObject* keywords);

#endif  // TENON_PYTHON_FILE_H_
