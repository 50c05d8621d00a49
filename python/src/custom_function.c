// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// custom_function and checkpoint.
//
// Rules are needed only while a transform is under way: without one the function itself is called.
// What rules need lives until the outermost trace of the thread ends.

#include <string.h>

#include "core.h"

// --- the type

typedef struct custom_function {
  PyObject_HEAD PyObject* function;
  PyObject *vjp, *jvp, *vmap;  // NULL: none
} custom_function_t;

// A call of it.
typedef struct rules {
  PyObject* function;
  PyObject *vjp, *jvp, *vmap;
  PyObject* arguments;  // a tuple of trees
  PyObject* keywords;   // a dict of trees
  PyObject* result;     // a tree
  core_leaves_t outputs;
  bool is_called;  // its outputs have been given
} rules_t;

static void destroy_rules(PyObject* capsule) {
  rules_t* rules = PyCapsule_GetPointer(capsule, NULL);
  Py_XDECREF(rules->function);
  Py_XDECREF(rules->vjp);
  Py_XDECREF(rules->jvp);
  Py_XDECREF(rules->vmap);
  Py_XDECREF(rules->arguments);
  Py_XDECREF(rules->keywords);
  Py_XDECREF(rules->result);
  core_leaves_clear(&rules->outputs);
  PyMem_Free(rules);
}

// --- trees in the shape of the arguments and of the result

// Arrays, or None for those that are NULL, take the place of arrays.
static PyObject* list_of(size_t count, tn_array_t* const* arrays) {
  PyObject* list = PyList_New((Py_ssize_t)count);
  for (size_t i = 0; list && i < count; ++i) {
    PyObject* object = arrays[i] ? core_array_object(arrays[i]) : Py_NewRef(Py_None);
    if (!object || PyList_SetItem(list, (Py_ssize_t)i, object) < 0) Py_CLEAR(list);
  }
  return list;
}

static bool fill(const rules_t* rules, PyObject* objects, PyObject** out_arguments,
                 PyObject** out_keywords) {
  core_fill_t fill = {objects, 0};
  *out_keywords = NULL;
  *out_arguments = objects ? core_tree_map(rules->arguments, core_fill_next, &fill) : NULL;
  if (*out_arguments) *out_keywords = core_tree_map(rules->keywords, core_fill_next, &fill);
  if (!*out_keywords) Py_CLEAR(*out_arguments);
  return *out_arguments != NULL;
}

// As rules get them: one argument by itself.
static bool fill_arguments(const rules_t* rules, size_t count, tn_array_t* const* arrays,
                           PyObject** out_arguments, PyObject** out_keywords) {
  PyObject* objects = list_of(count, arrays);
  const bool is_done = fill(rules, objects, out_arguments, out_keywords);
  Py_XDECREF(objects);
  if (is_done && PyTuple_Size(*out_arguments) == 1) {
    PyObject* one = Py_NewRef(PyTuple_GetItem(*out_arguments, 0));
    Py_DECREF(*out_arguments);
    *out_arguments = one;
  }
  return is_done;
}

static PyObject* fill_result(const rules_t* rules, size_t count, tn_array_t* const* arrays) {
  core_fill_t fill = {list_of(count, arrays), 0};
  PyObject* tree = fill.objects ? core_tree_map(rules->result, core_fill_next, &fill) : NULL;
  Py_XDECREF(fill.objects);
  return tree;
}

// --- what a rule gave

typedef struct taking {
  tn_scope_t* scope;
  size_t count, limit;
  tn_array_t** arrays;  // NULL: none given
} taking_t;

static bool take(taking_t* taking, PyObject* like, PyObject* given);

static PyObject* part_of(PyObject* given, Py_ssize_t i) {
  const bool is_sequence = PyList_Check(given) || PyTuple_Check(given);
  if (!is_sequence || i >= PySequence_Size(given)) return Py_NewRef(Py_None);
  return PySequence_GetItem(given, i);
}

static bool take_sequence(taking_t* taking, PyObject* like, PyObject* given) {
  const Py_ssize_t count = PySequence_Size(like);
  bool is_done = true;
  for (Py_ssize_t i = 0; is_done && i < count; ++i) {
    PyObject *a = PySequence_GetItem(like, i), *b = part_of(given, i);
    is_done = a && b && take(taking, a, b);
    Py_XDECREF(a);
    Py_XDECREF(b);
  }
  return is_done;
}

