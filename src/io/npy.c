// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// .npy files. The format:
// https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tenon/npy.h>

#include "base/type.h"
#include "device/buffer.h"
#include "io/npy.h"
#include "io/write_file.h"
#include "ops/rule.h"

// What the header says.
typedef struct npy_header {
  tn_dtype_t dtype;  // INVALID: elements of `raw_size` bytes that NumPy cannot name
  size_t raw_size;
  bool swapped;  // the other byte order
  bool fortran_order;
  size_t rank;
  int64_t dims[TN_MAX_RANK];
  size_t data_offset;  // from the start of the file
} npy_header_t;

static tn_status_t refuse(const char* name, const char* what) {
  return tn_status_create(TN_CODE_INVALID_ARGUMENT, "%s: %s", name, what);
}

// --- the header: a Python dictionary literal with the keys descr, fortran_order and shape

typedef struct literal {
  const char* name;      // of the file
  const char *at, *end;  // a NUL is at the end
} literal_t;

static void skip_blanks(literal_t* in) {
  while (*in->at && strchr(" \t\r\n", *in->at)) ++in->at;
}

static bool accept(literal_t* in, const char* token) {
  skip_blanks(in);
  if (strncmp(in->at, token, strlen(token)) != 0) return false;
  in->at += strlen(token);
  return true;
}

// How much of a text from the file a message can show.
static int shown(const char* text, size_t length) {
  enum { LONGEST = 16 };
  int count = 0;
  while (count < LONGEST && (size_t)count < length && text[count] >= ' ' && text[count] <= '~') {
    ++count;
  }
  return count;
}

static tn_status_t expected(literal_t* in, const char* what) {
  skip_blanks(in);
  if (in->at == in->end) {
    return tn_status_create(TN_CODE_INVALID_ARGUMENT, "%s: the .npy header ends; expected %s",
                            in->name, what);
  }
  return tn_status_create(TN_CODE_INVALID_ARGUMENT, "%s: the .npy header has `%.*s`; expected %s",
                          in->name, shown(in->at, (size_t)(in->end - in->at)), in->at, what);
}

// A string without escapes, in either kind of quotes.
static tn_status_t read_string(literal_t* in, const char* what, tn_string_view_t* out) {
  skip_blanks(in);
  const char quote = *in->at;
  if (quote != '\'' && quote != '"') return expected(in, what);
  const char* begin = in->at + 1;
  const char* end = begin;
  while (end < in->end && *end != quote && *end != '\\') ++end;
  if (*end != quote) return expected(in, what);
  *out = (tn_string_view_t){begin, (size_t)(end - begin)};
  in->at = end + 1;
  return TN_OK;
}

static tn_status_t read_size(literal_t* in, int64_t* out_size) {
  const char* begin = in->at;
  int64_t size = 0;
  for (; *in->at >= '0' && *in->at <= '9'; ++in->at) {
    if (__builtin_mul_overflow(size, 10, &size) ||
        __builtin_add_overflow(size, *in->at - '0', &size)) {
      in->at = begin;
      return expected(in, "a size that fits 64 bits");
    }
  }
  const bool has_zero_first = *begin == '0' && in->at - begin > 1;
  if (in->at == begin || has_zero_first) {
    in->at = begin;
    return expected(in, "a size or `)` in the shape");
  }
  if (*in->at == 'L') ++in->at;  // Python 2
  *out_size = size;
  return TN_OK;
}

// A tuple: (), (3,), (2, 3) or (2, 3,).
static tn_status_t read_shape(literal_t* in, npy_header_t* out) {
  bool has_comma = false;
  if (!accept(in, "(")) return expected(in, "a tuple of sizes as the shape");
  while (!accept(in, ")")) {
    if (out->rank && !has_comma) return expected(in, "`,` or `)` in the shape");
    if (out->rank == TN_MAX_RANK) return refuse(in->name, "the array has more than 64 dimensions");
    TN_RETURN_IF_ERROR(read_size(in, &out->dims[out->rank]));
    ++out->rank;
    has_comma = accept(in, ",");
    if (out->rank == 1 && !has_comma) return expected(in, "`,` after the only size of the shape");
  }
  return TN_OK;
}

