// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Custom operations as functions, from the signatures that libraries carry.

#include "operation.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <tenon/custom.h>
#include <tenon/detail/call.h>

// A parameter of an operation, in the order of its signature.
typedef struct parameter {
  PyObject* name;  // interned
  char* type;
  bool is_attribute;
  bool is_required;
  bool is_list;  // takes a sequence of arrays
} parameter_t;

typedef struct operation {
  char* target;     // as it is registered
  char* name;       // of the function
  char* signature;  // "axpby(x, y, alpha=1.0)"
  char* doc;
  size_t parameter_count;
  parameter_t* parameters;  // operands and attributes
  size_t result_count;
  bool has_any_attributes;  // also those that are not in the signature
  PyMethodDef method;
} operation_t;

// --- one use

typedef struct use {
  core_call_t call;
  core_pool_t pool;
  size_t operand_count, attribute_count;
  PyObject** operands;  // views
  tn_attribute_t* attributes;
} use_t;

static void use_init(use_t* use) {
  core_pool_init(&use->pool);
  use->operand_count = use->attribute_count = 0;
}

// The dtype of the operands that are arrays, which numbers beside them take.
static tn_dtype_t common_dtype(const use_t* use) {
  tn_dtype_t dtype = TN_DTYPE_INVALID;
  for (size_t i = 0; i < use->operand_count; ++i) {
    if (!core_is_array(use->operands[i])) continue;
    const tn_dtype_t other = core_array_dtype(use->operands[i]);
    dtype = dtype ? tn_promote_types(dtype, other) : other;
  }
  return dtype;
}

// Says which operand the exception is about.
static PyObject* blame(const char* name, size_t operand) {
  PyObject* error = core_take_type_error();
  if (error) PyErr_Format(PyExc_TypeError, "%s(): operand %zu: %S", name, operand, error);
  Py_XDECREF(error);
  return NULL;
}

// `types` NULL: inferred.
static PyObject* apply(use_t* use, const char* name, size_t result_count,
                       const tn_array_type_t* types) {
  tn_array_t** operands = core_allocate(&use->pool, use->operand_count, sizeof *operands);
  tn_array_t** results = core_allocate(&use->pool, result_count, sizeof *results);
  if (!operands || !results) return NULL;
  const tn_dtype_t dtype = common_dtype(use);
  for (size_t i = 0; i < use->operand_count; ++i) {
    if (!core_convert(&use->call, use->operands[i], dtype, &operands[i])) return blame(name, i);
  }
  const tn_application_t application = {
      .struct_size = sizeof application,
      .name = name,
      .operand_count = use->operand_count,
      .operands = operands,
      .attribute_count = use->attribute_count,
      .attributes = use->attributes,
      .result_count = result_count,
      .result_types = types,
  };
  tn_op_apply(use->call.scope, &application, results);
  return result_count == 1 ? core_array_object(results[0]) : core_tuple_of(result_count, results);
}

// --- arguments

static size_t find_parameter(const operation_t* operation, PyObject* name) {
  const size_t count = operation->parameter_count;
  for (size_t i = 0; i < count; ++i) {
    if (operation->parameters[i].name == name) return i;  // keywords of calls are interned
  }
  for (size_t i = 0; i < count; ++i) {
    if (PyUnicode_Compare(operation->parameters[i].name, name) == 0) return i;
  }
  return count;
}

// Keywords that are no parameter are attributes if the operation takes any, or `stream`.
static bool bind_keyword(const operation_t* operation, use_t* use, PyObject** bound, PyObject* name,
                         PyObject* object, PyObject** stream) {
  const size_t i = find_parameter(operation, name);
  if (i < operation->parameter_count) {
    if (bound[i]) {
      PyErr_Format(PyExc_TypeError, "%s() got multiple values for argument '%U'", operation->name,
                   name);
      return false;
    }
    bound[i] = object;
    return true;
  }
  const char* text = PyUnicode_AsUTF8AndSize(name, NULL);
  if (!text) return false;
  if (strcmp(text, "stream") == 0) {
    *stream = object;
    return true;
  }
  if (operation->has_any_attributes) {
    return core_attribute_from(&use->call, &use->pool, text, NULL, object,
                               &use->attributes[use->attribute_count++]);
  }
  const size_t count = operation->parameter_count;
  PyObject** names = core_allocate(&use->pool, count, sizeof *names);
  for (size_t j = 0; names && j < count; ++j) names[j] = operation->parameters[j].name;
  return names && core_raise_keyword(operation->name, name, count, names, operation->signature);
}

