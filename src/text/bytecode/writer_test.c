// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "base/testing.h"
#include "base/testing_allocator.h"
#include "text/bytecode/reader.h"
#include "text/testing_text.h"

typedef struct file {
  char data[1 << 16];
  size_t length;
} file_t;

static tn_status_t append(void* user, const char* bytes, size_t length) {
  file_t* file = user;
  assert_true(length <= sizeof file->data - file->length);
  memcpy(file->data + file->length, bytes, length);
  file->length += length;
  return TN_OK;
}

static tn_status_t serialize(const tn_module_t* module, const char* version, file_t* out) {
  const tn_serialize_options_t options = {.struct_size = sizeof options, .version = version};
  out->length = 0;
  return tn_module_serialize(module, &options, append, out);
}

static const char* producer_of(const file_t* file) {
  return file->data + 5;  // behind the magic and the version of the container
}

// --- what is written

// What an artifact of each says is what the text says.
static const char* const texts[] = {
    // names, attributes of everything, declarations
    "module @m attributes {a.b = true, a.n = -1 : i8, a.f = 1.5 : f64, a.l = [1 : i64, \"x\", "
    "@f],\n"
    "    a.d = {x = f32, y = tensor<2xf32>}, a.e = dense<[1, 2]> : tensor<2xi32>, a.s = @g::@h,\n"
    "    a.t = array<i1: true, false>, a.u, a.w = f8E4M3FN, a.c = dense<(1.0, 2.0)> : "
    "tensor<1xcomplex<f32>>} {\n"
    "  func.func private @declared(tensor<2xf32>) -> tensor<2xf32> attributes {q.z = 1 : i64}\n"
    "  func.func public @main(%0: tensor<2xf32> {x.y = 1 : i64}, %1: tensor<2xf32>)\n"
    "      -> (tensor<2xf32> {r.r = \"\"}) {\n"
    "    %2 = stablehlo.add %0, %1 {a, b = @f, c = array<i64: 1>, d = -1 : i4, e = [{f = 2.0 : "
    "f32}],\n"
    "        g = #stablehlo<comparison_direction LT>, h = !stablehlo.token, i = dense<true> : "
    "tensor<3xi1>}\n"
    "        : tensor<2xf32>\n"
    "    %3 = func.call @declared(%2) : (tensor<2xf32>) -> tensor<2xf32>\n"
    "    return %3 : tensor<2xf32>\n"
    "  }\n"
    "}\n",
    // constants: packed booleans, narrow integers, nothing, splats
    "func.func @main() {\n"
    "  %0 = stablehlo.constant dense<[true, false, true, true, false, false, true, true, true]> : "
    "tensor<9xi1>\n"
    "  %1 = stablehlo.constant dense<true> : tensor<9xi1>\n"
    "  %2 = stablehlo.constant dense<[-1, 3, -8]> : tensor<3xi4>\n"
    "  %3 = stablehlo.constant dense<> : tensor<0x2xf32>\n"
    "  %4 = stablehlo.constant dense<1.0> : tensor<2x3xbf16>\n"
    "  %5 = stablehlo.constant dense<[0.5, -1.5]> : tensor<2xf4E2M1FN>\n"
    "  %6 = stablehlo.constant dense<[true]> : tensor<1xi1>\n"
    "  %7 = stablehlo.constant dense<(0.0, -1.0)> : tensor<complex<f64>>\n"
    "  %8 = stablehlo.constant dense<[-9223372036854775808, 9223372036854775807]> : tensor<2xi64>\n"
    "  return\n"
    "}\n",
    // regions in regions, and values of outer ones
    "func.func @main(%0: tensor<i32>, %1: tensor<4xf32>) -> tensor<4xf32> {\n"
    "  %2:2 = stablehlo.while(%3 = %0, %4 = %1) : tensor<i32>, tensor<4xf32>\n"
    "  cond {\n"
    "    %5 = stablehlo.compare LT, %3, %0, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
    "    stablehlo.return %5 : tensor<i1>\n"
    "  } do {\n"
    "    %5 = \"stablehlo.case\"(%3) ({\n"
    "      %6 = stablehlo.add %4, %1 : tensor<4xf32>\n"
    "      stablehlo.return %6 : tensor<4xf32>\n"
    "    }, {\n"
    "      stablehlo.return %1 : tensor<4xf32>\n"
    "    }) : (tensor<i32>) -> tensor<4xf32>\n"
    "    stablehlo.return %3, %5 : tensor<i32>, tensor<4xf32>\n"
    "  }\n"
    "  return %2#1 : tensor<4xf32>\n"
    "}\n",
    // structures, windows, lists
    "func.func @main(%0: tensor<1x8x8x1xf32>, %1: tensor<3x3x1x1xf32>, %2: tensor<2x2xf32>, %3: "
    "tensor<f32>) {\n"
    "  %4 = stablehlo.convolution(%0, %1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],\n"
    "      window = {stride = [2, 1], pad = [[0, 1], [1, 0]], reverse = [true, false]}\n"
    "      {batch_group_count = 1 : i64, feature_group_count = 1 : i64}\n"
    "      : (tensor<1x8x8x1xf32>, tensor<3x3x1x1xf32>) -> tensor<1x4x7x1xf32>\n"
    "  %5 = stablehlo.dot_general %2, %2, contracting_dims = [1] x [0],\n"
    "      algorithm = <lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = "
    "f32,\n"
    "      lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 3,\n"
    "      allow_imprecise_accumulation = true> : (tensor<2x2xf32>, tensor<2x2xf32>) -> "
    "tensor<2x2xf32>\n"
    "  %14 = stablehlo.dot_general %2, %2, contracting_dims = [1] x [0],\n"
    "      precision = [HIGH, DEFAULT] : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>\n"
    "  %6 = stablehlo.exponential %2 {result_accuracy = #stablehlo.result_accuracy<atol = 1.0e-5, "
    "ulps = 2,\n"
    "      mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<2x2xf32>\n"
    "  %7 = \"stablehlo.reduce_window\"(%2, %3) <{window_dimensions = array<i64: 1, 2>}> ({\n"
    "  ^bb0(%8: tensor<f32>, %9: tensor<f32>):\n"
    "    %10 = stablehlo.maximum %8, %9 : tensor<f32>\n"
    "    stablehlo.return %10 : tensor<f32>\n"
    "  }) : (tensor<2x2xf32>, tensor<f32>) -> tensor<2x1xf32>\n"
    "  return\n"
    "}\n",
    // custom calls, composites, tokens, tuples, channels, collectives
    "func.func @main(%0: tensor<2xf32>, %1: !stablehlo.token, %2: tuple<tensor<2xf32>, tuple<>>) "
    "{\n"
    "  %3 = stablehlo.custom_call @plain(%0) : (tensor<2xf32>) -> tensor<2xf32>\n"
    "  %4 = stablehlo.custom_call @\"typed call\"(%0) {api_version = 4 : i32, backend_config = {a "
    "= 1 : i64},\n"
    "      has_side_effect = true, operand_layouts = [dense<0> : tensor<1xindex>],\n"
    "      output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [],\n"
    "      operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<0> : "
    "tensor<1xindex>]}\n"
    "      : (tensor<2xf32>) -> tensor<2xf32>\n"
    "  %5 = stablehlo.custom_call @typed(%0) {api_version = 4 : i32} : (tensor<2xf32>) -> "
    "tensor<2xf32>\n"
    "  %6 = stablehlo.composite \"a.b\" %0 {composite_attributes = {k = 1 : i64}, decomposition = "
    "@same,\n"
    "      version = 2 : i32} : (tensor<2xf32>) -> tensor<2xf32>\n"
    "  %7 = \"stablehlo.send\"(%0, %1) <{channel_handle = #stablehlo.channel_handle<handle = 1, "
    "type = 2>,\n"
    "      is_host_transfer = true}> : (tensor<2xf32>, !stablehlo.token) -> !stablehlo.token\n"
    "  %8 = \"stablehlo.all_gather\"(%0) <{all_gather_dim = 0 : i64, replica_groups = dense<0> :\n"
    "      tensor<1x1xi64>, use_global_device_ids, channel_handle = "
    "#stablehlo.channel_handle<handle = 3,\n"
    "      type = 0>}> : (tensor<2xf32>) -> tensor<2xf32>\n"
    "  return\n"
    "}\n"
    "func.func private @same(%0: tensor<2xf32>) -> tensor<2xf32> {\n"
    "  return %0 : tensor<2xf32>\n"
    "}\n",
    // dynamic dimensions with bounds
    "func.func @main(%0: tensor<?x2xf32, #stablehlo.bounds<3, ?>>, %1: tensor<?xi32>) {\n"
    "  %2 = stablehlo.get_dimension_size %0, dim = 0 : (tensor<?x2xf32, #stablehlo.bounds<3, ?>>) "
    "-> tensor<i32>\n"
    "  return\n"
    "}\n",
    "module {\n}\n",
};

