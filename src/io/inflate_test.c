// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Deflated bytes; test/cli/test_archives.py has archives that NumPy deflated.
#include "io/inflate.h"

#include "base/testing.h"
#include "base/testing_allocator.h"

typedef struct bytes {
  unsigned char data[1 << 12];
  size_t length;
} bytes_t;

static tn_status_t read_bytes(void* user, uint64_t offset, void* data, size_t length) {
  const bytes_t* bytes = user;
  assert_true(offset + length <= bytes->length);
  memcpy(data, bytes->data + offset, length);
  return TN_OK;
}

static bool take(void* user, const unsigned char* bytes, size_t length) {
  bytes_t* out = user;
  if (length > sizeof out->data - out->length) return false;
  memcpy(out->data + out->length, bytes, length);
  out->length += length;
  return true;
}

static bytes_t from_hexadecimal(const char* text) {
  bytes_t out = {.length = 0};
  for (; *text; text += 2) {
    const char digits[] = {text[0], text[1], 0};
    out.data[out.length++] = (unsigned char)strtoul(digits, NULL, 16);
  }
  return out;
}

static tn_status_t inflate(bytes_t* packed, bytes_t* out) {
  const tn_byte_source_t source = {read_bytes, packed, packed->length};
  out->length = 0;
  return tn__inflate(&source, 0, packed->length, take, out);
}

static void expect_inflated(const char* packed_text, const char* wanted) {
  bytes_t packed = from_hexadecimal(packed_text), out;
  TN_ASSERT_OK(inflate(&packed, &out));
  assert_int_equal(out.length, strlen(wanted));
  assert_memory_equal(out.data, wanted, out.length);
}

// What zlib's raw deflate makes of the texts.
static const char stored[] = "010500faff68656c6c6f";
static const char fixed[] = "cb48cdc9c957c8409000";  // "hello hello hello"
static const char dynamic[] =
    "354ec111c03008fabb25c2fe3314308db94354d095df7203a29cc0489360feac0898613240375c9f4cb1992bac7ce3"
    "62"
    "87635360bd14e909cdf706d4adebe842fc368c11a1a717e75d121b1c4c9569cfddf901";
static const char dynamic_text[] =
    "bddddbcbdddddcdcbdaddccdddaddcddcd\nbdcaaadda\ndcdccdadcdd\nddcccdcdd\ncdacddddd"
    "bbdddcbdcddddd\ncddddcccdddd\ndcddadcddccdbcddddddcbdddbdbddccddadacdddddcdbbdca"
    "dcddddccdc\nddcddcddd\ndacddd\nd\ndddbdddcc\naddcdd";

static void blocks_of_each_kind_are_inflated(void** state) {
  (void)state;
  expect_inflated(stored, "hello");
  expect_inflated(fixed, "hello hello hello");
  expect_inflated(dynamic, dynamic_text);
  expect_inflated("0300", "");
}

// Two blocks, and bits behind the last one.
static void blocks_follow_each_other(void** state) {
  (void)state;
  expect_inflated("000500faff68656c6c6f010100feff21", "hello!");
}

static void damaged_bytes_are_errors(void** state) {
  (void)state;
  static const char* const rows[] = {
      "",                      // nothing
      "07",                    // a fourth kind of block
      "0105",                  // a stored block without its length
      "010500fbff68656c6c6f",  // a length that its complement contradicts
      "010500faff6865",        // fewer bytes than its length
      "cb48cdc9c957c840",      // no end
      "030200",                // a copy from before the beginning
      "fd0000",                // codes for more literals than there are
      "05009204",              // four codes of one bit
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
    bytes_t packed = from_hexadecimal(rows[i]), out;
    tn_status_t status = inflate(&packed, &out);
    if (tn_status_code(status) != TN_CODE_DATA_LOSS) fail_msg("%s is inflated", rows[i]);
    tn_status_release(status);
  }
}

// Every prefix of a stream is an error, and no flipped bit reads past anything.
static void any_damage_is_harmless(void** state) {
  (void)state;
  bytes_t whole = from_hexadecimal(fixed), out;
  for (size_t length = 0; length < whole.length - 1; ++length) {
    bytes_t part = whole;
    part.length = length;
    TN_ASSERT_CODE(DATA_LOSS, inflate(&part, &out));
  }
  for (size_t bit = 0; bit < 8 * whole.length; ++bit) {
    bytes_t damaged = whole;
    damaged.data[bit / 8] ^= (unsigned char)(1 << bit % 8);
    tn_status_release(inflate(&damaged, &out));
  }
}

static tn_status_t attempt(const tn_allocator_t* allocator, void* context) {
  (void)allocator;
  bytes_t out;
  return inflate(context, &out);
}

static void refused_memory_is_an_error(void** state) {
  (void)state;
  bytes_t packed = from_hexadecimal(fixed);
  tn__testing_sweep_allocations(attempt, &packed);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(blocks_of_each_kind_are_inflated),
      cmocka_unit_test(blocks_follow_each_other),
      cmocka_unit_test(damaged_bytes_are_errors),
      cmocka_unit_test(any_damage_is_harmless),
      cmocka_unit_test(refused_memory_is_an_error),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
