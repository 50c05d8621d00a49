// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// The functions of the table: arguments of Python to those of C, and results back.

#include <stdlib.h>
#include <string.h>

#include "function.h"

enum { NO_SOURCE = CORE_MAX_PARAMETERS };

static core_function_t* functions;  // those of the table, adapters, and aliases
static size_t function_count;
static PyObject *stream_name, *axis_name, *axes_name;

// The arguments of a function of the table, on their way to C.
typedef struct arguments {
  const core_function_t* function;  // of the table
  PyObject* const* objects;         // views; NULL: not given
  tn_argument_t values[CORE_MAX_PARAMETERS];
  core_pool_t pool;
} arguments_t;

// What a call gives the parameters of a signature.
typedef struct bound {
  const core_function_t* function;
  PyObject* objects[CORE_MAX_PARAMETERS];  // views; NULL: not given
  PyObject* stream;
  PyObject* rest;  // owned
} bound_t;

// The functions of the table come first, and have its names in C.
static const core_function_t* find_in_table(const char* name) {
  for (size_t i = 0; i < tn_array_function_count; ++i) {
    if (strcmp(tn_array_functions[i].name, name) == 0) return &functions[i];
  }
  return NULL;
}

const core_function_t* core_function_search(const char* name) {
  const char* point = strchr(name, '.');
  const size_t length = point ? (size_t)(point - name) : 0;
  const char* attribute = point ? point + 1 : name;
  for (size_t i = function_count; i-- > 0;) {
    const core_function_t* function = &functions[i];
    if (strlen(function->module) == length && strncmp(function->module, name, length) == 0 &&
        strcmp(function->name, attribute) == 0) {
      return function;
    }
  }
  return NULL;
}

const core_function_t* core_function_find(const char* name) {
  const core_function_t* function = core_function_search(name);
  if (!function) abort();
  return function;
}

const char* core_function_name(const core_function_t* function) {
  return function->name;
}

PyObject* core_function_full_name(const core_function_t* function) {
  return PyUnicode_FromFormat("%s%s%s", function->module, *function->module ? "." : "",
                              function->name);
}

// --- which argument is which

static size_t find_name(const core_function_t* function, PyObject* name) {
  for (size_t i = 0; i < function->count; ++i) {
    if (function->names[i] == name) return i;
  }
  for (size_t i = 0; i < function->count; ++i) {
    if (PyUnicode_Compare(function->names[i], name) == 0) return i;
  }
  return function->count;
}

static size_t find_keyword(const core_function_t* function, PyObject* name) {
  const size_t found = find_name(function, name);
  for (size_t i = 0; found == function->count && i < core_keyword_count; ++i) {
    const core_keyword_t* keyword = &core_keywords[i];
    if (strcmp(keyword->function, function->name) != 0 ||
        PyUnicode_CompareWithASCIIString(name, keyword->name) != 0) {
      continue;
    }
    for (size_t at = 0; at < function->count; ++at) {
      if (PyUnicode_CompareWithASCIIString(function->names[at], keyword->parameter) == 0) return at;
    }
  }
  return found;
}

// Functions of NumPy call methods of other arrays with out=None and dtype=None.
static bool is_numpy(PyObject* name) {
  return PyUnicode_CompareWithASCIIString(name, "out") == 0 ||
         PyUnicode_CompareWithASCIIString(name, "dtype") == 0;
}

static bool bind_keyword(bound_t* bound, PyObject* name, PyObject* object) {
  if (name == stream_name || PyUnicode_Compare(name, stream_name) == 0) {
    bound->stream = object;
    return true;
  }
  const core_function_t* function = bound->function;
  if (function->has_device && PyUnicode_CompareWithASCIIString(name, "device") == 0) {
    if (!bound->stream) bound->stream = object;
    return true;
  }
  const size_t i = find_keyword(function, name);
  if (i >= function->count || i == function->rest) {
    if (object == Py_None && is_numpy(name)) return true;
    char usage[CORE_MAX_SIGNATURE + 64];
    snprintf(usage, sizeof usage, "%s(%s)", function->name, function->signature);
    return core_raise_keyword(function->name, name, function->count, function->names, usage);
  }
  if (bound->objects[i]) {
    PyErr_Format(PyExc_TypeError, "%s() got multiple values for argument '%U'", function->name,
                 name);
    return false;
  }
  bound->objects[i] = object;
  return true;
}

