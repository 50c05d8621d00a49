// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Files written in one go.
#ifndef TENON_IO_WRITE_FILE_H_
#define TENON_IO_WRITE_FILE_H_

#include <tenon/npy.h>

// Calls `write` with the file, for tn_file_writer_write, and replaces what is at `path` when it
// succeeds.
static inline tn_status_t tn__write_file(const char* path,
                                         tn_status_t (*write)(const void* user, void* file),
                                         const void* user) {
  tn_file_writer_t* writer = NULL;
  tn_status_t status = tn_file_writer_create(path, &writer);
  if (!status) status = write(user, writer);
  if (!status) return tn_file_writer_commit(writer);
  tn_file_writer_discard(writer);
  return status;
}

#endif  // TENON_IO_WRITE_FILE_H_
