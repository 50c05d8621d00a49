// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include <stdatomic.h>
#include <sys/wait.h>
#include <tenon/arrays.h>
#include <unistd.h>

#include "base/testing_allocator.h"
#include "device/buffer.h"
#include "program/activation.h"
#include "program/testing_run.h"

#define MAIN(arguments, results, body) \
  "module { func.func @main(" arguments ") -> (" results ") {\n" body "\n} }"
#define F4 "tensor<4xf32>"

static tn_program_t* program;

static int release(void** state) {
  (void)state;
  tn_program_release(program);
  program = NULL;
  return 0;
}

static void compile(const char* text) {
  tn_program_release(program);
  program = tn__testing_program(text, false);
}

static tn_buffer_t* floats4(float a, float b, float c, float d) {
  return tn__testing_floats(4, (float[]){a, b, c, d});
}

static tn_buffer_t* boolean(bool value) {
  tn_buffer_t* buffer = NULL;
  TN_ASSERT_OK(tn_buffer_create_from_host(tn__testing_device(), TN_DTYPE_PRED, 0, NULL, &value,
                                          sizeof value, &buffer));
  return buffer;
}

static tn_buffer_t* integer(int32_t value) {
  tn_buffer_t* buffer = NULL;
  TN_ASSERT_OK(tn_buffer_create_from_host(tn__testing_device(), TN_DTYPE_S32, 0, NULL, &value,
                                          sizeof value, &buffer));
  return buffer;
}

// Runs with these arguments, which it releases, and compares the only result.
static void expect(size_t count, tn_buffer_t** arguments, const float wanted[4]) {
  tn_buffer_t* result = NULL;
  TN_ASSERT_OK(tn_program_run(program, count, arguments, NULL, 1, &result));
  tn__testing_expect_floats(result, 4, wanted);
  tn_buffer_release(result);
  for (size_t i = 0; i < count; ++i) tn_buffer_release(arguments[i]);
}
#define EXPECT(count, arguments, ...) expect(count, arguments, (float[4]){__VA_ARGS__})

// --- values

static void results_are_computed(void** state) {
  (void)state;
  compile(MAIN("%x: " F4 ", %y: " F4, F4,
               "%a = stablehlo.add %x, %y : " F4 "\n"
               "%b = stablehlo.multiply %a, %a : " F4 "\n"
               "return %b : " F4));
  tn_buffer_t* arguments[] = {floats4(1, 2, 3, 4), floats4(1, 1, 1, -4)};
  EXPECT(2, arguments, 4, 9, 16, 0);
}

static void one_value_returned_twice_has_two_buffers(void** state) {
  (void)state;
  compile(MAIN("%x: " F4, F4 ", " F4 ", " F4,
               "%a = stablehlo.negate %x : " F4 "\nreturn %a, %x, %a : " F4 ", " F4 ", " F4));
  tn_buffer_t *argument = floats4(1, 2, 3, 4), *results[3];
  TN_ASSERT_OK(tn_program_run(program, 1, &argument, NULL, 3, results));
  const void* places[3];
  for (size_t i = 0; i < 3; ++i) TN_ASSERT_OK(tn_buffer_map(results[i], &places[i]));
  const void* original = NULL;
  TN_ASSERT_OK(tn_buffer_map(argument, &original));
  assert_true(places[0] != places[2] && places[1] != original);
  for (size_t i = 0; i < 3; ++i) tn_buffer_unmap(results[i]);
  tn_buffer_unmap(argument);
  tn__testing_expect_floats(results[1], 4, (float[]){1, 2, 3, 4});
  tn__testing_expect_floats(results[2], 4, (float[]){-1, -2, -3, -4});
  for (size_t i = 0; i < 3; ++i) tn_buffer_release(results[i]);
  tn_buffer_release(argument);
}

static void results_outlive_the_program(void** state) {
  (void)state;
  compile(MAIN("%x: " F4, F4, "%a = stablehlo.negate %x : " F4 "\nreturn %a : " F4));
  tn_buffer_t *argument = floats4(1, 2, 3, 4), *result = NULL;
  TN_ASSERT_OK(tn_program_run(program, 1, &argument, NULL, 1, &result));
  tn_buffer_release(argument);
  release(NULL);
  tn__testing_expect_floats(result, 4, (float[]){-1, -2, -3, -4});
  tn_buffer_release(result);
}

static void case_index_out_of_range_takes_the_last_branch(void** state) {
  (void)state;
  compile(MAIN("%i: tensor<i32>, %x: " F4, F4,
               "%r = \"stablehlo.case\"(%i) ({\n"
               "  stablehlo.return %x : " F4 "\n}, {\n"
               "  %a = stablehlo.negate %x : " F4 "\n  stablehlo.return %a : " F4 "\n}, {\n"
               "  %a = stablehlo.add %x, %x : " F4 "\n  stablehlo.return %a : " F4 "\n"
               "}) : (tensor<i32>) -> " F4 "\nreturn %r : " F4));
  static const int32_t indices[] = {0, 1, 2, 3, -1, INT32_MIN, INT32_MAX};
  static const float factors[] = {1, -1, 2, 2, 2, 2, 2};
  for (size_t i = 0; i < sizeof indices / sizeof *indices; ++i) {
    tn_buffer_t* arguments[] = {integer(indices[i]), floats4(1, 2, 3, 4)};
    float f = factors[i];
    EXPECT(2, arguments, f, 2 * f, 3 * f, 4 * f);
  }
}

static void branches_read_values_from_outside(void** state) {
  (void)state;
  compile(MAIN("%p: tensor<i1>, %x: " F4, F4,
               "%k = stablehlo.add %x, %x : " F4 "\n"
               "%r = \"stablehlo.if\"(%p) ({\n"
               "  stablehlo.return %k : " F4 "\n}, {\n"
               "  %a = stablehlo.subtract %x, %k : " F4 "\n  stablehlo.return %a : " F4 "\n"
               "}) : (tensor<i1>) -> " F4 "\nreturn %r : " F4));
  tn_buffer_t* yes[] = {boolean(true), floats4(1, 2, 3, 4)};
  EXPECT(2, yes, 2, 4, 6, 8);
  tn_buffer_t* no[] = {boolean(false), floats4(1, 2, 3, 4)};
  EXPECT(2, no, -1, -2, -3, -4);
}