// Positions behind those of the signature: the elements of "*name", or a stream.
static bool bind_rest(bound_t* bound, size_t is_method, PyObject* const* objects, size_t count) {
  const core_function_t* function = bound->function;
  const size_t taken = function->positional_count - is_method;
  const size_t surplus = count > taken ? count - taken : 0;
  if (function->rest < function->count) {
    bound->rest = PyTuple_New((Py_ssize_t)surplus);
    for (size_t i = 0; bound->rest && i < surplus; ++i) {
      PyTuple_SetItem(bound->rest, (Py_ssize_t)i, Py_NewRef(objects[taken + i]));
    }
    bound->objects[function->rest] = bound->rest;
    return bound->rest != NULL;
  }
  if (surplus == 1 && function->has_stream_position) {
    bound->stream = objects[taken];
  } else if (surplus) {
    PyErr_Format(PyExc_TypeError,
                 "%s() takes %zu positional arguments but %zu were given: it is %s(%s)",
                 function->name, taken, count, function->name, function->signature);
    return false;
  }
  return true;
}

// Required parameters that are not given.
static bool check_given(const bound_t* bound) {
  const core_function_t* function = bound->function;
  for (size_t i = 0; i < function->count; ++i) {
    if (bound->objects[i] || function->is_optional[i]) continue;
    PyErr_Format(PyExc_TypeError, "%s() missing required argument '%U': it is %s(%s)",
                 function->name, function->names[i], function->name, function->signature);
    return false;
  }
  return true;
}

static bool bind(bound_t* bound, PyObject* first, PyObject* const* objects, Py_ssize_t count,
                 PyObject* names) {
  const core_function_t* function = bound->function;
  const size_t is_method = first != NULL;
  const size_t given = (size_t)count + is_method;
  if (first) bound->objects[0] = first;
  for (size_t i = is_method; i < given && i < function->positional_count; ++i) {
    bound->objects[i] = objects[i - is_method];
  }
  if ((given > function->positional_count || function->rest < function->count) &&
      !bind_rest(bound, is_method, objects, (size_t)count)) {
    return false;
  }
  const Py_ssize_t name_count = names ? PyTuple_Size(names) : 0;
  for (Py_ssize_t i = 0; i < name_count; ++i) {
    if (!bind_keyword(bound, PyTuple_GetItem(names, i), objects[count + i])) return false;
  }
  return check_given(bound);
}

// --- their values

// Says which argument the exception is about.
static bool blame(const core_call_t* call, const arguments_t* arguments, size_t i) {
  PyObject* error = core_take_type_error();
  if (!error) return false;
  const core_function_t* called = call->function ? call->function : arguments->function;
  PyErr_Format(PyExc_TypeError, "%s(): argument '%U': %S; it is %s(%s)", called->name,
               arguments->function->names[i], error, called->name, called->signature);
  Py_DECREF(error);
  return false;
}

static bool to_integer(PyObject* object, int64_t* out_value) {
  PyObject* index = PyNumber_Index(object);
  if (!index) return false;
  *out_value = PyLong_AsLongLong(index);
  Py_DECREF(index);
  return *out_value != -1 || !PyErr_Occurred();
}

// None: of the flattened array, unless the function has the first axis instead.
static bool to_axis(const tn_parameter_t* parameter, PyObject* object, int64_t* out_axis) {
  *out_axis = parameter->integer ? TN_ALL_AXES : 0;
  return object == Py_None || to_integer(object, out_axis);
}

static bool to_real(PyObject* object, double* out_value) {
  *out_value = PyFloat_AsDouble(object);
  return *out_value != -1 || !PyErr_Occurred();
}

// None stands for a default, unless it is an axis.
static bool is_given(const arguments_t* arguments, size_t i) {
  const PyObject* object = arguments->objects[i];
  const tn_parameter_t* parameter = &arguments->function->table->parameters[i];
  return object &&
         (object != Py_None || !parameter->is_optional || parameter->kind == TN_PARAMETER_AXIS);
}

static bool is_array(const arguments_t* arguments, size_t i) {
  return arguments->function->table->parameters[i].kind == TN_PARAMETER_ARRAY &&
         core_is_array(arguments->objects[i]);
}

