// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "base/status.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/c_locale.h"

// Wrapped for the analyzer; defined here.
#undef tn_status_create
#undef tn__status_out_of_memory

typedef struct tn_note {
  struct tn_note* next;
  char text[];
} tn_note_t;

struct tn_status {
  atomic_uint references;  // 0 marks the static status, which is never freed or changed
  tn_code_t code;
  char* message;
  char* file;  // NULL: none
  uint32_t line, column;
  char* line_text;  // NULL: none
  tn_note_t* notes;
};

static struct tn_status out_of_memory = {
    .code = TN_CODE_RESOURCE_EXHAUSTED,
    .message = (char*)"out of memory",
};

static struct tn_status pending = {.code = TN_CODE_UNKNOWN, .message = (char*)"pending"};

static bool is_static(tn_status_t status) {
  return status == &out_of_memory || status == &pending;
}

const char* tn_code_name(tn_code_t code) {
  switch (code) {
#define TN_CODE(name, number, meaning) \
  case TN_CODE_##name:                 \
    return #name;
#include <tenon/detail/status.def>
#undef TN_CODE
  }
  return "UNKNOWN";
}

static char* format_text(const char* format, va_list arguments) {
  va_list again;
  va_copy(again, arguments);
  int length = tn__c_vsnprintf(NULL, 0, format, again);
  va_end(again);
  if (length < 0) return NULL;
  char* text = malloc((size_t)length + 1);
  if (text) tn__c_vsnprintf(text, (size_t)length + 1, format, arguments);
  return text;
}

static char* copy_text(const char* text, size_t length) {
  char* copy = malloc(length + 1);
  if (!copy) return NULL;
  memcpy(copy, text, length);
  copy[length] = 0;
  return copy;
}

tn_status_t tn__status_out_of_memory(void) {
  return &out_of_memory;
}

tn_status_t tn__status_pending(void) {
  return &pending;
}

tn_status_t tn_status_create(tn_code_t code, const char* format, ...) {
  tn_status_t status = calloc(1, sizeof *status);
  if (!status) return &out_of_memory;
  va_list arguments;
  va_start(arguments, format);
  status->message = format_text(format, arguments);
  va_end(arguments);
  if (!status->message) {
    free(status);
    return &out_of_memory;
  }
  atomic_init(&status->references, 1);
  status->code = code == TN_CODE_OK ? TN_CODE_INTERNAL : code;
  return status;
}

tn_status_t tn_status_retain(tn_status_t status) {
  if (status && !is_static(status)) atomic_fetch_add(&status->references, 1);
  return status;
}

void tn_status_release(tn_status_t status) {
  if (!status || is_static(status) || atomic_fetch_sub(&status->references, 1) != 1) return;
  for (tn_note_t* note = status->notes; note;) {
    tn_note_t* next = note->next;
    free(note);
    note = next;
  }
  free(status->message);
  free(status->file);
  free(status->line_text);
  free(status);
}

tn_code_t tn_status_code(tn_status_t status) {
  return status ? status->code : TN_CODE_OK;
}
const char* tn_status_message(tn_status_t status) {
  return status ? status->message : "";
}
uint32_t tn_status_line(tn_status_t status) {
  return status ? status->line : 0;
}
uint32_t tn_status_column(tn_status_t status) {
  return status ? status->column : 0;
}
const char* tn_status_file(tn_status_t status) {
  return status ? status->file : NULL;
}

tn_status_t tn_status_at(tn_status_t status, const char* file, uint32_t line, uint32_t column,
                         const char* line_text, size_t line_text_length) {
  if (!status || is_static(status) || status->line) return status;
  status->line = line;
  status->column = column;
  status->file = file ? copy_text(file, strlen(file)) : NULL;
  status->line_text = line_text ? copy_text(line_text, line_text_length) : NULL;
  return status;
}

