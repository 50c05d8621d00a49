// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "kernel/gather_scatter/gather.h"

#include "kernel/common/index.h"
#include "kernel/common/isa.h"
#include "kernel/common/loop.h"
#include "kernel/common/merge.h"
#include "kernel/common/prefetch.h"
#include "kernel/common/site.h"
#include "kernel/common/strided.h"

enum {
  OFFSET_GRAIN = 2 << 10,  // positions worth a thread's while
  BYTE_GRAIN = 32 << 10,   // bytes moved that are
  BLOCK = 256,             // windows that are found at a time
};

// A coordinate of the index vector: the dimension of the operand that it is the start in.
typedef struct coordinate {
  int64_t limit;           // the largest start that keeps the window inside
  int64_t operand_stride;  // bytes
  int64_t index_offset;    // bytes from the first coordinate of a vector
} coordinate_t;

// A batch dimension: of the result and of the start indices.
typedef struct batch_loop {
  int64_t count;
  int64_t index_stride;    // of the start indices, bytes
  int64_t result_stride;   // bytes
  int64_t operand_stride;  // bytes; not 0 when it is a batching dimension of the operand too
} batch_loop_t;

typedef struct gather {
  tn_dtype_t index_dtype;
  size_t coordinate_count, loop_count;
  const coordinate_t* coordinates;
  const batch_loop_t* loops;  // outermost first
  int64_t batch_count;        // windows
  // Single elements at adjacent indices of one dimension, of a type that has a loop (clamp_starts),
  // as x[i] and take_along_axis have them.
  bool is_plain;
  // By columns: the batch dimensions are the last ones of the result, so that the elements of
  // adjacent windows are adjacent. Else window by window.
  bool by_columns;
  size_t element_size;
  int64_t window_count;  // elements of a window
  size_t window_rank;    // by columns: its dimensions and their strides in the operand, bytes
  const int64_t* window_dims;
  const int64_t* window_strides;
  tn_strided_copy_t window;  // window by window
  int64_t window_byte_size;
} gather_t;

typedef struct gather_numbers {
  tn_i64_list_t offset_dims, collapsed, batching, index_batching, start_map, slice_sizes;
  int64_t index_vector_dim;
} gather_numbers_t;

static tn_status_t read_numbers(const tn_kernel_site_t* site, gather_numbers_t* out) {
  const tn_attr_t* attr = tn__attr_find(&site->use->attrs, "dimension_numbers");
  if (!attr || attr->kind != TN_ATTR_STRUCT) {
    return tn_status_create(TN_CODE_INTERNAL, "gather: no dimension_numbers");
  }
  const tn_attr_dictionary_t* fields = &attr->dictionary;
  tn_arena_t* arena = site->arena;
  TN_RETURN_IF_ERROR(tn__attr_get_i64_list(fields, "offset_dims", arena, &out->offset_dims));
  TN_RETURN_IF_ERROR(tn__attr_get_i64_list(fields, "collapsed_slice_dims", arena, &out->collapsed));
  TN_RETURN_IF_ERROR(tn__attr_get_i64_list(fields, "operand_batching_dims", arena, &out->batching));
  TN_RETURN_IF_ERROR(
      tn__attr_get_i64_list(fields, "start_indices_batching_dims", arena, &out->index_batching));
  TN_RETURN_IF_ERROR(tn__attr_get_i64_list(fields, "start_index_map", arena, &out->start_map));
  out->index_vector_dim = tn__attr_get_integer(fields, "index_vector_dim", 0);
  return tn__attr_get_i64_list(&site->use->attrs, "slice_sizes", arena, &out->slice_sizes);
}

// Those of JAX: of other types are few.
static bool has_loop(tn_dtype_t index_dtype) {
  return index_dtype == TN_DTYPE_S32 || index_dtype == TN_DTYPE_U32 || index_dtype == TN_DTYPE_S64;
}

