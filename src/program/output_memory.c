// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Outputs in memory of the caller: checks of it, and which outputs are written there directly.
#include <stdlib.h>

#include "device/dlpack.h"
#include "program/run.h"

// --- each by itself

static size_t alignment_of(tn_dtype_t dtype) {
  const size_t size = tn_dtype_byte_size(dtype);
  return tn_dtype_kind(dtype) == TN_KIND_COMPLEX ? size / 2 : size;
}

static tn_status_t check_one(const tn_program_t* program, size_t index,
                             const tn_output_memory_t* given) {
  const tn_type_t* type = tn_program_output_type(program, index);
  if (!given->data) return TN_OK;
  if (type->kind == TN_TYPE_TOKEN) {
    return tn_status_create(TN_CODE_INVALID_ARGUMENT,
                            "output %zu is a token, which takes no memory; expected NULL", index);
  }
  if (given->dtype != TN_DTYPE_INVALID) {
    TN_RETURN_IF_ERROR(tn_status_prefix(tn__type_check(given->dtype, given->rank, given->dims),
                                        "the memory of output %zu", index));
  }
  const tn_type_t expected = {
      .kind = TN_TYPE_TENSOR, .dtype = given->dtype, .rank = given->rank, .dims = given->dims};
  if (given->dtype != TN_DTYPE_INVALID &&
      (given->dtype != type->dtype || !tn__type_same_shape(&expected, type))) {
    return tn_status_create(TN_CODE_INVALID_ARGUMENT,
                            "the memory of output %zu is for %s; the output is %s", index,
                            TN_TYPE_TEXT(&expected), TN_TYPE_TEXT(type));
  }
  const size_t needed = tn__type_byte_size(type);
  if (given->byte_size < needed) {
    return tn_status_create(TN_CODE_INVALID_ARGUMENT,
                            "the memory of output %zu has %zu bytes; %s takes %zu", index,
                            given->byte_size, TN_TYPE_TEXT(type), needed);
  }
  const size_t alignment = alignment_of(type->dtype);
  if ((uintptr_t)given->data % alignment != 0) {
    return tn_status_create(TN_CODE_INVALID_ARGUMENT,
                            "the memory of output %zu (%s) is at %p; expected a multiple of %zu",
                            index, TN_TYPE_TEXT(type), given->data, alignment);
  }
  return TN_OK;
}

tn_status_t tn__run_take_output_memory(tn_run_t* run, const tn_run_options_t* options) {
  if (options->output_memory_count != run->result_count) {
    return tn_status_create(TN_CODE_INVALID_ARGUMENT,
                            "tn_run_options_t: memory for %zu output%s; the program has %zu",
                            options->output_memory_count,
                            options->output_memory_count == 1 ? "" : "s", run->result_count);
  }
  for (size_t i = 0; i < run->result_count; ++i) {
    const tn_output_memory_t* given = &options->output_memory[i];
    TN_RETURN_IF_ERROR(check_one(run->program, i, given));
    if (!tn__type_byte_size(tn_program_output_type(run->program, i))) continue;
    run->results[i].given = given->data;
    run->has_output_memory |= given->data != NULL;
  }
  return TN_OK;
}

tn_status_t tn_output_memory_from_dlpack(const tn_dl_tensor_t* tensor, uint64_t flags,
                                         tn_output_memory_t* out_memory) {
  tn_dlpack_view_t view;
  *out_memory = (tn_output_memory_t){0};
  TN_RETURN_IF_NULL(tensor);
  TN_RETURN_IF_ERROR(tn__dlpack_view(tensor, flags, &view));
  if (flags & TN_DL_READ_ONLY) {
    return tn_status_create(TN_CODE_INVALID_ARGUMENT,
                            "the DLPack tensor is read-only; a result cannot be written there");
  }
  if (!view.is_dense) {
    return tn_status_create(TN_CODE_INVALID_ARGUMENT,
                            "the DLPack tensor's strides leave gaps or overlap; a result is "
                            "row-major without gaps");
  }
  const tn_type_t type = {.kind = TN_TYPE_TENSOR,
                          .dtype = view.dtype,
                          .rank = (size_t)tensor->rank,
                          .dims = tensor->dims};
  *out_memory = (tn_output_memory_t){view.data, tn__type_byte_size(&type), view.dtype,
                                     (size_t)tensor->rank, tensor->dims};
  return TN_OK;
}

