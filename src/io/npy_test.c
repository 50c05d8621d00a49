// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include <tenon/npy.h>
#include <unistd.h>

#include "base/testing.h"
#include "base/testing_allocator.h"
#include "base/type.h"

typedef struct fixture {
  tn_device_t* device;
  char path[64];
} fixture_t;

static int set_up(void** state) {
  static fixture_t fixture;
  snprintf(fixture.path, sizeof fixture.path, "/tmp/tenon_npy_test_XXXXXX");
  int file = mkstemp(fixture.path);
  if (file < 0) return -1;
  close(file);
  TN_ASSERT_OK(tn_device_create("cpu", NULL, &fixture.device));
  *state = &fixture;
  return 0;
}

static int tear_down(void** state) {
  fixture_t* fixture = *state;
  tn_device_release(fixture->device);
  unlink(fixture->path);
  return 0;
}

// A file of version 1 with this header and these elements.
static void write_file(const fixture_t* fixture, const char* header, const void* data,
                       size_t length) {
  FILE* file = fopen(fixture->path, "wb");
  assert_non_null(file);
  const unsigned char prefix[] = {
      0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, (unsigned char)strlen(header), 0};
  fwrite(prefix, sizeof prefix, 1, file);
  fwrite(header, strlen(header), 1, file);
  if (length) fwrite(data, length, 1, file);
  assert_int_equal(fclose(file), 0);
}

static tn_status_t read_as(const fixture_t* fixture, const tn_type_t* expected,
                           tn_buffer_t** out_buffer) {
  return tn_npy_read(fixture->device, fixture->path, expected, out_buffer);
}

static const int64_t two_by_three[] = {2, 3};
static const tn_type_t matrix = {
    .kind = TN_TYPE_TENSOR, .dtype = TN_DTYPE_F32, .rank = 2, .dims = two_by_three};

static void assert_matrix(tn_buffer_t* buffer) {
  const void* data = NULL;
  assert_non_null(buffer);
  assert_true(tn_type_equal(tn_buffer_type(buffer), &matrix));
  TN_ASSERT_OK(tn_buffer_map(buffer, &data));
  for (int i = 0; i < 6; ++i) assert_true(((const float*)data)[i] == (float)i);
  tn_buffer_unmap(buffer);
  tn_buffer_release(buffer);
}

static void arrays_come_back_as_they_were_written(void** state) {
  const fixture_t* fixture = *state;
  const float values[] = {0, 1, 2, 3, 4, 5};
  tn_buffer_t* buffer = NULL;
  TN_ASSERT_OK(tn_buffer_create_from_host(fixture->device, TN_DTYPE_F32, 2, two_by_three, values,
                                          sizeof values, &buffer));
  TN_ASSERT_OK(tn_npy_write(fixture->path, buffer));
  tn_buffer_release(buffer);
  TN_ASSERT_OK(read_as(fixture, NULL, &buffer));
  assert_matrix(buffer);
  TN_ASSERT_OK(read_as(fixture, &matrix, &buffer));
  assert_matrix(buffer);
}

static void every_dtype_comes_back_when_its_type_is_expected(void** state) {
  const fixture_t* fixture = *state;
  const int64_t dims[] = {2};
  const unsigned char zeros[32] = {0};
  for (int i = 1; i < TN_DTYPE_LIMIT; ++i) {
    tn_dtype_t dtype = (tn_dtype_t)i;
    if (!tn_dtype_is_valid(i) || dtype == TN_DTYPE_TOKEN || dtype == TN_DTYPE_INDEX) continue;
    const tn_type_t type = {.kind = TN_TYPE_TENSOR, .dtype = dtype, .rank = 1, .dims = dims};
    tn_buffer_t *buffer = NULL, *again = NULL;
    TN_ASSERT_OK(tn_buffer_create_from_host(fixture->device, dtype, 1, dims, zeros,
                                            2 * tn_dtype_byte_size(dtype), &buffer));
    TN_ASSERT_OK(tn_npy_write(fixture->path, buffer));
    TN_ASSERT_OK(read_as(fixture, &type, &again));
    assert_int_equal(tn_buffer_dtype(again), dtype);
    tn_buffer_release(buffer);
    tn_buffer_release(again);
  }
}

