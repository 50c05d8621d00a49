// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "lazy/emit_random.h"

#include <string.h>

#include "base/type.h"

enum { GROUPS = 5, ROUNDS = 4 };

// Lines of one shape, which everything here has.
typedef struct tn_lines {
  tn_builder_t* builder;
  const tn_type_t* type;
} tn_lines_t;

static tn_value_t* number(const tn_lines_t* lines, uint32_t value) {
  return tn_builder_splat(lines->builder, lines->type, &value);
}

// Word `index` of each key, or NULL after a mistake.
static tn_value_t* key_word(const tn_lines_t* lines, tn_value_t* key, int64_t index) {
  int64_t starts[TN_MAX_RANK] = {0}, limits[TN_MAX_RANK], same[TN_MAX_RANK];
  const size_t rank = lines->type->rank;
  for (size_t i = 0; i < rank; ++i) {
    same[i] = (int64_t)i;
    limits[i] = lines->type->dims[i];
  }
  starts[rank - 1] = index;
  limits[rank - 1] = index + 1;
  tn_value_t* word = tn_builder_slice(lines->builder, key, starts, limits, NULL);
  return tn_builder_broadcast_in_dim(lines->builder, word, rank, lines->type->dims, same);
}

static tn_value_t* rotate(const tn_lines_t* lines, tn_value_t* x, uint32_t distance) {
  tn_builder_t* b = lines->builder;
  return tn_builder_or(b, tn_builder_shift_left(b, x, number(lines, distance)),
                       tn_builder_shift_right_logical(b, x, number(lines, 32 - distance)));
}

// Threefry of two words in twenty rounds.
static void hash(const tn_lines_t* lines, tn_value_t* const keys[3], tn_value_t* words[2]) {
  static const uint32_t rotations[2][ROUNDS] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
  tn_builder_t* b = lines->builder;
  for (int i = 0; i < 2; ++i) words[i] = tn_builder_add(b, words[i], keys[i]);
  for (uint32_t group = 0; group < GROUPS; ++group) {
    for (int round = 0; round < ROUNDS; ++round) {
      words[0] = tn_builder_add(b, words[0], words[1]);
      words[1] = tn_builder_xor(b, rotate(lines, words[1], rotations[group % 2][round]), words[0]);
    }
    words[0] = tn_builder_add(b, words[0], keys[(group + 1) % 3]);
    words[1] = tn_builder_add(b, words[1],
                              tn_builder_add(b, keys[(group + 2) % 3], number(lines, group + 1)));
  }
}

tn_value_t* tn__emit_random_words(tn_builder_t* builder, tn_value_t* key, int64_t count) {
  static const uint32_t parity = 0x1BD11BDA;
  const int64_t half = count / 2, pair_count = count - half;
  int64_t dims[TN_MAX_RANK], starts[TN_MAX_RANK] = {0};
  tn_value_t *keys[3], *words[2];
  if (!key) return NULL;
  const tn_type_t* key_type = tn_value_type(key);
  const size_t rank = key_type->rank;
  memcpy(dims, key_type->dims, rank * sizeof *dims);
  dims[rank - 1] = pair_count;
  const tn_lines_t lines = {builder, tn_builder_tensor_type(builder, TN_DTYPE_U32, rank, dims)};
  if (!lines.type) return NULL;
  for (int64_t i = 0; i < 2; ++i) keys[i] = key_word(&lines, key, i);
  keys[2] =
      tn_builder_xor(builder, tn_builder_xor(builder, keys[0], keys[1]), number(&lines, parity));
  words[0] = tn_builder_iota(builder, lines.type, (int64_t)rank - 1);
  words[1] = tn_builder_add(builder, words[0], number(&lines, (uint32_t)pair_count));
  if (half != pair_count) {  // the last one has no partner
    tn_value_t* is_last =
        tn_builder_compare(builder, words[0], number(&lines, (uint32_t)half), "EQ");
    words[1] = tn_builder_select(builder, is_last, number(&lines, 0), words[1]);
  }
  hash(&lines, keys, words);
  dims[rank - 1] = half;
  words[1] = tn_builder_slice(builder, words[1], starts, dims, NULL);
  return tn_builder_concatenate(builder, 2, words, (int64_t)rank - 1);
}