static bool add_operands(use_t* use, const parameter_t* parameter, PyObject* object) {
  if (!parameter->is_list) {
    use->operands[use->operand_count++] = object;
    return true;
  }
  PyObject* list = PySequence_Tuple(object);
  if (!core_keep(&use->pool, list)) return false;
  const size_t count = (size_t)PyTuple_Size(list), all = use->operand_count + count;
  PyObject** operands = core_allocate(&use->pool, all, sizeof *operands);
  for (size_t i = 0; operands && i < all; ++i) {
    operands[i] = i < use->operand_count
                      ? use->operands[i]
                      : PyTuple_GetItem(list, (Py_ssize_t)(i - use->operand_count));
  }
  if (!operands) return false;
  use->operands = operands;
  use->operand_count = all;
  return true;
}

static bool take(const operation_t* operation, use_t* use, PyObject* const* bound) {
  for (size_t i = 0; i < operation->parameter_count; ++i) {
    const parameter_t* parameter = &operation->parameters[i];
    PyObject* object = bound[i];
    if (object == Py_None && !parameter->is_required) object = NULL;
    if (!object && parameter->is_required) {
      PyErr_Format(PyExc_TypeError, "%s() missing required argument '%U': it is %s",
                   operation->name, parameter->name, operation->signature);
      return false;
    }
    if (!object) continue;
    if (!parameter->is_attribute) {
      if (!add_operands(use, parameter, object)) return false;
      continue;
    }
    const char* name = PyUnicode_AsUTF8AndSize(parameter->name, NULL);
    if (!name || !core_attribute_from(&use->call, &use->pool, name, parameter->type, object,
                                      &use->attributes[use->attribute_count++])) {
      return false;
    }
  }
  return true;
}

static PyObject* use_operation(const operation_t* operation, use_t* use, PyObject* const* objects,
                               size_t count, PyObject* names) {
  const size_t name_count = names ? (size_t)PyTuple_Size(names) : 0;
  const size_t room = operation->parameter_count + name_count;
  PyObject** bound = core_allocate(&use->pool, operation->parameter_count, sizeof *bound);
  use->operands = core_allocate(&use->pool, operation->parameter_count, sizeof *use->operands);
  use->attributes = core_allocate(&use->pool, room, sizeof *use->attributes);
  if (!bound || !use->operands || !use->attributes) return NULL;
  if (count > operation->parameter_count) {
    PyErr_Format(PyExc_TypeError,
                 "%s() takes %zu positional arguments but %zu were given: it is %s",
                 operation->name, operation->parameter_count, count, operation->signature);
    return NULL;
  }
  for (size_t i = 0; i < count; ++i) bound[i] = objects[i];
  PyObject* stream = NULL;
  for (size_t i = 0; i < name_count; ++i) {
    if (!bind_keyword(operation, use, bound, PyTuple_GetItem(names, (Py_ssize_t)i),
                      objects[count + i], &stream)) {
      return NULL;
    }
  }
  if (!take(operation, use, bound)) return NULL;
  if (!stream || stream == Py_None)
    return apply(use, operation->target, operation->result_count, NULL);
  core_end(&use->call);
  if (!core_begin(&use->call, stream)) return NULL;
  return apply(use, operation->target, operation->result_count, NULL);
}

static PyObject* call_operation(PyObject* self, PyObject* const* objects, Py_ssize_t count,
                                PyObject* names) {
  const operation_t* operation = PyCapsule_GetPointer(self, NULL);
  use_t use;
  use_init(&use);
  if (!operation || !core_begin(&use.call, NULL)) return NULL;
  PyObject* result = use_operation(operation, &use, objects, (size_t)count, names);
  core_end(&use.call);
  core_free(&use.pool);
  return result;
}

