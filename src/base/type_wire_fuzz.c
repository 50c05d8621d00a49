// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Any bytes as a serialized type: parsed, written and parsed again.
#include "base/testing_fuzz.h"
#include "base/type_wire.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  tn_arena_t arena;
  const tn_type_t *type = NULL, *again = NULL;
  tn__arena_init(&arena, tn_allocator_system());
  tn_status_t status = tn__type_parse(&arena, data, size, &type);
  size_t length = status ? 0 : tn_type_serialize(type, NULL, 0);
  if (length && length < 1 << 16) {
    unsigned char bytes[1 << 16];
    tn_type_serialize(type, bytes, sizeof bytes);
    tn_status_t second = tn__type_parse(&arena, bytes, length, &again);
    if (second || !tn_type_equal(type, again)) __builtin_trap();
  }
  tn_status_release(status);
  tn__arena_deinit(&arena);
  return 0;
}
