// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// What is no program: where the reader says so, and what it says.
#include "base/testing.h"
#include "text/testing_text.h"

typedef struct rejection {
  const char* text;
  uint32_t line, column;
  const char* message;  // part of the report
} rejection_t;

static void check(const rejection_t* rejections, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    const rejection_t* r = &rejections[i];
    tn_module_t* module = NULL;
    tn_status_t status = tn_module_parse(NULL, "t.mlir", r->text, strlen(r->text), &module);
    assert_null(module);
    if (!status) fail_msg("this was read:\n%s", r->text);
    char report[4096];
    tn_status_format(status, report, sizeof report);
    bool same_place = tn_status_line(status) == r->line && tn_status_column(status) == r->column;
    tn_status_release(status);
    if (!same_place || !strstr(report, r->message)) {
      fail_msg("wanted %u:%u \"%s\" in:\n%s", r->line, r->column, r->message, report);
    }
  }
}

#define CHECK(rejections) check(rejections, sizeof(rejections) / sizeof *(rejections))

// One operation in a function with the values %x : tensor<2xf32>, %i : tensor<i32>; it begins at
// 2:1.
#define IN_FUNCTION(text)                                        \
  "func.func @main(%x: tensor<2xf32>, %i: tensor<i32>) {\n" text \
  "\n"                                                           \
  "return\n"                                                     \
  "}\n"

static void broken_text_is_refused(void** state) {
  (void)state;
  static const rejection_t rejections[] = {
      {"module {", 1, 9, "expected a function or the `}` of the module; the text ends here"},
      {"module {}}", 1, 10, "expected a function (func.func) or a module; found `}`"},
      {"hello", 1, 1, "expected a function (func.func) or a module; found `hello`"},
      {"\x01", 1, 1, "an unexpected character"},
      {"# Title", 1, 1, "found a `#` without a name"},
      {"# Title", 1, 1, "note: is this a StableHLO program? One begins with module or func.func"},
      {"\x7f"
       "ELF\2\1",
       1, 1, "note: this is a shared library or an executable (ELF)"},
      {"PK\3\4\24", 1, 1, "note: this is a ZIP file, such as an archive of arrays (.npz)"},
      {"\10\7\22\7pytorch", 1, 1, "note: this is an ONNX model; expected StableHLO"},
      {"\x93"
       "NUMPY\1",
       1, 1, "note: this is an array (.npy)"},
      {"module {\n\xC3\xA9}", 2, 1, "a byte that is not ASCII"},
      {"func.func @f", 1, 13, "expected `(` of the arguments; the text ends here"},
      {"func.func @f() {", 1, 17, "expected an operation or `}`; the text ends here"},
      {"func.func @f() {\n  %0 = stablehlo.co", 2, 8, "unknown operation \"stablehlo.co\""},
      {"func.func @\"f", 1, 11, "a string that is not closed"},
      {"func.func @\"f\n\"() {return}", 1, 14, "a string that is not closed on its line"},
      {"module attributes {a = \"\\x41\"} {}", 1, 25, "an unknown escape"},
      {"module attributes {a = #b<[(>} {}", 1, 29, "the brackets do not match"},
      {"{-# dialect_resources", 1, 22, "expected `#-}`"},
      {"module {} loc(\"a\"", 1, 14, "the brackets do not match"},
      {"module attributes {a = 1, a = 2} {}", 1, 27, "\"a\" is given twice"},
      {"module @a {} module @b {}", 1, 21, "more than one module with a name"},
  };
  CHECK(rejections);
  tn_module_t* module = NULL;
  TN_ASSERT_REPORT(
      "<string>:1:9: error: expected a function (func.func) or a module; found a NUL "
      "byte",
      tn_module_parse(NULL, NULL, "module {\0}", 10, &module));
  TN_ASSERT_CODE(NOT_FOUND, tn_module_parse_file(NULL, "/nonexistent/x.mlir", &module));
  assert_null(module);
}