static bool take_parts(taking_t* taking, PyObject* like, PyObject* given) {
  Py_ssize_t at = 0;
  PyObject *key = NULL, *part = NULL;
  while (PyDict_Next(like, &at, &key, &part)) {
    PyObject* other = PyDict_Check(given) ? PyDict_GetItemWithError(given, key) : NULL;
    if (!other && PyErr_Occurred()) return false;
    if (!take(taking, part, other ? other : Py_None)) return false;
  }
  return true;
}

static bool take_dict(taking_t* taking, PyObject* like, PyObject* given) {
  PyObject *parts = core_frozen(like), *all_given = core_frozen(given);
  const bool is_done = parts && all_given && take_parts(taking, parts, all_given);
  Py_XDECREF(parts);
  Py_XDECREF(all_given);
  return is_done;
}

static bool take_array(taking_t* taking, PyObject* like, PyObject* given) {
  tn_array_t* array = NULL;
  if (taking->count == taking->limit) {
    PyErr_SetString(PyExc_ValueError, "a tree of arrays has changed meanwhile");
    return false;
  }
  if (core_is_array(given)) {
    array = tn_scope_adopt(taking->scope, core_array_take(given));
    array = tn_array_astype(taking->scope, array, core_array_dtype(like));
  } else if (given != Py_None) {
    PyErr_Format(PyExc_TypeError, "a rule of a custom_function gave %R; expected an array or None",
                 given);
    return false;
  }
  taking->arrays[taking->count++] = array;
  return true;
}

// A list of one array stands for that array where there is only one, as in mlx.core. A view.
static PyObject* only_part(PyObject* given) {
  const bool is_one = (PyList_Check(given) && PyList_Size(given) == 1) ||
                      (PyTuple_Check(given) && PyTuple_Size(given) == 1);
  if (!is_one) return given;
  return PyList_Check(given) ? PyList_GetItem(given, 0) : PyTuple_GetItem(given, 0);
}

// The arrays that are in `given` where `like` has arrays.
static bool take(taking_t* taking, PyObject* like, PyObject* given) {
  if (core_is_array(like)) return take_array(taking, like, only_part(given));
  const bool is_sequence = PyList_Check(like) || PyTuple_Check(like);
  if (!is_sequence && !PyDict_Check(like)) return true;
  if (Py_EnterRecursiveCall(" in a tree of arrays")) return false;
  const bool is_done =
      is_sequence ? take_sequence(taking, like, given) : take_dict(taking, like, given);
  Py_LeaveRecursiveCall();
  return is_done;
}

// --- the function itself, as a closure and in place of missing rules

// The status for an exception, which stays set: core_raise keeps it.
static tn_status_t status_of(bool is_done) {
  if (is_done) return TN_OK;
  return tn_status_create(TN_CODE_INTERNAL, "a function of Python has raised an exception");
}

// Calls it, and collects the arrays of its result.
static bool call_function(const rules_t* rules, PyObject* objects, core_leaves_t* outputs) {
  PyObject *arguments = NULL, *keywords = NULL;
  if (!fill(rules, objects, &arguments, &keywords)) return false;
  PyObject* result = PyObject_Call(rules->function, arguments, keywords);
  const bool is_done = result && core_tree_flatten(result, outputs);
  Py_XDECREF(result);
  Py_DECREF(arguments);
  Py_DECREF(keywords);
  return is_done;
}

static bool give(tn_scope_t* scope, const core_leaves_t* outputs, size_t count,
                 tn_array_t** out_outputs) {
  if (outputs->count != count) {
    PyErr_Format(PyExc_ValueError, "the function returned %zu arrays, and %zu before",
                 outputs->count, count);
    return false;
  }
  for (size_t i = 0; i < count; ++i) {
    out_outputs[i] = tn_scope_adopt(scope, tn_array_retain(outputs->values[i]));
  }
  return true;
}

