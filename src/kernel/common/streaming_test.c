// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "kernel/common/streaming.h"

#include "base/testing.h"

static void streamed_bytes_are_those_of_memcpy(void** state) {
  (void)state;
  _Alignas(64) unsigned char source[400], target[400], expected[400];
  for (size_t i = 0; i < sizeof source; ++i) source[i] = (unsigned char)(i * 7 + 1);
  for (size_t to = 0; to < 32; ++to) {
    for (size_t length = 0; length < 300; ++length) {
      memset(target, 0, sizeof target);
      memset(expected, 0, sizeof expected);
      tn__stream_bytes(target + to, source + length % 17, length);
      tn__stream_end();
      memcpy(expected + to, source + length % 17, length);
      assert_memory_equal(target, expected, sizeof target);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(streamed_bytes_are_those_of_memcpy),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
