// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "io/archive.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/spelling.h"
#include "base/writer.h"

// Room for one more of what `*items` points to.
static tn_status_t grow(tn_arena_t* arena, size_t size, size_t count, size_t* capacity,
                        void* items_pointer) {
  void **items = items_pointer, *larger = NULL;
  if (count < *capacity) return TN_OK;
  const size_t wanted = *capacity ? 2 * *capacity : 16;
  TN_RETURN_IF_ERROR(tn__arena_allocate_array(arena, wanted, size, &larger));
  if (count) memcpy(larger, *items, count * size);
  *items = larger;
  *capacity = wanted;
  return TN_OK;
}

tn_status_t tn__archive_add(tn_archive_t* archive, tn_string_view_t name, const void* facts) {
  TN_RETURN_IF_ERROR(grow(&archive->arena, sizeof *archive->entries, archive->count,
                          &archive->capacity, &archive->entries));
  archive->entries[archive->count++] = (tn_archive_entry_t){name, facts};
  return TN_OK;
}

tn_status_t tn__archive_add_text(tn_archive_t* archive, const char* key, const char* value) {
  TN_RETURN_IF_ERROR(grow(&archive->arena, sizeof *archive->texts, archive->text_count,
                          &archive->text_capacity, &archive->texts));
  archive->texts[archive->text_count++] = (tn_archive_text_t){key, value};
  return TN_OK;
}

// --- by name

typedef struct sorted {
  tn_string_view_t name;
  uint32_t index;
} sorted_t;

static int compare_names(const void* a, const void* b) {
  return tn__sv_compare(((const sorted_t*)a)->name, ((const sorted_t*)b)->name);
}

static tn_status_t sort_names(tn_archive_t* archive) {
  uint32_t* by_name = NULL;
  const size_t count = archive->count;
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(&archive->arena, count, &by_name));
  sorted_t* sorted = malloc((count + 1) * sizeof *sorted);
  if (!sorted) return tn__status_out_of_memory();
  for (size_t i = 0; i < count; ++i) {
    sorted[i] = (sorted_t){archive->entries[i].name, (uint32_t)i};
  }
  qsort(sorted, count, sizeof *sorted, compare_names);
  tn_status_t status = TN_OK;
  for (size_t i = 0; i < count && !status; ++i) {
    by_name[i] = sorted[i].index;
    if (!i || compare_names(&sorted[i - 1], &sorted[i]) != 0) continue;
    status = tn_status_create(TN_CODE_INVALID_ARGUMENT, "%s: there are two %ss '%s'", archive->name,
                              archive->format->what, TN_NAME_TEXT(sorted[i].name));
  }
  free(sorted);
  archive->by_name = by_name;
  return status;
}

// --- open and close

static bool ends_with(const char* text, const char* end) {
  const size_t length = strlen(text), end_length = strlen(end);
  return length >= end_length && strcmp(text + length - end_length, end) == 0;
}

// By how the bytes begin.
static tn_status_t guess_format(tn_archive_t* archive) {
  unsigned char begin[2] = {0};
  if (archive->source.byte_size >= sizeof begin) {
    TN_RETURN_IF_ERROR(tn__archive_bytes(archive, 0, begin, sizeof begin));
  }
  const bool is_npz = memcmp(begin, "PK", 2) == 0 || ends_with(archive->name, ".npz");
  archive->format = is_npz ? &tn__npz_format : &tn__safetensors_format;
  return TN_OK;
}

static tn_status_t list_entries(tn_archive_t* archive) {
  if (!archive->format) TN_RETURN_IF_ERROR(guess_format(archive));
  TN_RETURN_IF_ERROR(archive->format->list(archive));
  return sort_names(archive);
}

// Of a path, or of a source that has a name.
static tn_status_t open_as(const tn_archive_format_t* format, const char* name,
                           const tn_byte_source_t* source, tn_archive_t** out_archive) {
  *out_archive = NULL;
  TN_RETURN_IF_NULL(name);
  tn_archive_t* archive = calloc(1, sizeof *archive);
  if (!archive) return tn__status_out_of_memory();
  tn_string_view_t copy = {0};
  tn_status_t status = TN_OK;
  archive->format = format;
  archive->file.file = -1;
  tn__arena_init(&archive->arena, tn_allocator_system());
  TN_DONE_IF_ERROR(tn__arena_copy_string(&archive->arena, tn__sv(name), &copy));
  archive->name = copy.data;
  if (!source) TN_DONE_IF_ERROR(tn__source_open(archive->name, &archive->file));
  archive->source = source ? *source : archive->file.source;
  TN_DONE_IF_ERROR(list_entries(archive));
  *out_archive = archive;
  archive = NULL;
done:
  tn_archive_close(archive);
  return status;
}

tn_status_t tn_archive_open(const char* path, tn_archive_t** out_archive) {
  return open_as(NULL, path, NULL, out_archive);
}

