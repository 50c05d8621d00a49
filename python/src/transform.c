// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// grad, value_and_grad, jvp, vjp, vmap and stop_gradient.

#include <string.h>

#include "core.h"

// --- which arguments a gradient is of

typedef struct gradient {
  const char* name;    // grad or value_and_grad
  PyObject* argnums;   // a tuple of ints
  PyObject* argnames;  // a tuple of strings
} gradient_t;

static PyObject* sequence_of(PyObject* object, bool is_one, const char* what) {
  if (is_one) return PyTuple_Pack(1, object);
  PyObject* tuple = PyUnicode_Check(object) ? NULL : PySequence_Tuple(object);
  if (tuple) return tuple;
  PyErr_Format(PyExc_TypeError, "%s: found %R", what, object);
  return NULL;
}

static PyObject* argnums_of(PyObject* object, bool has_names) {
  static const char what[] = "argnums is an int or a sequence of ints";
  if (object == Py_None) return has_names ? PyTuple_New(0) : Py_BuildValue("(i)", 0);
  PyObject* tuple = sequence_of(object, PyLong_Check(object), what);
  const Py_ssize_t count = tuple ? PyTuple_Size(tuple) : 0;
  for (Py_ssize_t i = 0; tuple && i < count; ++i) {
    PyObject* number = PyTuple_GetItem(tuple, i);
    if (!PyLong_Check(number)) {
      PyErr_Format(PyExc_TypeError, "%s: found %R", what, object);
      Py_CLEAR(tuple);
    } else if (PyLong_AsLong(number) < 0) {
      PyErr_Format(PyExc_ValueError,
                   "[grad] Can't compute the gradient of negative argument index %S", number);
      Py_CLEAR(tuple);
    }
    for (Py_ssize_t j = 0; tuple && j < i; ++j) {
      if (PyLong_AsLong(PyTuple_GetItem(tuple, j)) != PyLong_AsLong(number)) continue;
      PyErr_Format(PyExc_ValueError, "[grad] Duplicate argument index %S is not allowed.", number);
      Py_CLEAR(tuple);
    }
  }
  return tuple;
}

static PyObject* argnames_of(PyObject* object) {
  static const char what[] = "argnames is a string or a sequence of strings";
  if (object == Py_None) return PyTuple_New(0);
  PyObject* tuple = sequence_of(object, PyUnicode_Check(object), what);
  const Py_ssize_t count = tuple ? PyTuple_Size(tuple) : 0;
  for (Py_ssize_t i = 0; tuple && i < count; ++i) {
    if (PyUnicode_Check(PyTuple_GetItem(tuple, i))) continue;
    PyErr_Format(PyExc_TypeError, "%s: found %R", what, object);
    Py_CLEAR(tuple);
  }
  return tuple;
}

// The arguments that a gradient is of; borrowed. NULL with an exception if there is none.
static PyObject* argument_of(const gradient_t* gradient, size_t i, PyObject* positional,
                             PyObject* keywords) {
  const size_t count = (size_t)PyTuple_Size(gradient->argnums);
  if (i < count) {
    const Py_ssize_t argnum = PyLong_AsSsize_t(PyTuple_GetItem(gradient->argnums, (Py_ssize_t)i));
    if (argnum < PyList_Size(positional)) return PyList_GetItem(positional, argnum);
    PyErr_Format(PyExc_ValueError,
                 "[%s] Can't compute the gradient of argument index %zd because the function is "
                 "called with only %zd positional arguments.",
                 gradient->name, argnum, PyList_Size(positional));
    return NULL;
  }
  PyObject* name = PyTuple_GetItem(gradient->argnames, (Py_ssize_t)(i - count));
  PyObject* argument = PyDict_GetItemWithError(keywords, name);
  if (argument || PyErr_Occurred()) return argument;
  PyErr_Format(PyExc_ValueError,
               "[%s] Can't compute the gradient of keyword argument '%U' because the function is "
               "called with the following keyword arguments %R",
               gradient->name, name, keywords);
  return NULL;
}

static size_t argument_count(const gradient_t* gradient) {
  return (size_t)(PyTuple_Size(gradient->argnums) + PyTuple_Size(gradient->argnames));
}

