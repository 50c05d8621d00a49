// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Every element of the input meets its updates in the order of their indices, and each is one
// thread's alone: so the number of threads makes no difference. What is outside of the input is
// left out element by element: a window is cut to the part that is inside.
#include "base/integer.h"
#include "kernel/common/index.h"
#include "kernel/common/isa.h"
#include "kernel/common/loop.h"
#include "kernel/common/prefetch.h"
#include "kernel/common/site.h"
#include "kernel/common/strided.h"
#include "kernel/gather_scatter/scatter.h"
#include "kernel/gather_scatter/scatter_plan.h"

enum {
  PARALLEL_ELEMENTS = 16 << 10,  // of the updates: fewer are not worth a thread's while
  LONG_WINDOW = 16,              // elements, to which finding the window is little
  LINE_BYTES = 64,               // of the cache
  LEAST_THREADS = 4,             // that go faster than one does which reads all updates in order
};

// `count` elements at these places, the given numbers of elements apart.
static tn_status_t apply_run(const tn_kernel_call_t* call, int64_t input, int64_t input_stride,
                             int64_t update, int64_t update_stride, int64_t count) {
  const tn_scatter_t* state = call->state;
  if (state->form == TN_SCATTER_BODY) {
    const tn_body_t* body = &call->bodies[0];
    const size_t channels = state->channel_count;
    for (int64_t i = 0; i < count; ++i, input += input_stride, update += update_stride) {
      for (size_t k = 0; k < channels; ++k) {
        const tn_scatter_channel_t* channel = &state->channels[k];
        const char* updates = call->operands[channels + 1 + k];
        tn__element_copy(channel->result_size, body->arguments[k],
                         (char*)call->results[k] + (size_t)input * channel->result_size);
        tn__element_move(&channel->update, body->arguments[channels + k],
                         updates + (size_t)update * channel->update_size);
      }
      TN_RETURN_IF_ERROR(body->run(body));
      for (size_t k = 0; k < channels; ++k) {
        const size_t size = state->channels[k].result_size;
        tn__element_copy(size, (char*)call->results[k] + (size_t)input * size, body->results[k]);
      }
    }
    return TN_OK;
  }
  const size_t size = state->channels[0].result_size;
  char* target = (char*)call->results[0] + (size_t)input * size;
  const char* source = (const char*)call->operands[2] + (size_t)update * size;
  const bool together = input_stride == 1 && update_stride == 1;
  if (state->form == TN_SCATTER_WRITE) {
    if (together && count > 1) {
      memcpy(target, source, (size_t)count * size);
      return TN_OK;
    }
    for (int64_t i = 0; i < count; ++i) {
      tn__element_copy(size, target + i * input_stride * (int64_t)size,
                       source + i * update_stride * (int64_t)size);
    }
    return TN_OK;
  }
  const tn_binary_fn native = tn__binary_native(&state->binary);
  const int64_t step = together ? count : 1;
  for (int64_t i = 0; i < count; i += step) {
    char* to = target + i * input_stride * (int64_t)size;
    const char* from = source + i * update_stride * (int64_t)size;
    if (native) {
      native(to, from, to, (size_t)step);
    } else {
      tn__binary_map(&state->binary, to, from, to, (size_t)step);
    }
  }
  return TN_OK;
}

// All elements of a box of the window: the part [low, low + count) of each of its dimensions.
static tn_status_t apply_box(const tn_kernel_call_t* call, const tn_scatter_window_t* window,
                             const int64_t* counts, size_t rank, int64_t input, int64_t update) {
  if (rank == 0) return apply_run(call, input, 1, update, 1, 1);
  int64_t index[TN_MAX_RANK] = {0};
  const tn_scatter_window_t* last = &window[rank - 1];
  for (;;) {
    TN_RETURN_IF_ERROR(
        apply_run(call, input, last->input_stride, update, last->update_stride, counts[rank - 1]));
    size_t d = rank - 1;
    for (;;) {
      if (d == 0) return TN_OK;
      --d;
      input += window[d].input_stride;
      update += window[d].update_stride;
      if (++index[d] < counts[d]) break;
      input -= counts[d] * window[d].input_stride;
      update -= counts[d] * window[d].update_stride;
      index[d] = 0;
    }
  }
}

// What a thread does of a scatter: the windows that start in [low, high) if they are flat, else the
// elements of the input that are there in the split dimension. No other thread touches these, and
// they meet their updates in order; so the parts may be any.
typedef struct part {
  const tn_kernel_call_t* call;
  int64_t low, high;
} part_t;