tn_status_t tn_archive_open_source(const char* name, const char* format,
                                   const tn_byte_source_t* source, tn_archive_t** out_archive) {
  *out_archive = NULL;
  TN_RETURN_IF_NULL(name);
  TN_RETURN_IF_NULL(source);
  const tn_archive_format_t* found = NULL;
  if (format) {
    found = strcmp(format, "npz") == 0           ? &tn__npz_format
            : strcmp(format, "safetensors") == 0 ? &tn__safetensors_format
                                                 : NULL;
    if (!found) {
      return tn_status_create(TN_CODE_INVALID_ARGUMENT,
                              "%s: format is '%s'; expected npz or safetensors", __func__, format);
    }
  }
  return open_as(found, name, source, out_archive);
}

void tn_archive_close(tn_archive_t* archive) {
  if (!archive) return;
  tn__source_close(&archive->file);
  tn__arena_deinit(&archive->arena);
  free(archive);
}

// --- what is in it

size_t tn_archive_count(const tn_archive_t* archive) {
  return archive->count;
}

const char* tn_archive_name(const tn_archive_t* archive, size_t index) {
  return index < archive->count ? archive->entries[index].name.data : NULL;
}

bool tn_archive_metadata(const tn_archive_t* archive, size_t index, const char** out_key,
                         const char** out_value) {
  const bool is_there = index < archive->text_count;
  *out_key = is_there ? archive->texts[index].key : NULL;
  *out_value = is_there ? archive->texts[index].value : NULL;
  return is_there;
}

// "a, b, c" in the order of the file, as far as there is room.
static void list_names(const tn_archive_t* archive, char* out, size_t capacity) {
  size_t length = 0;
  snprintf(out, capacity, "it is empty");
  for (size_t i = 0; i < archive->count; ++i) {
    const int written = snprintf(out + length, capacity - length, "%s%s",
                                 i ? ", " : "there are: ", TN_NAME_TEXT(archive->entries[i].name));
    if (written < 0 || (size_t)written >= capacity - length) {
      snprintf(out + capacity - 5, 5, " ...");
      return;
    }
    length += (size_t)written;
  }
}

static tn_status_t refuse_unknown(const tn_archive_t* archive, tn_string_view_t name) {
  tn_spelling_t near = {.word = name};
  char names[256];
  for (size_t i = 0; i < archive->count; ++i) {
    tn__spelling_consider(&near, archive->entries[i].name);
  }
  list_names(archive, names, sizeof names);
  tn_status_t status =
      tn_status_create(TN_CODE_NOT_FOUND, "%s: there is no %s '%s'; %s", archive->name,
                       archive->format->what, TN_NAME_TEXT(name), names);
  const tn_name_text_t nearest = tn__name_text(near.nearest);
  if (near.nearest.data) near.nearest = tn__sv(nearest.text);
  return tn__spelling_note(&near, "", status);
}

tn_status_t tn_archive_find(const tn_archive_t* archive, const char* name, size_t* out_index) {
  *out_index = 0;
  TN_RETURN_IF_NULL(archive);
  TN_RETURN_IF_NULL(name);
  const tn_string_view_t wanted = tn__sv(name);
  size_t begin = 0, end = archive->count;
  while (begin < end) {
    const size_t middle = begin + (end - begin) / 2;
    const uint32_t index = archive->by_name[middle];
    const int order = tn__sv_compare(wanted, archive->entries[index].name);
    if (order == 0) {
      *out_index = index;
      return TN_OK;
    }
    if (order < 0) {
      end = middle;
    } else {
      begin = middle + 1;
    }
  }
  return refuse_unknown(archive, wanted);
}

tn_status_t tn_archive_read(tn_archive_t* archive, size_t index, tn_device_t* device,
                            const tn_type_t* expected, tn_buffer_t** out_buffer) {
  char name[512];
  *out_buffer = NULL;
  TN_RETURN_IF_NULL(archive);
  TN_RETURN_IF_NULL(device);
  if (index >= archive->count) {
    return tn_status_create(TN_CODE_OUT_OF_RANGE, "%s: entry %zu of %zu", archive->name, index,
                            archive->count);
  }
  const tn_archive_entry_t* entry = &archive->entries[index];
  snprintf(name, sizeof name, "%s:%s", archive->name, TN_NAME_TEXT(entry->name));
  return archive->format->read(archive, entry, name, device, expected, out_buffer);
}

tn_status_t tn__archive_read_one(const tn_archive_format_t* format, tn_device_t* device,
                                 const char* path, const char* name, const tn_type_t* expected,
                                 tn_buffer_t** out_buffer) {
  tn_archive_t* archive = NULL;
  size_t index = 0;
  *out_buffer = NULL;
  TN_RETURN_IF_ERROR(open_as(format, path, NULL, &archive));
  tn_status_t status = tn_archive_find(archive, name, &index);
  if (!status) status = tn_archive_read(archive, index, device, expected, out_buffer);
  tn_archive_close(archive);
  return status;
}
