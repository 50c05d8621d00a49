// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Safetensors files: the length of a header (8 bytes, little-endian), the header, which is a JSON
// object of tensors by name, and their bytes. The format:
// https://huggingface.co/docs/safetensors
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <tenon/npy.h>
#include <unistd.h>

#include "base/spelling.h"
#include "base/type.h"
#include "device/buffer.h"
#include "io/safetensors.h"
#include "ops/rule.h"

enum { PREFIX = 8, LARGEST_HEADER = 100 * 1000 * 1000, ALIGNMENT = 8 };

typedef struct dtype_row {
  const char* name;
  tn_dtype_t dtype;
} dtype_row_t;

static const dtype_row_t dtypes[] = {
    {"BOOL", TN_DTYPE_PRED},      {"I8", TN_DTYPE_S8},
    {"I16", TN_DTYPE_S16},        {"I32", TN_DTYPE_S32},
    {"I64", TN_DTYPE_S64},        {"U8", TN_DTYPE_U8},
    {"U16", TN_DTYPE_U16},        {"U32", TN_DTYPE_U32},
    {"U64", TN_DTYPE_U64},        {"F16", TN_DTYPE_F16},
    {"BF16", TN_DTYPE_BF16},      {"F32", TN_DTYPE_F32},
    {"F64", TN_DTYPE_F64},        {"F8_E4M3", TN_DTYPE_F8E4M3FN},
    {"F8_E5M2", TN_DTYPE_F8E5M2}, {"F8_E8M0", TN_DTYPE_F8E8M0FNU},
    {"C64", TN_DTYPE_C64},
};
enum { DTYPE_COUNT = sizeof dtypes / sizeof *dtypes };

// --- the header: JSON, of which strings, integers, lists and objects can be skipped

typedef struct json {
  const char* path;
  const char *at, *end;
} json_t;

static void skip_blanks(json_t* in) {
  while (in->at < in->end && strchr(" \t\r\n", *in->at) && *in->at) ++in->at;
}

static bool accept(json_t* in, char token) {
  skip_blanks(in);
  if (in->at == in->end || *in->at != token) return false;
  ++in->at;
  return true;
}

// How much of a text from the file a message can show.
static int shown(const char* at, const char* end) {
  int count = 0;
  while (count < 16 && at + count < end && at[count] >= ' ' && at[count] <= '~') ++count;
  return count;
}

static tn_status_t expected(json_t* in, const char* what) {
  skip_blanks(in);
  if (in->at == in->end) {
    return tn_status_create(TN_CODE_INVALID_ARGUMENT, "%s: the header ends; expected %s", in->path,
                            what);
  }
  return tn_status_create(TN_CODE_INVALID_ARGUMENT, "%s: the header has `%.*s`; expected %s",
                          in->path, shown(in->at, in->end), in->at, what);
}

static tn_status_t need(json_t* in, char token, const char* what) {
  return accept(in, token) ? TN_OK : expected(in, what);
}

// Up to the closing quote, escapes as they are.
static tn_status_t read_string(json_t* in, tn_string_view_t* out) {
  TN_RETURN_IF_ERROR(need(in, '"', "a string"));
  const char* begin = in->at;
  while (in->at < in->end && *in->at != '"') in->at += *in->at == '\\' ? 2 : 1;
  if (in->at >= in->end) {
    in->at = in->end;
    return expected(in, "`\"`");
  }
  *out = (tn_string_view_t){begin, (size_t)(in->at - begin)};
  ++in->at;
  return TN_OK;
}

static tn_status_t read_size(json_t* in, int64_t* out_size) {
  int64_t size = 0;
  skip_blanks(in);
  const char* begin = in->at;
  for (; in->at < in->end && *in->at >= '0' && *in->at <= '9'; ++in->at) {
    if (__builtin_mul_overflow(size, 10, &size) ||
        __builtin_add_overflow(size, *in->at - '0', &size)) {
      in->at = begin;
      return expected(in, "a size that fits 64 bits");
    }
  }
  if (in->at == begin) return expected(in, "a size");
  *out_size = size;
  return TN_OK;
}