#define LOOP(count)                                                                       \
  "cond {\n"                                                                              \
  "  %limit = stablehlo.constant dense<" count                                            \
  "> : tensor<i32>\n"                                                                     \
  "  %go = stablehlo.compare LT, %i, %limit : (tensor<i32>, tensor<i32>) -> tensor<i1>\n" \
  "  stablehlo.return %go : tensor<i1>\n"                                                 \
  "} do {\n"                                                                              \
  "  %one = stablehlo.constant dense<1> : tensor<i32>\n"                                  \
  "  %next = stablehlo.add %i, %one : tensor<i32>\n"
#define ZERO "%zero = stablehlo.constant dense<0> : tensor<i32>\n"

static void carries_that_exchange_places_come_out_right(void** state) {
  (void)state;
  compile(MAIN("%x: " F4 ", %y: " F4, F4,
               ZERO "%r:3 = stablehlo.while(%i = %zero, %a = %x, %b = %y) : tensor<i32>, " F4
                    ", " F4 "\n" LOOP("5") "  stablehlo.return %next, %b, %a : tensor<i32>, " F4
                                           ", " F4 "\n}\nreturn %r#1 : " F4));
  tn_buffer_t* arguments[] = {floats4(1, 2, 3, 4), floats4(5, 6, 7, 8)};
  EXPECT(2, arguments, 5, 6, 7, 8);
}

static void loop_that_never_runs_gives_its_first_values(void** state) {
  (void)state;
  compile(MAIN("%x: " F4, F4,
               ZERO "%r:2 = stablehlo.while(%i = %zero, %a = %x) : tensor<i32>, " F4
                    "\n" LOOP("0") "  %b = stablehlo.negate %a : " F4
                                   "\n  stablehlo.return %next, %b : tensor<i32>, " F4
                                   "\n}\nreturn %r#1 : " F4));
  tn_buffer_t* arguments[] = {floats4(1, 2, 3, 4)};
  EXPECT(1, arguments, 1, 2, 3, 4);
}

static void body_of_a_reduction_reads_values_from_outside(void** state) {
  (void)state;
  compile(MAIN("%x: tensor<3x4xf32>, %k: tensor<f32>", F4,
               "%z = stablehlo.constant dense<0.0> : tensor<f32>\n"
               "%r = stablehlo.reduce(%x init: %z) across dimensions = [0] : (tensor<3x4xf32>, "
               "tensor<f32>) -> " F4 "\n"
               " reducer(%a: tensor<f32>, %b: tensor<f32>) {\n"
               "  %c = stablehlo.multiply %b, %k : tensor<f32>\n"
               "  %d = stablehlo.add %a, %c : tensor<f32>\n"
               "  stablehlo.return %d : tensor<f32>\n}\nreturn %r : " F4));
  const float values[12] = {1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4}, k = 10;
  tn_buffer_t* arguments[2];
  TN_ASSERT_OK(tn_buffer_create_from_host(tn__testing_device(), TN_DTYPE_F32, 2, (int64_t[]){3, 4},
                                          values, sizeof values, &arguments[0]));
  TN_ASSERT_OK(tn_buffer_create_from_host(tn__testing_device(), TN_DTYPE_F32, 0, NULL, &k, sizeof k,
                                          &arguments[1]));
  EXPECT(2, arguments, 30, 60, 90, 120);
}

static void body_of_a_reduction_reads_a_reshaped_constant_from_outside(void** state) {
  (void)state;
  static const char* const reshaped[] = {
      "%k = stablehlo.reshape %one : (tensor<1xf32>) -> tensor<f32>\n",
      "%two = stablehlo.reshape %one : (tensor<1xf32>) -> tensor<1x1xf32>\n"
      "%k = stablehlo.reshape %two : (tensor<1x1xf32>) -> tensor<f32>\n"};
  for (size_t i = 0; i < 4; ++i) {
    char text[1024];
    snprintf(text, sizeof text,
             "func.func @main(%%x: tensor<1x4xf32>) -> " F4
             " {\n"
             "%%one = stablehlo.constant dense<3.0> : tensor<1xf32>\n%s"
             "%%r = stablehlo.reduce(%%x init: %%k) across dimensions = [0] : (tensor<1x4xf32>, "
             "tensor<f32>) -> " F4
             "\n"
             " reducer(%%a: tensor<f32>, %%b: tensor<f32>) {\n"
             "  %%c = stablehlo.add %%a, %%b : tensor<f32>\n"
             "  %%d = stablehlo.minimum %%c, %%k : tensor<f32>\n"
             "  stablehlo.return %%d : tensor<f32>\n}\nreturn %%r : " F4 "\n}\n",
             reshaped[i / 2]);
    tn_program_release(program);
    program = tn__testing_program(text, i % 2);
    const float values[4] = {-2, -1, 0, 1};
    tn_buffer_t* argument = NULL;
    TN_ASSERT_OK(tn_buffer_create_from_host(tn__testing_device(), TN_DTYPE_F32, 2,
                                            (int64_t[]){1, 4}, values, sizeof values, &argument));
    EXPECT(1, &argument, 1, 2, 3, 3);
  }
}

static void an_empty_array_has_the_bits_of_another(void** state) {
  (void)state;
  program = tn__testing_program(
      MAIN("%x: " F4, F4,
           "%none = stablehlo.slice %x [0:0] : (" F4 ") -> tensor<0xf32>\n"
           "%parts = stablehlo.bitcast_convert %none : (tensor<0xf32>) -> tensor<0x4xui8>\n"
           "%back = stablehlo.bitcast_convert %parts : (tensor<0x4xui8>) -> tensor<0xf32>\n"
           "%r = stablehlo.concatenate %x, %back, dim = 0 : (" F4 ", tensor<0xf32>) -> " F4
           "\nreturn %r : " F4),
      true);
  tn_buffer_t* argument = floats4(1, 2, 3, 4);
  EXPECT(1, &argument, 1, 2, 3, 4);
}

// --- calls that are not inlined

