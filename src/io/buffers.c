// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "io/buffers.h"

#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "base/writer.h"

static int compare_names(const void* a, const void* b) {
  return strcmp(*(const char* const*)a, *(const char* const*)b);
}

static tn_status_t refuse_equal(const char* path, const char* what,
                                const tn_named_buffers_t* named) {
  tn_status_t status = TN_OK;
  if (named->count < 2) return TN_OK;
  const char** sorted = malloc(named->count * sizeof *sorted);
  if (!sorted) return tn__status_out_of_memory();
  memcpy(sorted, named->names, named->count * sizeof *sorted);
  qsort(sorted, named->count, sizeof *sorted, compare_names);
  for (size_t i = 1; i < named->count && !status; ++i) {
    if (strcmp(sorted[i - 1], sorted[i]) != 0) continue;
    status = tn_status_create(TN_CODE_INVALID_ARGUMENT, "%s: two %ss are called '%s'", path, what,
                              TN_NAME_TEXT(tn__sv(sorted[i])));
  }
  free(sorted);
  return status;
}

tn_status_t tn__named_buffers_check(const char* path, const char* what,
                                    const tn_named_buffers_t* named) {
  if (named->count) {
    TN_RETURN_IF_NULL(named->names);
    TN_RETURN_IF_NULL(named->buffers);
  }
  for (size_t i = 0; i < named->count; ++i) {
    const char* name = named->names[i];
    if (!name || !named->buffers[i]) {
      return tn_status_create(TN_CODE_INVALID_ARGUMENT, "%s: the %s of %s %zu is NULL", path,
                              name ? "buffer" : "name", what, i);
    }
    if (tn__utf8_is_valid(tn__sv(name))) continue;
    return tn_status_create(TN_CODE_INVALID_ARGUMENT, "%s: the name '%s' is not UTF-8", path,
                            TN_NAME_TEXT(tn__sv(name)));
  }
  return refuse_equal(path, what, named);
}

tn_status_t tn__named_buffers_wait(const char* path, const tn_named_buffers_t* named) {
  for (size_t i = 0; i < named->count; ++i) {
    const void* data = NULL;
    tn_status_t status = tn_buffer_map(named->buffers[i], &data);
    if (status) {
      return tn_status_prefix(status, "%s:%s", path, TN_NAME_TEXT(tn__sv(named->names[i])));
    }
    tn_buffer_unmap(named->buffers[i]);
  }
  return TN_OK;
}
