// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// What runs, as a file in the Trace Event Format, which Perfetto and chrome://tracing open.

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <tenon/tenon.h>

#include "operation.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static FILE* file;       // under the lock; NULL: nothing is profiled
static uint64_t slices;  // under the lock
static atomic_int last_track;
static _Thread_local int track;  // of this thread; 0: none yet

static void print_text(const char* text, size_t length) {
  fputc('"', file);
  for (size_t i = 0; i < length; ++i) {
    const unsigned char c = (unsigned char)text[i];
    if (c < 0x20 || c == '"' || c == '\\') {
      fprintf(file, "\\u%04x", c);
    } else {
      fputc(c, file);
    }
  }
  fputc('"', file);
}

static void print_slice(const tn_run_event_t* event) {
  const bool is_call = strcmp(event->operation, "custom_call") == 0;
  fprintf(file, "%s{\"name\": ", slices++ ? ",\n" : "");
  print_text(is_call ? event->target : event->operation,
             is_call ? event->target_length : strlen(event->operation));
  fprintf(file, ", \"cat\": \"%s\", \"ph\": \"X\", \"pid\": 1, \"tid\": %d",
          is_call ? "custom call" : "operation", track);
  fprintf(file, ", \"ts\": %.3f, \"dur\": %.3f, \"args\": ", (double)event->begin_ns / 1e3,
          (double)(event->end_ns - event->begin_ns) / 1e3);
  // What could not be written is noticed at the end.
  tn_status_release(tn_run_event_write_json(event, tn_write_to_file, file));
  fputc('}', file);
}

static void observe(void* user, const tn_run_event_t* event) {
  (void)user;
  if (!track) track = 1 + atomic_fetch_add(&last_track, 1);
  pthread_mutex_lock(&lock);
  if (file) print_slice(event);
  pthread_mutex_unlock(&lock);
}

static const tn_run_observer_t observer = {.observe = observe};

static PyObject* begin_profile(PyObject* module, PyObject* path) {
  (void)module;
  PyObject* encoded = NULL;
  if (!PyUnicode_FSConverter(path, &encoded)) return NULL;
  const char* name = PyBytes_AsString(encoded);
  pthread_mutex_lock(&lock);
  const bool is_free = !file;
  if (is_free) file = fopen(name, "w");
  const bool is_open = is_free && file;
  slices = 0;
  if (is_open) fprintf(file, "{\"displayTimeUnit\": \"ns\", \"traceEvents\": [\n");
  pthread_mutex_unlock(&lock);
  Py_DECREF(encoded);
  if (!is_free) {
    PyErr_SetString(PyExc_RuntimeError, "another profile is being written");
    return NULL;
  }
  if (!is_open) return PyErr_SetFromErrnoWithFilenameObject(PyExc_OSError, path);
  tn_context_set_run_observer(NULL, &observer);
  return Py_NewRef(Py_None);
}

static PyObject* end_profile(PyObject* module, PyObject* unused) {
  (void)module;
  (void)unused;
  tn_context_set_run_observer(NULL, NULL);
  pthread_mutex_lock(&lock);
  bool has_failed = false;
  if (file) {
    fprintf(file, "\n]}\n");
    has_failed = ferror(file) != 0;
    has_failed |= fclose(file) != 0;
  }
  file = NULL;
  const uint64_t count = slices;
  pthread_mutex_unlock(&lock);
  if (has_failed) return PyErr_SetFromErrno(PyExc_OSError);
  return PyLong_FromUnsignedLongLong(count);
}

static PyMethodDef functions[] = {
    {"_begin_profile", begin_profile, METH_O, "_begin_profile(path)\n--\n\nFor tenon.profile."},
    {"_end_profile", end_profile, METH_NOARGS, "_end_profile()\n--\n\nFor tenon.profile."},
    {NULL, NULL, 0, NULL},
};

bool core_add_profiles(PyObject* module) {
  return PyModule_AddFunctions(module, functions) == 0;
}