// Where window `position` starts in the updates; and what it goes through on the way.
static int64_t find_update(const tn_scatter_t* state, int64_t position, const char** vector,
                           int64_t* starts) {
  int64_t update = 0;
  for (size_t i = state->loop_count; i-- > 0;) {
    const tn_scatter_loop_t* loop = &state->loops[i];
    const int64_t index = i ? position % loop->count : position;
    if (i) position /= loop->count;
    *vector += index * loop->index_stride;
    update += index * loop->update_stride;
    if (loop->batching >= 0) starts[loop->batching] = index;
  }
  return update;
}

// Where window `position` starts in each dimension of the input, and in the updates.
static int64_t find_starts(const tn_kernel_call_t* call, int64_t position, int64_t* out_starts) {
  const tn_scatter_t* state = call->state;
  const char* vector = call->operands[state->channel_count];
  for (size_t d = 0; d < state->rank; ++d) out_starts[d] = 0;
  const int64_t update = find_update(state, position, &vector, out_starts);
  for (size_t i = 0; i < state->coordinate_count; ++i) {
    const tn_scatter_coordinate_t* coordinate = &state->coordinates[i];
    out_starts[coordinate->dimension] =
        tn__index_load(state->index_dtype, vector + coordinate->index_offset);
  }
  return update;
}

// The element at which these places are; -1: outside.
static int64_t find_place(const tn_scatter_t* state, const int64_t* starts) {
  int64_t input = 0;
  for (size_t d = 0; d < state->rank; ++d) {
    if (!state->is_place[d]) continue;
    if (starts[d] < 0 || starts[d] >= state->input_dims[d]) return -1;
    input += starts[d] * state->input_strides[d];
  }
  return input;
}

// Cuts [*low, *high) of a window that starts at `start` to what is inside of [first, last).
static void cut(int64_t start, int64_t first, int64_t last, int64_t* low, int64_t* high) {
  if (first - start > *low) *low = first - start;
  if (last - start < *high) *high = last - start;
}

// A part of window `position` of the updates, which may be cut.
static tn_status_t apply_window(const part_t* part, int64_t position) {
  const tn_kernel_call_t* call = part->call;
  const tn_scatter_t* state = call->state;
  int64_t starts[TN_MAX_RANK], counts[TN_MAX_RANK];
  int64_t update = find_starts(call, position, starts);
  int64_t input = find_place(state, starts);
  if (input < 0) return TN_OK;
  const size_t split = state->split_dimension;
  if (state->rank && state->is_place[split] &&
      (starts[split] < part->low || starts[split] >= part->high)) {
    return TN_OK;
  }
  bool is_whole = true;
  for (size_t i = 0; i < state->window_rank; ++i) {
    const tn_scatter_window_t* loop = &state->window[i];
    const int64_t start = starts[loop->dimension], size = state->input_dims[loop->dimension];
    if (start >= size || start <= -loop->count) return TN_OK;
    int64_t low = 0, high = loop->count;
    cut(start, 0, size, &low, &high);
    if (loop->dimension == split) cut(start, part->low, part->high, &low, &high);
    if (low >= high) return TN_OK;
    counts[i] = high - low;
    if (counts[i] < loop->count) is_whole = false;
    input += (start + low) * loop->input_stride;
    update += low * loop->update_stride;
  }
  if (!is_whole) return apply_box(call, state->window, counts, state->window_rank, input, update);
  for (size_t i = 0; i < state->whole_rank; ++i) counts[i] = state->whole[i].count;
  return apply_box(call, state->whole, counts, state->whole_rank, input, update);
}

static tn_status_t apply_windows(const part_t* part) {
  const tn_scatter_t* state = part->call->state;
  for (int64_t i = 0; i < state->position_count; ++i) {
    TN_RETURN_IF_ERROR(apply_window(part, i));
  }
  return TN_OK;
}

// --- flat windows

enum { BLOCK = 256 };

// 32-bit indices, adjacent, of one coordinate or two.
typedef struct narrow_indices {
  uint32_t limits[2], strides[2];  // the second stride 0: there is one coordinate
} narrow_indices_t;

static inline uint32_t word_at(const char* words, int64_t i) {
  uint32_t word;
  memcpy(&word, words + i * (int64_t)sizeof word, sizeof word);
  return word;
}