static tn_status_t read_bool(literal_t* in, bool* out) {
  *out = accept(in, "True");
  return *out || accept(in, "False") ? TN_OK : expected(in, "True or False as fortran_order");
}

static tn_dtype_t dtype_of(char kind, size_t size) {
  static const struct {
    char kind;
    size_t size;
    tn_dtype_t dtype;
  } rows[] = {
      {'b', 1, TN_DTYPE_PRED}, {'i', 1, TN_DTYPE_S8},    {'i', 2, TN_DTYPE_S16},
      {'i', 4, TN_DTYPE_S32},  {'i', 8, TN_DTYPE_S64},   {'u', 1, TN_DTYPE_U8},
      {'u', 2, TN_DTYPE_U16},  {'u', 4, TN_DTYPE_U32},   {'u', 8, TN_DTYPE_U64},
      {'f', 2, TN_DTYPE_F16},  {'f', 4, TN_DTYPE_F32},   {'f', 8, TN_DTYPE_F64},
      {'c', 8, TN_DTYPE_C64},  {'c', 16, TN_DTYPE_C128},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
    if (rows[i].kind == kind && rows[i].size == size) return rows[i].dtype;
  }
  return TN_DTYPE_INVALID;
}

// The digits behind the kind; 0: something else.
static size_t size_of(tn_string_view_t descr) {
  size_t size = 0;
  for (size_t i = 2; i < descr.length; ++i) {
    if (descr.data[i] < '0' || descr.data[i] > '9' || descr.length > 5) return 0;
    size = 10 * size + (size_t)(descr.data[i] - '0');
  }
  return size;
}

static tn_status_t read_descr(literal_t* in, npy_header_t* out) {
  tn_string_view_t descr = {0};
  skip_blanks(in);
  if (*in->at == '[') {
    return tn_status_create(TN_CODE_UNIMPLEMENTED,
                            "%s: the array has records; expected plain elements", in->name);
  }
  TN_RETURN_IF_ERROR(read_string(in, "a string as the descr", &descr));
  const char order = descr.length > 2 ? descr.data[0] : 0;
  if (order == '<' || order == '|' || order == '=' || order == '>') {
    const char kind = descr.data[1];
    const size_t size = size_of(descr);
    out->swapped = order == '>';
    out->dtype = dtype_of(kind, size);
    if (out->dtype != TN_DTYPE_INVALID) return TN_OK;
    // ml_dtypes' names: bfloat16 is V2, the 8-bit floats are V1, and float8_e5m2 is f1.
    if ((kind == 'V' && size >= 1 && size <= 2) || (kind == 'f' && size == 1)) {
      out->raw_size = size;
      return TN_OK;
    }
  }
  return tn_status_create(TN_CODE_UNIMPLEMENTED,
                          "%s: the array has the dtype '%.*s', which Tenon does not have", in->name,
                          shown(descr.data, descr.length), descr.data);
}

