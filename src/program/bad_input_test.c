// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Programs that were damaged: every byte of a corpus of texts and artifacts cut off, flipped or
// exchanged, through all that a program goes through. They are errors or other programs.
//
// The function under test is the fuzzer's own, so that both try the same.
#include "program/program_fuzz.c"  // NOLINT(bugprone-suspicious-include)

#include <dirent.h>

#include "base/testing.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TESTING_SANITIZED
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define TESTING_SANITIZED
#endif

enum { DAMAGES = 6, LONGEST = 1 << 16 };

typedef struct input {
  size_t length;
  unsigned char bytes[LONGEST + 1];
} input_t;

// Every byte is damaged with TENON_LONG_TESTS, else one in so many. Sanitizers take twenty times as
// long.
static size_t stride(void) {
  bool is_long = getenv("TENON_LONG_TESTS") != NULL;
#ifdef TESTING_SANITIZED
  return is_long ? 3 : 23;
#else
  return is_long ? 1 : 5;
#endif
}

static void try_bytes(const unsigned char* bytes, size_t length) {
  // Exactly as many, so that a sanitizer sees the first one behind them.
  unsigned char* copy = malloc(length ? length : 1);
  assert_non_null(copy);
  memcpy(copy, bytes, length);
  LLVMFuzzerTestOneInput(copy, length);
  free(copy);
}

// Damages the byte at `place` in one of several ways.
static void damage(const input_t* input, size_t place, int way) {
  static input_t damaged;
  size_t length = input->length;
  memcpy(damaged.bytes, input->bytes, length);
  unsigned char* byte = &damaged.bytes[place];
  switch (way) {
    case 0:  // the file ends there
      length = place;
      break;
    case 1: *byte ^= (unsigned char)(1u << place % 8); break;
    case 2: *byte = 0xFF; break;
    case 3:  // a larger number in text, a small odd one in bytecode
      *byte = '9';
      break;
    case 4:  // gone
      memmove(byte, byte + 1, length - place - 1);
      --length;
      break;
    default:  // twice
      memmove(byte + 1, byte, length - place);
      ++length;
      break;
  }
  try_bytes(damaged.bytes, length);
}

static void damage_everywhere(const input_t* input) {
  size_t step = stride(), number = 0;
  for (size_t place = 0; place < input->length; place += step, ++number) {
    if (step == 1) {
      for (int way = 0; way < DAMAGES; ++way) damage(input, place, way);
    } else {
      damage(input, place, (int)(number % DAMAGES));
    }
  }
}

static void damage_folder(const char* folder) {
  static input_t input;
  char path[1024];
  size_t count = 0;
  DIR* directory = opendir(folder);
  assert_non_null(directory);
  for (struct dirent* entry = readdir(directory); entry; entry = readdir(directory)) {
    if (entry->d_name[0] == '.') continue;
    snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
    FILE* file = fopen(path, "rb");
    assert_non_null(file);
    input.length = fread(input.bytes, 1, LONGEST, file);
    fclose(file);
    assert_in_range(input.length, 1, LONGEST - 1);
    try_bytes(input.bytes, input.length);
    damage_everywhere(&input);
    ++count;
  }
  closedir(directory);
  assert_true(count > 10);
}

static void damaged_texts_are_errors_or_other_programs(void** state) {
  (void)state;
  damage_folder(TESTING_CORPUS "/reader");
}

static void damaged_artifacts_are_errors_or_other_programs(void** state) {
  (void)state;
  damage_folder(TESTING_CORPUS "/bytecode");
}

static void damaged_programs_of_jax_are_errors_or_other_programs(void** state) {
  (void)state;
  damage_folder(TESTING_CORPUS "/program");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(damaged_texts_are_errors_or_other_programs),
      cmocka_unit_test(damaged_artifacts_are_errors_or_other_programs),
      cmocka_unit_test(damaged_programs_of_jax_are_errors_or_other_programs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
