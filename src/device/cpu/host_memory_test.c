// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "device/cpu/host_memory.h"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/testing.h"

enum { MIB = 1 << 20 };

static tn_host_memory_t* create(size_t limit_byte_size, size_t cache_limit_byte_size) {
  tn_host_memory_t* memory;
  tn_host_memory_config_t config = {limit_byte_size, cache_limit_byte_size};
  TN_ASSERT_OK(tn__host_memory_create(&config, tn_allocator_system(), &memory));
  return memory;
}

static tn_memory_statistics_t statistics_of(tn_host_memory_t* memory) {
  tn_memory_statistics_t statistics;
  tn__host_memory_statistics(memory, &statistics);
  return statistics;
}

static void blocks_are_aligned_apart_and_large_enough(void** state) {
  (void)state;
  tn_host_memory_t* memory = create(0, 0);
  static const size_t sizes[] = {0,         1,
                                 63,        64,
                                 65,        1000,
                                 4096,      100000,
                                 128 << 10, (128 << 10) + 1,
                                 MIB - 1,   MIB,
                                 MIB + 1,   5 * MIB + 7,
                                 32 * MIB,  32 * MIB + 1,
                                 64 * MIB};
  enum { COUNT = sizeof sizes / sizeof *sizes };
  void* blocks[COUNT][2];
  for (int i = 0; i < COUNT; ++i) {
    for (int k = 0; k < 2; ++k) {
      TN_ASSERT_OK(tn__host_memory_allocate(memory, sizes[i], 0, &blocks[i][k]));
      assert_non_null(blocks[i][k]);
      assert_int_equal((uintptr_t)blocks[i][k] % TN_HOST_ALIGNMENT, 0);
      size_t capacity = tn__host_memory_capacity(memory, blocks[i][k]);
      assert_true(capacity >= sizes[i] && capacity > 0);
      // Ends only: the rest of a large block need not be touched to know that it is there.
      if (sizes[i] > 0) {
        ((char*)blocks[i][k])[0] = (char)(2 * i + k);
        ((char*)blocks[i][k])[sizes[i] - 1] = (char)(2 * i + k);
      }
    }
  }
  for (int i = 0; i < COUNT; ++i) {
    for (int k = 0; k < 2; ++k) {
      if (sizes[i] > 0) {
        assert_int_equal(((char*)blocks[i][k])[0], 2 * i + k);
        assert_int_equal(((char*)blocks[i][k])[sizes[i] - 1], 2 * i + k);
      }
      assert_true(tn__host_memory_free(memory, blocks[i][k]));
    }
  }
  assert_int_equal(statistics_of(memory).in_use_byte_size, 0);
  assert_int_equal(statistics_of(memory).allocation_count, 2 * COUNT);
  assert_int_equal(statistics_of(memory).free_count, 2 * COUNT);
  tn__host_memory_destroy(memory);
}

static void alignments_up_to_the_limit_are_kept(void** state) {
  (void)state;
  tn_host_memory_t* memory = create(0, 0);
  for (size_t alignment = 1; alignment <= TN_HOST_ALIGNMENT_LIMIT; alignment *= 2) {
    for (size_t size = 0; size < 4 * MIB; size = size * 5 + 1) {
      void* block;
      TN_ASSERT_OK(tn__host_memory_allocate(memory, size, alignment, &block));
      assert_int_equal((uintptr_t)block % alignment, 0);
      assert_true(tn__host_memory_free(memory, block));
    }
  }
  void* block;
  TN_ASSERT_CODE(INVALID_ARGUMENT, tn__host_memory_allocate(memory, 1, 48, &block));
  TN_ASSERT_CODE(INVALID_ARGUMENT, tn__host_memory_allocate(memory, 1, 4 * MIB, &block));
  assert_null(block);
  tn__host_memory_destroy(memory);
}

static void freed_memory_is_reused(void** state) {
  (void)state;
  tn_host_memory_t* memory = create(0, 0);
  static const size_t sizes[] = {1, 1000, 50000, 500000, 3 * MIB, 64 * MIB};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
    void *first, *second;
    TN_ASSERT_OK(tn__host_memory_allocate(memory, sizes[i], 0, &first));
    assert_true(tn__host_memory_free(memory, first));
    TN_ASSERT_OK(tn__host_memory_allocate(memory, sizes[i], 0, &second));
    assert_ptr_equal(first, second);
    assert_true(tn__host_memory_free(memory, second));
  }
  // A somewhat smaller request takes a large mapping, a much smaller one does not.
  void *large, *similar, *smaller;
  TN_ASSERT_OK(tn__host_memory_allocate(memory, 80 * MIB, 0, &large));
  assert_true(tn__host_memory_free(memory, large));
  TN_ASSERT_OK(tn__host_memory_allocate(memory, 76 * MIB, 0, &similar));
  assert_ptr_equal(similar, large);
  assert_true(tn__host_memory_free(memory, similar));
  TN_ASSERT_OK(tn__host_memory_allocate(memory, 40 * MIB, 0, &smaller));
  assert_ptr_not_equal(smaller, large);
  tn__host_memory_destroy(memory);
}

