// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Compiled StableHLO programs.

#include <stdlib.h>
#include <string.h>
#include <tenon/tenon.h>

#include "device.h"
#include "operation.h"

typedef struct program_object {
  PyObject_HEAD tn_program_t* value;
  tn_device_t* device;
} program_object_t;

static tn_program_t* program_of(PyObject* self) {
  return ((program_object_t*)self)->value;
}

// --- compilation

static bool device_from(PyObject* object, tn_device_t** out_device) {
  *out_device = NULL;
  if (object == Py_None) return core_check(tn_default_device(out_device));
  core_place_t place;
  int slot = 0;
  if (!core_place_from("load", object, &place) || !core_slot_of("load", place, &slot)) return false;
  *out_device = tn_device_retain(core_used_device(slot)->device);
  return true;
}

// Bytes are a module; a path names a file.
static tn_status_t parse(PyObject* source, const char* name, tn_module_t** out_module) {
  char* bytes = NULL;
  Py_ssize_t size = 0;
  tn_status_t status = TN_OK;
  if (PyBytes_Check(source)) {
    PyBytes_AsStringAndSize(source, &bytes, &size);
    Py_BEGIN_ALLOW_THREADS;
    status = tn_module_parse(NULL, NULL, bytes, (size_t)size, out_module);
    Py_END_ALLOW_THREADS;
    return status;
  }
  Py_BEGIN_ALLOW_THREADS;
  status = tn_module_parse_file(NULL, name, out_module);
  Py_END_ALLOW_THREADS;
  return status;
}

static bool compile(program_object_t* self, PyObject* source, const char* function) {
  tn_module_t* module = NULL;
  const char* path = PyBytes_Check(source) ? NULL : PyUnicode_AsUTF8AndSize(source, NULL);
  if (!PyBytes_Check(source) && !path) return false;
  tn_status_t status = parse(source, path, &module);
  const tn_compile_options_t options = {.struct_size = sizeof options, .function = function};
  if (!status) {
    Py_BEGIN_ALLOW_THREADS;
    status = tn_program_compile(self->device, module, &options, &self->value);
    Py_END_ALLOW_THREADS;
  }
  tn_module_release(module);
  return core_check(status);
}

static PyObject* program_new(PyTypeObject* type, PyObject* arguments, PyObject* keywords) {
  static char* names[] = {"source", "function", "device", NULL};
  PyObject *source = NULL, *device = Py_None;
  const char* function = NULL;
  if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O|zO:Program", names, &source, &function,
                                   &device)) {
    return NULL;
  }
  program_object_t* self = (program_object_t*)PyType_GenericAlloc(type, 0);
  if (!self) return NULL;
  if (!device_from(device, &self->device) || !compile(self, source, function)) {
    Py_CLEAR(self);
  }
  return (PyObject*)self;
}

static void program_dealloc(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  tn_program_release(program_of(self));
  tn_device_release(((program_object_t*)self)->device);
  void* slot = PyType_GetSlot(type, Py_tp_free);  // of a subclass, too
  freefunc release = NULL;
  memcpy(&release, &slot, sizeof slot);
  release(self);
  Py_DECREF(type);
}

// --- inputs and outputs

// (name, shape, dtype); the dtype of a token is None.
static PyObject* describe(const char* name, const tn_type_t* type) {
  PyObject* shape = core_shape_of(tn_type_rank(type), tn_type_dims(type));
  PyObject* dtype = tn_type_kind(type) == TN_TYPE_TENSOR ? core_dtype_object(tn_type_dtype(type))
                                                         : Py_NewRef(Py_None);
  PyObject* result = shape && dtype ? Py_BuildValue("(sOO)", name, shape, dtype) : NULL;
  Py_XDECREF(shape);
  Py_XDECREF(dtype);
  return result;
}

typedef const char* (*name_fn)(const tn_program_t* program, size_t index);
typedef const tn_type_t* (*type_fn)(const tn_program_t* program, size_t index);

static PyObject* list_values(const tn_program_t* program, size_t count, name_fn name,
                             type_fn type) {
  PyObject* list = PyTuple_New((Py_ssize_t)count);
  for (size_t i = 0; list && i < count; ++i) {
    PyObject* value = describe(name(program, i), type(program, i));
    if (value) {
      PyTuple_SetItem(list, (Py_ssize_t)i, value);
    } else {
      Py_CLEAR(list);
    }
  }
  return list;
}

