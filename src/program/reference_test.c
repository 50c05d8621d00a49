// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// The CPU against the reference device: random programs of every operation that both compute,
// in every dtype, by every instruction set that the processor has.
#include <math.h>

#include "base/float_format.h"
#include "kernel/common/isa.h"
#include "kernel/placement.h"
#include "program/activation.h"
#include "program/testing_run.h"
#include "program/testing_samples.h"

// Kernels of reference without a generator, and why.
static const char* const without_generator[][2] = {
    {"reshape", "forwards its operand: never run"},
    {"tenon.fusion", "runs kernels of others: the fixture"},
    {"tenon.row_blocks", "runs kernels of others: the fixture"},
    {"cholesky", "needs matrices that are positive definite: the fixtures have them"},
};

// --- values

static void fill(tn_sample_t* sample, tn_dtype_t dtype, int64_t count, unsigned char* bytes) {
  static const double special[] = {0.0, -0.0, 1, -1, INFINITY, -INFINITY, NAN, 0.5, 1e-40, 65504};
  const size_t size = tn_dtype_byte_size(dtype);
  const tn_kind_t kind = tn_dtype_kind(dtype);
  const size_t part_size = kind == TN_KIND_COMPLEX ? size / 2 : size;
  const tn_dtype_t part = kind != TN_KIND_COMPLEX ? dtype
                          : part_size == 4        ? TN_DTYPE_F32
                                                  : TN_DTYPE_F64;
  for (size_t at = 0; at < (size_t)count * size; at += part_size) {
    double value = (double)tn__sample_pick(sample, -3, 3);
    if (kind & (TN_KIND_FLOAT | TN_KIND_COMPLEX)) {
      if (sample->values != TN_SAMPLE_WHOLE)
        value = (double)tn__sample_pick(sample, -4000, 4000) / 1000;
      if (sample->values == TN_SAMPLE_WILD && tn__sample_pick(sample, 0, 2) == 0)
        value = special[tn__sample_pick(sample, 0, 9)];
      if (sample->values == TN_SAMPLE_WILD && tn__sample_pick(sample, 0, 2) == 0)
        value = ldexp(value, (int)tn__sample_pick(sample, -130, 130));
      tn_dtype_store(part, value, bytes + at);
    } else if (kind == TN_KIND_BOOL) {
      bytes[at] = (unsigned char)tn__sample_pick(sample, 0, 1);
    } else if (sample->values == TN_SAMPLE_WILD && (tn__sample_pick(sample, 0, 1) == 1) &&
               size > 1) {
      const uint64_t bits = (tn__sample_pick(sample, 0, 1) == 1) ? tn__sample_bits(sample)
                                                                 : UINT64_C(1) << (8 * size - 1);
      memcpy(bytes + at, &bits, size);
    } else {
      tn_dtype_store(part, kind == TN_KIND_UNSIGNED ? fabs(value) : value, bytes + at);
    }
  }
}

static tn_buffer_t* copy_to(tn_device_t* device, const tn_type_t* type, const void* bytes) {
  tn_buffer_t* buffer = NULL;
  TN_ASSERT_OK(tn_buffer_create_from_host(device, tn_type_dtype(type), tn_type_rank(type),
                                          tn_type_dims(type), bytes, tn__type_byte_size(type),
                                          &buffer));
  return buffer;
}

// --- comparing

// In units in the last place of `wanted`, or of `largest` if that is larger.
static double distance(tn_dtype_t dtype, double found, double wanted, double largest) {
  const tn_float_format_t* format = tn__float_format(dtype);
  int exponent = 0;
  if ((isnan(found) && isnan(wanted)) || found == wanted) return 0;
  if (!isfinite(found) || !isfinite(wanted)) return INFINITY;
  frexp(fmax(fabs(wanted), largest), &exponent);
  const int least = 2 - format->bias;
  if (exponent < least) exponent = least;
  return fabs(found - wanted) / ldexp(1, exponent - 1 - (int)format->mantissa_bits);
}

static double element_distance(tn_dtype_t dtype, const unsigned char* found,
                               const unsigned char* wanted, double largest) {
  if (memcmp(found, wanted, tn_dtype_byte_size(dtype)) == 0) return 0;
  if (tn_dtype_kind(dtype) == TN_KIND_FLOAT) {
    return distance(dtype, tn_dtype_load(dtype, found), tn_dtype_load(dtype, wanted), largest);
  }
  if (tn_dtype_kind(dtype) != TN_KIND_COMPLEX) return INFINITY;
  const tn_dtype_t part = dtype == TN_DTYPE_C64 ? TN_DTYPE_F32 : TN_DTYPE_F64;
  double parts[2][2];
  for (size_t k = 0; k < 2; ++k) {
    parts[0][k] = tn_dtype_load(part, found + k * tn_dtype_byte_size(part));
    parts[1][k] = tn_dtype_load(part, wanted + k * tn_dtype_byte_size(part));
  }
  // As points: the smaller part alone may have fewer right digits.
  const double apart = hypot(parts[0][0] - parts[1][0], parts[0][1] - parts[1][1]);
  const double size = hypot(parts[1][0], parts[1][1]);
  if (isnan(apart)) {
    const double re = distance(part, parts[0][0], parts[1][0], largest);
    const double im = distance(part, parts[0][1], parts[1][1], largest);
    return re > im ? re : im;
  }
  return distance(part, size + apart, size, largest);
}