static void names_are_checked(void** state) {
  (void)state;
  static const rejection_t rejections[] = {
      {IN_FUNCTION("%0 = stablehlo.abs %y : tensor<2xf32>"), 2, 20,
       "%y is used before it is defined, or never is"},
      {"func.func @f(%input: tensor<f32>) {\n%0 = stablehlo.abs %inptu : tensor<f32>\nreturn\n}", 2,
       20, "did you mean %input?"},
      {IN_FUNCTION("%x = stablehlo.abs %x : tensor<2xf32>"), 2, 1, "%x is already defined"},
      {IN_FUNCTION("%0 = stablehlo.abs %x#1 : tensor<2xf32>"), 2, 22,
       "%x has 1 values; #1 is none"},
      {IN_FUNCTION("%r:2 = stablehlo.optimization_barrier %x, %i : tensor<2xf32>, tensor<i32>\n"
                   "%1 = stablehlo.abs %r : tensor<2xf32>"),
       3, 20, "%r is 2 values: write %r#0"},
      {IN_FUNCTION("%0:2 = stablehlo.abs %x : tensor<2xf32>"), 2, 1, "abs makes 1 values; 2 are"},
      {IN_FUNCTION("%0:0 = stablehlo.abs %x : tensor<2xf32>"), 2, 4,
       "stands for one value or more"},
      {"func.func @f() {return} func.func @f() {return}", 1, 35, "@f is already defined"},
      {"func.func @f(%a: tensor<f32>, %a: tensor<f32>) {return}", 1, 31, "%a is already defined"},
      {IN_FUNCTION("call @nothing() : () -> ()"), 2, 1, "there is no function @nothing"},
      {"module attributes {a = #b} {}", 1, 24, "#b is not defined"},
      {"#a = [#b]\n#b = [#a]\nmodule {}", 2, 7, "#a is defined by itself"},
      {"#a = 1\n#a = 2\n", 2, 1, "#a is defined twice"},
      {"!t = tuple<!t>\n", 1, 12, "!t is defined by itself"},
      {IN_FUNCTION("%0 = stablehlo.constant dense_resource<w> : tensor<f32>"), 2, 40,
       "no resource \"w\""},
      {"func.func @f(%p: tensor<i1>) {\nstablehlo.while() cond {\n"
       "%a = stablehlo.constant dense<1> : tensor<i32>\nstablehlo.return %p : tensor<i1>\n"
       "} do {\n%b = stablehlo.abs %a : tensor<i32>\nstablehlo.return\n}\nreturn\n}",
       6, 20, "%a is used before it is defined"},
  };
  CHECK(rejections);
}