static void what_is_written_reads_as_the_same(void** state) {
  (void)state;
  static const char* const versions[] = {NULL, "1.15.0", "1.20.0"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i) {
    tn_module_t* module = tn__testing_read(texts[i]);
    for (size_t v = 0; v < sizeof versions / sizeof *versions; ++v) {
      static file_t file, again;
      tn_module_t* read = NULL;
      TN_ASSERT_OK(serialize(module, versions[v], &file));
      TN_ASSERT_OK(tn_module_parse(NULL, "test.mlirbc", file.data, file.length, &read));
      tn__testing_assert_same_module(read, module);
      TN_ASSERT_OK(serialize(read, versions[v], &again));
      assert_int_equal(file.length, again.length);
      assert_memory_equal(file.data, again.data, file.length);
      tn_module_release(read);
    }
    tn_module_release(module);
  }
}

static void defaults_that_are_spelt_out_are_left_out(void** state) {
  (void)state;
  static file_t file;
  tn_module_t* read = NULL;
  tn_module_t* module = tn__testing_read(
      "func.func @main(%0: tensor<2x2xf32>) -> tensor<2x2xf32> {\n"
      "  %1 = stablehlo.dot_general %0, %0, contracting_dims = [1] x [0], precision = [DEFAULT, "
      "DEFAULT]\n"
      "      : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>\n"
      "  %2 = stablehlo.tanh %1 {result_accuracy = #stablehlo.result_accuracy<mode =\n"
      "      #stablehlo.result_accuracy_mode<DEFAULT>>} : tensor<2x2xf32>\n"
      "  %3 = stablehlo.sine %1 {result_accuracy = #stablehlo.result_accuracy<>} : "
      "tensor<2x2xf32>\n"
      "  return %2 : tensor<2x2xf32>\n"
      "}\n");
  TN_ASSERT_OK(serialize(module, "1.0.0", &file));
  TN_ASSERT_OK(tn_module_parse(NULL, "test.mlirbc", file.data, file.length, &read));
  for (const tn_node_t* node = read->first_function->body->first; node; node = node->next) {
    assert_null(tn__attr_find(&node->attrs, "precision_config"));
    assert_null(tn__attr_find(&node->attrs, "result_accuracy"));
  }
  tn_module_release(read);
  tn_module_release(module);
}

