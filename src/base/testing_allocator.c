// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "base/testing_allocator.h"

#include <errno.h>

#include "base/testing.h"

// The linker sends Tenon's calls of malloc to __wrap_malloc, and __real_malloc to the C library's.
void* __real_malloc(size_t size);
void* __real_calloc(size_t count, size_t size);
void* __real_realloc(void* pointer, size_t size);
void* __real_aligned_alloc(size_t alignment, size_t size);
int __real_posix_memalign(void** out, size_t alignment, size_t size);
char* __real_strdup(const char* text);
char* __real_strndup(const char* text, size_t length);
void* __wrap_malloc(size_t size);
void* __wrap_calloc(size_t count, size_t size);
void* __wrap_realloc(void* pointer, size_t size);
void* __wrap_aligned_alloc(size_t alignment, size_t size);
int __wrap_posix_memalign(void** out, size_t alignment, size_t size);
char* __wrap_strdup(const char* text);
char* __wrap_strndup(const char* text, size_t length);

static atomic_size_t first_refused;  // 0: none
static atomic_bool all_after_refused;
static atomic_size_t allocation_count;
static atomic_size_t refused_count;

void tn__testing_refuse_allocations(size_t first, bool all_after) {
  atomic_store(&allocation_count, 0);
  atomic_store(&refused_count, 0);
  atomic_store(&all_after_refused, all_after);
  atomic_store(&first_refused, first);
}

size_t tn__testing_refused_allocation_count(void) {
  return atomic_load(&refused_count);
}

static bool refuse(void) {
  size_t first = atomic_load(&first_refused);
  if (first == 0) return false;
  size_t number = atomic_fetch_add(&allocation_count, 1) + 1;
  if (number != first && !(number > first && atomic_load(&all_after_refused))) return false;
  atomic_fetch_add(&refused_count, 1);
  return true;
}

void* __wrap_malloc(size_t size) {
  return refuse() ? NULL : __real_malloc(size);
}
void* __wrap_calloc(size_t count, size_t size) {
  return refuse() ? NULL : __real_calloc(count, size);
}
void* __wrap_realloc(void* pointer, size_t size) {
  return refuse() ? NULL : __real_realloc(pointer, size);
}
void* __wrap_aligned_alloc(size_t alignment, size_t size) {
  return refuse() ? NULL : __real_aligned_alloc(alignment, size);
}
int __wrap_posix_memalign(void** out, size_t alignment, size_t size) {
  return refuse() ? ENOMEM : __real_posix_memalign(out, alignment, size);
}
char* __wrap_strdup(const char* text) {
  return refuse() ? NULL : __real_strdup(text);
}
char* __wrap_strndup(const char* text, size_t length) {
  return refuse() ? NULL : __real_strndup(text, length);
}

// In front of every block of a testing allocator.
typedef struct block_header {
  size_t byte_size;
  size_t padding;
} block_header_t;

_Static_assert(sizeof(block_header_t) == 16, "blocks stay aligned for any C type");

static void* testing_reallocate(void* user, void* old_pointer, size_t old_size, size_t new_size) {
  tn_testing_allocator_t* testing = user;
  if (new_size > SIZE_MAX - sizeof(block_header_t)) return NULL;
  if (new_size > 0 && refuse()) return NULL;
  block_header_t* old = old_pointer ? (block_header_t*)old_pointer - 1 : NULL;
  size_t true_old_size = old ? old->byte_size : 0;
  if (true_old_size != old_size) atomic_fetch_add(&testing->wrong_size_count, 1);
  // Always a new place, so that a pointer kept across a reallocation is found out.
  block_header_t* fresh = NULL;
  if (new_size > 0) {
    fresh = __real_malloc(sizeof *fresh + new_size);
    if (!fresh) return NULL;
    *fresh = (block_header_t){.byte_size = new_size};
    if (old) memcpy(fresh + 1, old + 1, new_size < true_old_size ? new_size : true_old_size);
    atomic_fetch_add(&testing->live_block_count, 1);
    atomic_fetch_add(&testing->live_byte_size, new_size);
  }
  if (old) {
    atomic_fetch_sub(&testing->live_block_count, 1);
    atomic_fetch_sub(&testing->live_byte_size, true_old_size);
    free(old);
  }
  return fresh ? fresh + 1 : NULL;
}

void tn__testing_allocator_init(tn_testing_allocator_t* testing) {
  testing->allocator = (tn_allocator_t){.reallocate = testing_reallocate, .user = testing};
  atomic_init(&testing->live_byte_size, 0);
  atomic_init(&testing->live_block_count, 0);
  atomic_init(&testing->wrong_size_count, 0);
}

void tn__testing_allocator_assert_empty(tn_testing_allocator_t* testing) {
  size_t wrong = atomic_load(&testing->wrong_size_count);
  if (wrong) fail_msg("%zu blocks were given back with a wrong size", wrong);
  size_t blocks = atomic_load(&testing->live_block_count);
  if (blocks) {
    fail_msg("%zu blocks with %zu bytes are still live", blocks,
             atomic_load(&testing->live_byte_size));
  }
}

// One run of a sweep; false when nothing was refused any more.
static bool run_refusing(tn_testing_attempt_t attempt, void* context, size_t number,
                         bool all_after) {
  tn_testing_allocator_t testing;
  tn__testing_allocator_init(&testing);
  tn__testing_refuse_allocations(number, all_after);
  tn_status_t status = attempt(&testing.allocator, context);
  size_t refused = tn__testing_refused_allocation_count();
  tn__testing_refuse_allocations(0, false);
  if (refused == 0) {
    TN_ASSERT_OK(status);
    if (number == 1) fail_msg("the attempt allocates nothing, so there is nothing to sweep");
  } else if (tn_status_code(status) != TN_CODE_RESOURCE_EXHAUSTED) {
    char report[2048];
    tn_status_format(status, report, sizeof report);
    tn_status_release(status);
    fail_msg("allocation %zu%s refused: wanted RESOURCE_EXHAUSTED, got %s", number,
             all_after ? " and all later ones" : "", report);
  }
  tn_status_release(refused ? status : TN_OK);
  if (atomic_load(&testing.live_block_count)) print_message("allocation %zu refused:\n", number);
  tn__testing_allocator_assert_empty(&testing);
  return refused > 0;
}

void tn__testing_sweep_allocations(tn_testing_attempt_t attempt, void* context) {
  bool every_one = getenv("TENON_LONG_TESTS") != NULL;
  for (int all_after = 0; all_after <= 1; ++all_after) {
    size_t number = 1;
    while (run_refusing(attempt, context, number, all_after)) {
      number += every_one ? 1 : 1 + number / 64;
    }
  }
}
