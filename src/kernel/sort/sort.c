// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// A line is sorted by its indices, and then each operand is permuted. Known orders become whole
// numbers and go through a quicksort by vectors or a radix sort; a comparator that is not known
// runs as it is in a merge sort.
#include "kernel/sort/sort.h"

#include <stdatomic.h>

#include "base/pool.h"
#include "kernel/common/body.h"
#include "kernel/common/site.h"
#include "kernel/sort/quick.h"
#include "kernel/sort/radix.h"
#include "kernel/sort/sort_key.h"

enum {
  SLOT_LIMIT = 16,
  GRAIN = 1 << 12,
  // A line of so many elements is cut into 2^PIECE_LEVELS pieces.
  LEAST_LONG = 1 << 15,
  PIECE_LEVELS = 3,
  PIECES = 1 << PIECE_LEVELS,
};

typedef enum sort_form {
  SORT_COPY,     // lines of at most one element
  SORT_VALUES,   // one operand, by its own value: the keys are enough, as a rule
  SORT_NARROW,   // keys up to 32 bits, in one word with the index
  SORT_WIDE,     // other known orders
  SORT_COMPARE,  // through the comparator
} sort_form_t;

typedef struct sort {
  sort_form_t form;
  size_t operand_count;
  const size_t* element_sizes;
  int64_t length, inner, line_count;  // of a line; elements between its neighbours; lines
  int64_t element_count;
  size_t key_count;
  const tn_key_map_t* maps;
  const uint32_t* key_operands;
  // Of VALUES of 32 or 64 bits, and NARROW ones with one key of 32. NULL: they are not sorted so.
  tn_quick_t* quick;
  tn_key_map_t signed_map;  // that of the key, giving signed numbers
  int64_t slots;
  size_t slot_byte_size;
} sort_t;

// --- preparing

static tn_status_t read_keys(tn_kernel_site_t* site, sort_t* state, bool* out_is_known,
                             int* out_bit_count) {
  const tn_body_shape_t* shape = &site->bodies[0];
  *out_is_known = false;
  *out_bit_count = 0;
  if (shape->key_count == 0) return TN_OK;
  tn_key_map_t* maps;
  uint32_t* operands;
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(site->arena, shape->key_count, &maps));
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(site->arena, shape->key_count, &operands));
  for (size_t i = 0; i < shape->key_count; ++i) {
    const tn_sort_key_t* key = &shape->keys[i];
    if (!tn__key_map(key, tn__site_operand(site, key->operand)->dtype, &maps[i])) return TN_OK;
    if (maps[i].bit_count > *out_bit_count) *out_bit_count = maps[i].bit_count;
    operands[i] = key->operand;
  }
  state->maps = maps;
  state->key_operands = operands;
  state->key_count = shape->key_count;
  *out_is_known = true;
  return TN_OK;
}

static tn_status_t prepare_quick(tn_kernel_site_t* site, sort_t* state, int bit_count) {
  tn_quick_t* quick;
  const bool is_one = state->key_count == 1;
  if (!(state->form == SORT_VALUES && bit_count >= 32) &&
      !(state->form == SORT_NARROW && is_one && bit_count == 32)) {
    return TN_OK;
  }
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(site->arena, 1, &quick));
  if (!tn__quick_init(quick)) return TN_OK;
  state->quick = quick;
  state->signed_map = state->maps[0];
  state->signed_map.flip ^= UINT64_C(1) << (bit_count - 1);
  return TN_OK;
}

static size_t spare_byte_size(const sort_t* state) {
  const size_t length = (size_t)state->length;
  switch (state->form) {
    case SORT_COPY: return 0;
    case SORT_WIDE: return 2 * length * sizeof(tn_wide_pair_t);
    default: return 2 * length * sizeof(uint64_t);
  }
}