// --- from signatures

// "1.0f" is 1.0 to Python, "1" of a bool True, "{}" None; names of C become "...".
static void write_default(const tn_target_parameter_t* parameter, char* out, size_t capacity) {
  const char* text = parameter->default_value;
  char* end = NULL;
  strtod(text, &end);
  const size_t number = (size_t)(end - text);
  if (strcmp(parameter->type, "bool") == 0) {
    const bool is_true = strcmp(text, "1") == 0 || strcmp(text, "true") == 0;
    snprintf(out, capacity, "%s", is_true ? "True" : "False");
  } else if (number && !end[strspn(end, "fFlLuU")]) {
    snprintf(out, capacity, "%.*s%s", (int)number, text, end[-1] == '.' ? "0" : "");
  } else if (!*text || *text == '{') {
    snprintf(out, capacity, "None");
  } else {
    snprintf(out, capacity, "%s", *text == '"' ? text : "...");
  }
}

// A text that grows; the first failure to grow sticks.
typedef struct text {
  char* bytes;
  size_t length;
  bool has_failed;
} text_t;

static void add(text_t* text, const char* part) {
  if (!part || text->has_failed) {
    text->has_failed = true;
    return;
  }
  const size_t length = strlen(part);
  char* bytes = PyMem_Realloc(text->bytes, text->length + length + 1);
  text->has_failed = !bytes;
  if (!bytes) return;
  memcpy(bytes + text->length, part, length + 1);
  text->bytes = bytes;
  text->length += length;
}

static char* copy(const char* text) {
  text_t out = {0};
  add(&out, text ? text : "");
  return out.bytes;
}

// "xs...: f32" in the signature is a list.
static bool is_list(const char* signature, const char* name) {
  char wanted[256];
  snprintf(wanted, sizeof wanted, "%s...:", name);
  return signature && strstr(signature, wanted);
}

static bool is_optional(const tn_target_parameter_t* it) {
  return it->default_value || (it->kind == TN_TARGET_OPERAND && strstr(it->type, "optional"));
}

static void describe(operation_t* operation, const tn_target_info_t* info) {
  text_t signature = {0}, doc = {0};
  add(&signature, operation->name);
  add(&signature, "(");
  for (size_t i = 0, written = 0; i < info->parameter_count; ++i) {
    const tn_target_parameter_t* it = &info->parameters[i];
    if (it->kind == TN_TARGET_RESULT) continue;
    char value[256] = "None";
    if (it->default_value) write_default(it, value, sizeof value);
    if (written++) add(&signature, ", ");
    add(&signature, it->name);
    if (!is_optional(it)) continue;
    add(&signature, "=");
    add(&signature, value);
  }
  add(&doc, signature.bytes);
  add(&doc, operation->parameter_count ? ", *, stream=None)\n--\n\n" : "*, stream=None)\n--\n\n");
  add(&signature, ")");
  if (info->doc) add(&doc, info->doc);
  add(&doc, "\n\n");
  add(&doc, info->signature ? info->signature : "");
  for (size_t i = 0; i < info->parameter_count; ++i) {
    const tn_target_parameter_t* it = &info->parameters[i];
    if (!it->doc) continue;
    add(&doc, "\n");
    add(&doc, it->name);
    add(&doc, ": ");
    add(&doc, it->doc);
  }
  operation->signature = signature.has_failed ? NULL : signature.bytes;
  operation->doc = doc.has_failed ? NULL : doc.bytes;
}