// Where the windows start; below 0: outside. Loops that compilers make vectors of.
static inline __attribute__((always_inline)) void find_narrow(const char* restrict vector,
                                                              int64_t count,
                                                              const narrow_indices_t* indices,
                                                              int64_t* restrict out_places) {
  const uint32_t limit = indices->limits[0], second_limit = indices->limits[1];
  const uint32_t stride = indices->strides[0], second_stride = indices->strides[1];
  for (int64_t i = 0; second_stride == 0 && i < count; ++i) {
    const uint32_t index = word_at(vector, i), place = index * stride;
    out_places[i] = index < limit ? (int32_t)place : -1;
  }
  for (int64_t i = 0; second_stride != 0 && i < count; ++i) {
    const uint32_t a = word_at(vector, 2 * i), b = word_at(vector, 2 * i + 1);
    const uint32_t place = a * stride + b * second_stride;
    out_places[i] = ((a < limit) & (b < second_limit)) ? (int32_t)place : -1;
  }
}

static void find_narrow_base(const char* vector, int64_t count, const narrow_indices_t* indices,
                             int64_t* restrict out_places) {
  find_narrow(vector, count, indices, out_places);
}
#if TN_ISA_X86
TN_ISA_TARGET_AVX2 static void find_narrow_avx2(const char* vector, int64_t count,
                                                const narrow_indices_t* indices,
                                                int64_t* restrict out_places) {
  find_narrow(vector, count, indices, out_places);
}
TN_ISA_TARGET_AVX512 static void find_narrow_avx512(const char* vector, int64_t count,
                                                    const narrow_indices_t* indices,
                                                    int64_t* restrict out_places) {
  find_narrow(vector, count, indices, out_places);
}
#endif

static void find_narrow_places(const char* vector, int64_t count, const narrow_indices_t* indices,
                               int64_t* restrict out_places) {
#if TN_ISA_X86
  switch (tn__isa_best(TN_ISA_AVX512)) {
    case TN_ISA_AVX512: find_narrow_avx512(vector, count, indices, out_places); return;
    case TN_ISA_FMA: find_narrow_avx2(vector, count, indices, out_places); return;
    default: break;
  }
#endif
  find_narrow_base(vector, count, indices, out_places);
}

// False: the indices are of another kind.
static bool are_narrow(const tn_scatter_t* state, const tn_scatter_loop_t* inner, int64_t base,
                       narrow_indices_t* out_indices) {
  const size_t count = state->coordinate_count;
  if (base != 0 || inner->input_stride != 0 || state->index_dtype != TN_DTYPE_S32 || count == 0 ||
      count > 2 || inner->index_stride != (int64_t)(count * sizeof(int32_t)) ||
      state->place_limit > INT32_MAX) {
    return false;
  }
  *out_indices = (narrow_indices_t){{0}, {0}};
  for (size_t k = 0; k < count; ++k) {
    const tn_scatter_coordinate_t* coordinate = &state->coordinates[k];
    if (coordinate->index_offset != (int64_t)(k * sizeof(int32_t))) return false;
    const int64_t limit = state->input_dims[coordinate->dimension];
    if (limit > INT32_MAX) return false;
    out_indices->limits[k] = (uint32_t)limit;
    out_indices->strides[k] = (uint32_t)state->input_strides[coordinate->dimension];
  }
  return true;
}

// The elements of the input at which the windows [first, first + count) start, no more than a
// block; below 0: outside. In runs along the innermost scatter dimension.
static void find_places(const tn_kernel_call_t* call, int64_t first, int64_t count,
                        int64_t* restrict out_places) {
  const tn_scatter_t* state = call->state;
  const tn_scatter_loop_t one = {.count = 1};
  const tn_scatter_loop_t inner = state->loop_count ? state->loops[state->loop_count - 1] : one;
  while (count > 0) {
    const int64_t left = inner.count - first % inner.count, length = left < count ? left : count;
    const char* vector = call->operands[state->channel_count];
    int64_t position = first, base = 0, starts[BLOCK];
    for (size_t i = state->loop_count; i-- > 0;) {
      const tn_scatter_loop_t* loop = &state->loops[i];
      const int64_t index = i ? position % loop->count : position;
      if (i) position /= loop->count;
      vector += index * loop->index_stride;
      base += index * loop->input_stride;
    }
    narrow_indices_t narrow;
    const bool is_narrow = are_narrow(state, &inner, base, &narrow);
    if (is_narrow) find_narrow_places(vector, length, &narrow, out_places);
    for (int64_t i = 0; !is_narrow && i < length; ++i) {
      out_places[i] = base + i * inner.input_stride;
    }
    for (size_t k = 0; !is_narrow && k < state->coordinate_count; ++k) {
      const tn_scatter_coordinate_t* coordinate = &state->coordinates[k];
      const int64_t limit = state->input_dims[coordinate->dimension];
      const int64_t stride = state->input_strides[coordinate->dimension];
      tn__index_load_run(state->index_dtype, vector + coordinate->index_offset, inner.index_stride,
                         length, starts);
      for (int64_t i = 0; i < length; ++i) {
        const bool is_inside = (starts[i] >= 0) & (starts[i] < limit) & (out_places[i] >= 0);
        out_places[i] = is_inside ? out_places[i] + starts[i] * stride : -1;
      }
    }
    first += length;
    count -= length;
    out_places += length;
  }
}