static PyObject* get_inputs(PyObject* self, void* unused) {
  (void)unused;
  const tn_program_t* program = program_of(self);
  return list_values(program, tn_program_input_count(program), tn_program_input_name,
                     tn_program_input_type);
}

static PyObject* get_outputs(PyObject* self, void* unused) {
  (void)unused;
  const tn_program_t* program = program_of(self);
  return list_values(program, tn_program_output_count(program), tn_program_output_name,
                     tn_program_output_type);
}

// --- runs

typedef struct run {
  tn_program_t* program;
  core_call_t call;
  core_pool_t pool;
  size_t input_count, output_count;
  PyObject** objects;     // views
  tn_buffer_t** inputs;   // retained
  tn_buffer_t** outputs;  // new
  bool* donated;
} run_t;

static const char* input_name(const run_t* run, size_t i, char* room, size_t capacity) {
  const char* name = tn_program_input_name(run->program, i);
  if (*name) return name;
  snprintf(room, capacity, "arg%zu", i);
  return room;
}

static bool bind_keyword(run_t* run, PyObject* key, PyObject* object) {
  const char* name = PyUnicode_AsUTF8AndSize(key, NULL);
  size_t index = 0;
  if (!name) return false;
  tn_status_t status = tn_program_find_input(run->program, name, &index);
  if (tn_status_code(status) == TN_CODE_NOT_FOUND) {
    PyErr_Format(PyExc_TypeError, "%s", tn_status_message(status));
    tn_status_release(status);
    return false;
  }
  if (!core_check(status)) return false;
  if (run->objects[index]) {
    PyErr_Format(PyExc_TypeError, "got multiple values for input '%s'", name);
    return false;
  }
  run->objects[index] = object;
  return true;
}

static bool bind(run_t* run, PyObject* inputs, PyObject* named) {
  const size_t count = (size_t)PyTuple_Size(inputs);
  if (count > run->input_count) {
    PyErr_Format(PyExc_TypeError, "the program takes %zu input%s; found %zu", run->input_count,
                 run->input_count == 1 ? "" : "s", count);
    return false;
  }
  for (size_t i = 0; i < count; ++i) run->objects[i] = PyTuple_GetItem(inputs, (Py_ssize_t)i);
  Py_ssize_t at = 0;
  PyObject *key = NULL, *value = NULL;
  while (PyDict_Next(named, &at, &key, &value)) {
    if (!bind_keyword(run, key, value)) return false;
  }
  for (size_t i = 0; i < run->input_count; ++i) {
    char room[32];
    if (run->objects[i] || tn_type_kind(tn_program_input_type(run->program, i)) == TN_TYPE_TOKEN) {
      continue;
    }
    PyErr_Format(PyExc_TypeError, "input %zu (%s) is missing", i,
                 input_name(run, i, room, sizeof room));
    return false;
  }
  return true;
}

// Numbers and lists take the input's dtype; arrays keep theirs, which the run checks.
static bool to_buffer(run_t* run, size_t i) {
  const tn_type_t* type = tn_program_input_type(run->program, i);
  PyObject* object = run->objects[i];
  if (tn_type_kind(type) == TN_TYPE_TOKEN) return true;
  const bool is_plain = core_is_number(object) || PyList_Check(object) || PyTuple_Check(object);
  tn_array_t* array = NULL;
  if (is_plain || core_is_array(object)) {
    const tn_dtype_t dtype = is_plain ? tn_type_dtype(type) : TN_DTYPE_INVALID;
    if (!core_convert_to(&run->call, object, dtype, &array)) return false;
  } else if (!core_import(&run->call, object, CORE_COPY, &array)) {
    return false;
  }
  if (!array) {
    char room[32];
    PyErr_Format(PyExc_TypeError, "input %zu (%s): expected an array; found %R", i,
                 input_name(run, i, room, sizeof room), object);
    return false;
  }
  tn_status_t status = TN_OK;
  Py_BEGIN_ALLOW_THREADS;
  status = core_evaluate(1, &array);
  if (!status) status = tn_array_to_buffer(array, &run->inputs[i]);
  Py_END_ALLOW_THREADS;
  return core_check(status);
}