// Puts an argument in the place of another one.
static bool set_argument(const gradient_t* gradient, size_t i, PyObject* positional,
                         PyObject* keywords, PyObject* argument) {
  const size_t count = (size_t)PyTuple_Size(gradient->argnums);
  if (i >= count) {
    return PyDict_SetItem(keywords, PyTuple_GetItem(gradient->argnames, (Py_ssize_t)(i - count)),
                          argument) == 0;
  }
  const Py_ssize_t argnum = PyLong_AsSsize_t(PyTuple_GetItem(gradient->argnums, (Py_ssize_t)i));
  return PyList_SetItem(positional, argnum, Py_NewRef(argument)) == 0;
}

// --- calls with tracers in the arguments

// Lists and dicts in the arguments have tracers during the call; what the function changes in them
// stays.
static PyObject* call_with_tracers(const gradient_t* gradient, core_trace_t* trace,
                                   PyObject* function, PyObject* positional, PyObject* keywords) {
  core_fill_t fill = {trace->tracers, 0};
  PyObject* trees = PyList_New(0);
  bool is_done = trees != NULL;
  for (size_t i = 0; is_done && i < argument_count(gradient); ++i) {
    PyObject* argument = argument_of(gradient, i, positional, keywords);
    PyObject* traced = argument ? core_tree_update(argument, core_fill_next, &fill) : NULL;
    is_done = traced && PyList_Append(trees, traced) == 0 &&
              set_argument(gradient, i, positional, keywords, traced);
    Py_XDECREF(traced);
  }
  PyObject* tuple = is_done ? PyList_AsTuple(positional) : NULL;
  PyObject* result = tuple ? PyObject_Call(function, tuple, keywords) : NULL;
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  if (trees && !core_trace_restore(trace, trees)) Py_CLEAR(result);
  if (type) PyErr_Restore(type, value, traceback);
  Py_XDECREF(tuple);
  Py_XDECREF(trees);
  return result;
}

// --- grad

static bool has_value(const gradient_t* gradient) {
  return strcmp(gradient->name, "value_and_grad") == 0;
}

// The array that is differentiated, borrowed.
static PyObject* loss_of(const gradient_t* gradient, PyObject* result) {
  PyObject* loss = result;
  if (has_value(gradient) && PyTuple_Check(result) && PyTuple_Size(result)) {
    loss = PyTuple_GetItem(result, 0);
  }
  if (core_is_array(loss)) return loss;
  PyObject* type = PyType_GetName(Py_TYPE(loss));
  if (!type) return NULL;
  if (!has_value(gradient)) {
    PyErr_Format(PyExc_ValueError,
                 "[grad] The return value of the function whose gradient we want to compute should "
                 "be a scalar array; but %U was returned.",
                 type);
  } else {
    PyErr_Format(PyExc_ValueError,
                 "[value_and_grad] The return value of the function whose gradient we want to "
                 "compute should be either a scalar array or a tuple with the first value being a "
                 "scalar array; but %s%U%s.",
                 loss == result ? "" : "it was a tuple with the first value being of type ", type,
                 loss == result ? " was returned" : "");
  }
  Py_DECREF(type);
  return NULL;
}

// As in mlx.core, the gradient of a real function of x + iy is d/dx + i d/dy: the conjugate of the
// library's, and so are the cotangents.
static bool is_complex(const tn_array_t* array) {
  return tn_dtype_kind(tn_array_dtype(array)) == TN_KIND_COMPLEX;
}

void core_conjugate(tn_scope_t* scope, size_t count, tn_array_t** arrays) {
  for (size_t i = 0; i < count; ++i) {
    if (arrays[i] && is_complex(arrays[i])) arrays[i] = tn_array_conjugate(scope, arrays[i]);
  }
}

static bool is_scalar(const gradient_t* gradient, PyObject* loss) {
  tn_array_t* array = core_array_borrow(loss);
  const size_t rank = tn_array_rank(array);
  core_array_return(array);
  if (!rank) return true;
  PyErr_Format(PyExc_ValueError,
               "[%s] The function whose gradient we want to compute should return a scalar; its "
               "result has %zu dimensions.",
               gradient->name, rank);
  return false;
}

static PyObject* gradients_of(const gradient_t* gradient, core_trace_t* trace, PyObject* loss) {
  core_call_t call;
  if (!is_scalar(gradient, loss)) return NULL;
  tn_array_t** gradients = PyMem_Calloc(trace->inputs.count, sizeof(tn_array_t*));
  if (!gradients) return PyErr_NoMemory();
  PyObject* objects = NULL;
  if (core_begin(&call, NULL)) {
    tn_array_t* output = core_array_hold(&call, loss);
    tn_array_t* one = tn_array_scalar(call.scope, tn_array_dtype(output), 1);
    if (core_check(tn_trace_vjp(trace->trace, call.scope, 1, &output, &one, NULL, gradients))) {
      core_conjugate(call.scope, trace->inputs.count, gradients);
      objects = core_objects_of(trace->inputs.count, gradients);
    }
    core_end(&call);
  }
  PyMem_Free(gradients);
  return objects;
}