// --- running

typedef struct judge {
  tn_device_t *cpu, *reference;
} judge_t;

// False when the verifier refuses it, or the device has no kernel of its own.
static bool compile(tn_device_t* device, tn_module_t* module, tn_program_t** out_program) {
  tn_status_t status = tn_program_compile(device, module, NULL, out_program);
  const bool is_compiled = !status;
  tn_status_release(status);
  return is_compiled;
}

static bool launches(const tn_program_t* program) {
  for (size_t i = 0; i < program->instruction_count; ++i) {
    if (program->instructions[i].kind == TN_LAUNCH_KERNEL &&
        !program->instructions[i].step->reason) {
      return true;
    }
  }
  return false;
}

// Of finite numbers, and of the parts of complex ones.
static double largest_of(const tn_type_t* type, const unsigned char* bytes) {
  const bool is_complex = tn_dtype_kind(type->dtype) == TN_KIND_COMPLEX;
  const tn_dtype_t part = !is_complex                   ? type->dtype
                          : type->dtype == TN_DTYPE_C64 ? TN_DTYPE_F32
                                                        : TN_DTYPE_F64;
  double largest = 0;
  for (size_t at = 0; at < tn__type_byte_size(type); at += tn_dtype_byte_size(part)) {
    const double value = fabs(tn_dtype_load(part, bytes + at));
    if (isfinite(value) && value > largest) largest = value;
  }
  return largest;
}

static const char* element_text(char* out, const tn_type_t* type, const void* bytes, int64_t i) {
  const size_t size = tn_dtype_byte_size(type->dtype);
  for (size_t k = 0; k < size; ++k) {
    sprintf(out + 2 * k, "%02x", ((const unsigned char*)bytes)[(size_t)i * size + k]);
  }
  return out;
}

// What element-wise operations had for this element.
static void print_operands(tn_buffer_t* const* arguments, size_t count, int64_t i) {
  for (size_t k = 0; k < count; ++k) {
    char hex[64];
    const void* bytes = NULL;
    const tn_type_t* type = tn_buffer_type(arguments[k]);
    if (i >= tn__type_size(type)) continue;
    TN_ASSERT_OK(tn_buffer_map(arguments[k], &bytes));
    print_message("argument %zu, element %lld: %s\n", k, (long long)i,
                  element_text(hex, type, bytes, i));
    tn_buffer_unmap(arguments[k]);
  }
}

static double largest_operand(const tn_sample_t* sample, tn_buffer_t* const* arguments) {
  double largest = 0;
  for (size_t k = 0; k < sample->argument_count; ++k) {
    const void* bytes = NULL;
    TN_ASSERT_OK(tn_buffer_map(arguments[k], &bytes));
    largest = fmax(largest, largest_of(tn_buffer_type(arguments[k]), bytes));
    tn_buffer_unmap(arguments[k]);
  }
  return largest;
}

static void expect_near(const tn_sample_t* sample, const char* operation, size_t result,
                        const tn_type_t* type, const unsigned char* found,
                        const unsigned char* wanted, tn_buffer_t* const* arguments) {
  const size_t size = tn_dtype_byte_size(type->dtype);
  const double largest = sample->is_by_largest
                             ? fmax(largest_of(type, wanted), largest_operand(sample, arguments))
                             : 0;
  for (int64_t i = 0; i < tn__type_size(type); ++i) {
    const double apart =
        element_distance(type->dtype, found + (size_t)i * size, wanted + (size_t)i * size, largest);
    if (apart <= sample->tolerance) continue;
    char texts[2][64];
    print_operands(arguments, sample->argument_count, i);
    fail_msg(
        "%s, instruction set %d: result %zu, element %lld is %g ulp from the reference: bytes %s, "
        "wanted %s\n%s",
        operation, (int)tn__isa_best(TN_ISA_AVX512), result, (long long)i, apart,
        element_text(texts[0], type, found, i), element_text(texts[1], type, wanted, i),
        sample->text);
  }
}

