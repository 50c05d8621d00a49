// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Evals that launch kernels of a GPU: the table of functions that they have there.
//
// What is shared with hosts that know only dense arrays is the bookkeeping of outputs and tasks; no
// function here reads or writes elements.
#include <stdlib.h>
#include <string.h>

#include "call/live.h"
#include "call/strided_eval.h"
#include "device/kernel_file.h"

enum { MOST_PARAMETERS = 64, VALUES_BYTE_SIZE = 1024, MOST_THREADS = 1024, GROUP_SIZE = 256 };

// A kernel that the activation has launched before: queues know it by the address of its code.
typedef struct chosen_kernel {
  struct chosen_kernel* next;
  const tn_kernel_library_t* library;
  tn_device_code_t code;
  char *file, *text;  // of a library that is a file; owned
  char name[];
} chosen_kernel_t;

typedef struct temporary {
  struct temporary* next;
  _Alignas(16) char array[];  // with its data on the device
} temporary_t;

struct tn_strided_gpu {
  tn_encoder_t* encoder;  // while it runs
  chosen_kernel_t* kernels;
  chosen_kernel_t* kernel;  // the chosen one; NULL: none
  temporary_t* temporaries;
  size_t launch_count;  // of this call
  size_t parameter_count, value_byte_size;
  tn_launch_argument_t parameters[MOST_PARAMETERS];
  char values[VALUES_BYTE_SIZE];
};

static tn_strided_gpu_t* gpu_of(const tn_eval_call_t* eval) {
  return ((tn_strided_eval_t*)(void*)tn__eval_state_of(eval))->gpu;
}

static const tn_call_t* call_of(const tn_eval_call_t* eval) {
  return &tn__eval_state_of(eval)->call;
}

// --- the launch

static chosen_kernel_t* find_kernel(const tn_strided_gpu_t* gpu, const tn_kernel_library_t* library,
                                    const char* name) {
  chosen_kernel_t* kernel = gpu->kernels;
  while (kernel && (kernel->library != library || strcmp(kernel->name, name) != 0)) {
    kernel = kernel->next;
  }
  return kernel;
}

static chosen_kernel_t* add_kernel(tn_strided_gpu_t* gpu, const tn_kernel_library_t* library,
                                   const char* name, const char* operation) {
  const size_t length = strlen(name);
  chosen_kernel_t* kernel = malloc(sizeof *kernel + length + 1);
  if (!kernel) return NULL;
  memcpy(kernel->name, name, length + 1);
  kernel->library = library;
  kernel->file = kernel->text = NULL;
  kernel->code = (tn_device_code_t){.text = library->source,
                                    .entry = kernel->name,
                                    .library = library->name,
                                    .operation = operation};
  kernel->next = gpu->kernels;
  gpu->kernels = kernel;
  return kernel;
}

static tn_status_t read_file(chosen_kernel_t* kernel) {
  size_t size = 0;
  if (kernel->code.text) return TN_OK;
  free(kernel->file);
  TN_TRY(
      tn__error_give(tn__kernel_file_path(kernel->library, kernel->library->name, &kernel->file)));
  TN_TRY(tn__error_give(
      tn__kernel_file_read(kernel->file, TN_KERNEL_FILE_SOURCE, &kernel->text, &size)));
  kernel->code.file = kernel->file;
  kernel->code.text = kernel->text;
  return TN_OK;
}

static tn_status_t set_kernel(const tn_eval_call_t* eval, const tn_kernel_library_t* library,
                              const char* name) {
  tn_strided_gpu_t* gpu = gpu_of(eval);
  gpu->parameter_count = gpu->value_byte_size = 0;
  gpu->kernel = NULL;
  if (!library || library->struct_size < sizeof *library || !library->name || !name) {
    return tn__error(call_of(eval), TN_FFI_INVALID_ARGUMENT,
                     "set_kernel: the library, its name or the kernel's name is missing");
  }
  chosen_kernel_t* kernel = find_kernel(gpu, library, name);
  if (!kernel) kernel = add_kernel(gpu, library, name, call_of(eval)->op->name);
  if (!kernel) return tn__eval_no_memory(tn__eval_state_of(eval));
  TN_TRY(read_file(kernel));
  gpu->kernel = kernel;
  return TN_OK;
}