tn_status_t tn__cpu_sort_prepare(tn_kernel_site_t* site) {
  const tn_type_t* type = tn__site_operand(site, 0);
  int64_t dimension = tn__attr_get_integer(&site->use->attrs, "dimension", -1);
  if (dimension < 0) dimension += (int64_t)type->rank;
  sort_t* state;
  TN_RETURN_IF_ERROR(tn__site_state(site, sizeof *state, (void**)&state));
  const size_t count = site->use->operand_count;
  size_t* sizes;
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(site->arena, count, &sizes));
  for (size_t i = 0; i < count; ++i)
    sizes[i] = tn_dtype_byte_size(tn__site_operand(site, i)->dtype);
  state->element_sizes = sizes;
  state->operand_count = count;
  state->element_count = tn__type_size(type);
  state->length = type->rank ? type->dims[dimension] : 1;
  if (state->length <= 1 || state->element_count == 0) return TN_OK;
  state->inner = 1;
  for (size_t i = (size_t)dimension + 1; i < type->rank; ++i) state->inner *= type->dims[i];
  state->line_count = state->element_count / state->length;
  bool is_known;
  int bit_count;
  TN_RETURN_IF_ERROR(read_keys(site, state, &is_known, &bit_count));
  if (!is_known || state->length > TN_RADIX_COUNT_LIMIT) {
    state->form = SORT_COMPARE;
  } else if (count == 1 && state->key_count == 1) {
    state->form = SORT_VALUES;
  } else {
    state->form = bit_count <= 32 ? SORT_NARROW : SORT_WIDE;
  }
  // What VALUES falls back to when the values are not enough.
  if (state->form == SORT_VALUES && bit_count > 32) {
    state->slot_byte_size = 2 * (size_t)state->length * sizeof(tn_wide_pair_t);
  } else {
    state->slot_byte_size = spare_byte_size(state);
  }
  TN_RETURN_IF_ERROR(prepare_quick(site, state, bit_count));
  state->slot_byte_size = (state->slot_byte_size + 63) / 64 * 64;
  state->slots = 1;
  if (state->form != SORT_COMPARE) {
    state->slots = state->line_count < SLOT_LIMIT ? state->line_count : SLOT_LIMIT;
  }
  site->scratch_byte_size = state->slot_byte_size * (size_t)state->slots;
  return TN_OK;
}

// --- one line

typedef struct line {
  const sort_t* state;
  const tn_kernel_call_t* call;
  int64_t first;  // its first element
  char* spare;
} line_t;

static const char* element_at(const line_t* line, size_t operand, int64_t index) {
  const sort_t* state = line->state;
  return (const char*)line->call->operands[operand] +
         (size_t)(line->first + index * state->inner) * state->element_sizes[operand];
}

// Writes results [begin, end) in the order of the indices, which are `step` words apart in the low
// bits.
static void permute(const line_t* line, int64_t begin, int64_t end, const uint64_t* indices,
                    size_t step, uint64_t mask) {
  const sort_t* state = line->state;
  for (size_t k = 0; k < state->operand_count; ++k) {
    const size_t size = state->element_sizes[k];
    char* target = (char*)line->call->results[k] + (size_t)line->first * size;
    for (int64_t i = begin; i < end; ++i) {
      const int64_t index = (int64_t)(indices[(size_t)i * step] & mask);
      tn__element_copy(size, target + (size_t)(i * state->inner) * size,
                       element_at(line, k, index));
    }
  }
}

static void sort_narrow(const line_t* line) {
  const sort_t* state = line->state;
  uint64_t* pairs = (uint64_t*)(void*)line->spare;
  uint64_t* spare = pairs + state->length;
  for (size_t k = state->key_count; k-- > 0;) {
    const tn_key_map_t* map = &state->maps[k];
    const bool is_first = k + 1 == state->key_count;
    for (int64_t i = 0; i < state->length; ++i) {
      const uint64_t index = is_first ? (uint64_t)i : pairs[i] & UINT32_MAX;
      const char* element = element_at(line, state->key_operands[k], (int64_t)index);
      pairs[i] = tn__key_of(map, element) << 32 | index;
    }
    uint64_t* sorted = tn__radix_sort_u64(pairs, spare, state->length, 32, map->bit_count);
    spare = sorted == pairs ? spare : pairs;
    pairs = sorted;
  }
  permute(line, 0, state->length, pairs, 1, UINT32_MAX);
}