// The arrays that array objects have now. Code of Python that runs later may update the objects in
// place: then they are taken again, or the call holds them. In free-threaded Python it holds them
// from the beginning.
static void take_arrays(arguments_t* arguments, core_call_t* call, bool is_held) {
#ifdef Py_GIL_DISABLED
  (void)arguments, (void)call, (void)is_held;
#else
  for (size_t i = 0; i < arguments->function->table->parameter_count; ++i) {
    if (!is_given(arguments, i) || !is_array(arguments, i)) continue;
    PyObject* object = arguments->objects[i];
    arguments->values[i].array =
        is_held ? core_array_hold(call, object) : core_array_borrow(object);
  }
#endif
}

// One integer stands for a list of it, as long as it must be.
static bool to_repeated(arguments_t* arguments, core_call_t* call, const tn_parameter_t* parameter,
                        PyObject* object, tn_argument_t* value) {
  int64_t integer = 0;
  take_arrays(arguments, call, false);
  size_t count = parameter->count ? parameter->count(arguments->values) : 1;
  if (count == TN_ANY_COUNT) count = 1;
  if (!to_integer(object, &integer)) return false;
  int64_t* integers = core_allocate(&arguments->pool, count, sizeof *integers);
  if (!integers) return false;
  for (size_t i = 0; i < count; ++i) integers[i] = integer;
  value->integers = integers;
  value->count = count;
  return true;
}

static bool to_integers(arguments_t* arguments, core_call_t* call, const tn_parameter_t* parameter,
                        PyObject* object, tn_argument_t* value) {
  if (core_is_integer(object)) {
    return to_repeated(arguments, call, parameter, object, value);
  }
  PyObject* list = PySequence_Tuple(object);
  if (!list) return false;
  const Py_ssize_t count = PyTuple_Size(list);
  int64_t* integers = core_allocate(&arguments->pool, (size_t)count, sizeof *integers);
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
  PyObject* list = PySequence_Tuple(object);  // of an array: its rows
  if (!list) return false;
  const Py_ssize_t count = PyTuple_Size(list);
  tn_array_t** arrays = core_allocate(&arguments->pool, (size_t)count, sizeof *arrays);
  bool is_done = arrays != NULL;
  for (Py_ssize_t i = 0; is_done && i < count; ++i) {
    is_done = core_convert(call, PyTuple_GetItem(list, i), TN_DTYPE_INVALID, &arrays[i]);
  }
  Py_DECREF(list);  // the call holds the arrays that were in it
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
    case TN_PARAMETER_AXIS: return to_axis(parameter, object, &value->integer);
    case TN_PARAMETER_INTEGER: return to_integer(object, &value->integer);
    case TN_PARAMETER_INTEGERS: return to_integers(arguments, call, parameter, object, value);
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

// Whether conversions of a number call no code of Python.
static bool is_plain(PyObject* number) {
  return PyFloat_CheckExact(number) || PyLong_CheckExact(number) || PyBool_Check(number) ||
         PyComplex_CheckExact(number);
}

// Numbers wait for the dtype of the arrays beside them.
static bool is_waiting(const arguments_t* arguments, size_t i) {
  return arguments->function->is_promoted[i] && arguments->objects[i] &&
         core_is_scalar(arguments->objects[i]);
}

// Random numbers without a key take the next one of the global sequence.
static bool add_key(arguments_t* arguments, core_call_t* call) {
  const size_t i = arguments->function->key;
  if (i >= CORE_MAX_PARAMETERS || is_given(arguments, i)) return true;
  arguments->values[i].array = core_random_next(call);
  return arguments->values[i].array != NULL;
}

static bool to_values(arguments_t* arguments, core_call_t* call) {
  const tn_array_function_t* table = arguments->function->table;
  bool has_waiting = false, is_certain = true;
  for (size_t i = 0; i < table->parameter_count; ++i) {
    arguments->values[i] = tn_argument_default(&table->parameters[i]);
    if (!is_given(arguments, i)) continue;
    if (is_array(arguments, i)) {
#ifdef Py_GIL_DISABLED
      arguments->values[i].array = core_array_hold(call, arguments->objects[i]);
#endif
    } else if (is_waiting(arguments, i)) {
      has_waiting = true;
      is_certain = is_certain && is_plain(arguments->objects[i]);
    } else if (!to_value(arguments, call, i)) {
      return blame(call, arguments, i);
    }
  }
  if (!add_key(arguments, call)) return false;
  take_arrays(arguments, call, !is_certain);
  if (!has_waiting) return true;
  const tn_dtype_t dtype = promoted_dtype(arguments);
  for (size_t i = 0; i < table->parameter_count; ++i) {
    if (is_waiting(arguments, i) &&
        !core_convert(call, arguments->objects[i], dtype, &arguments->values[i].array)) {
      return blame(call, arguments, i);
    }
  }
  return true;
}

// --- results

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
  tn_array_t** results = core_allocate(&arguments->pool, count, sizeof *results);
  if (!results) return NULL;
  tn_array_function_call(table, call->scope, arguments->values, results);
  return table->result_kind == TN_RESULT_TUPLE ? core_named_tuple(table->name, count, results)
                                               : core_objects_of(count, results);
}