// The first call has been made, for its outputs to be counted.
static tn_status_t closure_call(void* user, tn_scope_t* scope, size_t input_count,
                                tn_array_t* const* inputs, size_t output_count,
                                tn_array_t** out_outputs) {
  rules_t* rules = user;
  core_leaves_t outputs = {0};
  if (!rules->is_called) {
    rules->is_called = true;
    return status_of(give(scope, &rules->outputs, output_count, out_outputs));
  }
  tn_scope_t* previous = core_enter(scope);
  PyObject* objects = list_of(input_count, inputs);
  const bool is_done = objects && call_function(rules, objects, &outputs) &&
                       give(scope, &outputs, output_count, out_outputs);
  Py_XDECREF(objects);
  core_leaves_clear(&outputs);
  core_leave(previous);
  return status_of(is_done);
}

// Calls the function with tracers for the inputs. Both are ended by the caller.
static bool trace_function(const rules_t* rules, tn_trace_kind_t kind, size_t count,
                           tn_array_t* const* inputs, const int64_t* axes, core_trace_t* trace,
                           core_leaves_t* outputs) {
  PyObject* objects = list_of(count, inputs);
  const bool is_done = objects && core_tree_flatten(objects, &trace->inputs) &&
                       core_trace_begin(trace, kind, axes) &&
                       call_function(rules, trace->tracers, outputs);
  Py_XDECREF(objects);
  return is_done;
}

static bool have_count(const core_leaves_t* outputs, size_t count) {
  if (outputs->count == count) return true;
  PyErr_Format(PyExc_ValueError, "the function returned %zu arrays, and %zu before", outputs->count,
               count);
  return false;
}

static bool usual_jvp(const rules_t* rules, tn_scope_t* scope, size_t input_count,
                      tn_array_t* const* inputs, tn_array_t* const* tangents, size_t output_count,
                      tn_array_t** out_tangents) {
  core_trace_t trace = {0};
  core_leaves_t outputs = {0};
  tn_array_t** values = PyMem_Calloc(output_count + 1, sizeof(tn_array_t*));
  const bool is_done =
      values &&
      trace_function(rules, TN_TRACE_DERIVATIVE, input_count, inputs, NULL, &trace, &outputs) &&
      have_count(&outputs, output_count) &&
      core_check(tn_trace_jvp(trace.trace, scope, tangents, output_count, outputs.values, values,
                              out_tangents));
  PyMem_Free(values);
  core_leaves_clear(&outputs);
  core_trace_end(&trace);
  return is_done;
}

static bool usual_vjp(const rules_t* rules, tn_scope_t* scope, size_t input_count,
                      tn_array_t* const* inputs, size_t output_count, tn_array_t* const* cotangents,
                      tn_array_t** out_gradients) {
  core_trace_t trace = {0};
  core_leaves_t outputs = {0};
  const bool is_done =
      trace_function(rules, TN_TRACE_DERIVATIVE, input_count, inputs, NULL, &trace, &outputs) &&
      have_count(&outputs, output_count) &&
      core_check(tn_trace_vjp(trace.trace, scope, output_count, outputs.values, cotangents, NULL,
                              out_gradients));
  core_leaves_clear(&outputs);
  core_trace_end(&trace);
  return is_done;
}

// --- rules

static bool own_jvp(const rules_t* rules, tn_scope_t* scope, size_t input_count,
                    tn_array_t* const* inputs, tn_array_t* const* tangents, size_t output_count,
                    tn_array_t** out_tangents) {
  PyObject *primals = NULL, *keywords = NULL, *changes = NULL, *unused = NULL, *given = NULL;
  taking_t taking = {scope, 0, output_count, out_tangents};
  if (fill_arguments(rules, input_count, inputs, &primals, &keywords) &&
      fill_arguments(rules, input_count, tangents, &changes, &unused)) {
    PyObject* arguments = PyTuple_Pack(2, primals, changes);
    given = arguments ? PyObject_Call(rules->jvp, arguments, keywords) : NULL;
    Py_XDECREF(arguments);
  }
  const bool is_done = given && take(&taking, rules->result, given);
  Py_XDECREF(given);
  Py_XDECREF(unused);
  Py_XDECREF(changes);
  Py_XDECREF(keywords);
  Py_XDECREF(primals);
  return is_done;
}

// The gradients of one argument stand by themselves; keywords have none.
static bool take_gradients(const rules_t* rules, tn_scope_t* scope, PyObject* given, size_t count,
                           tn_array_t** out_gradients) {
  taking_t taking = {scope, 0, count, out_gradients};
  PyObject* like = rules->arguments;
  if (PyTuple_Size(like) == 1) like = PyTuple_GetItem(like, 0);
  if (!take(&taking, like, given)) return false;
  for (size_t i = taking.count; i < count; ++i) out_gradients[i] = NULL;
  core_conjugate(scope, taking.count, out_gradients);
  return true;
}

