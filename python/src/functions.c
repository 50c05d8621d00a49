// The functions of the table: arguments of Python to those of C, and results back.

#include <stdlib.h>
#include <string.h>

#include "core.h"

enum { MAX_PARAMETERS = 24, MAX_ALLOCATIONS = 8 };

struct core_function {
  const tn_array_function_t* table;
  PyObject* names[MAX_PARAMETERS];   // interned
  bool is_promoted[MAX_PARAMETERS];  // with the others: numbers take the dtype of the arrays
  PyMethodDef method;
  char* doc;
};

static core_function_t* functions;  // as in the table
static PyObject* stream_name;

// A call on its way.
typedef struct arguments {
  const core_function_t* function;
  PyObject* objects[MAX_PARAMETERS];  // views; NULL: not given
  PyObject* stream;
  tn_argument_t values[MAX_PARAMETERS];
  void* allocations[MAX_ALLOCATIONS];
  size_t allocation_count;
} arguments_t;

const core_function_t* core_function_find(const char* name) {
  for (size_t i = 0; i < tn_array_function_count; ++i) {
    if (strcmp(tn_array_functions[i].name, name) == 0) return &functions[i];
  }
  abort();
}

static const char* name_of(const arguments_t* arguments) {
  return arguments->function->table->attribute;
}

static void* allocate(arguments_t* arguments, size_t count, size_t size) {
  void* memory =
      arguments->allocation_count < MAX_ALLOCATIONS ? PyMem_Calloc(count ? count : 1, size) : NULL;
  if (memory) {
    arguments->allocations[arguments->allocation_count++] = memory;
  } else {
    PyErr_NoMemory();
  }
  return memory;
}

// --- which argument is which

static size_t find_name(const core_function_t* function, PyObject* name) {
  const size_t count = function->table->parameter_count;
  for (size_t i = 0; i < count; ++i) {
    if (function->names[i] == name) return i;
  }
  for (size_t i = 0; i < count; ++i) {
    if (PyUnicode_Compare(function->names[i], name) == 0) return i;
  }
  return count;
}

static bool bind_keyword(arguments_t* arguments, PyObject* name, PyObject* object) {
  if (name == stream_name || PyUnicode_Compare(name, stream_name) == 0) {
    arguments->stream = object;
    return true;
  }
  const tn_array_function_t* table = arguments->function->table;
  const size_t i = find_name(arguments->function, name);
  if (i == table->parameter_count) {
    PyErr_Format(PyExc_TypeError, "%s() got an unexpected keyword argument '%U'; it is %s",
                 table->attribute, name, table->signature);
    return false;
  }
  if (arguments->objects[i]) {
    PyErr_Format(PyExc_TypeError, "%s() got multiple values for argument '%U'", table->attribute,
                 name);
    return false;
  }
  arguments->objects[i] = object;
  return true;
}

static bool bind(arguments_t* arguments, PyObject* first, PyObject* const* objects,
                 Py_ssize_t count, PyObject* names) {
  const tn_array_function_t* table = arguments->function->table;
  const size_t is_method = first != NULL;
  if ((size_t)count + is_method > table->parameter_count) {
    PyErr_Format(PyExc_TypeError,
                 "%s() takes %zu positional arguments but %zd were given: it is %s",
                 table->attribute, table->parameter_count - is_method, count, table->signature);
    return false;
  }
  if (first) arguments->objects[0] = first;
  for (Py_ssize_t i = 0; i < count; ++i) arguments->objects[(size_t)i + is_method] = objects[i];
  const Py_ssize_t name_count = names ? PyTuple_Size(names) : 0;
  for (Py_ssize_t i = 0; i < name_count; ++i) {
    if (!bind_keyword(arguments, PyTuple_GetItem(names, i), objects[count + i])) return false;
  }
  for (size_t i = 0; i < table->parameter_count; ++i) {
    if (arguments->objects[i] || table->parameters[i].is_optional) continue;
    PyErr_Format(PyExc_TypeError, "%s() missing required argument '%s': it is %s", table->attribute,
                 table->parameters[i].name, table->signature);
    return false;
  }
  return true;
}

// --- their values

