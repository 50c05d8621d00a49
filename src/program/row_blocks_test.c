// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Chains of products by blocks of rows give what the reference device gives, whatever the shape.
#include <stdlib.h>

#include "program/program.h"
#include "program/testing_run.h"

typedef struct sizes {
  int batch, rows, depth, keys, columns;
} sizes_t;

static const sizes_t all_sizes[] = {
    {1, 32, 1, 16, 16},    {3, 37, 7, 45, 19},   {2, 96, 20, 128, 33},
    {1, 100, 260, 70, 24}, {2, 33, 3, 1000, 16}, {5, 61, 16, 17, 100},
};

typedef struct text {
  char data[6000];
  size_t length;
} text_t;

// `pattern` with b, m, k, n, d in braces for the sizes, and t for the dtype.
static void put(text_t* text, const sizes_t* sizes, const char* dtype, const char* pattern) {
  for (const char* c = pattern; *c; ++c) {
    char* end = text->data + text->length;
    const size_t room = sizeof text->data - text->length;
    if (c[0] != '{' || c[1] == 0 || c[2] != '}') {
      text->length += (size_t)snprintf(end, room, "%c", *c);
      continue;
    }
    const int number = c[1] == 'b'   ? sizes->batch
                       : c[1] == 'm' ? sizes->rows
                       : c[1] == 'k' ? sizes->depth
                       : c[1] == 'n' ? sizes->keys
                                     : sizes->columns;
    text->length += (size_t)(c[1] == 't' ? snprintf(end, room, "%s", dtype)
                                         : snprintf(end, room, "%d", number));
    c += 2;
  }
  assert_true(text->length + 1 < sizeof text->data);
}

#define Q "tensor<{b}x{m}x{k}x{t}>"
#define K "tensor<{b}x{n}x{k}x{t}>"
#define V "tensor<{b}x{n}x{d}x{t}>"
#define BIAS "tensor<{n}x{t}>"
#define ONE "tensor<{t}>"
#define SCORES "tensor<{b}x{m}x{n}x{t}>"
#define ROWS "tensor<{b}x{m}x{t}>"
#define RESULT "tensor<{b}x{m}x{d}x{t}>"

#define HEAD(results)                                                              \
  "func.func @main(%q: " Q ", %k: " K ", %v: " V ", %bias: " BIAS ") -> (" results \
  ") {\n"                                                                          \
  "%zero = stablehlo.constant dense<0.0> : " ONE "\n"

#define BEFORE                                                                                  \
  "%s = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [2] " \
  ": (" Q ", " K ") -> " SCORES "\n"
#define AFTER(p)                                                                                   \
  "%o = stablehlo.dot_general " p                                                                  \
  ", %c, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (" SCORES ", " V ") -> " RESULT \
  "\n"
// What is above a bias, from the largest of its row on downwards.
#define BY_ROWS                                                                             \
  "%p:2 = \"tenon.fusion\"(%s, %d, %e) ({\n^bb0(%f: " SCORES ", %g: " BIAS ", %h: " ONE     \
  "):\n"                                                                                    \
  "%1 = stablehlo.broadcast_in_dim %g, dims = [2] : (" BIAS ") -> " SCORES                  \
  "\n"                                                                                      \
  "%2 = stablehlo.subtract %f, %1 : " SCORES                                                \
  "\n"                                                                                      \
  "%3 = stablehlo.reduce(%2 init: %h) applies stablehlo.maximum across dimensions = [2] : " \
  "(" SCORES ", " ONE ") -> " ROWS                                                          \
  "\n"                                                                                      \
  "%4 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (" ROWS ") -> " SCORES               \
  "\n"                                                                                      \
  "%5 = stablehlo.subtract %4, %2 : " SCORES                                                \
  "\n"                                                                                      \
  "stablehlo.return %5, %3 : " SCORES ", " ROWS                                             \
  "\n"                                                                                      \
  "}) : (" SCORES ", " BIAS ", " ONE ") -> (" SCORES ", " ROWS ")\n"
#define BY_ELEMENTS                                                                   \
  "%p = \"tenon.fusion\"(%s, %d, %e) ({\n^bb0(%f: " SCORES ", %g: " BIAS ", %h: " ONE \
  "):\n"                                                                              \
  "%1 = stablehlo.broadcast_in_dim %g, dims = [2] : (" BIAS ") -> " SCORES            \
  "\n"                                                                                \
  "%2 = stablehlo.add %f, %1 : " SCORES                                               \
  "\n"                                                                                \
  "%3 = stablehlo.broadcast_in_dim %h, dims = [] : (" ONE ") -> " SCORES              \
  "\n"                                                                                \
  "%4 = stablehlo.maximum %2, %3 : " SCORES                                           \
  "\n"                                                                                \
  "stablehlo.return %4 : " SCORES                                                     \
  "\n"                                                                                \
  "}) : (" SCORES ", " BIAS ", " ONE ") -> " SCORES "\n"