static PyObject* fill_cotangents(const rules_t* rules, tn_scope_t* scope, size_t count,
                                 tn_array_t* const* cotangents) {
  tn_array_t** changes = PyMem_Calloc(count + 1, sizeof(tn_array_t*));
  if (!changes) return PyErr_NoMemory();
  memcpy(changes, cotangents, count * sizeof *changes);
  core_conjugate(scope, count, changes);
  PyObject* tree = fill_result(rules, count, changes);
  PyMem_Free(changes);
  return tree;
}

static bool own_vjp(const rules_t* rules, tn_scope_t* scope, size_t input_count,
                    tn_array_t* const* inputs, size_t output_count, tn_array_t* const* cotangents,
                    tn_array_t* const* outputs, tn_array_t** out_gradients) {
  PyObject *primals = NULL, *keywords = NULL, *given = NULL;
  PyObject* changes = fill_cotangents(rules, scope, output_count, cotangents);
  PyObject* values = changes ? fill_result(rules, output_count, outputs) : NULL;
  if (values && fill_arguments(rules, input_count, inputs, &primals, &keywords)) {
    PyObject* arguments = PyTuple_Pack(3, primals, changes, values);
    given = arguments ? PyObject_Call(rules->vjp, arguments, keywords) : NULL;
    Py_XDECREF(arguments);
  }
  const bool is_done = given && take_gradients(rules, scope, given, input_count, out_gradients);
  Py_XDECREF(given);
  Py_XDECREF(keywords);
  Py_XDECREF(primals);
  Py_XDECREF(values);
  Py_XDECREF(changes);
  return is_done;
}

static PyObject* list_of_axes(size_t count, const int64_t* axes) {
  PyObject* list = PyList_New((Py_ssize_t)count);
  for (size_t i = 0; list && i < count; ++i) {
    PyObject* axis =
        axes[i] == TN_NO_AXIS ? Py_NewRef(Py_None) : PyLong_FromLongLong((long long)axes[i]);
    if (!axis || PyList_SetItem(list, (Py_ssize_t)i, axis) < 0) Py_CLEAR(list);
  }
  return list;
}

// The axes in the shape of the arguments.
static PyObject* tree_of_axes(const rules_t* rules, size_t count, const int64_t* axes) {
  PyObject *arguments = NULL, *keywords = NULL;
  PyObject* list = list_of_axes(count, axes);
  fill(rules, list, &arguments, &keywords);
  Py_XDECREF(list);
  Py_XDECREF(keywords);
  if (!arguments || PyTuple_Size(arguments) != 1) return arguments;
  PyObject* one = Py_NewRef(PyTuple_GetItem(arguments, 0));
  Py_DECREF(arguments);
  return one;
}

static bool take_batch(const rules_t* rules, tn_scope_t* scope, PyObject* given, size_t count,
                       tn_array_t** out_outputs, int64_t* out_axes) {
  core_axes_t axes = {0};
  taking_t taking = {scope, 0, count, out_outputs};
  if (!PyTuple_Check(given) || PyTuple_Size(given) != 2) {
    return core_raise_type(
        PyExc_ValueError,
        "the vmap of a custom function returns a tuple of the outputs and their axes; not %U",
        given);
  }
  PyObject* outputs = PyTuple_GetItem(given, 0);
  const bool is_done = take(&taking, rules->result, outputs) &&
                       core_axes_of(outputs, PyTuple_GetItem(given, 1), &axes);
  for (size_t i = 0; is_done && i < count; ++i) {
    out_axes[i] = i < axes.count ? axes.values[i] : TN_NO_AXIS;
    if (out_axes[i] < 0 && out_axes[i] != TN_NO_AXIS && out_outputs[i]) {
      out_axes[i] += (int64_t)tn_array_rank(out_outputs[i]);
    }
  }
  PyMem_Free(axes.values);
  return is_done;
}