static PyObject* apply(core_call_t* call, const core_function_t* function,
                       PyObject* const* objects) {
  arguments_t arguments;
  arguments.function = function;
  arguments.objects = objects;
  core_pool_init(&arguments.pool);
  PyObject* result = to_values(&arguments, call) ? call_table(&arguments, call) : NULL;
  core_free(&arguments.pool);
  return result;
}

PyObject* core_apply(core_call_t* call, const char* name, PyObject* const* objects) {
  const core_function_t* function = find_in_table(name);
  if (!function) abort();
  return apply(call, function, objects);
}

// Parameters of the table get those with their names.
static PyObject* forward(core_call_t* call, const bound_t* bound) {
  const core_function_t* function = bound->function;
  PyObject *objects[CORE_MAX_PARAMETERS], *cast = NULL;
  for (size_t i = 0; i < function->table->parameter_count; ++i) {
    const size_t source = function->source[i];
    objects[i] = source == NO_SOURCE ? NULL : bound->objects[source];
  }
  if (function->cast < function->count) cast = bound->objects[function->cast];
  if (cast && cast != Py_None) {
    objects[0] = cast = CORE_APPLY(call, "astype", objects[0], cast);
    if (!cast) return NULL;
  } else {
    cast = NULL;
  }
  PyObject* result = apply(call, &functions[function->table - tn_array_functions], objects);
  if (!cast) return result;
  Py_DECREF(cast);
  PyObject* of_dtype =
      result ? CORE_APPLY(call, "astype", result, bound->objects[function->cast]) : NULL;
  Py_XDECREF(result);
  return of_dtype;
}

static PyObject* call_bound(core_call_t* call, bound_t* bound) {
  const core_function_t* function = bound->function;
  if (function->is_direct) return apply(call, function, bound->objects);
  if (!function->adapter) return forward(call, bound);
  for (size_t i = 0; i < function->count; ++i) {
    const bool is_none = bound->objects[i] == Py_None && function->is_optional[i];
    const bool is_kept = function->names[i] == axis_name || function->names[i] == axes_name;
    if (is_none && !is_kept) bound->objects[i] = NULL;
  }
  return function->adapter(call, bound->objects);
}

PyObject* core_function_call(const core_function_t* function, PyObject* first,
                             PyObject* const* arguments, Py_ssize_t count, PyObject* names) {
  bound_t bound;
  bound.function = function;
  memset(bound.objects, 0, function->count * sizeof *bound.objects);
  bound.stream = NULL;
  bound.rest = NULL;
  PyObject* result = NULL;
  core_call_t call;
  if (bind(&bound, first, arguments, count, names) && core_begin(&call, bound.stream)) {
    call.function = function;
    call.names = names;
    result = call_bound(&call, &bound);
    core_end(&call);
  }
  if (result && !core_record_call(function, first, arguments, count, names, result)) {
    Py_CLEAR(result);
  }
  Py_XDECREF(bound.rest);
  return result;
}

// --- the module

// A function of C for each, so that those of Python belong to their module: repr and help name it,
// and pickles are references by name.
typedef PyObject* (*caller_fn)(PyObject* module, PyObject* const* objects, Py_ssize_t count,
                               PyObject* names);