static tn_status_t append(void* user, const char* bytes, size_t length) {
  char** at = user;
  memcpy(*at, bytes, length);
  *at += length;
  return TN_OK;
}

static tn_status_t refuse(void* user, const char* bytes, size_t length) {
  (void)user;
  (void)bytes;
  (void)length;
  return tn_status_create(TN_CODE_CANCELLED, "refused");
}

static void arrays_come_back_from_memory(void** state) {
  const fixture_t* fixture = *state;
  static const uint16_t halves[] = {0x3f80, 0x4000};
  char bytes[512];
  char* at = bytes;
  tn_buffer_t *buffer = NULL, *back = NULL;
  TN_ASSERT_OK(tn_buffer_create_from_host(fixture->device, TN_DTYPE_BF16, 1, (int64_t[]){2}, halves,
                                          sizeof halves, &buffer));
  TN_ASSERT_OK(tn_npy_encode(buffer, append, &at));
  TN_ASSERT_REPORT("refused", tn_npy_encode(buffer, refuse, NULL));
  const size_t length = (size_t)(at - bytes);
  TN_ASSERT_OK(tn_npy_decode(fixture->device, "it", bytes, length, NULL, &back));
  assert_int_equal(tn_buffer_dtype(back), TN_DTYPE_BF16);
  assert_int_equal(tn_buffer_dims(back)[0], 2);
  tn_buffer_release(back);
  TN_ASSERT_REPORT("it: ", tn_npy_decode(fixture->device, "it", bytes, length - 1, NULL, &back));
  assert_null(back);
  tn_buffer_release(buffer);
}

static void fortran_order_is_turned_around(void** state) {
  const fixture_t* fixture = *state;
  const float values[] = {0, 3, 1, 4, 2, 5};
  tn_buffer_t* buffer = NULL;
  write_file(fixture, "{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3), }", values,
             sizeof values);
  TN_ASSERT_OK(read_as(fixture, &matrix, &buffer));
  assert_matrix(buffer);
}

static void the_other_byte_order_is_swapped(void** state) {
  const fixture_t* fixture = *state;
  unsigned char bytes[24];
  tn_buffer_t* buffer = NULL;
  for (int i = 0; i < 6; ++i) {
    float value = (float)i;
    unsigned char native[4];
    memcpy(native, &value, 4);
    for (int k = 0; k < 4; ++k) bytes[4 * i + k] = native[3 - k];
  }
  write_file(fixture, "{\"descr\":\">f4\",\"fortran_order\":False,\"shape\":(2,3)}", bytes, 24);
  TN_ASSERT_OK(read_as(fixture, &matrix, &buffer));
  assert_matrix(buffer);
}

