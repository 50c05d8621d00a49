// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Files of several arrays: x.npz:KEY and x.safetensors:NAME.
#include <string.h>

#include "cli.h"

static const struct {
  const char* extension;
  cli_read_fn read;
  cli_write_fn write;
} kinds[] = {
    {".npz", tn_npz_read, tn_npz_write},
    {".safetensors", tn_safetensors_read, tn_safetensors_write},
};
enum { KIND_COUNT = sizeof kinds / sizeof *kinds };

bool cli_is_archive(const char* spec, archive_t* out_archive) {
  for (size_t i = 0; i < KIND_COUNT; ++i) {
    const size_t length = strlen(kinds[i].extension);
    for (const char* at = strstr(spec, kinds[i].extension); at;
         at = strstr(at + 1, kinds[i].extension)) {
      if (at[length] != ':' || at == spec) continue;
      const size_t path_length = (size_t)(at - spec) + length;
      if (path_length >= sizeof out_archive->path) return false;
      memcpy(out_archive->path, spec, path_length);
      out_archive->path[path_length] = 0;
      out_archive->key = at + length + 1;
      out_archive->read = kinds[i].read;
      out_archive->write = kinds[i].write;
      return true;
    }
  }
  return false;
}

bool cli_needs_key(const char* spec) {
  for (size_t i = 0; i < KIND_COUNT; ++i) {
    const size_t length = strlen(kinds[i].extension), spec_length = strlen(spec);
    if (spec_length > length && !strcmp(spec + spec_length - length, kinds[i].extension)) {
      return true;
    }
  }
  return false;
}