static bool fill(operation_t* operation, const tn_target_info_t* info, const char* name) {
  operation->target = copy(info->name);
  operation->name = copy(name);
  operation->parameters = PyMem_Calloc(info->parameter_count + 1, sizeof(parameter_t));
  if (!operation->target || !operation->name || !operation->parameters) return false;
  for (size_t i = 0; i < info->parameter_count; ++i) {
    const tn_target_parameter_t* it = &info->parameters[i];
    if (it->kind == TN_TARGET_RESULT) {
      ++operation->result_count;
      continue;
    }
    parameter_t* parameter = &operation->parameters[operation->parameter_count++];
    parameter->name = PyUnicode_InternFromString(it->name);
    parameter->type = copy(it->type);
    parameter->is_attribute = it->kind == TN_TARGET_ATTRIBUTE;
    parameter->is_required = !is_optional(it);
    parameter->is_list = !parameter->is_attribute && is_list(info->signature, it->name);
    operation->has_any_attributes |= strcmp(it->type, "all_attributes") == 0;
    if (!parameter->name || !parameter->type) return false;
  }
  describe(operation, info);
  operation->method = (PyMethodDef){operation->name, (PyCFunction)(void (*)(void))call_operation,
                                    METH_FASTCALL | METH_KEYWORDS, operation->doc};
  return operation->signature && operation->doc;
}

static void free_operation(operation_t* operation) {
  if (!operation) return;
  for (size_t i = 0; operation->parameters && i < operation->parameter_count; ++i) {
    Py_XDECREF(operation->parameters[i].name);
    PyMem_Free(operation->parameters[i].type);
  }
  PyMem_Free(operation->parameters);
  PyMem_Free(operation->target);
  PyMem_Free(operation->name);
  PyMem_Free(operation->signature);
  PyMem_Free(operation->doc);
  PyMem_Free(operation);
}

static void drop_operation(PyObject* capsule) {
  free_operation(PyCapsule_GetPointer(capsule, NULL));
}

// A function for an operation, which its capsule owns.
static PyObject* function_of(const tn_target_info_t* info, const char* name,
                             PyObject* module_name) {
  operation_t* operation = PyMem_Calloc(1, sizeof *operation);
  const bool is_filled = operation && fill(operation, info, name);
  PyObject* self = is_filled ? PyCapsule_New(operation, NULL, drop_operation) : PyErr_NoMemory();
  if (!self) {
    free_operation(operation);
    return NULL;
  }
  PyObject* function = PyCFunction_NewEx(&operation->method, self, module_name);
  Py_DECREF(self);
  return function;
}

// --- libraries

typedef struct search {
  const char* path;  // resolved, or as it was given if the system finds it
  PyObject* module_name;
  PyObject* functions;  // a dict
} search_t;

static bool is_of(const tn_target_info_t* info, const char* path) {
  if (!info->library || strcmp(info->library, path) == 0) return info->library;
  char* resolved = realpath(info->library, NULL);
  const bool is_same = resolved && strcmp(resolved, path) == 0;
  free(resolved);
  return is_same;
}

static bool visit(void* user, const tn_target_info_t* info) {
  search_t* search = user;
  if (!info->is_declared || !info->signature || !is_of(info, search->path)) return true;
  PyObject* function = function_of(info, info->name, search->module_name);
  const bool is_added =
      function && PyDict_SetItemString(search->functions, info->name, function) == 0;
  Py_XDECREF(function);
  return is_added;
}

static PyObject* load_operations(PyObject* module, PyObject* arguments) {
  (void)module;
  const char* path = NULL;
  PyObject* module_name = NULL;
  if (!PyArg_ParseTuple(arguments, "sU:_load_operations", &path, &module_name)) return NULL;
  char* resolved = realpath(path, NULL);
  search_t search = {resolved ? resolved : path, module_name, NULL};
  if (core_check(tn_library_load(search.path))) search.functions = PyDict_New();
  if (search.functions && (!core_check(tn_target_enumerate(visit, &search)) || PyErr_Occurred())) {
    Py_CLEAR(search.functions);
  }
  free(resolved);
  return search.functions;
}

// --- one operation under another name