static tn_status_t add_parameter(const tn_eval_call_t* eval, tn_launch_argument_t parameter) {
  tn_strided_gpu_t* gpu = gpu_of(eval);
  if (!gpu->kernel) {
    return tn__error(call_of(eval), TN_FFI_FAILED_PRECONDITION,
                     "a parameter is set before the kernel: see tn_eval_set_kernel");
  }
  if (gpu->parameter_count == MOST_PARAMETERS) {
    return tn__error(call_of(eval), TN_FFI_INVALID_ARGUMENT, "kernel %s: more than %d parameters",
                     gpu->kernel->name, MOST_PARAMETERS);
  }
  gpu->parameters[gpu->parameter_count++] = parameter;
  return TN_OK;
}

static tn_status_t set_array(const tn_eval_call_t* eval, const tn_strided_t* array) {
  TN_TRY(tn__eval_check_memory(eval, array));
  return add_parameter(eval, (tn_launch_argument_t){.address = array->data});
}

static tn_status_t set_bytes(const tn_eval_call_t* eval, const void* value, size_t byte_size) {
  tn_strided_gpu_t* gpu = gpu_of(eval);
  const size_t begin = (gpu->value_byte_size + 7) / 8 * 8;
  if (byte_size == 0 || byte_size > sizeof gpu->values - begin) {
    return tn__error(
        call_of(eval), TN_FFI_INVALID_ARGUMENT,
        "set_bytes: %zu bytes; expected 1 to %zu, as the values of a launch have %d in "
        "all",
        byte_size, sizeof gpu->values - begin, VALUES_BYTE_SIZE);
  }
  memcpy(gpu->values + begin, value, byte_size);
  TN_TRY(add_parameter(
      eval, (tn_launch_argument_t){.bytes = gpu->values + begin, .byte_size = byte_size}));
  gpu->value_byte_size = begin + byte_size;
  return TN_OK;
}

static tn_status_t set_vector_bytes(const tn_eval_call_t* eval, const int64_t* values,
                                    size_t count) {
  int64_t dims[TN_GPU_MAX_RANK] = {0};
  if (count > TN_GPU_MAX_RANK) {
    return tn__error(call_of(eval), TN_FFI_INVALID_ARGUMENT,
                     "set_vector_bytes: %zu numbers; expected at most %d", count, TN_GPU_MAX_RANK);
  }
  if (count) memcpy(dims, values, count * sizeof *values);
  return set_bytes(eval, dims, sizeof dims);
}

static bool has_elements(const tn_eval_call_t* eval) {
  for (size_t i = 0; i < eval->output_count; ++i) {
    if (eval->outputs[i]->element_count) return true;
  }
  return false;
}

// A grid of nothing is one mistake or another, unless there is nothing to compute.
static tn_status_t check_grid(const tn_eval_call_t* eval, const int64_t* grid, const char* what) {
  const chosen_kernel_t* kernel = gpu_of(eval)->kernel;
  if (!kernel) {
    return tn__error(call_of(eval), TN_FFI_FAILED_PRECONDITION,
                     "a launch without a kernel: see tn_eval_set_kernel");
  }
  const bool may_be_empty = !has_elements(eval);
  for (size_t d = 0; d < 3; ++d) {
    if (grid[d] > 0 || (grid[d] == 0 && may_be_empty)) continue;
    return tn__error(call_of(eval), TN_FFI_INVALID_ARGUMENT,
                     "kernel %s: a grid of %" PRId64 " x %" PRId64 " x %" PRId64
                     " %s; expected at least 1 in each dimension",
                     kernel->name, grid[0], grid[1], grid[2], what);
  }
  return TN_OK;
}