static bool to_donated(run_t* run, PyObject* donate) {
  if (donate == Py_None) return true;
  run->donated = core_allocate(&run->pool, run->input_count, sizeof *run->donated);
  PyObject* list = run->donated ? PySequence_Tuple(donate) : NULL;
  if (!list) return false;
  bool is_done = true;
  for (Py_ssize_t i = 0; is_done && i < PyTuple_Size(list); ++i) {
    PyObject* item = PyTuple_GetItem(list, i);
    size_t index = run->input_count;
    if (PyUnicode_Check(item)) {
      const char* name = PyUnicode_AsUTF8AndSize(item, NULL);
      is_done = name && core_check(tn_program_find_input(run->program, name, &index));
    } else {
      index = PyLong_AsSize_t(item);
      is_done = !PyErr_Occurred();
    }
    if (is_done && index >= run->input_count) {
      PyErr_Format(PyExc_ValueError, "donate: the program has no input %R", item);
      is_done = false;
    } else if (is_done) {
      run->donated[index] = true;
    }
  }
  Py_DECREF(list);
  return is_done;
}

static PyObject* take_outputs(run_t* run) {
  PyObject* tuple = PyTuple_New((Py_ssize_t)run->output_count);
  for (size_t i = 0; tuple && i < run->output_count; ++i) {
    PyObject* object =
        run->outputs[i] ? core_array_object(tn_array_from_buffer(run->call.scope, run->outputs[i]))
                        : Py_NewRef(Py_None);
    if (object) {
      PyTuple_SetItem(tuple, (Py_ssize_t)i, object);
    } else {
      Py_CLEAR(tuple);
    }
  }
  if (!tuple || run->output_count != 1) return tuple;
  PyObject* only = Py_NewRef(PyTuple_GetItem(tuple, 0));
  Py_DECREF(tuple);
  return only;
}

// Seconds as nanoseconds, 0 for no limit: None, 0, infinity and what a clock cannot count to.
static bool to_timeout(PyObject* object, int64_t* out_timeout_ns) {
  *out_timeout_ns = 0;
  if (object == Py_None) return true;
  const double seconds = PyFloat_AsDouble(object);
  if (seconds == -1 && PyErr_Occurred()) return false;
  if (!(seconds >= 0)) {
    PyErr_Format(PyExc_ValueError, "timeout: expected seconds, or 0 or None for no limit; found %R",
                 object);
    return false;
  }
  if (seconds > 0 && seconds < 9e9) *out_timeout_ns = (int64_t)(seconds * 1e9) + 1;
  return true;
}

static PyObject* run_with(run_t* run, PyObject* donate, int64_t timeout_ns) {
  run->input_count = tn_program_input_count(run->program);
  run->output_count = tn_program_output_count(run->program);
  for (size_t i = 0; i < run->input_count; ++i) {
    if (!to_buffer(run, i)) return NULL;
  }
  if (!to_donated(run, donate)) return NULL;
  tn_run_options_t options = {
      .struct_size = sizeof options,
      .donated = run->donated,
      .timeout_ns = timeout_ns,
  };
  tn_status_t status = TN_OK;
  Py_BEGIN_ALLOW_THREADS;
  status = core_take_cancellation(&options.cancellation);
  if (!status) {
    status = tn_program_run(run->program, run->input_count, run->inputs, &options,
                            run->output_count, run->outputs);
    core_give_cancellation(options.cancellation);
  }
  Py_END_ALLOW_THREADS;
  return core_check(status) ? take_outputs(run) : NULL;
}

static PyObject* run_program(run_t* run, PyObject* inputs, PyObject* named, PyObject* donate,
                             int64_t timeout_ns) {
  run->objects = core_allocate(&run->pool, run->input_count, sizeof *run->objects);
  run->inputs = core_allocate(&run->pool, run->input_count, sizeof *run->inputs);
  run->outputs = core_allocate(&run->pool, run->output_count, sizeof *run->outputs);
  if (!run->objects || !run->inputs || !run->outputs || !bind(run, inputs, named)) return NULL;
  PyObject* result = run_with(run, donate, timeout_ns);
  for (size_t i = 0; i < run->input_count; ++i) tn_buffer_release(run->inputs[i]);
  for (size_t i = 0; i < run->output_count; ++i) tn_buffer_release(run->outputs[i]);
  return result;
}

