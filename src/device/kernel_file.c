// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "device/kernel_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/linux/binary_path.h"

tn_status_t tn__kernel_file_path(const void* address, const char* name, char** out_path) {
  char binary[4096];
  *out_path = NULL;
  if (!*name || strchr(name, '/')) {
    return tn_status_create(TN_CODE_INVALID_ARGUMENT,
                            "kernel library \"%s\": expected the name of a file, without a folder "
                            "and an ending",
                            name);
  }
  if (!tn__linux_binary_path(address, binary, sizeof binary)) {
    return tn_status_create(TN_CODE_NOT_FOUND,
                            "kernel library %s: the binary that it belongs to was not found", name);
  }
  const size_t folder_length = (size_t)(strrchr(binary, '/') + 1 - binary);
  const size_t size = folder_length + strlen(name) + 1;
  *out_path = malloc(size);
  if (!*out_path) return tn__status_out_of_memory();
  snprintf(*out_path, size, "%.*s%s", (int)folder_length, binary, name);
  return TN_OK;
}

static tn_status_t read_all(FILE* file, const char* path, char** out_bytes, size_t* out_size) {
  const long size = fseek(file, 0, SEEK_END) ? -1 : ftell(file);
  char* bytes = size < 0 ? NULL : malloc((size_t)size + 1);
  if (size >= 0 && !bytes) return tn__status_out_of_memory();
  rewind(file);
  if (!bytes || fread(bytes, 1, (size_t)size, file) != (size_t)size) {
    free(bytes);
    return tn_status_create(TN_CODE_INTERNAL, "%s cannot be read", path);
  }
  bytes[size] = '\0';
  *out_bytes = bytes;
  *out_size = (size_t)size;
  return TN_OK;
}

tn_status_t tn__kernel_file_read(const char* path, const char* ending, char** out_bytes,
                                 size_t* out_size) {
  char file_path[4352];
  *out_bytes = NULL;
  snprintf(file_path, sizeof file_path, "%s%s", path, ending);
  FILE* file = fopen(file_path, "rb");
  if (!file) {
    return tn_status_create(TN_CODE_NOT_FOUND, "%s: %s", file_path, strerror(errno));
  }
  tn_status_t status = read_all(file, file_path, out_bytes, out_size);
  fclose(file);
  return status;
}
