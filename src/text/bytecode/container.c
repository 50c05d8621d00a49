// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "text/bytecode/container.h"

#include <stdarg.h>
#include <stdio.h>

static const char* const section_names[TN_SECTION_COUNT] = {
    "strings",   "dialects",         "attributes and types", "offsets",   "operations",
    "resources", "resource offsets", "dialect versions",     "properties"};

const uint8_t tn__bytecode_magic[4] = {'M', 'L', 0xEF, 'R'};

// --- errors

static tn_status_t fail(const tn_bytecode_t* bytecode, const uint8_t* position, tn_code_t code,
                        const char* format, va_list arguments) {
  char message[512];
  vsnprintf(message, sizeof message, format, arguments);
  return tn_status_create(code, "%s: byte %zu: %s", bytecode->name,
                          (size_t)(position - bytecode->begin), message);
}

tn_status_t tn__bytecode_fail(const tn_bytecode_t* bytecode, const uint8_t* position,
                              const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  tn_status_t status = fail(bytecode, position, TN_CODE_INVALID_ARGUMENT, format, arguments);
  va_end(arguments);
  return status;
}

tn_status_t tn__bytecode_unsupported(const tn_bytecode_t* bytecode, const uint8_t* position,
                                     const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  tn_status_t status = fail(bytecode, position, TN_CODE_UNIMPLEMENTED, format, arguments);
  va_end(arguments);
  return status;
}

tn_status_t tn__bytecode_locate(const tn_bytecode_t* bytecode, const uint8_t* position,
                                tn_status_t status) {
  return tn_status_prefix(status, "%s: byte %zu", bytecode->name,
                          (size_t)(position - bytecode->begin));
}

tn_status_t tn__bytecode_check(const tn_bytecode_t* bytecode, const tn_cursor_t* cursor,
                               const char* what) {
  if (!cursor->bad) return TN_OK;
  return tn__bytecode_fail(bytecode, cursor->bad, "the bytes end in the middle of %s", what);
}

tn_status_t tn__bytecode_enter(tn_bytecode_t* bytecode, const uint8_t* position) {
  if (bytecode->depth == TN_LIMIT_NESTING) {
    return tn__bytecode_fail(bytecode, position, "nested deeper than %d levels", TN_LIMIT_NESTING);
  }
  ++bytecode->depth;
  return TN_OK;
}

tn_status_t tn__bytecode_string(tn_bytecode_t* bytecode, tn_cursor_t* cursor,
                                tn_string_view_t* out_string) {
  const uint8_t* position = cursor->position;
  uint64_t index = tn__cursor_varint(cursor);
  *out_string = (tn_string_view_t){"", 0};
  if (cursor->bad) return tn__bytecode_check(bytecode, cursor, "the number of a string");
  if (index >= bytecode->string_count) {
    return tn__bytecode_fail(bytecode, position, "string %llu of %zu", (unsigned long long)index,
                             bytecode->string_count);
  }
  tn_bytecode_string_t* string = &bytecode->strings[index];
  if (!string->kept) {
    TN_RETURN_IF_ERROR(tn__arena_copy_string(bytecode->arena, string->text, &string->text));
    string->kept = true;
  }
  *out_string = string->text;
  return TN_OK;
}

// --- sections

tn_status_t tn__bytecode_section(tn_bytecode_t* bytecode, tn_cursor_t* cursor, uint8_t* out_id,
                                 tn_cursor_t* out_section) {
  enum { ALIGNED = 0x80, PADDING = 0xCB };
  const uint8_t* position = cursor->position;
  uint8_t id = tn__cursor_byte(cursor);
  uint64_t length = tn__cursor_varint(cursor);
  *out_id = id & (ALIGNED - 1);
  *out_section = tn__cursor(cursor->position, cursor->position);
  if (id & ALIGNED) {
    uint64_t alignment = tn__cursor_varint(cursor);
    if (!cursor->bad && (alignment == 0 || (alignment & (alignment - 1)))) {
      return tn__bytecode_fail(bytecode, position, "a section is aligned to %llu bytes",
                               (unsigned long long)alignment);
    }
    uint64_t offset = (uint64_t)(cursor->position - bytecode->begin);
    uint64_t padding = (0 - offset) & (alignment - 1);
    const uint8_t* bytes = tn__cursor_take(cursor, padding);
    for (uint64_t i = 0; bytes && i < padding; ++i) {
      if (bytes[i] != PADDING) {
        return tn__bytecode_fail(bytecode, bytes + i, "expected padding before a section");
      }
    }
  }
  const uint8_t* data = tn__cursor_take(cursor, length);
  TN_RETURN_IF_ERROR(tn__bytecode_check(bytecode, cursor, "a section"));
  *out_section = tn__cursor(data, data + length);
  return TN_OK;
}

