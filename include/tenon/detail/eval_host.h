// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// The implementation of the table of an eval (<tenon/kernel.h>, which includes this). Compiled into
// a library, it serves runtimes that pass dense arrays only; Tenon's own table is built from it as
// well. Not to be called by kernels.
#ifndef TENON_DETAIL_EVAL_HOST_H_
#define TENON_DETAIL_EVAL_HOST_H_

#include <tenon/detail/eval.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tn__eval_work {
  struct tn__eval_work* next;
  tn_eval_work_fn function;  // followed by the payload
} tn__eval_work_t;
TN__STATIC_ASSERT(sizeof(tn__eval_work_t) % 16 == 0, "payloads are aligned as malloc aligns");

// The state of an output.
typedef struct tn__eval_output {
  void* place;      // the final, dense destination of its elements
  bool has_data;    // its array has memory
  bool is_shared;   // its elements are those of operand `operand`
  bool is_donated;  // it reuses that operand's memory
  size_t operand;
  void (*release)(void* user);
  void* user;
} tn__eval_output_t;

typedef struct tn__eval_state {
  tn_eval_call_t eval;  // first: the functions of the table cast it to this struct
  tn_call_t call;       // owns the memory of the eval
  uint32_t flags;       // of the definition
  uint32_t donates;
  tn_strided_t** arrays;  // operands, then outputs
  tn__eval_output_t* results;
  tn__eval_work_t* first_work;
  tn__eval_work_t* last_work;
} tn__eval_state_t;

TN__INLINE tn__eval_state_t* tn__eval_state_of(const tn_eval_call_t* eval) {
  return (tn__eval_state_t*)(void*)eval;
}

TN__UNUSED tn_status_t tn__eval_no_memory(const tn__eval_state_t* state) {
  return tn__error(&state->call, TN_FFI_RESOURCE_EXHAUSTED, "out of memory");
}

TN__UNUSED void tn__eval_measure(tn_strided_t* array) {
  array->element_count = tn_element_count(array->rank, array->dims);
  array->flags = 0;
  if (tn_is_row_contiguous(array->rank, array->dims, array->strides)) {
    array->flags |= TN_ROW_CONTIGUOUS;
  }
  if (tn_is_column_contiguous(array->rank, array->dims, array->strides)) {
    array->flags |= TN_COLUMN_CONTIGUOUS;
  }
}

// The lowest and the highest offset of any element.
TN__UNUSED void tn__eval_extent(const tn_strided_t* array, const int64_t* strides, int64_t offset,
                                int64_t* low, int64_t* high) {
  *low = *high = offset;
  for (size_t i = 0; i < array->rank; ++i) {
    const int64_t extent = (array->dims[i] - 1) * strides[i];
    *(extent < 0 ? low : high) += extent;
  }
}

TN__UNUSED tn_status_t tn__eval_check_output(const tn__eval_state_t* state, size_t output) {
  const tn_call_t* call = &state->call;
  if (output >= state->eval.output_count)
    return tn__error(call, TN_FFI_INVALID_ARGUMENT, "there is no output %zu", output);
  if (!(state->flags & TN_OP_ALLOCATES))
    return tn__error(call, TN_FFI_FAILED_PRECONDITION,
                     "output %zu has its memory already; only operations with TN_OP_ALLOCATES give "
                     "outputs theirs",
                     output);
  if (state->results[output].has_data)
    return tn__error(call, TN_FFI_FAILED_PRECONDITION, "output %zu gets memory a second time",
                     output);
  return TN_OK;
}

TN__UNUSED tn_status_t tn__eval_check_operand(const tn__eval_state_t* state, size_t operand) {
  if (operand < state->eval.operand_count) return TN_OK;
  return tn__error(&state->call, TN_FFI_INVALID_ARGUMENT, "there is no operand %zu", operand);
}

