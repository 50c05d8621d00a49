// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Any bytes as a serialised type, read by the parser of <tenon/custom.h>: what it gives is in
// order, and it agrees with the runtime's own parser about what the runtime writes.
#include <stdlib.h>
#include <tenon/custom.h>

#include "base/testing_fuzz.h"
#include "base/type.h"
#include "base/type_wire.h"

enum { CAPACITY = 64 };

static void require(bool condition) {
  if (!condition) __builtin_trap();
}

static void check_part(const tn_shape_t* part) {
  require(part->rank >= 0 && part->rank <= TN_SHAPE_RANK_LIMIT);
  if (part->dtype == TN_FFI_TUPLE || part->dtype == TN_FFI_TOKEN) {
    require(part->rank == 0);
    return;
  }
  require(part->element_count == 0 && tn_ffi_dtype_size(part->dtype) > 0);
  for (int64_t i = 0; i < part->rank; ++i) {
    require(part->dims[i] >= 0 || part->dynamic >> i & 1);
    require(!part->has_layout ||
            (part->minor_to_major[i] >= 0 && part->minor_to_major[i] < part->rank));
  }
}

// Compares in preorder, as far as there are parts.
static void compare(const tn_type_t* type, const tn_shape_t* parts, int64_t count, int64_t* next) {
  if (*next >= count || *next >= CAPACITY) return;
  const tn_shape_t* part = &parts[(*next)++];
  if (type->kind == TN_TYPE_TUPLE) {
    require(part->dtype == TN_FFI_TUPLE && part->element_count == (int64_t)type->element_count);
    for (size_t i = 0; i < type->element_count; ++i) compare(type->elements[i], parts, count, next);
    return;
  }
  if (type->kind == TN_TYPE_TOKEN) {
    require(part->dtype == TN_FFI_TOKEN);
    return;
  }
  require(part->dtype == (tn_ffi_dtype_t)type->dtype && part->rank == (int64_t)type->rank);
  for (size_t i = 0; i < type->rank; ++i) {
    bool is_dynamic = part->dynamic >> i & 1;
    require(is_dynamic == (type->dims[i] == TN_DIM_DYNAMIC));
    int64_t wanted = is_dynamic && type->bounds ? type->bounds[i] : type->dims[i];
    require(part->dims[i] == wanted);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static tn_shape_t parts[CAPACITY];
  int64_t count = tn_shape_parse(data, size, parts, CAPACITY);
  require(count == -1 || count > 0);
  require(tn_shape_parse(data, size, NULL, 0) == count);
  for (int64_t i = 0; i < count && i < CAPACITY; ++i) check_part(&parts[i]);

  tn_arena_t arena;
  const tn_type_t* type = NULL;
  tn__arena_init(&arena, tn_allocator_system());
  tn_status_t status = tn__type_parse(&arena, data, size, &type);
  size_t length = status ? 0 : tn_type_serialize(type, NULL, 0);
  unsigned char* bytes = length ? malloc(length) : NULL;
  if (bytes) {
    int64_t next = 0;
    tn_type_serialize(type, bytes, length);
    count = tn_shape_parse(bytes, length, parts, CAPACITY);
    require(count > 0);
    compare(type, parts, count, &next);
    require(next == (count < CAPACITY ? count : CAPACITY));
  }
  free(bytes);
  tn_status_release(status);
  tn__arena_deinit(&arena);
  return 0;
}
