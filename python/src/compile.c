// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// compile: a program for each set of structures, constants, shapes and dtypes of the arguments.

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "core.h"

static atomic_bool is_disabled;

// --- what programs are told apart by

typedef struct key {
  char* bytes;
  size_t length, capacity;
  const core_leaves_t* inputs;  // the arrays of the trees
  size_t next;
  bool is_shapeless;  // of arrays the ranks and dtypes count
} text_t;

static bool put(text_t* key, const void* bytes, size_t length) {
  if (key->length + length > key->capacity) {
    const size_t capacity = 2 * (key->length + length) + 256;
    char* grown = PyMem_Realloc(key->bytes, capacity);
    if (!grown) {
      PyErr_NoMemory();
      return false;
    }
    key->bytes = grown;
    key->capacity = capacity;
  }
  if (length) memcpy(key->bytes + key->length, bytes, length);
  key->length += length;
  return true;
}

static bool put_tag(text_t* key, char tag, int64_t value) {
  return put(key, &tag, 1) && put(key, &value, sizeof value);
}

static bool put_text(text_t* key, char tag, PyObject* text) {
  Py_ssize_t length = 0;
  const char* bytes = PyUnicode_AsUTF8AndSize(text, &length);
  return bytes && put_tag(key, tag, length) && put(key, bytes, (size_t)length);
}

// The next array, as it was when the trees were flattened.
static bool put_array(text_t* key) {
  if (key->next == key->inputs->count) {
    PyErr_SetString(PyExc_ValueError, "a tree of arrays has changed meanwhile");
    return false;
  }
  const tn_array_t* array = key->inputs->values[key->next++];
  const size_t rank = tn_array_rank(array);
  return put_tag(key, 'a', (int64_t)tn_array_dtype(array)) && put_tag(key, 'r', (int64_t)rank) &&
         (key->is_shapeless || put(key, tn_array_dims(array), rank * sizeof(int64_t)));
}

// Anything else is told apart by its text, which repr gives.
static bool put_repr(text_t* key, char tag, PyObject* object) {
  PyObject* text = PyObject_Repr(object);
  const bool is_put = text && put_text(key, tag, text);
  Py_XDECREF(text);
  return is_put;
}

static bool put_constant(text_t* key, PyObject* object) {
  if (object == Py_None) return put_tag(key, 'n', 0);
  if (PyBool_Check(object)) return put_tag(key, 'b', object == Py_True);
  if (PyLong_Check(object)) return put_repr(key, 'i', object);
  if (PyUnicode_Check(object)) return put_text(key, 's', object);
  if (PyFloat_Check(object)) {
    const double value = PyFloat_AsDouble(object);
    return put_tag(key, 'f', 0) && put(key, &value, sizeof value);
  }
  if (PyComplex_Check(object)) return put_repr(key, 'c', object);
  return core_raise_type(PyExc_ValueError,
                         "[compile] Function arguments must be trees of arrays or constants "
                         "(floats, ints, strings, or None), but received type %U.",
                         object);
}

static bool put_tree(text_t* key, PyObject* tree, bool has_constants);

static bool put_sequence(text_t* key, PyObject* tree, bool is_list, bool has_constants) {
  const Py_ssize_t count = is_list ? PyList_Size(tree) : PyTuple_Size(tree);
  bool is_put = put_tag(key, is_list ? 'l' : 't', count);
  for (Py_ssize_t i = 0; is_put && i < count; ++i) {
    PyObject* part = is_list ? PyList_GetItem(tree, i) : PyTuple_GetItem(tree, i);
    is_put = part && put_tree(key, part, has_constants);
  }
  return is_put;
}

static bool put_dict(text_t* key, PyObject* tree, bool has_constants) {
  Py_ssize_t at = 0;
  PyObject *name = NULL, *part = NULL;
  if (!put_tag(key, 'd', PyDict_Size(tree))) return false;
  while (PyDict_Next(tree, &at, &name, &part)) {
    const bool is_put = PyUnicode_Check(name) ? put_text(key, 'k', name) : put_repr(key, 'K', name);
    if (!is_put || !put_tree(key, part, has_constants)) return false;
  }
  return true;
}

// `has_constants`: leaves that are not arrays count as well.
static bool put_tree(text_t* key, PyObject* tree, bool has_constants) {
  if (core_is_array(tree)) return put_array(key);
  const bool is_list = PyList_Check(tree);
  const bool is_tree = is_list || PyTuple_Check(tree) || PyDict_Check(tree);
  if (!is_tree) return has_constants ? put_constant(key, tree) : put_tag(key, 'o', 0);
  if (Py_EnterRecursiveCall(" in a tree of arrays")) return false;
  PyObject* parts = core_frozen(tree);
  const bool is_put =
      parts && (PyDict_Check(parts) ? put_dict(key, parts, has_constants)
                                    : put_sequence(key, parts, is_list, has_constants));
  Py_XDECREF(parts);
  Py_LeaveRecursiveCall();
  return is_put;
}