static tn_status_t launch(const tn_eval_call_t* eval, const int64_t* grid, const int64_t* group) {
  static const int64_t usual[3] = {GROUP_SIZE, 1, 1};
  tn_strided_gpu_t* gpu = gpu_of(eval);
  int64_t thread_count = 1;
  tn_dispatch_t dispatch = {.code = &gpu->kernel->code,
                            .argument_count = gpu->parameter_count,
                            .arguments = gpu->parameters};
  if (!group) group = usual;
  for (size_t d = 0; d < 3; ++d) {
    if (grid[d] < 0 || grid[d] > INT64_MAX / MOST_THREADS || group[d] < 1 ||
        group[d] > MOST_THREADS || (thread_count *= group[d]) > MOST_THREADS) {
      return tn__error(
          call_of(eval), TN_FFI_INVALID_ARGUMENT,
          "kernel %s: groups of %" PRId64 " x %" PRId64 " x %" PRId64 " threads, %" PRId64
          " x %" PRId64 " x %" PRId64 " of them; expected groups of 1 to %d",
          gpu->kernel->name, group[0], group[1], group[2], grid[0], grid[1], grid[2], MOST_THREADS);
    }
    dispatch.group_count[d] = (size_t)grid[d];
    dispatch.group_size[d] = (size_t)group[d];
  }
  ++gpu->launch_count;
  return tn__error_give(gpu->encoder->dispatch(gpu->encoder, &dispatch));
}

static tn_status_t dispatch_threadgroups(const tn_eval_call_t* eval, const int64_t* grid,
                                         const int64_t* group) {
  TN_TRY(check_grid(eval, grid, "groups"));
  return launch(eval, grid, group);
}

static tn_status_t dispatch_threads(const tn_eval_call_t* eval, const int64_t* grid,
                                    const int64_t* group) {
  static const int64_t usual[3] = {GROUP_SIZE, 1, 1};
  int64_t groups[3];
  TN_TRY(check_grid(eval, grid, "threads"));
  if (!group) group = usual;
  for (size_t d = 0; d < 3; ++d) {
    groups[d] = group[d] < 1 ? grid[d] : grid[d] / group[d] + (grid[d] % group[d] > 0);
  }
  return launch(eval, groups, group);
}

static tn_status_t greatest_group_size(const tn_eval_call_t* eval, int64_t* out_size) {
  const tn_strided_gpu_t* gpu = gpu_of(eval);
  *out_size = 0;
  if (!gpu->kernel) {
    return tn__error(call_of(eval), TN_FFI_FAILED_PRECONDITION,
                     "the group size of a kernel that is not chosen: see tn_eval_set_kernel");
  }
  size_t size = 0;
  tn_status_t status = gpu->encoder->greatest_group_size(gpu->encoder, &gpu->kernel->code, &size);
  *out_size = size < MOST_THREADS ? (int64_t)size : MOST_THREADS;
  return tn__error_give(status);
}

// --- memory

static tn_status_t add_temporary(const tn_eval_call_t* eval, tn_ffi_dtype_t dtype, size_t rank,
                                 const int64_t* dims, tn_strided_t** out_array) {
  tn_strided_gpu_t* gpu = gpu_of(eval);
  size_t byte_size = 0;
  void* data = NULL;
  *out_array = NULL;
  TN_TRY(tn__eval_check_temporary(eval, dtype, rank, dims, &byte_size));
  temporary_t* temporary = malloc(sizeof *temporary + tn__eval_temporary_byte_size(rank));
  if (byte_size != SIZE_MAX) data = tn__scratch(&tn__eval_state_of(eval)->call, byte_size);
  if (!temporary || !data) {
    free(temporary);
    return tn__eval_no_memory(tn__eval_state_of(eval));
  }
  temporary->next = gpu->temporaries;
  gpu->temporaries = temporary;
  *out_array = tn__eval_make_temporary(temporary->array, dtype, rank, dims, data);
  return TN_OK;
}

static tn_status_t refuse(const tn_eval_call_t* eval, const char* what) {
  return tn__error(call_of(eval), TN_FFI_UNIMPLEMENTED, "%s: not on a GPU", what);
}

static tn_status_t share(const tn_eval_call_t* eval, size_t output, size_t operand, int64_t offset,
                         const int64_t* strides) {
  (void)output, (void)operand, (void)offset, (void)strides;
  return refuse(eval, "tn_eval_share");
}