static void write_at(size_t size, char* target, const int64_t* places, const char* values,
                     int64_t count) {
  switch (size) {
#define CASE(width)                                                                      \
  case width:                                                                            \
    for (int64_t i = 0; i < count; ++i) {                                                \
      if (places[i] >= 0) memcpy(target + places[i] * width, values + i * width, width); \
    }                                                                                    \
    break;
    TN_ELEMENT_SIZES(CASE)
#undef CASE
    default: break;
  }
}

// Windows of single elements: updates are in the order of their positions. On one thread: to find
// out which of them belong to a part takes as long as to apply them. Nothing is asked for ahead:
// processors look as far themselves.
static void apply_elements(const tn_kernel_call_t* call) {
  const tn_scatter_t* state = call->state;
  const size_t size = state->channels[0].update_size;
  int64_t places[BLOCK];
  for (int64_t first = 0; first < state->position_count; first += BLOCK) {
    const int64_t count = tn__least(state->position_count - first, BLOCK);
    find_places(call, first, count, places);
    const char* updates =
        (const char*)call->operands[state->channel_count + 1] + (size_t)first * size;
    if (state->form == TN_SCATTER_WRITE) {
      write_at(size, call->results[0], places, updates, count);
    } else {
      tn__binary_at(&state->binary, call->results[0], places, updates, (size_t)count);
    }
  }
}

// Windows that are one contiguous row each, at even steps in the updates.
static bool are_rows(const tn_scatter_t* state) {
  const tn_scatter_window_t* row = &state->whole[0];
  return state->whole_rank == 1 && state->loop_count == 1 && row->input_stride == 1 &&
         row->update_stride == 1 &&
         (state->form == TN_SCATTER_WRITE || tn__binary_native(&state->binary));
}

// Elements [begin, end) of every row.
static void apply_columns(const tn_kernel_call_t* call, int64_t begin, int64_t end) {
  enum { AHEAD = 8 };
  const tn_scatter_t* state = call->state;
  const int64_t size = (int64_t)state->channels[0].update_size;
  const int64_t step = state->loops[0].update_stride * size, part = (end - begin) * size;
  const char* update = (const char*)call->operands[2] + begin * size;
  char* target = (char*)call->results[0] + begin * size;
  const tn_binary_fn native =
      state->form == TN_SCATTER_WRITE ? NULL : tn__binary_native(&state->binary);
  int64_t places[BLOCK];
  for (int64_t first = 0; first < state->position_count; first += BLOCK) {
    const int64_t left = state->position_count - first, count = left < BLOCK ? left : BLOCK;
    find_places(call, first, count, places);
    for (int64_t i = 0; i < count; ++i, update += step) {
      if (i + AHEAD < left) tn__prefetch_start(update + AHEAD * step, part);
      if (places[i] < 0) continue;
      char* row = target + places[i] * size;
      if (native) {
        native(row, update, row, (size_t)(end - begin));
      } else {
        memcpy(row, update, (size_t)part);
      }
    }
  }
}

static tn_status_t apply_flat(const part_t* part) {
  enum { AHEAD = 4 };
  const tn_kernel_call_t* call = part->call;
  const tn_scatter_t* state = call->state;
  const int64_t size = (int64_t)state->channels[0].update_size;
  const tn_scatter_window_t* last = &state->whole[state->whole_rank - 1];
  const int64_t row_length = last->update_stride == 1 ? last->count * size : size;
  const char* updates = call->operands[state->channel_count + 1];
  const char* target = call->results[0];
  int64_t counts[TN_MAX_RANK], places[BLOCK], kept[BLOCK], starts[TN_MAX_RANK];
  for (size_t i = 0; i < state->whole_rank; ++i) counts[i] = state->whole[i].count;
  for (int64_t first = 0; first < state->position_count; first += BLOCK) {
    const int64_t left = state->position_count - first, count = left < BLOCK ? left : BLOCK;
    find_places(call, first, count, places);
    // Without branches: which part a window belongs to cannot be predicted.
    int64_t kept_count = 0;
    for (int64_t i = 0; i < count; ++i) {
      kept[kept_count] = i;
      kept_count += (places[i] >= part->low) & (places[i] < part->high);
    }
    int64_t found[BLOCK];
    for (int64_t i = 0; i < kept_count; ++i) {
      const char* unused = call->operands[state->channel_count];
      found[i] = find_update(state, first + kept[i], &unused, starts);
    }
    for (int64_t i = 0; i < kept_count; ++i) {
      if (kept_count < count && i + AHEAD < kept_count) {
        tn__prefetch_start(updates + found[i + AHEAD] * size, row_length);
        tn__prefetch_start(target + places[kept[i + AHEAD]] * size, row_length);
      }
      TN_RETURN_IF_ERROR(
          apply_box(call, state->whole, counts, state->whole_rank, places[kept[i]], found[i]));
    }
  }
  return TN_OK;
}

