// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Safetensors files: the length of a header (8 bytes, little-endian), the header, which is a JSON
// object of tensors by name, and their bytes, one after another without gaps. The format:
// https://huggingface.co/docs/safetensors
#include "io/safetensors.h"

#include <stdlib.h>
#include <string.h>

#include "base/type.h"
#include "base/utf8.h"
#include "base/writer.h"
#include "device/buffer.h"
#include "io/archive.h"
#include "ops/rule.h"

enum { LARGEST_HEADER = 100 * 1000 * 1000 };

const tn_safetensors_dtype_t tn__safetensors_dtypes[TN_SAFETENSORS_DTYPE_COUNT] = {
    {"BOOL", TN_DTYPE_PRED},
    {"I8", TN_DTYPE_S8},
    {"I16", TN_DTYPE_S16},
    {"I32", TN_DTYPE_S32},
    {"I64", TN_DTYPE_S64},
    {"U8", TN_DTYPE_U8},
    {"U16", TN_DTYPE_U16},
    {"U32", TN_DTYPE_U32},
    {"U64", TN_DTYPE_U64},
    {"F16", TN_DTYPE_F16},
    {"BF16", TN_DTYPE_BF16},
    {"F32", TN_DTYPE_F32},
    {"F64", TN_DTYPE_F64},
    {"F8_E4M3", TN_DTYPE_F8E4M3FN},
    {"F8_E5M2", TN_DTYPE_F8E5M2},
    {"F8_E8M0", TN_DTYPE_F8E8M0FNU},
    {"F8_E4M3FNUZ", TN_DTYPE_F8E4M3FNUZ},
    {"F8_E5M2FNUZ", TN_DTYPE_F8E5M2FNUZ},
    {"C64", TN_DTYPE_C64},
};

// What the header says of a tensor.
typedef struct tensor {
  tn_string_view_t name, dtype_name;
  tn_dtype_t dtype;  // INVALID: none of Tenon's
  size_t rank;
  const int64_t* dims;
  uint64_t begin, end;  // of its bytes, behind the header
  uint64_t offset;      // of its bytes, in the file
} tensor_t;

// --- JSON: strings, sizes, lists of sizes, objects