static void calls_run_in_their_own_units(void** state) {
  (void)state;
  // Twice in a row, in a loop, and one inside the other.
  program = tn__testing_program(
      "module {\nfunc.func @main(%x: " F4 ") -> " F4 " {\n" ZERO "%a = func.call @twice(%x) : (" F4
      ") -> " F4
      "\n"
      "%r:2 = stablehlo.while(%i = %zero, %b = %a) : tensor<i32>, " F4
      "\n" LOOP("3") "  %c = func.call @twice(%b) : (" F4 ") -> " F4
                     "\n"
                     "  stablehlo.return %next, %c : tensor<i32>, " F4
                     "\n}\n"
                     "%d = stablehlo.subtract %r#1, %x : " F4 "\nreturn %d : " F4
                     "\n}\n"
                     "func.func private @twice(%x: " F4 ") -> " F4
                     " {\n"
                     "%a:2 = func.call @both(%x, %x) : (" F4 ", " F4 ") -> (" F4 ", " F4
                     ")\n"
                     "%b = stablehlo.add %a#0, %a#1 : " F4 "\nreturn %b : " F4
                     "\n}\n"
                     "func.func private @both(%x: " F4 ", %y: " F4 ") -> (" F4 ", " F4
                     ") {\n"
                     "return %y, %x : " F4 ", " F4 "\n}\n}",
      true);
  assert_int_equal(program->unit_count, 3);
  tn_buffer_t* arguments[] = {floats4(1, 2, 3, 4)};
  EXPECT(1, arguments, 15, 30, 45, 60);
}

static void units_that_are_not_active_together_share_bytes(void** state) {
  (void)state;
#define WORK(name)                                                                    \
  "func.func private @" name                                                          \
  "(%x: tensor<64x2xf32>) -> tensor<64x2xf32> {\n"                                    \
  "%a = stablehlo.concatenate %x, dim = 0 : (tensor<64x2xf32>) -> tensor<64x2xf32>\n" \
  "%b = stablehlo.concatenate %a, dim = 0 : (tensor<64x2xf32>) -> tensor<64x2xf32>\n" \
  "return %b : tensor<64x2xf32>\n}\n"
  program = tn__testing_program(
      "module {\nfunc.func @main(%x: tensor<64x2xf32>) -> tensor<64x2xf32> {\n"
      "%a = func.call @f(%x) : (tensor<64x2xf32>) -> tensor<64x2xf32>\n"
      "%b = func.call @g(%a) : (tensor<64x2xf32>) -> tensor<64x2xf32>\n"
      "%c = stablehlo.negate %b : tensor<64x2xf32>\n"
      "return %c : tensor<64x2xf32>\n}\n" WORK("f") WORK("g") "}",
      true);
#undef WORK
  tn_program_statistics_t statistics = {.struct_size = sizeof statistics};
  tn_program_statistics(program, &statistics);
  // The entry keeps one array over the first call, and each function one of its own.
  assert_int_equal(statistics.plan_byte_size, 2 * 512);
  assert_int_equal(statistics.lower_bound_byte_size, 2 * 512);
}

static char* chain_of_calls(int count) {
  size_t capacity = (size_t)count * 200 + 500, length = 0;
  char* text = calloc(1, capacity);
  assert_non_null(text);
  length += (size_t)snprintf(text, capacity,
                             "module {\nfunc.func @main(%%x: " F4 ") -> " F4
                             " {\n%%a = func.call @f0(%%x) : (" F4 ") -> " F4 "\nreturn %%a : " F4
                             "\n}\n");
  for (int i = 0; i < count; ++i) {
    length += (size_t)snprintf(text + length, capacity - length,
                               "func.func private @f%d(%%x: " F4 ") -> " F4 " {\n", i);
    length +=
        (size_t)(i + 1 < count ? snprintf(text + length, capacity - length,
                                          "%%a = func.call @f%d(%%x) : (" F4 ") -> " F4 "\n", i + 1)
                               : snprintf(text + length, capacity - length,
                                          "%%a = stablehlo.negate %%x : " F4 "\n"));
    length += (size_t)snprintf(text + length, capacity - length, "return %%a : " F4 "\n}\n");
  }
  snprintf(text + length, capacity - length, "}\n");
  return text;
}

static void deep_calls_run_and_bottomless_ones_are_refused(void** state) {
  (void)state;
  char* text = chain_of_calls(900);
  program = tn__testing_program(text, true);
  tn_buffer_t* arguments[] = {floats4(1, 2, 3, 4)};
  EXPECT(1, arguments, -1, -2, -3, -4);
  free(text);

  text = chain_of_calls(20000);
  const tn_compile_options_t options = {.struct_size = sizeof options, .keep_all = true};
  tn_module_t* module = NULL;
  tn_program_t* refused = NULL;
  TN_ASSERT_OK(tn_module_parse(NULL, "deep.mlir", text, strlen(text), &module));
  TN_ASSERT_REPORT("nest deeper than 1000 levels",
                   tn_program_compile(tn__testing_device(), module, &options, &refused));
  // Inlined, there is nothing deep about it.
  TN_ASSERT_OK(tn_program_compile(tn__testing_device(), module, NULL, &refused));
  tn_program_release(refused);
  tn_module_release(module);
  free(text);
}

static void call_of_a_declaration_is_refused_with_its_place(void** state) {
  (void)state;
  static const char text[] =
      "module {\nfunc.func private @outside(" F4 ") -> " F4
      "\n"
      "func.func @main(%x: " F4 ") -> " F4
      " {\n"
      "%a = func.call @outside(%x) : (" F4 ") -> " F4 "\nreturn %a : " F4 "\n}\n}";
  tn_module_t* module = NULL;
  TN_ASSERT_OK(tn_module_parse(NULL, "test.mlir", text, strlen(text), &module));
  TN_ASSERT_REPORT("test.mlir:4:",
                   tn_program_compile(tn__testing_device(), module, NULL, &program));
  TN_ASSERT_REPORT("@outside is only declared",
                   tn_program_compile(tn__testing_device(), module, NULL, &program));
  tn_module_release(module);
}

// --- wrong arguments

static void arguments_that_do_not_fit_are_refused(void** state) {
  (void)state;
  compile(MAIN("%weights: " F4 ", %y: tensor<2x2xi32>", F4,
               "%a = stablehlo.negate %weights : " F4 "\nreturn %a : " F4));
  tn_buffer_t *good = floats4(1, 2, 3, 4), *result = NULL, *other = NULL, *tuple = NULL;
  TN_ASSERT_OK(
      tn_buffer_create(tn__testing_device(), TN_DTYPE_S32, 2, (int64_t[]){2, 2}, NULL, &other));
  TN_ASSERT_OK(tn_buffer_create_tuple(tn__testing_device(), 1, &good, &tuple));
  tn_buffer_t* exchanged[] = {other, good};
  TN_ASSERT_REPORT("input 0 weights is tensor<2x2xi32>; expected tensor<4xf32>",
                   tn_program_run(program, 2, exchanged, NULL, 1, &result));
  tn_buffer_t* missing[] = {good, NULL};
  TN_ASSERT_REPORT("input 1 y is NULL", tn_program_run(program, 2, missing, NULL, 1, &result));
  tn_buffer_t* nested[] = {tuple, other};
  TN_ASSERT_REPORT("input 0 weights is tuple<tensor<4xf32>>; expected tensor<4xf32>",
                   tn_program_run(program, 2, nested, NULL, 1, &result));
  TN_ASSERT_REPORT("takes 2 inputs", tn_program_run(program, 1, &good, NULL, 1, &result));
  tn_buffer_t* right[] = {good, other};
  TN_ASSERT_REPORT("gives 1 result; there is room for 0",
                   tn_program_run(program, 2, right, NULL, 0, NULL));
  const tn_run_options_t empty = {0};
  TN_ASSERT_REPORT("struct_size is 0", tn_program_run(program, 2, right, &empty, 1, &result));
  assert_null(result);
  tn_buffer_release(tuple);
  tn_buffer_release(good);
  tn_buffer_release(other);
}