// All three keys, each once, in any order.
static tn_status_t read_dictionary(literal_t* in, npy_header_t* out) {
  static const char* const keys[] = {"descr", "fortran_order", "shape"};
  enum { DESCR, FORTRAN_ORDER, SHAPE, KEY_COUNT };
  bool is_given[KEY_COUNT] = {false}, has_comma = true;
  if (!accept(in, "{")) return expected(in, "`{`");
  while (!accept(in, "}")) {
    tn_string_view_t name = {0};
    size_t key = 0;
    if (!has_comma) return expected(in, "`,` or `}`");
    TN_RETURN_IF_ERROR(read_string(in, "a key", &name));
    while (key < KEY_COUNT && !tn__sv_is(name, keys[key])) ++key;
    if (key == KEY_COUNT || is_given[key]) {
      return tn_status_create(TN_CODE_INVALID_ARGUMENT,
                              "%s: the .npy header has the key '%.*s'%s; expected descr, "
                              "fortran_order and shape",
                              in->name, shown(name.data, name.length), name.data,
                              key == KEY_COUNT ? "" : " twice");
    }
    is_given[key] = true;
    if (!accept(in, ":")) return expected(in, "`:`");
    if (key == DESCR) TN_RETURN_IF_ERROR(read_descr(in, out));
    if (key == FORTRAN_ORDER) TN_RETURN_IF_ERROR(read_bool(in, &out->fortran_order));
    if (key == SHAPE) TN_RETURN_IF_ERROR(read_shape(in, out));
    has_comma = accept(in, ",");
  }
  skip_blanks(in);
  if (in->at != in->end) return expected(in, "nothing after `}`");
  for (size_t key = 0; key < KEY_COUNT; ++key) {
    if (is_given[key]) continue;
    return tn_status_create(TN_CODE_INVALID_ARGUMENT, "%s: the .npy header has no %s", in->name,
                            keys[key]);
  }
  return TN_OK;
}

static tn_status_t cut_off(const char* name) {
  return tn_status_create(TN_CODE_DATA_LOSS, "%s: the .npy header is cut off", name);
}

static tn_status_t read_header_text(const char* name, const tn_byte_source_t* source, size_t begin,
                                    size_t length, npy_header_t* out) {
  char* text = malloc(length + 1);
  if (!text) return tn_status_create(TN_CODE_RESOURCE_EXHAUSTED, "%s: out of memory", name);
  tn_status_t status = tn__source_read(source, begin, text, length);
  text[length] = 0;
  literal_t in = {.name = name, .at = text, .end = text + length};
  status = status ? tn_status_prefix(status, "%s", name) : read_dictionary(&in, out);
  free(text);
  return status;
}

static const unsigned char magic[] = {0x93, 'N', 'U', 'M', 'P', 'Y'};

static tn_status_t parse_header(const char* name, const tn_byte_source_t* source,
                                npy_header_t* out) {
  enum { LARGEST_HEADER = 1 << 16, PREFIX = 12 };
  unsigned char bytes[PREFIX] = {0};
  const size_t length = source->byte_size < PREFIX ? (size_t)source->byte_size : PREFIX;
  *out = (npy_header_t){0};
  TN_RETURN_IF_ERROR(tn_status_prefix(tn__source_read(source, 0, bytes, length), "%s", name));
  if (length < sizeof magic || memcmp(bytes, magic, sizeof magic) != 0) {
    return refuse(name, "this is not a .npy file: it does not begin with \\x93NUMPY");
  }
  if (length < PREFIX) return cut_off(name);
  if (bytes[6] < 1 || bytes[6] > 3) return refuse(name, "the .npy version is not 1, 2 or 3");
  const size_t begin = bytes[6] == 1 ? 10 : PREFIX;
  const uint64_t header_length = tn__little_endian(bytes + 8, bytes[6] == 1 ? 2 : 4);
  if (header_length > source->byte_size - begin) return cut_off(name);
  if (header_length > LARGEST_HEADER) return refuse(name, "the .npy header is too long");
  TN_RETURN_IF_ERROR(read_header_text(name, source, begin, (size_t)header_length, out));
  out->data_offset = begin + (size_t)header_length;
  return TN_OK;
}

// --- elements

static void swap_bytes(unsigned char* data, size_t count, size_t size) {
  for (size_t i = 0; i < count; ++i, data += size) {
    for (size_t k = 0; k < size / 2; ++k) {
      unsigned char byte = data[k];
      data[k] = data[size - 1 - k];
      data[size - 1 - k] = byte;
    }
  }
}