static tn_status_t read_sections(tn_bytecode_t* bytecode, tn_cursor_t* cursor,
                                 tn_cursor_t sections[TN_SECTION_COUNT]) {
  bool seen[TN_SECTION_COUNT] = {false};
  while (tn__cursor_left(cursor)) {
    const uint8_t* position = cursor->position;
    uint8_t id = 0;
    tn_cursor_t section;
    TN_RETURN_IF_ERROR(tn__bytecode_section(bytecode, cursor, &id, &section));
    if (id >= TN_SECTION_COUNT || id == TN_SECTION_VERSIONS) {
      return tn__bytecode_fail(bytecode, position, "there is no section %d", id);
    }
    if (seen[id]) {
      return tn__bytecode_fail(bytecode, position, "the section of %s is there twice",
                               section_names[id]);
    }
    seen[id] = true;
    sections[id] = section;
  }
  for (int id = 0; id <= TN_SECTION_OPERATIONS; ++id) {
    if (!seen[id]) {
      return tn__bytecode_fail(bytecode, cursor->end, "the section of %s is missing",
                               section_names[id]);
    }
  }
  return TN_OK;
}

static tn_status_t allocate(tn_bytecode_t* bytecode, size_t count, size_t size, void* out) {
  void* memory = NULL;
  TN_RETURN_IF_ERROR(tn__arena_allocate_array(&bytecode->scratch, count, size, &memory));
  memcpy(out, &memory, sizeof memory);
  return TN_OK;
}

// --- strings: lengths in reverse order, each with the NUL that ends the string; then the strings

static tn_status_t read_strings(tn_bytecode_t* bytecode, tn_cursor_t cursor) {
  size_t count = tn__cursor_count(&cursor);
  TN_RETURN_IF_ERROR(tn__bytecode_check(bytecode, &cursor, "the strings"));
  TN_RETURN_IF_ERROR(allocate(bytecode, count, sizeof *bytecode->strings, &bytecode->strings));
  bytecode->string_count = count;
  for (size_t i = count; i-- > 0;) {
    bytecode->strings[i].text.length = (size_t)tn__cursor_varint(&cursor);
  }
  for (size_t i = 0; i < count && !cursor.bad; ++i) {
    tn_string_view_t* string = &bytecode->strings[i].text;
    const uint8_t* data = tn__cursor_take(&cursor, string->length);
    if (!data) break;
    if (string->length == 0 || data[string->length - 1] != 0) {
      return tn__bytecode_fail(bytecode, data, "string %zu does not end in a NUL", i);
    }
    *string = (tn_string_view_t){(const char*)data, string->length - 1};
  }
  TN_RETURN_IF_ERROR(tn__bytecode_check(bytecode, &cursor, "the strings"));
  if (tn__cursor_done(&cursor)) return TN_OK;
  return tn__bytecode_fail(bytecode, cursor.position, "more bytes than the strings have");
}

// --- dialects and names of operations

static tn_dialect_t find_dialect(tn_string_view_t name) {
  static const struct {
    const char* name;
    tn_dialect_t dialect;
  } known[] = {{"builtin", TN_DIALECT_BUILTIN}, {"vhlo", TN_DIALECT_VHLO},
               {"sdy", TN_DIALECT_SHARDY},      {"stablehlo", TN_DIALECT_PLAIN},
               {"chlo", TN_DIALECT_PLAIN},      {"func", TN_DIALECT_PLAIN}};
  for (size_t i = 0; i < sizeof known / sizeof *known; ++i) {
    if (tn__sv_is(name, known[i].name)) return known[i].dialect;
  }
  return TN_DIALECT_OTHER;
}

// The number of a dialect and of things of it that follow.
static tn_status_t read_group(const tn_bytecode_t* bytecode, tn_cursor_t* cursor,
                              const tn_encoded_dialect_t** out_dialect, size_t* out_count) {
  const uint8_t* position = cursor->position;
  uint64_t index = tn__cursor_varint(cursor);
  *out_dialect = NULL;
  *out_count = tn__cursor_count(cursor);
  TN_RETURN_IF_ERROR(tn__bytecode_check(bytecode, cursor, "a table"));
  if (index >= bytecode->dialect_count) {
    return tn__bytecode_fail(bytecode, position, "dialect %llu of %zu", (unsigned long long)index,
                             bytecode->dialect_count);
  }
  *out_dialect = &bytecode->dialects[index];
  return TN_OK;
}

