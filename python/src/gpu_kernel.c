// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Kernels of GPUs from a source text, for tenon/kernels.py: an operation with any number of
// operands and results, which launches what its attributes say; and the functions of mlx.core.fast.

#include <stdlib.h>
#include <string.h>
#include <tenon/kernel.h>

#include "operation.h"

// What a kernel takes behind an operand's address, in this order: bits.
enum { TAKES_SHAPE = 1, TAKES_STRIDES = 2, TAKES_NDIM = 4 };

// --- libraries, by number. They live as long as the process: arrays that launch their kernels may.

static core_mutex_t mutex;
static tn_kernel_library_t** libraries;
static size_t library_count;

static const tn_kernel_library_t* find_library(int64_t number) {
  core_mutex_lock(&mutex);
  const bool is_there = number >= 0 && (size_t)number < library_count;
  const tn_kernel_library_t* library = is_there ? libraries[number] : NULL;
  core_mutex_unlock(&mutex);
  return library;
}

static void destroy_library(tn_kernel_library_t* library) {
  free((void*)library->name);
  free((void*)library->source);
  free(library);
}

static tn_kernel_library_t* create_library(const char* name, const char* source) {
  tn_kernel_library_t* library = malloc(sizeof *library);
  if (!library) return NULL;
  *library = (tn_kernel_library_t)TN_KERNEL_LIBRARY(strdup(name), strdup(source));
  if (library->name && library->source) return library;
  destroy_library(library);
  return NULL;
}

// -1: there is no memory for it.
static int64_t keep_library(tn_kernel_library_t* library) {
  int64_t number = -1;
  core_mutex_lock(&mutex);
  tn_kernel_library_t** longer = realloc(libraries, (library_count + 1) * sizeof *libraries);
  if (longer) {
    libraries = longer;
    number = (int64_t)library_count;
    libraries[library_count++] = library;
  }
  core_mutex_unlock(&mutex);
  return number;
}

static PyObject* add_kernel_library(PyObject* module, PyObject* arguments) {
  (void)module;
  const char *name = NULL, *source = NULL;
  if (!PyArg_ParseTuple(arguments, "ss:_add_kernel_library", &name, &source)) return NULL;
  tn_kernel_library_t* library = create_library(name, source);
  const int64_t number = library ? keep_library(library) : -1;
  if (number >= 0) return PyLong_FromLongLong(number);
  if (library) destroy_library(library);
  return PyErr_NoMemory();
}

// --- the operation

enum { GRID, GROUP = 3, TAKES = 6 };
#define GPU_KERNEL(ARG, ATTR, RET)                                                              \
  ARG(inputs, any, remaining)                                                                   \
  ATTR(library, int64_t, TN_REQUIRED, "its number")                                             \
  ATTR(kernel, string, TN_REQUIRED, "its name in the library")                                  \
  ATTR(launch, array(int64_t), TN_REQUIRED,                                                     \
       "threads along x, y and z, those of a group, and what the kernel takes of each operand") \
  ATTR(is_filled, bool, false, "kernels NAME_fill0, NAME_fill1, ... set the outputs before")    \
  RET(outputs, any, remaining)

TN_OP_ON("Host", "tenon.gpu_kernel", 0, gpu_kernel, GPU_KERNEL, "launches a kernel of a GPU") {
  return TN_ERROR(
      call, UNIMPLEMENTED,
      "it is a kernel of a GPU: evaluate it with stream=tenon.core.gpu where there is one");
}

static tn_status_t set_operand(const tn_eval_call_t* eval, const tn_strided_t* array,
                               int64_t takes) {
  const int rank = (int)array->rank;
  TN_TRY(tn_eval_set_input_array(eval, array));
  if (takes & TAKES_SHAPE) TN_TRY(tn_eval_set_vector_bytes(eval, array->dims, array->rank));
  if (takes & TAKES_STRIDES) TN_TRY(tn_eval_set_vector_bytes(eval, array->strides, array->rank));
  if (takes & TAKES_NDIM) TN_TRY(tn_eval_set_bytes(eval, &rank, sizeof rank));
  return TN_OK;
}

// A kernel of a pointer and a number of elements.
static tn_status_t fill_output(const tn_eval_call_t* eval, const tn_kernel_library_t* library,
                               const char* kernel, size_t i) {
  char name[160];
  int64_t size = 1;
  for (size_t d = 0; d < eval->outputs[i]->rank; ++d) size *= eval->outputs[i]->dims[d];
  snprintf(name, sizeof name, "%s_fill%zu", kernel, i);
  TN_TRY(tn_eval_set_kernel(eval, library, name));
  TN_TRY(tn_eval_set_output_array(eval, eval->outputs[i]));
  TN_TRY(tn_eval_set_bytes(eval, &size, sizeof size));
  return tn_eval_dispatch_threads(eval, ((const int64_t[]){size, 1, 1}), NULL);
}