static void buffers_and_streams_of_another_device_are_refused(void** state) {
  (void)state;
  compile(MAIN("%x: " F4, F4, "%a = stablehlo.negate %x : " F4 "\nreturn %a : " F4));
  tn_device_t* other = NULL;
  tn_buffer_t *argument = NULL, *result = NULL;
  tn_stream_t* stream = NULL;
  TN_ASSERT_OK(tn_device_create("cpu", NULL, &other));
  TN_ASSERT_OK(tn_buffer_create(other, TN_DTYPE_F32, 1, (int64_t[]){4}, NULL, &argument));
  TN_ASSERT_REPORT("input 0 x is on another device",
                   tn_program_run(program, 1, &argument, NULL, 1, &result));
  TN_ASSERT_OK(tn_stream_create(other, &stream));
  const tn_run_options_t options = {.struct_size = sizeof options, .stream = stream};
  TN_ASSERT_REPORT("another device", tn_program_run(program, 1, &argument, &options, 1, &result));
  tn_stream_release(stream);
  tn_buffer_release(argument);
  tn_device_release(other);
}

// Whatever takes something of a device names both when it is another's.
static void errors_name_both_devices(void** state) {
  (void)state;
  static const char names[] = "the devices are reference and cpu";
  tn_device_t *other = NULL, *device = NULL;
  tn_buffer_t *buffer = NULL, *result = NULL;
  tn_stream_t* stream = NULL;
  tn_scope_t* scope = NULL;
  TN_ASSERT_OK(tn_device_create("cpu", NULL, &device));
  TN_ASSERT_OK(tn_device_create("reference", NULL, &other));
  program = tn__testing_program_on(device, MAIN("%x: " F4, F4, "return %x : " F4), false);
  TN_ASSERT_OK(tn_buffer_create(other, TN_DTYPE_F32, 1, (int64_t[]){4}, NULL, &buffer));
  TN_ASSERT_OK(tn_stream_create(other, &stream));
  TN_ASSERT_OK(tn_scope_create(device, &scope));
  const tn_run_options_t options = {.struct_size = sizeof options, .stream = stream};
  TN_ASSERT_REPORT(names, tn_program_run(program, 1, &buffer, NULL, 1, &result));
  TN_ASSERT_REPORT(names, tn_program_run(program, 1, &buffer, &options, 1, &result));
  TN_ASSERT_REPORT(names, tn_buffer_create_tuple(device, 1, &buffer, &result));
  TN_ASSERT_REPORT(names, tn_array_status(tn_array_from_buffer(scope, buffer)));
  TN_ASSERT_REPORT(names, tn_set_default_stream(device, stream));
  tn_scope_destroy(scope);
  tn_stream_release(stream);
  tn_buffer_release(buffer);
  tn_device_release(other);
  TN_ASSERT_OK(tn_device_create("cpu", NULL, &other));
  TN_ASSERT_OK(tn_buffer_create(other, TN_DTYPE_F32, 1, (int64_t[]){4}, NULL, &buffer));
  TN_ASSERT_REPORT("the devices are cpu and cpu: each tn_device_create makes one of its own",
                   tn_program_run(program, 1, &buffer, NULL, 1, &result));
  tn_buffer_release(buffer);
  tn_device_release(other);
  tn_device_release(device);
}

// --- tuples and tokens

#define PAIR "tuple<" F4 ", " F4 ">"
#define NESTED_PROGRAM                                                               \
  MAIN("%t: tuple<" PAIR ", " F4 ">, %x: " F4, PAIR ", " F4,                         \
       "%p = stablehlo.get_tuple_element %t[0] : (tuple<" PAIR ", " F4 ">) -> " PAIR \
       "\n"                                                                          \
       "%a = stablehlo.get_tuple_element %p[0] : (" PAIR ") -> " F4                  \
       "\n"                                                                          \
       "%b = stablehlo.get_tuple_element %p[1] : (" PAIR ") -> " F4                  \
       "\n"                                                                          \
       "%c = stablehlo.get_tuple_element %t[1] : (tuple<" PAIR ", " F4 ">) -> " F4   \
       "\n"                                                                          \
       "%d = stablehlo.subtract %a, %b : " F4                                        \
       "\n"                                                                          \
       "%e = stablehlo.subtract %c, %x : " F4                                        \
       "\n"                                                                          \
       "%r = stablehlo.tuple %d, %e : " PAIR                                         \
       "\n"                                                                          \
       "return %r, %a : " PAIR ", " F4)

static void tuples_come_and_go_as_leaves(void** state) {
  (void)state;
  compile(NESTED_PROGRAM);
  assert_int_equal(tn_program_input_count(program), 4);
  assert_int_equal(tn_program_output_count(program), 3);
  assert_string_equal(tn_program_input_name(program, 2), "t");
  assert_string_equal(tn_program_input_name(program, 3), "x");
  tn_buffer_t *arguments[] = {floats4(9, 9, 9, 9), floats4(1, 2, 3, 4), floats4(5, 5, 5, 5),
                              floats4(1, 1, 1, 1)},
              *results[3];
  TN_ASSERT_OK(tn_program_run(program, 4, arguments, NULL, 3, results));
  tn__testing_expect_floats(results[0], 4, (float[]){8, 7, 6, 5});
  tn__testing_expect_floats(results[1], 4, (float[]){4, 4, 4, 4});
  tn__testing_expect_floats(results[2], 4, (float[]){9, 9, 9, 9});
  for (size_t i = 0; i < 4; ++i) tn_buffer_release(arguments[i]);
  for (size_t i = 0; i < 3; ++i) tn_buffer_release(results[i]);
}