static tn_status_t set_data(const tn_eval_call_t* eval, size_t output, void* data,
                            const int64_t* strides, void (*release)(void* user), void* user) {
  (void)output, (void)data, (void)strides;
  if (release) release(user);
  return refuse(eval, "tn_eval_set_data");
}

static tn_status_t for_rows(const tn_eval_call_t* eval, size_t array_count,
                            const tn_strided_t* const* arrays, size_t written_count,
                            tn_eval_row_fn function, void* user) {
  (void)array_count, (void)arrays, (void)written_count, (void)function, (void)user;
  return refuse(eval, "tn_eval_for_rows");
}

const tn_eval_api_t tn__strided_gpu_api = {
    .struct_size = sizeof(tn_eval_api_t),
    .allocate = tn__eval_allocate,
    .donate = tn__eval_donate,
    .share = share,
    .set_data = set_data,
    .set_input_array = set_array,
    .set_output_array = set_array,
    .dispatch = tn__eval_dispatch,
    .add_temporary = add_temporary,
    .parallel_for = tn__eval_parallel_for,
    .error = tn__eval_make_error,
    .for_rows = for_rows,
    .set_kernel = set_kernel,
    .set_bytes = set_bytes,
    .set_vector_bytes = set_vector_bytes,
    .dispatch_threads = dispatch_threads,
    .dispatch_threadgroups = dispatch_threadgroups,
    .greatest_group_size = greatest_group_size,
};

// --- an activation's

size_t tn__strided_gpu_byte_size(void) {
  return sizeof(tn_strided_gpu_t);
}

void tn__strided_gpu_init(tn_strided_gpu_t* gpu) {
  memset(gpu, 0, sizeof *gpu);
}

static void free_temporaries(tn_strided_gpu_t* gpu) {
  while (gpu->temporaries) {
    temporary_t* temporary = gpu->temporaries;
    gpu->temporaries = temporary->next;
    free(temporary);
  }
}

void tn__strided_gpu_deinit(tn_strided_gpu_t* gpu) {
  free_temporaries(gpu);  // an exception has left them
  while (gpu->kernels) {
    chosen_kernel_t* kernel = gpu->kernels;
    gpu->kernels = kernel->next;
    free(kernel->file);
    free(kernel->text);
    free(kernel);
  }
}

static bool is_an_operand(const tn_eval_call_t* eval, const void* data) {
  for (size_t i = 0; i < eval->operand_count; ++i) {
    if (eval->operands[i]->data == data) return true;
  }
  return false;
}

// An output that was given an operand's memory was computed beside it. One that is in no operand's
// memory has what some launch wrote, or nothing.
static tn_status_t finish_output(const tn_strided_eval_t* eval, size_t output) {
  const tn_strided_t* array = eval->state.eval.outputs[output];
  tn_encoder_t* encoder = eval->gpu->encoder;
  void* place = eval->state.results[output].place;
  if (!array->element_count) return TN_OK;
  if (array->data && !eval->gpu->launch_count && !is_an_operand(&eval->state.eval, array->data)) {
    return tn__error(&eval->state.call, TN_FFI_FAILED_PRECONDITION,
                     "output %zu was not written: eval_gpu launched no kernel", output);
  }
  if (array->data == place) return TN_OK;
  if (!array->data) {
    return tn__error(&eval->state.call, TN_FFI_INTERNAL, "output %zu was left without memory",
                     output);
  }
  return tn__error_give(encoder->copy(
      encoder, place, array->data, (size_t)array->element_count * tn_ffi_dtype_size(array->dtype)));
}

tn_status_t tn__strided_gpu_run(tn_strided_eval_t* eval, tn_encoder_t* encoder) {
  tn_strided_gpu_t* gpu = eval->gpu;
  gpu->encoder = encoder;
  gpu->kernel = NULL;
  gpu->launch_count = 0;
  tn_status_t status = tn__eval_run_tasks(&eval->state, eval->function);
  for (size_t i = eval->state.eval.output_count; i-- > 0 && status == TN_OK;) {
    status = finish_output(eval, i);
  }
  free_temporaries(gpu);
  tn__eval_end(&eval->state);
  return status;
}
