// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Threaded code gives what the same instructions give one by one, as an observed run has them.
#include "program/testing_run.h"

// --- random loops

enum { MOST_VALUES = 64, TURNS = 9 };

typedef enum kind { F32, F64, S32, S64, PRED, VECTOR, KIND_COUNT } kind_t;
static const char* const types[] = {"tensor<f32>", "tensor<f64>", "tensor<i32>",
                                    "tensor<i64>", "tensor<i1>",  "tensor<3xf32>"};

typedef struct writer {
  uint64_t random;
  size_t length;
  char text[16000];
  // Names of values by kind: %<name>.
  uint32_t values[KIND_COUNT][MOST_VALUES];
  uint32_t value_count[KIND_COUNT];
  uint32_t name;
} writer_t;

static uint32_t below(writer_t* w, uint32_t count) {
  w->random = w->random * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(w->random >> 33) % count;
}

__attribute__((format(printf, 2, 3))) static void put(writer_t* w, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int length = vsnprintf(w->text + w->length, sizeof w->text - w->length, format, arguments);
  va_end(arguments);
  w->length += (size_t)length;
  assert_true(w->length < sizeof w->text);
}

static uint32_t add(writer_t* w, kind_t kind) {
  assert_true(w->value_count[kind] < MOST_VALUES);
  w->values[kind][w->value_count[kind]++] = w->name;
  return w->name++;
}

// Mostly the last one, as in programs.
static uint32_t pick(writer_t* w, kind_t kind) {
  const uint32_t count = w->value_count[kind];
  return w->values[kind][below(w, 2) ? count - 1 : below(w, count)];
}

static void put_arithmetic(writer_t* w, kind_t kind) {
  static const char* const floats[] = {"add", "subtract", "multiply", "divide", "maximum"};
  static const char* const integers[] = {"add", "subtract", "multiply", "xor", "minimum"};
  static const char* const truths[] = {"and", "or", "xor", "maximum", "multiply"};
  static const char* const* const names[] = {floats, floats, integers, integers, truths, floats};
  const uint32_t a = pick(w, kind), b = pick(w, kind);
  const char* name = names[kind][below(w, 5)];
  put(w, "%%%u = stablehlo.%s %%%u, %%%u : %s\n", add(w, kind), name, a, b, types[kind]);
}

static void put_negation(writer_t* w, kind_t kind) {
  const uint32_t a = pick(w, kind);
  const char* name = kind == PRED ? "not" : "negate";
  put(w, "%%%u = stablehlo.%s %%%u : %s\n", add(w, kind), name, a, types[kind]);
}

static void put_comparison(writer_t* w, kind_t kind) {
  static const char* const directions[] = {"EQ", "NE", "LT", "LE", "GT", "GE"};
  if (kind == VECTOR) kind = F32;
  const uint32_t a = pick(w, kind), b = pick(w, kind);
  const char* direction = directions[below(w, 6)];
  put(w, "%%%u = stablehlo.compare %s, %%%u, %%%u : (%s, %s) -> tensor<i1>\n", add(w, PRED),
      direction, a, b, types[kind], types[kind]);
}

static void put_select(writer_t* w, kind_t kind) {
  const uint32_t truth = pick(w, PRED), a = pick(w, kind), b = pick(w, kind);
  if (kind == VECTOR) return;
  put(w, "%%%u = stablehlo.select %%%u, %%%u, %%%u : tensor<i1>, %s\n", add(w, kind), truth, a, b,
      types[kind]);
}

static void put_convert(writer_t* w, kind_t kind) {
  const kind_t from = (kind_t)below(w, VECTOR);
  const uint32_t a = pick(w, from);
  if (kind == VECTOR) {
    const uint32_t x = pick(w, F32);
    put(w, "%%%u = stablehlo.broadcast_in_dim %%%u, dims = [] : (tensor<f32>) -> %s\n",
        add(w, VECTOR), x, types[VECTOR]);
    return;
  }
  put(w, "%%%u = stablehlo.convert %%%u : (%s) -> %s\n", add(w, kind), a, types[from], types[kind]);
}

// A loop over one carry of each kind and a counter, whose body has `count` random operations.
static void put_loop(writer_t* w, uint32_t count) {
  static void (*const operations[])(writer_t*, kind_t) = {
      put_arithmetic, put_arithmetic, put_arithmetic, put_negation,
      put_comparison, put_select,     put_convert};
  put(w, "func.func @main(");
  for (kind_t k = 0; k < KIND_COUNT; ++k) put(w, "%s%%p%d: %s", k ? ", " : "", k, types[k]);
  put(w, ") -> (");
  for (kind_t k = 0; k < KIND_COUNT; ++k) put(w, "%s%s", k ? ", " : "", types[k]);
  put(w, ") {\n%%zero = stablehlo.constant dense<0> : tensor<i64>\n%%r:7 = stablehlo.while(");
  for (kind_t k = 0; k < KIND_COUNT; ++k) put(w, "%%%u = %%p%d, ", add(w, k), k);
  put(w, "%%n = %%zero) : ");
  for (kind_t k = 0; k < KIND_COUNT; ++k) put(w, "%s, ", types[k]);
  put(w, "tensor<i64>\ncond {\n%%most = stablehlo.constant dense<%d> : tensor<i64>\n", TURNS);
  put(w, "%%go = stablehlo.compare LT, %%n, %%most : (tensor<i64>, tensor<i64>) -> tensor<i1>\n");
  put(w, "stablehlo.return %%go : tensor<i1>\n} do {\n");
  for (uint32_t i = 0; i < count; ++i) {
    operations[below(w, sizeof operations / sizeof *operations)](w, (kind_t)below(w, KIND_COUNT));
  }
  put(w, "%%one = stablehlo.constant dense<1> : tensor<i64>\n");
  put(w, "%%next = stablehlo.add %%n, %%one : tensor<i64>\nstablehlo.return ");
  for (kind_t k = 0; k < KIND_COUNT; ++k) put(w, "%%%u, ", pick(w, k));
  put(w, "%%next : ");
  for (kind_t k = 0; k < KIND_COUNT; ++k) put(w, "%s, ", types[k]);
  put(w, "tensor<i64>\n}\nreturn ");
  for (kind_t k = 0; k < KIND_COUNT; ++k) put(w, "%s%%r#%d", k ? ", " : "", k);
  put(w, " : ");
  for (kind_t k = 0; k < KIND_COUNT; ++k) put(w, "%s%s", k ? ", " : "", types[k]);
  put(w, "\n}\n");
}