#define BLOCKS(count, q, k, inside, given, results)                                               \
  "%r" count " = \"tenon.row_blocks\"(" q ", " k ", %v, %bias, %zero) ({\n^bb0(%a: " Q ", %b: " K \
  ", %c: " V ", %d: " BIAS ", %e: " ONE "):\n" inside "stablehlo.return " given " : " results     \
  "\n"                                                                                            \
  "}) : (" Q ", " K ", " V ", " BIAS ", " ONE ") -> (" results ")\n"

static const char* const patterns[] = {
    // Nothing but the last result is kept.
    HEAD(RESULT ", " ROWS) BLOCKS(":2", "%q", "%k", BEFORE BY_ROWS AFTER("%p#0"), "%o, %p#1",
                                  RESULT ", " ROWS) "return %r#0, %r#1 : " RESULT ", " ROWS "\n}\n",
    // All of it is.
    HEAD(SCORES ", " RESULT ", " SCORES ", " ROWS)
        BLOCKS(":4", "%q", "%k", BEFORE BY_ROWS AFTER("%p#0"), "%s, %o, %p#0, %p#1",
               SCORES ", " RESULT ", " SCORES ", " ROWS) "return %r#0, %r#1, %r#2, %r#3 : " SCORES
                                                         ", " RESULT ", " SCORES ", " ROWS "\n}\n",
    // No second product.
    HEAD(SCORES) BLOCKS("", "%q", "%k", BEFORE BY_ELEMENTS, "%p", SCORES) "return %r : " SCORES
                                                                          "\n}\n",
    // Element by element.
    HEAD(RESULT) BLOCKS("", "%q", "%k", BEFORE BY_ELEMENTS AFTER("%p"), "%o",
                        RESULT) "return %r : " RESULT "\n}\n",
    // Operands are views.
    HEAD(RESULT ", " ROWS) "%x = stablehlo.reverse %q, dims = [1] : " Q
                           "\n"
                           "%l = stablehlo.slice %bias [0:1] : (" BIAS
                           ") -> tensor<1x{t}>\n"
                           "%m = stablehlo.broadcast_in_dim %l, dims = [1] : (tensor<1x{t}>) -> " K
                           "\n" BLOCKS(":2", "%x", "%m", BEFORE BY_ROWS AFTER("%p#0"), "%o, %p#1",
                                       RESULT ", " ROWS) "return %r#0, %r#1 : " RESULT ", " ROWS
                                                         "\n}\n",
};

static tn_device_t* reference;

// Integers, of which sums are exact in any order.
static tn_buffer_t* integers(tn_device_t* device, const tn_type_t* type, unsigned* seed) {
  const tn_dtype_t dtype = tn_type_dtype(type);
  const size_t size = tn_dtype_byte_size(dtype), count = (size_t)tn__type_size(type);
  tn_buffer_t* buffer = NULL;
  unsigned char* bytes = malloc(count * size);
  assert_non_null(bytes);
  for (size_t i = 0; i < count; ++i) {
    *seed = *seed * 1103515245 + 12345;
    const int number = (int)(*seed >> 16 & 3) + 1;
    tn_dtype_store(dtype, *seed >> 20 & 1 ? number : -number, bytes + i * size);
  }
  TN_ASSERT_OK(tn_buffer_create_from_host(device, dtype, tn_type_rank(type), tn_type_dims(type),
                                          bytes, count * size, &buffer));
  free(bytes);
  return buffer;
}

static tn_testing_bytes_t run(tn_program_t* program, tn_device_t* device) {
  tn_testing_buffers_t arguments = {.count = tn_program_input_count(program)};
  tn_testing_bytes_t bytes;
  unsigned seed = 7;
  for (size_t i = 0; i < arguments.count; ++i) {
    arguments.list[i] = integers(device, tn_program_input_type(program, i), &seed);
  }
  TN_ASSERT_OK(tn__testing_run_bytes(program, NULL, &arguments, &bytes));
  tn__testing_buffers_release(&arguments);
  return bytes;
}

// How many instructions compute blocks of rows; none of them runs its region as it is.
static size_t count_blocks(const tn_program_t* program) {
  size_t count = 0;
  for (size_t i = 0; i < program->instruction_count; ++i) {
    const tn_instruction_t* instruction = &program->instructions[i];
    if (!instruction->kernel || strcmp(instruction->kernel->op, "tenon.row_blocks") != 0) continue;
    assert_int_equal(instruction->block_count, 0);
    ++count;
  }
  return count;
}

// On `device` without any passes.
static void expect_same(tn_device_t* device, const char* text, size_t block_count) {
  tn_program_t* program = tn__testing_program(text, false);
  tn_program_t* plain = tn__testing_program_on(device, text, true);
  assert_int_equal(count_blocks(program), block_count);
  tn_testing_bytes_t found = run(program, tn__testing_device());
  tn_testing_bytes_t wanted = run(plain, device);
  if (!tn__testing_bytes_equal(&found, &wanted)) fail_msg("differs:\n%s", text);
  free(found.bytes);
  free(wanted.bytes);
  tn_program_release(plain);
  tn_program_release(program);
}

