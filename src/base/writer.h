// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Text on its way out: formatted pieces go to a callback in chunks; the first error stays and ends
// all writing.
#ifndef TENON_BASE_WRITER_H_
#define TENON_BASE_WRITER_H_

#include "base/status.h"
#include "base/view.h"
#include "base/visibility.h"

typedef struct tn_writer {
  tn_write_fn write;
  void* user;
  tn_status_t status;  // the first error of `write`
  size_t length;       // waiting in `chunk`
  char chunk[4096];
} tn_writer_t;

void tn__writer_init(tn_writer_t* writer, tn_write_fn write, void* user);
// Sends what is waiting; the caller owns the error.
TN_MUST_USE tn_status_t tn__writer_finish(tn_writer_t* writer);

void tn__write(tn_writer_t* writer, const char* text, size_t length);
void tn__write_string(tn_writer_t* writer, const char* text);
void tn__writef(tn_writer_t* writer, const char* format, ...) TN_PRINTF(2, 3);
// The text, or a part of it, escaped as JSON wants it between quotes.
void tn__write_json_text(tn_writer_t* writer, const char* text, size_t length);
// The same with the quotes.
void tn__write_json_string(tn_writer_t* writer, tn_string_view_t text);
// Escaped for XML text and attribute values.
void tn__write_xml(tn_writer_t* writer, tn_string_view_t text);
// 1234567 as "1,234,567".
void tn__write_grouped(tn_writer_t* writer, uint64_t number);

// What follows this in a name tells operations of one name apart, such as those of two sources, and
// is not shown.
#define TN_NAME_TAIL '\x1F'
// A name for messages, whatever bytes it has.
typedef struct tn_name_text {
  char text[160];
} tn_name_text_t;
TN_FOR_INSPECT tn_name_text_t tn__name_text(tn_string_view_t name);
#define TN_NAME_TEXT(name) tn__name_text(name).text

#endif  // TENON_BASE_WRITER_H_