// Says which argument the exception is about.
static bool blame(const arguments_t* arguments, size_t i) {
  if (!PyErr_ExceptionMatches(PyExc_TypeError)) return false;
  PyObject *type, *value, *trace;
  PyErr_Fetch(&type, &value, &trace);
  PyErr_Format(PyExc_TypeError, "%s(): argument '%s': %S; it is %s", name_of(arguments),
               arguments->function->table->parameters[i].name, value,
               arguments->function->table->signature);
  Py_XDECREF(type);
  Py_XDECREF(value);
  Py_XDECREF(trace);
  return false;
}

static bool to_integer(PyObject* object, int64_t* out_value) {
  PyObject* index = PyNumber_Index(object);
  if (!index) return false;
  *out_value = PyLong_AsLongLong(index);
  Py_DECREF(index);
  return *out_value != -1 || !PyErr_Occurred();
}

static bool to_real(PyObject* object, double* out_value) {
  *out_value = PyFloat_AsDouble(object);
  return *out_value != -1 || !PyErr_Occurred();
}

// One integer stands for a list of it.
static bool to_integers(arguments_t* arguments, PyObject* object, tn_argument_t* value) {
  const bool is_one = PyIndex_Check(object) && !PySequence_Check(object);
  PyObject* list = is_one ? PyTuple_Pack(1, object) : PySequence_Tuple(object);
  if (!list) return false;
  const Py_ssize_t count = PyTuple_Size(list);
  int64_t* integers = allocate(arguments, (size_t)count, sizeof *integers);
  bool is_done = integers != NULL;
  for (Py_ssize_t i = 0; is_done && i < count; ++i) {
    is_done = to_integer(PyTuple_GetItem(list, i), &integers[i]);
  }
  Py_DECREF(list);
  value->integers = integers;
  value->count = (size_t)count;
  return is_done;
}

static bool to_arrays(arguments_t* arguments, core_call_t* call, PyObject* object,
                      tn_argument_t* value) {
  PyObject* list = core_is_array(object) ? PyTuple_Pack(1, object) : PySequence_Tuple(object);
  if (!list) return false;
  const Py_ssize_t count = PyTuple_Size(list);
  tn_array_t** arrays = allocate(arguments, (size_t)count, sizeof *arrays);
  bool is_done = arrays != NULL;
  for (Py_ssize_t i = 0; is_done && i < count; ++i) {
    is_done = core_convert(call, PyTuple_GetItem(list, i), TN_DTYPE_INVALID, &arrays[i]);
  }
  Py_DECREF(list);  // arrays that were in it are the caller's, or the scope's
  value->arrays = arrays;
  value->count = (size_t)count;
  return is_done;
}

static bool to_choice(const tn_parameter_t* parameter, PyObject* object, int64_t* out_value) {
  const char* text = PyUnicode_Check(object) ? PyUnicode_AsUTF8AndSize(object, NULL) : NULL;
  if (PyErr_Occurred()) return false;
  for (int64_t i = 0; text && parameter->choices[i]; ++i) {
    *out_value = i;
    if (strcmp(text, parameter->choices[i]) == 0) return true;
  }
  char names[256] = "";
  for (size_t i = 0; parameter->choices[i]; ++i) {
    const size_t length = strlen(names);
    snprintf(names + length, sizeof names - length, "%s'%s'", i ? ", " : "", parameter->choices[i]);
  }
  PyErr_Format(text ? PyExc_ValueError : PyExc_TypeError, "%s: expected one of %s; found %R",
               parameter->name, names, object);
  return false;
}

static bool to_value(arguments_t* arguments, core_call_t* call, size_t i) {
  const tn_parameter_t* parameter = &arguments->function->table->parameters[i];
  PyObject* object = arguments->objects[i];
  tn_argument_t* value = &arguments->values[i];
  switch (parameter->kind) {
    case TN_PARAMETER_ARRAY: return core_convert(call, object, TN_DTYPE_INVALID, &value->array);
    case TN_PARAMETER_ARRAYS: return to_arrays(arguments, call, object, value);
    case TN_PARAMETER_AXIS:
    case TN_PARAMETER_INTEGER: return to_integer(object, &value->integer);
    case TN_PARAMETER_INTEGERS: return to_integers(arguments, object, value);
    case TN_PARAMETER_REAL: return to_real(object, &value->real);
    case TN_PARAMETER_REAL_OR_NONE:
      value->real_or_null = &value->real;
      return to_real(object, &value->real);
    case TN_PARAMETER_BOOL: {
      const int is_true = PyObject_IsTrue(object);
      value->integer = is_true > 0;
      return is_true >= 0;
    }
    case TN_PARAMETER_DTYPE: {
      tn_dtype_t dtype = TN_DTYPE_INVALID;
      const bool is_dtype = core_dtype_from(object, &dtype);
      value->integer = dtype;
      return is_dtype;
    }
    case TN_PARAMETER_CHOICE: return to_choice(parameter, object, &value->integer);
    case TN_PARAMETER_TEXT:
      value->text = PyUnicode_AsUTF8AndSize(object, NULL);
      return value->text != NULL;
  }
  return false;
}