// Gradients in the shape of the arguments: those of positions, alone if there is one, and a dict of
// those with names, if there are.
static PyObject* arrange(const gradient_t* gradient, PyObject* objects, PyObject* structures) {
  core_fill_t fill = {objects, 0};
  const Py_ssize_t count = PyTuple_Size(gradient->argnums);
  PyObject* trees = core_tree_map(structures, core_fill_next, &fill);
  PyObject* dict = trees ? PyDict_New() : NULL;
  bool is_done = dict != NULL;
  for (Py_ssize_t i = count; is_done && i < PyList_Size(trees); ++i) {
    is_done = PyDict_SetItem(dict, PyTuple_GetItem(gradient->argnames, i - count),
                             PyList_GetItem(trees, i)) == 0;
  }
  PyObject* positional = Py_NewRef(Py_None);
  if (is_done && count) {
    Py_DECREF(positional);
    positional = count == 1 ? Py_NewRef(PyList_GetItem(trees, 0)) : PySequence_Tuple(trees);
    if (positional && count > 1 && PyDict_Size(dict)) {
      PyObject* part = PyTuple_GetSlice(positional, 0, count);
      Py_DECREF(positional);
      positional = part;
    }
  }
  PyObject* result = NULL;
  if (is_done && positional) {
    result = PyDict_Size(dict) ? PyTuple_Pack(2, positional, dict) : Py_NewRef(positional);
  }
  Py_XDECREF(positional);
  Py_XDECREF(dict);
  Py_XDECREF(trees);
  return result;
}

// Collects the arrays of the arguments; a list of what the trees of them are.
static PyObject* take_arguments(const gradient_t* gradient, PyObject* positional,
                                PyObject* keywords, core_leaves_t* leaves) {
  PyObject* structures = PyList_New(0);
  for (size_t i = 0; structures && i < argument_count(gradient); ++i) {
    PyObject* argument = argument_of(gradient, i, positional, keywords);
    PyObject* structure = argument ? core_tree_take(argument, leaves) : NULL;
    if (!structure || PyList_Append(structures, structure) < 0) Py_CLEAR(structures);
    Py_XDECREF(structure);
  }
  if (!structures || leaves->count) return structures;
  PyErr_Format(PyExc_ValueError, "[%s] Must specify at least one argument.", gradient->name);
  Py_DECREF(structures);
  return NULL;
}

static PyObject* differentiate(const gradient_t* gradient, core_trace_t* trace, PyObject* function,
                               PyObject* positional, PyObject* keywords) {
  PyObject *result = NULL, *objects = NULL, *gradients = NULL;
  PyObject* structures = take_arguments(gradient, positional, keywords, &trace->inputs);
  if (structures && core_trace_begin(trace, TN_TRACE_DERIVATIVE, NULL)) {
    result = call_with_tracers(gradient, trace, function, positional, keywords);
    PyObject* loss = result ? loss_of(gradient, result) : NULL;
    objects = loss ? gradients_of(gradient, trace, loss) : NULL;
    gradients = objects ? arrange(gradient, objects, structures) : NULL;
  }
  if (gradients && has_value(gradient)) {
    PyObject* both = PyTuple_Pack(2, result, gradients);
    Py_DECREF(gradients);
    gradients = both;
  }
  Py_XDECREF(objects);
  Py_XDECREF(result);
  Py_XDECREF(structures);
  return gradients;
}

static PyObject* call_gradient(core_transformed_t* self, PyObject* arguments, PyObject* keywords) {
  const bool has_both = PyTuple_GetItem(self->data, 0) == Py_True;
  const gradient_t gradient = {has_both ? "value_and_grad" : "grad", PyTuple_GetItem(self->data, 1),
                               PyTuple_GetItem(self->data, 2)};
  core_trace_t trace = {0};
  PyObject* positional = PySequence_List(arguments);
  PyObject* named = positional ? (keywords ? PyDict_Copy(keywords) : PyDict_New()) : NULL;
  PyObject* result =
      named ? differentiate(&gradient, &trace, self->function, positional, named) : NULL;
  core_trace_end(&trace);
  Py_XDECREF(named);
  Py_XDECREF(positional);
  return result;
}

