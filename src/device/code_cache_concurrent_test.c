// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Programs of devices: compiled once, kept up to a limit, found while others are compiled.
#include "device/code_cache.h"

#include <stdatomic.h>
#include <unistd.h>

#include "base/testing.h"
#include "base/testing_allocator.h"

// Stands for a compiler, and counts. A text that begins with "wait" takes until `may_end` is set.
typedef struct compiler {
  tn_code_cache_t cache;
  atomic_int compile_count, release_count;
  atomic_bool has_begun, may_end;
} compiler_t;

static tn_status_t compile(void* user, const tn_device_code_t* code, void** out_program) {
  compiler_t* compiler = user;
  *out_program = NULL;
  if (strcmp(code->text, "error") == 0) return tn_status_create(TN_CODE_INVALID_ARGUMENT, "no C");
  if (strcmp(code->text, "wait") == 0) {
    atomic_store(&compiler->has_begun, true);
    while (!atomic_load(&compiler->may_end)) usleep(100);
  }
  atomic_fetch_add(&compiler->compile_count, 1);
  *out_program = compiler;
  return TN_OK;
}

static void release(void* user, void* program) {
  assert_ptr_equal(program, user);
  atomic_fetch_add(&((compiler_t*)user)->release_count, 1);
}

static void begin(compiler_t* compiler, const tn_allocator_t* allocator) {
  *compiler = (compiler_t){.compile_count = 0};
  tn__code_cache_init(&compiler->cache, &(tn_code_compiler_t){compile, release, compiler},
                      allocator);
}

static tn_cached_code_t* find(compiler_t* compiler, const char* text) {
  tn_cached_code_t* found = NULL;
  TN_ASSERT_OK(tn__code_cache_find(&compiler->cache, &(tn_device_code_t){.text = text}, &found));
  assert_ptr_equal(tn__cached_code_program(found), compiler);
  return found;
}

static void drop(compiler_t* compiler, tn_cached_code_t* code) {
  tn__cached_code_release(&compiler->cache, code);
}

static void equal_text_is_compiled_once(void** state) {
  (void)state;
  compiler_t compiler;
  char copy[] = "a";
  tn_cached_code_t* none = NULL;
  begin(&compiler, tn_allocator_system());
  tn_cached_code_t *a = find(&compiler, "a"), *again = find(&compiler, copy);
  assert_ptr_equal(a, again);
  drop(&compiler, find(&compiler, "b"));
  assert_int_equal(compiler.compile_count, 2);
  TN_ASSERT_CODE(INVALID_ARGUMENT,
                 tn__code_cache_find(&compiler.cache, &(tn_device_code_t){.text = "error"}, &none));
  assert_null(none);
  drop(&compiler, a);
  drop(&compiler, again);
  assert_int_equal(compiler.release_count, 0);
  tn__code_cache_deinit(&compiler.cache);
  assert_int_equal(compiler.release_count, 2);
}

static void programs_beyond_the_limit_are_released_when_nothing_uses_them(void** state) {
  (void)state;
  enum { MORE = 10 };
  compiler_t compiler;
  begin(&compiler, tn_allocator_system());
  tn_cached_code_t* used = find(&compiler, "used");
  drop(&compiler, find(&compiler, "recent"));
  for (int i = 0; i < TN_CODE_CACHE_LIMIT + MORE - 2; ++i) {
    char text[16];
    snprintf(text, sizeof text, "%d", i);
    drop(&compiler, find(&compiler, text));
    if (i == TN_CODE_CACHE_LIMIT / 2) drop(&compiler, find(&compiler, "recent"));
  }
  assert_int_equal(compiler.release_count, MORE - 1);  // `used` went first, but for this reference
  drop(&compiler, used);
  assert_int_equal(compiler.release_count, MORE);
  const int compile_count = compiler.compile_count;
  drop(&compiler, find(&compiler, "recent"));
  assert_int_equal(compiler.compile_count, compile_count);
  drop(&compiler, find(&compiler, "used"));
  assert_int_equal(compiler.compile_count, compile_count + 1);
  tn__code_cache_deinit(&compiler.cache);
  assert_int_equal(compiler.release_count, compiler.compile_count);
}

static void* find_slowly(void* user) {
  drop(user, find(user, "wait"));
  return NULL;
}

static void known_programs_are_found_while_another_is_compiled(void** state) {
  (void)state;
  compiler_t compiler;
  pthread_t threads[2];
  begin(&compiler, tn_allocator_system());
  drop(&compiler, find(&compiler, "known"));
  for (int i = 0; i < 2; ++i) {
    assert_int_equal(pthread_create(&threads[i], NULL, find_slowly, &compiler), 0);
  }
  while (!atomic_load(&compiler.has_begun)) usleep(100);
  drop(&compiler, find(&compiler, "known"));
  atomic_store(&compiler.may_end, true);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  assert_int_equal(compiler.compile_count, 2);
  tn__code_cache_deinit(&compiler.cache);
  assert_int_equal(compiler.release_count, 2);
}

static tn_status_t attempt(const tn_allocator_t* allocator, void* context) {
  compiler_t* compiler = context;
  tn_cached_code_t* code = NULL;
  begin(compiler, allocator);
  tn_status_t status =
      tn__code_cache_find(&compiler->cache, &(tn_device_code_t){.text = "text"}, &code);
  tn__cached_code_release(&compiler->cache, code);
  tn__code_cache_deinit(&compiler->cache);
  assert_int_equal(compiler->release_count, compiler->compile_count);
  return status;
}

static void refused_memory_leaves_nothing_behind(void** state) {
  (void)state;
  compiler_t compiler;
  tn__testing_sweep_allocations(attempt, &compiler);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(equal_text_is_compiled_once),
      cmocka_unit_test(programs_beyond_the_limit_are_released_when_nothing_uses_them),
      cmocka_unit_test(known_programs_are_found_while_another_is_compiled),
      cmocka_unit_test(refused_memory_leaves_nothing_behind),
  };
  alarm(600);  // in the place of waiting indefinitely
  return cmocka_run_group_tests(tests, NULL, NULL);
}