static void limit_refuses_and_says_why(void** state) {
  (void)state;
  tn_host_memory_t* memory = create(10 * MIB, 0);
  void *first, *second;
  TN_ASSERT_OK(tn__host_memory_allocate(memory, 6 * MIB, 0, &first));
  tn_status_t status = tn__host_memory_allocate(memory, 5 * MIB, 0, &second);
  assert_null(second);
  assert_int_equal(tn_status_code(status), TN_CODE_RESOURCE_EXHAUSTED);
  assert_non_null(strstr(tn_status_message(status), "asked for 5242880 bytes"));
  assert_non_null(strstr(tn_status_message(status), "the limit is 10485760"));
  tn_status_release(status);
  TN_ASSERT_OK(tn__host_memory_allocate(memory, 3 * MIB, 0, &second));
  assert_true(tn__host_memory_free(memory, first));
  TN_ASSERT_OK(tn__host_memory_allocate(memory, 5 * MIB, 0, &first));
  tn__host_memory_set_limit(memory, 1);
  void* third;
  TN_ASSERT_CODE(RESOURCE_EXHAUSTED, tn__host_memory_allocate(memory, 1, 0, &third));
  tn__host_memory_set_limit(memory, 0);
  TN_ASSERT_OK(tn__host_memory_allocate(memory, 20 * MIB, 0, &third));
  tn__host_memory_destroy(memory);
}

static void impossible_sizes_are_refused(void** state) {
  (void)state;
  tn_host_memory_t* memory = create(0, 0);
  static const size_t sizes[] = {SIZE_MAX, SIZE_MAX - 63, SIZE_MAX / 2, (size_t)1 << 60};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
    void* block;
    TN_ASSERT_REPORT("the system has no more",
                     tn__host_memory_allocate(memory, sizes[i], 0, &block));
    assert_null(block);
  }
  assert_int_equal(statistics_of(memory).in_use_byte_size, 0);
  tn__host_memory_destroy(memory);
}

static void statistics_follow_what_happens(void** state) {
  (void)state;
  tn_host_memory_t* memory = create(0, 0);
  void *a, *b;
  TN_ASSERT_OK(tn__host_memory_allocate(memory, 40 * MIB, 0, &a));
  TN_ASSERT_OK(tn__host_memory_allocate(memory, 2 * MIB, 0, &b));
  tn_memory_statistics_t statistics = statistics_of(memory);
  size_t in_use = tn__host_memory_capacity(memory, a) + tn__host_memory_capacity(memory, b);
  assert_true(in_use >= 42 * MIB && in_use <= 42 * MIB + 4 * MIB);
  assert_int_equal(statistics.in_use_byte_size, in_use);
  assert_int_equal(statistics.peak_byte_size, in_use);
  assert_true(statistics.reserved_byte_size >= in_use);
  assert_int_equal(statistics.limit_byte_size, 0);
  size_t a_capacity = tn__host_memory_capacity(memory, a);
  assert_true(tn__host_memory_free(memory, a));
  statistics = statistics_of(memory);
  assert_int_equal(statistics.in_use_byte_size, in_use - a_capacity);
  assert_int_equal(statistics.cached_byte_size, a_capacity);
  assert_int_equal(statistics.peak_byte_size, in_use);
  tn__host_memory_reset_peak(memory);
  assert_int_equal(statistics_of(memory).peak_byte_size, in_use - a_capacity);
  assert_true(tn__host_memory_free(memory, b));
  assert_int_equal(statistics_of(memory).cached_byte_size, in_use);
  tn__host_memory_destroy(memory);
}

static size_t resident_byte_size(void) {
  FILE* file = fopen("/proc/self/statm", "r");
  assert_non_null(file);
  char line[256];
  assert_non_null(fgets(line, sizeof line, file));
  fclose(file);
  char* rest;  // the first number is the size of the address space
  strtoul(line, &rest, 10);
  return strtoul(rest, NULL, 10) * (size_t)sysconf(_SC_PAGESIZE);
}