static void what_is_of_other_dialects_is_left_out(void** state) {
  (void)state;
  static file_t file;
  tn_module_t* read = NULL;
  tn_module_t* module = tn__testing_read(
      "module attributes {a = [1 : i64, #other.thing], b = {c = #other.thing, d}} {\n"
      "  sdy.mesh @mesh = <[\"x\"=1]>\n"
      "  func.func @main(%0: tensor<2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) {\n"
      "    return\n"
      "  }\n"
      "}\n");
  tn_module_t* wanted = tn__testing_read(
      "module attributes {b = {d}} {\n  func.func @main(%0: tensor<2xf32>) {\n    return\n  "
      "}\n}\n");
  TN_ASSERT_OK(serialize(module, NULL, &file));
  TN_ASSERT_OK(tn_module_parse(NULL, "test.mlirbc", file.data, file.length, &read));
  tn__testing_assert_same_module(read, wanted);
  tn_module_release(read);
  tn_module_release(wanted);
  tn_module_release(module);
}

// --- versions

#define F2 "tensor<2xf32>"

static void an_artifact_is_of_the_usual_version_or_of_one_that_holds_the_module(void** state) {
  (void)state;
  static const struct {
    const char *operation, *producer;
  } cases[] = {
      {"%1 = stablehlo.exponential %0 : " F2, "StableHLO_v1.10.0"},
      {"%1 = stablehlo.tan %0 {result_accuracy = #stablehlo.result_accuracy<mode = "
       "#stablehlo.result_accuracy_mode<HIGHEST>>} : " F2,
       "StableHLO_v1.10.0"},
      {"%1 = \"stablehlo.send\"(%0, %2) <{channel_handle = #stablehlo.channel_handle<handle = 1, "
       "type = 1>, source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>}> : (" F2
       ", !stablehlo.token) -> !stablehlo.token",
       "StableHLO_v1.12.0"},
      {"%1 = stablehlo.custom_call @f(%0) {result_tilings = [[dense<1> : tensor<1xindex>]]} : (" F2
       ") -> " F2,
       "StableHLO_v1.18.0"},
      {"%1:2 = \"stablehlo.collective_broadcast\"(%0, %0) <{replica_groups = dense<0> : "
       "tensor<1x1xi64>}> : (" F2 ", " F2 ") -> (" F2 ", " F2 ")",
       "StableHLO_v1.20.0"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    static file_t file;
    char text[1024];
    snprintf(text, sizeof text,
             "func.func @main(%%0: " F2 ", %%2: !stablehlo.token) {\n  %s\n  return\n}\n",
             cases[i].operation);
    tn_module_t* module = tn__testing_read(text);
    TN_ASSERT_OK(serialize(module, NULL, &file));
    assert_string_equal(producer_of(&file), cases[i].producer);
    tn_module_release(module);
  }
}

static void refuse(const char* text, const char* version, const char* message) {
  static file_t file;
  tn_module_t* module = tn__testing_read(text);
  TN_ASSERT_REPORT(message, serialize(module, version, &file));
  assert_int_equal(file.length, 0);
  tn_module_release(module);
}

static void what_a_version_cannot_hold_is_an_error(void** state) {
  (void)state;
  refuse(
      "func.func @main(%0: " F2 ") {\n  %1 = stablehlo.tan %0 : " F2 "\n  return\n}\n", "1.0.0",
      "test.mlir:2:8: error: stablehlo.tan: the operation is in StableHLO from version 1.4.0 on; "
      "the artifact is to be of version 1.0.0");
  refuse("func.func @main(%0: " F2
         ") {\n  %1 = stablehlo.tanh %0 {result_accuracy = "
         "#stablehlo.result_accuracy<ulps = 1, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} "
         ": " F2 "\n  return\n}\n",
         "1.9.0", "stablehlo.tanh: this use of it is in StableHLO from version 1.10.0 on");
  refuse("func.func @main(%0: tensor<f8E3M4>) {\n  return\n}\n", "1.6.0",
         "@main: f8E3M4 is in StableHLO from version 1.7.0 on");
}

static void what_no_artifact_holds_is_an_error(void** state) {
  (void)state;
  refuse("func.func @main(%0: " F2 ") {\n  %1 = chlo.erf %0 : " F2 " -> " F2 "\n  return\n}\n",
         NULL, "chlo.erf: not an operation of StableHLO itself; no artifact can hold it");
  refuse("func.func @main(%0: " F2
         ") {\n  %1 = stablehlo.negate %0 {a = #stablehlo.gather<"
         "offset_dims = [1]>} : " F2 "\n  return\n}\n",
         NULL, "stablehlo.negate: artifacts of StableHLO have no attribute #stablehlo.gather");
}

static void versions_that_are_none_are_refused(void** state) {
  (void)state;
  static const char* const versions[] = {"0.20.0", "1.21.0", "2.0.0", "9999999999.0.0"};
  for (size_t i = 0; i < sizeof versions / sizeof *versions; ++i) {
    refuse("module {\n}\n", versions[i], "expected 1.0.0 to 1.20.0");
  }
  static const char* const others[] = {"", "1", "1.0", "1.0.0-rc", "v1.0.0", "1.-1.0"};
  for (size_t i = 0; i < sizeof others / sizeof *others; ++i) {
    refuse("module {\n}\n", others[i], "is not a version of StableHLO");
  }
}

static void options_of_an_impossible_size_are_refused(void** state) {
  (void)state;
  static file_t file;
  const tn_serialize_options_t options = {.struct_size = 4};
  tn_module_t* module = tn__testing_read("module {\n}\n");
  TN_ASSERT_CODE(INVALID_ARGUMENT, tn_module_serialize(module, &options, append, &file));
  tn_module_release(module);
}

// --- errors

static tn_status_t full(void* user, const char* bytes, size_t length) {
  (void)user;
  (void)bytes;
  (void)length;
  return tn_status_create(TN_CODE_DATA_LOSS, "the disk is full");
}

static void an_error_of_the_callback_is_returned(void** state) {
  (void)state;
  tn_module_t* module = tn__testing_read(texts[0]);
  TN_ASSERT_REPORT("the disk is full", tn_module_serialize(module, NULL, full, NULL));
  tn_module_release(module);
}

static tn_status_t discard(void* user, const char* bytes, size_t length) {
  (void)user;
  (void)bytes;
  (void)length;
  return TN_OK;
}

static tn_status_t attempt(const tn_allocator_t* allocator, void* context) {
  const char* text = context;
  tn_module_t* module = NULL;
  TN_RETURN_IF_ERROR(tn_module_parse(allocator, "test.mlir", text, strlen(text), &module));
  tn_status_t status = tn_module_serialize(module, NULL, discard, NULL);
  tn_module_release(module);
  return status;
}

static void an_allocation_that_fails_leaves_nothing_behind(void** state) {
  (void)state;
  for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i) {
    tn__testing_sweep_allocations(attempt, (void*)texts[i]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_written_reads_as_the_same),
      cmocka_unit_test(defaults_that_are_spelt_out_are_left_out),
      cmocka_unit_test(what_is_of_other_dialects_is_left_out),
      cmocka_unit_test(an_artifact_is_of_the_usual_version_or_of_one_that_holds_the_module),
      cmocka_unit_test(what_a_version_cannot_hold_is_an_error),
      cmocka_unit_test(what_no_artifact_holds_is_an_error),
      cmocka_unit_test(versions_that_are_none_are_refused),
      cmocka_unit_test(options_of_an_impossible_size_are_refused),
      cmocka_unit_test(an_error_of_the_callback_is_returned),
      cmocka_unit_test(an_allocation_that_fails_leaves_nothing_behind),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