static PyObject* make_gradient(const char* name, const char* format, PyObject* arguments,
                               PyObject* keywords) {
  static char* names[] = {"fun", "argnums", "argnames", NULL};
  PyObject *function = NULL, *argnums = Py_None, *argnames = Py_None, *result = NULL;
  if (!PyArg_ParseTupleAndKeywords(arguments, keywords, format, names, &function, &argnums,
                                   &argnames)) {
    return NULL;
  }
  PyObject* name_tuple = argnames_of(argnames);
  PyObject* number_tuple = name_tuple ? argnums_of(argnums, PyTuple_Size(name_tuple) != 0) : NULL;
  if (number_tuple && !PyTuple_Size(number_tuple) && !PyTuple_Size(name_tuple)) {
    PyErr_SetString(PyExc_ValueError, "[grad] Gradient wrt no argument requested");
  } else if (number_tuple) {
    PyObject* has_both = strcmp(name, "grad") ? Py_True : Py_False;
    PyObject* data = PyTuple_Pack(3, has_both, number_tuple, name_tuple);
    if (data) result = core_transformed_new(name, call_gradient, function, data);
    Py_XDECREF(data);
  }
  Py_XDECREF(number_tuple);
  Py_XDECREF(name_tuple);
  return result;
}

static PyObject* grad(PyObject* module, PyObject* arguments, PyObject* keywords) {
  (void)module;
  return make_gradient("grad", "O|OO:grad", arguments, keywords);
}

static PyObject* value_and_grad(PyObject* module, PyObject* arguments, PyObject* keywords) {
  (void)module;
  return make_gradient("value_and_grad", "O|OO:value_and_grad", arguments, keywords);
}

// --- jvp and vjp

// A list or tuple of arrays.
static bool take_arrays(const char* name, const char* what, PyObject* object,
                        core_leaves_t* leaves) {
  PyObject* tuple = PySequence_Tuple(object);
  const Py_ssize_t count = tuple ? PyTuple_Size(tuple) : 0;
  bool is_done = tuple != NULL;
  for (Py_ssize_t i = 0; is_done && i < count; ++i) {
    PyObject* array = PyTuple_GetItem(tuple, i);
    is_done = core_is_array(array) && core_tree_flatten(array, leaves);
    if (!is_done && !PyErr_Occurred()) {
      PyErr_Format(PyExc_TypeError, "%s(): %s is a sequence of arrays; found %R in it", name, what,
                   array);
    }
  }
  Py_XDECREF(tuple);
  return is_done;
}

// The outputs of the function: an array, or a list or tuple of arrays.
static bool call_for_outputs(const char* name, core_trace_t* trace, PyObject* function,
                             core_leaves_t* outputs) {
  PyObject* tracers = PyList_AsTuple(trace->tracers);
  PyObject* result = tracers ? PyObject_Call(function, tracers, NULL) : NULL;
  bool is_done = result != NULL;
  if (is_done && core_is_array(result)) {
    is_done = core_tree_flatten(result, outputs);
  } else if (is_done && (PyList_Check(result) || PyTuple_Check(result))) {
    is_done = take_arrays(name, "the result of the function", result, outputs);
  } else if (is_done) {
    is_done = core_raise_type(
        PyExc_TypeError,
        "the function should return an array, or a list or tuple of arrays; not %U", result);
  }
  Py_XDECREF(result);
  Py_XDECREF(tracers);
  return is_done;
}

static PyObject* pair_of_lists(size_t first_count, tn_array_t* const* first, size_t second_count,
                               tn_array_t* const* second) {
  PyObject* a = core_objects_of(first_count, first);
  PyObject* b = a ? core_objects_of(second_count, second) : NULL;
  PyObject* pair = b ? PyTuple_Pack(2, a, b) : NULL;
  Py_XDECREF(a);
  Py_XDECREF(b);
  return pair;
}

static bool have_shapes(const char* what, const core_leaves_t* values,
                        const core_leaves_t* changes) {
  for (size_t i = 0; i < values->count; ++i) {
    const tn_array_t *value = values->values[i], *change = changes->values[i];
    const size_t rank = tn_array_rank(value);
    if (rank == tn_array_rank(change) &&
        (!rank ||
         memcmp(tn_array_dims(value), tn_array_dims(change), rank * sizeof(int64_t)) == 0)) {
      continue;
    }
    PyErr_Format(PyExc_ValueError, what, i);
    return false;
  }
  return true;
}