static tn_status_t read_op_names(tn_bytecode_t* bytecode, tn_cursor_t* cursor) {
  const uint8_t* position = cursor->position;
  // Older versions do not say how many there are; each takes a byte.
  size_t capacity = bytecode->version >= TN_BYTECODE_OPTIONAL_LOCATIONS ? tn__cursor_count(cursor)
                                                                        : tn__cursor_left(cursor);
  TN_RETURN_IF_ERROR(allocate(bytecode, capacity, sizeof *bytecode->op_names, &bytecode->op_names));
  while (tn__cursor_left(cursor)) {
    const tn_encoded_dialect_t* dialect = NULL;
    size_t count = 0;
    TN_RETURN_IF_ERROR(read_group(bytecode, cursor, &dialect, &count));
    if (count > capacity - bytecode->op_name_count) {
      return tn__bytecode_fail(bytecode, position, "more than %zu names of operations", capacity);
    }
    for (size_t i = 0; i < count; ++i) {
      tn_cursor_t name = *cursor;
      uint64_t index = tn__cursor_varint(cursor);
      if (bytecode->version >= TN_BYTECODE_PROPERTIES) index >>= 1;  // without `is registered`
      if (cursor->bad || index >= bytecode->string_count) {
        return tn__bytecode_fail(bytecode, name.position, "string %llu of %zu",
                                 (unsigned long long)index, bytecode->string_count);
      }
      bytecode->op_names[bytecode->op_name_count++] =
          // NOLINTNEXTLINE(clang-analyzer-core.NullDereference): reading it has succeeded
          (tn_encoded_op_name_t){.dialect = dialect->dialect,
                                 .dialect_name = dialect->name,
                                 .name = bytecode->strings[index].text};
    }
  }
  return tn__bytecode_check(bytecode, cursor, "the names of operations");
}

static tn_status_t read_dialects(tn_bytecode_t* bytecode, tn_cursor_t cursor) {
  size_t count = tn__cursor_count(&cursor);
  TN_RETURN_IF_ERROR(tn__bytecode_check(bytecode, &cursor, "the dialects"));
  TN_RETURN_IF_ERROR(allocate(bytecode, count, sizeof *bytecode->dialects, &bytecode->dialects));
  bytecode->dialect_count = count;
  for (size_t i = 0; i < count; ++i) {
    const uint8_t* position = cursor.position;
    bool has_version = false;
    uint64_t index = bytecode->version >= TN_BYTECODE_DIALECT_VERSIONS
                         ? tn__cursor_flagged(&cursor, &has_version)
                         : tn__cursor_varint(&cursor);
    TN_RETURN_IF_ERROR(tn__bytecode_check(bytecode, &cursor, "the dialects"));
    if (index >= bytecode->string_count) {
      return tn__bytecode_fail(bytecode, position, "string %llu of %zu", (unsigned long long)index,
                               bytecode->string_count);
    }
    tn_string_view_t name = bytecode->strings[index].text;
    bytecode->dialects[i] = (tn_encoded_dialect_t){find_dialect(name), name};
    if (has_version) {
      uint8_t id = 0;
      tn_cursor_t version;
      TN_RETURN_IF_ERROR(tn__bytecode_section(bytecode, &cursor, &id, &version));
    }
  }
  return read_op_names(bytecode, &cursor);
}

// --- where encodings are

// Takes the next encoding of `data` by its size.
static tn_status_t read_encoded(const tn_bytecode_t* bytecode, tn_cursor_t* offsets,
                                const tn_encoded_dialect_t* dialect, tn_cursor_t* data,
                                tn_encoded_t* out) {
  const uint8_t* position = offsets->position;
  bool custom = false;
  uint64_t length = tn__cursor_flagged(offsets, &custom);
  const uint8_t* begin = tn__cursor_take(data, length);
  if (!begin || length > UINT32_MAX) {
    return tn__bytecode_fail(bytecode, position, "an attribute or type of %llu bytes",
                             (unsigned long long)length);
  }
  *out = (tn_encoded_t){.begin = begin,
                        .length = (uint32_t)length,
                        .dialect = (uint8_t)dialect->dialect,
                        .custom = custom};
  return tn__bytecode_check(bytecode, offsets, "the offsets");
}