static void run_both(tn_sample_t* sample, const char* operation, tn_program_t* const* programs,
                     judge_t* judge) {
  tn_device_t* const devices[] = {judge->cpu, judge->reference};
  tn_buffer_t *arguments[2][TN_SAMPLE_ARGUMENTS] = {{NULL}},
              *results[2][TN_SAMPLE_RESULTS] = {{NULL}};
  for (size_t i = 0; i < sample->argument_count; ++i) {
    const tn_type_t* type = tn_program_input_type(programs[0], i);
    unsigned char* bytes = calloc(1, tn__type_byte_size(type) + 1);
    assert_non_null(bytes);
    fill(sample, type->dtype, tn__type_size(type), bytes);
    for (size_t d = 0; d < 2; ++d) arguments[d][i] = copy_to(devices[d], type, bytes);
    free(bytes);
  }
  for (size_t d = 0; d < 2; ++d) {
    TN_ASSERT_OK(tn_program_run(programs[d], sample->argument_count, arguments[d], NULL,
                                sample->result_count, results[d]));
  }
  for (size_t i = 0; i < sample->result_count; ++i) {
    const void* bytes[2];
    for (size_t d = 0; d < 2; ++d) TN_ASSERT_OK(tn_buffer_map(results[d][i], &bytes[d]));
    expect_near(sample, operation, i, tn_program_output_type(programs[0], i), bytes[0], bytes[1],
                arguments[0]);
    for (size_t d = 0; d < 2; ++d) tn_buffer_unmap(results[d][i]);
  }
  for (size_t d = 0; d < 2; ++d) {
    for (size_t i = 0; i < sample->argument_count; ++i) tn_buffer_release(arguments[d][i]);
    for (size_t i = 0; i < sample->result_count; ++i) tn_buffer_release(results[d][i]);
  }
}

// Whether there was something to compare.
static bool judge_sample(judge_t* judge, const tn_sample_generator_t* generator, tn_dtype_t dtype,
                         uint64_t seed) {
  static tn_sample_t sample;
  tn__sample_write(generator, dtype, seed, &sample);
  tn_module_t* module = NULL;
  tn_program_t* programs[2] = {NULL, NULL};
  tn_status_t status =
      tn_module_parse(NULL, "sample.mlir", sample.text, strlen(sample.text), &module);
  const bool is_valid = !status && compile(judge->cpu, module, &programs[0]) &&
                        compile(judge->reference, module, &programs[1]) && launches(programs[1]);
  if (status && tn_status_code(status) == TN_CODE_INVALID_ARGUMENT &&
      strstr(tn_status_message(status), "expected `")) {
    fail_msg("%s\n%s", tn_status_message(status), sample.text);  // the text itself is wrong
  }
  tn_status_release(status);
  if (is_valid) run_both(&sample, generator->operation, programs, judge);
  tn_program_release(programs[0]);
  tn_program_release(programs[1]);
  tn_module_release(module);
  return is_valid;
}

static void check_samples(judge_t* judge) {
  const int rounds = getenv("TENON_LONG_TESTS") ? 200 : 4;
  for (size_t g = 0; g < tn__sample_generator_count(); ++g) {
    int compared = 0;
    for (size_t t = 0; t < tn__sample_dtype_count(); ++t) {
      for (int round = 0; round < rounds; ++round) {
        const uint64_t seed = (uint64_t)g << 40 | (uint64_t)t << 32 | (uint64_t)round;
        compared += judge_sample(judge, tn__sample_generator_at(g), tn__sample_dtype_at(t), seed);
      }
    }
    if (compared == 0)
      fail_msg("no program of %s was compared", tn__sample_generator_at(g)->operation);
  }
}

static void cpu_agrees_with_the_reference(void** state) {
  for (tn_isa_t isa = TN_ISA_BASE; isa < TN_ISA_COUNT; ++isa) {
    tn__isa_limit(isa);
    if (tn__isa_has(isa)) check_samples(*state);
  }
  tn__isa_limit(TN_ISA_COUNT);
}

static bool has_generator(const char* operation) {
  for (size_t g = 0; g < tn__sample_generator_count(); ++g) {
    if (strcmp(tn__sample_generator_at(g)->operation, operation) == 0) return true;
  }
  for (size_t i = 0; i < sizeof without_generator / sizeof *without_generator; ++i) {
    if (strcmp(without_generator[i][0], operation) == 0) return true;
  }
  return false;
}

static void every_kernel_of_the_reference_is_compared(void** state) {
  (void)state;
  for (size_t i = 0; i < tn__kernel_count(&tn__compile_target_reference); ++i) {
    const char* operation = tn__kernel_at(&tn__compile_target_reference, i)->op;
    if (!has_generator(operation)) fail_msg("%s has no generator", operation);
  }
}

static int set_up(void** state) {
  static judge_t judge;
  TN_ASSERT_OK(tn_device_create("cpu", NULL, &judge.cpu));
  TN_ASSERT_OK(tn_device_create("reference", NULL, &judge.reference));
  *state = &judge;
  return 0;
}

static int tear_down(void** state) {
  judge_t* judge = *state;
  tn_device_release(judge->cpu);
  tn_device_release(judge->reference);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(cpu_agrees_with_the_reference),
      cmocka_unit_test(every_kernel_of_the_reference_is_compared),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