// As the library has it, but for the name; both stay as long as the process.
static tn_status_t register_as(const tn_ffi_op_t* op, const char* target) {
  tn_ffi_op_t* renamed = PyMem_Calloc(1, sizeof *renamed);
  tn_op_def_t definition = {.struct_size = sizeof definition, .handler = renamed};
  char* name = copy(target);
  if (!renamed || !name) return tn_status_create(TN_CODE_RESOURCE_EXHAUSTED, "out of memory");
  memcpy(renamed, op, op->struct_size < sizeof *op ? op->struct_size : sizeof *op);
  if (renamed->definition) {
    const size_t size = renamed->definition->struct_size;
    memcpy(&definition, renamed->definition, size < sizeof definition ? size : sizeof definition);
    definition.handler = renamed;
  }
  renamed->name = name;
  renamed->definition = NULL;
  return tn_op_register(&definition);
}

static tn_status_t find_and_register(const char* path, const char* name, const char* target) {
  void* handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);  // stays loaded
  if (!handle) {
    const char* reason = dlerror();
    return tn_status_create(TN_CODE_FAILED_PRECONDITION, "%s", reason ? reason : path);
  }
  const tn_ffi_library_t* library = dlsym(handle, TN_FFI_LIBRARY_SYMBOL);
  for (int32_t i = 0; library && i < library->op_count; ++i) {
    if (strcmp(library->ops[i]->name, name) == 0) return register_as(library->ops[i], target);
  }
  return tn_status_create(TN_CODE_INVALID_ARGUMENT,
                          "the source of %s defines no operation of that name: TN_OP(%s, ...)",
                          name, name);
}

typedef struct one {
  const char *target, *name;
  PyObject *module_name, *function;
} one_t;

static bool visit_one(void* user, const tn_target_info_t* info) {
  one_t* one = user;
  if (strcmp(info->name, one->target) != 0) return true;
  one->function = function_of(info, one->name, one->module_name);
  return false;
}

static bool find_one(one_t* one) {
  return core_check(tn_target_enumerate(visit_one, one)) && !PyErr_Occurred();
}

static bool find_or_register(const char* path, one_t* one) {
  if (!find_one(one)) return false;
  if (one->function) return true;  // loaded before
  return core_check(find_and_register(path, one->name, one->target)) && find_one(one);
}

static PyObject* load_kernel(PyObject* module, PyObject* arguments) {
  (void)module;
  static core_mutex_t mutex;  // a name is registered once
  const char* path = NULL;
  one_t one = {0};
  if (!PyArg_ParseTuple(arguments, "sssU:_load_kernel", &path, &one.name, &one.target,
                        &one.module_name)) {
    return NULL;
  }
  core_mutex_lock(&mutex);
  const bool is_found = find_or_register(path, &one);
  core_mutex_unlock(&mutex);
  return is_found ? one.function : NULL;
}

// --- targets by their names

static bool to_types(core_pool_t* pool, PyObject* list, size_t count, tn_array_type_t* types) {
  for (size_t i = 0; i < count; ++i) {
    PyObject *shape = NULL, *dtype = NULL;
    if (!PyArg_ParseTuple(PyTuple_GetItem(list, (Py_ssize_t)i), "O!O", &PyTuple_Type, &shape,
                          &dtype)) {
      return false;
    }
    const size_t rank = (size_t)PyTuple_Size(shape);
    int64_t* dims = core_allocate(pool, rank, sizeof *dims);
    if (!dims || !core_dtype_from(dtype, &types[i].dtype)) return false;
    for (size_t axis = 0; axis < rank; ++axis) {
      dims[axis] = PyLong_AsLongLong(PyTuple_GetItem(shape, (Py_ssize_t)axis));
    }
    types[i].rank = rank;
    types[i].dims = dims;
  }
  return !PyErr_Occurred();
}

static bool take_target(use_t* use, PyObject* operands, PyObject* attributes, size_t count) {
  const size_t operand_count = (size_t)PyTuple_Size(operands);
  use->operands = core_allocate(&use->pool, operand_count, sizeof *use->operands);
  use->attributes = core_allocate(&use->pool, count, sizeof *use->attributes);
  if (!use->operands || !use->attributes) return false;
  while (use->operand_count < operand_count) {
    use->operands[use->operand_count] = PyTuple_GetItem(operands, (Py_ssize_t)use->operand_count);
    ++use->operand_count;
  }
  Py_ssize_t at = 0;
  PyObject *key = NULL, *value = NULL;
  while (use->attribute_count < count && PyDict_Next(attributes, &at, &key, &value)) {
    const char* name = PyUnicode_AsUTF8AndSize(key, NULL);
    if (!name || !core_attribute_from(&use->call, &use->pool, name, NULL, value,
                                      &use->attributes[use->attribute_count++])) {
      return false;
    }
  }
  return true;
}