TN_EVAL_GPU(gpu_kernel) {
  const tn_kernel_library_t* library = find_library(call->library);
  char name[128];
  if (!library || call->kernel.size >= sizeof name ||
      call->launch.count != TAKES + (int64_t)eval->operand_count) {
    return TN_ERROR(call, INVALID_ARGUMENT, "there is no such library, or launch");
  }
  memcpy(name, call->kernel.data, call->kernel.size);
  name[call->kernel.size] = '\0';
  for (size_t i = 0; call->is_filled && i < eval->output_count; ++i) {
    TN_TRY(fill_output(eval, library, name, i));
  }
  TN_TRY(tn_eval_set_kernel(eval, library, name));
  for (size_t i = 0; i < eval->operand_count; ++i) {
    TN_TRY(set_operand(eval, eval->operands[i], call->launch.data[TAKES + i]));
  }
  for (size_t i = 0; i < eval->output_count; ++i) {
    TN_TRY(tn_eval_set_output_array(eval, eval->outputs[i]));
  }
  return tn_eval_dispatch_threads(eval, call->launch.data + GRID, call->launch.data + GROUP);
}

// --- its rules: a source tells nothing of its derivatives

static tn_status_t refuse_transform(const tn_rule_t* rule, const char* transform) {
  char message[256];
  snprintf(message, sizeof message,
           "a kernel from a source text has no %s: give opencl_kernel or cuda_kernel vjp=, or wrap "
           "the function in tenon.core.custom_function",
           transform);
  return rule->api->error(TN_CODE_UNIMPLEMENTED, message);
}

static tn_status_t gpu_kernel_jvp(const tn_rule_t* rule, const tn_jvp_call_t* call) {
  (void)call;
  return refuse_transform(rule, "jvp");
}

static tn_status_t gpu_kernel_vjp(const tn_rule_t* rule, const tn_vjp_call_t* call) {
  (void)call;
  return refuse_transform(rule, "vjp");
}

static tn_status_t gpu_kernel_vmap(const tn_rule_t* rule, const tn_vmap_call_t* call) {
  (void)call;
  return refuse_transform(rule, "vmap");
}

TN_DEFINE(gpu_kernel, .flags = TN_OP_ROW_CONTIGUOUS, .eval_gpu = gpu_kernel_eval_gpu,
          .jvp = gpu_kernel_jvp, .vjp = gpu_kernel_vjp, .vmap = gpu_kernel_vmap)

// --- functions of tenon.core.fast, which are in Python

static PyObject* metal_kernel(PyObject* self, PyObject* arguments, PyObject* keywords) {
  (void)self;
  return core_call_python("tenon.kernels", "metal_kernel", arguments, keywords);
}

static PyObject* cuda_kernel(PyObject* self, PyObject* arguments, PyObject* keywords) {
  (void)self;
  return core_call_python("tenon.kernels", "core_cuda_kernel", arguments, keywords);
}

static PyObject* precompiled_cuda_kernel(PyObject* self, PyObject* arguments, PyObject* keywords) {
  (void)self;
  return core_call_python("tenon.kernels", "precompiled_cuda_kernel", arguments, keywords);
}

#define WITH_KEYWORDS(function) \
  (PyCFunction)(void (*)(void))(function), METH_VARARGS | METH_KEYWORDS

static PyMethodDef fast_functions[] = {
    {"metal_kernel", WITH_KEYWORDS(metal_kernel),
     "metal_kernel(name, input_names, output_names, source, header='', "
     "ensure_row_contiguous=True, atomic_outputs=False, compile_options=None)\n--\n\n"
     "A kernel for Apple's GPUs. It can be made; calls of it raise RuntimeError, since there is no "
     "Metal here (metal.is_available())."},
    {"cuda_kernel", WITH_KEYWORDS(cuda_kernel),
     "cuda_kernel(name, input_names, output_names, source, header='', "
     "ensure_row_contiguous=True, shared_memory=0)\n--\n\n"
     "A function that launches a kernel of CUDA C++; see tenon.fast.cuda_kernel. RuntimeError "
     "where "
     "there is no device of CUDA (cuda.is_available())."},
    {"precompiled_cuda_kernel", WITH_KEYWORDS(precompiled_cuda_kernel),
     "precompiled_cuda_kernel(*, name, compiled_source, inputs, output_shapes, output_dtypes, "
     "scalars, grid, threadgroup, shared_memory=0, init_value=None, ensure_row_contiguous=False, "
     "stream=None)\n--\n\n"
     "Raises RuntimeError where there is no device of CUDA; elsewhere NotImplementedError: "
     "kernels are compiled from a source."},
    {NULL, NULL, 0, NULL},
};

static PyMethodDef functions[] = {
    {"_add_kernel_library", add_kernel_library, METH_VARARGS,
     "_add_kernel_library(name, source)\n--\n\nKeeps a source; gives its number. For "
     "tenon/kernels.py."},
    {NULL, NULL, 0, NULL},
};

bool core_add_gpu_kernels(PyObject* module) {
  PyObject* fast = PyObject_GetAttrString(module, "fast");
  const bool is_added = fast && core_check(tn_op_register(tn_definition_of(gpu_kernel))) &&
                        PyModule_AddFunctions(fast, fast_functions) == 0 &&
                        PyModule_AddFunctions(module, functions) == 0;
  Py_XDECREF(fast);
  return is_added;
}