// The dtype that the arrays among promoted operands have together.
static tn_dtype_t promoted_dtype(const arguments_t* arguments) {
  tn_dtype_t dtype = TN_DTYPE_INVALID;
  for (size_t i = 0; i < arguments->function->table->parameter_count; ++i) {
    if (!arguments->function->is_promoted[i] || !arguments->values[i].array) continue;
    const tn_dtype_t other = tn_array_dtype(arguments->values[i].array);
    dtype = dtype ? tn_promote_types(dtype, other) : other;
  }
  return dtype;
}

// Numbers wait for the dtype of the arrays beside them.
static bool is_waiting(const arguments_t* arguments, size_t i) {
  return arguments->function->is_promoted[i] && arguments->objects[i] &&
         core_is_scalar(arguments->objects[i]);
}

static bool to_values(arguments_t* arguments, core_call_t* call) {
  const tn_array_function_t* table = arguments->function->table;
  bool has_waiting = false;
  for (size_t i = 0; i < table->parameter_count; ++i) {
    PyObject* object = arguments->objects[i];
    arguments->values[i] = tn_argument_default(&table->parameters[i]);
    if (object == Py_None && table->parameters[i].is_optional) object = NULL;
    if (!object) continue;
    if (is_waiting(arguments, i)) {
      has_waiting = true;
    } else if (!to_value(arguments, call, i)) {
      return blame(arguments, i);
    }
  }
  if (!has_waiting) return true;
  const tn_dtype_t dtype = promoted_dtype(arguments);
  for (size_t i = 0; i < table->parameter_count; ++i) {
    if (is_waiting(arguments, i) &&
        !core_convert(call, arguments->objects[i], dtype, &arguments->values[i].array)) {
      return blame(arguments, i);
    }
  }
  return true;
}

// --- results

static PyObject* to_list(size_t count, tn_array_t* const* results, bool is_tuple) {
  PyObject* list = is_tuple ? PyTuple_New((Py_ssize_t)count) : PyList_New((Py_ssize_t)count);
  for (size_t i = 0; list && i < count; ++i) {
    PyObject* object = core_array_object(results[i]);
    if (!object) {
      Py_CLEAR(list);
    } else if (is_tuple) {
      PyTuple_SetItem(list, (Py_ssize_t)i, object);
    } else {
      PyList_SetItem(list, (Py_ssize_t)i, object);
    }
  }
  return list;
}

static PyObject* call_table(arguments_t* arguments, core_call_t* call) {
  const tn_array_function_t* table = arguments->function->table;
  if (table->result_kind == TN_RESULT_ARRAY) {
    tn_array_t* result = NULL;
    tn_array_function_call(table, call->scope, arguments->values, &result);
    return core_array_object(result);
  }
  const size_t count = tn_array_function_result_count(table, arguments->values);
  if (count > (size_t)1 << 20) {
    PyErr_Format(PyExc_ValueError, "%s() would have too many results", table->attribute);
    return NULL;
  }
  tn_array_t** results = allocate(arguments, count, sizeof *results);
  if (!results) return NULL;
  tn_array_function_call(table, call->scope, arguments->values, results);
  return to_list(count, results, table->result_kind == TN_RESULT_TUPLE);
}

PyObject* core_function_call(const core_function_t* function, PyObject* first,
                             PyObject* const* objects, Py_ssize_t count, PyObject* names) {
  arguments_t arguments;
  arguments.function = function;
  memset(arguments.objects, 0, function->table->parameter_count * sizeof *arguments.objects);
  arguments.stream = NULL;
  arguments.allocation_count = 0;
  if (!bind(&arguments, first, objects, count, names)) return NULL;
  core_call_t call;
  if (!core_begin(&call, arguments.stream)) return NULL;
  PyObject* result = to_values(&arguments, &call) ? call_table(&arguments, &call) : NULL;
  core_end(&call);
  for (size_t i = 0; i < arguments.allocation_count; ++i) PyMem_Free(arguments.allocations[i]);
  return result;
}

