// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "base/writer.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/c_locale.h"

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

static void flush(tn_writer_t* writer) {
  send(writer, writer->chunk, writer->length);
  writer->length = 0;
}

tn_status_t tn__writer_finish(tn_writer_t* writer) {
  flush(writer);
  tn_status_t status = writer->status;
  writer->status = TN_OK;
  return status;
}

void tn__write(tn_writer_t* writer, const char* text, size_t length) {
  if (length > sizeof writer->chunk - writer->length) flush(writer);
  if (length > sizeof writer->chunk) {
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

void tn__write_json_text(tn_writer_t* writer, const char* text, size_t length) {
  for (size_t i = 0; i < length; ++i) {
    unsigned char c = (unsigned char)text[i];
    if (c == '"' || c == '\\') {
      tn__writef(writer, "\\%c", c);
    } else if (c < 0x20) {
      tn__writef(writer, "\\u%04x", c);
    } else {
      tn__write(writer, (const char*)&c, 1);
    }
  }
}

void tn__write_json_string(tn_writer_t* writer, tn_string_view_t text) {
  tn__write(writer, "\"", 1);
  tn__write_json_text(writer, text.data, text.length);
  tn__write(writer, "\"", 1);
}

void tn__write_xml(tn_writer_t* writer, tn_string_view_t text) {
  for (size_t i = 0; i < text.length; ++i) {
    unsigned char c = (unsigned char)text.data[i];
    switch (c) {
      case '<': tn__write_string(writer, "&lt;"); break;
      case '>': tn__write_string(writer, "&gt;"); break;
      case '&': tn__write_string(writer, "&amp;"); break;
      case '"': tn__write_string(writer, "&quot;"); break;
      default:
        // Control characters are not XML, whatever their spelling.
        tn__write(writer, c < 0x20 ? " " : (const char*)&c, 1);
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

tn_name_text_t tn__name_text(tn_string_view_t name) {
  tn_name_text_t out = {""};
  size_t length = 0, limit = sizeof out.text - 4;  // room for "..."
  for (size_t i = 0; i < name.length; ++i) {
    unsigned char byte = (unsigned char)name.data[i];
    bool is_plain = byte >= 0x20 && byte != 0x7F && byte != '\\';
    size_t needed = is_plain ? 1 : 3;
    if (length + needed > limit) {
      // Not in the middle of a character of several bytes.
      while (length && ((unsigned char)out.text[length - 1] & 0xC0) == 0x80) --length;
      if (length && (unsigned char)out.text[length - 1] >= 0xC0) --length;
      memcpy(out.text + length, "...", 4);
      return out;
    }
    if (is_plain) {
      out.text[length++] = (char)byte;
    } else {
      snprintf(out.text + length, 4, "\\%02X", byte);
      length += 3;
    }
  }
  out.text[length] = 0;
  return out;
}