// --- programs

// One that has been traced: a capsule in the dict of programs.
typedef struct entry {
  tn_compiled_t* compiled;
  PyObject* tree;           // of the outputs, with an array of no use in each place
  size_t own_count, count;  // outputs: of the function; with the captured ones
} entry_t;

static void destroy_entry(PyObject* capsule) {
  entry_t* entry = PyCapsule_GetPointer(capsule, NULL);
  tn_compiled_release(entry->compiled);
  Py_XDECREF(entry->tree);
  PyMem_Free(entry);
}

// The parts of a compiled function's data. The lock is held while a program is made, so that each
// is made once, and during calls that read or set captured arrays: theirs come one after the other.
// RECORDINGS: a dict, or None of a function that is not shapeless.
enum { DATA_INPUTS, DATA_OUTPUTS, DATA_PROGRAMS, DATA_LOCK, DATA_RECORDINGS };

static PyObject* data_of(const core_transformed_t* self, Py_ssize_t part) {
  return PyTuple_GetItem(self->data, part);
}

static core_lock_t* lock_of(const core_transformed_t* self) {
  return PyCapsule_GetPointer(data_of(self, DATA_LOCK), NULL);
}

static void destroy_lock(PyObject* capsule) {
  core_lock_destroy(PyCapsule_GetPointer(capsule, NULL));
}

// Outputs keep their structure with one array in the place of all.
static PyObject* forget_array(void* placeholder, PyObject* leaf) {
  return Py_NewRef(core_is_array(leaf) ? placeholder : leaf);
}

static PyObject* forget_arrays(PyObject* tree) {
  core_call_t call;
  if (!core_begin(&call, NULL)) return NULL;
  PyObject* placeholder = core_array_object(tn_array_scalar(call.scope, TN_DTYPE_PRED, 0));
  core_end(&call);
  PyObject* forgotten = placeholder ? core_tree_map(tree, forget_array, placeholder) : NULL;
  Py_XDECREF(placeholder);
  return forgotten;
}

static bool compile_trace(core_trace_t* trace, const core_leaves_t* outputs, entry_t* entry) {
  core_call_t call;
  if (!core_begin(&call, NULL)) return false;
  tn_status_t status = TN_OK;
  status =
      tn_trace_compile(trace->trace, call.scope, outputs->count, outputs->values, &entry->compiled);
  core_end(&call);
  return core_check(status);
}

static PyObject* same(void* unused, PyObject* leaf) {
  (void)unused;
  return Py_NewRef(leaf);
}

static bool put_back(PyObject* tree, PyObject* copy);

static bool put_back_in_list(PyObject* list, PyObject* parts, PyObject* copy) {
  if (!PyList_Check(copy) || PyList_Size(parts) != PyList_Size(copy)) return true;
  for (Py_ssize_t i = 0; i < PyList_Size(copy); ++i) {
    PyObject *original = PyList_GetItem(copy, i), *now = PyList_GetItem(parts, i);
    if (!now) return false;
    const bool is_array = core_is_array(original) && core_is_array(now);
    if (is_array ? PyList_SetItem(list, i, Py_NewRef(original)) < 0 : !put_back(now, original)) {
      return false;
    }
  }
  return true;
}

static bool put_back_in_dict(PyObject* dict, PyObject* parts, PyObject* copy) {
  Py_ssize_t at = 0;
  PyObject *key = NULL, *original = NULL;
  while (PyDict_Check(copy) && PyDict_Next(copy, &at, &key, &original)) {
    PyObject* now = PyDict_GetItemWithError(parts, key);
    if (!now && PyErr_Occurred()) return false;
    if (!now) continue;
    const bool is_array = core_is_array(original) && core_is_array(now);
    if (is_array ? PyDict_SetItem(dict, key, original) < 0 : !put_back(now, original)) {
      return false;
    }
  }
  return true;
}

