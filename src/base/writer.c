// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "base/writer.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/c_locale.h"
#include "base/utf8.h"

tn_status_t tn_write_to_file(void* file, const char* bytes, size_t length) {
  TN_RETURN_IF_NULL(file);
  if (length) TN_RETURN_IF_NULL(bytes);
  if (!length || fwrite(bytes, 1, length, file) == length) return TN_OK;
  return tn_status_create(TN_CODE_DATA_LOSS, "the output could not be written");
}

void tn__writer_init(tn_writer_t* writer, tn_write_fn write, void* user) {
  writer->write = write;
  writer->user = user;
  writer->status = TN_OK;
  writer->length = 0;
}

static void send(tn_writer_t* writer, const char* text, size_t length) {
  if (!writer->status && length) writer->status = writer->write(writer->user, text, length);
}

// Bytes at the end of the chunk that begin a character and do not end it.
static size_t count_incomplete(const tn_writer_t* writer) {
  for (size_t count = 1; count <= 3 && count <= writer->length; ++count) {
    const unsigned char byte = (unsigned char)writer->chunk[writer->length - count];
    if (byte >> 6 == 2) continue;  // inside a character
    const size_t wanted = byte >> 5 == 6 ? 2 : byte >> 4 == 14 ? 3 : byte >> 3 == 30 ? 4 : 1;
    return wanted > count ? count : 0;
  }
  return 0;
}

// Whole characters, so that what takes the chunks can look at them.
static void flush(tn_writer_t* writer) {
  const size_t kept = count_incomplete(writer), length = writer->length - kept;
  send(writer, writer->chunk, length);
  memmove(writer->chunk, writer->chunk + length, kept);
  writer->length = kept;
}

static void flush_all(tn_writer_t* writer) {
  send(writer, writer->chunk, writer->length);
  writer->length = 0;
}

tn_status_t tn__writer_finish(tn_writer_t* writer) {
  flush_all(writer);
  tn_status_t status = writer->status;
  writer->status = TN_OK;
  return status;
}

void tn__write(tn_writer_t* writer, const char* text, size_t length) {
  if (length > sizeof writer->chunk - writer->length) flush(writer);
  if (length > sizeof writer->chunk - writer->length) {
    flush_all(writer);
    send(writer, text, length);
    return;
  }
  if (length) memcpy(writer->chunk + writer->length, text, length);
  writer->length += length;
}

void tn__write_string(tn_writer_t* writer, const char* text) {
  tn__write(writer, text, strlen(text));
}

void tn__writef(tn_writer_t* writer, const char* format, ...) {
  char text[1024];
  va_list arguments;
  va_start(arguments, format);
  int length = tn__c_vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  if (length < 0) return;
  tn__write(writer, text, (size_t)length < sizeof text ? (size_t)length : sizeof text - 1);
}

// A character of a text, or a byte of it that is not UTF-8.
typedef struct character {
  tn_string_view_t bytes;
  uint32_t value;  // U+FFFD for such a byte
  bool is_valid;
} character_t;

// Takes the next one off the text.
static character_t take_character(tn_string_view_t* text) {
  character_t out = {{text->data, 1}, 0xFFFD, false};
  const size_t length = tn__utf8_length(*text, &out.value);
  out.is_valid = length > 0;
  if (out.is_valid) out.bytes.length = length;
  *text = (tn_string_view_t){text->data + out.bytes.length, text->length - out.bytes.length};
  return out;
}

void tn__write_json_text(tn_writer_t* writer, const char* text, size_t length) {
  for (tn_string_view_t left = {text, length}; left.length;) {
    const character_t c = take_character(&left);
    if (c.value == '"' || c.value == '\\') {
      tn__writef(writer, "\\%c", (int)c.value);
    } else if (!c.is_valid || !tn__utf8_is_printable(c.value)) {
      tn__writef(writer, "\\u%04x", (unsigned)c.value);
    } else {
      tn__write(writer, c.bytes.data, c.bytes.length);
    }
  }
}

void tn__write_json_string(tn_writer_t* writer, tn_string_view_t text) {
  tn__write(writer, "\"", 1);
  tn__write_json_text(writer, text.data, text.length);
  tn__write(writer, "\"", 1);
}

void tn__write_xml(tn_writer_t* writer, tn_string_view_t text) {
  while (text.length) {
    const character_t c = take_character(&text);
    switch (c.value) {
      case '<': tn__write_string(writer, "&lt;"); break;
      case '>': tn__write_string(writer, "&gt;"); break;
      case '&': tn__write_string(writer, "&amp;"); break;
      case '"': tn__write_string(writer, "&quot;"); break;
      case 0xFFFE:
      case 0xFFFF: tn__write_string(writer, "&#xfffd;"); break;  // not characters of XML
      default:
        if (c.value < 0x20) {
          tn__write(writer, " ", 1);  // control characters are not XML, whatever their spelling
        } else if (!c.is_valid || !tn__utf8_is_printable(c.value)) {
          tn__writef(writer, "&#x%x;", (unsigned)c.value);
        } else {
          tn__write(writer, c.bytes.data, c.bytes.length);
        }
    }
  }
}

void tn__write_grouped(tn_writer_t* writer, uint64_t number) {
  char digits[24], text[32];
  int count = snprintf(digits, sizeof digits, "%" PRIu64, number);
  size_t length = 0;
  for (int i = 0; i < count; ++i) {
    if (i && (count - i) % 3 == 0) text[length++] = ',';
    text[length++] = digits[i];
  }
  tn__write(writer, text, length);
}

// "\\1B" for each byte.
static size_t write_hexadecimal(tn_string_view_t bytes, char* out) {
  for (size_t i = 0; i < bytes.length; ++i) sprintf(out + 3 * i, "\\%02X", (uint8_t)bytes.data[i]);
  return 3 * bytes.length;
}

tn_name_text_t tn__name_text(tn_string_view_t name) {
  tn_name_text_t out = {""};
  size_t length = 0;
  const size_t limit = sizeof out.text - sizeof "...";
  const char* tail = name.length ? memchr(name.data, TN_NAME_TAIL, name.length) : NULL;
  if (tail && tail != name.data) name.length = (size_t)(tail - name.data);
  while (name.length) {
    const character_t c = take_character(&name);
    const bool is_plain = c.is_valid && c.value != '\\' && tn__utf8_is_printable(c.value);
    if (length + (is_plain ? 1 : 3) * c.bytes.length > limit) {
      memcpy(out.text + length, "...", 4);
      return out;
    }
    if (is_plain) {
      memcpy(out.text + length, c.bytes.data, c.bytes.length);
      length += c.bytes.length;
    } else {
      length += write_hexadecimal(c.bytes, out.text + length);
    }
  }
  out.text[length] = 0;
  return out;
}