static void tuples_come_and_go_as_tuple_buffers(void** state) {
  (void)state;
  compile(NESTED_PROGRAM);
  tn_device_t* device = tn__testing_device();
  tn_buffer_t *leaves[] = {floats4(9, 9, 9, 9), floats4(1, 2, 3, 4), floats4(5, 5, 5, 5),
                           floats4(1, 1, 1, 1)},
              *pair = NULL, *tuple = NULL, *results[2];
  TN_ASSERT_OK(tn_buffer_create_tuple(device, 2, leaves, &pair));
  TN_ASSERT_OK(tn_buffer_create_tuple(device, 2, (tn_buffer_t*[]){pair, leaves[2]}, &tuple));
  const tn_run_options_t options = {.struct_size = sizeof options, .nested_outputs = true};
  tn_buffer_t* arguments[] = {tuple, leaves[3]};
  TN_ASSERT_OK(tn_program_run(program, 2, arguments, &options, 2, results));
  tn__testing_expect_floats(tn_buffer_element(results[0], 0), 4, (float[]){8, 7, 6, 5});
  tn__testing_expect_floats(tn_buffer_element(results[0], 1), 4, (float[]){4, 4, 4, 4});
  assert_null(tn_buffer_element(results[0], 2));
  tn__testing_expect_floats(results[1], 4, (float[]){9, 9, 9, 9});
  tn_buffer_release(results[0]);
  tn_buffer_release(results[1]);
  tn_buffer_t* wrong[] = {pair, leaves[3]};
  TN_ASSERT_REPORT("in the place of tuple<",
                   tn_program_run(program, 2, wrong, &options, 2, results));
  assert_null(results[0]);
  for (size_t i = 0; i < 4; ++i) tn_buffer_release(leaves[i]);
  tn_buffer_release(pair);
  tn_buffer_release(tuple);
}

static void tokens_need_no_buffer(void** state) {
  (void)state;
  compile(MAIN("%t: !stablehlo.token, %x: " F4, "!stablehlo.token, " F4,
               "%u = stablehlo.after_all %t, %t : !stablehlo.token\n"
               "%a = stablehlo.negate %x : " F4 "\nreturn %u, %a : !stablehlo.token, " F4));
  tn_buffer_t *arguments[] = {NULL, floats4(1, 2, 3, 4)}, *results[2];
  TN_ASSERT_OK(tn_program_run(program, 2, arguments, NULL, 2, results));
  assert_null(results[0]);
  tn__testing_expect_floats(results[1], 4, (float[]){-1, -2, -3, -4});
  tn_buffer_release(results[1]);
  tn_buffer_release(arguments[1]);
}

static void empty_arrays_run(void** state) {
  (void)state;
  compile(MAIN("%x: tensor<0x4xf32>", "tensor<4x0xf32>, tensor<4xf32>",
               "%z = stablehlo.constant dense<7.0> : tensor<f32>\n"
               "%a = stablehlo.transpose %x, dims = [1, 0] : (tensor<0x4xf32>) -> tensor<4x0xf32>\n"
               "%b = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [0] : "
               "(tensor<0x4xf32>, tensor<f32>) -> tensor<4xf32>\n"
               "return %a, %b : tensor<4x0xf32>, tensor<4xf32>"));
  tn_buffer_t *argument = NULL, *results[2];
  TN_ASSERT_OK(
      tn_buffer_create(tn__testing_device(), TN_DTYPE_F32, 2, (int64_t[]){0, 4}, NULL, &argument));
  TN_ASSERT_OK(tn_program_run(program, 1, &argument, NULL, 2, results));
  assert_int_equal(tn_buffer_size(results[0]), 0);
  tn__testing_expect_floats(results[1], 4, (float[]){7, 7, 7, 7});
  tn_buffer_release(argument);
  tn_buffer_release(results[0]);
  tn_buffer_release(results[1]);
}

// --- donation

#define DONATES                                                  \
  MAIN("%x: " F4 " {tf.aliasing_output = 0 : i32}, %y: " F4, F4, \
       "%a = stablehlo.add %x, %y : " F4 "\nreturn %a : " F4)

static const void* place_of(tn_buffer_t* buffer) {
  tn_memory_t memory;
  TN_ASSERT_OK(tn__buffer_hold(buffer, &memory));
  tn__buffer_unhold(buffer);
  return tn__memory_address(memory);
}

static tn_status_t run_donating(tn_buffer_t** arguments, tn_buffer_t** out_result) {
  const bool donated[] = {true, false};
  const tn_run_options_t options = {.struct_size = sizeof options, .donated = donated};
  return tn_program_run(program, 2, arguments, &options, 1, out_result);
}

static void donated_memory_becomes_the_result(void** state) {
  (void)state;
  compile(DONATES);
  tn_buffer_t *arguments[] = {floats4(1, 2, 3, 4), floats4(1, 1, 1, 1)}, *result = NULL;
  const void* place = place_of(arguments[0]);
  assert_true(tn_program_may_donate(program, 0));
  assert_false(tn_program_may_donate(program, 1));
  assert_false(tn_program_may_donate(program, 2));
  TN_ASSERT_OK(run_donating(arguments, &result));
  assert_ptr_equal(place_of(result), place);
  assert_true(tn_buffer_is_donated(arguments[0]));
  assert_false(tn_buffer_is_donated(arguments[1]));
  TN_ASSERT_CODE(FAILED_PRECONDITION, tn_buffer_to_host(arguments[0], (float[4]){0}, 16));
  tn__testing_expect_floats(result, 4, (float[]){2, 3, 4, 5});
  tn_buffer_release(result);
  TN_ASSERT_REPORT("input 0: the buffer", run_donating(arguments, &result));
  tn_buffer_release(arguments[0]);
  tn_buffer_release(arguments[1]);
}

static void argument_that_is_not_donated_stays_as_it_is(void** state) {
  (void)state;
  compile(DONATES);
  tn_buffer_t *arguments[] = {floats4(1, 2, 3, 4), floats4(1, 1, 1, 1)}, *result = NULL;
  TN_ASSERT_OK(tn_program_run(program, 2, arguments, NULL, 1, &result));
  tn__testing_expect_floats(result, 4, (float[]){2, 3, 4, 5});
  tn__testing_expect_floats(arguments[0], 4, (float[]){1, 2, 3, 4});
  assert_ptr_not_equal(place_of(result), place_of(arguments[0]));
  tn_buffer_release(result);
  tn_buffer_release(arguments[0]);
  tn_buffer_release(arguments[1]);
}

