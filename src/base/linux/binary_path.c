// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "base/linux/binary_path.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

// The program itself has the name by which it was called, which a shell may have looked up.
static bool is_looked_up(const char* name) {
  return !strchr(name, '/');
}

bool tn__linux_binary_path(const void* address, char* out_path, size_t size) {
  Dl_info info;
  if (!dladdr(address, &info) || !info.dli_fname) return false;
  if (is_looked_up(info.dli_fname)) {
    const ssize_t length = readlink("/proc/self/exe", out_path, size);
    if (length < 0 || (size_t)length >= size) return false;
    out_path[length] = '\0';
    return true;
  }
  const int length = snprintf(out_path, size, "%s", info.dli_fname);
  return length >= 0 && (size_t)length < size;
}