static tn_status_t read_offsets(tn_bytecode_t* bytecode, tn_cursor_t offsets, tn_cursor_t data) {
  size_t counts[2];
  counts[0] = tn__cursor_count(&offsets);
  counts[1] = tn__cursor_count(&offsets);
  TN_RETURN_IF_ERROR(tn__bytecode_check(bytecode, &offsets, "the offsets"));
  TN_RETURN_IF_ERROR(allocate(bytecode, counts[0], sizeof *bytecode->attrs, &bytecode->attrs));
  TN_RETURN_IF_ERROR(allocate(bytecode, counts[1], sizeof *bytecode->types, &bytecode->types));
  bytecode->attr_count = counts[0];
  bytecode->type_count = counts[1];
  for (int types = 0; types < 2; ++types) {
    for (size_t done = 0; done < counts[types];) {
      const uint8_t* position = offsets.position;
      const tn_encoded_dialect_t* dialect = NULL;
      size_t count = 0;
      TN_RETURN_IF_ERROR(read_group(bytecode, &offsets, &dialect, &count));
      if (count > counts[types] - done) {
        return tn__bytecode_fail(bytecode, position, "more offsets than the table says");
      }
      for (size_t end = done + count; done < end; ++done) {
        tn_encoded_t* out = types ? &bytecode->types[done].encoded : &bytecode->attrs[done].encoded;
        TN_RETURN_IF_ERROR(read_encoded(bytecode, &offsets, dialect, &data, out));
      }
    }
  }
  if (tn__cursor_done(&offsets) && tn__cursor_done(&data)) return TN_OK;
  return tn__bytecode_fail(bytecode, offsets.position,
                           "the offsets do not cover the attributes and types");
}

static tn_status_t read_properties(tn_bytecode_t* bytecode, tn_cursor_t cursor) {
  size_t count = tn__cursor_count(&cursor);
  TN_RETURN_IF_ERROR(tn__bytecode_check(bytecode, &cursor, "the properties"));
  TN_RETURN_IF_ERROR(
      allocate(bytecode, count, sizeof *bytecode->properties, &bytecode->properties));
  bytecode->property_count = count;
  for (size_t i = 0; i < count; ++i) {
    tn_string_view_t blob = tn__cursor_blob(&cursor);
    const uint8_t* begin = (const uint8_t*)blob.data;
    TN_RETURN_IF_ERROR(tn__bytecode_check(bytecode, &cursor, "the properties"));
    bytecode->properties[i] = tn__cursor(begin, begin + blob.length);
  }
  return TN_OK;
}

// --- all

bool tn__bytecode_is(const void* data, size_t length) {
  return length >= sizeof tn__bytecode_magic &&
         memcmp(data, tn__bytecode_magic, sizeof tn__bytecode_magic) == 0;
}

void tn__bytecode_deinit(tn_bytecode_t* bytecode) {
  tn__arena_deinit(&bytecode->scratch);
}

tn_status_t tn__bytecode_init(tn_bytecode_t* bytecode, const tn_allocator_t* allocator,
                              tn_arena_t* arena, const char* name, const void* data,
                              size_t length) {
  tn_cursor_t sections[TN_SECTION_COUNT] = {{0}};
  *bytecode = (tn_bytecode_t){.name = name, .begin = data, .end = (const uint8_t*)data + length};
  bytecode->arena = arena;
  bytecode->entries_left = 16 * length + (1 << 16);
  tn__arena_init(&bytecode->scratch, allocator);
  if (!tn__bytecode_is(data, length)) {
    return tn__bytecode_fail(bytecode, bytecode->begin, "this is not MLIR bytecode");
  }
  tn_cursor_t cursor = tn__cursor(bytecode->begin + sizeof tn__bytecode_magic, bytecode->end);
  uint64_t version = tn__cursor_varint(&cursor);
  if (version > TN_BYTECODE_NEWEST) {
    return tn__bytecode_unsupported(bytecode, bytecode->begin + sizeof tn__bytecode_magic,
                                    "MLIR bytecode of version %llu; the newest known is %d",
                                    (unsigned long long)version, TN_BYTECODE_NEWEST);
  }
  bytecode->version = (uint32_t)version;
  bytecode->producer = tn__cursor_text(&cursor);
  TN_RETURN_IF_ERROR(tn__bytecode_check(bytecode, &cursor, "the header"));
  TN_RETURN_IF_ERROR(read_sections(bytecode, &cursor, sections));
  TN_RETURN_IF_ERROR(read_strings(bytecode, sections[TN_SECTION_STRINGS]));
  TN_RETURN_IF_ERROR(read_dialects(bytecode, sections[TN_SECTION_DIALECTS]));
  TN_RETURN_IF_ERROR(
      read_offsets(bytecode, sections[TN_SECTION_OFFSETS], sections[TN_SECTION_ENCODINGS]));
  if (bytecode->version >= TN_BYTECODE_PROPERTIES && sections[TN_SECTION_PROPERTIES].position) {
    TN_RETURN_IF_ERROR(read_properties(bytecode, sections[TN_SECTION_PROPERTIES]));
  }
  bytecode->operations = sections[TN_SECTION_OPERATIONS];
  return TN_OK;
}