static void donation_of_held_memory_is_declined(void** state) {
  (void)state;
  compile(DONATES);
  tn_buffer_t *arguments[] = {floats4(1, 2, 3, 4), floats4(1, 1, 1, 1)}, *result = NULL;
  const void* data = NULL;
  TN_ASSERT_OK(tn_buffer_map(arguments[0], &data));
  TN_ASSERT_OK(run_donating(arguments, &result));
  assert_false(tn_buffer_is_donated(arguments[0]));
  tn__testing_expect_floats(result, 4, (float[]){2, 3, 4, 5});
  assert_true(((const float*)data)[3] == 4);
  tn_buffer_unmap(arguments[0]);
  tn_buffer_release(result);
  tn_buffer_release(arguments[0]);
  tn_buffer_release(arguments[1]);
}

static void buffer_that_is_donated_and_read_is_declined(void** state) {
  (void)state;
  compile(DONATES);
  tn_buffer_t *x = floats4(1, 2, 3, 4), *result = NULL;
  tn_buffer_t* arguments[] = {x, x};
  TN_ASSERT_OK(run_donating(arguments, &result));
  assert_false(tn_buffer_is_donated(x));
  tn__testing_expect_floats(result, 4, (float[]){2, 4, 6, 8});
  tn_buffer_release(result);
  tn_buffer_release(x);
}

static void imported_memory_is_declined(void** state) {
  (void)state;
  compile(DONATES);
  _Alignas(64) float values[4] = {1, 2, 3, 4};
  tn_buffer_t *arguments[] = {NULL, floats4(1, 1, 1, 1)}, *result = NULL;
  TN_ASSERT_OK(tn_buffer_import(tn__testing_device(), TN_DTYPE_F32, 1, (int64_t[]){4}, values,
                                sizeof values, NULL, NULL, &arguments[0]));
  TN_ASSERT_OK(run_donating(arguments, &result));
  assert_true(values[3] == 4);
  tn__testing_expect_floats(result, 4, (float[]){2, 3, 4, 5});
  tn_buffer_release(result);
  tn_buffer_release(arguments[0]);
  tn_buffer_release(arguments[1]);
}

static void donated_memory_without_a_target_is_freed_after_the_run(void** state) {
  (void)state;
  compile(MAIN("%x: " F4 ", %y: " F4, "tensor<2xf32>",
               "%a = stablehlo.add %x, %y : " F4 "\n"
               "%b = stablehlo.slice %a [0:2:1] : (" F4
               ") -> tensor<2xf32>\nreturn %b : tensor<2xf32>"));
  tn_buffer_t *arguments[] = {floats4(1, 2, 3, 4), floats4(1, 1, 1, 1)}, *result = NULL;
  TN_ASSERT_OK(run_donating(arguments, &result));
  tn_memory_statistics_t before = {.struct_size = sizeof before}, after = before;
  tn_device_memory_statistics(tn__testing_device(), &before);
  assert_true(tn_buffer_is_donated(arguments[0]));
  tn_buffer_release(arguments[0]);
  tn_device_memory_statistics(tn__testing_device(), &after);
  assert_int_equal(before.in_use_byte_size, after.in_use_byte_size);
  tn__testing_expect_floats(result, 2, (float[]){2, 3});
  tn_buffer_release(result);
  tn_buffer_release(arguments[1]);
}

static void run_that_cannot_begin_gives_donations_back(void** state) {
  (void)state;
  // The other result does not fit into the device's memory.
  compile(
      MAIN("%x: " F4 " {tf.aliasing_output = 0 : i32}, %y: " F4, F4 ", tensor<1048576xf32>",
           "%a = stablehlo.add %x, %y : " F4 "\n"
           "%z = stablehlo.constant dense<0.0> : tensor<f32>\n"
           "%b = stablehlo.broadcast_in_dim %z, dims = [] : (tensor<f32>) -> tensor<1048576xf32>\n"
           "return %a, %b : " F4 ", tensor<1048576xf32>"));
  tn_buffer_t *arguments[] = {floats4(1, 2, 3, 4), floats4(1, 1, 1, 1)}, *results[2] = {NULL};
  const bool donated[] = {true, true};
  tn_stream_t* stream = NULL;
  TN_ASSERT_OK(tn_stream_create(tn__testing_device(), &stream));
  for (int on_stream = 0; on_stream < 2; ++on_stream) {
    const tn_run_options_t options = {
        .struct_size = sizeof options, .donated = donated, .stream = on_stream ? stream : NULL};
    tn_memory_statistics_t statistics = {.struct_size = sizeof statistics};
    tn_device_memory_statistics(tn__testing_device(), &statistics);
    tn_device_set_memory_limit(tn__testing_device(), statistics.in_use_byte_size + (1 << 20));
    tn_status_t status = tn_program_run(program, 2, arguments, &options, 2, results);
    tn_device_set_memory_limit(tn__testing_device(), 0);
    TN_ASSERT_CODE(RESOURCE_EXHAUSTED, status);
    assert_true(!results[0] && !results[1]);
    assert_false(tn_buffer_is_donated(arguments[0]) || tn_buffer_is_donated(arguments[1]));
    tn__testing_expect_floats(arguments[0], 4, (float[]){1, 2, 3, 4});
  }
  tn_stream_release(stream);
  tn_buffer_release(arguments[0]);
  tn_buffer_release(arguments[1]);
}

static void run_that_does_not_fit_names_the_sizes_of_its_plan(void** state) {
  (void)state;
  compile(
      MAIN("%x: tensor<f32>", "tensor<1048576xf32>",
           "%b = stablehlo.broadcast_in_dim %x, dims = [] : (tensor<f32>) -> tensor<1048576xf32>\n"
           "return %b : tensor<1048576xf32>"));
  tn_buffer_t *argument = NULL, *result = NULL;
  TN_ASSERT_OK(tn_buffer_create_from_host(tn__testing_device(), TN_DTYPE_F32, 0, NULL, &(float){1},
                                          sizeof(float), &argument));
  tn_device_set_memory_limit(tn__testing_device(), 1 << 20);
  tn_status_t status = tn_program_run(program, 1, &argument, NULL, 1, &result);
  tn_device_set_memory_limit(tn__testing_device(), 0);
  assert_int_equal(tn_status_code(status), TN_CODE_RESOURCE_EXHAUSTED);
  TN_ASSERT_REPORT("the program needs 4194304 bytes for results and 0 for temporaries", status);
  tn_buffer_release(argument);
}

