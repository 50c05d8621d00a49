// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "text/bytecode/reader.h"

#include "text/bytecode/producer.h"
#include "text/bytecode/walk.h"

static tn_status_t read_all(tn_bytecode_reader_t* reader) {
  tn_bytecode_t* bytecode = &reader->bytecode;
  enum { NODE_BYTES = 16 };  // for each byte of operations, as most programs have them
  TN_RETURN_IF_ERROR(tn__bytecode_check_producer(bytecode));
  TN_RETURN_IF_ERROR(tn__arena_reserve(&reader->module->arena,
                                       NODE_BYTES * tn__cursor_left(&bytecode->operations)));
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(&bytecode->scratch, bytecode->property_count, &reader->known));
  // So that there is always an array to point into.
  TN_RETURN_IF_ERROR(TN_RESERVE(reader, reader->operands, 1));
  TN_RETURN_IF_ERROR(TN_RESERVE(reader, reader->types, 1));
  TN_RETURN_IF_ERROR(TN_RESERVE(reader, reader->regions, 1));
  tn_cursor_t cursor = bytecode->operations;
  reader->values_left = tn__cursor_left(&cursor);
  reader->signature_left = tn__cursor_left(&cursor) + (1 << 16);
  TN_RETURN_IF_ERROR(tn__bytecode_module_body(reader, &cursor));
  if (tn__cursor_done(&cursor)) return TN_OK;
  return tn__bytecode_fail(bytecode, cursor.position, "more bytes than the module has");
}

static void deinit(tn_bytecode_reader_t* reader) {
  const tn_allocator_t* allocator = reader->allocator;
  tn__free(allocator, reader->values.items, reader->values.capacity * sizeof *reader->values.items);
  tn__free(allocator, reader->operands.items,
           reader->operands.capacity * sizeof *reader->operands.items);
  tn__free(allocator, reader->types.items, reader->types.capacity * sizeof *reader->types.items);
  tn__free(allocator, reader->regions.items,
           reader->regions.capacity * sizeof *reader->regions.items);
  tn__bytecode_deinit(&reader->bytecode);
}

tn_status_t tn__bytecode_read(const tn_allocator_t* allocator, const char* name, const void* data,
                              size_t length, tn_module_t** out_module) {
  tn_status_t status = TN_OK;
  tn_bytecode_reader_t reader = {.allocator = allocator};
  *out_module = NULL;
  tn__arena_init(&reader.bytecode.scratch, allocator);
  TN_DONE_IF_ERROR(tn__module_create(allocator, &reader.module));
  TN_DONE_IF_ERROR(
      tn__bytecode_init(&reader.bytecode, allocator, &reader.module->arena, name, data, length));
  TN_DONE_IF_ERROR(read_all(&reader));
  status = tn__module_verify(reader.module);
  if (status) {
    status = tn_status_prefix(status, "%s", name);
    goto done;
  }
  *out_module = reader.module;
  reader.module = NULL;
done:
  deinit(&reader);
  tn_module_release(reader.module);
  return status;
}