static bool own_vmap(const rules_t* rules, tn_scope_t* scope, size_t input_count,
                     tn_array_t* const* inputs, const int64_t* axes, size_t output_count,
                     tn_array_t** out_outputs, int64_t* out_axes) {
  PyObject *values = NULL, *keywords = NULL, *given = NULL;
  PyObject* tree = tree_of_axes(rules, input_count, axes);
  if (tree && fill_arguments(rules, input_count, inputs, &values, &keywords)) {
    PyObject* arguments = PyTuple_Pack(2, values, tree);
    given = arguments ? PyObject_Call(rules->vmap, arguments, keywords) : NULL;
    Py_XDECREF(arguments);
  }
  const bool is_done =
      given && take_batch(rules, scope, given, output_count, out_outputs, out_axes);
  Py_XDECREF(given);
  Py_XDECREF(keywords);
  Py_XDECREF(values);
  Py_XDECREF(tree);
  return is_done;
}

static tn_status_t rule_jvp(void* user, tn_scope_t* scope, size_t input_count,
                            tn_array_t* const* inputs, tn_array_t* const* tangents,
                            size_t output_count, tn_array_t** out_tangents) {
  const rules_t* rules = user;
  tn_scope_t* previous = core_enter(scope);
  const bool is_done = (rules->jvp ? own_jvp : usual_jvp)(rules, scope, input_count, inputs,
                                                          tangents, output_count, out_tangents);
  core_leave(previous);
  return status_of(is_done);
}

static tn_status_t rule_vjp(void* user, tn_scope_t* scope, size_t input_count,
                            tn_array_t* const* inputs, size_t output_count,
                            tn_array_t* const* cotangents, tn_array_t* const* outputs,
                            tn_array_t** out_gradients) {
  const rules_t* rules = user;
  tn_scope_t* previous = core_enter(scope);
  const bool is_done = rules->vjp ? own_vjp(rules, scope, input_count, inputs, output_count,
                                            cotangents, outputs, out_gradients)
                                  : usual_vjp(rules, scope, input_count, inputs, output_count,
                                              cotangents, out_gradients);
  core_leave(previous);
  return status_of(is_done);
}

static tn_status_t rule_vmap(void* user, tn_scope_t* scope, int64_t batch_size, size_t input_count,
                             tn_array_t* const* inputs, const int64_t* axes, size_t output_count,
                             tn_array_t** out_outputs, int64_t* out_axes) {
  const rules_t* rules = user;
  (void)batch_size;
  tn_scope_t* previous = core_enter(scope);
  const bool is_done =
      own_vmap(rules, scope, input_count, inputs, axes, output_count, out_outputs, out_axes);
  core_leave(previous);
  return status_of(is_done);
}

// --- calls

// The inputs as constants for derivatives, if there is a rule for those.
static PyObject* constants_of(const core_leaves_t* inputs) {
  core_call_t call;
  PyObject* list = PyList_New((Py_ssize_t)inputs->count);
  if (!list || !core_begin(&call, NULL)) return list;
  for (size_t i = 0; list && i < inputs->count; ++i) {
    PyObject* object = core_array_object(tn_array_stop_gradient(call.scope, inputs->values[i]));
    if (!object || PyList_SetItem(list, (Py_ssize_t)i, object) < 0) Py_CLEAR(list);
  }
  core_end(&call);
  return list;
}

// Calls the function once: what it returned is kept for the closure.
static bool call_first(rules_t* rules, const core_leaves_t* inputs, bool is_constant) {
  PyObject *arguments = NULL, *keywords = NULL;
  if (is_constant) {
    PyObject* constants = constants_of(inputs);
    fill(rules, constants, &arguments, &keywords);
    Py_XDECREF(constants);
  } else {
    arguments = Py_NewRef(rules->arguments);
    keywords = Py_NewRef(rules->keywords);
  }
  if (arguments) rules->result = PyObject_Call(rules->function, arguments, keywords);
  Py_XDECREF(arguments);
  Py_XDECREF(keywords);
  return rules->result && core_tree_flatten(rules->result, &rules->outputs);
}