// As in mlx.core: outputs that are not numbers with fractions have tangents of the tangents' dtype.
static void give_dtype(tn_scope_t* scope, const core_leaves_t* tangents, size_t count,
                       tn_array_t** out_tangents) {
  const tn_dtype_t dtype = tangents->count ? tn_array_dtype(tangents->values[0]) : TN_DTYPE_INVALID;
  for (size_t i = 0; dtype && i < count; ++i) {
    const tn_kind_t kind = tn_dtype_kind(tn_array_dtype(out_tangents[i]));
    if (kind & (TN_KIND_FLOAT | TN_KIND_COMPLEX)) continue;
    out_tangents[i] = tn_array_astype(scope, out_tangents[i], dtype);
  }
}

static PyObject* push_forward(core_trace_t* trace, const core_leaves_t* tangents,
                              PyObject* function) {
  core_leaves_t outputs = {0};
  core_call_t call;
  PyObject* result = NULL;
  tn_array_t** arrays = NULL;
  if (!core_trace_begin(trace, TN_TRACE_DERIVATIVE, NULL)) return NULL;
  if (call_for_outputs("jvp", trace, function, &outputs)) {
    arrays = PyMem_Calloc(2 * outputs.count + 1, sizeof(tn_array_t*));
    if (!arrays) PyErr_NoMemory();
  }
  if (arrays && core_begin(&call, NULL)) {
    tn_array_t** out_tangents = arrays + outputs.count;
    if (core_check(tn_trace_jvp(trace->trace, call.scope, tangents->values, outputs.count,
                                outputs.values, arrays, out_tangents))) {
      give_dtype(call.scope, tangents, outputs.count, out_tangents);
      result = pair_of_lists(outputs.count, arrays, outputs.count, out_tangents);
    }
    core_end(&call);
  }
  PyMem_Free(arrays);
  core_leaves_clear(&outputs);
  return result;
}

static PyObject* jvp(PyObject* module, PyObject* arguments, PyObject* keywords) {
  static char* names[] = {"fun", "primals", "tangents", NULL};
  PyObject *function = NULL, *primals = NULL, *given = NULL, *result = NULL;
  core_trace_t trace = {0};
  core_leaves_t tangents = {0};
  (void)module;
  if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "OOO:jvp", names, &function, &primals,
                                   &given)) {
    return NULL;
  }
  if (take_arrays("jvp", "primals", primals, &trace.inputs) &&
      take_arrays("jvp", "tangents", given, &tangents)) {
    if (trace.inputs.count != tangents.count) {
      PyErr_SetString(PyExc_ValueError,
                      "[jvp] Number of inputs does not match number of tangents.");
    } else if (have_shapes("[jvp] Input shape does not match shape of tangent %zu.", &trace.inputs,
                           &tangents)) {
      result = push_forward(&trace, &tangents, function);
    }
  }
  core_leaves_clear(&tangents);
  core_trace_end(&trace);
  return result;
}

static bool match_cotangents(const core_leaves_t* outputs, const core_leaves_t* cotangents) {
  if (outputs->count > cotangents->count) {
    PyErr_Format(PyExc_ValueError,
                 "[vjp] Number of outputs to compute gradients for (%zu) does not match number of "
                 "cotangents (%zu).",
                 outputs->count, cotangents->count);
    return false;
  }
  return have_shapes("[vjp] Output shape does not match cotangent shape of output %zu.", outputs,
                     cotangents);
}

static PyObject* pull_back(core_trace_t* trace, const core_leaves_t* cotangents,
                           PyObject* function) {
  core_leaves_t outputs = {0};
  core_call_t call;
  PyObject* result = NULL;
  tn_array_t** arrays = NULL;
  if (!core_trace_begin(trace, TN_TRACE_DERIVATIVE, NULL)) return NULL;
  if (call_for_outputs("vjp", trace, function, &outputs) &&
      match_cotangents(&outputs, cotangents)) {
    arrays = PyMem_Calloc(2 * outputs.count + trace->inputs.count + 1, sizeof(tn_array_t*));
    if (!arrays) PyErr_NoMemory();
  }
  if (arrays && core_begin(&call, NULL)) {
    tn_array_t** changes = arrays + outputs.count;
    tn_array_t** gradients = changes + outputs.count;
    if (outputs.count) memcpy(changes, cotangents->values, outputs.count * sizeof *changes);
    core_conjugate(call.scope, outputs.count, changes);
    if (core_check(tn_trace_vjp(trace->trace, call.scope, outputs.count, outputs.values, changes,
                                arrays, gradients))) {
      core_conjugate(call.scope, trace->inputs.count, gradients);
      result = pair_of_lists(outputs.count, arrays, trace->inputs.count, gradients);
    }
    core_end(&call);
  }
  PyMem_Free(arrays);
  core_leaves_clear(&outputs);
  return result;
}