tn_status_t tn__cpu_gather_prepare(tn_kernel_site_t* site) {
  const tn_type_t* operand = tn__site_operand(site, 0);
  const tn_type_t* indices = tn__site_operand(site, 1);
  const tn_type_t* result = tn__site_result(site, 0);
  gather_t* state;
  TN_RETURN_IF_ERROR(tn__site_state(site, sizeof *state, (void**)&state));
  if (tn__type_size(result) == 0) return TN_OK;
  gather_numbers_t numbers;
  TN_RETURN_IF_ERROR(read_numbers(site, &numbers));
  const size_t element_size = tn_dtype_byte_size(operand->dtype);
  int64_t operand_strides[TN_MAX_RANK], index_strides[TN_MAX_RANK], result_strides[TN_MAX_RANK];
  tn__dense_strides(operand->rank, operand->dims, element_size, operand_strides);
  tn__dense_strides(indices->rank, indices->dims, tn_dtype_byte_size(indices->dtype),
                    index_strides);
  tn__dense_strides(result->rank, result->dims, element_size, result_strides);

  state->index_dtype = indices->dtype;
  const bool has_vector = (size_t)numbers.index_vector_dim < indices->rank;
  coordinate_t* coordinates;
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(site->arena, numbers.start_map.count, &coordinates));
  for (size_t i = 0; i < numbers.start_map.count; ++i) {
    const size_t d = (size_t)numbers.start_map.values[i];
    coordinates[i] = (coordinate_t){
        .limit = operand->dims[d] - numbers.slice_sizes.values[d],
        .operand_stride = operand_strides[d],
        .index_offset = has_vector ? (int64_t)i * index_strides[numbers.index_vector_dim] : 0,
    };
  }
  state->coordinates = coordinates;
  state->coordinate_count = numbers.start_map.count;

  // The window's dimensions in the result, and the batch's.
  int64_t window_dims[TN_MAX_RANK], window_from[TN_MAX_RANK], window_to[TN_MAX_RANK];
  size_t window_rank = 0;
  state->window_count = 1;
  for (size_t d = 0; d < operand->rank; ++d) {
    if (tn__list_has(&numbers.collapsed, (int64_t)d, NULL)) continue;
    if (tn__list_has(&numbers.batching, (int64_t)d, NULL)) continue;
    window_dims[window_rank] = numbers.slice_sizes.values[d];
    window_from[window_rank] = operand_strides[d];
    window_to[window_rank] = result_strides[numbers.offset_dims.values[window_rank]];
    state->window_count *= window_dims[window_rank++];
  }
  batch_loop_t* loops = NULL;
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(site->arena, result->rank, &loops));
  state->loops = loops;
  state->batch_count = 1;
  bool batch_is_last = true, seen_batch = false;
  size_t index_dim = 0;
  for (size_t d = 0; d < result->rank; ++d) {
    if (tn__list_has(&numbers.offset_dims, (int64_t)d, NULL)) {
      if (seen_batch && result->dims[d] > 1) batch_is_last = false;
      continue;
    }
    if (has_vector && index_dim == (size_t)numbers.index_vector_dim) ++index_dim;
    batch_loop_t loop = {result->dims[d], index_strides[index_dim], result_strides[d], 0};
    size_t position;
    if (tn__list_has(&numbers.index_batching, (int64_t)index_dim, &position)) {
      loop.operand_stride = operand_strides[numbers.batching.values[position]];
    }
    loops[state->loop_count++] = loop;
    if (loop.count > 1) seen_batch = true;
    state->batch_count *= loop.count;
    ++index_dim;
  }
  state->loop_count = TN_MERGE_LOOPS(state->loop_count, loops, 3);
  const batch_loop_t* inner = state->loop_count ? &loops[state->loop_count - 1] : NULL;
  state->is_plain = state->window_count == 1 && state->coordinate_count == 1 && inner &&
                    inner->operand_stride == 0 && has_loop(state->index_dtype) &&
                    inner->index_stride == (int64_t)tn_dtype_byte_size(state->index_dtype) &&
                    coordinates[0].limit <= INT32_MAX;
  state->element_size = element_size;
  state->window_byte_size = state->window_count * (int64_t)element_size;
  state->by_columns = batch_is_last && (state->window_count == 1 || state->batch_count >= 16);
  if (state->by_columns) {
    if (state->window_count > 1) {
      site->scratch_byte_size = (size_t)state->batch_count * sizeof(int64_t);
    }
    state->window_rank = window_rank;
    TN_RETURN_IF_ERROR(TN_ARENA_COPY(site->arena, window_rank, window_dims, &state->window_dims));
    return TN_ARENA_COPY(site->arena, window_rank, window_from, &state->window_strides);
  }
  return tn__strided_copy_prepare(site->arena, element_size, window_rank, window_dims, window_to,
                                  window_from, &state->window);
}

