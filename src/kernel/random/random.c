// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// The state is a key, 64 bits, and a counter, which advances by one for each block of words.
//
// Elements of 64 bits take two words each, all others one. Threefry gives two words a block. With
// one word to an element they go to the even and the odd places of one dimension: the first one of
// even size, else the first one of the largest size, as if that were one larger.
#include "kernel/random/random.h"

#include "base/integer.h"
#include "base/pool.h"
#include "kernel/common/site.h"

enum { GRAIN = 4 << 10 };

// --- generators

static uint32_t rotate(uint32_t word, unsigned bits) {
  return word << bits | word >> (32 - bits);
}

void tn__threefry(const uint32_t key[2], const uint32_t counter[2], uint32_t out_words[2]) {
  static const unsigned rotations[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
  const uint32_t keys[3] = {key[0], key[1], key[0] ^ key[1] ^ 0x1BD11BDA};
  uint32_t a = counter[0] + keys[0], b = counter[1] + keys[1];
  for (uint32_t i = 0; i < 5; ++i) {
    for (int r = 0; r < 4; ++r) {
      a += b;
      b = rotate(b, rotations[i % 2][r]) ^ a;
    }
    a += keys[(i + 1) % 3];
    b += keys[(i + 2) % 3] + i + 1;
  }
  out_words[0] = a;
  out_words[1] = b;
}

void tn__philox(const uint32_t key[2], const uint32_t counter[4], uint32_t out_words[4]) {
  uint32_t k0 = key[0], k1 = key[1];
  uint32_t a = counter[0], b = counter[1], c = counter[2], d = counter[3];
  for (int round = 0; round < 10; ++round) {
    const uint64_t p = UINT64_C(0xD2511F53) * a, q = UINT64_C(0xCD9E8D57) * c;
    a = (uint32_t)(q >> 32) ^ b ^ k0;
    b = (uint32_t)q;
    c = (uint32_t)(p >> 32) ^ d ^ k1;
    d = (uint32_t)p;
    k0 += 0x9E3779B9;
    k1 += 0xBB67AE85;
  }
  out_words[0] = a;
  out_words[1] = b;
  out_words[2] = c;
  out_words[3] = d;
}

// --- the kernel

typedef struct generator {
  bool is_threefry;
  size_t state_count;  // of 64-bit words
  tn_dtype_t dtype;
  size_t element_size;
  int64_t element_count, block_count;
  // Threefry, a word to an element: the array is [.., split, inner], `half` pairs in a line.
  int64_t split, half, inner;
} generator_t;

static void choose_split(const tn_type_t* type, generator_t* state) {
  size_t chosen = type->rank;
  for (size_t i = 0; i < type->rank && chosen == type->rank; ++i) {
    if (type->dims[i] % 2 == 0) chosen = i;
  }
  if (chosen == type->rank) {
    for (size_t i = 0; i < type->rank; ++i) {
      if (chosen == type->rank || type->dims[i] > type->dims[chosen]) chosen = i;
    }
  }
  state->split = chosen < type->rank ? type->dims[chosen] : 1;
  state->half = (state->split + 1) / 2;
  state->inner = 1;
  for (size_t i = chosen + 1; i < type->rank; ++i) state->inner *= type->dims[i];
}

tn_status_t tn__cpu_rng_bit_generator_prepare(tn_kernel_site_t* site) {
  const tn_type_t* type = tn__site_result(site, 1);
  generator_t* state;
  TN_RETURN_IF_ERROR(tn__site_state(site, sizeof *state, (void**)&state));
  const tn_attr_t* algorithm = tn__attr_find(&site->use->attrs, "rng_algorithm");
  state->is_threefry = algorithm && tn__sv_is(algorithm->string, "THREE_FRY");
  state->state_count = (size_t)tn__type_size(tn__site_operand(site, 0));
  state->dtype = type->dtype;
  state->element_size = tn_dtype_byte_size(type->dtype);
  state->element_count = tn__type_size(type);
  const bool is_wide = state->element_size == 8;
  if (state->is_threefry && !is_wide) {
    choose_split(type, state);
    const int64_t lines =
        state->element_count ? state->element_count / (state->split * state->inner) : 0;
    state->block_count = lines * state->half * state->inner;
  } else {
    const int64_t elements = state->is_threefry ? 1 : is_wide ? 2 : 4;  // of a block
    state->block_count = tn__ceil_divide(state->element_count, elements);
  }
  return TN_OK;
}

typedef struct generator_run {
  const generator_t* state;
  uint64_t key, low, high;  // the counter's halves
  char* result;
} generator_run_t;

// Narrow integers take the low bits, and fill their byte as their kind does.
static void store_word(const generator_run_t* run, int64_t element, uint32_t word) {
  const generator_t* state = run->state;
  char* target = run->result + (size_t)element * state->element_size;
  const uint32_t bits = tn_dtype_bit_width(state->dtype);
  if (bits < 8) {
    const uint8_t top = (uint8_t)(word << (8 - bits));
    const bool is_signed = tn_dtype_kind(state->dtype) == TN_KIND_SIGNED;
    *target = (char)(is_signed ? (int8_t)top >> (8 - bits) : top >> (8 - bits));
  } else if (bits == 8) {
    *target = (char)(uint8_t)word;
  } else if (bits == 16) {
    const uint16_t half = (uint16_t)word;
    memcpy(target, &half, sizeof half);
  } else {
    memcpy(target, &word, sizeof word);
  }
}

static void store_pair(const generator_run_t* run, int64_t element, const uint32_t words[2]) {
  memcpy(run->result + (size_t)element * sizeof(uint64_t), words, sizeof(uint64_t));
}

static tn_status_t run_threefry(int64_t begin, int64_t end, void* user) {
  const generator_run_t* run = user;
  const generator_t* state = run->state;
  const uint32_t key[2] = {(uint32_t)run->key, (uint32_t)(run->key >> 32)};
  for (int64_t i = begin; i < end; ++i) {
    const uint64_t count = run->low + (uint64_t)i;
    const uint32_t counter[2] = {(uint32_t)count, (uint32_t)(count >> 32)};
    uint32_t words[2];
    tn__threefry(key, counter, words);
    if (state->element_size == 8) {
      store_pair(run, i, words);
      continue;
    }
    const int64_t inner = i % state->inner, pair = i / state->inner;
    const int64_t line = pair / state->half, at = pair % state->half * 2;
    const int64_t element = (line * state->split + at) * state->inner + inner;
    store_word(run, element, words[0]);
    if (at + 1 < state->split) store_word(run, element + state->inner, words[1]);
  }
  return TN_OK;
}

static tn_status_t run_philox(int64_t begin, int64_t end, void* user) {
  const generator_run_t* run = user;
  const generator_t* state = run->state;
  const uint32_t key[2] = {(uint32_t)run->key, (uint32_t)(run->key >> 32)};
  for (int64_t i = begin; i < end; ++i) {
    const uint64_t low = run->low + (uint64_t)i;
    const uint64_t high = run->high + (low < run->low);
    const uint32_t counter[4] = {(uint32_t)low, (uint32_t)(low >> 32), (uint32_t)high,
                                 (uint32_t)(high >> 32)};
    uint32_t words[4];
    tn__philox(key, counter, words);
    if (state->element_size == 8) {
      for (int64_t k = 0; k < 2 && 2 * i + k < state->element_count; ++k) {
        store_pair(run, 2 * i + k, words + 2 * k);
      }
    } else {
      for (int64_t k = 0; k < 4 && 4 * i + k < state->element_count; ++k) {
        store_word(run, 4 * i + k, words[k]);
      }
    }
  }
  return TN_OK;
}

tn_status_t tn__cpu_rng_bit_generator_run(const tn_kernel_call_t* call) {
  const generator_t* state = call->state;
  const uint64_t* from = call->operands[0];
  generator_run_t run = {
      .state = state, .key = from[0], .low = from[1], .result = call->results[1]};
  // Philox counts in 128 bits; a state without the upper half has the key there.
  run.high = state->state_count > 2 ? from[2] : run.key;
  TN_RETURN_IF_ERROR(tn__pool_parallel_for(call->context->pool, state->block_count, GRAIN,
                                           state->is_threefry ? run_threefry : run_philox, &run));
  uint64_t* to = call->results[0];
  const uint64_t low = run.low + (uint64_t)state->block_count;
  to[0] = run.key;
  to[1] = low;
  if (state->state_count > 2) to[2] = run.high + (low < run.low);
  return TN_OK;
}
