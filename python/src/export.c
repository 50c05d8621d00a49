// Functions of Python as StableHLO modules, and modules as functions. tenon/exports.py has files of
// them and the functions that mlx.core has.

#include <string.h>

#include "core.h"

// --- to text

static tn_status_t append(void* user, const char* bytes, size_t length) {
  PyObject* text = user;
  const Py_ssize_t size = PyByteArray_Size(text);
  if (PyByteArray_Resize(text, size + (Py_ssize_t)length) < 0) {
    return tn_status_create(TN_CODE_RESOURCE_EXHAUSTED, "out of memory");
  }
  memcpy(PyByteArray_AsString(text) + size, bytes, length);
  return TN_OK;
}

static PyObject* print_module(const tn_module_t* module) {
  PyObject* text = PyByteArray_FromStringAndSize(NULL, 0);
  if (!text || core_check(tn_module_print(module, append, text))) return text;
  Py_DECREF(text);
  return NULL;
}

static PyObject* print_trace(const core_trace_t* trace, const core_leaves_t* outputs) {
  core_call_t call;
  tn_module_t* module = NULL;
  if (!core_begin(&call, NULL)) return NULL;
  tn_status_t status =
      tn_trace_export(trace->trace, call.scope, outputs->count, outputs->values, &module);
  core_end(&call);
  PyObject* text = core_check(status) ? print_module(module) : NULL;
  tn_module_release(module);
  return text;
}

// The outputs of the function: an array, or a list or tuple of arrays.
static bool take_outputs(PyObject* result, core_leaves_t* outputs) {
  const bool is_sequence = PyList_Check(result) || PyTuple_Check(result);
  const Py_ssize_t count = is_sequence ? PySequence_Size(result) : 0;
  bool is_fine = is_sequence || core_is_array(result);
  for (Py_ssize_t i = 0; is_fine && i < count; ++i) {
    PyObject* part = PySequence_GetItem(result, i);
    is_fine = part && core_is_array(part);
    Py_XDECREF(part);
  }
  if (is_fine) return core_tree_flatten(result, outputs);
  PyErr_SetString(PyExc_ValueError,
                  "[export_function] the function should return an array, or a list or tuple of "
                  "arrays");
  return false;
}

// Calls the function with tracers for the arrays in the arguments.
static PyObject* call_traced(const core_trace_t* trace, PyObject* function, PyObject* arguments,
                             PyObject* keywords) {
  core_fill_t fill = {trace->tracers, 0};
  PyObject* positional = core_tree_map(arguments, core_fill_next, &fill);
  PyObject* named = positional ? core_tree_map(keywords, core_fill_next, &fill) : NULL;
  PyObject* result = named ? PyObject_Call(function, positional, named) : NULL;
  Py_XDECREF(positional);
  Py_XDECREF(named);
  return result;
}

static PyObject* export_module(PyObject* module, PyObject* arguments) {
  PyObject *function = NULL, *positional = NULL, *keywords = NULL, *text = NULL, *result = NULL;
  core_trace_t trace = {0};
  core_leaves_t outputs = {0};
  (void)module;
  if (!PyArg_ParseTuple(arguments, "OO!O!:export_module", &function, &PyTuple_Type, &positional,
                        &PyDict_Type, &keywords)) {
    return NULL;
  }
  if (core_tree_flatten(positional, &trace.inputs) && core_tree_flatten(keywords, &trace.inputs) &&
      core_trace_begin(&trace, TN_TRACE_TYPES, NULL)) {
    result = call_traced(&trace, function, positional, keywords);
    if (result && take_outputs(result, &outputs)) text = print_trace(&trace, &outputs);
  }
  Py_XDECREF(result);
  core_leaves_clear(&outputs);
  core_trace_end(&trace);
  return text;
}

// --- from text

// What an imported function is: the capsule's pointer.
typedef struct imported {
  tn_imported_t* value;
  size_t output_count;
} imported_t;

static void destroy_imported(PyObject* capsule) {
  imported_t* imported = PyCapsule_GetPointer(capsule, NULL);
  tn_imported_release(imported->value);
  PyMem_Free(imported);
}

static PyObject* call_imported(PyObject* self, PyObject* tree) {
  const imported_t* imported = PyCapsule_GetPointer(self, NULL);
  core_leaves_t inputs = {0};
  core_call_t call;
  PyObject* objects = NULL;
  if (!imported) return NULL;
  tn_array_t** outputs = PyMem_Calloc(imported->output_count + 1, sizeof(tn_array_t*));
  if (!outputs) return PyErr_NoMemory();
  if (core_tree_flatten(tree, &inputs) && core_begin(&call, NULL)) {
    if (core_check(tn_imported_call(imported->value, call.scope, inputs.count, inputs.values,
                                    imported->output_count, outputs))) {
      objects = core_objects_of(imported->output_count, outputs);
    }
    core_end(&call);
  }
  PyMem_Free(outputs);
  core_leaves_clear(&inputs);
  return objects;
}