static void operations_are_checked(void** state) {
  (void)state;
  static const rejection_t rejections[] = {
      {IN_FUNCTION("%0 = stablehlo.ads %x : tensor<2xf32>"), 2, 6, "did you mean stablehlo.a"},
      {IN_FUNCTION("%0 = \"stablehlo.mutiply\"(%x, %x) : (tensor<2xf32>, tensor<2xf32>) -> "
                   "tensor<2xf32>"),
       2, 6, "did you mean stablehlo.multiply?"},
      {IN_FUNCTION("%0 = linalg.matmul %x"), 2, 6,
       "\"linalg.matmul\" is not supported; expected one of the dialects stablehlo, chlo, func, "
       "tenon, "
       "check"},
      {IN_FUNCTION("%0 = mhlo.tanh %x"), 2, 6, "note: did you mean stablehlo.tanh?"},
      {IN_FUNCTION("%0 = mhlo.erf %x"), 2, 6, "note: did you mean chlo.erf?"},
      {IN_FUNCTION("%0 = stablehlo.add %x, %x {\"\" = 1 : i32} : tensor<2xf32>"), 2, 28,
       "the attribute has no name"},
      {IN_FUNCTION("%0 = stablehlo.softmax %x"), 2, 6,
       "note: StableHLO has no softmax; it is written as reduce (maximum), subtract, exponential"},
      {IN_FUNCTION("%0 = stablehlo.gather %x"), 2, 6, "stablehlo.gather has no pretty form"},
      {IN_FUNCTION("%0 = stablehlo.abs %x : tensor<3xf32>"), 2, 25,
       "abs: operand 0 has type tensor<2xf32>; it is given as tensor<3xf32>"},
      {IN_FUNCTION("%0 = stablehlo.add %x, %x : (tensor<2xf32>) -> tensor<2xf32>"), 2, 30,
       "add: types of 1 operands are given; there are 2"},
      {IN_FUNCTION("%0 = stablehlo.add %x : tensor<2xf32>"), 2, 6, "add: "},
      {IN_FUNCTION("%0 = stablehlo.abs %x"), 3, 1, "expected `:` and the types; found `return`"},
      {IN_FUNCTION("%0 = stablehlo.compare LL, %x, %x : (tensor<2xf32>, tensor<2xf32>) -> "
                   "tensor<2xi1>"),
       2, 24, "\"LL\" is not a valid comparison_direction; expected one of EQ, NE, GE, GT, LE, LT"},
      {IN_FUNCTION("%0 = stablehlo.reshape %x : tensor<2xf32>"), 2, 29, "expected `(` of the type"},
      {IN_FUNCTION("%0 = \"stablehlo.transpose\"(%x) <{permutaton = array<i64: 0>}> : "
                   "(tensor<2xf32>) -> tensor<2xf32>"),
       2, 6, "permutation"},
      {IN_FUNCTION("%0 = stablehlo.broadcast_in_dim %x, dim = [0] : (tensor<2xf32>) -> "
                   "tensor<2xf32>"),
       2, 37, "expected `dims`; found `dim`"},
      {IN_FUNCTION("%0 = \"stablehlo.abs\"(%x)[^bb1] : (tensor<2xf32>) -> tensor<2xf32>"), 2, 25,
       "branches between blocks"},
      {IN_FUNCTION("%0 = stablehlo.reduce(%x init: %i) applies stablehlo.subtract across "
                   "dimensions = [0] : (tensor<2xf32>, tensor<i32>) -> tensor<f32>"),
       2, 44, "`applies` takes a commutative operation"},
      {IN_FUNCTION("%0 = stablehlo.reduce_precision %x, format = e5n2 : tensor<2xf32>"), 2, 46,
       "a format such as e5m10"},
      {IN_FUNCTION("%0 = stablehlo.convolution(%x, %x) dim_numbers = [b, b]x[i, o]->[b, f], window "
                   "= {} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>"),
       2, 54, "a dimension is named twice"},
      {IN_FUNCTION("%0 = stablehlo.convolution(%x, %x) dim_numbers = [b, 1, f]x[i, o]->[b, f], "
                   "window = {} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>"),
       2, 50, "spatial dimension 0 is missing"},
      {IN_FUNCTION("%0 = stablehlo.abs %x {k = #stablehlo.dot<lhs_batchin_dimensions = []>} : "
                   "tensor<2xf32>"),
       2, 43, "did you mean lhs_batching_dimensions?"},
      {IN_FUNCTION("^bb1:"), 2, 1, "more than one block"},
  };
  CHECK(rejections);
}

static void types_are_checked(void** state) {
  (void)state;
  static const rejection_t rejections[] = {
      {"func.func private @f(tensor<2xf31>)", 1, 31, "unknown element type \"f31\""},
      {"func.func private @f(tensr<2xf32>)", 1, 22, "did you mean tensor?"},
      {"func.func private @f(tensor<2xbf17>)", 1, 31, "did you mean bf16?"},
      {"func.func private @f(f32)", 1, 22, "write tensor<f32>"},
      {"func.func private @f(tensor<2 3xf32>)", 1, 31, "expected `x` after a dimension"},
      {"func.func private @f(tensor<2x>)", 1, 31, "expected an element type; found `>`"},
      {"func.func private @f(tensor<*xf32>)", 1, 29, "tensors without a rank"},
      {"func.func private @f(tensor<99999999999999999999xf32>)", 1, 29, "does not fit 64 bits"},
      {"func.func private @f(tensor<4294967296x4294967296xf32>)", 1, 22, "overflows 64 bits"},
      {"func.func private @f(tensor<-1xf32>)", 1, 29, "expected an element type"},
      {"func.func private @f(memref<2xf32>)", 1, 22, "memref is not supported"},
      {"func.func private @f(tensor<2x!quant.uniform<i8:f32, 2.0>>)", 1, 31,
       "!quant.uniform is not supported"},
      {"func.func private @f(tensor<complex<i32>>)", 1, 37, "expected f32 or f64"},
      {"func.func private @f(tensor<?xf32, #stablehlo.bounds<1, 2>>)", 1, 54,
       "2 bounds for a tensor of rank 1"},
      {"func.func private @f(tensor<2xf32, #stablehlo.bounds<3>>)", 1, 54, "it is not `?`"},
      {"func.func private @f(tuple<tensor<f32>)", 1, 39, "expected `,` or `>`"},
  };
  CHECK(rejections);
}