// At most `capacity` sizes.
static tn_status_t read_sizes(json_t* in, size_t capacity, int64_t* sizes, size_t* out_count) {
  *out_count = 0;
  TN_RETURN_IF_ERROR(need(in, '[', "a list of sizes"));
  if (accept(in, ']')) return TN_OK;
  do {
    if (*out_count == capacity) return expected(in, "a shorter list");
    TN_RETURN_IF_ERROR(read_size(in, &sizes[(*out_count)++]));
  } while (accept(in, ','));
  return need(in, ']', "`,` or `]`");
}

// The strings of __metadata__.
static tn_status_t skip_metadata(json_t* in) {
  tn_string_view_t text = {0};
  TN_RETURN_IF_ERROR(need(in, '{', "an object of strings"));
  if (accept(in, '}')) return TN_OK;
  do {
    TN_RETURN_IF_ERROR(read_string(in, &text));
    TN_RETURN_IF_ERROR(need(in, ':', "`:`"));
    TN_RETURN_IF_ERROR(read_string(in, &text));
  } while (accept(in, ','));
  return need(in, '}', "`,` or `}`");
}

static tn_status_t read_dtype(json_t* in, tn_safetensor_t* out) {
  TN_RETURN_IF_ERROR(read_string(in, &out->dtype_name));
  for (size_t i = 0; i < DTYPE_COUNT; ++i) {
    if (tn__sv_is(out->dtype_name, dtypes[i].name)) out->dtype = dtypes[i].dtype;
  }
  return TN_OK;
}

// All three members, each once.
static tn_status_t read_tensor(json_t* in, tn_safetensor_t* out) {
  static const char* const names[] = {"dtype", "shape", "data_offsets"};
  enum { DTYPE, SHAPE, OFFSETS, COUNT };
  bool is_given[COUNT] = {false};
  TN_RETURN_IF_ERROR(need(in, '{', "an object with dtype, shape and data_offsets"));
  do {
    tn_string_view_t name = {0};
    size_t member = 0, count = 0;
    int64_t offsets[2] = {0};
    const char* begin = in->at;
    TN_RETURN_IF_ERROR(read_string(in, &name));
    while (member < COUNT && !tn__sv_is(name, names[member])) ++member;
    if (member == COUNT || is_given[member]) {
      in->at = begin;
      return expected(in, "dtype, shape and data_offsets, each once");
    }
    is_given[member] = true;
    TN_RETURN_IF_ERROR(need(in, ':', "`:`"));
    if (member == DTYPE) TN_RETURN_IF_ERROR(read_dtype(in, out));
    if (member == SHAPE) TN_RETURN_IF_ERROR(read_sizes(in, TN_MAX_RANK, out->dims, &out->rank));
    if (member != OFFSETS) continue;
    TN_RETURN_IF_ERROR(read_sizes(in, 2, offsets, &count));
    if (count != 2 || offsets[0] > offsets[1])
      return expected(in, "two offsets in order before it");
    out->begin = (uint64_t)offsets[0];
    out->end = (uint64_t)offsets[1];
  } while (accept(in, ','));
  for (size_t i = 0; i < COUNT; ++i) {
    if (!is_given[i]) return expected(in, names[i]);
  }
  return need(in, '}', "`,` or `}`");
}

// A name as the header spells it: JSON's escapes are not decoded, so the name that is asked for is
// encoded.
static char* escape(const char* name) {
  char* out = malloc(6 * strlen(name) + 1);
  char* at = out;
  for (const char* c = name; out && *c; ++c) {
    if (*c == '"' || *c == '\\') {
      *at++ = '\\';
      *at++ = *c;
    } else if ((unsigned char)*c < ' ') {
      at += sprintf(at, "\\u%04x", (unsigned)*c);
    } else {
      *at++ = *c;
    }
  }
  if (out) *at = 0;
  return out;
}