static PyObject* vjp(PyObject* module, PyObject* arguments, PyObject* keywords) {
  static char* names[] = {"fun", "primals", "cotangents", NULL};
  PyObject *function = NULL, *primals = NULL, *given = NULL, *result = NULL;
  core_trace_t trace = {0};
  core_leaves_t cotangents = {0};
  (void)module;
  if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "OOO:vjp", names, &function, &primals,
                                   &given)) {
    return NULL;
  }
  if (take_arrays("vjp", "primals", primals, &trace.inputs) &&
      take_arrays("vjp", "cotangents", given, &cotangents)) {
    result = pull_back(&trace, &cotangents, function);
  }
  core_leaves_clear(&cotangents);
  core_trace_end(&trace);
  return result;
}

// --- vmap

static bool append_axis(void* user, PyObject* array) {
  core_axes_t* axes = user;
  (void)array;
  if (axes->count == axes->capacity) {
    const size_t capacity = axes->capacity ? 2 * axes->capacity : 16;
    int64_t* values = PyMem_Realloc(axes->values, capacity * sizeof *values);
    if (!values) {
      PyErr_NoMemory();
      return false;
    }
    axes->values = values;
    axes->capacity = capacity;
  }
  axes->values[axes->count++] = TN_NO_AXIS;
  return true;
}

// One axis, or none, for all arrays of a tree.
static bool set_axis(core_axes_t* axes, PyObject* tree, PyObject* axis) {
  const size_t first = axes->count;
  if (!core_tree_visit(tree, append_axis, axes)) return false;
  if (axis == Py_None) return true;
  const int64_t value = PyLong_AsLongLong(axis);
  if (value == -1 && PyErr_Occurred()) return false;
  for (size_t i = first; i < axes->count; ++i) axes->values[i] = value;
  return true;
}

static bool refuse_prefix(void) {
  PyErr_SetString(PyExc_ValueError,
                  "[vmap] The tree of axes is not a prefix of the tree of arrays.");
  return false;
}

static bool set_axes(core_axes_t* axes, PyObject* tree, PyObject* prefix);

static bool set_axes_of_sequence(core_axes_t* axes, PyObject* tree, PyObject* prefix) {
  if (!PyList_Check(tree) && !PyTuple_Check(tree)) return refuse_prefix();
  const Py_ssize_t count = PySequence_Size(tree);
  if (count != PySequence_Size(prefix)) return refuse_prefix();
  bool is_done = true;
  for (Py_ssize_t i = 0; is_done && i < count; ++i) {
    PyObject *part = PySequence_GetItem(tree, i), *axis = PySequence_GetItem(prefix, i);
    is_done = part && axis && set_axes(axes, part, axis);
    Py_XDECREF(part);
    Py_XDECREF(axis);
  }
  return is_done;
}

static bool set_axes_of_parts(core_axes_t* axes, PyObject* tree, PyObject* prefix) {
  Py_ssize_t at = 0;
  PyObject *key = NULL, *part = NULL;
  if (PyDict_Size(tree) != PyDict_Size(prefix)) return refuse_prefix();
  while (PyDict_Next(tree, &at, &key, &part)) {
    PyObject* axis = PyDict_GetItemWithError(prefix, key);
    if (!axis) return PyErr_Occurred() ? false : refuse_prefix();
    if (!set_axes(axes, part, axis)) return false;
  }
  return true;
}

static bool set_axes_of_dict(core_axes_t* axes, PyObject* tree, PyObject* prefix) {
  if (!PyDict_Check(tree)) return refuse_prefix();
  PyObject *parts = core_frozen(tree), *prefixes = core_frozen(prefix);
  const bool is_done = parts && prefixes && set_axes_of_parts(axes, parts, prefixes);
  Py_XDECREF(parts);
  Py_XDECREF(prefixes);
  return is_done;
}

bool core_axes_of(PyObject* tree, PyObject* prefix, core_axes_t* axes) {
  return set_axes(axes, tree, prefix);
}

