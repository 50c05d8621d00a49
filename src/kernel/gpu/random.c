// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// rng_bit_generator: an item for each block of words, as kernel/random/random.c computes them.
#include "base/integer.h"
#include "base/type.h"
#include "kernel/gpu/source.h"

#define CODE(...) #__VA_ARGS__ "\n"

// clang-format off
static const char threefry[] =
    CODE(TN_FN uint tn_rotate(uint word, uint bits) { return word << bits | word >> (32 - bits); })
    CODE(TN_FN void tn_words(ulong key, ulong low, ulong high, uint* words) {
      const uint k0 = (uint)key;
      const uint k1 = (uint)(key >> 32);
      const uint k2 = k0 ^ k1 ^ 0x1BD11BDA;
      uint a = (uint)low + k0;
      uint b = (uint)(low >> 32) + k1;
      for (uint i = 0; i < 5; ++i) {
        const uint next = i % 3 == 0 ? k1 : i % 3 == 1 ? k2 : k0;
        const uint last = i % 3 == 0 ? k2 : i % 3 == 1 ? k0 : k1;
        a += b; b = tn_rotate(b, i % 2 ? 17 : 13) ^ a;
        a += b; b = tn_rotate(b, i % 2 ? 29 : 15) ^ a;
        a += b; b = tn_rotate(b, i % 2 ? 16 : 26) ^ a;
        a += b; b = tn_rotate(b, i % 2 ? 24 : 6) ^ a;
        a += next;
        b += last + i + 1;
      }
      words[0] = a;
      words[1] = b;
    });

static const char philox[] =
    CODE(TN_FN void tn_words(ulong key, ulong low, ulong high, uint* words) {
      uint k0 = (uint)key;
      uint k1 = (uint)(key >> 32);
      uint a = (uint)low;
      uint b = (uint)(low >> 32);
      uint c = (uint)high;
      uint d = (uint)(high >> 32);
      for (int round = 0; round < 10; ++round) {
        const ulong p = (ulong)0xD2511F53 * a;
        const ulong q = (ulong)0xCD9E8D57 * c;
        a = (uint)(q >> 32) ^ b ^ k0;
        b = (uint)q;
        c = (uint)(p >> 32) ^ d ^ k1;
        d = (uint)p;
        k0 += 0x9E3779B9;
        k1 += 0xBB67AE85;
      }
      words[0] = a;
      words[1] = b;
      words[2] = c;
      words[3] = d;
    });
// clang-format on
#undef CODE

bool tn__gpu_random_supports(const tn_op_use_t* use) {
  return tn__gpu_know_types(use) && use->result_types[1]->dtype != TN_DTYPE_PRED;
}

// Writes elements `first`, `first` + 1... of what a block has: `count` of them, of the array.
static void add_stores(tn_gpu_source_t* source, const char* type, bool is_wide, int count) {
  const size_t size = source->number_count - 1;
  for (int k = 0; k < count; ++k) {
    tn__gpu_add(&source->body, "  if (i * %d + %d < n(%zu)) y1[i * %d + %d] = ", count, k, size,
                count, k);
    if (is_wide) {
      tn__gpu_add(&source->body, "(ulong)words[%d] | (ulong)words[%d] << 32;\n", 2 * k, 2 * k + 1);
    } else {
      tn__gpu_add(&source->body, "(%s)words[%d];\n", type, k);
    }
  }
}

// The dimension whose even and odd places Threefry's two words go to: the first one of even size,
// else the first one of the largest size. The rank: there is none.
static size_t split_dimension(const tn_type_t* type) {
  size_t largest = 0;
  for (size_t d = 0; d < type->rank; ++d) {
    if (type->dims[d] % 2 == 0) return d;
    if (type->dims[d] > type->dims[largest]) largest = d;
  }
  return largest;
}

typedef struct split {
  int64_t length, half, inner, block_count;
} split_t;

static split_t split_of(const tn_type_t* type) {
  const size_t d = split_dimension(type);
  split_t split = {.length = type->rank ? type->dims[d] : 1, .inner = 1};
  for (size_t k = d + 1; k < type->rank; ++k) split.inner *= type->dims[k];
  split.half = (split.length + 1) / 2;
  const int64_t count = tn__type_size(type);
  split.block_count = count ? count / split.length * split.half : 0;
  return split;
}

static void add_split_stores(tn_gpu_source_t* source, const char* type, const split_t* split) {
  const size_t length = tn__gpu_add_number(source, split->length);
  const size_t half = tn__gpu_add_number(source, split->half);
  const size_t inner = tn__gpu_add_number(source, split->inner);
  tn__gpu_add(&source->body,
              "  const long pair = i / n(%zu), at = pair %% n(%zu) * 2;\n"
              "  const long to = (pair / n(%zu) * n(%zu) + at) * n(%zu) + i %% n(%zu);\n"
              "  y1[to] = (%s)words[0];\n"
              "  if (at + 1 < n(%zu)) y1[to + n(%zu)] = (%s)words[1];\n",
              inner, half, half, length, inner, inner, type, length, inner, type);
}

tn_status_t tn__gpu_random_prepare(tn_kernel_site_t* site) {
  const tn_op_use_t* use = site->use;
  const tn_type_t* type = use->result_types[1];
  const tn_attr_t* algorithm = tn__attr_find(&use->attrs, "rng_algorithm");
  const bool is_threefry = algorithm && tn__sv_is(algorithm->string, "THREE_FRY");
  const bool is_wide = tn_dtype_byte_size(type->dtype) == 8;
  const bool has_high = tn__type_size(use->operand_types[0]) > 2;
  const split_t split = split_of(type);
  const int per_block = is_threefry ? 1 : is_wide ? 2 : 4;
  const int64_t block_count =
      is_threefry && !is_wide ? split.block_count : tn__ceil_divide(tn__type_size(type), per_block);
  tn_gpu_source_t source;
  tn__gpu_begin(&source, site->arena, block_count ? block_count : 1);
  tn__gpu_add(&source.functions, "%s", is_threefry ? threefry : philox);
  tn__gpu_add_address(&source, 0, 0, "ulong");
  tn__gpu_add_output(&source, TN_GPU_RESULT(0), 0, "ulong");
  tn__gpu_add_output(&source, TN_GPU_RESULT(1), 0, tn__gpu_bits_of(type));
  const size_t blocks = tn__gpu_add_number(&source, block_count);
  // A state without the counter's upper half has the key there.
  tn__gpu_add(&source.body,
              "  const ulong key = x0[0], first = x0[1], upper = x0[%d];\n"
              "  if (i == 0) {\n"
              "    const ulong next = first + (ulong)n(%zu);\n"
              "    y0[0] = key;\n    y0[1] = next;\n",
              has_high ? 2 : 0, blocks);
  if (has_high) {
    tn__gpu_add(&source.body, "    y0[2] = upper + (next < first ? 1 : 0);\n");
  }
  tn__gpu_add(&source.body,
              "  }\n  if (n(%zu) == 0) return;\n"
              "  const ulong low = first + (ulong)i;\n"
              "  uint words[4];\n"
              "  tn_words(key, low, upper + (low < first ? 1 : 0), words);\n",
              blocks);
  if (is_threefry && !is_wide) {
    add_split_stores(&source, tn__gpu_bits_of(type), &split);
  } else {
    tn__gpu_add_number(&source, tn__type_size(type));
    add_stores(&source, tn__gpu_bits_of(type), is_wide, per_block);
  }
  return tn__gpu_finish_one(site, &source);
}
