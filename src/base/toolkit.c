// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "base/toolkit.h"

#include <dlfcn.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/linux/binary_path.h"

enum { MOST_FOLDERS = 16, FOLDER_SIZE = 320, OLDEST_TOOLKIT = 11 };

static const struct {
  const char *name, *subfolder;
} variables[] = {{"CUDA_HOME", "lib64"}, {"CUDA_PATH", "lib64"}, {"CONDA_PREFIX", "lib"}};

typedef struct folders {
  int count;
  char paths[MOST_FOLDERS][FOLDER_SIZE];
} folders_t;

static void add(folders_t* folders, const char* base, const char* rest) {
  if (folders->count == MOST_FOLDERS) return;
  const int length = snprintf(folders->paths[folders->count], FOLDER_SIZE, "%s/%s", base, rest);
  if (length < FOLDER_SIZE) ++folders->count;
}

static void add_of_variables(folders_t* folders) {
  for (size_t i = 0; i < sizeof variables / sizeof *variables; ++i) {
    const char* value = getenv(variables[i].name);
    if (value && *value == '/') add(folders, value, variables[i].subfolder);
  }
}

// `site` is a folder of Python packages, with a folder `nvidia` in it.
static void add_of_python(folders_t* folders, const char* site, const char* package) {
  char rest[80];
  snprintf(rest, sizeof rest, "nvidia/%s/lib", package);
  add(folders, site, "nvidia/cu13/lib");
  add(folders, site, rest);
}

// Tenon's library is in such a folder, when a Python package of it is installed.
static void add_beside_tenon(folders_t* folders, const char* package) {
  enum { LEVELS = 4 };
  char path[FOLDER_SIZE], nvidia[FOLDER_SIZE + 16];
  if (!tn__linux_binary_path(variables, path, sizeof path) || *path != '/') return;
  for (int i = 0; i < LEVELS; ++i) {
    char* end = strrchr(path, '/');
    if (!end || end == path) return;
    *end = '\0';
    snprintf(nvidia, sizeof nvidia, "%s/nvidia", path);
    if (access(nvidia, F_OK) == 0) add_of_python(folders, path, package);
  }
}

static void add_of_virtual_environment(folders_t* folders, const char* package) {
  const char* value = getenv("VIRTUAL_ENV");
  char pattern[FOLDER_SIZE];
  glob_t found;
  if (!value || *value != '/') return;
  snprintf(pattern, sizeof pattern, "%s/lib/python3*/site-packages", value);
  if (glob(pattern, 0, NULL, &found)) return;
  for (size_t i = 0; i < found.gl_pathc; ++i) add_of_python(folders, found.gl_pathv[i], package);
  globfree(&found);
}

static void find_folders(folders_t* folders, const char* package) {
  folders->count = 0;
  add_of_variables(folders);
  add_beside_tenon(folders, package);
  add_of_virtual_environment(folders, package);
  add(folders, "/usr/local/cuda", "lib64");
}

// By the loader, or in one of the folders.
static void* load(const folders_t* folders, const char* soname) {
  char path[FOLDER_SIZE + TN_TOOLKIT_SONAME_SIZE];
  void* handle = dlopen(soname, RTLD_NOW | RTLD_LOCAL);
  for (int i = 0; i < folders->count && !handle; ++i) {
    snprintf(path, sizeof path, "%s/%s", folders->paths[i], soname);
    handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  }
  return handle;
}

static void give_reason(const folders_t* folders, const tn_toolkit_library_t* library, int newest,
                        char* out_reason) {
  int length =
      snprintf(out_reason, TN_TOOLKIT_REASON_SIZE,
               "lib%s.so.%d, %s, was not found, nor an older one: not by the loader, nor in",
               library->name, newest, library->purpose);
  for (int i = 0; i < folders->count && length < TN_TOOLKIT_REASON_SIZE; ++i) {
    length += snprintf(out_reason + length, TN_TOOLKIT_REASON_SIZE - (size_t)length, "%s %s",
                       i ? "," : "", folders->paths[i]);
  }
}

void* tn__toolkit_load(const tn_toolkit_library_t* library, int newest, char* out_soname,
                       char* out_reason) {
  // Of version 11 some libraries are called by the minor version that they are compatible with.
  static const char* const endings[] = {"", ".2"};
  folders_t* folders = malloc(sizeof *folders);
  void* handle = NULL;
  if (!folders) {
    snprintf(out_reason, TN_TOOLKIT_REASON_SIZE, "out of memory");
    return NULL;
  }
  find_folders(folders, library->package);
  for (int major = newest; major >= OLDEST_TOOLKIT && !handle; --major) {
    for (size_t i = 0; i < 1 + (size_t)(major == OLDEST_TOOLKIT) && !handle; ++i) {
      snprintf(out_soname, TN_TOOLKIT_SONAME_SIZE, "lib%s.so.%d%s", library->name, major,
               endings[i]);
      handle = load(folders, out_soname);
    }
  }
  if (!handle) give_reason(folders, library, newest, out_reason);
  free(folders);
  return handle;
}
