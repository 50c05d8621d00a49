// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Random words as mlx.core.random draws them: a key is hashed with counters in pairs. The first
// half of a line of words comes of the first words of the pairs, the rest of the second ones; of an
// odd number the last pair has no second.
#include "base/pool.h"
#include "call/site.h"
#include "kernel/random/random.h"

enum { GRAIN = 4 << 10 };

typedef struct random_words {
  int64_t line_count, word_count;  // of a line
} random_words_t;

static bool are_words(const tn_type_t* type) {
  return tn__type_is_tensor(type) && type->dtype == TN_DTYPE_U32 && type->rank > 0;
}

static tn_status_t prepare(const tn_call_site_t* call) {
  void* memory = NULL;
  bool fits = call->operand_count == 1 && call->result_count == 1 && are_words(call->operands[0]) &&
              are_words(call->results[0]) && call->operands[0]->rank == call->results[0]->rank;
  const size_t batch_rank = fits ? call->results[0]->rank - 1 : 0;
  int64_t line_count = 1;
  fits = fits && call->operands[0]->dims[batch_rank] == 2;
  for (size_t i = 0; fits && i < batch_rank; ++i) {
    fits = call->operands[0]->dims[i] == call->results[0]->dims[i];
    line_count *= call->results[0]->dims[i];
  }
  if (!fits) {
    return tn_status_create(TN_CODE_INVALID_ARGUMENT,
                            "takes keys of two words each, and gives a line of words for each key, "
                            "all of them ui32");
  }
  TN_RETURN_IF_ERROR(tn__arena_allocate(call->site->arena, sizeof(random_words_t), &memory));
  *(random_words_t*)memory = (random_words_t){line_count, call->results[0]->dims[batch_rank]};
  call->site->state = memory;
  return TN_OK;
}

tn_status_t tn__random_words_prepare(tn_kernel_site_t* site) {
  tn_call_site_t call;
  TN_RETURN_IF_ERROR(tn__call_site_read(site, &call));
  return tn_status_prefix(prepare(&call), "custom call @%s", TN_NAME_TEXT(call.name));
}

typedef struct random_run {
  const random_words_t* words;
  const uint32_t* keys;
  uint32_t* result;
} random_run_t;

static tn_status_t draw(int64_t begin, int64_t end, void* user) {
  const random_run_t* run = user;
  const int64_t count = run->words->word_count, half = count / 2, pair_count = count - half;
  for (int64_t i = begin; i < end; ++i) {
    const int64_t line = i / pair_count, pair = i % pair_count;
    const uint32_t counters[2] = {(uint32_t)pair, pair < half ? (uint32_t)(pair + pair_count) : 0};
    uint32_t words[2];
    tn__threefry(run->keys + 2 * line, counters, words);
    uint32_t* target = run->result + line * count + pair;
    target[0] = words[0];
    if (pair < half) target[pair_count] = words[1];
  }
  return TN_OK;
}

tn_status_t tn__random_words_run(const tn_kernel_call_t* call) {
  const random_words_t* words = call->state;
  random_run_t run = {words, call->operands[0], call->results[0]};
  return tn__pool_parallel_for(call->context->pool,
                               words->line_count * (words->word_count - words->word_count / 2),
                               GRAIN, draw, &run);
}
