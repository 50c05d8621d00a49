// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Files that are written next to the one that they replace. What fails, a full disk included,
// leaves the old file as it was.
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <tenon/npy.h>
#include <time.h>
#include <unistd.h>

#include "base/status.h"

enum { SHOWN_NAME = 200, SUFFIX = 32, ATTEMPTS = 100 };

struct tn_file_writer {
  FILE* file;
  char* path;        // without links: what is replaced
  char* part;        // NULL: `path` itself is written
  bool is_replaced;  // there is a file to lose
};

static tn_status_t failure(const char* path, const char* what) {
  const int error = errno;
  if (error == ENOMEM) return tn__status_out_of_memory();
  const tn_code_t code = error == ENOENT || error == ENOTDIR ? TN_CODE_NOT_FOUND
                         : error == EACCES || error == EPERM || error == EROFS || error == EISDIR
                             ? TN_CODE_PERMISSION_DENIED
                             : TN_CODE_DATA_LOSS;
  return tn_status_create(code, "%s: %s: %s", path, what, strerror(error));
}

// Opens a file of a new name in the folder of `path`, with the permissions that a new file gets.
static int create_part(const char* path, char* part) {
  const char* slash = strrchr(path, '/');
  const int folder = slash ? (int)(slash + 1 - path) : 0;
  for (unsigned attempt = 0; attempt < ATTEMPTS; ++attempt) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    const unsigned mark = (unsigned)now.tv_nsec * 2654435761u ^ (unsigned)getpid() << 12 ^ attempt;
    sprintf(part, "%.*s%.*s.%08x.part", folder, path, SHOWN_NAME, path + folder, mark);
    const int file = open(part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file >= 0 || errno != EEXIST) return file;
  }
  return -1;
}

static int open_part(tn_file_writer_t* writer) {
  struct stat about;
  const bool exists = stat(writer->path, &about) == 0;
  if (exists && !S_ISREG(about.st_mode)) {  // a device or a pipe
    free(writer->part);
    writer->part = NULL;
    return open(writer->path, O_WRONLY | O_TRUNC | O_CLOEXEC);
  }
  if (exists && access(writer->path, W_OK) != 0) return -1;
  const int file = create_part(writer->path, writer->part);
  writer->is_replaced = exists;
  if (file >= 0 && exists) (void)fchmod(file, about.st_mode & 07777);
  return file;
}

static void free_writer(tn_file_writer_t* writer) {
  free(writer->path);
  free(writer->part);
  free(writer);
}

tn_status_t tn_file_writer_create(const char* path, tn_file_writer_t** out_writer) {
  *out_writer = NULL;
  TN_RETURN_IF_NULL(path);
  tn_file_writer_t* writer = calloc(1, sizeof *writer);
  if (!writer) return tn__status_out_of_memory();
  writer->path = realpath(path, NULL);
  if (!writer->path) writer->path = strdup(path);  // there is no such file yet
  if (writer->path) writer->part = malloc(strlen(writer->path) + SUFFIX);
  if (!writer->part) {
    free_writer(writer);
    return tn__status_out_of_memory();
  }
  const int descriptor = open_part(writer);
  if (descriptor >= 0) writer->file = fdopen(descriptor, "wb");
  if (writer->file) {
    *out_writer = writer;
    return TN_OK;
  }
  tn_status_t status = failure(path, "cannot be written");
  if (descriptor >= 0) {
    close(descriptor);
    if (writer->part) unlink(writer->part);
  }
  free_writer(writer);
  return status;
}

int tn_file_writer_descriptor(const tn_file_writer_t* writer) {
  return fileno(writer->file);
}

tn_status_t tn_file_writer_write(void* writer, const char* bytes, size_t length) {
  const tn_file_writer_t* to = writer;
  TN_RETURN_IF_NULL(writer);
  if (length) TN_RETURN_IF_NULL(bytes);
  if (!length || fwrite(bytes, 1, length, to->file) == length) return TN_OK;
  return failure(to->path, "writing failed");
}

// Without fsync a machine that loses power may have the new name and not the new bytes: that
// matters where there were old ones.
static bool is_flushed(tn_file_writer_t* writer) {
  if (fflush(writer->file) != 0) return false;
  return !writer->is_replaced || fsync(fileno(writer->file)) == 0 || errno == EINVAL;
}

tn_status_t tn_file_writer_commit(tn_file_writer_t* writer) {
  TN_RETURN_IF_NULL(writer);
  tn_status_t status = TN_OK;
  const bool has_failed = ferror(writer->file) || !is_flushed(writer);
  if (has_failed) status = failure(writer->path, "writing failed");
  if (fclose(writer->file) != 0 && !status) status = failure(writer->path, "writing failed");
  if (!status && writer->part && rename(writer->part, writer->path) != 0) {
    status = failure(writer->path, "cannot be replaced");
  }
  if (status && writer->part) unlink(writer->part);
  free_writer(writer);
  return status;
}

void tn_file_writer_discard(tn_file_writer_t* writer) {
  if (!writer) return;
  fclose(writer->file);
  if (writer->part) unlink(writer->part);
  free_writer(writer);
}
