// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Safetensors files, written. io/safetensors.c reads them.
#include "base/utf8.h"
#include "base/writer.h"
#include "io/buffers.h"
#include "io/safetensors.h"
#include "io/write_file.h"

enum { ALIGNMENT = 8 };

// What is written.
typedef struct content {
  tn_named_buffers_t named;
  size_t text_count;
  const char *const *keys, *const *values;
} content_t;

static const char* name_of(tn_dtype_t dtype) {
  for (size_t i = 0; i < TN_SAFETENSORS_DTYPE_COUNT; ++i) {
    if (tn__safetensors_dtypes[i].dtype == dtype) return tn__safetensors_dtypes[i].name;
  }
  return NULL;
}

static tn_status_t check_text(const char* path, const char* text) {
  TN_RETURN_IF_NULL(text);
  if (tn__utf8_is_valid(tn__sv(text))) return TN_OK;
  return tn_status_create(TN_CODE_INVALID_ARGUMENT, "%s: '%s' is not UTF-8", path,
                          TN_NAME_TEXT(tn__sv(text)));
}

static tn_status_t check_content(const char* path, const content_t* content) {
  const tn_named_buffers_t* named = &content->named;
  TN_RETURN_IF_ERROR(tn__named_buffers_check(path, "tensor", named));
  for (size_t i = 0; i < named->count; ++i) {
    const char* name = named->names[i];
    if (strcmp(name, "__metadata__") == 0) {
      return tn_status_create(TN_CODE_INVALID_ARGUMENT, "%s: a tensor cannot be called '%s'", path,
                              name);
    }
    const tn_dtype_t dtype = tn_buffer_dtype(named->buffers[i]);
    if (name_of(dtype)) continue;
    return tn_status_create(TN_CODE_UNIMPLEMENTED, "%s:%s: safetensors files have no elements %s",
                            path, TN_NAME_TEXT(tn__sv(name)), tn_dtype_name(dtype));
  }
  for (size_t i = 0; i < content->text_count; ++i) {
    TN_RETURN_IF_ERROR(check_text(path, content->keys[i]));
    TN_RETURN_IF_ERROR(check_text(path, content->values[i]));
  }
  return tn__named_buffers_wait(path, named);
}

// --- the header

static void write_metadata(tn_writer_t* out, const content_t* content) {
  if (!content->text_count) return;
  tn__write_string(out, "\"__metadata__\":{");
  for (size_t i = 0; i < content->text_count; ++i) {
    if (i) tn__write_string(out, ",");
    tn__write_json_string(out, tn__sv(content->keys[i]));
    tn__write_string(out, ":");
    tn__write_json_string(out, tn__sv(content->values[i]));
  }
  tn__write_string(out, content->named.count ? "}," : "}");
}

static void write_entry(tn_writer_t* out, const char* name, const tn_buffer_t* buffer,
                        uint64_t offset) {
  tn__write_json_string(out, tn__sv(name));
  tn__writef(out, ":{\"dtype\":\"%s\",\"shape\":[", name_of(tn_buffer_dtype(buffer)));
  for (size_t d = 0; d < tn_buffer_rank(buffer); ++d) {
    tn__writef(out, "%s%lld", d ? "," : "", (long long)tn_buffer_dims(buffer)[d]);
  }
  tn__writef(out, "],\"data_offsets\":[%llu,%llu]}", (unsigned long long)offset,
             (unsigned long long)offset + tn_buffer_byte_size(buffer));
}

static void write_header(tn_writer_t* out, const content_t* content) {
  const tn_named_buffers_t* named = &content->named;
  uint64_t offset = 0;
  tn__write_string(out, "{");
  write_metadata(out, content);
  for (size_t i = 0; i < named->count; ++i) {
    if (i) tn__write_string(out, ",");
    write_entry(out, named->names[i], named->buffers[i], offset);
    offset += tn_buffer_byte_size(named->buffers[i]);
  }
  tn__write_string(out, "}");
}

static tn_status_t count_bytes(void* user, const char* bytes, size_t length) {
  (void)bytes;
  *(uint64_t*)user += length;
  return TN_OK;
}

static tn_status_t write_data(tn_writer_t* out, tn_buffer_t* buffer) {
  const void* data = NULL;
  TN_RETURN_IF_ERROR(tn_buffer_map(buffer, &data));
  tn__write(out, data, tn_buffer_byte_size(buffer));
  tn_buffer_unmap(buffer);
  return TN_OK;
}

// The length of the header goes first, so it is written twice: once to be counted.
static tn_status_t write_content(const content_t* content, tn_write_fn write, void* user) {
  tn_writer_t out;
  char prefix[TN_SAFETENSORS_PREFIX];
  uint64_t length = 0;
  tn__writer_init(&out, count_bytes, &length);
  write_header(&out, content);
  TN_RETURN_IF_ERROR(tn__writer_finish(&out));
  const uint64_t padded = (length + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  for (int i = 0; i < TN_SAFETENSORS_PREFIX; ++i) prefix[i] = (char)(padded >> 8 * i);
  tn__writer_init(&out, write, user);
  tn__write(&out, prefix, sizeof prefix);
  write_header(&out, content);
  for (; length < padded; ++length) tn__write_string(&out, " ");
  tn_status_t status = TN_OK;
  for (size_t i = 0; !status && i < content->named.count; ++i) {
    status = write_data(&out, content->named.buffers[i]);
  }
  tn_status_t written = tn__writer_finish(&out);
  if (!status) return written;
  tn_status_release(written);
  return status;
}

tn_status_t tn_safetensors_encode(size_t count, const char* const* names,
                                  tn_buffer_t* const* buffers, size_t metadata_count,
                                  const char* const* keys, const char* const* values,
                                  tn_write_fn write, void* user) {
  const content_t content = {{count, names, buffers}, metadata_count, keys, values};
  if (metadata_count) {
    TN_RETURN_IF_NULL(keys);
    TN_RETURN_IF_NULL(values);
  }
  TN_RETURN_IF_NULL(write);
  TN_RETURN_IF_ERROR(check_content("safetensors", &content));
  return write_content(&content, write, user);
}

static tn_status_t write_to(const void* user, void* file) {
  return write_content(user, tn_file_writer_write, file);
}

tn_status_t tn_safetensors_write(const char* path, size_t count, const char* const* names,
                                 tn_buffer_t* const* buffers) {
  if (count) TN_RETURN_IF_NULL(names);
  if (count) TN_RETURN_IF_NULL(buffers);
  const content_t content = {.named = {count, names, buffers}};
  TN_RETURN_IF_NULL(path);
  TN_RETURN_IF_ERROR(check_content(path, &content));
  return tn__write_file(path, write_to, &content);
}