static void sort_wide(const line_t* line) {
  const sort_t* state = line->state;
  tn_wide_pair_t* pairs = (tn_wide_pair_t*)(void*)line->spare;
  tn_wide_pair_t* spare = pairs + state->length;
  for (size_t k = state->key_count; k-- > 0;) {
    const tn_key_map_t* map = &state->maps[k];
    const bool is_first = k + 1 == state->key_count;
    for (int64_t i = 0; i < state->length; ++i) {
      const uint64_t index = is_first ? (uint64_t)i : pairs[i].index;
      const char* element = element_at(line, state->key_operands[k], (int64_t)index);
      pairs[i] = (tn_wide_pair_t){tn__key_of(map, element), index};
    }
    tn_wide_pair_t* sorted = tn__radix_sort_pairs(pairs, spare, state->length, 0, map->bit_count);
    spare = sorted == pairs ? spare : pairs;
    pairs = sorted;
  }
  permute(line, 0, state->length, &pairs[0].index, sizeof *pairs / sizeof(uint64_t), UINT64_MAX);
}

// --- by quicksort, in parts of a line

// What is sorted, in the line's spare memory.
typedef enum quick_form {
  QUICK_NARROW,  // keys of 32 bits
  QUICK_WIDE,    // of 64
  QUICK_PAIRS,   // keys of 32 bits above indices
} quick_form_t;

static quick_form_t quick_form(const sort_t* state) {
  if (state->form == SORT_NARROW) return QUICK_PAIRS;
  return state->signed_map.bit_count == 64 ? QUICK_WIDE : QUICK_NARROW;
}

static int64_t step_of(const sort_t* state, size_t operand) {
  return state->inner * (int64_t)state->element_sizes[operand];
}

// False: the keys do not tell all elements apart that differ.
static bool fill_part(const line_t* line, quick_form_t form, int64_t begin, int64_t end) {
  const sort_t* state = line->state;
  const uint32_t operand = state->key_operands[0];
  uint64_t* wide = (uint64_t*)(void*)line->spare;
  // Of pairs, behind them.
  uint32_t* narrow = (uint32_t*)(void*)line->spare + (form == QUICK_PAIRS ? 2 * state->length : 0);
  const bool is_unique =
      tn__key_fill(&state->signed_map, element_at(line, operand, begin), step_of(state, operand),
                   end - begin, narrow + begin, wide + begin);
  if (form != QUICK_PAIRS) return is_unique;
  for (int64_t i = begin; i < end; ++i) wide[i] = (uint64_t)narrow[i] << 32 | (uint64_t)i;
  return true;
}

static void sort_part(const line_t* line, quick_form_t form, int64_t begin, int64_t end) {
  const tn_quick_t* quick = line->state->quick;
  if (form == QUICK_NARROW) {
    tn__quick_sort_s32(quick, (int32_t*)(void*)line->spare + begin, end - begin, TN_QUICK_DEEPEST);
  } else {
    tn__quick_sort_s64(quick, (int64_t*)(void*)line->spare + begin, end - begin, TN_QUICK_DEEPEST);
  }
}

// Writes the results of a sorted part.
static void restore_part(const line_t* line, quick_form_t form, int64_t begin, int64_t end) {
  const sort_t* state = line->state;
  const uint64_t* wide = (const uint64_t*)(const void*)line->spare;
  const uint32_t* narrow = (const uint32_t*)(const void*)line->spare;
  if (form == QUICK_PAIRS) {
    permute(line, begin, end, wide, 1, UINT32_MAX);
    return;
  }
  char* result = (char*)line->call->results[0] + (size_t)line->first * state->element_sizes[0];
  tn__key_restore(&state->signed_map, narrow + begin, wide + begin, end - begin,
                  result + begin * step_of(state, 0), step_of(state, 0));
}

