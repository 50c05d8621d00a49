// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "npy.h"

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct message_t {
  char* text;
  size_t size;
  const char* path;
} message_t;

static int fail(const message_t* message, const char* format, ...) {
  int length = snprintf(message->text, message->size, "%s: ", message->path);
  if (length >= 0 && (size_t)length < message->size) {
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(message->text + length, message->size - (size_t)length, format, arguments);
    va_end(arguments);
  }
  return 0;
}

/* Reads the whole file; the caller frees *out_bytes. */
static int read_file(const message_t* message, unsigned char** out_bytes, size_t* out_length) {
  FILE* file = fopen(message->path, "rb");
  if (file == NULL) return fail(message, "%s", strerror(errno));
  unsigned char* bytes = NULL;
  size_t length = 0, capacity = 0, got = 1;
  while (got > 0) {
    if (length == capacity) {
      capacity = capacity == 0 ? 65536 : 2 * capacity;
      unsigned char* more = realloc(bytes, capacity);
      if (more == NULL) {
        free(bytes);
        fclose(file);
        return fail(message, "out of memory");
      }
      bytes = more;
    }
    got = fread(bytes + length, 1, capacity - length, file);
    length += got;
  }
  int broken = ferror(file);
  fclose(file);
  if (broken) {
    free(bytes);
    return fail(message, "cannot be read");
  }
  *out_bytes = bytes;
  *out_length = length;
  return 1;
}

static uint64_t little_endian(const unsigned char* bytes, size_t size) {
  uint64_t value = 0;
  for (size_t i = size; i-- > 0;) value = value << 8 | bytes[i];
  return value;
}

/* One element of kind 'b', 'u', 'i' or 'f'. */
static double element(const unsigned char* bytes, char kind, size_t size) {
  uint64_t bits = little_endian(bytes, size);
  if (kind == 'f' && size == 4) {
    uint32_t half = (uint32_t)bits;
    float value;
    memcpy(&value, &half, sizeof value);
    return (double)value;
  }
  if (kind == 'f') {
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
  }
  if (kind == 'i' && (bits >> (8 * size - 1) & 1) != 0) {
    uint64_t magnitude = ~bits + 1;
    if (size < 8) magnitude &= ((uint64_t)1 << (8 * size)) - 1;
    return -(double)magnitude;
  }
  return (double)bits;
}

/* The text after "'key':" in the header, which is the literal of a Python dictionary; NULL when it
 * is not there. */
static const char* header_value(const char* header, const char* key) {
  char quoted[32];
  (void)snprintf(quoted, sizeof quoted, "'%s':", key);
  const char* place = strstr(header, quoted);
  if (place == NULL) return NULL;
  place += strlen(quoted);
  while (*place == ' ') place++;
  return place;
}

static int parse_shape(const message_t* message, const char* text, npy_array_t* array) {
  if (text == NULL || *text++ != '(') return fail(message, "the header has no shape");
  array->rank = 0;
  array->count = 1;
  for (;;) {
    while (*text == ' ' || *text == ',') text++;
    if (*text == ')') return 1;
    if (*text < '0' || *text > '9') return fail(message, "the shape in the header cannot be read");
    if (array->rank == NPY_MAX_RANK)
      return fail(message, "has more than %d dimensions", NPY_MAX_RANK);
    char* end = NULL;
    errno = 0;
    unsigned long long dim = strtoull(text, &end, 10);
    text = end;
    if (errno != 0 || dim > SIZE_MAX ||
        (dim != 0 && array->count > SIZE_MAX / sizeof(double) / (size_t)dim))
      return fail(message, "the shape in the header is too large");
    array->dims[array->rank++] = (size_t)dim;
    array->count *= (size_t)dim;
  }
}

static int parse(const message_t* message, const unsigned char* bytes, size_t length,
                 npy_array_t* array) {
  if (length < 10 || memcmp(bytes, "\x93NUMPY", 6) != 0)
    return fail(message, "is not an .npy file");
  size_t prefix = bytes[6] == 1 ? 10 : 12;
  if (bytes[6] < 1 || bytes[6] > 3)
    return fail(message, "has .npy version %d; versions 1 to 3 are read", bytes[6]);
  if (length < prefix) return fail(message, "ends within its header");
  uint64_t header_length = little_endian(bytes + 8, prefix - 8);
  if (header_length > length - prefix) return fail(message, "ends within its header");

  char* header = malloc((size_t)header_length + 1);
  if (header == NULL) return fail(message, "out of memory");
  memcpy(header, bytes + prefix, (size_t)header_length);
  header[header_length] = '\0';
  const char* type = header_value(header, "descr");
  const char* order = header_value(header, "fortran_order");
  char mark = 0, kind = 0, size_digit = 0;
  if (type != NULL && strlen(type) >= 5 && type[0] == '\'' && type[4] == '\'') {
    mark = type[1];
    kind = type[2];
    size_digit = type[3];
  }
  size_t size = size_digit >= '1' && size_digit <= '8' ? (size_t)(size_digit - '0') : 0;
  int whole = kind == 'u' || kind == 'i' || (kind == 'b' && size == 1);
  int known = (whole && (size == 1 || size == 2 || size == 4 || size == 8)) ||
              (kind == 'f' && (size == 4 || size == 8));
  int ok = 1;
  if (!known || (mark != '<' && mark != '|'))
    ok = fail(message, "has elements of another type than little-endian integers, f4 and f8");
  else if (order == NULL || strncmp(order, "False", 5) != 0)
    ok = fail(message, "is stored column by column; save it with numpy.ascontiguousarray");
  else
    ok = parse_shape(message, header_value(header, "shape"), array);
  free(header);
  if (!ok || size == 0) return 0;

  const unsigned char* data = bytes + prefix + header_length;
  size_t there = length - prefix - (size_t)header_length;
  if (there / size < array->count || there != array->count * size)
    return fail(message, "holds %zu bytes of data; its shape wants %zu elements of %zu", there,
                array->count, size);
  array->values = malloc(array->count == 0 ? 1 : array->count * sizeof(double));
  if (array->values == NULL) return fail(message, "out of memory");
  for (size_t i = 0; i < array->count; i++) array->values[i] = element(data + i * size, kind, size);
  return 1;
}

int npy_load(const char* path, npy_array_t* out_array, char* message, size_t message_size) {
  message_t report = {.text = message, .size = message_size, .path = path};
  npy_array_t array = {0};
  unsigned char* bytes = NULL;
  size_t length = 0;
  *out_array = array;
  if (!read_file(&report, &bytes, &length)) return 0;
  int ok = parse(&report, bytes, length, &array);
  free(bytes);
  if (ok) *out_array = array;
  return ok;
}

void npy_free(npy_array_t* array) {
  free(array->values);
  array->values = NULL;
}