static void limits_that_let_nothing_run_are_errors(void** state) {
  (void)state;
  compile(MAIN("%x: " F4, F4, "%y = stablehlo.negate %x : " F4 "\nreturn %y : " F4));
  tn_buffer_t *argument = floats4(1, 2, 3, 4), *other = NULL, *result = NULL;
  tn_device_set_memory_limit(tn__testing_device(), 1);
  TN_ASSERT_CODE(RESOURCE_EXHAUSTED,
                 tn_buffer_create_from_host(tn__testing_device(), TN_DTYPE_F32, 0, NULL,
                                            &(float){1}, sizeof(float), &other));
  TN_ASSERT_CODE(RESOURCE_EXHAUSTED, tn_program_run(program, 1, &argument, NULL, 1, &result));
  assert_true(!other && !result);
  tn_device_set_memory_limit(tn__testing_device(), 0);
  const tn_run_options_t no_time = {.struct_size = sizeof no_time, .timeout_ns = 1};
  TN_ASSERT_CODE(DEADLINE_EXCEEDED, tn_program_run(program, 1, &argument, &no_time, 1, &result));
  assert_null(result);
  TN_ASSERT_OK(tn_program_run(program, 1, &argument, NULL, 1, &result));
  tn__testing_expect_floats(result, 4, (float[]){-1, -2, -3, -4});
  tn_buffer_release(argument);
  tn_buffer_release(result);
}

static void donated_leaf_of_a_tuple_is_taken(void** state) {
  (void)state;
  compile(MAIN("%t: " PAIR ", %x: " F4 " {tf.aliasing_output = 0 : i32}", F4,
               "%a = stablehlo.get_tuple_element %t[1] : (" PAIR ") -> " F4 "\n"
               "%b = stablehlo.subtract %x, %a : " F4 "\nreturn %b : " F4));
  tn_buffer_t *arguments[] = {floats4(9, 9, 9, 9), floats4(1, 2, 3, 4), floats4(5, 5, 5, 5)},
              *result = NULL;
  const bool donated[] = {false, false, true};
  const tn_run_options_t options = {.struct_size = sizeof options, .donated = donated};
  const void* place = place_of(arguments[2]);
  TN_ASSERT_OK(tn_program_run(program, 3, arguments, &options, 1, &result));
  assert_ptr_equal(place_of(result), place);
  tn__testing_expect_floats(result, 4, (float[]){4, 3, 2, 1});
  for (size_t i = 0; i < 3; ++i) tn_buffer_release(arguments[i]);
  tn_buffer_release(result);
}

// --- many runs

static void memory_does_not_grow_with_the_number_of_runs(void** state) {
  (void)state;
  compile(
      MAIN("%x: tensor<36x36xf32>", "tensor<36x36xf32>",
           "%a = stablehlo.transpose %x, dims = [1, 0] : (tensor<36x36xf32>) -> tensor<36x36xf32>\n"
           "%b = stablehlo.add %a, %x : tensor<36x36xf32>\n"
           "%c = stablehlo.transpose %b, dims = [1, 0] : (tensor<36x36xf32>) -> tensor<36x36xf32>\n"
           "return %c : tensor<36x36xf32>"));
  tn_testing_buffers_t arguments;
  tn__testing_arguments(program, 1, &arguments);
  tn_memory_statistics_t first = {.struct_size = sizeof first}, last = first;
  for (int i = 0; i < 10000; ++i) {
    tn_buffer_t* result = NULL;
    TN_ASSERT_OK(tn_program_run(program, 1, arguments.list, NULL, 1, &result));
    tn_buffer_release(result);
    if (i == 10) tn_device_memory_statistics(tn__testing_device(), &first);
  }
  tn_device_memory_statistics(tn__testing_device(), &last);
  assert_int_equal(last.in_use_byte_size, first.in_use_byte_size);
  assert_int_equal(last.reserved_byte_size, first.reserved_byte_size);
  assert_int_equal(program->idle_count, 1);
  tn__testing_buffers_release(&arguments);
}

static size_t live_locals, initialised_locals;

static tn_status_t init_local(const tn_kernel_call_t* call) {
  (void)call;
  if (++initialised_locals == 3) return tn_status_create(TN_CODE_INTERNAL, "the third one fails");
  ++live_locals;
  return TN_OK;
}

static void deinit_local(const tn_kernel_call_t* call) {
  (void)call;
  --live_locals;
}

static void activation_that_fails_half_way_undoes_its_first_half(void** state) {
  (void)state;
  compile(MAIN("%x: " F4, F4,
               "%a = stablehlo.tanh %x : " F4 "\n%b = stablehlo.tanh %a : " F4 "\n"
               "%c = stablehlo.tanh %b : " F4 "\n%d = stablehlo.tanh %c : " F4
               "\nreturn %d : " F4));
  live_locals = initialised_locals = 0;
  for (size_t i = 0; i < program->instruction_count; ++i) {
    tn_kernel_site_t* site = (tn_kernel_site_t*)&program->instructions[i].step->site;
    site->local_init = init_local;
    site->local_deinit = deinit_local;
  }
  tn_buffer_t *argument = floats4(1, 2, 3, 4), *result = NULL;
  TN_ASSERT_REPORT("the third one fails", tn_program_run(program, 1, &argument, NULL, 1, &result));
  assert_int_equal(live_locals, 0);
  TN_ASSERT_OK(tn_program_run(program, 1, &argument, NULL, 1, &result));
  assert_int_equal(live_locals, program->instruction_count);
  tn_buffer_release(result);
  tn_buffer_release(argument);
  release(NULL);
  assert_int_equal(live_locals, 0);
}

static atomic_int inside_count, met_count;

static void add_slowly(void* out, const void** in) {
  atomic_fetch_add(&inside_count, 1);
  usleep(20000);
  *(float*)out = *(const float*)in[0] + *(const float*)in[1];
  atomic_fetch_sub(&inside_count, 1);
}

static void meet(void* out, const void** in) {
  usleep(10000);  // by now a region that still has to run would be running
  atomic_fetch_add(&met_count, atomic_load(&inside_count));
  memcpy(out, in[0], sizeof(float));
}