// --- running

typedef struct gather_run {
  const gather_t* state;
  const char* operand;
  const char* indices;
  char* result;
  // Of plain indices, for this processor.
  void (*clamp)(tn_dtype_t dtype, const char* indices, int64_t count, int64_t limit,
                uint32_t* out_starts);
  int64_t* offsets;  // by columns: where each window starts in the operand; NULL: found on the way
} gather_run_t;

// Where window `position` starts, but for its index vector, which is at *out_vector.
static void find_window(const gather_run_t* run, int64_t position, const char** out_vector,
                        int64_t* out_from, int64_t* out_to) {
  const gather_t* state = run->state;
  int64_t from = 0, to = 0;
  const char* vector = run->indices;
  for (size_t i = state->loop_count; i-- > 0;) {
    const batch_loop_t* loop = &state->loops[i];
    // The outermost one needs no division, and usually there is no other.
    const int64_t index = i ? position % loop->count : position;
    if (i) position /= loop->count;
    vector += index * loop->index_stride;
    from += index * loop->operand_stride;
    to += index * loop->result_stride;
  }
  *out_vector = vector;
  *out_from = from;
  *out_to = to;
}

static void locate_window(const gather_run_t* run, int64_t position, int64_t* out_from,
                          int64_t* out_to) {
  const gather_t* state = run->state;
  const char* vector;
  find_window(run, position, &vector, out_from, out_to);
  for (size_t i = 0; i < state->coordinate_count; ++i) {
    const coordinate_t* coordinate = &state->coordinates[i];
    const int64_t start = tn__index_load(state->index_dtype, vector + coordinate->index_offset);
    *out_from += tn__index_clamp(start, coordinate->limit) * coordinate->operand_stride;
  }
}

// Where the windows [begin, begin + count) start: in runs along the innermost batch dimension.
static void locate_windows(const gather_run_t* run, int64_t begin, int64_t count,
                           int64_t* restrict out_offsets) {
  const gather_t* state = run->state;
  const batch_loop_t one = {.count = 1};
  const batch_loop_t inner = state->loop_count ? state->loops[state->loop_count - 1] : one;
  while (count > 0) {
    const int64_t left = inner.count - begin % inner.count;
    int64_t length = left < count ? left : count;
    if (length > BLOCK) length = BLOCK;
    int64_t from, to, starts[BLOCK];
    const char* vector;
    find_window(run, begin, &vector, &from, &to);
    for (int64_t i = 0; i < length; ++i) out_offsets[i] = from + i * inner.operand_stride;
    for (size_t k = 0; k < state->coordinate_count; ++k) {
      const coordinate_t coordinate = state->coordinates[k];
      tn__index_load_run(state->index_dtype, vector + coordinate.index_offset, inner.index_stride,
                         length, starts);
      for (int64_t i = 0; i < length; ++i) {
        out_offsets[i] += tn__index_clamp(starts[i], coordinate.limit) * coordinate.operand_stride;
      }
    }
    begin += length;
    count -= length;
    out_offsets += length;
  }
}

static tn_status_t locate_range(int64_t begin, int64_t end, void* user) {
  const gather_run_t* run = user;
  locate_windows(run, begin, end - begin, run->offsets + begin);
  return TN_OK;
}

