// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "text/bytecode/artifact.h"

#include <stdarg.h>
#include <stdio.h>

#include "text/bytecode/container.h"

// --- the whole

static void init_tables(tn_artifact_t* artifact) {
  tn_names_t* const tables[] = {
      &artifact->strings,     &artifact->attrs,       &artifact->types,    &artifact->properties,
      &artifact->known_types, &artifact->known_attrs, &artifact->known_ops};
  for (size_t i = 0; i < sizeof tables / sizeof *tables; ++i) {
    tn__names_init(tables[i], artifact->allocator);
  }
}

// An array of the arena.
static tn_status_t allocate(tn_artifact_t* artifact, size_t count, size_t size, void* out) {
  void* memory = NULL;
  TN_RETURN_IF_ERROR(tn__arena_allocate_array(&artifact->arena, count, size, &memory));
  memcpy(out, &memory, sizeof memory);
  return TN_OK;
}

tn_status_t tn__artifact_init(tn_artifact_t* artifact, const tn_module_t* module,
                              tn_artifact_version_t version, bool is_version_given) {
  const size_t count = tn__vhlo_op_count();
  *artifact = (tn_artifact_t){.module = module,
                              .allocator = module->allocator,
                              .version = version,
                              .needed = version,
                              .is_version_given = is_version_given};
  tn__arena_init(&artifact->arena, artifact->allocator);
  init_tables(artifact);
  tn__bytes_init(&artifact->scratch, artifact->allocator, &artifact->status);
  tn__bytes_init(&artifact->numbers, artifact->allocator, &artifact->status);
  TN_RETURN_IF_ERROR(allocate(artifact, count, sizeof *artifact->ops, &artifact->ops));
  TN_RETURN_IF_ERROR(allocate(artifact, count, sizeof *artifact->op_names, &artifact->op_names));
  TN_RETURN_IF_ERROR(allocate(artifact, TN_OP_ID_COUNT, sizeof *artifact->first_versions,
                              &artifact->first_versions));
  for (size_t i = count; i-- > 0;) {
    const tn_vhlo_op_t* vhlo = tn__vhlo_op_at(i);
    artifact->first_versions[vhlo->op - tn__ops] = vhlo;
  }
  return TN_OK;
}

void tn__artifact_deinit(tn_artifact_t* artifact) {
  tn__names_deinit(&artifact->strings);
  tn__names_deinit(&artifact->attrs);
  tn__names_deinit(&artifact->types);
  tn__names_deinit(&artifact->properties);
  tn__names_deinit(&artifact->known_types);
  tn__names_deinit(&artifact->known_attrs);
  tn__names_deinit(&artifact->known_ops);
  tn__bytes_deinit(&artifact->scratch);
  tn__bytes_deinit(&artifact->numbers);
  tn__arena_deinit(&artifact->arena);
}

// --- errors

void tn__artifact_keep(tn_artifact_t* artifact, tn_status_t status) {
  if (artifact->status) {
    tn_status_release(status);
  } else {
    artifact->status = status;
  }
}

// The place of what is being written, before the message.
static tn_status_t locate(const tn_artifact_t* artifact, tn_status_t status) {
  if (artifact->node) {
    status = tn_status_prefix(status, "%s", tn__op_written(artifact->node->op)->name);
    return tn__node_locate(artifact->node, status);
  }
  if (!artifact->function) return tn_status_prefix(status, "the module");
  status = tn_status_prefix(status, "@%.*s", TN_SV(artifact->function->name));
  return tn__function_locate(artifact->function, status);
}

void tn__artifact_fail(tn_artifact_t* artifact, const char* format, ...) {
  char message[512];
  va_list arguments;
  if (artifact->status) return;
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  artifact->status = locate(artifact, tn_status_create(TN_CODE_INVALID_ARGUMENT, "%s", message));
}

void tn__artifact_need(tn_artifact_t* artifact, tn_artifact_version_t since, const char* what) {
  if (since > artifact->needed) artifact->needed = since;
  if (since <= artifact->version || !artifact->is_version_given) return;
  tn__artifact_fail(artifact,
                    "%s is in StableHLO from version %u.%u.%u on; the artifact is to be of version "
                    "%u.%u.%u",
                    what, TN_ARTIFACT_PARTS(since), TN_ARTIFACT_PARTS(artifact->version));
}

// --- tables

// The number of `key`, which outlives the table, in it.
static uint64_t number_of(tn_artifact_t* artifact, tn_names_t* table, tn_string_view_t key) {
  const tn_name_entry_t* entry = tn__names_find(table, key);
  if (entry) return entry->number;
  const uint32_t number = (uint32_t)table->count;
  tn__artifact_keep(artifact, tn__names_add(table, key, number, NULL));
  return number;
}