// Fails if an output already uses the operand's memory.
TN__UNUSED tn_status_t tn__eval_check_unshared(const tn__eval_state_t* state, size_t operand) {
  for (size_t i = 0; i < state->eval.output_count; ++i) {
    if (state->results[i].is_shared && state->results[i].operand == operand)
      return tn__error(&state->call, TN_FFI_FAILED_PRECONDITION,
                       "output %zu has the memory of operand %zu already", i, operand);
  }
  return TN_OK;
}

TN__UNUSED bool tn__eval_is_operand(const tn__eval_state_t* state, const void* place) {
  for (size_t i = 0; i < state->eval.operand_count; ++i) {
    if (state->arrays[i]->data == place) return true;
  }
  return false;
}

// Gives the output its destination, or scratch memory while an operand that has not been donated
// occupies it.
TN__UNUSED tn_status_t tn__eval_place(tn__eval_state_t* state, size_t output) {
  tn_strided_t* array = state->arrays[state->eval.operand_count + output];
  tn__eval_output_t* result = &state->results[output];
  array->data = result->place;
  if (array->element_count && tn__eval_is_operand(state, result->place)) {
    array->data =
        tn__scratch(&state->call, (size_t)array->element_count * tn_ffi_dtype_size(array->dtype));
    if (!array->data) return tn__eval_no_memory(state);
  }
  result->has_data = true;
  return TN_OK;
}

TN__UNUSED tn_status_t tn__eval_allocate(const tn_eval_call_t* eval, size_t output) {
  tn__eval_state_t* state = tn__eval_state_of(eval);
  TN_TRY(tn__eval_check_output(state, output));
  return tn__eval_place(state, output);
}

TN__UNUSED tn_status_t tn__eval_donate(const tn_eval_call_t* eval, size_t output, size_t operand) {
  tn__eval_state_t* state = tn__eval_state_of(eval);
  TN_TRY(tn__eval_check_output(state, output));
  TN_TRY(tn__eval_check_operand(state, operand));
  TN_TRY(tn__eval_check_unshared(state, operand));
  if (output != 0 || !(state->arrays[operand]->flags & TN_DONATABLE))
    return tn__error(&state->call, TN_FFI_FAILED_PRECONDITION,
                     "output %zu cannot have the memory of operand %zu, which is not donatable",
                     output, operand);
  tn__eval_output_t* result = &state->results[output];
  state->arrays[state->eval.operand_count + output]->data = result->place;
  result->has_data = result->is_shared = result->is_donated = true;
  result->operand = operand;
  return TN_OK;
}

// Makes the output a view of `data` with other strides; NULL: dense.
TN__UNUSED void tn__eval_point(tn__eval_state_t* state, size_t output, void* data,
                               const int64_t* strides) {
  tn_strided_t* array = state->arrays[state->eval.operand_count + output];
  array->data = data;
  if (strides && array->rank)
    memcpy((int64_t*)(uintptr_t)array->strides, strides, array->rank * sizeof *strides);
  tn__eval_measure(array);
  state->results[output].has_data = true;
}

TN__UNUSED tn_status_t tn__eval_share(const tn_eval_call_t* eval, size_t output, size_t operand,
                                      int64_t offset, const int64_t* strides) {
  tn__eval_state_t* state = tn__eval_state_of(eval);
  TN_TRY(tn__eval_check_output(state, output));
  TN_TRY(tn__eval_check_operand(state, operand));
  if (output && state->results[0].is_donated && state->results[0].operand == operand)
    TN_TRY(tn__eval_check_unshared(state, operand));
  const tn_strided_t* from = state->arrays[operand];
  const tn_strided_t* to = state->arrays[state->eval.operand_count + output];
  const size_t element_size = tn_ffi_dtype_size(from->dtype);
  int64_t low = 0, high = 0, wanted_low = 0, wanted_high = 0;
  if (tn_ffi_dtype_size(to->dtype) != element_size)
    return tn__error(&state->call, TN_FFI_INVALID_ARGUMENT,
                     "output %zu has elements of another size than operand %zu", output, operand);
  if (to->element_count && from->element_count) {
    tn__eval_extent(from, from->strides, 0, &low, &high);
    tn__eval_extent(to, strides, offset, &wanted_low, &wanted_high);
  }
  if (wanted_low < low || wanted_high > high || (to->element_count && !from->element_count))
    return tn__error(&state->call, TN_FFI_OUT_OF_RANGE,
                     "output %zu shares elements %" PRId64 " to %" PRId64
                     " of operand %zu, which has those from %" PRId64 " to %" PRId64,
                     output, wanted_low, wanted_high, operand, low, high);
  tn__eval_point(state, output,
                 to->element_count ? (char*)from->data + offset * (int64_t)element_size : NULL,
                 strides);
  state->results[output].is_shared = true;
  state->results[output].operand = operand;
  return TN_OK;
}