static inline __attribute__((always_inline)) void pick_of(size_t size, char* restrict target,
                                                          const char* restrict source,
                                                          const int64_t* restrict offsets,
                                                          int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    memcpy(target + (size_t)i * size, source + offsets[i], size);
  }
}

// Starts of single elements, inside of the operand: loops that compilers make vectors of.
#define CLAMP(type, not_negative)                                          \
  for (int64_t i = 0; i < count; ++i) {                                    \
    type index;                                                            \
    memcpy(&index, indices + i * (int64_t)sizeof index, sizeof index);     \
    index = not_negative;                                                  \
    out_starts[i] = (uint32_t)(index > (type)limit ? (type)limit : index); \
  }
static inline __attribute__((always_inline)) void clamp_starts(tn_dtype_t dtype,
                                                               const char* restrict indices,
                                                               int64_t count, int64_t limit,
                                                               uint32_t* restrict out_starts) {
  if (dtype == TN_DTYPE_S32) {
    CLAMP(int32_t, index < 0 ? 0 : index)
  } else if (dtype == TN_DTYPE_U32) {
    CLAMP(uint32_t, index)
  } else {
    CLAMP(int64_t, index < 0 ? 0 : index)
  }
}
#undef CLAMP

static void clamp_starts_base(tn_dtype_t dtype, const char* indices, int64_t count, int64_t limit,
                              uint32_t* out_starts) {
  clamp_starts(dtype, indices, count, limit, out_starts);
}
#if TN_ISA_X86
TN_ISA_TARGET_AVX2 static void clamp_starts_avx2(tn_dtype_t dtype, const char* indices,
                                                 int64_t count, int64_t limit,
                                                 uint32_t* out_starts) {
  clamp_starts(dtype, indices, count, limit, out_starts);
}
#endif

static inline __attribute__((always_inline)) void pick_starts(size_t size, char* restrict target,
                                                              const char* restrict source,
                                                              const uint32_t* restrict starts,
                                                              int64_t stride, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    memcpy(target + (size_t)i * size, source + (int64_t)starts[i] * stride, size);
  }
}

static void pick_block(const gather_t* state, char* target, const char* source,
                       const uint32_t* starts, int64_t count) {
  const int64_t stride = state->coordinates[0].operand_stride;
  switch (state->element_size) {
#define CASE(size)                                              \
  case size:                                                    \
    if (stride == size) {                                       \
      pick_starts(size, target, source, starts, size, count);   \
    } else {                                                    \
      pick_starts(size, target, source, starts, stride, count); \
    }                                                           \
    break;
    TN_ELEMENT_SIZES(CASE)
#undef CASE
    default: break;
  }
}

static tn_status_t pick_plain(int64_t begin, int64_t end, void* user) {
  const gather_run_t* run = user;
  const gather_t* state = run->state;
  const coordinate_t coordinate = state->coordinates[0];
  const int64_t inner = state->loops[state->loop_count - 1].count;
  const int64_t index_size = (int64_t)tn_dtype_byte_size(state->index_dtype);
  int64_t left = inner - begin % inner;
  for (; begin < end; left = inner) {
    int64_t from, to;
    const char* indices;
    find_window(run, begin, &indices, &from, &to);
    indices += coordinate.index_offset;
    left = left < end - begin ? left : end - begin;
    while (left > 0) {
      uint32_t starts[BLOCK];
      const int64_t count = left < BLOCK ? left : BLOCK;
      run->clamp(state->index_dtype, indices, count, coordinate.limit, starts);
      pick_block(state, run->result + (size_t)begin * state->element_size, run->operand + from,
                 starts, count);
      indices += count * index_size;
      begin += count;
      left -= count;
    }
  }
  return TN_OK;
}

static int64_t element_offset(const gather_t* state, int64_t element) {
  int64_t offset = 0;
  for (size_t d = state->window_rank; d-- > 0;) {
    offset += element % state->window_dims[d] * state->window_strides[d];
    element /= state->window_dims[d];
  }
  return offset;
}