// Lists and dicts get the arrays that the copy of them has, where there still are arrays: what the
// function set during the trace has no value.
static bool put_back(PyObject* tree, PyObject* copy) {
  if (Py_EnterRecursiveCall(" in a tree of arrays")) return false;
  PyObject* parts = core_frozen(tree);
  bool is_done = parts != NULL;
  if (is_done && PyList_Check(tree)) {
    is_done = put_back_in_list(tree, parts, copy);
  } else if (is_done && PyDict_Check(tree)) {
    is_done = put_back_in_dict(tree, parts, copy);
  } else if (PyTuple_Check(tree) && PyTuple_Check(copy) &&
             PyTuple_Size(tree) == PyTuple_Size(copy)) {
    for (Py_ssize_t i = 0; is_done && i < PyTuple_Size(tree); ++i) {
      is_done = put_back(PyTuple_GetItem(tree, i), PyTuple_GetItem(copy, i));
    }
  }
  Py_XDECREF(parts);
  Py_LeaveRecursiveCall();
  return is_done;
}

// Calls the function with tracers in its arguments and in the captured trees.
static PyObject* call_traced(const core_transformed_t* self, const core_trace_t* trace,
                             PyObject* arguments, PyObject* keywords, core_leaves_t* outputs,
                             size_t* out_own_count) {
  core_fill_t fill = {trace->tracers, 0};
  PyObject* inputs = data_of(self, DATA_INPUTS);
  PyObject* copy = core_tree_map(inputs, same, NULL);
  if (!copy) return NULL;
  PyObject* positional = core_tree_map(arguments, core_fill_next, &fill);
  PyObject* named = positional && keywords ? core_tree_map(keywords, core_fill_next, &fill) : NULL;
  PyObject* captured =
      positional && (named || !keywords) ? core_tree_update(inputs, core_fill_next, &fill) : NULL;
  PyObject* result = captured ? PyObject_Call(self->function, positional, named) : NULL;
  bool is_done = result && core_tree_flatten(result, outputs);
  *out_own_count = outputs->count;
  is_done = is_done && core_tree_flatten(data_of(self, DATA_OUTPUTS), outputs);
  if (!is_done) Py_CLEAR(result);
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  if (captured &&
      (!put_back(inputs, copy) || !core_trace_restore(trace, data_of(self, DATA_OUTPUTS)))) {
    Py_CLEAR(result);
  }
  if (type) PyErr_Restore(type, value, traceback);
  Py_DECREF(copy);
  Py_XDECREF(captured);
  Py_XDECREF(named);
  Py_XDECREF(positional);
  return result;
}

// --- functions without shapes: what was traced for one shape is recorded for the others

// The recording for the key, a tuple of the recording, the structure of the outputs, and how many
// of them are the function's own. NULL: there is none, or an exception.
static PyObject* recording_for(const core_transformed_t* self, PyObject* key) {
  return key ? PyDict_GetItemWithError(data_of(self, DATA_RECORDINGS), key) : NULL;
}

static bool replay(PyObject* found, const core_trace_t* trace, core_leaves_t* outputs,
                   entry_t* entry) {
  PyObject* result = core_record_replay(PyTuple_GetItem(found, 0), trace->tracers);
  const bool is_done = result && core_tree_flatten(result, outputs);
  Py_XDECREF(result);
  entry->own_count = PyLong_AsSize_t(PyTuple_GetItem(found, 2));
  if (is_done) entry->tree = Py_NewRef(PyTuple_GetItem(found, 1));
  return is_done;
}

static bool keep_recording(const core_transformed_t* self, PyObject* key, PyObject* recording,
                           const entry_t* entry) {
  if (!recording || recording == Py_None) return recording != NULL;
  PyObject* found = Py_BuildValue("(OOn)", recording, entry->tree, (Py_ssize_t)entry->own_count);
  const bool is_kept = found && PyDict_SetItem(data_of(self, DATA_RECORDINGS), key, found) == 0;
  Py_XDECREF(found);
  return is_kept;
}

// `key`: of the recording; NULL: none is made.
static bool trace_and_record(const core_transformed_t* self, const core_trace_t* trace,
                             PyObject* key, PyObject* arguments, PyObject* keywords,
                             core_leaves_t* outputs, entry_t* entry) {
  core_recorder_t recorder;
  bool is_done = !key || core_record_begin(&recorder, trace->tracers);
  PyObject* result =
      is_done ? call_traced(self, trace, arguments, keywords, outputs, &entry->own_count) : NULL;
  if (result) entry->tree = forget_arrays(result);
  is_done = entry->tree != NULL;
  if (key) {
    PyObject* all = is_done ? core_objects_of(outputs->count, outputs->values) : NULL;
    PyObject* recording = core_record_end(&recorder, all);
    is_done = keep_recording(self, key, recording, entry);
    Py_XDECREF(recording);
    Py_XDECREF(all);
  }
  Py_XDECREF(result);
  return is_done;
}