// clang-format off
#define SIXTEEN(X, n)                                                                      \
  X(n##0) X(n##1) X(n##2) X(n##3) X(n##4) X(n##5) X(n##6) X(n##7) X(n##8) X(n##9) X(n##A)  \
  X(n##B) X(n##C) X(n##D) X(n##E) X(n##F)
#define ALL(X)                                                                             \
  SIXTEEN(X, 0x00) SIXTEEN(X, 0x01) SIXTEEN(X, 0x02) SIXTEEN(X, 0x03) SIXTEEN(X, 0x04)     \
  SIXTEEN(X, 0x05) SIXTEEN(X, 0x06) SIXTEEN(X, 0x07) SIXTEEN(X, 0x08) SIXTEEN(X, 0x09)     \
  SIXTEEN(X, 0x0A) SIXTEEN(X, 0x0B) SIXTEEN(X, 0x0C) SIXTEEN(X, 0x0D) SIXTEEN(X, 0x0E)     \
  SIXTEEN(X, 0x0F) SIXTEEN(X, 0x10) SIXTEEN(X, 0x11) SIXTEEN(X, 0x12) SIXTEEN(X, 0x13)     \
  SIXTEEN(X, 0x14) SIXTEEN(X, 0x15) SIXTEEN(X, 0x16) SIXTEEN(X, 0x17) SIXTEEN(X, 0x18)     \
  SIXTEEN(X, 0x19) SIXTEEN(X, 0x1A) SIXTEEN(X, 0x1B) SIXTEEN(X, 0x1C) SIXTEEN(X, 0x1D)     \
  SIXTEEN(X, 0x1E) SIXTEEN(X, 0x1F)
// clang-format on
#define CALLER(n)                                                                         \
  static PyObject* call_##n(PyObject* module, PyObject* const* objects, Py_ssize_t count, \
                            PyObject* names) {                                            \
    (void)module;                                                                         \
    return core_function_call(&functions[n], NULL, objects, count, names);                \
  }
ALL(CALLER)
#undef CALLER
static const caller_fn callers[] = {
#define CALLER(n) call_##n,
    ALL(CALLER)
#undef CALLER
};
enum { CALLER_COUNT = sizeof callers / sizeof *callers };

// Operands that are promoted to one dtype.
static bool is_promoted(const tn_array_function_t* table, const tn_parameter_t* parameter) {
  static const char* const names[] = {
      "a",     "b", "x", "y", "a_min", "a_max", "constant_values", "fill_value", "sorted_sequence",
      "values"};
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
static char* doc_of(const core_function_t* function, const char* name, bool is_method,
                    const char* text) {
  char signature[CORE_MAX_SIGNATURE];
  core_signature_write(function->signature, is_method, signature, sizeof signature);
  static const char format[] = "%s(%s)\n--\n\n%s(%s)\n\n%s";
  const int size = snprintf(NULL, 0, format, name, signature, name, function->signature, text);
  char* doc = PyMem_Malloc((size_t)size + 1);
  if (doc) {
    snprintf(doc, (size_t)size + 1, format, name, signature, name, function->signature, text);
  }
  return doc;
}

char* core_method_doc(const core_function_t* function, const char* name) {
  const char* text = function->table ? function->table->doc : function->method.ml_doc;
  return doc_of(function, name, true, text);
}

static const char* module_doc(const char* name) {
  static const char* const docs[][2] = {
      {"fast", "Layers of neural networks as one function each; kernels from a source text."},
      {"fft", "Fourier transforms."},
      {"linalg", "Linear algebra: decompositions, solvers, norms; of stacks of matrices as well."},
      {"random", "Random numbers, of a key or of the global sequence (seed)."},
  };
  for (size_t i = 0; i < sizeof docs / sizeof *docs; ++i) {
    if (strcmp(docs[i][0], name) == 0) return docs[i][1];
  }
  return "";
}

// tenon.core, or a module in it, which is created.
static PyObject* module_of(PyObject* core, const char* name) {
  if (!*name) return Py_NewRef(core);
  if (PyObject_HasAttrString(core, name)) return PyObject_GetAttrString(core, name);
  char full[64];
  snprintf(full, sizeof full, "tenon.core.%s", name);
  PyObject* module = Py_XNewRef(PyImport_AddModule(full));
  if (module && (PyModule_SetDocString(module, module_doc(name)) < 0 ||
                 PyModule_AddObjectRef(core, name, module) < 0)) {
    Py_CLEAR(module);
  }
  return module;
}

// What the function of the table with that name gets from the parameters of the signature.
static void connect(core_function_t* function, const core_function_t* target) {
  for (size_t i = 0; i < target->count; ++i) {
    const size_t source = find_name(function, target->names[i]);
    function->source[i] = (uint8_t)(source == function->count ? NO_SOURCE : source);
  }
  function->table = target->table;
}

static bool prepare(core_function_t* function, const char* doc) {
  if (!core_signature_parse(function, function->signature)) return false;
  function->doc = doc_of(function, function->name, false, doc);
  const caller_fn caller = callers[function - functions];
  function->method = (PyMethodDef){function->name, (PyCFunction)(void (*)(void))caller,
                                   METH_FASTCALL | METH_KEYWORDS, function->doc};
  return function->doc != NULL;
}

// "sum(a, axis=None)" as "a, axis=None, *, stream=None".
static char* signature_of(const tn_array_function_t* table) {
  const char* inside = strchr(table->signature, '(') + 1;
  const int length = (int)strlen(inside) - 1;
  const char* separator = length ? ", " : "";
  const size_t size = (size_t)length + sizeof ", *, stream=None";
  char* text = PyMem_Malloc(size);
  if (text) snprintf(text, size, "%.*s%s*, stream=None", length, inside, separator);
  return text;
}

static bool prepare_table(core_function_t* function, const tn_array_function_t* table) {
  function->module = table->module;
  function->name = table->attribute;
  function->signature = signature_of(table);
  function->table = table;
  function->is_direct = true;
  function->key = CORE_MAX_PARAMETERS;
  for (size_t i = 0; i < table->parameter_count; ++i) {
    function->is_promoted[i] = is_promoted(table, &table->parameters[i]);
    const bool is_key = table->parameters[i].is_optional && strcmp(table->module, "random") == 0 &&
                        strcmp(table->parameters[i].name, "key") == 0;
    if (is_key) function->key = i;
  }
  return function->signature && prepare(function, table->doc);
}

static bool prepare_adapter(core_function_t* function, const core_adapter_t* adapter) {
  const core_function_t* target = adapter->target ? find_in_table(adapter->target) : NULL;
  if (!adapter->doc && !target) abort();
  function->module = adapter->module;
  function->name = adapter->name;
  function->signature = adapter->signature;
  function->adapter = adapter->call;
  if (!prepare(function, target ? target->table->doc : adapter->doc)) return false;
  if (target) connect(function, target);
  function->cast = CORE_MAX_PARAMETERS;
  for (size_t i = 0; adapter->is_casting && i < function->count; ++i) {
    if (PyUnicode_CompareWithASCIIString(function->names[i], "dtype") == 0) function->cast = i;
  }
  return true;
}

static bool is_hidden(const core_function_t* function) {
  for (size_t i = 0; i < core_hidden_count; ++i) {
    if (function->is_direct && strcmp(function->table->name, core_hidden[i]) == 0) return true;
  }
  return strcmp(function->module, "array") == 0;
}

static PyObject* object_of(core_function_t* function, PyObject* module) {
  PyObject* name = PyModule_GetNameObject(module);
  PyObject* object = name ? PyCFunction_NewEx(&function->method, module, name) : NULL;
  Py_XDECREF(name);
  return object;
}

static bool add_function(PyObject* core, core_function_t* function) {
  PyObject* module = module_of(core, function->module);
  PyObject* object = module ? object_of(function, module) : NULL;
  const bool is_added = object && PyModule_AddObjectRef(module, function->name, object) == 0;
  Py_XDECREF(object);
  Py_XDECREF(module);
  return is_added;
}

static bool add_alias(PyObject* core, const core_alias_t* alias) {
  PyObject* object = PyObject_GetAttrString(core, alias->target);
  const bool is_added = object && PyModule_AddObjectRef(core, alias->name, object) == 0;
  Py_XDECREF(object);
  return is_added;
}

bool core_add_functions(PyObject* core) {
  for (size_t i = 0; i < function_count; ++i) {
    if (!is_hidden(&functions[i]) && !add_function(core, &functions[i])) return false;
  }
  for (size_t i = 0; i < core_alias_count; ++i) {
    if (!add_alias(core, &core_aliases[i])) return false;
  }
  return true;
}

bool core_prepare_functions(PyObject* core) {
  (void)core;
  stream_name = PyUnicode_InternFromString("stream");
  axis_name = PyUnicode_InternFromString("axis");
  axes_name = PyUnicode_InternFromString("axes");
  function_count = tn_array_function_count + core_adapter_count;
  if (function_count > CALLER_COUNT) abort();
  functions = PyMem_Calloc(function_count, sizeof *functions);
  if (!functions || !stream_name || !axis_name || !axes_name) return false;
  for (size_t i = 0; i < tn_array_function_count; ++i) {
    if (!prepare_table(&functions[i], &tn_array_functions[i])) return false;
  }
  for (size_t i = 0; i < core_adapter_count; ++i) {
    core_function_t* function = &functions[tn_array_function_count + i];
    if (!prepare_adapter(function, &core_adapters[i])) return false;
  }
  return true;
}
