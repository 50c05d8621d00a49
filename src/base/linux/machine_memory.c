// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "base/linux/machine_memory.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATH_LIMIT = 4096, LINE_LIMIT = PATH_LIMIT + 256 };

// The number in a file such as memory.max; SIZE_MAX if the file holds none ("max") or is missing.
static size_t read_limit(const char* path) {
  char text[32];
  size_t limit = SIZE_MAX;
  FILE* file = fopen(path, "re");
  if (!file) return limit;
  if (fgets(text, sizeof text, file) && text[0] >= '0' && text[0] <= '9') {
    limit = (size_t)strtoumax(text, NULL, 10);
  }
  fclose(file);
  return limit;
}

// The least limit of a group and its ancestors. In a container the mount may show only the group
// itself, as the root; the longer paths are then missing.
static size_t least_limit(const char* root, const char* mount, const char* group,
                          const char* file_name) {
  char path[PATH_LIMIT];
  size_t length = strlen(group), least = SIZE_MAX;
  for (;;) {
    int written = snprintf(path, sizeof path, "%s/sys/fs/cgroup%s%.*s/%s", root, mount, (int)length,
                           group, file_name);
    if (written > 0 && (size_t)written < sizeof path) {
      size_t limit = read_limit(path);
      if (limit < least) least = limit;
    }
    if (length == 0) return least;
    while (length && group[--length] != '/') {
    }
  }
}

static bool names_memory(const char* controllers) {
  static const char name[] = "memory";
  const size_t length = sizeof name - 1;
  for (const char* at = controllers; *at;) {
    size_t word = strcspn(at, ",");
    if (word == length && memcmp(at, name, length) == 0) return true;
    at += word + (at[word] == ',');
  }
  return false;
}

// One line of /proc/self/cgroup: HIERARCHY:CONTROLLERS:PATH. Version 2 names no controllers.
static size_t limit_of_line(const char* root, char* line) {
  line[strcspn(line, "\n")] = 0;
  char* controllers = strchr(line, ':');
  char* group = controllers ? strchr(controllers + 1, ':') : NULL;
  if (!group) return SIZE_MAX;
  *controllers++ = 0;
  *group++ = 0;
  if (strcmp(line, "0") == 0 && !*controllers) return least_limit(root, "", group, "memory.max");
  if (!names_memory(controllers)) return SIZE_MAX;
  return least_limit(root, "/memory", group, "memory.limit_in_bytes");
}

size_t tn__cgroup_memory_limit(const char* root) {
  char line[LINE_LIMIT];
  size_t least = SIZE_MAX;
  snprintf(line, sizeof line, "%s/proc/self/cgroup", root);
  FILE* file = fopen(line, "re");
  if (!file) return least;
  while (fgets(line, sizeof line, file)) {
    size_t limit = limit_of_line(root, line);
    if (limit < least) least = limit;
  }
  fclose(file);
  return least;
}

static size_t physical_memory(void) {
  long page_count = sysconf(_SC_PHYS_PAGES), page_size = sysconf(_SC_PAGESIZE);
  size_t byte_size;
  if (page_count < 1 || page_size < 1 ||
      __builtin_mul_overflow((size_t)page_count, (size_t)page_size, &byte_size)) {
    return SIZE_MAX;
  }
  return byte_size;
}

size_t tn__machine_memory(void) {
  size_t physical = physical_memory(), limit = tn__cgroup_memory_limit("");
  size_t least = limit < physical ? limit : physical;
  return least == SIZE_MAX ? 0 : least;
}