// --- together

typedef struct range {
  uintptr_t begin, end;
  size_t index;
  bool is_result;
} range_t;

static int compare_ranges(const void* a, const void* b) {
  const range_t *x = a, *y = b;
  return (x->begin > y->begin) - (x->begin < y->begin);
}

static size_t collect_ranges(const tn_run_t* run, range_t* ranges) {
  size_t count = 0;
  for (size_t i = 0; i < run->result_count; ++i) {
    const uintptr_t begin = (uintptr_t)run->results[i].given;
    if (!begin) continue;
    const size_t byte_size = tn__type_byte_size(tn_program_output_type(run->program, i));
    ranges[count++] = (range_t){begin, begin + byte_size, i, true};
  }
  // Elsewhere the host's addresses are not the device's.
  for (size_t i = 0; run->program->device->target->is_host && i < run->argument_count; ++i) {
    if (!run->arguments[i].buffer) continue;
    const uintptr_t begin = (uintptr_t)tn__memory_address(run->arguments[i].memory);
    const size_t byte_size = tn_buffer_byte_size(run->arguments[i].buffer);
    if (byte_size) ranges[count++] = (range_t){begin, begin + byte_size, i, false};
  }
  return count;
}

static tn_status_t overlap(const tn_run_t* run, const range_t* a, const range_t* b) {
  const range_t *result = a->is_result ? a : b, *other = a->is_result ? b : a;
  if (other->is_result) {
    const bool is_first = result->index < other->index;
    return tn_status_create(
        TN_CODE_INVALID_ARGUMENT, "the memory of output %zu overlaps that of output %zu",
        is_first ? other->index : result->index, is_first ? result->index : other->index);
  }
  const char* name = tn_program_input_name(run->program, other->index);
  return tn_status_create(TN_CODE_INVALID_ARGUMENT,
                          "the memory of output %zu overlaps that of input %zu%s%s", result->index,
                          other->index, *name ? " " : "", name);
}

// In order of their beginnings: a range overlaps an earlier one when it begins before the farthest
// end of those.
static tn_status_t check_ranges(const tn_run_t* run, size_t count, range_t* ranges) {
  const range_t *result = NULL, *argument = NULL;  // with the farthest end
  qsort(ranges, count, sizeof *ranges, compare_ranges);
  for (size_t i = 0; i < count; ++i) {
    const range_t* range = &ranges[i];
    if (result && range->begin < result->end) return overlap(run, result, range);
    if (range->is_result && argument && range->begin < argument->end) {
      return overlap(run, argument, range);
    }
    const range_t** farthest = range->is_result ? &result : &argument;
    if (!*farthest || range->end > (*farthest)->end) *farthest = range;
  }
  return TN_OK;
}

tn_status_t tn__run_check_overlaps(const tn_run_t* run) {
  void* memory = NULL;
  const tn_allocator_t* allocator = run->program->allocator;
  const size_t most = run->result_count + run->argument_count;
  TN_RETURN_IF_ERROR(tn__allocate_array(allocator, most, sizeof(range_t), &memory));
  range_t* ranges = memory;
  tn_status_t status = check_ranges(run, collect_ranges(run, ranges), ranges);
  tn__free(allocator, ranges, most * sizeof *ranges);
  return status;
}

tn_status_t tn__run_wrap_result(tn_run_t* run, size_t index) {
  tn_device_t* device = run->program->device;
  tn_run_result_t* result = &run->results[index];
  const size_t byte_size = tn__type_byte_size(tn_program_output_type(run->program, index));
  tn_status_t status = device->vtable->wrap_host(device, result->given, byte_size, &result->memory);
  result->is_wrapped = result->is_owned = !status;
  if (tn_status_code(status) != TN_CODE_UNIMPLEMENTED) return status;
  tn_status_release(status);
  return TN_OK;
}

tn_status_t tn__run_copy_results(const tn_run_t* run) {
  tn_device_t* device = run->program->device;
  for (size_t i = 0; i < run->result_count; ++i) {
    const tn_run_result_t* result = &run->results[i];
    if (!result->given || result->is_wrapped) continue;
    TN_RETURN_IF_ERROR(device->vtable->copy_to_host(device, NULL, result->given, result->memory,
                                                    tn_buffer_byte_size(result->buffer)));
  }
  return TN_OK;
}