uint64_t tn__artifact_string(tn_artifact_t* artifact, tn_string_view_t text) {
  return number_of(artifact, &artifact->strings, text);
}

tn_bytes_t* tn__artifact_begin(tn_artifact_t* artifact, tn_artifact_encoding_t kind) {
  artifact->scratch.length = 0;
  tn__bytes_byte(&artifact->scratch, (uint8_t)kind);
  return &artifact->scratch;
}

uint64_t tn__artifact_end(tn_artifact_t* artifact, tn_names_t* table) {
  tn_string_view_t key = tn__bytes_view(&artifact->scratch);
  if (artifact->status) return 0;
  const tn_name_entry_t* entry = tn__names_find(table, key);
  if (entry) return entry->number;
  tn__artifact_keep(artifact, tn__arena_copy_string(&artifact->arena, key, &key));
  return artifact->status ? 0 : number_of(artifact, table, key);
}

typedef struct known_key {
  const void* address;
  uint64_t form;
} known_key_t;

static tn_string_view_t key_text(const known_key_t* key) {
  return (tn_string_view_t){(const char*)key, sizeof *key};
}

bool tn__artifact_recall(const tn_names_t* known, const void* address, uint64_t form,
                         uint64_t* out_number) {
  const known_key_t key = {address, form};
  const tn_name_entry_t* entry = tn__names_find(known, key_text(&key));
  if (!entry) return false;
  *out_number = entry->number == UINT32_MAX ? TN_ARTIFACT_NOTHING : entry->number;
  return true;
}

void tn__artifact_note(tn_artifact_t* artifact, tn_names_t* known, const void* address,
                       uint64_t form, uint64_t number) {
  known_key_t* key = NULL;
  if (artifact->status) return;
  artifact->status = allocate(artifact, 1, sizeof *key, &key);
  if (artifact->status) return;
  *key = (known_key_t){address, form};
  artifact->status = tn__names_add(known, key_text(key), (uint32_t)number, NULL);
}

uint64_t tn__artifact_op_name(tn_artifact_t* artifact, tn_artifact_op_t* op) {
  if (op->number == 0) {
    artifact->op_names[artifact->op_name_count] = op->vhlo;
    op->number = TN_ARTIFACT_FIRST_OP + (uint32_t)artifact->op_name_count++;
  }
  return op->number;
}

// --- numbers that wait

void tn__artifact_push(tn_artifact_t* artifact, uint64_t number) {
  tn__bytes_put(&artifact->numbers, &number, sizeof number);
}

void tn__artifact_put_numbers(const tn_artifact_t* artifact, size_t mark, size_t end,
                              tn_bytes_t* out) {
  for (size_t at = mark; at < end; at += sizeof(uint64_t)) {
    uint64_t number;
    memcpy(&number, (const char*)artifact->numbers.data + at, sizeof number);
    tn__bytes_varint(out, number);
  }
}

void tn__artifact_pop(tn_artifact_t* artifact, size_t mark, tn_bytes_t* out) {
  tn__artifact_put_numbers(artifact, mark, artifact->numbers.length, out);
  artifact->numbers.length = mark;
}

// --- sections

enum { DIALECT_BUILTIN, DIALECT_VHLO, DIALECT_COUNT };

static void put_op_name(tn_artifact_t* artifact, const char* name, tn_bytes_t* out) {
  tn__bytes_flagged(out, tn__artifact_string(artifact, tn__sv(name)), true);
}

static void put_dialects(tn_artifact_t* artifact, tn_bytes_t* out) {
  static const char* const names[DIALECT_COUNT] = {"builtin", "vhlo"};
  tn__bytes_varint(out, DIALECT_COUNT);
  for (int i = 0; i < DIALECT_COUNT; ++i) {
    tn__bytes_flagged(out, tn__artifact_string(artifact, tn__sv(names[i])), false);
  }
  tn__bytes_varint(out, TN_ARTIFACT_FIRST_OP + artifact->op_name_count);
  tn__bytes_varint(out, DIALECT_BUILTIN);
  tn__bytes_varint(out, 1);
  put_op_name(artifact, "module", out);
  tn__bytes_varint(out, DIALECT_VHLO);
  tn__bytes_varint(out, 1 + artifact->op_name_count);
  put_op_name(artifact, "func_v1", out);
  for (size_t i = 0; i < artifact->op_name_count; ++i) {
    put_op_name(artifact, artifact->op_names[i]->name, out);
  }
}