typedef struct json {
  const char* path;
  const char *at, *end;
  tn_arena_t* arena;  // of the strings
  uint64_t length;    // of the header and its prefix
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

// The four hexadecimal digits of \uXXXX.
static bool read_unit(json_t* in, uint32_t* out_unit) {
  *out_unit = 0;
  if (in->end - in->at < 4) return false;
  for (int i = 0; i < 4; ++i, ++in->at) {
    const char c = *in->at;
    const int digit = c >= '0' && c <= '9'   ? c - '0'
                      : c >= 'a' && c <= 'f' ? c - 'a' + 10
                      : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                             : -1;
    if (digit < 0) return false;
    *out_unit = *out_unit << 4 | (uint32_t)digit;
  }
  return true;
}

// What follows "\u"; characters beyond the first 65536 are two units.
static bool read_character(json_t* in, uint32_t* out_character) {
  uint32_t low = 0;
  if (!read_unit(in, out_character)) return false;
  const uint32_t high = *out_character;
  if (high < 0xD800 || high >= 0xE000) return high != 0;
  if (high >= 0xDC00 || in->end - in->at < 2 || in->at[0] != '\\' || in->at[1] != 'u') return false;
  in->at += 2;
  if (!read_unit(in, &low) || low < 0xDC00 || low >= 0xE000) return false;
  *out_character = 0x10000 + ((high - 0xD800) << 10 | (low - 0xDC00));
  return true;
}

// What follows a backslash, to `out`; returns its length, 0 if it is not an escape of JSON.
static size_t read_escape(json_t* in, char out[4]) {
  static const char names[] = "\"\\/bfnrt", values[] = "\"\\/\b\f\n\r\t";
  uint32_t character = 0;
  if (in->at == in->end) return 0;
  const char c = *in->at++;
  if (c == 'u') return read_character(in, &character) ? tn__utf8_encode(character, out) : 0;
  const char* name = c ? strchr(names, c) : NULL;
  if (!name) return 0;
  *out = values[name - names];
  return 1;
}

// Up to the closing quote, with a NUL behind it. Escapes are decoded, so that a name is the same
// however a header spells it. No escape is shorter than what it stands for.
static tn_status_t read_string(json_t* in, tn_string_view_t* out) {
  TN_RETURN_IF_ERROR(need(in, '"', "a string"));
  const char* end = in->at;
  while (end < in->end && *end != '"') end += *end == '\\' ? 2 : 1;
  if (end >= in->end) {
    in->at = in->end;
    return expected(in, "`\"`");
  }
  tn_string_view_t text = {in->at, (size_t)(end - in->at)};
  TN_RETURN_IF_ERROR(tn__arena_copy_string(in->arena, text, &text));
  char* to = (char*)(uintptr_t)text.data;
  text.length = 0;
  while (in->at < end) {
    const char* begin = in->at;
    if ((unsigned char)*begin < ' ') return expected(in, "no control character in a string");
    if (*begin != '\\') {
      to[text.length++] = *in->at++;
      continue;
    }
    ++in->at;
    char bytes[4];
    const size_t length = read_escape(in, bytes);
    if (!length || in->at > end) {
      in->at = begin;
      return expected(in, "an escape of JSON");
    }
    memcpy(to + text.length, bytes, length);
    text.length += length;
  }
  to[text.length] = 0;
  ++in->at;
  *out = text;
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

// --- the header

static tn_status_t read_metadata(json_t* in, tn_archive_t* archive) {
  tn_string_view_t key = {0}, value = {0};
  TN_RETURN_IF_ERROR(need(in, '{', "an object of strings"));
  if (accept(in, '}')) return TN_OK;
  do {
    TN_RETURN_IF_ERROR(read_string(in, &key));
    TN_RETURN_IF_ERROR(need(in, ':', "`:`"));
    TN_RETURN_IF_ERROR(read_string(in, &value));
    TN_RETURN_IF_ERROR(tn__archive_add_text(archive, key.data, value.data));
  } while (accept(in, ','));
  return need(in, '}', "`,` or `}`");
}

static tn_status_t read_dtype(json_t* in, tensor_t* out) {
  TN_RETURN_IF_ERROR(read_string(in, &out->dtype_name));
  for (size_t i = 0; i < TN_SAFETENSORS_DTYPE_COUNT; ++i) {
    const tn_safetensors_dtype_t* row = &tn__safetensors_dtypes[i];
    if (tn__sv_is(out->dtype_name, row->name)) out->dtype = row->dtype;
  }
  return TN_OK;
}

static tn_status_t read_shape(json_t* in, tensor_t* out) {
  int64_t dims[TN_MAX_RANK], *copy = NULL;
  TN_RETURN_IF_ERROR(read_sizes(in, TN_MAX_RANK, dims, &out->rank));
  TN_RETURN_IF_ERROR(TN_ARENA_COPY(in->arena, out->rank, dims, &copy));
  out->dims = copy;
  return TN_OK;
}

static tn_status_t read_offsets(json_t* in, tensor_t* out) {
  int64_t offsets[2] = {0};
  size_t count = 0;
  TN_RETURN_IF_ERROR(read_sizes(in, 2, offsets, &count));
  if (count != 2 || offsets[0] > offsets[1]) return expected(in, "two offsets in order before it");
  out->begin = (uint64_t)offsets[0];
  out->end = (uint64_t)offsets[1];
  return TN_OK;
}

// All three members, each once.
static tn_status_t read_tensor(json_t* in, tensor_t* out) {
  static const struct {
    const char* name;
    tn_status_t (*read)(json_t* in, tensor_t* out);
  } members[] = {{"dtype", read_dtype}, {"shape", read_shape}, {"data_offsets", read_offsets}};
  enum { COUNT = sizeof members / sizeof *members };
  bool is_given[COUNT] = {false};
  TN_RETURN_IF_ERROR(need(in, '{', "an object with dtype, shape and data_offsets"));
  do {
    tn_string_view_t name = {0};
    size_t member = 0;
    const char* begin = in->at;
    TN_RETURN_IF_ERROR(read_string(in, &name));
    while (member < COUNT && !tn__sv_is(name, members[member].name)) ++member;
    if (member == COUNT || is_given[member]) {
      in->at = begin;
      return expected(in, "dtype, shape and data_offsets, each once");
    }
    is_given[member] = true;
    TN_RETURN_IF_ERROR(need(in, ':', "`:`"));
    TN_RETURN_IF_ERROR(members[member].read(in, out));
  } while (accept(in, ','));
  for (size_t i = 0; i < COUNT; ++i) {
    if (!is_given[i]) return expected(in, members[i].name);
  }
  return need(in, '}', "`,` or `}`");
}

static tn_status_t check_tensor(const char* path, const tensor_t* tensor) {
  const tn_type_t type = {
      .kind = TN_TYPE_TENSOR, .dtype = tensor->dtype, .rank = tensor->rank, .dims = tensor->dims};
  if (tensor->dtype == TN_DTYPE_INVALID) return TN_OK;
  tn_status_t status = tn__type_check(type.dtype, type.rank, type.dims);
  if (status) return tn_status_prefix(status, "%s:%s", path, TN_NAME_TEXT(tensor->name));
  const size_t byte_size = tn__type_byte_size(&type);
  if (tensor->end - tensor->begin == byte_size) return TN_OK;
  return tn_status_create(
      TN_CODE_INVALID_ARGUMENT, "%s:%s: %llu bytes; %s takes %zu", path, TN_NAME_TEXT(tensor->name),
      (unsigned long long)(tensor->end - tensor->begin), TN_TYPE_TEXT(&type), byte_size);
}

static tn_status_t add_tensor(json_t* in, tn_archive_t* archive, tn_string_view_t name) {
  tensor_t* tensor = NULL;
  TN_RETURN_IF_ERROR(TN_ARENA_NEW(in->arena, &tensor));
  tensor->name = name;
  TN_RETURN_IF_ERROR(read_tensor(in, tensor));
  tensor->offset = in->length + tensor->begin;
  TN_RETURN_IF_ERROR(check_tensor(in->path, tensor));
  return tn__archive_add(archive, name, tensor);
}

static tn_status_t read_header(json_t* in, tn_archive_t* archive) {
  bool has_metadata = false;
  TN_RETURN_IF_ERROR(need(in, '{', "`{`"));
  bool has_more = !accept(in, '}');
  while (has_more) {
    tn_string_view_t name = {0};
    TN_RETURN_IF_ERROR(read_string(in, &name));
    TN_RETURN_IF_ERROR(need(in, ':', "`:`"));
    const bool is_metadata = tn__sv_is(name, "__metadata__");
    if (is_metadata && has_metadata) return expected(in, "one __metadata__ alone");
    has_metadata |= is_metadata;
    TN_RETURN_IF_ERROR(is_metadata ? read_metadata(in, archive) : add_tensor(in, archive, name));
    has_more = accept(in, ',');
    if (!has_more) TN_RETURN_IF_ERROR(need(in, '}', "`,` or `}`"));
  }
  skip_blanks(in);
  return in->at == in->end ? TN_OK : expected(in, "nothing after `}`");
}

// --- where the tensors are: one after another, from the header to the end of the file

static int compare_extents(const void* a, const void* b) {
  const tensor_t *x = *(const tensor_t*const*)a, *y = *(const tensor_t*const*)b;
  if (x->begin != y->begin) return x->begin < y->begin ? -1 : 1;
  return (x->end > y->end) - (x->end < y->end);
}

static tn_status_t refuse_gap(const char* path, uint64_t begin, uint64_t end) {
  return tn_status_create(TN_CODE_INVALID_ARGUMENT,
                          "%s: the bytes %llu to %llu belong to no tensor", path,
                          (unsigned long long)begin, (unsigned long long)end);
}

static tn_status_t check_order(const char* path, const tensor_t* const* tensors, size_t count,
                               uint64_t available) {
  uint64_t end = 0;
  for (size_t i = 0; i < count; ++i) {
    const tensor_t* tensor = tensors[i];
    if (tensor->begin > end) return refuse_gap(path, end, tensor->begin);
    if (tensor->begin < end) {
      return tn_status_create(TN_CODE_INVALID_ARGUMENT, "%s: the tensors '%s' and '%s' overlap",
                              path, TN_NAME_TEXT(tensors[i - 1]->name), TN_NAME_TEXT(tensor->name));
    }
    end = tensor->end;
    if (end <= available) continue;
    return tn_status_create(
        TN_CODE_DATA_LOSS, "%s:%s: the bytes end at %llu; the file has %llu behind its header",
        path, TN_NAME_TEXT(tensor->name), (unsigned long long)end, (unsigned long long)available);
  }
  return end == available ? TN_OK : refuse_gap(path, end, available);
}

static tn_status_t check_extents(const tn_archive_t* archive, uint64_t available) {
  const tensor_t** tensors = malloc((archive->count + 1) * sizeof *tensors);
  if (!tensors) return tn__status_out_of_memory();
  for (size_t i = 0; i < archive->count; ++i) tensors[i] = archive->entries[i].facts;
  qsort(tensors, archive->count, sizeof(tensor_t*), compare_extents);
  tn_status_t status = check_order(archive->name, tensors, archive->count, available);
  free(tensors);
  return status;
}

static tn_status_t list_tensors(tn_archive_t* archive) {
  const uint64_t file_length = archive->source.byte_size;
  unsigned char prefix[TN_SAFETENSORS_PREFIX];
  if (file_length < TN_SAFETENSORS_PREFIX) {
    return tn_status_create(TN_CODE_INVALID_ARGUMENT,
                            "%s: a file of %llu bytes is not a safetensors file", archive->name,
                            (unsigned long long)file_length);
  }
  TN_RETURN_IF_ERROR(tn__archive_bytes(archive, 0, prefix, TN_SAFETENSORS_PREFIX));
  const uint64_t length = tn__little_endian(prefix, TN_SAFETENSORS_PREFIX);
  if (length > LARGEST_HEADER || length > file_length - TN_SAFETENSORS_PREFIX) {
    return tn_status_create(TN_CODE_INVALID_ARGUMENT,
                            "%s: this is not a safetensors file: its header would have %llu bytes",
                            archive->name, (unsigned long long)length);
  }
  char* header = malloc((size_t)length + 1);
  if (!header) return tn__status_out_of_memory();
  json_t in = {archive->name, header, header + length, &archive->arena,
               TN_SAFETENSORS_PREFIX + length};
  tn_status_t status = tn__archive_bytes(archive, TN_SAFETENSORS_PREFIX, header, (size_t)length);
  if (!status && !tn__utf8_is_valid((tn_string_view_t){header, (size_t)length})) {
    status =
        tn_status_create(TN_CODE_INVALID_ARGUMENT, "%s: the header is not UTF-8", archive->name);
  }
  if (!status) status = read_header(&in, archive);
  free(header);
  return status ? status : check_extents(archive, file_length - TN_SAFETENSORS_PREFIX - length);
}

// --- one tensor

typedef struct elements {
  const tn_archive_t* archive;
  const tensor_t* tensor;
  const char* name;
} elements_t;

static tn_status_t read_elements(void* user, void* data) {
  const elements_t* elements = user;
  const tensor_t* tensor = elements->tensor;
  tn_status_t status = tn__source_read(&elements->archive->source, tensor->offset, data,
                                       (size_t)(tensor->end - tensor->begin));
  return status ? tn_status_prefix(status, "%s", elements->name) : TN_OK;
}

static tn_status_t read_named(tn_archive_t* archive, const tn_archive_entry_t* entry,
                              const char* name, tn_device_t* device, const tn_type_t* wanted,
                              tn_buffer_t** out_buffer) {
  const tensor_t* tensor = entry->facts;
  const tn_type_t type = {
      .kind = TN_TYPE_TENSOR, .dtype = tensor->dtype, .rank = tensor->rank, .dims = tensor->dims};
  if (type.dtype == TN_DTYPE_INVALID) {
    return tn_status_create(TN_CODE_UNIMPLEMENTED,
                            "%s: the array has the dtype '%s', which Tenon does not have", name,
                            TN_NAME_TEXT(tensor->dtype_name));
  }
  if (wanted && !tn__types_agree(&type, wanted)) {
    return tn_status_create(TN_CODE_INVALID_ARGUMENT, "%s: the array is %s; expected %s", name,
                            TN_TYPE_TEXT(&type), TN_TYPE_TEXT(wanted));
  }
  elements_t elements = {archive, tensor, name};
  return tn__buffer_create_written(device, type.dtype, type.rank, type.dims, read_elements,
                                   &elements, out_buffer);
}

const tn_archive_format_t tn__safetensors_format = {"tensor", list_tensors, read_named};

tn_status_t tn_safetensors_read(tn_device_t* device, const char* path, const char* name,
                                const tn_type_t* wanted, tn_buffer_t** out_buffer) {
  *out_buffer = NULL;
  TN_RETURN_IF_NULL(device);
  TN_RETURN_IF_NULL(path);
  TN_RETURN_IF_NULL(name);
  return tn__archive_read_one(&tn__safetensors_format, device, path, name, wanted, out_buffer);
}