// Puts rules, or a checkpoint, behind the outputs.
static PyObject* attach(rules_t* rules, const core_leaves_t* inputs, bool is_checkpoint) {
  core_call_t call;
  const size_t count = rules->outputs.count;
  const bool has_rules = rules->vjp || rules->jvp;
  const tn_custom_function_t custom = {.struct_size = sizeof custom,
                                       .function = {closure_call, rules},
                                       .jvp = has_rules ? rule_jvp : NULL,
                                       .vjp = has_rules ? rule_vjp : NULL,
                                       .vmap = rules->vmap ? rule_vmap : NULL};
  tn_array_t** outputs = PyMem_Calloc(count + 1, sizeof(tn_array_t*));
  if (!outputs) return PyErr_NoMemory();
  core_fill_t fill = {NULL, 0};
  if (core_begin(&call, NULL)) {
    tn_status_t status = is_checkpoint ? tn_checkpoint(call.scope, &custom.function, inputs->count,
                                                       inputs->values, count, outputs)
                                       : tn_custom_function_call(call.scope, &custom, inputs->count,
                                                                 inputs->values, count, outputs);
    if (core_check(status)) fill.objects = core_objects_of(count, outputs);
    core_end(&call);
  }
  PyMem_Free(outputs);
  PyObject* result = fill.objects ? core_tree_map(rules->result, core_fill_next, &fill) : NULL;
  Py_XDECREF(fill.objects);
  return result;
}

// A call under a transform.
static PyObject* call_with_rules(const custom_function_t* custom, bool is_checkpoint,
                                 PyObject* arguments, PyObject* keywords) {
  core_leaves_t inputs = {0};
  PyObject* result = NULL;
  rules_t* rules = PyMem_Calloc(1, sizeof *rules);
  if (!rules) return PyErr_NoMemory();
  PyObject* capsule = PyCapsule_New(rules, NULL, destroy_rules);
  if (!capsule) {
    PyMem_Free(rules);
    return NULL;
  }
  rules->function = Py_NewRef(custom->function);
  rules->vjp = Py_XNewRef(custom->vjp);
  rules->jvp = Py_XNewRef(custom->jvp);
  rules->vmap = Py_XNewRef(custom->vmap);
  rules->arguments = Py_NewRef(arguments);
  rules->keywords = keywords ? Py_NewRef(keywords) : PyDict_New();
  if (rules->keywords && core_tree_flatten(arguments, &inputs) &&
      core_tree_flatten(rules->keywords, &inputs) && core_trace_keep(capsule) &&
      call_first(rules, &inputs, rules->vjp || rules->jvp)) {
    result = rules->outputs.count && inputs.count ? attach(rules, &inputs, is_checkpoint)
                                                  : Py_NewRef(rules->result);
  }
  core_leaves_clear(&inputs);
  Py_DECREF(capsule);
  return result;
}

static PyObject* custom_call(PyObject* self, PyObject* arguments, PyObject* keywords) {
  const custom_function_t* custom = (custom_function_t*)self;
  if (!core_is_tracing()) return PyObject_Call(custom->function, arguments, keywords);
  custom_function_t now = {.function = custom->function};
  CORE_BEGIN_EXCLUSIVE(self);  // against set_rule
  now.vjp = Py_XNewRef(custom->vjp);
  now.jvp = Py_XNewRef(custom->jvp);
  now.vmap = Py_XNewRef(custom->vmap);
  CORE_END_EXCLUSIVE();
  PyObject* result = now.vjp || now.jvp || now.vmap
                         ? call_with_rules(&now, false, arguments, keywords)
                         : PyObject_Call(now.function, arguments, keywords);
  Py_XDECREF(now.vjp);
  Py_XDECREF(now.jvp);
  Py_XDECREF(now.vmap);
  return result;
}

static PyObject* call_checkpoint(core_transformed_t* self, PyObject* arguments,
                                 PyObject* keywords) {
  const custom_function_t custom = {.function = self->function};
  if (!core_is_tracing()) return PyObject_Call(self->function, arguments, keywords);
  return call_with_rules(&custom, true, arguments, keywords);
}

// --- the type and the module

static PyObject* custom_new(PyTypeObject* type, PyObject* arguments, PyObject* keywords) {
  static char* names[] = {"f", NULL};
  PyObject* function = NULL;
  if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O:custom_function", names, &function)) {
    return NULL;
  }
  if (!PyCallable_Check(function)) {
    PyErr_Format(PyExc_TypeError, "custom_function(): expected a function; found %R", function);
    return NULL;
  }
  custom_function_t* custom = (custom_function_t*)PyType_GenericAlloc(type, 0);
  if (custom) custom->function = Py_NewRef(function);
  return (PyObject*)custom;
}

