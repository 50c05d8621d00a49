// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Functions as modules and back, and the handlers of libraries: what tenon.jax and files of
// functions (tenon/exports.py) are made of.

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <tenon/custom.h>
#include <tenon/tenon.h>

#include "operation.h"

// --- functions to modules

static PyObject* expect_array(void* user, PyObject* leaf) {
  (void)user;
  if (core_is_array(leaf)) return Py_NewRef(leaf);
  PyErr_Format(PyExc_TypeError, "the function should return arrays; it returned %R", leaf);
  return NULL;
}

// The text of a module, which is released.
static PyObject* text_of(tn_status_t status, tn_module_t* module) {
  core_text_t written;
  PyObject* text = NULL;
  if (core_check(status) && core_text_open(&written)) {
    text = core_text_close(&written, tn_module_print(module, tn_write_to_file, written.stream));
  }
  tn_module_release(module);
  return text;
}

static PyObject* finish(core_trace_t* trace, PyObject* result) {
  core_leaves_t outputs = {0};
  tn_module_t* module = NULL;
  PyObject* text = NULL;
  core_call_t call;
  PyObject* arrays = core_tree_map(result, expect_array, NULL);
  if (arrays && core_tree_flatten(arrays, &outputs) && core_begin(&call, NULL)) {
    tn_status_t status =
        tn_trace_export(trace->trace, call.scope, outputs.count, outputs.values, &module);
    text = text_of(status, module);
    core_end(&call);
  }
  Py_XDECREF(arrays);
  core_leaves_clear(&outputs);
  return text;
}

// The text, and what core_record_end gives.
static PyObject* finish_recorded(core_trace_t* trace, core_recorder_t* recorder, PyObject* result) {
  PyObject* text = result ? finish(trace, result) : NULL;
  PyObject* recording = core_record_end(recorder, text ? result : NULL);
  PyObject* pair = text && recording ? PyTuple_Pack(2, text, recording) : NULL;
  Py_XDECREF(recording);
  Py_XDECREF(text);
  return pair;
}

static PyObject* call_and_finish(core_trace_t* trace, PyObject* function, bool is_recorded) {
  core_recorder_t recorder;
  PyObject* tracers = PyList_AsTuple(trace->tracers);
  const bool is_ready = !is_recorded || core_record_begin(&recorder, trace->tracers);
  PyObject* result = tracers && is_ready ? PyObject_CallObject(function, tracers) : NULL;
  PyObject* exported = is_recorded ? finish_recorded(trace, &recorder, result)
                       : result    ? finish(trace, result)
                                   : NULL;
  Py_XDECREF(result);
  Py_XDECREF(tracers);
  return exported;
}

static PyObject* export_traced(PyObject* arguments, bool is_recorded) {
  const Py_ssize_t count = PyTuple_Size(arguments);
  PyObject* function = count ? PyTuple_GetItem(arguments, 0) : NULL;
  if (!function || !PyCallable_Check(function)) {
    PyErr_SetString(PyExc_TypeError, "_export_module: expected a function, and arrays");
    return NULL;
  }
  core_trace_t trace = {0};
  PyObject* inputs = PyTuple_GetSlice(arguments, 1, count);
  PyObject* exported = NULL;
  if (inputs && core_tree_flatten(inputs, &trace.inputs) &&
      core_trace_begin(&trace, TN_TRACE_TYPES, NULL)) {
    exported = call_and_finish(&trace, function, is_recorded);
  }
  core_trace_end(&trace);
  Py_XDECREF(inputs);
  return exported;
}

// export_module(function, *inputs): only shapes and dtypes of the inputs matter.
static PyObject* export_module(PyObject* self, PyObject* arguments) {
  (void)self;
  return export_traced(arguments, false);
}

static PyObject* export_recorded(PyObject* self, PyObject* arguments) {
  (void)self;
  return export_traced(arguments, true);
}

static PyObject* call_function(PyObject* self, PyObject* given) {
  const char* name = NULL;
  PyObject *arguments = NULL, *names = NULL;
  (void)self;
  if (!PyArg_ParseTuple(given, "sO!O!:_call_function", &name, &PyTuple_Type, &arguments,
                        &PyTuple_Type, &names)) {
    return NULL;
  }
  return core_call_by_name(name, arguments, PyTuple_Size(names) ? names : NULL);
}

static PyObject* value_id(PyObject* self, PyObject* object) {
  (void)self;
  if (core_is_array(object)) return core_value_id(object);
  return PyErr_Format(PyExc_TypeError, "_value_id: expected an array; found %R", object);
}

// graph_module(*arrays)
static PyObject* graph_module(PyObject* self, PyObject* arrays) {
  (void)self;
  core_leaves_t leaves = {0};
  core_call_t call;
  PyObject* text = NULL;
  if (core_tree_flatten(arrays, &leaves) && core_begin(&call, NULL)) {
    tn_module_t* module = NULL;
    tn_status_t status = TN_OK;
    status = tn_array_graph(call.scope, leaves.count, leaves.values, &module);
    text = text_of(status, module);
    core_end(&call);
  }
  core_leaves_clear(&leaves);
  return text;
}