// --- tests

static void count_events(void* user, const tn_run_event_t* event) {
  size_t* count = user;
  (void)event;
  ++*count;
}

static size_t expect_same_as_observed(const char* text, uint64_t seed) {
  size_t count = 0;
  tn_testing_bytes_t plain, observed;
  tn_testing_buffers_t arguments;
  tn_program_t* program = tn__testing_program(text, false);
  tn__testing_arguments(program, seed, &arguments);
  const tn_run_options_t options = {
      .struct_size = sizeof options, .observe = count_events, .observe_user = &count};
  tn__testing_poison(program, 0xA5);
  TN_ASSERT_OK(tn__testing_run_bytes(program, NULL, &arguments, &plain));
  tn__testing_poison(program, 0x5A);
  TN_ASSERT_OK(tn__testing_run_bytes(program, &options, &arguments, &observed));
  tn__testing_unify_nans(program, &plain);
  tn__testing_unify_nans(program, &observed);
  if (!tn__testing_bytes_equal(&plain, &observed)) {
    fail_msg("seed %llu\n%s", (unsigned long long)seed, text);
  }
  free(plain.bytes);
  free(observed.bytes);
  tn__testing_buffers_release(&arguments);
  tn_program_release(program);
  return count;
}

static void random_loops_give_what_their_instructions_give(void** state) {
  (void)state;
  static writer_t writer;
  size_t count = 0;
  for (uint64_t seed = 1; seed <= 400; ++seed) {
    writer = (writer_t){.random = seed};
    put_loop(&writer, 4 + below(&writer, 40));
    count += expect_same_as_observed(writer.text, seed);
  }
  assert_true(count > 400 * TURNS * 4);
}

// More than are run in one go, so that several pieces follow each other.
static void many_scalars_come_in_pieces(void** state) {
  (void)state;
  enum { OPERATIONS = 2600 };
  char* text = malloc(OPERATIONS * 80);
  assert_non_null(text);
  size_t length = (size_t)sprintf(text,
                                  "func.func @main(%%x0: tensor<f32>, %%y: tensor<f32>) -> "
                                  "tensor<f32> {\n");
  for (int i = 0; i < OPERATIONS; ++i) {
    length += (size_t)sprintf(text + length, "%%x%d = stablehlo.%s %%x%d, %%y : tensor<f32>\n",
                              i + 1, i % 2 ? "subtract" : "multiply", i);
  }
  sprintf(text + length, "return %%x%d : tensor<f32>\n}\n", OPERATIONS);
  assert_int_equal(expect_same_as_observed(text, 1), OPERATIONS);
  free(text);
}

// What neither fails nor takes long is threaded beside what may.
static void pieces_lie_between_other_instructions(void** state) {
  (void)state;
  expect_same_as_observed(
      "func.func @main(%x: tensor<f32>, %y: tensor<f32>, %m: tensor<300x300xf32>) -> "
      "(tensor<f32>, tensor<300x300xf32>) {\n"
      "%a = stablehlo.multiply %x, %y : tensor<f32>\n"
      "%b = stablehlo.add %a, %x : tensor<f32>\n"
      "%w = stablehlo.broadcast_in_dim %b, dims = [] : (tensor<f32>) -> tensor<300x300xf32>\n"
      "%d = stablehlo.dot_general %w, %m, contracting_dims = [1] x [0] : (tensor<300x300xf32>, "
      "tensor<300x300xf32>) -> tensor<300x300xf32>\n"
      "%e = stablehlo.slice %d [7:8, 9:10] : (tensor<300x300xf32>) -> tensor<1x1xf32>\n"
      "%f = stablehlo.reshape %e : (tensor<1x1xf32>) -> tensor<f32>\n"
      "%g = stablehlo.subtract %f, %b : tensor<f32>\n"
      "%h = stablehlo.multiply %g, %g : tensor<f32>\n"
      "return %h, %d : tensor<f32>, tensor<300x300xf32>\n}\n",
      3);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_loops_give_what_their_instructions_give),
      cmocka_unit_test(many_scalars_come_in_pieces),
      cmocka_unit_test(pieces_lie_between_other_instructions),
  };
  return cmocka_run_group_tests(tests, tn__testing_device_setup, tn__testing_device_teardown);
}