static bool set_axes(core_axes_t* axes, PyObject* tree, PyObject* prefix) {
  if (prefix == Py_None || PyLong_Check(prefix)) return set_axis(axes, tree, prefix);
  if (PyList_Check(prefix) || PyTuple_Check(prefix)) {
    return set_axes_of_sequence(axes, tree, prefix);
  }
  if (PyDict_Check(prefix)) return set_axes_of_dict(axes, tree, prefix);
  PyErr_SetString(PyExc_ValueError, "[vmap] axis must be int or None.");
  return false;
}

static bool is_axis_tree(PyObject* prefix) {
  return PyLong_Check(prefix) || PyList_Check(prefix) || PyTuple_Check(prefix) ||
         PyDict_Check(prefix);
}

static bool sizes_agree(const core_leaves_t* inputs, const core_axes_t* axes) {
  int64_t size = -1;
  for (size_t i = 0; i < inputs->count; ++i) {
    if (axes->values[i] == TN_NO_AXIS) continue;
    const int64_t rank = (int64_t)tn_array_rank(inputs->values[i]);
    const int64_t axis = axes->values[i] < 0 ? axes->values[i] + rank : axes->values[i];
    if (axis < 0 || axis >= rank) {
      core_raise(
          tn_status_create(TN_CODE_OUT_OF_RANGE,
                           "[vmap] Invalid vectorization axis %lld for array with %lld dimensions",
                           (long long)axes->values[i], (long long)rank));
      return false;
    }
    const int64_t other = tn_array_dims(inputs->values[i])[axis];
    if (size >= 0 && size != other) {
      PyErr_Format(PyExc_ValueError, "[vmap] Inconsistent axis sizes: %lld and %lld.",
                   (long long)size, (long long)other);
      return false;
    }
    size = other;
  }
  if (size >= 0) return true;
  PyErr_SetString(PyExc_ValueError, "[vmap] At least one of in_axes must be non-None.");
  return false;
}

// One array may have its axis in a list or tuple.
static PyObject* only_part(PyObject* result, PyObject* axes) {
  const bool is_sequence = PyList_Check(axes) || PyTuple_Check(axes);
  if (!core_is_array(result) || !is_sequence || PySequence_Size(axes) != 1) return Py_NewRef(axes);
  return PySequence_GetItem(axes, 0);
}

static PyObject* vectorize(core_trace_t* trace, PyObject* result, PyObject* all_out_axes) {
  core_leaves_t outputs = {0};
  core_axes_t axes = {0};
  core_call_t call;
  PyObject* objects = NULL;
  tn_array_t** arrays = NULL;
  PyObject* out_axes = only_part(result, all_out_axes);
  PyObject* copy = out_axes ? core_tree_take(result, &outputs) : NULL;
  if (copy && set_axes(&axes, copy, out_axes)) {
    arrays = PyMem_Calloc(outputs.count + 1, sizeof(tn_array_t*));
    if (!arrays) PyErr_NoMemory();
  }
  if (arrays && core_begin(&call, NULL)) {
    if (core_check(tn_trace_vmap(trace->trace, call.scope, outputs.count, outputs.values,
                                 axes.values, arrays))) {
      objects = core_objects_of(outputs.count, arrays);
    }
    core_end(&call);
  }
  core_fill_t fill = {objects, 0};
  PyObject* tree = objects ? core_tree_map(copy, core_fill_next, &fill) : NULL;
  Py_XDECREF(copy);
  Py_XDECREF(out_axes);
  Py_XDECREF(objects);
  PyMem_Free(arrays);
  PyMem_Free(axes.values);
  core_leaves_clear(&outputs);
  return tree;
}

// A dict of axes is for the only argument, anything else for all of them.
static bool take_batch(core_trace_t* trace, PyObject* arguments, PyObject* in_axes,
                       core_axes_t* axes) {
  PyObject* tree = arguments;
  if (PyDict_Check(in_axes) && PyTuple_Size(arguments) == 1) tree = PyTuple_GetItem(arguments, 0);
  PyObject* copy = core_tree_take(arguments, &trace->inputs);
  Py_XDECREF(copy);
  return copy && set_axes(axes, tree, in_axes) && sizes_agree(&trace->inputs, axes);
}