// False: keys of 64 bits were not enough, and nothing has been written.
static bool sort_quickly(const line_t* line) {
  const int64_t length = line->state->length;
  quick_form_t form = quick_form(line->state);
  if (!fill_part(line, form, 0, length)) {
    if (form == QUICK_WIDE) return false;
    form = QUICK_PAIRS;
    fill_part(line, form, 0, length);
  }
  sort_part(line, form, 0, length);
  restore_part(line, form, 0, length);
  return true;
}

// --- a long line, by all threads

typedef struct long_line {
  line_t line;
  quick_form_t form;
  atomic_bool is_ambiguous;
  int64_t bounds[PIECES + 1];
} long_line_t;

static tn_status_t fill_range(int64_t begin, int64_t end, void* user) {
  long_line_t* run = user;
  if (!fill_part(&run->line, run->form, begin, end)) run->is_ambiguous = true;
  return TN_OK;
}

static tn_status_t sort_pieces(int64_t begin, int64_t end, void* user) {
  const long_line_t* run = user;
  for (int64_t i = begin; i < end; ++i) {
    sort_part(&run->line, run->form, run->bounds[i], run->bounds[i + 1]);
    restore_part(&run->line, run->form, run->bounds[i], run->bounds[i + 1]);
  }
  return TN_OK;
}

// `out_done`: as sort_quickly.
static tn_status_t sort_long_line(const tn_kernel_call_t* call, bool* out_done) {
  const sort_t* state = call->state;
  tn_pool_t* pool = call->context->pool;
  long_line_t run = {.line = {.state = state, .call = call, .spare = call->scratch},
                     .form = quick_form(state)};
  const int64_t grain = state->length / PIECES;
  TN_RETURN_IF_ERROR(tn__pool_parallel_for(pool, state->length, grain, fill_range, &run));
  *out_done = !run.is_ambiguous || run.form == QUICK_NARROW;
  if (!*out_done) return TN_OK;
  if (run.is_ambiguous) {
    run.form = QUICK_PAIRS;
    TN_RETURN_IF_ERROR(tn__pool_parallel_for(pool, state->length, grain, fill_range, &run));
  }
  if (run.form == QUICK_NARROW) {
    tn__quick_split_s32(state->quick, call->scratch, state->length, PIECE_LEVELS, run.bounds);
  } else {
    tn__quick_split_s64(state->quick, call->scratch, state->length, PIECE_LEVELS, run.bounds);
  }
  return tn__pool_parallel_for(pool, PIECES, 1, sort_pieces, &run);
}

// --- by radix sorts

static void sort_values(const line_t* line) {
  const sort_t* state = line->state;
  const tn_key_map_t* map = &state->maps[0];
  const int64_t length = state->length, step = step_of(state, 0);
  uint32_t* narrow = (uint32_t*)(void*)line->spare;
  uint64_t* wide = (uint64_t*)(void*)line->spare;
  if (!tn__key_fill(map, element_at(line, 0, 0), step, length, narrow, wide)) {
    if (map->bit_count <= 32) {
      sort_narrow(line);
    } else {
      sort_wide(line);
    }
    return;
  }
  if (map->bit_count <= 32) {
    narrow = tn__radix_sort_u32(narrow, narrow + length, length, 0, map->bit_count);
  } else {
    wide = tn__radix_sort_u64(wide, wide + length, length, 0, map->bit_count);
  }
  char* result = (char*)line->call->results[0] + (size_t)line->first * state->element_sizes[0];
  tn__key_restore(map, narrow, wide, length, result, step);
}

// --- through the comparator

static void load_argument(const line_t* line, size_t side, int64_t index) {
  const tn_body_t* body = &line->call->bodies[0];
  for (size_t k = 0; k < line->state->operand_count; ++k) {
    tn__element_copy(line->state->element_sizes[k], body->arguments[2 * k + side],
                     element_at(line, k, index));
  }
}

