// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "device/environment.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/pool.h"
#include "kernel/lib/library.h"

// NULL when it is not set, or empty.
static const char* value_of(const char* const* list, const char* name) {
  const size_t length = strlen(name);
  const char* value = list ? NULL : getenv(name);
  for (size_t i = 0; list && list[i]; ++i) {
    if (strncmp(list[i], name, length) == 0 && list[i][length] == '=') value = list[i] + length + 1;
  }
  return value && *value ? value : NULL;
}

static tn_status_t check_list(const char* const* list) {
  for (size_t i = 0; list && list[i]; ++i) {
    if (strchr(list[i], '=')) continue;
    return tn_status_create(TN_CODE_INVALID_ARGUMENT,
                            "string %zu of the environment is \"%.40s\"; expected NAME=VALUE", i,
                            list[i]);
  }
  return TN_OK;
}

// False when the text is anything else than a number in the range.
static bool read_number(const char* text, long long least, long long most, long long* out_number) {
  char* end = NULL;
  errno = 0;
  *out_number = strtoll(text, &end, 10);
  return !errno && end != text && !*end && *out_number >= least && *out_number <= most;
}

static tn_status_t read_thread_count(const char* text, int32_t* out_count) {
  long long number = 0;
  *out_count = 0;
  if (text && !read_number(text, 1, TN_POOL_THREAD_LIMIT, &number)) {
    return tn_status_create(TN_CODE_INVALID_ARGUMENT,
                            "TENON_NUM_THREADS is \"%.40s\"; expected a number from 1 to %d", text,
                            TN_POOL_THREAD_LIMIT);
  }
  *out_count = (int32_t)number;
  return TN_OK;
}

static tn_status_t read_fusion(const char* text, int64_t* out_count) {
  long long number = 0;
  *out_count = -1;
  if (!text) return TN_OK;
  *out_count = INT64_MAX;
  if (strcmp(text, "none") == 0) return TN_OK;
  if (!read_number(text, 0, INT64_MAX, &number)) {
    return tn_status_create(TN_CODE_INVALID_ARGUMENT,
                            "TENON_FUSION is \"%.40s\"; expected a number of elements or none",
                            text);
  }
  *out_count = number;
  return TN_OK;
}

static void read_cache_folder(const char* const* list, char* out_folder) {
  const char* cache = value_of(list, "XDG_CACHE_HOME");
  const char* root = cache ? cache : value_of(list, "HOME");
  const int length = snprintf(out_folder, TN_ENVIRONMENT_PATH_CAPACITY, "%s%s/tenon/kernels",
                              root ? root : "", cache ? "" : "/.cache");
  if (!root || *root != '/' || length >= TN_ENVIRONMENT_PATH_CAPACITY) *out_folder = '\0';
}

tn_status_t tn__environment_read(const char* const* list, tn_environment_t* out_environment) {
  const char* device = value_of(list, "TENON_DEVICE");
  *out_environment = (tn_environment_t){0};
  snprintf(out_environment->device_name, sizeof out_environment->device_name, "%s",
           device ? device : "");
  TN_RETURN_IF_ERROR(check_list(list));
  read_cache_folder(list, out_environment->cache_folder);
  TN_RETURN_IF_ERROR(
      read_thread_count(value_of(list, "TENON_NUM_THREADS"), &out_environment->thread_count));
  TN_RETURN_IF_ERROR(
      tn__kernel_libraries_parse(value_of(list, "TENON_LIBRARIES"), &out_environment->libraries));
  return read_fusion(value_of(list, "TENON_FUSION"), &out_environment->fusion_element_count);
}
