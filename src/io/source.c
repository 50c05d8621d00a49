// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "io/source.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static tn_status_t read_file(void* user, uint64_t offset, void* data, size_t length) {
  const tn_file_source_t* from = user;
  for (size_t done = 0; done < length;) {
    const ssize_t count =
        pread(from->file, (char*)data + done, length - done, (off_t)(offset + done));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) {
      return tn_status_create(TN_CODE_DATA_LOSS, "%s",
                              count < 0 ? strerror(errno) : "the file ends too early");
    }
    done += (size_t)count;
  }
  return TN_OK;
}

tn_status_t tn__source_open(const char* path, tn_file_source_t* out_file) {
  struct stat about;
  *out_file = (tn_file_source_t){.file = -1};
  TN_RETURN_IF_NULL(path);
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0 || fstat(file, &about) != 0) {
    const tn_code_t code = errno == ENOENT ? TN_CODE_NOT_FOUND : TN_CODE_PERMISSION_DENIED;
    tn_status_t status = tn_status_create(code, "%s: %s", path, strerror(errno));
    if (file >= 0) close(file);
    return status;
  }
  if (!S_ISREG(about.st_mode)) {
    close(file);
    return tn_status_create(TN_CODE_INVALID_ARGUMENT, "%s: it is not a regular file", path);
  }
  out_file->file = file;
  out_file->source = (tn_byte_source_t){read_file, out_file, (uint64_t)about.st_size};
  return TN_OK;
}

void tn__source_close(tn_file_source_t* file) {
  if (file->file >= 0) close(file->file);
  file->file = -1;
}