static bool trace_function(const core_transformed_t* self, PyObject* recording_key,
                           const core_leaves_t* inputs, PyObject* arguments, PyObject* keywords,
                           entry_t* entry) {
  core_trace_t trace = {0};
  core_leaves_t outputs = {0};
  PyObject* found = Py_XNewRef(recording_for(self, recording_key));
  bool is_done = (found || !PyErr_Occurred()) && core_leaves_copy(inputs, &trace.inputs) &&
                 core_trace_begin(&trace, TN_TRACE_TYPES, NULL);
  if (is_done) {
    is_done =
        found ? replay(found, &trace, &outputs, entry)
              : trace_and_record(self, &trace, recording_key, arguments, keywords, &outputs, entry);
  }
  entry->count = outputs.count;
  is_done = is_done && compile_trace(&trace, &outputs, entry);
  Py_XDECREF(found);
  core_leaves_clear(&outputs);
  core_trace_end(&trace);
  return is_done;
}

static PyObject* key_of(const core_transformed_t* self, const core_leaves_t* inputs,
                        PyObject* arguments, PyObject* keywords, bool is_shapeless) {
  text_t key = {.inputs = inputs, .is_shapeless = is_shapeless};
  const bool is_put = put_tree(&key, arguments, true) &&
                      (!keywords || put_tree(&key, keywords, true)) &&
                      put_tree(&key, data_of(self, DATA_INPUTS), false);
  PyObject* bytes = is_put ? PyBytes_FromStringAndSize(key.bytes, (Py_ssize_t)key.length) : NULL;
  PyMem_Free(key.bytes);
  return bytes;
}

// The capsule of the program for the arguments; a new reference. NULL: there is none yet, or an
// exception is set.
static PyObject* find_program(const core_transformed_t* self, PyObject* key) {
  PyObject* found = NULL;
  PyObject* programs = data_of(self, DATA_PROGRAMS);
#ifdef Py_GIL_DISABLED
  PyDict_GetItemRef(programs, key, &found);
#else
  found = Py_XNewRef(PyDict_GetItemWithError(programs, key));
#endif
  return found;
}

static PyObject* make_program(const core_transformed_t* self, PyObject* key,
                              const core_leaves_t* inputs, PyObject* arguments,
                              PyObject* keywords) {
  entry_t* entry = PyMem_Calloc(1, sizeof *entry);
  PyObject* capsule = entry ? PyCapsule_New(entry, NULL, destroy_entry) : PyErr_NoMemory();
  if (!capsule) {
    PyMem_Free(entry);
    return NULL;
  }
  const bool is_shapeless = data_of(self, DATA_RECORDINGS) != Py_None;
  PyObject* recording_key = is_shapeless ? key_of(self, inputs, arguments, keywords, true) : NULL;
  if ((is_shapeless && !recording_key) ||
      !trace_function(self, recording_key, inputs, arguments, keywords, entry) ||
      PyDict_SetItem(data_of(self, DATA_PROGRAMS), key, capsule) < 0) {
    Py_CLEAR(capsule);
  }
  Py_XDECREF(recording_key);
  return capsule;
}

// The same, made if there is none.
static PyObject* program_of(const core_transformed_t* self, PyObject* key,
                            const core_leaves_t* inputs, PyObject* arguments, PyObject* keywords) {
  PyObject* capsule = find_program(self, key);
  if (capsule || PyErr_Occurred()) return capsule;
  core_lock_enter(lock_of(self));
  capsule = find_program(self, key);  // another thread may have made it meanwhile
  if (!capsule && !PyErr_Occurred()) {
    capsule = make_program(self, key, inputs, arguments, keywords);
  }
  core_lock_leave(lock_of(self));
  return capsule;
}

// --- calls

static PyObject* run(const entry_t* entry, const core_leaves_t* inputs) {
  core_call_t call;
  tn_array_t** outputs = PyMem_Calloc(entry->count + 1, sizeof(tn_array_t*));
  if (!outputs) return PyErr_NoMemory();
  PyObject* objects = NULL;
  if (core_begin(&call, NULL)) {
    if (core_check(tn_compiled_call(entry->compiled, call.scope, inputs->count, inputs->values,
                                    entry->count, outputs))) {
      objects = core_objects_of(entry->count, outputs);
    }
    core_end(&call);
  }
  PyMem_Free(outputs);
  return objects;
}

// The results of the function, after the captured outputs have got theirs.
static PyObject* hand_out(const core_transformed_t* self, const entry_t* entry, PyObject* objects) {
  core_fill_t fill = {objects, 0};
  PyObject* result = core_tree_map(entry->tree, core_fill_next, &fill);
  if (!result || entry->own_count == entry->count) return result;
  PyObject* captured = core_tree_update(data_of(self, DATA_OUTPUTS), core_fill_next, &fill);
  if (!captured) Py_CLEAR(result);
  Py_XDECREF(captured);
  return result;
}