static void wrong_headers_are_refused(void** state) {
  const fixture_t* fixture = *state;
  static const struct {
    const char* header;
    const char* report;
  } rows[] = {
      {"", "the .npy header ends; expected `{`"},
      {"'descr': '<f4', 'fortran_order': False, 'shape': (2,3)",
       "the .npy header has `'descr': '<f4', `; expected `{`"},
      {"{'descr': '<f4', 'fortran_order': False}", "has no shape"},
      {"{'descr': '<f4', 'shape': (2,3)}", "has no fortran_order"},
      {"{'fortran_order': False, 'shape': (2,3)}", "has no descr"},
      {"{'descr': '<f4', 'fortran_order': Maybe, 'shape': (2,3)}", "expected True or False"},
      {"{'descr': '<f4', 'fortran_order': False 'shape': (2,3)}", "expected `,` or `}`"},
      {"{'descr': '<f4', 'descr': '<f8', 'fortran_order': False, 'shape': (2,3)}",
       "has the key 'descr' twice"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (2,3), 'more': 1}",
       "has the key 'more'; expected descr, fortran_order and shape"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (2,3)} x", "expected nothing after `}`"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (2,x)}", "has `x)}`; expected a size"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (2,3", "expected `,` or `)`"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (-2,3)}",
       "has `-2,3)}`; expected a size"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (+2,3)}",
       "has `+2,3)}`; expected a size"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (02,3)}",
       "has `02,3)}`; expected a size"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (2 3)}", "expected `,` after the only"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2 3)}", "expected `,` or `)`"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (6)}", "expected `,` after the only"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (,6)}", "has `,6)}`; expected a size"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (6,,)}", "has `,)}`; expected a size"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': [2,3]}", "expected a tuple of sizes"},
      {"{'descr': '<f+4', 'fortran_order': False, 'shape': (2,3)}", "dtype '<f+4'"},
      {"{'descr': '<f 4', 'fortran_order': False, 'shape': (2,3)}", "dtype '<f 4'"},
      {"{'descr': '<f', 'fortran_order': False, 'shape': (2,3)}", "dtype '<f'"},
      {"{'descr': 4, 'fortran_order': False, 'shape': (2,3)}", "expected a string as the descr"},
      {"{'descr': '|O', 'fortran_order': False, 'shape': (2,3)}", "dtype '|O'"},
      {"{'descr': '<U7', 'fortran_order': False, 'shape': (2,3)}", "dtype '<U7'"},
      {"{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2,3)}", "records"},
      {"{'descr': '<f4", "expected a string as the descr"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (9223372036854775807, 9)}", "overflows"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)}",
       "expected a size that fits 64 bits"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (7, 3)}", "the shape needs 84"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (0, 9223372036854775807)}", NULL},
      {"{'descr': '|V1', 'fortran_order': False, 'shape': (2,)}", "say which they are"},
  };
  const float values[6] = {0};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
    tn_buffer_t* buffer = NULL;
    write_file(fixture, rows[i].header, values, sizeof values);
    if (rows[i].report) {
      TN_ASSERT_REPORT(rows[i].report, read_as(fixture, NULL, &buffer));
      assert_null(buffer);
    } else {
      tn_status_release(read_as(fixture, NULL, &buffer));
      tn_buffer_release(buffer);
    }
  }
}

static void headers_as_numpy_writes_them_are_read(void** state) {
  const fixture_t* fixture = *state;
  static const char* const headers[] = {
      "{'descr': '<f4', 'fortran_order': False, 'shape': (6,), }            \n",
      "{'shape': (6L,), 'fortran_order': False, 'descr': '<f4'}",
      "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 6,), }",
      "{'descr': '<f4', 'fortran_order': False, 'shape': (), }",
      " {\"descr\":\"<f4\" , \"fortran_order\":False,\n\"shape\" : ( 3 , 2 )}",
  };
  const float values[6] = {0};
  for (size_t i = 0; i < sizeof headers / sizeof *headers; ++i) {
    tn_buffer_t* buffer = NULL;
    write_file(fixture, headers[i], values, sizeof values);
    TN_ASSERT_OK(read_as(fixture, NULL, &buffer));
    tn_buffer_release(buffer);
  }
}

static void truncation_is_noticed_at_every_byte(void** state) {
  const fixture_t* fixture = *state;
  const float values[] = {0, 1, 2, 3, 4, 5};
  char whole[256], start[16];
  write_file(fixture, "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }", values,
             sizeof values);
  FILE* file = fopen(fixture->path, "rb");
  size_t length = fread(whole, 1, sizeof whole, file);
  fclose(file);
  memcpy(start, whole, sizeof start);
  for (size_t cut = 0; cut < length; ++cut) {
    tn_buffer_t* buffer = NULL;
    assert_int_equal(truncate(fixture->path, (off_t)cut), 0);
    tn_status_t status = read_as(fixture, NULL, &buffer);
    assert_non_null(status);
    tn_code_t code = tn_status_code(status);
    assert_true(code == TN_CODE_DATA_LOSS || code == TN_CODE_INVALID_ARGUMENT);
    tn_status_release(status);
    file = fopen(fixture->path, "wb");
    fwrite(whole, 1, length, file);
    fclose(file);
  }
}