// --- modules to functions

static void drop_imported(PyObject* capsule) {
  tn_imported_release(PyCapsule_GetPointer(capsule, NULL));
}

static PyObject* call_imported(PyObject* self, PyObject* arguments) {
  tn_imported_t* imported = PyCapsule_GetPointer(PyTuple_GetItem(self, 0), NULL);
  const size_t output_count = PyLong_AsSize_t(PyTuple_GetItem(self, 1));
  const size_t input_count = (size_t)PyTuple_Size(arguments);
  core_call_t call;
  core_pool_t pool;
  core_pool_init(&pool);
  if (!imported || !core_begin(&call, NULL)) return NULL;
  tn_array_t** inputs = core_allocate(&pool, input_count, sizeof(tn_array_t*));
  tn_array_t** outputs = core_allocate(&pool, output_count, sizeof(tn_array_t*));
  bool is_good = inputs && outputs;
  for (size_t i = 0; is_good && i < input_count; ++i) {
    is_good = core_convert(&call, PyTuple_GetItem(arguments, (Py_ssize_t)i), TN_DTYPE_INVALID,
                           &inputs[i]);
  }
  is_good = is_good && core_check(tn_imported_call(imported, call.scope, input_count, inputs,
                                                   output_count, outputs));
  PyObject* result = is_good ? core_tuple_of(output_count, outputs) : NULL;
  core_end(&call);
  core_free(&pool);
  return result;
}

static PyMethodDef imported_method = {
    "module_function", call_imported, METH_VARARGS,
    "module_function(*inputs)\n--\n\nThe main function of a module: gives a tuple of arrays."};

static PyObject* types_of(const tn_module_t* module, size_t function) {
  const size_t count = tn_module_output_count(module, function);
  PyObject* list = PyTuple_New((Py_ssize_t)count);
  for (size_t i = 0; list && i < count; ++i) {
    const tn_type_t* type = tn_module_output_type(module, function, i);
    PyObject* shape = core_shape_of(tn_type_rank(type), tn_type_dims(type));
    PyObject* dtype = core_dtype_object(tn_type_dtype(type));
    PyObject* pair = shape && dtype ? PyTuple_Pack(2, shape, dtype) : NULL;
    Py_XDECREF(shape);
    Py_XDECREF(dtype);
    if (pair) {
      PyTuple_SetItem(list, (Py_ssize_t)i, pair);
    } else {
      Py_CLEAR(list);
    }
  }
  return list;
}

// import_module(text): the function, and the types of its results
static PyObject* import_module(PyObject* self, PyObject* source) {
  (void)self;
  Py_ssize_t size = 0;
  const char* text = PyUnicode_AsUTF8AndSize(source, &size);
  core_call_t call;
  if (!text || !core_begin(&call, NULL)) return NULL;
  tn_module_t* module = NULL;
  tn_imported_t* imported = NULL;
  tn_status_t status = tn_module_parse(NULL, NULL, text, (size_t)size, &module);
  if (!status) status = tn_import_function(call.scope, module, "main", &imported);
  core_end(&call);
  PyObject* result = NULL;
  if (core_check(status)) {
    const size_t main = tn_module_find(module, "main");
    PyObject* types = types_of(module, main);
    PyObject* capsule = types ? PyCapsule_New(imported, NULL, drop_imported) : NULL;
    if (capsule) imported = NULL;
    PyObject* bound = capsule ? Py_BuildValue("(Nn)", capsule, PyTuple_Size(types)) : NULL;
    PyObject* function = bound ? PyCFunction_NewEx(&imported_method, bound, NULL) : NULL;
    if (function) result = PyTuple_Pack(2, function, types);
    Py_XDECREF(function);
    Py_XDECREF(bound);
    Py_XDECREF(types);
  }
  tn_imported_release(imported);
  tn_module_release(module);
  return result;
}

// --- handlers

static PyObject* capsule_of(const void* function) {
  void* address = NULL;
  memcpy(&address, function, sizeof address);
  return address ? PyCapsule_New(address, NULL, NULL) : Py_NewRef(Py_None);
}

static PyObject* stages_of(const tn_ffi_op_t* op) {
  return Py_BuildValue("{s:N,s:N,s:N,s:N}", "instantiate", capsule_of(&op->bundle.instantiate),
                       "prepare", capsule_of(&op->bundle.prepare), "initialize",
                       capsule_of(&op->bundle.initialize), "execute",
                       capsule_of(&op->bundle.execute));
}

static PyObject* operands_of(const tn_ffi_op_t* op) {
  PyObject* names = PyList_New(0);
  for (size_t i = 0; names && i < op->param_count; ++i) {
    const char* rows = (const char*)op->params;
    const tn_ffi_param_t* param = (const tn_ffi_param_t*)(const void*)(rows + i * op->param_size);
    if (param->kind != TN_FFI_PARAM_ARG) continue;
    PyObject* name = PyUnicode_FromString(param->name);
    if (!name || PyList_Append(names, name) < 0) Py_CLEAR(names);
    Py_XDECREF(name);
  }
  return names;
}