// From the first dimension fastest to the last dimension fastest.
static void transpose(const npy_header_t* header, const char* from, char* to, size_t size,
                      int64_t count) {
  int64_t index[TN_MAX_RANK] = {0};
  for (int64_t i = 0; i < count; ++i) {
    int64_t offset = 0;
    for (size_t d = header->rank; d-- > 0;) offset = offset * header->dims[d] + index[d];
    memcpy(to + (size_t)i * size, from + (size_t)offset * size, size);
    for (size_t d = header->rank; d-- > 0;) {
      if (++index[d] < header->dims[d]) break;
      index[d] = 0;
    }
  }
}

// Booleans become 0 and 1. Elements of less than a byte must be such: others would be read as
// numbers that the dtype does not have. Signed ones may come without their sign in the upper bits,
// as ml_dtypes keeps them.
static tn_status_t check_elements(const char* name, tn_dtype_t dtype, int64_t count,
                                  unsigned char* data) {
  uint32_t width = tn_dtype_bit_width(dtype);
  bool is_signed = tn_dtype_kind(dtype) == TN_KIND_SIGNED;
  if (width >= 8) return TN_OK;
  unsigned char upper = (unsigned char)(0xff << width), sign = (unsigned char)(1 << (width - 1));
  for (int64_t i = 0; i < count; ++i) {
    bool is_negative = is_signed && (data[i] & sign);
    if (dtype == TN_DTYPE_PRED) {
      data[i] = data[i] != 0;
    } else if ((data[i] & upper) == (is_negative ? upper : 0)) {
      continue;
    } else if (is_negative && (data[i] & upper) == 0) {
      data[i] |= upper;
    } else {
      return tn_status_create(TN_CODE_INVALID_ARGUMENT,
                              "%s: element %lld is 0x%02x, which %s cannot hold", name,
                              (long long)i, data[i], tn_dtype_name(dtype));
    }
  }
  return TN_OK;
}

static tn_status_t match(const char* name, npy_header_t* header, const tn_type_t* expected) {
  if (expected && header->dtype == TN_DTYPE_INVALID &&
      tn_dtype_byte_size(expected->dtype) == header->raw_size) {
    header->dtype = expected->dtype;
  }
  if (!expected && header->dtype == TN_DTYPE_INVALID && header->raw_size == 2) {
    header->dtype = TN_DTYPE_BF16;
  }
  // NumPy has no types of less than a byte; they come as the bytes that they take in memory.
  if (expected && tn_dtype_bit_width(expected->dtype) < 8 &&
      (header->dtype == TN_DTYPE_S8 || header->dtype == TN_DTYPE_U8)) {
    header->dtype = expected->dtype;
  }
  if (header->dtype == TN_DTYPE_INVALID) {
    return tn_status_create(TN_CODE_INVALID_ARGUMENT,
                            "%s: the elements are %zu bytes without a dtype; say which they are",
                            name, header->raw_size);
  }
  if (!expected) return TN_OK;
  tn_type_t found = {
      .kind = TN_TYPE_TENSOR, .dtype = header->dtype, .rank = header->rank, .dims = header->dims};
  if (tn__types_agree(&found, expected)) return TN_OK;
  return tn_status_create(TN_CODE_INVALID_ARGUMENT, "%s: the array is %s; expected %s", name,
                          TN_TYPE_TEXT(&found), TN_TYPE_TEXT(expected));
}

// What follows the header.
typedef struct npy_elements {
  const char* name;
  const npy_header_t* header;
  const tn_byte_source_t* source;
  size_t byte_size;
} npy_elements_t;

static tn_status_t read_transposed(const npy_elements_t* elements, size_t size, int64_t count,
                                   void* data) {
  char* bytes = malloc(elements->byte_size + 1);
  if (!bytes) return tn__status_out_of_memory();
  tn_status_t status =
      tn__source_read(elements->source, elements->header->data_offset, bytes, elements->byte_size);
  if (!status) transpose(elements->header, bytes, data, size, count);
  free(bytes);
  return status;
}