// Elements [begin, end) of the result, which is window_count rows of batch_count elements.
static tn_status_t pick_range(int64_t begin, int64_t end, void* user) {
  const gather_run_t* run = user;
  const gather_t* state = run->state;
  while (begin < end) {
    const int64_t row = begin / state->batch_count, first = begin % state->batch_count;
    int64_t count = state->batch_count - first, found[BLOCK];
    if (count > end - begin) count = end - begin;
    const int64_t* offsets = found;
    if (run->offsets) {
      offsets = run->offsets + first;
    } else {
      if (count > BLOCK) count = BLOCK;
      locate_windows(run, first, count, found);
    }
    char* target = run->result + (size_t)begin * state->element_size;
    const char* source = run->operand + element_offset(state, row);
    switch (state->element_size) {
      case 1: pick_of(1, target, source, offsets, count); break;
      case 2: pick_of(2, target, source, offsets, count); break;
      case 4: pick_of(4, target, source, offsets, count); break;
      case 8: pick_of(8, target, source, offsets, count); break;
      default: pick_of(16, target, source, offsets, count); break;
    }
    begin += count;
  }
  return TN_OK;
}

// A few windows are found ahead, and asked for if they are one piece of memory.
static tn_status_t copy_windows(int64_t begin, int64_t end, void* user) {
  enum { AHEAD = 4 };
  const gather_run_t* run = user;
  const tn_strided_copy_t* window = &run->state->window;
  const bool is_run = tn__strided_is_run(window);
  int64_t from[AHEAD], to[AHEAD], found = begin;
  for (int64_t i = begin; i < end; ++i) {
    for (; found < end && found < i + AHEAD; ++found) {
      int64_t* start = &from[found % AHEAD];
      locate_window(run, found, start, &to[found % AHEAD]);
      if (is_run) tn__prefetch_start(run->operand + *start, window->target_byte_size);
    }
    TN_RETURN_IF_ERROR(tn__strided_copy_run(window, NULL, run->result + to[i % AHEAD],
                                            run->operand + from[i % AHEAD]));
  }
  return TN_OK;
}

static gather_run_t begin_run(const tn_kernel_call_t* call) {
  gather_run_t run = {.state = call->state,
                      .operand = call->operands[0],
                      .indices = call->operands[1],
                      .result = call->results[0],
                      .clamp = clamp_starts_base};
#if TN_ISA_X86
  if (tn__isa_has(TN_ISA_FMA)) run.clamp = clamp_starts_avx2;
#endif
  return run;
}

tn_status_t tn__cpu_gather_range(int64_t begin, int64_t end, void* user) {
  gather_run_t run = begin_run(user);
  return run.state->is_plain ? pick_plain(begin, end, &run) : pick_range(begin, end, &run);
}

tn_status_t tn__cpu_gather_run(const tn_kernel_call_t* call) {
  const gather_t* state = call->state;
  tn_pool_t* pool = call->context->pool;
  if (state->batch_count == 0) return TN_OK;
  gather_run_t run = begin_run(call);
  if (state->by_columns) {
    if (state->window_count > 1) {
      run.offsets = call->scratch;
      TN_RETURN_IF_ERROR(
          tn__pool_parallel_for(pool, state->batch_count, OFFSET_GRAIN, locate_range, &run));
    }
    return tn__pool_parallel_for(pool, state->window_count * state->batch_count,
                                 BYTE_GRAIN / (int64_t)state->element_size,
                                 state->is_plain ? pick_plain : pick_range, &run);
  }
  if (state->batch_count == 1) {
    int64_t from, to;
    locate_window(&run, 0, &from, &to);
    return tn__strided_copy_run(&state->window, pool, run.result + to, run.operand + from);
  }
  const int64_t grain = BYTE_GRAIN / state->window_byte_size;
  return tn__pool_parallel_for(pool, state->batch_count, grain ? grain : 1, copy_windows, &run);
}
