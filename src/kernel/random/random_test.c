// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "kernel/random/random.h"

#include "kernel/testing_kernel.h"

static void generators_give_the_published_answers(void** state) {
  (void)state;
  uint32_t words[4];
  tn__threefry((uint32_t[]){0, 0}, (uint32_t[]){0, 0}, words);
  assert_memory_equal(words, ((uint32_t[]){0x6b200159, 0x99ba4efe}), 8);
  tn__threefry((uint32_t[]){0x13198a2e, 0x03707344}, (uint32_t[]){0x243f6a88, 0x85a308d3}, words);
  assert_memory_equal(words, ((uint32_t[]){0xc4923a9c, 0x483df7a0}), 8);
  tn__philox((uint32_t[]){0, 0}, (uint32_t[]){0, 0, 0, 0}, words);
  assert_memory_equal(words, ((uint32_t[]){0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}), 16);
  tn__philox((uint32_t[]){0xa4093822, 0x299f31d0},
             (uint32_t[]){0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, words);
  assert_memory_equal(words, ((uint32_t[]){0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}), 16);
}

static void begin_case(tn_case_t* c, const char* algorithm, size_t state_count,
                       const uint64_t* initial, tn_dtype_t dtype, size_t rank,
                       const int64_t* dims) {
  tn__case_begin(c, "stablehlo.rng_bit_generator");
  tn__case_operand(c, TN_DTYPE_U64, TN_DIMS((int64_t)state_count), initial);
  tn__case_enum(c, "rng_algorithm", "rng_algorithm", algorithm);
  tn__case_result(c, TN_DTYPE_U64, TN_DIMS((int64_t)state_count));
  tn__case_result(c, dtype, rank, dims);
}

static uint64_t hash_of(const void* data, size_t length) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (size_t i = 0; i < length; ++i) hash = (hash ^ ((const uint8_t*)data)[i]) * 0x100000001b3u;
  return hash;
}

// Counters and hashes (FNV-1a) of what XLA's CPU gives for the state 0x123456789abcdef0,
// 0xfffffffffffffffe.
static void bits_are_those_of_xla(void** state) {
  (void)state;
  static const struct {
    const char* algorithm;
    tn_dtype_t dtype;
    size_t rank;
    int64_t dims[3];
    uint64_t counter, hash;
  } cases[] = {
      {"THREE_FRY", TN_DTYPE_U32, 2, {3, 5}, 0x7, 0x1153f852b0f1eca7},
      {"THREE_FRY", TN_DTYPE_U32, 2, {4, 6}, 0xa, 0xc098cea2ff9ce2fa},
      {"THREE_FRY", TN_DTYPE_U64, 1, {5}, 0x3, 0xd4b5fbfca44a97d2},
      {"THREE_FRY", TN_DTYPE_U8, 3, {1, 7, 3}, 0xa, 0xe6607a9b643cdcd9},
      {"THREE_FRY", TN_DTYPE_S16, 2, {5, 5}, 0xd, 0x658644bc00323020},
      {"THREE_FRY", TN_DTYPE_U32, 0, {0}, 0xffffffffffffffff, 0xec0412623a5b6bf8},
      {"PHILOX", TN_DTYPE_U32, 2, {3, 5}, 0x2, 0x63f3079efa853d58},
      {"PHILOX", TN_DTYPE_U32, 2, {4, 6}, 0x4, 0xf31d846e88984efc},
      {"PHILOX", TN_DTYPE_U64, 1, {5}, 0x1, 0xf928ad2395c14d0e},
      {"PHILOX", TN_DTYPE_U8, 3, {1, 7, 3}, 0x4, 0xcfd42ca9df8bda49},
      {"DEFAULT", TN_DTYPE_S16, 2, {5, 5}, 0x5, 0x993233689b58f67c},
      {"PHILOX", TN_DTYPE_U32, 0, {0}, 0xffffffffffffffff, 0x984871638b1d7ad1},
  };
  const uint64_t initial[] = {0x123456789abcdef0, 0xfffffffffffffffe};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    tn_case_t c;
    begin_case(&c, cases[i].algorithm, 2, initial, cases[i].dtype, cases[i].rank, cases[i].dims);
    TN_ASSERT_OK(tn__case_run(&c));
    TN_ASSERT_RESULT(&c, uint64_t, initial[0], cases[i].counter);
    const uint64_t hash = hash_of(c.results[1], tn__type_byte_size(c.result_types[1]));
    if (hash != cases[i].hash) fail_msg("case %zu", i);
    tn__case_end(&c);
  }
}

static void philox_counts_in_128_bits(void** state) {
  (void)state;
  const uint64_t initial[] = {0x123456789abcdef0, 0xfffffffffffffffe, 0xffffffffffffffff};
  tn_case_t c;
  begin_case(&c, "PHILOX", 3, initial, TN_DTYPE_U32, TN_DIMS(9));
  TN_ASSERT_OK(tn__case_run(&c));
  TN_ASSERT_RESULT(&c, uint64_t, initial[0], 1, 0);
  assert_memory_equal(c.results[1],
                      ((uint32_t[]){0x20a61587, 0x82434c02, 0x68d16845, 0xed2e39e5, 0x477113dc,
                                    0xd9e948e4, 0x6e86f215, 0xb10c2e69, 0x092c9b44}),
                      36);
  tn__case_end(&c);
}

static void narrow_integers_fill_their_byte(void** state) {
  (void)state;
  tn_case_t c;
  begin_case(&c, "THREE_FRY", 2, (uint64_t[]){1, 2}, TN_DTYPE_S4, TN_DIMS(5));
  TN_ASSERT_OK(tn__case_run(&c));
  assert_memory_equal(c.results[1], ((int8_t[]){4, 11 - 16, 3, 3, 3}), 5);
  tn__case_end(&c);
}

static void nothing_generated_leaves_the_state(void** state) {
  (void)state;
  static const int64_t shapes[][2] = {{3, 0}, {0, 3}};
  for (size_t i = 0; i < 2; ++i) {
    tn_case_t c;
    begin_case(&c, "THREE_FRY", 2, (uint64_t[]){1, 2}, TN_DTYPE_U32, 2, shapes[i]);
    TN_ASSERT_OK(tn__case_run(&c));
    TN_ASSERT_RESULT(&c, uint64_t, 1, 2);
    tn__case_end(&c);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(generators_give_the_published_answers),
      cmocka_unit_test(bits_are_those_of_xla),
      cmocka_unit_test(philox_counts_in_128_bits),
      cmocka_unit_test(narrow_integers_fill_their_byte),
      cmocka_unit_test(nothing_generated_leaves_the_state),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