static tn_status_t search(json_t* in, tn_string_view_t wanted, tn_safetensor_t* out) {
  bool is_found = false;
  tn_spelling_t near = {.word = wanted};
  TN_RETURN_IF_ERROR(need(in, '{', "`{`"));
  bool has_more = !accept(in, '}');
  while (has_more) {
    tn_string_view_t name = {0};
    tn_safetensor_t tensor = {0};
    TN_RETURN_IF_ERROR(read_string(in, &name));
    TN_RETURN_IF_ERROR(need(in, ':', "`:`"));
    if (tn__sv_is(name, "__metadata__")) {
      TN_RETURN_IF_ERROR(skip_metadata(in));
    } else {
      TN_RETURN_IF_ERROR(read_tensor(in, &tensor));
      tn__spelling_consider(&near, name);
      if (tn__sv_is(name, wanted.data)) {
        if (is_found) return expected(in, "each name once");
        is_found = true;
        *out = tensor;
      }
    }
    has_more = accept(in, ',');
    if (!has_more) TN_RETURN_IF_ERROR(need(in, '}', "`,` or `}`"));
  }
  skip_blanks(in);
  if (in->at != in->end) return expected(in, "nothing after `}`");
  if (is_found) return TN_OK;
  return tn__spelling_note(&near, "",
                           tn_status_create(TN_CODE_NOT_FOUND, "%s: there is no tensor '%.*s'",
                                            in->path, TN_SV(wanted)));
}

tn_status_t tn__safetensors_find(const char* path, const char* header, size_t length,
                                 const char* name, tn_safetensor_t* out_tensor) {
  json_t in = {path, header, header + length};
  *out_tensor = (tn_safetensor_t){0};
  char* escaped = escape(name);
  if (!escaped) return tn__status_out_of_memory();
  const tn_string_view_t wanted = {escaped, strlen(escaped)};
  tn_status_t status = search(&in, wanted, out_tensor);
  free(escaped);
  if (status || out_tensor->dtype != TN_DTYPE_INVALID) return status;
  const tn_string_view_t dtype = out_tensor->dtype_name;
  return tn_status_create(TN_CODE_UNIMPLEMENTED, "%s:%s: there is no type for the dtype '%.*s'",
                          path, name, shown(dtype.data, dtype.data + dtype.length), dtype.data);
}

// --- reading

typedef struct source {
  int file;
  const char *path, *name;
  uint64_t offset;  // of the tensor's bytes
  size_t byte_size;
} source_t;

static tn_status_t read_bytes(const source_t* source, uint64_t offset, void* to, size_t length) {
  for (size_t done = 0; done < length;) {
    const ssize_t count =
        pread(source->file, (char*)to + done, length - done, (off_t)(offset + done));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) {
      return tn_status_create(TN_CODE_DATA_LOSS, "%s: %s", source->path,
                              count < 0 ? strerror(errno) : "the file ends too early");
    }
    done += (size_t)count;
  }
  return TN_OK;
}

static tn_status_t read_elements(void* user, void* data) {
  const source_t* source = user;
  return read_bytes(source, source->offset, data, source->byte_size);
}

static tn_status_t check_tensor(const source_t* source, const tn_safetensor_t* tensor,
                                const tn_type_t* wanted, uint64_t available) {
  const tn_type_t type = {
      .kind = TN_TYPE_TENSOR, .dtype = tensor->dtype, .rank = tensor->rank, .dims = tensor->dims};
  TN_RETURN_IF_ERROR(tn_status_prefix(tn__type_check(type.dtype, type.rank, type.dims), "%s:%s",
                                      source->path, source->name));
  const size_t byte_size = tn__type_byte_size(&type);
  if (tensor->end - tensor->begin != byte_size) {
    return tn_status_create(
        TN_CODE_INVALID_ARGUMENT, "%s:%s: %llu bytes; %s takes %zu", source->path, source->name,
        (unsigned long long)(tensor->end - tensor->begin), TN_TYPE_TEXT(&type), byte_size);
  }
  if (tensor->end > available) {
    return tn_status_create(
        TN_CODE_DATA_LOSS, "%s:%s: the bytes end at %llu; the file has %llu behind its header",
        source->path, source->name, (unsigned long long)tensor->end, (unsigned long long)available);
  }
  if (!wanted || tn__types_agree(&type, wanted)) return TN_OK;
  return tn_status_create(TN_CODE_INVALID_ARGUMENT, "%s:%s: the array is %s; expected %s",
                          source->path, source->name, TN_TYPE_TEXT(&type), TN_TYPE_TEXT(wanted));
}