static int traverse(PyObject* self, visitproc visit, void* arg) {
  custom_function_t* custom = (custom_function_t*)self;
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(custom->function);
  Py_VISIT(custom->vjp);
  Py_VISIT(custom->jvp);
  Py_VISIT(custom->vmap);
  return 0;
}

static int clear(PyObject* self) {
  custom_function_t* custom = (custom_function_t*)self;
  Py_CLEAR(custom->function);
  Py_CLEAR(custom->vjp);
  Py_CLEAR(custom->jvp);
  Py_CLEAR(custom->vmap);
  return 0;
}

static void dealloc(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  clear(self);
  PyObject_GC_Del(self);
  Py_DECREF(type);
}

// Decorators, which return the rule.
static PyObject* set_rule(PyObject* self, PyObject** place, PyObject* rule) {
  if (!PyCallable_Check(rule)) {
    PyErr_Format(PyExc_TypeError, "a rule of a custom function is a function; found %R", rule);
    return NULL;
  }
  PyObject* old = NULL;
  (void)self;
  CORE_BEGIN_EXCLUSIVE(self);
  old = *place;
  *place = Py_NewRef(rule);
  CORE_END_EXCLUSIVE();
  Py_XDECREF(old);
  return Py_NewRef(rule);
}

static PyObject* set_vjp(PyObject* self, PyObject* rule) {
  return set_rule(self, &((custom_function_t*)self)->vjp, rule);
}

static PyObject* set_jvp(PyObject* self, PyObject* rule) {
  return set_rule(self, &((custom_function_t*)self)->jvp, rule);
}

static PyObject* set_vmap(PyObject* self, PyObject* rule) {
  return set_rule(self, &((custom_function_t*)self)->vmap, rule);
}

static PyMethodDef methods[] = {
    {"vjp", set_vjp, METH_O,
     "vjp($self, f, /)\n--\n\n"
     "Decorates `f(primals, cotangents, outputs)`, which gives the gradients of the primals."},
    {"jvp", set_jvp, METH_O,
     "jvp($self, f, /)\n--\n\n"
     "Decorates `f(primals, tangents)`, which gives the tangents of the outputs; the tangents of\n"
     "constants are None."},
    {"vmap", set_vmap, METH_O,
     "vmap($self, f, /)\n--\n\n"
     "Decorates `f(inputs, axes)`, which gives the outputs and their axes; None: no batch."},
    {NULL, NULL, 0, NULL},
};

static const char custom_doc[] =
    "custom_function(f)\n--\n\n"
    "The function, with rules of its own for transforms: see its decorators vjp, jvp and vmap.\n"
    "Transforms without such a rule treat it as any other function. Arrays that it uses besides "
    "its\n"
    "arguments are constants for derivatives with a rule.";

static bool add_type(PyObject* module) {
  PyType_Slot slots[] = {CORE_SLOT(Py_tp_new, custom_new),    CORE_SLOT(Py_tp_call, custom_call),
                         CORE_SLOT(Py_tp_traverse, traverse), CORE_SLOT(Py_tp_clear, clear),
                         CORE_SLOT(Py_tp_dealloc, dealloc),   {Py_tp_methods, methods},
                         {Py_tp_doc, (void*)custom_doc},      {0, NULL}};
  PyType_Spec spec = {.name = "tenon.core.custom_function",
                      .basicsize = sizeof(custom_function_t),
                      .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
                      .slots = slots};
  PyObject* type = PyType_FromSpec(&spec);
  const bool is_added = type && PyModule_AddObjectRef(module, "custom_function", type) == 0;
  Py_XDECREF(type);
  return is_added;
}

static PyObject* checkpoint(PyObject* module, PyObject* arguments, PyObject* keywords) {
  static char* names[] = {"fun", NULL};
  PyObject* function = NULL;
  (void)module;
  if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O:checkpoint", names, &function)) {
    return NULL;
  }
  return core_transformed_new("checkpoint", call_checkpoint, function, NULL);
}

static PyMethodDef functions[] = {
    {"checkpoint", (PyCFunction)(void (*)(void))checkpoint, METH_VARARGS | METH_KEYWORDS,
     "checkpoint(fun)\n--\n\n"
     "`fun`, whose gradient computes what is inside again instead of keeping it."},
    {NULL, NULL, 0, NULL},
};

bool core_add_custom_function(PyObject* module) {
  return add_type(module) && PyModule_AddFunctions(module, functions) == 0;
}