static tn_status_t read_elements(void* user, void* data) {
  const npy_elements_t* elements = user;
  const npy_header_t* header = elements->header;
  const size_t size = tn_dtype_byte_size(header->dtype);
  const int64_t count = (int64_t)(elements->byte_size / size);
  const bool is_transposed = header->fortran_order && header->rank > 1;
  tn_status_t status = is_transposed ? read_transposed(elements, size, count, data)
                                     : tn__source_read(elements->source, header->data_offset, data,
                                                       elements->byte_size);
  if (status) return tn_status_prefix(status, "%s", elements->name);
  if (header->swapped) {
    size_t part = tn_dtype_kind(header->dtype) == TN_KIND_COMPLEX ? size / 2 : size;
    swap_bytes(data, elements->byte_size / part, part);
  }
  return check_elements(elements->name, header->dtype, count, data);
}

static tn_status_t check_size(const char* name, const npy_header_t* header, uint64_t available,
                              bool is_whole, size_t* out_byte_size) {
  size_t byte_size = tn_dtype_byte_size(header->dtype);
  for (size_t i = 0; i < header->rank; ++i) {
    if (__builtin_mul_overflow(byte_size, (size_t)header->dims[i], &byte_size)) {
      return refuse(name, "the shape in the .npy header overflows");
    }
  }
  if (byte_size > available || (is_whole && byte_size != available)) {
    return tn_status_create(TN_CODE_DATA_LOSS, "%s: %llu bytes of elements; the shape needs %zu",
                            name, (unsigned long long)available, byte_size);
  }
  *out_byte_size = byte_size;
  return TN_OK;
}

// `is_whole`: nothing may follow the elements. Memory is taken when all sizes agree.
static tn_status_t read_array(tn_device_t* device, const char* name, const tn_byte_source_t* source,
                              bool is_whole, const tn_type_t* expected, tn_buffer_t** out_buffer) {
  npy_header_t header;
  size_t byte_size = 0;
  TN_RETURN_IF_ERROR(parse_header(name, source, &header));
  TN_RETURN_IF_ERROR(match(name, &header, expected));
  const uint64_t available = source->byte_size - header.data_offset;
  TN_RETURN_IF_ERROR(check_size(name, &header, available, is_whole, &byte_size));
  npy_elements_t elements = {name, &header, source, byte_size};
  return tn__buffer_create_written(device, header.dtype, header.rank, header.dims, read_elements,
                                   &elements, out_buffer);
}

static tn_status_t read_memory(void* user, uint64_t offset, void* data, size_t length) {
  memcpy(data, (const char*)user + offset, length);
  return TN_OK;
}

tn_status_t tn_npy_decode(tn_device_t* device, const char* name, const void* contents,
                          size_t length, const tn_type_t* expected, tn_buffer_t** out_buffer) {
  *out_buffer = NULL;
  TN_RETURN_IF_NULL(name);
  TN_RETURN_IF_NULL(device);
  if (length) TN_RETURN_IF_NULL(contents);
  const tn_byte_source_t source = {read_memory, (void*)(uintptr_t)contents, length};
  return read_array(device, name, &source, false, expected, out_buffer);
}

tn_status_t tn_npy_read(tn_device_t* device, const char* path, const tn_type_t* expected,
                        tn_buffer_t** out_buffer) {
  tn_file_source_t file;
  *out_buffer = NULL;
  TN_RETURN_IF_NULL(path);
  TN_RETURN_IF_NULL(device);
  TN_RETURN_IF_ERROR(tn__source_open(path, &file));
  tn_status_t status = read_array(device, path, &file.source, false, expected, out_buffer);
  tn__source_close(&file);
  return status;
}