TN__UNUSED tn_status_t tn__eval_set_data(const tn_eval_call_t* eval, size_t output, void* data,
                                         const int64_t* strides, void (*release)(void* user),
                                         void* user) {
  tn__eval_state_t* state = tn__eval_state_of(eval);
  const tn_status_t status = tn__eval_check_output(state, output);
  if (status != TN_OK) {
    if (release) release(user);
    return status;
  }
  tn__eval_point(state, output, data, strides);
  state->results[output].release = release;
  state->results[output].user = user;
  return TN_OK;
}

TN__UNUSED tn_status_t tn__eval_check_memory(const tn_eval_call_t* eval,
                                             const tn_strided_t* array) {
  const tn__eval_state_t* state = tn__eval_state_of(eval);
  if (array && (array->data || !array->element_count)) return TN_OK;
  return tn__error(&state->call, TN_FFI_FAILED_PRECONDITION,
                   array ? "an array has no memory yet: see tn_eval_allocate" : "an array is NULL");
}

TN__UNUSED tn_status_t tn__eval_dispatch(const tn_eval_call_t* eval, tn_eval_work_fn function,
                                         const void* payload, size_t byte_size) {
  tn__eval_state_t* state = tn__eval_state_of(eval);
  tn__eval_work_t* work = NULL;
  if (byte_size <= SIZE_MAX / 2) work = (tn__eval_work_t*)malloc(sizeof *work + byte_size);
  if (!work) return tn__eval_no_memory(state);
  work->next = NULL;
  work->function = function;
  if (byte_size) memcpy(work + 1, payload, byte_size);
  if (state->last_work) {
    state->last_work->next = work;
  } else {
    state->first_work = work;
  }
  state->last_work = work;
  return TN_OK;
}

// The size of a temporary; SIZE_MAX where there is not so much memory.
TN__UNUSED tn_status_t tn__eval_check_temporary(const tn_eval_call_t* eval, tn_ffi_dtype_t dtype,
                                                size_t rank, const int64_t* dims,
                                                size_t* out_byte_size) {
  size_t byte_size = tn_ffi_dtype_size(dtype);
  bool is_bad = byte_size == 0 || rank > TN_NEST_RANK_LIMIT, is_large = false;
  for (size_t i = 0; i < rank && !is_bad; ++i) {
    is_bad = dims[i] < 0;
    is_large |= __builtin_mul_overflow(byte_size, (size_t)dims[i], &byte_size);
  }
  *out_byte_size = is_large || byte_size >= SIZE_MAX / 4 ? SIZE_MAX : byte_size;
  if (!is_bad) return TN_OK;
  return tn__error(&tn__eval_state_of(eval)->call, TN_FFI_INVALID_ARGUMENT,
                   "a temporary has no such dtype (%d) or shape", (int)dtype);
}

// Its struct, with its dims and strides behind.
TN__UNUSED size_t tn__eval_temporary_byte_size(size_t rank) {
  return (sizeof(tn_strided_t) + 2 * rank * sizeof(int64_t) + 63) / 64 * 64;
}
TN__UNUSED tn_strided_t* tn__eval_make_temporary(void* memory, tn_ffi_dtype_t dtype, size_t rank,
                                                 const int64_t* dims, void* data) {
  tn_strided_t* array = (tn_strided_t*)memory;
  int64_t* own_dims = (int64_t*)(void*)(array + 1);
  memset(array, 0, sizeof *array);
  if (rank) memcpy(own_dims, dims, rank * sizeof *dims);
  tn_row_major_strides(rank, dims, own_dims + rank);
  array->struct_size = sizeof *array;
  array->dtype = dtype;
  array->rank = rank;
  array->dims = own_dims;
  array->strides = own_dims + rank;
  array->data = data;
  tn__eval_measure(array);
  return array;
}