static PyObject* call_program(core_transformed_t* self, PyObject* arguments, PyObject* keywords) {
  core_leaves_t inputs = {0};
  PyObject *key = NULL, *result = NULL;
  if (keywords && !PyDict_Size(keywords)) keywords = NULL;
  if (core_tree_flatten(arguments, &inputs) &&
      (!keywords || core_tree_flatten(keywords, &inputs)) &&
      core_tree_flatten(data_of(self, DATA_INPUTS), &inputs)) {
    key = key_of(self, &inputs, arguments, keywords, false);
  }
  PyObject* capsule = key ? program_of(self, key, &inputs, arguments, keywords) : NULL;
  const entry_t* entry = capsule ? PyCapsule_GetPointer(capsule, NULL) : NULL;
  PyObject* objects = entry ? run(entry, &inputs) : NULL;
  if (objects) result = hand_out(self, entry, objects);
  Py_XDECREF(objects);
  Py_XDECREF(capsule);
  Py_XDECREF(key);
  core_leaves_clear(&inputs);
  return result;
}

static PyObject* call_compiled(core_transformed_t* self, PyObject* arguments, PyObject* keywords) {
  if (is_disabled || core_is_tracing()) return PyObject_Call(self->function, arguments, keywords);
  const bool has_captured =
      data_of(self, DATA_INPUTS) != Py_None || data_of(self, DATA_OUTPUTS) != Py_None;
  if (has_captured) core_lock_enter(lock_of(self));
  PyObject* result = call_program(self, arguments, keywords);
  if (has_captured) core_lock_leave(lock_of(self));
  return result;
}

static PyObject* compile(PyObject* module, PyObject* arguments, PyObject* keywords) {
  static char* names[] = {"fun", "inputs", "outputs", "shapeless", NULL};
  PyObject *function = NULL, *inputs = Py_None, *outputs = Py_None;
  int is_shapeless = 0;
  (void)module;
  if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O|OOp:compile", names, &function, &inputs,
                                   &outputs, &is_shapeless)) {
    return NULL;
  }
  core_lock_t* lock = core_lock_create();
  PyObject* capsule = lock ? PyCapsule_New(lock, NULL, destroy_lock) : NULL;
  if (lock && !capsule) core_lock_destroy(lock);
  PyObject* programs = capsule ? PyDict_New() : NULL;
  PyObject* recordings = is_shapeless ? PyDict_New() : Py_NewRef(Py_None);
  PyObject* data = programs && recordings
                       ? PyTuple_Pack(5, inputs, outputs, programs, capsule, recordings)
                       : NULL;
  PyObject* result = data ? core_transformed_new("compile", call_compiled, function, data) : NULL;
  Py_XDECREF(data);
  Py_XDECREF(recordings);
  Py_XDECREF(programs);
  Py_XDECREF(capsule);
  return result;
}

static PyObject* disable_compile(PyObject* module, PyObject* unused) {
  (void)module, (void)unused;
  is_disabled = true;
  return Py_NewRef(Py_None);
}

static PyObject* enable_compile(PyObject* module, PyObject* unused) {
  (void)module, (void)unused;
  is_disabled = false;
  return Py_NewRef(Py_None);
}

static PyMethodDef functions[] = {
    {"compile", (PyCFunction)(void (*)(void))compile, METH_VARARGS | METH_KEYWORDS,
     "compile(fun, inputs=None, outputs=None, shapeless=False)\n--\n\n"
     "`fun` as a program, which is made at the first call for each structure, shapes and dtypes "
     "of\n"
     "the arguments. `inputs` and `outputs` are trees of arrays that the function reads and sets\n"
     "besides: each call uses and changes what is in them. With `shapeless` the function is not\n"
     "called again for new shapes, whose programs have the same operations: sizes that it has "
     "read\n"
     "stay as they were."},
    {"disable_compile", disable_compile, METH_NOARGS,
     "disable_compile()\n--\n\nCompiled functions call the functions themselves from now on."},
    {"enable_compile", enable_compile, METH_NOARGS,
     "enable_compile()\n--\n\nCompiled functions use their programs again."},
    {NULL, NULL, 0, NULL},
};

bool core_add_compile(PyObject* module) {
  is_disabled = getenv("MLX_DISABLE_COMPILE") != NULL || getenv("TENON_DISABLE_COMPILE") != NULL;
  return PyModule_AddFunctions(module, functions) == 0;
}