static void trim_gives_memory_back_to_the_system(void** state) {
  (void)state;
  tn_host_memory_t* memory = create(0, 0);
  static const size_t sizes[] = {1000, 100000, 500000, 3 * MIB, 20 * MIB, 50 * MIB};
  enum { COUNT = sizeof sizes / sizeof *sizes };
  void* blocks[COUNT];
  void* kept;
  TN_ASSERT_OK(tn__host_memory_allocate(memory, 2 * MIB, 0, &kept));
  memset(kept, 7, 2 * MIB);
  for (int i = 0; i < COUNT; ++i) {
    TN_ASSERT_OK(tn__host_memory_allocate(memory, sizes[i], 0, &blocks[i]));
    memset(blocks[i], i, sizes[i]);
  }
  for (int i = 0; i < COUNT; ++i) assert_true(tn__host_memory_free(memory, blocks[i]));
  size_t before = resident_byte_size(), cached = statistics_of(memory).cached_byte_size;
  assert_true(cached >= 73 * MIB);
  tn__host_memory_trim(memory, 30 * MIB);
  assert_true(statistics_of(memory).cached_byte_size <= 30 * MIB);
  tn__host_memory_trim(memory, 0);
  assert_true(statistics_of(memory).cached_byte_size <= 2 * MIB);
  assert_true(resident_byte_size() + 60 * MIB < before);
  for (int i = 0; i < 2 * MIB; ++i) assert_int_equal(((char*)kept)[i], 7);
  assert_true(tn__host_memory_free(memory, kept));
  tn__host_memory_trim(memory, 0);
  assert_int_equal(statistics_of(memory).cached_byte_size, 0);
  assert_int_equal(statistics_of(memory).reserved_byte_size, 0);
  tn__host_memory_destroy(memory);
}

static void cache_stays_below_its_limit(void** state) {
  (void)state;
  tn_host_memory_t* memory = create(0, 100 * MIB);
  void* blocks[5];
  for (int i = 0; i < 5; ++i) {
    TN_ASSERT_OK(tn__host_memory_allocate(memory, 40 * MIB, 0, &blocks[i]));
  }
  for (int i = 0; i < 5; ++i) {
    assert_true(tn__host_memory_free(memory, blocks[i]));
    assert_true(statistics_of(memory).cached_byte_size <= 100 * MIB);
  }
  assert_true(statistics_of(memory).cached_byte_size >= 80 * MIB);
  tn__host_memory_set_cache_limit(memory, 0);
  assert_int_equal(statistics_of(memory).cached_byte_size, 0);
  tn__host_memory_destroy(memory);
}

static void freeing_what_is_no_block_is_noticed(void** state) {
  (void)state;
  tn_host_memory_t* memory = create(0, 0);
  int local;
  assert_true(tn__host_memory_free(memory, NULL));
  assert_false(tn__host_memory_free(memory, &local));
  static const size_t sizes[] = {100, 300000, 3 * MIB, 40 * MIB};
  for (int i = 0; i < 4; ++i) {
    void* block;
    TN_ASSERT_OK(tn__host_memory_allocate(memory, sizes[i], 0, &block));
    assert_false(tn__host_memory_free(memory, (char*)block + 64));
    assert_true(tn__host_memory_free(memory, block));
    assert_false(tn__host_memory_free(memory, block));
  }
  assert_int_equal(statistics_of(memory).free_count, 4);
  tn__host_memory_destroy(memory);
}

static bool has_sanitizer(void) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
  return true;
#endif
#endif
  return false;
}

// An address-space limit does not work with sanitizers, which reserve terabytes.
static void little_address_space_is_enough(void** state) {
  (void)state;
  if (has_sanitizer()) skip();
  pid_t child = fork();
  if (child == 0) {
    struct rlimit limit = {.rlim_cur = 600 * (rlim_t)MIB, .rlim_max = RLIM_INFINITY};
    setrlimit(RLIMIT_AS, &limit);
    tn_host_memory_t* memory;
    if (tn__host_memory_create(NULL, tn_allocator_system(), &memory)) _exit(1);
    void* block;
    if (tn__host_memory_allocate(memory, 500 * MIB, 0, &block)) _exit(2);
    if (!tn__host_memory_free(memory, block)) _exit(3);
    // The cached 500 MiB make room for something that they cannot serve.
    if (tn__host_memory_allocate(memory, 300 * MIB, 0, &block)) _exit(4);
    int count = 0;
    tn_status_t status;
    while (!(status = tn__host_memory_allocate(memory, MIB, 0, &block))) ++count;
    if (tn_status_code(status) != TN_CODE_RESOURCE_EXHAUSTED) _exit(5);
    tn_status_release(status);
    if (count < 200) _exit(6);
    tn__host_memory_destroy(memory);
    _exit(0);
  }
  int result;
  waitpid(child, &result, 0);
  assert_true(WIFEXITED(result));
  assert_int_equal(WEXITSTATUS(result), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(blocks_are_aligned_apart_and_large_enough),
      cmocka_unit_test(alignments_up_to_the_limit_are_kept),
      cmocka_unit_test(freed_memory_is_reused),
      cmocka_unit_test(limit_refuses_and_says_why),
      cmocka_unit_test(impossible_sizes_are_refused),
      cmocka_unit_test(statistics_follow_what_happens),
      cmocka_unit_test(trim_gives_memory_back_to_the_system),
      cmocka_unit_test(cache_stays_below_its_limit),
      cmocka_unit_test(freeing_what_is_no_block_is_noticed),
      cmocka_unit_test(little_address_space_is_enough),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