#define CONSTANT(value) IN_FUNCTION("%0 = stablehlo.constant " value)

static void numbers_are_checked(void** state) {
  (void)state;
  static const rejection_t rejections[] = {
      {CONSTANT("dense<256> : tensor<i8>"), 2, 31, "256 does not fit i8"},
      {CONSTANT("dense<-129> : tensor<i8>"), 2, 31, "-129 does not fit i8"},
      {CONSTANT("dense<-1> : tensor<ui8>"), 2, 31, "-1 does not fit ui8"},
      {CONSTANT("dense<2> : tensor<i1>"), 2, 31, "2 does not fit i1"},
      {CONSTANT("dense<16> : tensor<i4>"), 2, 31, "16 does not fit i4"},
      {CONSTANT("dense<99999999999999999999> : tensor<i64>"), 2, 31, "does not fit i64"},
      {CONSTANT("dense<1.0> : tensor<i32>"), 2, 31, "with a decimal point is not of type i32"},
      {CONSTANT("dense<1> : tensor<f32>"), 2, 31, "type f32 needs a decimal point"},
      {CONSTANT("dense<1e3> : tensor<f32>"), 2, 31, "type f32 needs a decimal point"},
      {CONSTANT("dense<.5> : tensor<f32>"), 2, 31, "expected an element of type f32; found `.`"},
      {CONSTANT("dense<+1.0> : tensor<f32>"), 2, 31, "expected an element of type f32"},
      {CONSTANT("dense<nan> : tensor<f32>"), 2, 31, "expected an element of type f32"},
      {CONSTANT("dense<-0x1> : tensor<f32>"), 2, 31, "have no sign"},
      {CONSTANT("dense<0x1FFFF> : tensor<bf16>"), 2, 31, "0x1FFFF does not fit bf16"},
      {CONSTANT("dense<0x10> : tensor<f4E2M1FN>"), 2, 31, "0x10 does not fit f4E2M1FN"},
      {CONSTANT("dense<1.0> : tensor<2xcomplex<f32>>"), 2, 31, "expected `(`"},
      {CONSTANT("dense<[1, 2]> : tensor<3xi32>"), 2, 31, "3 items that dimension 0"},
      {CONSTANT("dense<[1, 2, 3, 4, 5]> : tensor<3xi32>"), 2, 31, "3 items that dimension 0"},
      {CONSTANT("dense<[[1, 2], [3]]> : tensor<2x2xi32>"), 2, 40, "2 items that dimension 1"},
      {CONSTANT("dense<[[1, 2], 3]> : tensor<2x2xi32>"), 2, 40, "expected a list for dimension 1"},
      {CONSTANT("dense<[1, [2]]> : tensor<2xi32>"), 2, 35, "nest deeper"},
      {CONSTANT("dense<[1]> : tensor<i32>"), 2, 31, "for a scalar"},
      {CONSTANT("dense<[1]> : tensor<1000000000xi32>"), 2, 31, "fewer elements"},
      {CONSTANT("dense<> : tensor<2xi32>"), 2, 31, "no elements for tensor<2xi32>"},
      {CONSTANT("dense<1 2> : tensor<2xi32>"), 2, 33, "expected `>` after the elements"},
      {CONSTANT("dense<1> : tensor<?xi32>"), 2, 36, "a static tensor type"},
      {CONSTANT("dense<\"0x0102\"> : tensor<3xi8>"), 2, 31,
       "2 bytes of data; tensor<3xi8> needs 3"},
      {CONSTANT("dense<\"0x01020\"> : tensor<3xi8>"), 2, 31, "odd number"},
      {CONSTANT("dense<\"0x010g03\"> : tensor<3xi8>"), 2, 37, "hexadecimal digit"},
      {CONSTANT("dense<\"hello\"> : tensor<3xi8>"), 2, 31, "expected \"0x...\""},
      {CONSTANT("sparse<[[2]], [1]> : tensor<2xi8>"), 2, 34, "index 2 is outside of dimension 0"},
      {CONSTANT("1 : i32"), 2, 25, "expected dense<...>"},
      {"module attributes {a = 300 : i8} {}", 1, 24, "does not fit i8"},
      {"module attributes {a = 1 : f32} {}", 1, 24, "needs a decimal point"},
      {"module attributes {a = 1.0 : i32} {}", 1, 24, "with a decimal point is not of type i32"},
      {"module attributes {a = array<i1: 1>} {}", 1, 34, "expected true or false"},
      {"module attributes {a = array<i8: 1, 300>} {}", 1, 37, "does not fit i8"},
  };
  CHECK(rejections);
}