tn_status_t tn_status_note(tn_status_t status, const char* format, ...) {
  if (!status || is_static(status)) return status;
  va_list arguments;
  va_start(arguments, format);
  char* text = format_text(format, arguments);
  va_end(arguments);
  if (!text) return status;  // a note is help, not the error: it may be lost when memory is short
  size_t length = strlen(text);
  tn_note_t* note = malloc(sizeof *note + length + 1);
  if (note) {
    note->next = NULL;
    memcpy(note->text, text, length + 1);
    tn_note_t** end = &status->notes;
    while (*end) end = &(*end)->next;
    *end = note;
  }
  free(text);
  return status;
}

tn_status_t tn_status_prefix(tn_status_t status, const char* format, ...) {
  if (!status || is_static(status)) return status;
  va_list arguments;
  va_start(arguments, format);
  char* prefix = format_text(format, arguments);
  va_end(arguments);
  if (!prefix) return status;
  size_t prefix_length = strlen(prefix), message_length = strlen(status->message);
  char* message = malloc(prefix_length + message_length + 3);
  if (message) {
    memcpy(message, prefix, prefix_length);
    memcpy(message + prefix_length, ": ", 2);
    memcpy(message + prefix_length + 2, status->message, message_length + 1);
    free(status->message);
    status->message = message;
  }
  free(prefix);
  return status;
}

// snprintf's contract over several pieces.
typedef struct writer {
  char* buffer;
  size_t capacity;
  size_t length;
} writer_t;

static void put(writer_t* writer, const char* text, size_t length) {
  if (writer->length < writer->capacity) {
    size_t room = writer->capacity - writer->length;
    memcpy(writer->buffer + writer->length, text, length < room ? length : room);
  }
  writer->length += length;
}

static void put_string(writer_t* writer, const char* text) {
  put(writer, text, strlen(text));
}

// The line as it is, windowed around the column when it is very long, and a caret below it.
static void put_caret(writer_t* writer, const char* text, uint32_t column) {
  enum { WINDOW = 120, BEFORE = 60 };
  size_t length = strlen(text);
  size_t at = column ? column - 1 : 0;
  if (at > length) at = length;
  size_t begin = at > BEFORE && length > WINDOW ? at - BEFORE : 0;
  size_t end = length - begin > WINDOW ? begin + WINDOW : length;
  put_string(writer, begin ? "  ..." : "  ");
  put(writer, text + begin, end - begin);
  put_string(writer, end < length ? "...\n" : "\n");
  put_string(writer, begin ? "     " : "  ");
  for (size_t i = begin; i < at; ++i) put(writer, text[i] == '\t' ? "\t" : " ", 1);
  put_string(writer, "^\n");
}

size_t tn_status_format(tn_status_t status, char* buffer, size_t capacity) {
  writer_t writer = {buffer, capacity ? capacity - 1 : 0, 0};
  if (!status) {
    put_string(&writer, "OK\n");
  } else {
    if (status->line) {
      char place[48];
      snprintf(place, sizeof place, ":%u:%u: ", status->line, status->column);
      put_string(&writer, status->file ? status->file : "<input>");
      put_string(&writer, place);
    }
    put_string(&writer, "error: ");
    put_string(&writer, status->message);
    put_string(&writer, "\n");
    if (status->line && status->line_text) put_caret(&writer, status->line_text, status->column);
    for (tn_note_t* note = status->notes; note; note = note->next) {
      put_string(&writer, "note: ");
      put_string(&writer, note->text);
      put_string(&writer, "\n");
    }
  }
  if (capacity) buffer[writer.length < capacity ? writer.length : capacity - 1] = 0;
  return writer.length;
}

void tn_status_print(tn_status_t status, FILE* stream) {
  char report[1024];
  const size_t length = tn_status_format(status, report, sizeof report);
  char* whole = length < sizeof report ? NULL : malloc(length + 1);
  if (whole) tn_status_format(status, whole, length + 1);
  fputs(whole ? whole : report, stream);
  free(whole);
}
