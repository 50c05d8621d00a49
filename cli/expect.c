// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// --expect: outputs compared with what they must be.
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

// Elements of one output that are too far from what is expected.
typedef struct mismatch {
  size_t count, first;
  double largest;  // distance of the numbers that are finite
} mismatch_t;

static bool read_tolerance(const arguments_t* arguments, double* out_tolerance) {
  const char* text = cli_value(arguments, OPTION_TOLERANCE, "0");
  char* end = NULL;
  *out_tolerance = strtod(text, &end);
  return end != text && !*end && *out_tolerance >= 0;
}

static int check_tolerance(const arguments_t* arguments) {
  double tolerance = 0;
  if (!read_tolerance(arguments, &tolerance)) {
    return cli_refuse(arguments->command, "--tolerance %s is not a number such as 1e-5",
                      cli_value(arguments, OPTION_TOLERANCE, ""));
  }
  if (cli_has(arguments, OPTION_TOLERANCE) && !cli_has(arguments, OPTION_EXPECT)) {
    return cli_refuse(arguments->command, "--tolerance is given without --expect");
  }
  return EXIT_FINE;
}

int cli_make_expected(const arguments_t* arguments, const session_t* session,
                      tn_buffer_t** out_expected) {
  const size_t count = tn_program_output_count(session->program);
  const char** specs = NULL;
  int code = check_tolerance(arguments);
  if (code == EXIT_FINE) {
    code = cli_assign_specs(arguments, session->program, OPTION_EXPECT, &specs);
  }
  for (size_t i = 0; i < count && code == EXIT_FINE; ++i) {
    if (specs[i]) {
      code = cli_make_expected_output(arguments, session, i, specs[i], &out_expected[i]);
    }
  }
  free(specs);
  return code;
}

// Numbers of a complex element one by one.
static bool numbers_fit(tn_dtype_t dtype, const char* found, const char* expected, double tolerance,
                        double* largest) {
  const tn_dtype_t part = dtype == TN_DTYPE_C64    ? TN_DTYPE_F32
                          : dtype == TN_DTYPE_C128 ? TN_DTYPE_F64
                                                   : dtype;
  bool fits = true;
  for (size_t at = 0; at < tn_dtype_byte_size(dtype); at += tn_dtype_byte_size(part)) {
    if (tn_dtype_ulps_between(part, found + at, expected + at) == 0) continue;
    const double a = tn_dtype_load(part, found + at), b = tn_dtype_load(part, expected + at);
    const double distance = fabs(a - b);
    if (tolerance > 0 && distance <= tolerance * (1 + fabs(b)) && isfinite(b)) continue;
    if (isfinite(distance) && distance > *largest) *largest = distance;
    fits = false;
  }
  return fits;
}

static mismatch_t compare(tn_dtype_t dtype, size_t count, const char* found, const char* expected,
                          double tolerance) {
  const size_t size = tn_dtype_byte_size(dtype);
  mismatch_t mismatch = {0};
  for (size_t i = 0; i < count; ++i) {
    if (numbers_fit(dtype, found + i * size, expected + i * size, tolerance, &mismatch.largest)) {
      continue;
    }
    if (mismatch.count++ == 0) mismatch.first = i;
  }
  return mismatch;
}

// "[1, 2]": where an element is.
static const char* index_text(const tn_buffer_t* buffer, size_t element, char out[256]) {
  int64_t index[TN_MAX_RANK];
  const size_t rank = tn_buffer_rank(buffer);
  for (size_t i = rank; i-- > 0;) {
    const size_t dim = (size_t)tn_buffer_dims(buffer)[i];
    index[i] = (int64_t)(element % dim);
    element /= dim;
  }
  size_t length = (size_t)snprintf(out, 256, "[");
  for (size_t i = 0; i < rank && length < 220; ++i) {
    length +=
        (size_t)snprintf(out + length, 256 - length, "%s%lld", i ? ", " : "", (long long)index[i]);
  }
  snprintf(out + length, 256 - length, "]");
  return out;
}

static void number_text(tn_dtype_t dtype, const char* element, char out[64]) {
  if (dtype == TN_DTYPE_C64 || dtype == TN_DTYPE_C128) {
    const tn_dtype_t part = dtype == TN_DTYPE_C64 ? TN_DTYPE_F32 : TN_DTYPE_F64;
    snprintf(out, 64, "%.9g%+.9gj", tn_dtype_load(part, element),
             tn_dtype_load(part, element + tn_dtype_byte_size(part)));
  } else if (dtype == TN_DTYPE_S64 || dtype == TN_DTYPE_U64) {  // double does not hold all of them
    int64_t value = 0;
    memcpy(&value, element, sizeof value);
    snprintf(out, 64, dtype == TN_DTYPE_S64 ? "%" PRId64 : "%" PRIu64, value);
  } else {
    snprintf(out, 64, dtype == TN_DTYPE_F64 ? "%.17g" : "%.9g", tn_dtype_load(dtype, element));
  }
}

static tn_status_t mismatch_error(size_t output, const tn_buffer_t* buffer, const char* found,
                                  const char* expected, const mismatch_t* mismatch) {
  char index[256], found_text[64], expected_text[64];
  const tn_dtype_t dtype = tn_buffer_dtype(buffer);
  const size_t at = mismatch->first * tn_dtype_byte_size(dtype);
  number_text(dtype, found + at, found_text);
  number_text(dtype, expected + at, expected_text);
  tn_status_t status = tn_status_create(
      TN_CODE_FAILED_PRECONDITION, "output %zu: element %s is %s; expected %s", output,
      index_text(buffer, mismatch->first, index), found_text, expected_text);
  return tn_status_note(status, "%zu of %lld elements differ, by at most %.6g", mismatch->count,
                        (long long)tn_buffer_size(buffer), mismatch->largest);
}

static tn_status_t compare_output(size_t index, tn_buffer_t* output, tn_buffer_t* expected,
                                  double tolerance) {
  const void *found_data = NULL, *expected_data = NULL;
  if (!tn_type_equal(tn_buffer_type(output), tn_buffer_type(expected))) {  // sizes were unknown
    char found_type[160], expected_type[160];
    tn_type_format(tn_buffer_type(output), found_type, sizeof found_type);
    tn_type_format(tn_buffer_type(expected), expected_type, sizeof expected_type);
    return tn_status_create(TN_CODE_FAILED_PRECONDITION, "output %zu has type %s; expected %s",
                            index, found_type, expected_type);
  }
  tn_status_t status = tn_buffer_map(output, &found_data);
  if (status) return status;
  status = tn_buffer_map(expected, &expected_data);
  if (!status) {
    const mismatch_t mismatch = compare(tn_buffer_dtype(output), (size_t)tn_buffer_size(output),
                                        found_data, expected_data, tolerance);
    if (mismatch.count) {
      status = mismatch_error(index, output, found_data, expected_data, &mismatch);
    }
    tn_buffer_unmap(expected);
  }
  tn_buffer_unmap(output);
  return status;
}

tn_status_t cli_compare_expected(const arguments_t* arguments, tn_buffer_t* const* outputs,
                                 tn_buffer_t* const* expected, size_t count) {
  double tolerance = 0;
  tn_status_t status = TN_OK;
  read_tolerance(arguments, &tolerance);
  for (size_t i = 0; !status && i < count; ++i) {
    if (expected[i]) status = compare_output(i, outputs[i], expected[i], tolerance);
  }
  return status;
}