// library_handlers(path): (name, platform, traits, names of operands, stages) of each typed
// operation of a library that is loaded.
static PyObject* library_handlers(PyObject* self, PyObject* arguments) {
  (void)self;
  const char* path = NULL;
  if (!PyArg_ParseTuple(arguments, "s:_library_handlers", &path)) return NULL;
  void* handle = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
  const tn_ffi_library_t* library = handle ? dlsym(handle, TN_FFI_LIBRARY_SYMBOL) : NULL;
  PyObject* list = PyList_New(0);
  for (int32_t i = 0; library && list && i < library->op_count; ++i) {
    const tn_ffi_op_t* op = library->ops[i];
    if (op->api_version != TN_API_VERSION_TYPED_FFI) continue;
    PyObject* row = Py_BuildValue("(ssINN)", op->name, op->platform, (unsigned)op->traits,
                                  operands_of(op), stages_of(op));
    if (!row || PyList_Append(list, row) < 0) Py_CLEAR(list);
    Py_XDECREF(row);
  }
  if (handle) dlclose(handle);
  return list;
}

// --- the functions of mlx.core for files, which are in Python

PyObject* core_call_python(const char* module_name, const char* name, PyObject* arguments,
                           PyObject* keywords) {
  PyObject* module = PyImport_ImportModule(module_name);
  PyObject* function = module ? PyObject_GetAttrString(module, name) : NULL;
  PyObject* result = function ? PyObject_Call(function, arguments, keywords) : NULL;
  Py_XDECREF(function);
  Py_XDECREF(module);
  return result;
}

static PyObject* export_function(PyObject* self, PyObject* arguments, PyObject* keywords) {
  (void)self;
  return core_call_python("tenon.exports", "export_function", arguments, keywords);
}

static PyObject* export_to_dot(PyObject* self, PyObject* arguments, PyObject* keywords) {
  (void)self;
  return core_call_python("tenon.exports", "export_to_dot", arguments, keywords);
}

static PyObject* exporter(PyObject* self, PyObject* arguments, PyObject* keywords) {
  (void)self;
  return core_call_python("tenon.exports", "exporter", arguments, keywords);
}

static PyObject* import_function(PyObject* self, PyObject* arguments, PyObject* keywords) {
  (void)self;
  return core_call_python("tenon.exports", "import_function", arguments, keywords);
}

#define WITH_KEYWORDS(function) \
  (PyCFunction)(void (*)(void))(function), METH_VARARGS | METH_KEYWORDS

static PyMethodDef functions[] = {
    {"export_function", WITH_KEYWORDS(export_function),
     "export_function(file_or_callback, fun, *args, shapeless=False, metadata=None, **kwargs)\n"
     "--\n\n"
     "Writes `fun`, for arguments with the shapes and dtypes of those given, as StableHLO text.\n"
     "With `shapeless` the file also has the calls of array functions, which import_function "
     "makes\n"
     "again for other shapes of the same ranks; sizes that `fun` has read stay as they were."},
    {"exporter", WITH_KEYWORDS(exporter),
     "exporter(file, fun, *, shapeless=False, metadata=None)\n--\n\n"
     "A context manager whose calls write `fun` for the arguments of each."},
    {"import_function", WITH_KEYWORDS(import_function),
     "import_function(file, return_metadata=False)\n--\n\n"
     "The function in a file that export_function or exporter wrote, or in any file of StableHLO\n"
     "text; it returns a tuple of arrays."},
    {"export_to_dot", WITH_KEYWORDS(export_to_dot),
     "export_to_dot(file, /, *args, **kwargs)\n--\n\n"
     "Writes the operations that arrays, or trees of arrays, still depend on as a graph for\n"
     "Graphviz, to a path or an open file."},
    {"_graph_module", graph_module, METH_VARARGS,
     "_graph_module(*arrays)\n--\n\nThe text of a module with what the arrays still depend on."},
    {"_export_module", export_module, METH_VARARGS,
     "_export_module(function, *inputs)\n--\n\nThe text of a module with the function as @main."},
    {"_export_recorded", export_recorded, METH_VARARGS,
     "_export_recorded(function, *inputs)\n--\n\nThe text of export_module, and the calls of array "
     "functions: a tuple of the calls, the inputs and the result, or None."},
    {"_call_function", call_function, METH_VARARGS,
     "_call_function(name, arguments, names)\n--\n\nCalls an array function; `names` are those of "
     "the last arguments."},
    {"_value_id", value_id, METH_O,
     "_value_id(array)\n--\n\nA number that the array has alone as long as nothing sets it."},
    {"_import_module", import_module, METH_O,
     "_import_module(text)\n--\n\nThe function @main of a module, and the (shape, dtype) of each "
     "of "
     "its results."},
    {"_library_handlers", library_handlers, METH_VARARGS,
     "_library_handlers(path)\n--\n\nThe handlers of a library that is loaded. For tenon.jax."},
    {NULL, NULL, 0, NULL},
};

bool core_add_exports(PyObject* module) {
  return PyModule_AddFunctions(module, functions) == 0;
}