// A text that nests `depth` times.
static char* nest(const char* before, const char* open, size_t depth, const char* after) {
  size_t length = strlen(before) + depth * strlen(open) + strlen(after);
  char* text = malloc(length + 1);
  assert_non_null(text);
  size_t used = (size_t)snprintf(text, length + 1, "%s", before);
  for (size_t i = 0; i < depth; ++i) {
    memcpy(text + used, open, strlen(open));
    used += strlen(open);
  }
  snprintf(text + used, length + 1 - used, "%s", after);
  return text;
}

static void nesting_is_bounded(void** state) {
  (void)state;
  static const char* const texts[][3] = {
      {"module attributes {a = ", "[", ""},
      {"module attributes {a = ", "{b = ", ""},
      {"module attributes {a = #other<", "<", ""},
      {"func.func private @f(", "tuple<", ""},
      {"", "module {", ""},
      {"func.func @f(%i: tensor<i32>) {", "\"stablehlo.case\"(%i) ({", ""},
      {"func.func @f(%i: tensor<i32>) {", "stablehlo.while() cond {", ""},
  };
  for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i) {
    char* text = nest(texts[i][0], texts[i][1], 100000, texts[i][2]);
    tn_module_t* module = NULL;
    TN_ASSERT_CODE(INVALID_ARGUMENT, tn_module_parse(NULL, "t", text, strlen(text), &module));
    assert_null(module);
    free(text);
  }
  char* lists = nest("module attributes {a = ", "[", 100000, "");
  tn_module_t* module = NULL;
  TN_ASSERT_REPORT("nested deeper than 256 levels",
                   tn_module_parse(NULL, "t", lists, strlen(lists), &module));
  free(lists);
}

// Every prefix of a program is refused or read, and leaves nothing behind.
static void truncated_text_is_refused_everywhere(void** state) {
  (void)state;
  static const char text[] =
      "#a = dense<[1, 2]> : tensor<2xi64>\n"
      "module @m attributes {k = \"v\\41\", s = #stablehlo.conv<[b, f]x[i, o]->[b, f]>} {\n"
      "  func.func public @main(%x: tensor<2x3xf32> {k = #a}) -> (tensor<2xf32> {r}) {\n"
      "    %z = stablehlo.constant dense<\"0x00000000\"> : tensor<f32>\n"
      "    %0 = stablehlo.reduce(%x init: %z) across dimensions = [1] : (tensor<2x3xf32>, "
      "tensor<f32>) -> tensor<2xf32>\n"
      "     reducer(%a: tensor<f32>, %b: tensor<f32>) {\n"
      "      %1 = \"stablehlo.add\"(%a, %b) {c = array<i64: 1>} : (tensor<f32>, tensor<f32>) -> "
      "tensor<f32> loc(\"x\")\n"
      "      stablehlo.return %1 : tensor<f32>\n"
      "    }\n"
      "    return %0 : tensor<2xf32>\n"
      "  }\n"
      "}\n";
  size_t read = 0;
  for (size_t length = 0; length <= sizeof text - 1; ++length) {
    tn_module_t* module = NULL;
    tn_status_t status = tn_module_parse(NULL, "t.mlir", text, length, &module);
    if (!status) ++read;
    tn_status_release(status);
    tn_module_release(module);
  }
  // Nothing at all, the alias line twice (with its newline), and the whole with and without the
  // last one.
  assert_in_range(read, 4, 6);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(broken_text_is_refused),
      cmocka_unit_test(names_are_checked),
      cmocka_unit_test(operations_are_checked),
      cmocka_unit_test(types_are_checked),
      cmocka_unit_test(numbers_are_checked),
      cmocka_unit_test(nesting_is_bounded),
      cmocka_unit_test(truncated_text_is_refused_everywhere),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