// Lengths in reverse order, each with the NUL; then the strings.
static void put_strings(tn_artifact_t* artifact, tn_bytes_t* out) {
  const tn_names_t* strings = &artifact->strings;
  tn__bytes_varint(out, strings->count);
  for (size_t i = strings->count; i-- > 0;) {
    tn__bytes_varint(out, strings->entries[i].name.length + 1);
  }
  for (size_t i = 0; i < strings->count; ++i) tn__bytes_text(out, strings->entries[i].name);
}

static uint8_t kind_of(const tn_name_entry_t* entry) {
  return (uint8_t)entry->name.data[0];
}

static int dialect_of(const tn_name_entry_t* entry) {
  return kind_of(entry) == TN_ENCODING_VHLO ? DIALECT_VHLO : DIALECT_BUILTIN;
}

// The sizes of a table's encodings, in runs of one dialect; how long they all are.
static uint64_t put_offsets(const tn_names_t* table, tn_bytes_t* out) {
  uint64_t total = 0;
  for (size_t i = 0; i < table->count;) {
    const tn_name_entry_t* first = &table->entries[i];
    size_t count = 1;
    while (i + count < table->count && dialect_of(first + count) == dialect_of(first)) ++count;
    tn__bytes_varint(out, (uint64_t)dialect_of(first));
    tn__bytes_varint(out, count);
    for (size_t end = i + count; i < end; ++i) {
      const tn_name_entry_t* entry = &table->entries[i];
      tn__bytes_flagged(out, entry->name.length - 1, kind_of(entry) != TN_ENCODING_TEXT);
      total += entry->name.length - 1;
    }
  }
  return total;
}

static void write_encodings(const tn_names_t* table, tn_writer_t* writer) {
  for (size_t i = 0; i < table->count; ++i) {
    const tn_string_view_t encoding = table->entries[i].name;
    tn__write(writer, encoding.data + 1, encoding.length - 1);
  }
}

static void put_properties(const tn_names_t* table, tn_bytes_t* out) {
  tn__bytes_varint(out, table->count);
  for (size_t i = 0; i < table->count; ++i) {
    const tn_string_view_t encoding = table->entries[i].name;
    tn__bytes_blob(out, encoding.data + 1, encoding.length - 1);
  }
}

static void put_header(const tn_artifact_t* artifact, tn_bytes_t* out) {
  char producer[64];
  const int length = snprintf(producer, sizeof producer, "StableHLO_v%u.%u.%u",
                              TN_ARTIFACT_PARTS(artifact->version));
  tn__bytes_put(out, tn__bytecode_magic, sizeof tn__bytecode_magic);
  tn__bytes_varint(out, TN_BYTECODE_NEWEST);
  tn__bytes_text(out, (tn_string_view_t){producer, (size_t)length});
}

// Writes what is in `bytes`, and begins it anew.
static void flush(tn_bytes_t* bytes, tn_writer_t* writer) {
  if (bytes->length) tn__write(writer, bytes->data, bytes->length);
  bytes->length = 0;
}

void tn__artifact_assemble(tn_artifact_t* artifact, const tn_bytes_t* operations,
                           tn_writer_t* writer) {
  tn_bytes_t section, head;
  tn__bytes_init(&section, artifact->allocator, &artifact->status);
  tn__bytes_init(&head, artifact->allocator, &artifact->status);
  put_header(artifact, &head);
  put_dialects(artifact, &section);  // which adds strings
  tn__bytes_section(&head, TN_SECTION_DIALECTS, &section);
  section.length = 0;
  put_strings(artifact, &section);
  tn__bytes_section(&head, TN_SECTION_STRINGS, &section);
  section.length = 0;
  tn__bytes_varint(&section, artifact->attrs.count);
  tn__bytes_varint(&section, artifact->types.count);
  const uint64_t attr_bytes = put_offsets(&artifact->attrs, &section);
  const uint64_t type_bytes = put_offsets(&artifact->types, &section);
  tn__bytes_byte(&head, TN_SECTION_ENCODINGS);
  tn__bytes_varint(&head, attr_bytes + type_bytes);
  if (!artifact->status) {
    flush(&head, writer);
    write_encodings(&artifact->attrs, writer);
    write_encodings(&artifact->types, writer);
    tn__bytes_section(&head, TN_SECTION_OFFSETS, &section);
    section.length = 0;
    put_properties(&artifact->properties, &section);
    tn__bytes_section(&head, TN_SECTION_PROPERTIES, &section);
    tn__bytes_section(&head, TN_SECTION_OPERATIONS, operations);
    flush(&head, writer);
  }
  tn__bytes_deinit(&section);
  tn__bytes_deinit(&head);
}