// --- the module

static PyObject* call_function(PyObject* self, PyObject* const* objects, Py_ssize_t count,
                               PyObject* names) {
  const core_function_t* function = PyCapsule_GetPointer(self, NULL);
  return function ? core_function_call(function, NULL, objects, count, names) : NULL;
}

// Operands that are promoted to one dtype.
static bool is_promoted(const tn_array_function_t* table, const tn_parameter_t* parameter) {
  static const char* const names[] = {"a", "b", "x", "y", "a_min", "a_max"};
  size_t arrays = 0;
  bool is_named = false;
  for (size_t i = 0; i < table->parameter_count; ++i) {
    arrays += table->parameters[i].kind == TN_PARAMETER_ARRAY;
  }
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
    is_named = is_named || strcmp(parameter->name, names[i]) == 0;
  }
  return is_named && arrays > 1 && parameter->kind == TN_PARAMETER_ARRAY;
}

// inspect.signature reads the first line.
static char* doc_of(const tn_array_function_t* table) {
  static const char format[] = "%.*s%s*, stream=None)\n--\n\n%s\n\n%s";
  const int length = (int)strlen(table->signature) - 1;
  const char* separator = table->parameter_count ? ", " : "";
  const int size =
      snprintf(NULL, 0, format, length, table->signature, separator, table->signature, table->doc);
  char* doc = PyMem_Malloc((size_t)size + 1);
  if (doc) {
    snprintf(doc, (size_t)size + 1, format, length, table->signature, separator, table->signature,
             table->doc);
  }
  return doc;
}

// tenon.core, or a module in it, which is created.
static PyObject* module_of(PyObject* core, const char* name) {
  if (!*name) return Py_NewRef(core);
  if (PyObject_HasAttrString(core, name)) return PyObject_GetAttrString(core, name);
  char full[64];
  snprintf(full, sizeof full, "tenon.core.%s", name);
  PyObject* module = Py_XNewRef(PyImport_AddModule(full));
  if (module && PyModule_AddObjectRef(core, name, module) < 0) Py_CLEAR(module);
  return module;
}

static bool prepare(core_function_t* function, const tn_array_function_t* table) {
  if (table->parameter_count > MAX_PARAMETERS) abort();
  function->table = table;
  for (size_t i = 0; i < table->parameter_count; ++i) {
    function->names[i] = PyUnicode_InternFromString(table->parameters[i].name);
    if (!function->names[i]) return false;
    function->is_promoted[i] = is_promoted(table, &table->parameters[i]);
  }
  function->doc = doc_of(table);
  function->method = (PyMethodDef){table->attribute, (PyCFunction)(void (*)(void))call_function,
                                   METH_FASTCALL | METH_KEYWORDS, function->doc};
  return function->doc != NULL;
}

static bool add_function(PyObject* core, core_function_t* function) {
  PyObject* module = module_of(core, function->table->module);
  PyObject* name = module ? PyModule_GetNameObject(module) : NULL;
  PyObject* self = name ? PyCapsule_New(function, NULL, NULL) : NULL;
  PyObject* object = self ? PyCFunction_NewEx(&function->method, self, name) : NULL;
  const bool is_added =
      object && PyModule_AddObjectRef(module, function->table->attribute, object) == 0;
  Py_XDECREF(object);
  Py_XDECREF(self);
  Py_XDECREF(name);
  Py_XDECREF(module);
  return is_added;
}

bool core_add_functions(PyObject* core) {
  stream_name = PyUnicode_InternFromString("stream");
  for (size_t i = 0; i < tn_array_function_count; ++i) {
    if (!add_function(core, &functions[i])) return false;
  }
  return stream_name != NULL;
}

bool core_prepare_functions(PyObject* core) {
  (void)core;
  functions = PyMem_Calloc(tn_array_function_count, sizeof *functions);
  for (size_t i = 0; functions && i < tn_array_function_count; ++i) {
    if (!prepare(&functions[i], &tn_array_functions[i])) return false;
  }
  return functions != NULL;
}