static void types_that_do_not_match_are_named(void** state) {
  const fixture_t* fixture = *state;
  const double values[6] = {0};
  tn_buffer_t* buffer = NULL;
  write_file(fixture, "{'descr': '<f8', 'fortran_order': False, 'shape': (6,), }", values,
             sizeof values);
  TN_ASSERT_REPORT("the array is tensor<6xf64>; expected tensor<2x3xf32>",
                   read_as(fixture, &matrix, &buffer));
}

static void small_integers_are_checked_and_get_their_sign(void** state) {
  const fixture_t* fixture = *state;
  const int64_t dims[] = {3};
  const tn_type_t type = {.kind = TN_TYPE_TENSOR, .dtype = TN_DTYPE_S4, .rank = 1, .dims = dims};
  tn_buffer_t* buffer = NULL;
  const void* data = NULL;
  write_file(fixture, "{'descr': '|V1', 'fortran_order': False, 'shape': (3,), }", "\x0d\x07\xf8",
             3);
  TN_ASSERT_OK(read_as(fixture, &type, &buffer));
  TN_ASSERT_OK(tn_buffer_map(buffer, &data));
  assert_memory_equal(data, "\xfd\x07\xf8", 3);
  tn_buffer_unmap(buffer);
  tn_buffer_release(buffer);
  write_file(fixture, "{'descr': '|i1', 'fortran_order': False, 'shape': (3,), }", "\x01\x12\x00",
             3);
  TN_ASSERT_REPORT("element 1 is 0x12, which i4 cannot hold", read_as(fixture, &type, &buffer));
}

static void files_that_are_not_there_are_named(void** state) {
  const fixture_t* fixture = *state;
  tn_buffer_t* buffer = NULL;
  TN_ASSERT_CODE(NOT_FOUND, tn_npy_read(fixture->device, "/nowhere/x.npy", NULL, &buffer));
  TN_ASSERT_REPORT("/tmp: it is not a regular file",
                   tn_npy_read(fixture->device, "/tmp", NULL, &buffer));
  const float value = 1;
  TN_ASSERT_OK(
      tn_buffer_create_from_host(fixture->device, TN_DTYPE_F32, 0, NULL, &value, 4, &buffer));
  TN_ASSERT_REPORT("/nowhere/x.npy: cannot be written: No such file",
                   tn_npy_write("/nowhere/x.npy", buffer));
  tn_buffer_release(buffer);
}

static tn_status_t attempt_read(const tn_allocator_t* allocator, void* context) {
  const fixture_t* fixture = context;
  tn_device_t* device = NULL;
  tn_buffer_t* buffer = NULL;
  tn_device_options_t options = {.struct_size = sizeof options, .allocator = allocator};
  tn_status_t status = tn_device_create("cpu", &options, &device);
  if (!status) status = tn_npy_read(device, fixture->path, &matrix, &buffer);
  tn_buffer_release(buffer);
  tn_device_release(device);
  return status;
}

static void reading_survives_refused_allocations(void** state) {
  fixture_t* fixture = *state;
  const float values[6] = {0};
  write_file(fixture, "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }", values,
             sizeof values);
  tn__testing_sweep_allocations(attempt_read, fixture);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(arrays_come_back_as_they_were_written),
      cmocka_unit_test(every_dtype_comes_back_when_its_type_is_expected),
      cmocka_unit_test(arrays_come_back_from_memory),
      cmocka_unit_test(fortran_order_is_turned_around),
      cmocka_unit_test(the_other_byte_order_is_swapped),
      cmocka_unit_test(wrong_headers_are_refused),
      cmocka_unit_test(headers_as_numpy_writes_them_are_read),
      cmocka_unit_test(truncation_is_noticed_at_every_byte),
      cmocka_unit_test(types_that_do_not_match_are_named),
      cmocka_unit_test(small_integers_are_checked_and_get_their_sign),
      cmocka_unit_test(files_that_are_not_there_are_named),
      cmocka_unit_test(reading_survives_refused_allocations),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