static uint64_t little_endian(const unsigned char bytes[PREFIX]) {
  uint64_t value = 0;
  for (int i = PREFIX; i-- > 0;) value = value << 8 | bytes[i];
  return value;
}

static tn_status_t read_from(tn_device_t* device, source_t* source, uint64_t file_length,
                             const tn_type_t* wanted, tn_buffer_t** out_buffer) {
  tn_status_t status = TN_OK;
  unsigned char prefix[PREFIX];
  tn_safetensor_t tensor;
  if (file_length < PREFIX) {
    return tn_status_create(TN_CODE_INVALID_ARGUMENT,
                            "%s: a file of %llu bytes is not a safetensors file", source->path,
                            (unsigned long long)file_length);
  }
  TN_RETURN_IF_ERROR(read_bytes(source, 0, prefix, PREFIX));
  const uint64_t length = little_endian(prefix);
  if (length > LARGEST_HEADER || length > file_length - PREFIX) {
    return tn_status_create(TN_CODE_INVALID_ARGUMENT,
                            "%s: this is not a safetensors file: its header would have %llu bytes",
                            source->path, (unsigned long long)length);
  }
  char* header = malloc((size_t)length + 1);
  if (!header) return tn__status_out_of_memory();
  TN_DONE_IF_ERROR(read_bytes(source, PREFIX, header, (size_t)length));
  TN_DONE_IF_ERROR(
      tn__safetensors_find(source->path, header, (size_t)length, source->name, &tensor));
  TN_DONE_IF_ERROR(check_tensor(source, &tensor, wanted, file_length - PREFIX - length));
  source->offset = PREFIX + length + tensor.begin;
  source->byte_size = (size_t)(tensor.end - tensor.begin);
  TN_DONE_IF_ERROR(tn__buffer_create_written(device, tensor.dtype, tensor.rank, tensor.dims,
                                             read_elements, source, out_buffer));
done:
  free(header);
  return status;
}

tn_status_t tn_safetensors_read(tn_device_t* device, const char* path, const char* name,
                                const tn_type_t* wanted, tn_buffer_t** out_buffer) {
  struct stat about;
  *out_buffer = NULL;
  TN_RETURN_IF_NULL(device);
  source_t source = {.file = open(path, O_RDONLY | O_CLOEXEC), .path = path, .name = name};
  if (source.file < 0 || fstat(source.file, &about) != 0) {
    tn_status_t status =
        tn_status_create(errno == ENOENT ? TN_CODE_NOT_FOUND : TN_CODE_PERMISSION_DENIED, "%s: %s",
                         path, strerror(errno));
    if (source.file >= 0) close(source.file);
    return status;
  }
  tn_status_t status =
      S_ISREG(about.st_mode)
          ? read_from(device, &source, (uint64_t)about.st_size, wanted, out_buffer)
          : tn_status_create(TN_CODE_INVALID_ARGUMENT, "%s: it is not a regular file", path);
  close(source.file);
  return status;
}

// --- writing

static const char* name_of(tn_dtype_t dtype) {
  for (size_t i = 0; i < DTYPE_COUNT; ++i) {
    if (dtypes[i].dtype == dtype) return dtypes[i].name;
  }
  return NULL;
}