// run(inputs: tuple, named: dict, donate, timeout: float or None)
static PyObject* program_run(PyObject* self, PyObject* arguments) {
  PyObject *inputs = NULL, *named = NULL, *donate = NULL, *timeout = NULL;
  int64_t timeout_ns = 0;
  if (!PyArg_ParseTuple(arguments, "O!O!OO:run", &PyTuple_Type, &inputs, &PyDict_Type, &named,
                        &donate, &timeout) ||
      !to_timeout(timeout, &timeout_ns)) {
    return NULL;
  }
  run_t run = {.program = program_of(self),
               .input_count = tn_program_input_count(program_of(self)),
               .output_count = tn_program_output_count(program_of(self))};
  if (!core_begin(&run.call, NULL)) return NULL;
  PyObject* result = run_program(&run, inputs, named, donate, timeout_ns);
  core_end(&run.call);
  core_free(&run.pool);
  return result;
}

// --- looking inside

FILE* core_text_open(core_text_t* text) {
  *text = (core_text_t){0};
  text->stream = open_memstream(&text->bytes, &text->size);
  if (!text->stream) PyErr_NoMemory();
  return text->stream;
}

PyObject* core_text_close(core_text_t* text, tn_status_t status) {
  const bool is_written = fclose(text->stream) == 0;
  PyObject* object = NULL;
  if (core_check(status)) {
    object = is_written ? PyUnicode_FromStringAndSize(text->bytes, (Py_ssize_t)text->size)
                        : PyErr_NoMemory();
  }
  free(text->bytes);
  return object;
}

static PyObject* program_print(PyObject* self, PyObject* arguments) {
  static const char* const stages[] = {"ir", "pass", "plan", "program"};
  static const char* const formats[] = {"text", "json", "dot", "svg"};
  const char *stage_name = NULL, *format_name = NULL;
  int stage = 0, format = 0;
  if (!PyArg_ParseTuple(arguments, "ss:print", &stage_name, &format_name)) return NULL;
  while (stage < 4 && strcmp(stages[stage], stage_name) != 0) ++stage;
  while (format < 4 && strcmp(formats[format], format_name) != 0) ++format;
  if (stage == 4 || format == 4) {
    PyErr_Format(PyExc_ValueError,
                 "expected one of 'ir', 'pass', 'plan', 'program', and one of "
                 "'text', 'json', 'dot', 'svg'; found '%s', '%s'",
                 stage_name, format_name);
    return NULL;
  }
  core_text_t text;
  if (!core_text_open(&text)) return NULL;
  return core_text_close(
      &text, tn_program_print(program_of(self), (tn_program_stage_t)stage,
                              (tn_program_format_t)format, tn_write_to_file, text.stream));
}

static PyObject* program_statistics(PyObject* self, PyObject* unused) {
  (void)unused;
  tn_program_statistics_t it = {.struct_size = sizeof it};
  tn_program_statistics(program_of(self), &it);
  return Py_BuildValue(
      "{s:n,s:n,s:n,s:n,s:n,s:K}", "instruction_count", (Py_ssize_t)it.instruction_count,
      "plan_byte_size", (Py_ssize_t)it.plan_byte_size, "lower_bound_byte_size",
      (Py_ssize_t)it.lower_bound_byte_size, "total_byte_size", (Py_ssize_t)it.total_byte_size,
      "constant_byte_size", (Py_ssize_t)it.constant_byte_size, "compile_ns",
      (unsigned long long)it.compile_ns);
}

static PyGetSetDef members[] = {
    {"inputs", get_inputs, NULL, "(name, shape, dtype) of each input.", NULL},
    {"outputs", get_outputs, NULL, "(name, shape, dtype) of each output.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};
static PyMethodDef methods[] = {
    {"run", program_run, METH_VARARGS, "run($self, inputs, named, donate, timeout, /)\n--\n\n"},
    {"print", program_print, METH_VARARGS, "print($self, stage, format, /)\n--\n\n"},
    {"statistics", program_statistics, METH_NOARGS, "statistics($self, /)\n--\n\n"},
    {NULL, NULL, 0, NULL},
};
static PyType_Slot slots[] = {
    {Py_tp_doc, "A compiled program; tenon.Program has the interface for users."},
    CORE_SLOT(Py_tp_new, program_new),
    CORE_SLOT(Py_tp_dealloc, program_dealloc),
    {Py_tp_getset, members},
    {Py_tp_methods, methods},
    {0, NULL},
};
static PyType_Spec spec = {
    .name = "tenon.core.Program",
    .basicsize = sizeof(program_object_t),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
    .slots = slots,
};

bool core_add_programs(PyObject* module) {
  PyObject* type = PyType_FromSpec(&spec);
  const bool is_added = type && PyModule_AddType(module, (PyTypeObject*)type) == 0;
  Py_XDECREF(type);
  return is_added;
}