// --- parts

typedef struct parts {
  const tn_kernel_call_t* call;
  int64_t count, limit;
} parts_t;

static tn_status_t apply_parts(int64_t begin, int64_t end, void* user) {
  const parts_t* parts = user;
  const tn_scatter_t* state = parts->call->state;
  for (int64_t i = begin; i < end; ++i) {
    const part_t part = {
        .call = parts->call,
        .low = parts->limit * i / parts->count,
        .high = parts->limit * (i + 1) / parts->count,
    };
    TN_RETURN_IF_ERROR(state->is_flat ? apply_flat(&part) : apply_windows(&part));
  }
  return TN_OK;
}

// Parts of the columns of rows, cut where lines of the cache are.
static tn_status_t apply_column_parts(int64_t begin, int64_t end, void* user) {
  const parts_t* parts = user;
  const tn_scatter_t* state = parts->call->state;
  const int64_t line = LINE_BYTES / (int64_t)state->channels[0].update_size;
  const int64_t width = state->whole[0].count, lines = tn__ceil_divide(width, line);
  const int64_t first = lines * begin / parts->count * line;
  apply_columns(parts->call, first, tn__least(width, lines * end / parts->count * line));
  return TN_OK;
}

// A thread reads all indices, but its own part of the updates and of the result alone.
static int64_t count_column_parts(const tn_scatter_t* state, const tn_pool_t* pool) {
  const int64_t lines =
      tn__ceil_divide(state->whole[0].count * (int64_t)state->channels[0].update_size, LINE_BYTES);
  if (state->update_count < PARALLEL_ELEMENTS) return 1;
  return tn__least(lines, tn__pool_thread_count(pool));
}

// Each part looks at all windows and reads its own out of order, which costs more than twice as
// much for each when they come from main memory.
static int64_t count_parts(const tn_scatter_t* state, const tn_pool_t* pool) {
  const int64_t threads = tn__pool_thread_count(pool);
  if (threads < LEAST_THREADS || state->update_count < PARALLEL_ELEMENTS) return 1;
  return state->update_count / state->position_count < LONG_WINDOW ? 1 : threads;
}

tn_status_t tn__cpu_scatter_run(const tn_kernel_call_t* call) {
  const tn_scatter_t* state = call->state;
  tn_pool_t* pool = call->context->pool;
  for (size_t k = 0; k < state->channel_count; ++k) {
    const tn_scatter_channel_t* channel = &state->channels[k];
    if (channel->input.size) {
      TN_RETURN_IF_ERROR(
          tn__copy_bytes(pool, call->results[k], call->operands[k], channel->byte_size));
    } else {
      channel->input.conversion.run(&channel->input.conversion, call->operands[k], call->results[k],
                                    (size_t)channel->element_count);
    }
  }
  const part_t whole = {call, 0, state->input_dims[state->split_dimension]};
  switch (state->form) {
    case TN_SCATTER_NOTHING: return TN_OK;
    // A body is run on one thread.
    case TN_SCATTER_BODY: return apply_windows(&whole);
    case TN_SCATTER_WRITE:
    case TN_SCATTER_BINARY: break;
  }
  if (state->is_flat && state->whole_rank == 0) {
    apply_elements(call);
    return TN_OK;
  }
  parts_t parts = {call, count_parts(state, pool), state->place_limit};
  if (state->is_flat && are_rows(state)) {
    const int64_t columns = count_column_parts(state, pool);
    if (columns >= parts.count) {
      parts.count = columns;
      return tn__pool_parallel_for(pool, columns, 1, apply_column_parts, &parts);
    }
  }
  if (!state->is_flat) parts.limit = whole.high;
  return tn__pool_parallel_for(pool, parts.count, 1, apply_parts, &parts);
}
