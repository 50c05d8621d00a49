// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "program/testing_run.h"

#include <math.h>

#include "base/type.h"
#include "device/buffer.h"
#include "kernel/common/element.h"
#include "program/activation.h"

static const char* device_name = "cpu";
static tn_device_t* device;

static bool exists(const char* name) {
  tn_device_t* found = NULL;
  tn_status_release(tn_device_create(name, NULL, &found));
  const bool is_there = found;
  tn_device_release(found);
  return is_there;
}

int tn__testing_run_on_every_device(const struct CMUnitTest* tests, size_t count,
                                    CMFixtureFunction setup, CMFixtureFunction teardown) {
  static const char* const names[] = {
#define TN_DEVICE_DRIVER(name) #name,
#include "device/drivers.def"
#undef TN_DEVICE_DRIVER
  };
  int failed = 0;
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
    device_name = names[i];
    if (!exists(device_name)) continue;  // as there is no driver of OpenCL everywhere
    failed += _cmocka_run_group_tests(names[i], tests, count, setup, teardown);
  }
  return failed;
}

int tn__testing_device_setup(void** state) {
  (void)state;
  tn_status_t status = tn_device_create(device_name, NULL, &device);
  tn_status_release(status);
  return device ? 0 : -1;
}

int tn__testing_device_teardown(void** state) {
  (void)state;
  tn_device_release(device);
  device = NULL;
  return 0;
}

tn_device_t* tn__testing_device(void) {
  return device;
}

tn_program_t* tn__testing_program(const char* text, bool keep_all) {
  return tn__testing_program_on(device, text, keep_all);
}

tn_program_t* tn__testing_program_on(tn_device_t* on, const char* text, bool keep_all) {
  const tn_compile_options_t options = {.struct_size = sizeof options, .keep_all = keep_all};
  tn_module_t* module = NULL;
  tn_program_t* program = NULL;
  TN_ASSERT_OK(tn_module_parse(NULL, "test.mlir", text, strlen(text), &module));
  tn_status_t status = tn_program_compile(on, module, &options, &program);
  tn_module_release(module);
  TN_ASSERT_OK(status);
  return program;
}

// --- buffers

static uint64_t next_random(uint64_t* state) {
  uint64_t z = (*state += 0x9e3779b97f4a7c15u);
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return z ^ z >> 31;
}

static void fill(tn_dtype_t dtype, size_t byte_size, uint64_t* state, unsigned char* data) {
  static const uint32_t odd_floats[] = {0x00000000, 0x80000000, 0x7F800000, 0xFF800000,
                                        0x7FC00000, 0x3F800000, 0x00000001};
  size_t size = tn_dtype_byte_size(dtype);
  for (size_t i = 0; i + size <= byte_size; i += size) {
    uint64_t random = next_random(state);
    int32_t small = (int32_t)(random >> 32) % 16;
    float real = (float)small / 3;
    if (dtype == TN_DTYPE_F32) {
      memcpy(data + i, &real, sizeof real);
      if (random % 8 == 0) memcpy(data + i, &odd_floats[random / 8 % 7], sizeof real);
    } else if (dtype == TN_DTYPE_S32) {
      memcpy(data + i, &small, sizeof small);
    } else {
      memset(data + i, (int)(random & 1), size);
    }
  }
}

void tn__testing_arguments(const tn_program_t* program, uint64_t seed, tn_testing_buffers_t* out) {
  out->count = tn_program_input_count(program);
  assert_true(out->count <= TN_TESTING_LEAVES);
  for (size_t i = 0; i < out->count; ++i) {
    const tn_type_t* type = tn_program_input_type(program, i);
    const size_t byte_size = tn__type_byte_size(type);
    unsigned char* data = calloc(1, byte_size + 1);
    assert_non_null(data);
    fill(tn_type_dtype(type), byte_size, &seed, data);
    TN_ASSERT_OK(tn_buffer_create_from_host(program->device, tn_type_dtype(type),
                                            tn_type_rank(type), tn_type_dims(type), data, byte_size,
                                            &out->list[i]));
    free(data);
  }
}

void tn__testing_buffers_release(tn_testing_buffers_t* buffers) {
  for (size_t i = 0; i < buffers->count; ++i) tn_buffer_release(buffers->list[i]);
  buffers->count = 0;
}

tn_buffer_t* tn__testing_floats(size_t count, const float* values) {
  tn_buffer_t* buffer = NULL;
  TN_ASSERT_OK(tn_buffer_create_from_host(device, TN_DTYPE_F32, 1, (int64_t[]){(int64_t)count},
                                          values, count * sizeof *values, &buffer));
  return buffer;
}

void tn__testing_expect_floats(tn_buffer_t* buffer, size_t count, const float* values) {
  float found[256];
  assert_true(count <= sizeof found / sizeof *found);
  assert_non_null(buffer);
  TN_ASSERT_OK(tn_buffer_to_host(buffer, found, count * sizeof *found));
  for (size_t i = 0; i < count; ++i) {
    const void *is = &found[i], *wanted = &values[i];  // the bits: NaN and -0 count
    if (memcmp(is, wanted, sizeof *found) != 0) {
      fail_msg("element %zu is %g; wanted %g", i, (double)found[i], (double)values[i]);
    }
  }
}