TN__UNUSED tn_status_t tn__eval_add_temporary(const tn_eval_call_t* eval, tn_ffi_dtype_t dtype,
                                              size_t rank, const int64_t* dims,
                                              tn_strided_t** out_array) {
  tn__eval_state_t* state = tn__eval_state_of(eval);
  size_t byte_size = 0;
  char* memory = NULL;
  *out_array = NULL;
  TN_TRY(tn__eval_check_temporary(eval, dtype, rank, dims, &byte_size));
  const size_t header = tn__eval_temporary_byte_size(rank);
  if (byte_size != SIZE_MAX) memory = (char*)tn__scratch(&state->call, header + byte_size);
  if (!memory) return tn__eval_no_memory(state);
  *out_array = tn__eval_make_temporary(memory, dtype, rank, dims, memory + header);
  return TN_OK;
}

typedef struct tn__eval_loop {
  const tn__eval_state_t* state;
  tn_eval_loop_fn function;
  void* user;
  tn_status_t error;  // the first one; later ones are dropped
} tn__eval_loop_t;

TN__UNUSED void tn__eval_loop_part(void* user, int64_t begin, int64_t end) {
  tn__eval_loop_t* loop = (tn__eval_loop_t*)user;
  if (__atomic_load_n(&loop->error, __ATOMIC_RELAXED) != TN_OK) return;
  const tn_status_t status = loop->function(loop->user, begin, end);
  tn_status_t expected = TN_OK;
  if (status == TN_OK || __atomic_compare_exchange_n(&loop->error, &expected, status, false,
                                                     __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
    return;
  tn__drop_error(loop->state->call.frame->api, status);
}

TN__UNUSED tn_status_t tn__eval_parallel_for(const tn_eval_call_t* eval, int64_t count,
                                             int64_t grain, tn_eval_loop_fn function, void* user) {
  tn__eval_loop_t loop = {tn__eval_state_of(eval), function, user, TN_OK};
  tn__parallel_for(&loop.state->call, count, grain, tn__eval_loop_part, &loop);
  return __atomic_load_n(&loop.error, __ATOMIC_ACQUIRE);
}

#define TN__COPY_ELEMENTS(type)                                        \
  for (int64_t i = 0; i < count; ++i) {                                \
    ((type*)to)[i * to_stride] = ((const type*)from)[i * from_stride]; \
  }                                                                    \
  break;
TN__UNUSED void tn__copy_elements(size_t element_size, void* to, int64_t to_stride,
                                  const void* from, int64_t from_stride, int64_t count) {
  switch (element_size) {
    case 1: TN__COPY_ELEMENTS(uint8_t)
    case 2: TN__COPY_ELEMENTS(uint16_t)
    case 4: TN__COPY_ELEMENTS(uint32_t)
    case 8: TN__COPY_ELEMENTS(uint64_t)
    default: TN__COPY_ELEMENTS(tn_c128_t)
  }
}
#undef TN__COPY_ELEMENTS

// One loop nest over several arrays.
TN__UNUSED tn_status_t tn__eval_nest(const tn_eval_call_t* eval, size_t array_count,
                                     const tn_strided_t* const* arrays, tn_loop_nest_t* nest) {
  const tn_call_t* call = &tn__eval_state_of(eval)->call;
  const int64_t* strides[TN_LOOP_NEST_ARRAY_LIMIT] = {NULL};
  if (array_count < 1 || array_count > TN_LOOP_NEST_ARRAY_LIMIT)
    return tn__error(call, TN_FFI_INVALID_ARGUMENT, "rows of %zu arrays; there may be 1 to %d",
                     array_count, (int)TN_LOOP_NEST_ARRAY_LIMIT);
  for (size_t k = 0; k < array_count; ++k) {
    const tn_strided_t* array = arrays[k];
    bool is_same = array->rank == arrays[0]->rank;
    strides[k] = array->strides;
    for (size_t i = 0; i < array->rank && is_same; ++i)
      is_same = array->dims[i] == arrays[0]->dims[i];
    if (!is_same)
      return tn__error(call, TN_FFI_INVALID_ARGUMENT,
                       "rows of arrays of several shapes: that of array %zu is not that of array 0",
                       k);
    if (!array->data && tn_element_count(array->rank, array->dims))
      return tn__error(call, TN_FFI_FAILED_PRECONDITION,
                       "rows of array %zu, which has no memory yet: see tn_eval_allocate", k);
  }
  if (!tn_loop_nest_init(nest, arrays[0]->rank, arrays[0]->dims, array_count, strides))
    return tn__error(call, TN_FFI_INVALID_ARGUMENT, "rows of arrays of %zu dimensions",
                     arrays[0]->rank);
  return TN_OK;
}

typedef struct tn__eval_rows {
  tn_loop_nest_t nest;
  const tn_strided_t* const* arrays;
  size_t written_count;
  tn_eval_row_fn function;
  void* user;
} tn__eval_rows_t;

enum { TN__PACKED_LENGTH = 64, TN__ROW_LENGTH = 8192 };

// Packs rows that are not contiguous, a few elements at a time. Of dense arrays nearly all rows are
// contiguous.
TN__UNUSED tn_status_t tn__eval_rows_part(void* user, int64_t begin, int64_t end) {
  const tn__eval_rows_t* all = (const tn__eval_rows_t*)user;
  const tn_loop_nest_t* nest = &all->nest;
  tn_c128_t packed[TN_LOOP_NEST_ARRAY_LIMIT][TN__PACKED_LENGTH];
  void* rows[TN_LOOP_NEST_ARRAY_LIMIT];
  TN_FOR_CHUNKS(nest, piece, begin, end) {
    for (size_t k = 0; k < nest->array_count; ++k) {
      const size_t size = tn_ffi_dtype_size(all->arrays[k]->dtype);
      char* from = (char*)all->arrays[k]->data + piece.offsets[k] * (int64_t)size;
      rows[k] = nest->strides[k] == 1 ? from : (char*)packed[k];
      if (nest->strides[k] == 1 || k < all->written_count) continue;
      tn__copy_elements(size, packed[k], 1, from, nest->strides[k], piece.count);
    }
    TN_TRY(all->function(all->user, piece.count, rows));
    for (size_t k = 0; k < all->written_count && k < nest->array_count; ++k) {
      const size_t size = tn_ffi_dtype_size(all->arrays[k]->dtype);
      char* to = (char*)all->arrays[k]->data + piece.offsets[k] * (int64_t)size;
      if (nest->strides[k] == 1) continue;
      tn__copy_elements(size, to, nest->strides[k], packed[k], 1, piece.count);
    }
  }
  return TN_OK;
}

TN__UNUSED tn_status_t tn__eval_for_rows(const tn_eval_call_t* eval, size_t array_count,
                                         const tn_strided_t* const* arrays, size_t written_count,
                                         tn_eval_row_fn function, void* user) {
  tn__eval_rows_t rows;
  bool packs = false;
  TN_TRY(tn__eval_nest(eval, array_count, arrays, &rows.nest));
  rows.arrays = arrays;
  rows.written_count = written_count;
  rows.function = function;
  rows.user = user;
  for (size_t k = 0; k < array_count; ++k) packs |= rows.nest.strides[k] != 1;
  tn_loop_nest_set_chunk_length(&rows.nest, packs ? TN__PACKED_LENGTH : TN__ROW_LENGTH);
  return tn__eval_parallel_for(eval, rows.nest.piece_count, 0, tn__eval_rows_part, &rows);
}

TN__UNUSED tn_status_t tn__eval_make_error(const tn_eval_call_t* eval, int32_t code,
                                           const char* message) {
  return tn__error(&tn__eval_state_of(eval)->call, code, "%s", message);
}

// --- what only evals of GPUs do

TN__UNUSED tn_status_t tn__eval_no_gpu(const tn_eval_call_t* eval) {
  return tn__error(&tn__eval_state_of(eval)->call, TN_FFI_FAILED_PRECONDITION,
                   "only an eval_gpu launches kernels of a GPU");
}
TN__UNUSED tn_status_t tn__eval_set_kernel(const tn_eval_call_t* eval,
                                           const tn_kernel_library_t* library, const char* name) {
  (void)library, (void)name;
  return tn__eval_no_gpu(eval);
}
TN__UNUSED tn_status_t tn__eval_set_bytes(const tn_eval_call_t* eval, const void* value,
                                          size_t byte_size) {
  (void)value, (void)byte_size;
  return tn__eval_no_gpu(eval);
}
TN__UNUSED tn_status_t tn__eval_set_vector_bytes(const tn_eval_call_t* eval, const int64_t* values,
                                                 size_t count) {
  (void)values, (void)count;
  return tn__eval_no_gpu(eval);
}
TN__UNUSED tn_status_t tn__eval_launch(const tn_eval_call_t* eval, const int64_t* grid,
                                       const int64_t* group) {
  (void)grid, (void)group;
  return tn__eval_no_gpu(eval);
}
TN__UNUSED tn_status_t tn__eval_greatest_group_size(const tn_eval_call_t* eval, int64_t* out_size) {
  (void)out_size;
  return tn__eval_no_gpu(eval);
}

__attribute__((unused)) static const tn_eval_api_t tn__eval_api = {
    sizeof(tn_eval_api_t), tn__eval_allocate,   tn__eval_donate,
    tn__eval_share,        tn__eval_set_data,   tn__eval_check_memory,
    tn__eval_check_memory, tn__eval_dispatch,   tn__eval_add_temporary,
    tn__eval_parallel_for, tn__eval_make_error, tn__eval_for_rows,
    tn__eval_set_kernel,   tn__eval_set_bytes,  tn__eval_set_vector_bytes,
    tn__eval_launch,       tn__eval_launch,     tn__eval_greatest_group_size,
};

// --- setup and teardown

// The size of the memory that tn__eval_init lays out.
TN__UNUSED size_t tn__eval_byte_size(const tn_ffi_call_frame_t* frame) {
  const tn_ffi_values_t* values[] = {&frame->args, &frame->rets};
  size_t byte_size = (size_t)frame->rets.count * sizeof(tn__eval_output_t);
  for (int v = 0; v < 2; ++v) {
    for (int64_t i = 0; i < values[v]->count; ++i) {
      const tn_ffi_buffer_t* buffer = (const tn_ffi_buffer_t*)values[v]->values[i];
      byte_size +=
          sizeof(tn_strided_t*) + sizeof(tn_strided_t) + (size_t)buffer->rank * sizeof(int64_t);
    }
  }
  return byte_size;
}

// Sets up the state for a frame that may be called repeatedly: operands and outputs are dense and
// have no data yet.
TN__UNUSED void tn__eval_init(tn__eval_state_t* state, void* memory, tn_ffi_call_frame_t* frame,
                              const tn_ffi_op_t* op, uint32_t flags, uint32_t donates) {
  const size_t operand_count = (size_t)frame->args.count, output_count = (size_t)frame->rets.count;
  const size_t count = operand_count + output_count;
  memset(state, 0, sizeof *state);
  state->arrays = (tn_strided_t**)memory;
  state->results = (tn__eval_output_t*)(void*)(state->arrays + count);
  tn_strided_t* arrays = (tn_strided_t*)(void*)(state->results + output_count);
  int64_t* strides = (int64_t*)(void*)(arrays + count);
  for (size_t i = 0; i < count; ++i) {
    const bool is_operand = i < operand_count;
    const tn_ffi_buffer_t* buffer =
        (const tn_ffi_buffer_t*)(is_operand ? frame->args.values[i]
                                            : frame->rets.values[i - operand_count]);
    state->arrays[i] = &arrays[i];
    memset(&arrays[i], 0, sizeof arrays[i]);
    arrays[i].struct_size = sizeof arrays[i];
    arrays[i].dtype = buffer->dtype;
    arrays[i].rank = (size_t)buffer->rank;
    arrays[i].dims = buffer->dims;
    arrays[i].strides = strides;
    tn_row_major_strides(arrays[i].rank, buffer->dims, strides);
    tn__eval_measure(&arrays[i]);
    strides += buffer->rank;
  }
  state->call.tn = &state->call;
  state->call.frame = frame;
  state->call.op = op;
  state->flags = flags;
  state->donates = donates;
  state->eval.struct_size = sizeof state->eval;
  state->eval.api = &tn__eval_api;
  state->eval.frame = frame;
  state->eval.operand_count = operand_count;
  state->eval.operands = (const tn_strided_t* const*)state->arrays;
  state->eval.output_count = output_count;
  state->eval.outputs = (const tn_strided_t* const*)state->arrays + operand_count;
}

// Whether operand `i` has the memory of the first result, and the operation allows that.
TN__UNUSED bool tn__eval_is_donatable(const tn__eval_state_t* state, size_t i) {
  const tn_strided_t *operand = state->arrays[i],
                     *output = state->arrays[state->eval.operand_count];
  return i < 32 && state->donates >> i & 1 && operand->data == state->results[0].place &&
         operand->flags & TN_ROW_CONTIGUOUS && operand->element_count == output->element_count &&
         operand->element_count &&
         tn_ffi_dtype_size(operand->dtype) == tn_ffi_dtype_size(output->dtype);
}

// Prepares a call: takes the addresses of operands and results from the frame.
TN__UNUSED tn_status_t tn__eval_begin(tn__eval_state_t* state) {
  const size_t operand_count = state->eval.operand_count;
  const bool allocates = state->flags & TN_OP_ALLOCATES;
  bool is_donated = false;
  for (size_t i = 0; i < state->eval.output_count; ++i) {
    tn__eval_output_t* result = &state->results[i];
    tn_strided_t* array = state->arrays[operand_count + i];
    memset(result, 0, sizeof *result);
    result->place = ((const tn_ffi_buffer_t*)state->call.frame->rets.values[i])->data;
    if (allocates) {  // an earlier call may have changed them
      tn_row_major_strides(array->rank, array->dims, (int64_t*)(uintptr_t)array->strides);
      tn__eval_measure(array);
    }
    array->data = NULL;
  }
  for (size_t i = 0; i < operand_count && state->eval.output_count; ++i) {
    state->arrays[i]->flags &= ~(uint32_t)TN_DONATABLE;
    if (!tn__eval_is_donatable(state, i)) continue;
    state->arrays[i]->flags |= TN_DONATABLE;
    is_donated = true;
  }
  for (size_t i = 0; i < state->eval.output_count && !allocates; ++i) {
    if (i == 0 && is_donated) {
      state->arrays[operand_count]->data = state->results[0].place;
      state->results[0].has_data = true;
    } else {
      TN_TRY(tn__eval_place(state, i));
    }
  }
  return TN_OK;
}

TN__UNUSED void tn__eval_copy(const tn_strided_t* array, void* target) {
  int64_t dense[TN_NEST_RANK_LIMIT];
  const int64_t* strides[2] = {dense, array->strides};
  const size_t size = tn_ffi_dtype_size(array->dtype);
  tn_loop_nest_t nest;
  tn_row_major_strides(array->rank, array->dims, dense);
  tn_loop_nest_init(&nest, array->rank, array->dims, 2, strides);
  TN_FOR_CHUNKS(&nest, piece, 0, nest.piece_count) {
    tn__copy_elements(size, (char*)target + piece.offsets[0] * (int64_t)size, nest.strides[0],
                      (const char*)array->data + piece.offsets[1] * (int64_t)size, nest.strides[1],
                      piece.count);
  }
}

// Moves an output to its destination, which may be the memory of an operand that it aliases.
TN__UNUSED tn_status_t tn__eval_finish_output(tn__eval_state_t* state, size_t output) {
  const tn_strided_t* array = state->arrays[state->eval.operand_count + output];
  const tn__eval_output_t* result = &state->results[output];
  const size_t element_size = tn_ffi_dtype_size(array->dtype);
  const size_t byte_size = (size_t)array->element_count * element_size;
  int64_t low, high;
  if (byte_size == 0) return TN_OK;
  if (!array->data)
    return tn__error(&state->call, TN_FFI_INTERNAL, "output %zu was left without memory", output);
  if (array->data == result->place && array->flags & TN_ROW_CONTIGUOUS) return TN_OK;
  tn__eval_extent(array, array->strides, 0, &low, &high);
  const uintptr_t first = (uintptr_t)array->data + (uintptr_t)(low * (int64_t)element_size);
  const uintptr_t last = (uintptr_t)array->data + (uintptr_t)((high + 1) * (int64_t)element_size);
  const uintptr_t place = (uintptr_t)result->place;
  if (last <= place || first >= place + byte_size) {
    tn__eval_copy(array, result->place);
    return TN_OK;
  }
  void* scratch = tn__scratch(&state->call, byte_size);
  if (!scratch) return tn__eval_no_memory(state);
  tn__eval_copy(array, scratch);
  memcpy(result->place, scratch, byte_size);
  return TN_OK;
}

// Releases what the eval holds, tasks that have not run included. A runtime that catches an
// exception of the eval calls it, since tn__eval_run was left without doing so.
TN__UNUSED void tn__eval_end(tn__eval_state_t* state) {
  while (state->first_work) {
    tn__eval_work_t* work = state->first_work;
    state->first_work = work->next;
    free(work);
  }
  state->last_work = NULL;
  for (size_t i = 0; i < state->eval.output_count; ++i) {
    tn__eval_output_t* result = &state->results[i];
    if (result->release) result->release(result->user);
    result->release = NULL;
  }
  if (state->call.blocks) tn__free_blocks(&state->call);
}

// The eval and its tasks.
TN__UNUSED tn_status_t tn__eval_run_tasks(tn__eval_state_t* state, tn_eval_fn function) {
  tn_status_t status = tn__eval_begin(state);
  if (status == TN_OK) status = function(&state->eval);
  while (state->first_work && status == TN_OK) {
    tn__eval_work_t* work = state->first_work;
    status = work->function(&state->eval, work + 1);
    state->first_work = work->next;  // which the task may have enqueued
    if (!work->next) state->last_work = NULL;
    free(work);
  }
  return status;
}

TN__UNUSED tn_status_t tn__eval_run(tn__eval_state_t* state, tn_eval_fn function) {
  tn_status_t status = tn__eval_run_tasks(state, function);
  // The first output last: its destination may be the memory of an operand that others alias.
  for (size_t i = state->eval.output_count; i-- > 0 && status == TN_OK;) {
    status = tn__eval_finish_output(state, i);
  }
  tn__eval_end(state);
  return status;
}

// The handler of a TN_EVAL_OP.
TN__UNUSED tn_status_t tn__eval_dense(tn_call_t* call, const tn_op_def_t* definition,
                                      tn_eval_fn function) {
  tn__eval_state_t state;
  int64_t small[128];
  const size_t byte_size = tn__eval_byte_size(call->frame);
  void* memory = byte_size <= sizeof small ? small : tn__scratch(call, byte_size);
  if (!memory) return tn__error(call, TN_FFI_RESOURCE_EXHAUSTED, "out of memory");
  tn__eval_init(&state, memory, call->frame, call->op, definition->flags, definition->donates);
  for (size_t i = 0; i < state.eval.operand_count; ++i) {
    state.arrays[i]->data = ((const tn_ffi_buffer_t*)call->frame->args.values[i])->data;
  }
  return tn__eval_run(&state, function);
}

#ifdef __cplusplus
}
#endif

#endif  // TENON_DETAIL_EVAL_HOST_H_