// Whether element `a` comes before element `b`. Of the arguments of an earlier run nothing may be
// left: the comparator computes in their places.
static tn_status_t compare(const line_t* line, int64_t a, int64_t b, bool* out_before) {
  const tn_body_t* body = &line->call->bodies[0];
  load_argument(line, 0, a);
  load_argument(line, 1, b);
  TN_RETURN_IF_ERROR(body->run(body));
  *out_before = *(const uint8_t*)body->results[0] != 0;
  return TN_OK;
}

// Merges [begin, middle) and [middle, end) of `from` into `to`.
static tn_status_t merge(const line_t* line, const uint64_t* from, uint64_t* to, int64_t begin,
                         int64_t middle, int64_t end) {
  int64_t left = begin, right = middle, at = begin;
  while (left < middle && right < end) {
    bool before;
    TN_RETURN_IF_ERROR(compare(line, (int64_t)from[right], (int64_t)from[left], &before));
    to[at++] = before ? from[right++] : from[left++];
  }
  while (left < middle) to[at++] = from[left++];
  while (right < end) to[at++] = from[right++];
  return TN_OK;
}

static tn_status_t sort_by_comparator(const line_t* line) {
  const int64_t length = line->state->length;
  uint64_t* indices = (uint64_t*)(void*)line->spare;
  uint64_t* spare = indices + length;
  for (int64_t i = 0; i < length; ++i) indices[i] = (uint64_t)i;
  for (int64_t run = 1; run < length; run *= 2) {
    for (int64_t begin = 0; begin < length; begin += 2 * run) {
      const int64_t middle = begin + run < length ? begin + run : length;
      const int64_t end = begin + 2 * run < length ? begin + 2 * run : length;
      TN_RETURN_IF_ERROR(merge(line, indices, spare, begin, middle, end));
    }
    uint64_t* kept = indices;
    indices = spare;
    spare = kept;
  }
  permute(line, 0, length, indices, 1, UINT64_MAX);
  return TN_OK;
}

// --- all lines

static tn_status_t sort_slots(int64_t begin, int64_t end, void* user) {
  const tn_kernel_call_t* call = user;
  const sort_t* state = call->state;
  for (int64_t slot = begin; slot < end; ++slot) {
    const int64_t from = state->line_count * slot / state->slots;
    const int64_t to = state->line_count * (slot + 1) / state->slots;
    line_t line = {.state = state,
                   .call = call,
                   .spare = (char*)call->scratch + (size_t)slot * state->slot_byte_size};
    for (int64_t i = from; i < to; ++i) {
      line.first = i / state->inner * state->length * state->inner + i % state->inner;
      if (state->quick) {
        if (!sort_quickly(&line)) sort_wide(&line);
        continue;
      }
      switch (state->form) {
        case SORT_VALUES: sort_values(&line); break;
        case SORT_NARROW: sort_narrow(&line); break;
        case SORT_WIDE: sort_wide(&line); break;
        default: TN_RETURN_IF_ERROR(sort_by_comparator(&line)); break;
      }
    }
  }
  return TN_OK;
}

tn_status_t tn__cpu_sort_run(const tn_kernel_call_t* call) {
  const sort_t* state = call->state;
  if (state->form == SORT_COPY) {
    for (size_t k = 0; k < state->operand_count; ++k) {
      const size_t length = (size_t)state->element_count * state->element_sizes[k];
      if (length) memcpy(call->results[k], call->operands[k], length);
    }
    return TN_OK;
  }
  if (state->quick && state->line_count == 1 && state->length >= LEAST_LONG) {
    bool is_done = false;
    TN_RETURN_IF_ERROR(sort_long_line(call, &is_done));
    if (is_done) return TN_OK;
  }
  // A comparator is not to be run by two threads.
  const bool is_small = state->form == SORT_COMPARE || state->element_count < GRAIN;
  return tn__pool_parallel_for(is_small ? NULL : call->context->pool, state->slots, 1, sort_slots,
                               (void*)(uintptr_t)call);
}