void tn__testing_read_bytes(const tn_testing_buffers_t* buffers, tn_testing_bytes_t* out) {
  *out = (tn_testing_bytes_t){0};
  for (size_t i = 0; i < buffers->count; ++i) {
    out->length += tn_buffer_byte_size(buffers->list[i]);
  }
  out->bytes = calloc(1, out->length + 1);
  assert_non_null(out->bytes);
  size_t at = 0;
  for (size_t i = 0; i < buffers->count; ++i) {
    size_t length = tn_buffer_byte_size(buffers->list[i]);
    TN_ASSERT_OK(tn_buffer_to_host(buffers->list[i], out->bytes + at, length));
    at += length;
  }
}

// --- runs

tn_status_t tn__testing_run_bytes(tn_program_t* program, const tn_run_options_t* options,
                                  const tn_testing_buffers_t* arguments, tn_testing_bytes_t* out) {
  tn_testing_buffers_t results = {.count = tn_program_output_count(program)};
  *out = (tn_testing_bytes_t){0};
  assert_true(results.count <= TN_TESTING_LEAVES);
  TN_RETURN_IF_ERROR(tn_program_run(program, arguments->count, arguments->list, options,
                                    results.count, results.list));
  tn__testing_read_bytes(&results, out);
  tn__testing_buffers_release(&results);
  return TN_OK;
}

static void unify_nans(tn_dtype_t dtype, unsigned char* bytes, size_t count) {
  const size_t size = tn_dtype_byte_size(dtype);
  const tn_conversion_t conversion = tn__conversion(dtype, TN_DTYPE_F64);
  for (size_t i = 0; i < count; ++i) {
    double value = 0, element = 0;
    memcpy(&element, bytes + i * size, size);  // where it is aligned
    conversion.run(&conversion, &element, &value, 1);
    if (isnan(value)) memset(bytes + i * size, 0xFF, size);
  }
}

void tn__testing_unify_nans(const tn_program_t* program, tn_testing_bytes_t* bytes) {
  size_t at = 0;
  for (size_t i = 0; i < tn_program_output_count(program); ++i) {
    const tn_type_t* type = tn_program_output_type(program, i);
    if (tn_type_kind(type) != TN_TYPE_TENSOR) continue;
    const tn_dtype_t dtype = type->dtype;
    const size_t count = (size_t)tn__type_size(type);
    if (dtype == TN_DTYPE_C64) {
      unify_nans(TN_DTYPE_F32, bytes->bytes + at, 2 * count);
    } else if (dtype == TN_DTYPE_C128) {
      unify_nans(TN_DTYPE_F64, bytes->bytes + at, 2 * count);
    } else if (tn_dtype_kind(dtype) == TN_KIND_FLOAT) {
      unify_nans(dtype, bytes->bytes + at, count);
    }
    at += (size_t)tn__type_byte_size(type);
  }
  assert_int_equal(at, bytes->length);
}

bool tn__testing_bytes_equal(const tn_testing_bytes_t* a, const tn_testing_bytes_t* b) {
  if (a->length != b->length) return false;
  return a->length == 0 || memcmp(a->bytes, b->bytes, a->length) == 0;
}

static void poison(tn_memory_t memory, size_t byte_size, unsigned char byte) {
  unsigned char* bytes = malloc(byte_size + 1);
  assert_non_null(bytes);
  memset(bytes, byte, byte_size);
  TN_ASSERT_OK(device->vtable->copy_from_host(device, NULL, memory, bytes, byte_size));
  free(bytes);
}

void tn__testing_poison(tn_program_t* program, unsigned char byte) {
  tn_activation_t* activation = NULL;
  TN_ASSERT_OK(tn__activation_take(program, &activation));
  poison(activation->temporary_memory, program->arena_byte_size, byte);
  memset(activation->host_temporaries, byte, program->host_arena_byte_size);
  tn__activation_give(activation);
  tn_testing_buffers_t results = {.count = tn_program_output_count(program)};
  for (size_t i = 0; i < results.count; ++i) {
    const tn_type_t* type = tn_program_output_type(program, i);
    tn_memory_t memory;
    TN_ASSERT_OK(tn_buffer_create(program->device, tn_type_dtype(type), tn_type_rank(type),
                                  tn_type_dims(type), NULL, &results.list[i]));
    TN_ASSERT_OK(tn__buffer_hold(results.list[i], &memory));
    poison(memory, tn_buffer_byte_size(results.list[i]), byte);
    tn__buffer_unhold(results.list[i]);
  }
  tn__testing_buffers_release(&results);
}

void tn__testing_expect_same_bits(tn_program_t* program, const char* text, uint64_t seed) {
  tn_program_t* plain = tn__testing_program(text, true);
  tn_testing_buffers_t arguments;
  tn_testing_bytes_t wanted, found;
  tn__testing_arguments(plain, seed, &arguments);
  TN_ASSERT_OK(tn__testing_run_bytes(plain, NULL, &arguments, &wanted));
  tn__testing_poison(program, 0xA5);
  TN_ASSERT_OK(tn__testing_run_bytes(program, NULL, &arguments, &found));
  tn__testing_unify_nans(plain, &wanted);
  tn__testing_unify_nans(program, &found);
  if (!tn__testing_bytes_equal(&found, &wanted)) fail_msg("other bits of\n%s", text);
  tn__testing_buffers_release(&arguments);
  free(wanted.bytes);
  free(found.bytes);
  tn_program_release(plain);
}