static tn_status_t check_buffers(const char* path, size_t count, const char* const* names,
                                 tn_buffer_t* const* buffers) {
  for (size_t i = 0; i < count; ++i) {
    TN_RETURN_IF_NULL(names[i]);
    TN_RETURN_IF_NULL(buffers[i]);
    if (strcmp(names[i], "__metadata__") == 0) {
      return tn_status_create(TN_CODE_INVALID_ARGUMENT, "%s: a tensor cannot be called '%s'", path,
                              names[i]);
    }
    for (size_t k = 0; k < i; ++k) {
      if (strcmp(names[i], names[k]) != 0) continue;
      return tn_status_create(TN_CODE_INVALID_ARGUMENT, "%s: two tensors are called '%s'", path,
                              names[i]);
    }
    if (name_of(tn_buffer_dtype(buffers[i]))) continue;
    return tn_status_create(TN_CODE_UNIMPLEMENTED, "%s:%s: safetensors files have no elements %s",
                            path, names[i], tn_dtype_name(tn_buffer_dtype(buffers[i])));
  }
  return TN_OK;
}

// Returns how many bytes it wrote.
static size_t write_entry(FILE* file, const char* name, tn_buffer_t* buffer, uint64_t offset) {
  int length =
      fprintf(file, "\"%s\":{\"dtype\":\"%s\",\"shape\":[", name, name_of(tn_buffer_dtype(buffer)));
  for (size_t d = 0; d < tn_buffer_rank(buffer); ++d) {
    length += fprintf(file, "%s%lld", d ? "," : "", (long long)tn_buffer_dims(buffer)[d]);
  }
  length += fprintf(file, "],\"data_offsets\":[%llu,%llu]}", (unsigned long long)offset,
                    (unsigned long long)offset + tn_buffer_byte_size(buffer));
  return (size_t)length;
}

// The header goes first with a length of zero, which is replaced when it is known.
static tn_status_t write_header(FILE* file, size_t count, const char* const* names,
                                tn_buffer_t* const* buffers) {
  unsigned char prefix[PREFIX] = {0};
  uint64_t offset = 0, length = 2;
  fwrite(prefix, PREFIX, 1, file);
  fputc('{', file);
  for (size_t i = 0; i < count; ++i) {
    char* name = escape(names[i]);
    if (!name) return tn__status_out_of_memory();
    if (i) fputc(',', file);
    length += (i > 0) + write_entry(file, name, buffers[i], offset);
    offset += tn_buffer_byte_size(buffers[i]);
    free(name);
  }
  fputc('}', file);
  for (; length % ALIGNMENT; ++length) fputc(' ', file);
  for (int i = 0; i < PREFIX; ++i) prefix[i] = (unsigned char)(length >> 8 * i);
  rewind(file);
  fwrite(prefix, PREFIX, 1, file);
  fseek(file, 0, SEEK_END);
  return TN_OK;
}

static tn_status_t write_data(FILE* file, tn_buffer_t* buffer) {
  const void* data = NULL;
  TN_RETURN_IF_ERROR(tn_buffer_map(buffer, &data));
  if (tn_buffer_byte_size(buffer)) fwrite(data, tn_buffer_byte_size(buffer), 1, file);
  tn_buffer_unmap(buffer);
  return TN_OK;
}

tn_status_t tn_safetensors_write(const char* path, size_t count, const char* const* names,
                                 tn_buffer_t* const* buffers) {
  TN_RETURN_IF_ERROR(check_buffers(path, count, names, buffers));
  FILE* file = fopen(path, "wb");
  if (!file) return tn_status_create(TN_CODE_PERMISSION_DENIED, "%s: %s", path, strerror(errno));
  tn_status_t status = write_header(file, count, names, buffers);
  for (size_t i = 0; !status && i < count; ++i) status = write_data(file, buffers[i]);
  const bool has_failed = ferror(file) != 0;
  if ((fclose(file) != 0 || has_failed) && !status) {
    status = tn_status_create(TN_CODE_DATA_LOSS, "%s: writing failed: %s", path, strerror(errno));
  }
  return status;
}