tn_status_t tn__npy_read_member(tn_device_t* device, const char* name,
                                const tn_byte_source_t* source, const tn_type_t* expected,
                                tn_buffer_t** out_buffer) {
  unsigned char begin[sizeof magic] = {0};
  if (source->byte_size >= sizeof begin) {
    tn_status_t status = tn__source_read(source, 0, begin, sizeof begin);
    if (status) return tn_status_prefix(status, "%s", name);
  }
  if (memcmp(begin, magic, sizeof magic) != 0) {
    return tn_status_create(TN_CODE_UNIMPLEMENTED,
                            "%s: this member of the archive is not a .npy file", name);
  }
  return read_array(device, name, source, true, expected, out_buffer);
}

// --- writing

static void describe(tn_dtype_t dtype, char* out, size_t capacity) {
  static const char kinds[] = "biufc";
  static const size_t sizes[] = {1, 2, 4, 8, 16};
  size_t size = tn_dtype_byte_size(dtype);
  for (const char* kind = kinds; *kind; ++kind) {
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
      if (dtype_of(*kind, sizes[i]) != dtype) continue;
      snprintf(out, capacity, "%c%c%zu", size == 1 ? '|' : '<', *kind, size);
      return;
    }
  }
  bool is_small_integer = tn_dtype_kind(dtype) & TN_KIND_INTEGER;
  char kind = !is_small_integer ? 'V' : tn_dtype_kind(dtype) == TN_KIND_SIGNED ? 'i' : 'u';
  snprintf(out, capacity, "|%c%zu", kind, size);
}

size_t tn__npy_header(tn_buffer_t* buffer, char out[TN_NPY_HEADER_LIMIT]) {
  enum { ALIGNMENT = 64, PREFIX = 10 };
  char descr[16];
  describe(tn_buffer_dtype(buffer), descr, sizeof descr);
  size_t length =
      PREFIX + (size_t)snprintf(out + PREFIX, TN_NPY_HEADER_LIMIT - PREFIX,
                                "{'descr': '%s', 'fortran_order': False, 'shape': (", descr);
  const size_t rank = tn_buffer_rank(buffer);
  for (size_t i = 0; i < rank; ++i) {
    length += (size_t)snprintf(out + length, TN_NPY_HEADER_LIMIT - length, "%s%lld", i ? ", " : "",
                               (long long)tn_buffer_dims(buffer)[i]);
  }
  length +=
      (size_t)snprintf(out + length, TN_NPY_HEADER_LIMIT - length, rank == 1 ? ",), }" : "), }");
  while ((length + 1) % ALIGNMENT) out[length++] = ' ';
  out[length++] = '\n';
  memcpy(out, "\x93NUMPY\1\0", 8);
  out[8] = (char)((length - PREFIX) & 0xFF);
  out[9] = (char)((length - PREFIX) >> 8);
  return length;
}

tn_status_t tn_npy_encode(tn_buffer_t* buffer, tn_write_fn write, void* user) {
  TN_RETURN_IF_NULL(buffer);
  TN_RETURN_IF_NULL(write);
  char header[TN_NPY_HEADER_LIMIT];
  const void* data = NULL;
  TN_RETURN_IF_ERROR(tn_buffer_map(buffer, &data));
  const size_t byte_size = tn_buffer_byte_size(buffer);
  tn_status_t status = write(user, header, tn__npy_header(buffer, header));
  if (!status && byte_size) status = write(user, data, byte_size);
  tn_buffer_unmap(buffer);
  return status;
}

static tn_status_t write_npy(const void* user, void* file) {
  return tn_npy_encode((tn_buffer_t*)(uintptr_t)user, tn_file_writer_write, file);
}

tn_status_t tn_npy_write(const char* path, tn_buffer_t* buffer) {
  const void* data = NULL;
  TN_RETURN_IF_NULL(buffer);
  TN_RETURN_IF_NULL(path);
  TN_RETURN_IF_ERROR(tn_buffer_map(buffer, &data));  // an error here has written nothing
  tn_buffer_unmap(buffer);
  return tn__write_file(path, write_npy, buffer);
}