static void chains_of_any_shape_are_as_the_reference_has_them(void** state) {
  (void)state;
  static const char* const dtypes[] = {"f32", "bf16", "f64", "f16"};
  for (size_t s = 0; s < sizeof all_sizes / sizeof *all_sizes; ++s) {
    for (size_t p = 0; p < sizeof patterns / sizeof *patterns; ++p) {
      text_t text = {.length = 0};
      put(&text, &all_sizes[s], dtypes[(s + p) % 4], patterns[p]);
      expect_same(reference, text.data, 1);
    }
  }
}

#define SCORE_ROWS(p)                                                                     \
  p "1 = stablehlo.broadcast_in_dim %bias, dims = [2] : (" BIAS ") -> " SCORES "\n" p     \
    "2 = stablehlo.subtract " p "s, " p "1 : " SCORES "\n" p "3 = stablehlo.reduce(" p    \
    "2 init: %zero) applies stablehlo.maximum across dimensions = "                       \
    "[2] : (" SCORES ", " ONE ") -> " ROWS "\n" p "4 = stablehlo.broadcast_in_dim " p     \
    "3, dims = [0, 1] : (" ROWS ") -> " SCORES "\n" p "5 = stablehlo.subtract " p "4, " p \
    "2 : " SCORES "\n"
#define SCORES_OF(p, q)                                                                         \
  p "s = stablehlo.dot_general " q                                                              \
    ", %k, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (" Q ", " K ") -> " SCORES \
    "\n"
#define WEIGHTED(p, v)                                                                           \
  p "o = stablehlo.dot_general " p "5, " v                                                       \
    ", batching_dims = [0] x [0], contracting_dims = [2] x [1] : (" SCORES ", " V ") -> " RESULT \
    "\n"

typedef struct case_t {
  const char* text;
  size_t block_count;
} case_t;

static const case_t cases[] = {
    // Attention.
    {HEAD(RESULT) SCORES_OF("%a", "%q") SCORE_ROWS("%a") WEIGHTED("%a", "%v") "return %ao : " RESULT
                                                                              "\n}\n",
     1},
    // What is between is a result as well, and so is what a row is reduced to.
    {HEAD(RESULT ", " SCORES ", " ROWS) SCORES_OF("%a", "%q") SCORE_ROWS("%a")
         WEIGHTED("%a", "%v") "return %ao, %a5, %a3 : " RESULT ", " SCORES ", " ROWS "\n}\n",
     1},
    // Products have two readers: the first has another besides.
    {HEAD(RESULT ", " SCORES) SCORES_OF("%a", "%q") SCORE_ROWS("%a")
         WEIGHTED("%a", "%v") "return %ao, %as : " RESULT ", " SCORES "\n}\n",
     0},
    // The right operand of the second product is computed between them.
    {HEAD(RESULT) SCORES_OF("%a", "%q")
         SCORE_ROWS("%a") "%w = stablehlo.reverse %v, dims = [1] : " V
                          "\n" WEIGHTED("%a", "%w") "return %ao : " RESULT "\n}\n",
     1},
    // One chain after another, whose operand it gives.
    {HEAD(RESULT) SCORES_OF("%a", "%q") SCORE_ROWS("%a")
         WEIGHTED("%a", "%v") "%w = stablehlo.slice %ao [0:{b}, 0:{m}, 0:{k}] : (" RESULT ") -> " Q
                              "\n" SCORES_OF("%b", "%w") SCORE_ROWS("%b")
                                  WEIGHTED("%b", "%v") "return %bo : " RESULT "\n}\n",
     2},
};

static void chains_of_large_products_are_found(void** state) {
  (void)state;
  const sizes_t sizes = {2, 150, 4, 1100, 16};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    text_t text = {.length = 0};
    put(&text, &sizes, "f64", cases[i].text);
    expect_same(tn__testing_device(), text.data, cases[i].block_count);
  }
}

static void small_products_are_left_alone(void** state) {
  (void)state;
  const sizes_t sizes = {2, 40, 4, 100, 16};
  text_t text = {.length = 0};
  put(&text, &sizes, "f32", cases[0].text);
  expect_same(tn__testing_device(), text.data, 0);
}

static int setup(void** state) {
  TN_ASSERT_OK(tn_device_create("reference", NULL, &reference));
  return tn__testing_device_setup(state);
}

static int teardown(void** state) {
  tn_device_release(reference);
  return tn__testing_device_teardown(state);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(chains_of_any_shape_are_as_the_reference_has_them),
      cmocka_unit_test(chains_of_large_products_are_found),
      cmocka_unit_test(small_products_are_left_alone),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}
