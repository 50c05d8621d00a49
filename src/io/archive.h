// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// A file of named arrays while it is open: what the formats have in common.
#ifndef TENON_IO_ARCHIVE_H_
#define TENON_IO_ARCHIVE_H_

#include "base/arena.h"
#include "io/source.h"

typedef struct tn_archive_entry {
  tn_string_view_t name;  // with a NUL behind it
  const void* facts;      // what the format knows of it
} tn_archive_entry_t;

typedef struct tn_archive_text {
  const char *key, *value;
} tn_archive_text_t;

// A format. `name` in messages is "PATH:NAME".
typedef struct tn_archive_format {
  const char* what;  // "array": what messages call an entry
  // Reads the list of entries, and adds them.
  tn_status_t (*list)(tn_archive_t* archive);
  tn_status_t (*read)(tn_archive_t* archive, const tn_archive_entry_t* entry, const char* name,
                      tn_device_t* device, const tn_type_t* expected, tn_buffer_t** out_buffer);
} tn_archive_format_t;
extern const tn_archive_format_t tn__npz_format, tn__safetensors_format;

struct tn_archive {
  tn_arena_t arena;
  const tn_archive_format_t* format;
  const char* name;  // for messages
  tn_byte_source_t source;
  tn_file_source_t file;
  size_t count, capacity;
  tn_archive_entry_t* entries;  // in the order of the file
  const uint32_t* by_name;      // sorted
  size_t text_count, text_capacity;
  tn_archive_text_t* texts;
};

// The bytes of the file itself.
TN_MUST_USE static inline tn_status_t tn__archive_bytes(const tn_archive_t* archive,
                                                        uint64_t offset, void* data,
                                                        size_t length) {
  tn_status_t status = tn__source_read(&archive->source, offset, data, length);
  return status ? tn_status_prefix(status, "%s", archive->name) : TN_OK;
}

// Both keep their arguments, which are in the arena.
TN_MUST_USE tn_status_t tn__archive_add(tn_archive_t* archive, tn_string_view_t name,
                                        const void* facts);
TN_MUST_USE tn_status_t tn__archive_add_text(tn_archive_t* archive, const char* key,
                                             const char* value);

// Reads one entry of a file.
TN_MUST_USE tn_status_t tn__archive_read_one(const tn_archive_format_t* format, tn_device_t* device,
                                             const char* path, const char* name,
                                             const tn_type_t* expected, tn_buffer_t** out_buffer);

#endif  // TENON_IO_ARCHIVE_H_