static bool parse(const char* text, size_t length, imported_t* imported) {
  core_call_t call;
  tn_module_t* module = NULL;
  tn_status_t status = TN_OK;
  Py_BEGIN_ALLOW_THREADS;
  status = tn_module_parse(NULL, "exported function", text, length, &module);
  Py_END_ALLOW_THREADS;
  if (!core_check(status)) return false;
  const size_t index = tn_module_find(module, NULL);
  bool is_done = index != SIZE_MAX;
  if (!is_done) {
    PyErr_SetString(PyExc_ValueError, "import_function(): the module has no function main");
  } else if ((is_done = core_begin(&call, NULL))) {
    imported->output_count = tn_module_result_count(module, index);
    is_done = core_check(tn_import_function(
        call.scope, module, tn_module_function_name(module, index), &imported->value));
    core_end(&call);
  }
  tn_module_release(module);
  return is_done;
}

static PyObject* import_module(PyObject* module, PyObject* source) {
  static PyMethodDef method = {"imported", call_imported, METH_O,
                               "imported(inputs, /)\n--\n\nA list of the outputs."};
  char* bytes = NULL;
  Py_ssize_t size = 0;
  (void)module;
  if (PyBytes_AsStringAndSize(source, &bytes, &size) < 0) return NULL;
  imported_t* imported = PyMem_Calloc(1, sizeof *imported);
  if (!imported) return PyErr_NoMemory();
  if (!parse(bytes, (size_t)size, imported)) {
    PyMem_Free(imported);
    return NULL;
  }
  PyObject* capsule = PyCapsule_New(imported, NULL, destroy_imported);
  if (!capsule) {
    tn_imported_release(imported->value);
    PyMem_Free(imported);
    return NULL;
  }
  PyObject* function = PyCFunction_NewEx(&method, capsule, NULL);
  Py_DECREF(capsule);
  return function;
}

// --- the functions of mlx.core, which are in Python

static PyObject* call_python(const char* name, PyObject* arguments, PyObject* keywords) {
  PyObject* module = PyImport_ImportModule("tenon.exports");
  PyObject* function = module ? PyObject_GetAttrString(module, name) : NULL;
  PyObject* result = function ? PyObject_Call(function, arguments, keywords) : NULL;
  Py_XDECREF(function);
  Py_XDECREF(module);
  return result;
}

static PyObject* export_function(PyObject* module, PyObject* arguments, PyObject* keywords) {
  (void)module;
  return call_python("export_function", arguments, keywords);
}

static PyObject* exporter(PyObject* module, PyObject* arguments, PyObject* keywords) {
  (void)module;
  return call_python("exporter", arguments, keywords);
}

static PyObject* import_function(PyObject* module, PyObject* arguments, PyObject* keywords) {
  (void)module;
  return call_python("import_function", arguments, keywords);
}

#define WITH_KEYWORDS(function) \
  (PyCFunction)(void (*)(void))(function), METH_VARARGS | METH_KEYWORDS

static PyMethodDef functions[] = {
    {"_export_module", export_module, METH_VARARGS,
     "_export_module(fun, args, kwargs, /)\n--\n\nThe text of a module, a bytearray."},
    {"_import_module", import_module, METH_O,
     "_import_module(text, /)\n--\n\nA function of a list of arrays for the text of a module."},
    {"export_function", WITH_KEYWORDS(export_function),
     "export_function(file_or_callback, fun, *args, shapeless=False, metadata=None, **kwargs)\n"
     "--\n\n"
     "Writes `fun`, for arguments with the shapes and dtypes of those given, as StableHLO text.\n"
     "`shapeless` is accepted: the exported function is for these shapes all the same."},
    {"exporter", WITH_KEYWORDS(exporter),
     "exporter(file, fun, *, shapeless=False, metadata=None)\n--\n\n"
     "A context manager whose calls write `fun` for the arguments of each."},
    {"import_function", WITH_KEYWORDS(import_function),
     "import_function(file, return_metadata=False)\n--\n\n"
     "The function in a file that export_function or exporter wrote, or in any StableHLO file; it\n"
     "returns a tuple of arrays."},
    {NULL, NULL, 0, NULL},
};

bool core_add_export(PyObject* module) {
  return PyModule_AddFunctions(module, functions) == 0;
}
