// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Names and texts of any bytes, on their way out.
#include "base/writer.h"

#include "base/testing.h"
#include "base/utf8.h"

typedef struct sink {
  char text[1 << 14];
  size_t length, largest_part;
  bool has_split;  // a part did not end with a character
} sink_t;

static tn_status_t take(void* user, const char* bytes, size_t length) {
  sink_t* sink = user;
  assert_true(sink->length + length < sizeof sink->text);
  memcpy(sink->text + sink->length, bytes, length);
  sink->length += length;
  sink->text[sink->length] = 0;
  sink->has_split |= !tn__utf8_is_valid((tn_string_view_t){bytes, length});
  return TN_OK;
}

typedef void (*write_t)(tn_writer_t* writer, tn_string_view_t text);

static void expect_written(write_t write, const char* text, const char* wanted) {
  sink_t sink = {.length = 0};
  tn_writer_t writer;
  tn__writer_init(&writer, take, &sink);
  write(&writer, tn__sv(text));
  TN_ASSERT_OK(tn__writer_finish(&writer));
  assert_string_equal(sink.text, wanted);
}

static void json_is_valid_for_any_bytes(void** state) {
  (void)state;
  expect_written(tn__write_json_string, "a\"\\b", "\"a\\\"\\\\b\"");
  expect_written(tn__write_json_string, "\x1b[31mred", "\"\\u001b[31mred\"");
  expect_written(tn__write_json_string, "\x7f\xc2\x85", "\"\\u007f\\u0085\"");
  expect_written(tn__write_json_string, "\xff\xc3", "\"\\ufffd\\ufffd\"");
  expect_written(tn__write_json_string, "\u202eabc\u2066", "\"\\u202eabc\\u2066\"");
  expect_written(tn__write_json_string, "\u00e9\U0001F600", "\"\u00e9\U0001F600\"");
}

static void xml_is_valid_for_any_bytes(void** state) {
  (void)state;
  expect_written(tn__write_xml, "<a&\">", "&lt;a&amp;&quot;&gt;");
  expect_written(tn__write_xml, "\x1b[m\xff", " [m&#xfffd;");
  expect_written(tn__write_xml, "\u202ex\xef\xbf\xbf", "&#x202e;x&#xfffd;");
}

static void names_in_messages_do_nothing_to_a_terminal(void** state) {
  (void)state;
  assert_string_equal(TN_NAME_TEXT(tn__sv("\x1b[31mred")), "\\1B[31mred");
  assert_string_equal(TN_NAME_TEXT(tn__sv("a\u202eb")), "a\\E2\\80\\AEb");
  assert_string_equal(TN_NAME_TEXT(tn__sv("\xff\u00e9\\")), "\\FF\u00e9\\5C");
}

static void long_names_end_between_characters(void** state) {
  (void)state;
  char name[400] = "x";
  for (size_t i = 1; i + 2 < sizeof name; i += 2) memcpy(name + i, "\u00e9", 3);
  const tn_name_text_t text = tn__name_text(tn__sv(name));
  const size_t length = strlen(text.text);
  assert_true(tn__utf8_is_valid(tn__sv(text.text)));
  assert_string_equal(text.text + length - 3, "...");
}

static void parts_end_between_characters(void** state) {
  (void)state;
  static const char character[] = "\U0001F600";
  sink_t sink = {.length = 0};
  tn_writer_t writer;
  tn__writer_init(&writer, take, &sink);
  tn__write(&writer, "x", 1);
  for (size_t i = 0; i < 8000; ++i) tn__write(&writer, character + i % 4, 1);
  TN_ASSERT_OK(tn__writer_finish(&writer));
  assert_int_equal(sink.length, 8001);
  assert_false(sink.has_split);
}

static void characters_are_those_of_utf8(void** state) {
  (void)state;
  for (uint32_t value = 0; value < 0x110000; value += value < 0x800 ? 1 : 0x7b) {
    if (value >= 0xD800 && value < 0xE000) continue;
    char bytes[4];
    uint32_t again = 0;
    const size_t length = tn__utf8_encode(value, bytes);
    assert_int_equal(tn__utf8_length((tn_string_view_t){bytes, length}, &again), length);
    assert_int_equal(again, value);
    assert_int_equal(tn__utf8_length((tn_string_view_t){bytes, length - 1}, NULL), 0);
  }
  static const char* const invalid[] = {
      "\x80", "\xc0\x80", "\xe0\x80\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xf8\x80", "\xc3("};
  for (size_t i = 0; i < sizeof invalid / sizeof *invalid; ++i) {
    assert_false(tn__utf8_is_valid(tn__sv(invalid[i])));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(json_is_valid_for_any_bytes),
      cmocka_unit_test(xml_is_valid_for_any_bytes),
      cmocka_unit_test(names_in_messages_do_nothing_to_a_terminal),
      cmocka_unit_test(long_names_end_between_characters),
      cmocka_unit_test(parts_end_between_characters),
      cmocka_unit_test(characters_are_those_of_utf8),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