static PyObject* call_vmap(core_transformed_t* self, PyObject* arguments, PyObject* keywords) {
  core_trace_t trace = {0};
  core_axes_t axes = {0};
  PyObject *traced = NULL, *result = NULL, *batch = NULL;
  if (keywords && PyDict_Size(keywords)) {
    PyErr_SetString(PyExc_TypeError, "[vmap] Keyword arguments are not supported.");
    return NULL;
  }
  if (take_batch(&trace, arguments, PyTuple_GetItem(self->data, 0), &axes) &&
      core_trace_begin(&trace, TN_TRACE_BATCH, axes.values)) {
    core_fill_t fill = {trace.tracers, 0};
    traced = core_tree_map(arguments, core_fill_next, &fill);
    result = traced ? PyObject_Call(self->function, traced, NULL) : NULL;
    batch = result ? vectorize(&trace, result, PyTuple_GetItem(self->data, 1)) : NULL;
  }
  Py_XDECREF(result);
  Py_XDECREF(traced);
  PyMem_Free(axes.values);
  core_trace_end(&trace);
  return batch;
}

static PyObject* vmap(PyObject* module, PyObject* arguments, PyObject* keywords) {
  static char* names[] = {"fun", "in_axes", "out_axes", NULL};
  PyObject* zero = PyLong_FromLong(0);
  PyObject *function = NULL, *in_axes = zero, *out_axes = zero, *result = NULL;
  (void)module;
  if (!zero || !PyArg_ParseTupleAndKeywords(arguments, keywords, "O|OO:vmap", names, &function,
                                            &in_axes, &out_axes)) {
    Py_XDECREF(zero);
    return NULL;
  }
  if (in_axes == Py_None || out_axes == Py_None) {
    PyErr_Format(PyExc_TypeError, "vmap(): %s is an int or a tree of them; found None",
                 in_axes == Py_None ? "in_axes" : "out_axes");
  } else if (!is_axis_tree(in_axes) || !is_axis_tree(out_axes)) {
    PyErr_SetString(PyExc_ValueError, "[vmap] axis must be int or None.");
  } else {
    PyObject* data = PyTuple_Pack(2, in_axes, out_axes);
    if (data) result = core_transformed_new("vmap", call_vmap, function, data);
    Py_XDECREF(data);
  }
  Py_DECREF(zero);
  return result;
}

// --- stop_gradient

static PyObject* stop_gradient(PyObject* module, PyObject* arguments, PyObject* keywords) {
  static char* names[] = {"", "stream", NULL};
  PyObject *object = NULL, *stream = Py_None, *result = NULL;
  core_call_t call;
  tn_array_t* array = NULL;
  (void)module;
  if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O|$O:stop_gradient", names, &object,
                                   &stream) ||
      !core_begin(&call, stream)) {
    return NULL;
  }
  if (core_convert(&call, object, TN_DTYPE_INVALID, &array)) {
    result = core_array_object(tn_array_stop_gradient(call.scope, array));
  }
  core_end(&call);
  return result;
}

#define WITH_KEYWORDS(function) \
  (PyCFunction)(void (*)(void))(function), METH_VARARGS | METH_KEYWORDS

static PyMethodDef functions[] = {
    {"grad", WITH_KEYWORDS(grad),
     "grad(fun, argnums=None, argnames=[])\n--\n\n"
     "A function that gives the gradient of `fun`, which returns a scalar, with respect to the\n"
     "arguments with the indices `argnums` (None: the first) and the names `argnames`."},
    {"value_and_grad", WITH_KEYWORDS(value_and_grad),
     "value_and_grad(fun, argnums=None, argnames=[])\n--\n\n"
     "A function that gives what `fun` returns, and the gradient. `fun` returns a scalar, or a "
     "tuple\n"
     "whose first part is the scalar that is differentiated."},
    {"jvp", WITH_KEYWORDS(jvp),
     "jvp(fun, primals, tangents)\n--\n\n"
     "The outputs of `fun`, and their derivatives in the direction of the tangents."},
    {"vjp", WITH_KEYWORDS(vjp),
     "vjp(fun, primals, cotangents)\n--\n\n"
     "The outputs of `fun`, and the products of the cotangents with its Jacobian."},
    {"vmap", WITH_KEYWORDS(vmap),
     "vmap(fun, in_axes=0, out_axes=0)\n--\n\n"
     "`fun`, which is for one element, over a batch. `in_axes` and `out_axes`: where the batch is "
     "in\n"
     "the arguments and results; an int, None, or a tree of them that is a prefix of theirs."},
    {"stop_gradient", WITH_KEYWORDS(stop_gradient),
     "stop_gradient(a, /, *, stream=None)\n--\n\n"
     "The array as a constant for derivatives."},
    {NULL, NULL, 0, NULL},
};

bool core_add_transforms(PyObject* module) {
  return PyModule_AddFunctions(module, functions) == 0;
}