// A region is in the host's memory, whichever device calls it: the next operation there may take
// its place.
static void work_of_the_host_waits_for_regions_that_run(void** state) {
  (void)state;
  TN_ASSERT_OK(tn_target_register("testing.add_slowly", "Host", (tn_target_function_t)add_slowly,
                                  TN_API_VERSION_ORIGINAL));
  TN_ASSERT_OK(tn_target_register("testing.meet", "Host", (tn_target_function_t)meet,
                                  TN_API_VERSION_ORIGINAL));
  atomic_store(&met_count, 0);
  compile(MAIN("%x: " F4, "tensor<f32>, tensor<f32>",
               "%zero = stablehlo.constant dense<0.0> : tensor<f32>\n"
               "%sum = \"stablehlo.reduce\"(%x, %zero) ({\n"
               "^bb0(%a: tensor<f32>, %b: tensor<f32>):\n"
               "  %c = stablehlo.custom_call @testing.add_slowly(%a, %b) : (tensor<f32>, "
               "tensor<f32>) -> tensor<f32>\n"
               "  stablehlo.return %c : tensor<f32>\n"
               "}) {dimensions = array<i64: 0>} : (" F4 ", tensor<f32>) -> tensor<f32>\n"
               "%met = stablehlo.custom_call @testing.meet(%zero) {has_side_effect = true} : "
               "(tensor<f32>) -> tensor<f32>\n"
               "return %sum, %met : tensor<f32>, tensor<f32>"));
  tn_buffer_t *argument = floats4(1, 2, 3, 4), *results[2] = {NULL};
  TN_ASSERT_OK(tn_program_run(program, 1, &argument, NULL, 2, results));
  tn__testing_expect_floats(results[0], 1, (float[]){10});
  assert_int_equal(atomic_load(&met_count), 0);
  tn_buffer_release(results[0]);
  tn_buffer_release(results[1]);
  tn_buffer_release(argument);
  TN_ASSERT_OK(tn_target_unregister("testing.add_slowly", "Host"));
  TN_ASSERT_OK(tn_target_unregister("testing.meet", "Host"));
}

static void failing_operation_is_named_with_its_place(void** state) {
  (void)state;
  compile(MAIN("%x: " F4 ", %y: " F4, "",
               "stablehlo.custom_call @check.expect_eq(%x, %y) {has_side_effect = true} : (" F4
               ", " F4 ") -> ()\nreturn"));
  tn_buffer_t* arguments[] = {floats4(1, 2, 3, 4), floats4(1, 2, 3, 5)};
  TN_ASSERT_REPORT("test.mlir:2:", tn_program_run(program, 2, arguments, NULL, 0, NULL));
  tn_buffer_release(arguments[0]);
  tn_buffer_release(arguments[1]);
}

static void run_in_a_forked_child_is_an_error(void** state) {
  (void)state;
  compile(MAIN("%x: " F4, F4, "%y = stablehlo.add %x, %x : " F4 "\nreturn %y : " F4));
  tn_buffer_t *argument = floats4(1, 2, 3, 4), *result = NULL;
  const pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    alarm(600);
    tn_status_t status = tn_program_run(program, 1, &argument, NULL, 1, &result);
    tn_buffer_release(argument);
    tn_program_release(program);
    _exit(tn_status_code(status) == TN_CODE_FAILED_PRECONDITION ? 0 : 1);
  }
  int ended = 0;
  assert_int_equal(waitpid(child, &ended, 0), child);
  assert_true(WIFEXITED(ended));
  assert_int_equal(WEXITSTATUS(ended), 0);
  tn_buffer_release(argument);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_teardown(results_are_computed, release),
      cmocka_unit_test_teardown(one_value_returned_twice_has_two_buffers, release),
      cmocka_unit_test_teardown(results_outlive_the_program, release),
      cmocka_unit_test_teardown(case_index_out_of_range_takes_the_last_branch, release),
      cmocka_unit_test_teardown(branches_read_values_from_outside, release),
      cmocka_unit_test_teardown(carries_that_exchange_places_come_out_right, release),
      cmocka_unit_test_teardown(loop_that_never_runs_gives_its_first_values, release),
      cmocka_unit_test_teardown(body_of_a_reduction_reads_values_from_outside, release),
      cmocka_unit_test_teardown(body_of_a_reduction_reads_a_reshaped_constant_from_outside,
                                release),
      cmocka_unit_test_teardown(an_empty_array_has_the_bits_of_another, release),
      cmocka_unit_test_teardown(calls_run_in_their_own_units, release),
      cmocka_unit_test_teardown(units_that_are_not_active_together_share_bytes, release),
      cmocka_unit_test_teardown(deep_calls_run_and_bottomless_ones_are_refused, release),
      cmocka_unit_test_teardown(call_of_a_declaration_is_refused_with_its_place, release),
      cmocka_unit_test_teardown(arguments_that_do_not_fit_are_refused, release),
      cmocka_unit_test_teardown(buffers_and_streams_of_another_device_are_refused, release),
      cmocka_unit_test_teardown(errors_name_both_devices, release),
      cmocka_unit_test_teardown(tuples_come_and_go_as_leaves, release),
      cmocka_unit_test_teardown(tuples_come_and_go_as_tuple_buffers, release),
      cmocka_unit_test_teardown(tokens_need_no_buffer, release),
      cmocka_unit_test_teardown(empty_arrays_run, release),
      cmocka_unit_test_teardown(run_in_a_forked_child_is_an_error, release),
      cmocka_unit_test_teardown(donated_memory_becomes_the_result, release),
      cmocka_unit_test_teardown(argument_that_is_not_donated_stays_as_it_is, release),
      cmocka_unit_test_teardown(donation_of_held_memory_is_declined, release),
      cmocka_unit_test_teardown(buffer_that_is_donated_and_read_is_declined, release),
      cmocka_unit_test_teardown(imported_memory_is_declined, release),
      cmocka_unit_test_teardown(donated_memory_without_a_target_is_freed_after_the_run, release),
      cmocka_unit_test_teardown(run_that_cannot_begin_gives_donations_back, release),
      cmocka_unit_test_teardown(run_that_does_not_fit_names_the_sizes_of_its_plan, release),
      cmocka_unit_test_teardown(limits_that_let_nothing_run_are_errors, release),
      cmocka_unit_test_teardown(donated_leaf_of_a_tuple_is_taken, release),
      cmocka_unit_test_teardown(memory_does_not_grow_with_the_number_of_runs, release),
      cmocka_unit_test_teardown(activation_that_fails_half_way_undoes_its_first_half, release),
      cmocka_unit_test_teardown(work_of_the_host_waits_for_regions_that_run, release),
      cmocka_unit_test_teardown(failing_operation_is_named_with_its_place, release),
  };
  return TN_TESTING_RUN_ON_EVERY_DEVICE(tests, tn__testing_device_setup,
                                        tn__testing_device_teardown);
}
