// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "ir/ir.h"

tn_status_t tn__source_create(const tn_allocator_t* allocator, tn_string_view_t name,
                              tn_string_view_t text, tn_source_t** out_source) {
  tn_status_t status = TN_OK;
  void* memory = NULL;
  void* copy = NULL;
  *out_source = NULL;
  size_t size = sizeof(tn_source_t) + name.length + 1;
  TN_DONE_IF_ERROR(tn__allocate(allocator, size, &memory));
  TN_DONE_IF_ERROR(tn__allocate(allocator, text.length + 1, &copy));
  tn_source_t* source = memory;
  memory = NULL;
  atomic_init(&source->references, 1);
  source->allocator = allocator;
  source->byte_size = text.length;
  source->first_line = 1;
  source->text = copy;
  if (text.length) memcpy(source->text, text.data, text.length);
  memcpy(source->name, name.data, name.length);
  *out_source = source;
done:
  tn__free(allocator, memory, size);
  return status;
}

tn_source_t* tn__source_retain(tn_source_t* source) {
  if (source) atomic_fetch_add(&source->references, 1);
  return source;
}

void tn__source_release(tn_source_t* source) {
  if (!source || atomic_fetch_sub(&source->references, 1) != 1) return;
  const tn_allocator_t* allocator = source->allocator;
  tn__free(allocator, source->text, source->byte_size + 1);
  tn__free(allocator, source, sizeof *source + strlen(source->name) + 1);
}

tn_status_t tn__source_locate(const tn_source_t* source, tn_location_t location,
                              tn_status_t status) {
  if (!source || !status || location.line == 0) return status;
  const char* line = source->text;
  const char* end = source->text + source->byte_size;
  for (uint32_t i = source->first_line; i < location.line; ++i) {
    const char* newline = memchr(line, '\n', (size_t)(end - line));
    if (!newline) return status;
    line = newline + 1;
  }
  const char* line_end = line == end ? end : memchr(line, '\n', (size_t)(end - line));
  if (!line_end) line_end = end;
  return tn_status_at(status, source->name, location.line, location.column, line ? line : "",
                      (size_t)(line_end - line));
}