static PyObject* apply_target(PyObject* module, PyObject* arguments) {
  (void)module;
  const char* name = NULL;
  PyObject *operands = NULL, *attributes = NULL, *types = NULL, *stream = NULL;
  if (!PyArg_ParseTuple(arguments, "sO!O!O!O:_apply_target", &name, &PyTuple_Type, &operands,
                        &PyDict_Type, &attributes, &PyTuple_Type, &types, &stream)) {
    return NULL;
  }
  use_t use;
  use_init(&use);
  if (!core_begin(&use.call, stream)) return NULL;
  const size_t count = (size_t)PyTuple_Size(types);
  tn_array_type_t* result_types = core_allocate(&use.pool, count, sizeof *result_types);
  PyObject* result = NULL;
  if (result_types && to_types(&use.pool, types, count, result_types) &&
      take_target(&use, operands, attributes, (size_t)PyDict_Size(attributes))) {
    result = apply(&use, name, count, result_types);
  }
  core_end(&use.call);
  core_free(&use.pool);
  return result;
}

static bool function_from(PyObject* capsule, tn_target_function_t* out_function) {
  *out_function = NULL;
  if (capsule == Py_None) return true;
  if (!PyCapsule_CheckExact(capsule)) {
    PyErr_Format(PyExc_TypeError, "expected a capsule with a function's address; found %R",
                 capsule);
    return false;
  }
  void* address = PyCapsule_GetPointer(capsule, PyCapsule_GetName(capsule));
  memcpy(out_function, &address, sizeof address);
  return address != NULL;
}

static PyObject* register_target(PyObject* module, PyObject* arguments) {
  (void)module;
  const char *name = NULL, *platform = NULL;
  int api_version = 0;
  PyObject* capsules[4];
  tn_target_function_t functions[4];
  if (!PyArg_ParseTuple(arguments, "ssiOOOO:_register_target", &name, &platform, &api_version,
                        &capsules[0], &capsules[1], &capsules[2], &capsules[3])) {
    return NULL;
  }
  for (int i = 0; i < 4; ++i) {
    if (!function_from(capsules[i], &functions[i])) return NULL;
  }
  const tn_handler_stages_t stages = {.instantiate = functions[0],
                                      .prepare = functions[1],
                                      .initialize = functions[2],
                                      .execute = functions[3]};
  const bool has_stages = functions[0] || functions[1] || functions[2];
  tn_status_t status =
      has_stages ? tn_target_register_stages(name, platform, &stages)
                 : tn_target_register(name, platform, functions[3], (tn_api_version_t)api_version);
  return core_check(status) ? Py_NewRef(Py_None) : NULL;
}

static PyMethodDef functions[] = {
    {"_apply_target", apply_target, METH_VARARGS,
     "_apply_target(name, operands, attributes, types, stream)\n--\n\nFor tenon.ffi.ffi_call."},
    {"_register_target", register_target, METH_VARARGS,
     "_register_target(name, platform, api_version, instantiate, prepare, initialize, execute)\n"
     "--\n\nFor tenon.ffi.register_ffi_target."},
    {"_load_kernel", load_kernel, METH_VARARGS,
     "_load_kernel(path, name, target, module_name)\n--\n\nThe operation of a library as a "
     "function, "
     "registered under another name. For tenon.fast.cpu_kernel."},
    {"_load_operations", load_operations, METH_VARARGS,
     "_load_operations(path, module_name)\n--\n\nLoads a library of operations; gives a dict of "
     "functions, by name. For tenon.ops.load."},
    {NULL, NULL, 0, NULL},
};

bool core_add_operations(PyObject* module) {
  return PyModule_AddFunctions(module, functions) == 0;
}
