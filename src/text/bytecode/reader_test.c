// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "text/bytecode/reader.h"

#include "base/testing.h"
#include "base/testing_allocator.h"
#include "text/bytecode/operations.h"
#include "text/bytecode/testing_bytecode.h"
#include "text/testing_text.h"

static tn_status_t read_bytes(const tn_testing_bytes_t* bytes, size_t length,
                              tn_module_t** out_module) {
  // Of their own allocation, so that sanitizers see what is behind the end.
  uint8_t* copy = malloc(length ? length : 1);
  assert_non_null(copy);
  if (length) memcpy(copy, bytes->data, length);
  tn_status_t status = tn_module_parse(NULL, "test.mlirbc", (const char*)copy, length, out_module);
  free(copy);
  return status;
}

static void refuse(const tn_testing_artifact_t* artifact, const char* message) {
  tn_testing_bytes_t bytes;
  tn_module_t* module = NULL;
  char report[1024];
  tn__testing_artifact(artifact, &bytes);
  tn_status_t status = read_bytes(&bytes, bytes.length, &module);
  assert_non_null(status);
  assert_null(module);
  tn_status_format(status, report, sizeof report);
  if (!strstr(report, message)) fail_msg("\"%s\" is not in \"%s\"", message, report);
  if (!strstr(report, "test.mlirbc")) fail_msg("no name of a file in \"%s\"", report);
  tn_status_release(status);
}

// --- what is read

static void artifacts_of_every_version_are_read(void** state) {
  (void)state;
  tn_module_t* wanted = tn__testing_read(
      "func.func public @main(%arg0: tensor<2xf32>) -> tensor<2xf32> {\n"
      "  %0 = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>\n"
      "  %1 = stablehlo.add %arg0, %0 : tensor<2xf32>\n"
      "  return %1 : tensor<2xf32>\n"
      "}\n");
  for (int number = 0; number <= TN_BYTECODE_NEWEST; ++number) {
    const uint8_t version = (uint8_t)number;
    tn_testing_bytes_t bytes;
    tn_module_t* module = NULL;
    tn__testing_artifact(&(tn_testing_artifact_t){.version = version, .depth = version}, &bytes);
    TN_ASSERT_OK(read_bytes(&bytes, bytes.length, &module));
    tn__testing_assert_same_module(module, wanted);
    tn_module_release(module);
  }
  tn_module_release(wanted);
}

static void constants_are_aligned_for_kernels(void** state) {
  (void)state;
  tn_testing_bytes_t bytes;
  tn_module_t* module = NULL;
  tn__testing_artifact(&(tn_testing_artifact_t){.version = 6}, &bytes);
  TN_ASSERT_OK(read_bytes(&bytes, bytes.length, &module));
  const tn_node_t* constant = module->first_function->body->first;
  const tn_attr_t* value = tn__attr_find(&constant->attrs, "value");
  assert_int_equal((uintptr_t)value->elements.data % 64, 0);
  tn_module_release(module);
}

// Numbers below 64 take a byte: twice the number, and 1.
#define N(number) (uint8_t)((number) << 1 | 1)

static void attributes_of_other_dialects_are_dropped(void** state) {
  (void)state;
  tn_testing_bytes_t bytes;
  tn_module_t* module = NULL;
  // A mesh axis among the lists, whose inside is nonsense.
  static const uint8_t mesh[] = {N(24), 0xFF, 0xFF};
  tn_testing_artifact_t artifact = {.version = 6,
                                    .attr = TN_TESTING_ATTR_VISIBILITY,
                                    .attr_bytes = mesh,
                                    .attr_length = sizeof mesh};
  tn__testing_artifact(&artifact, &bytes);
  TN_ASSERT_OK(read_bytes(&bytes, bytes.length, &module));
  assert_int_equal(module->first_function->visibility.length, 0);
  tn_module_release(module);
}

// --- rejections

static void versions_from_the_future_are_refused(void** state) {
  (void)state;
  refuse(&(tn_testing_artifact_t){.version = 7}, "MLIR bytecode of version 7");
  refuse(&(tn_testing_artifact_t){.version = 6, .producer = "StableHLO_v1.21.0"},
         "an artifact of StableHLO 1.21.0; versions 0.9.0 to 1.20.0 are known");
  refuse(&(tn_testing_artifact_t){.version = 6, .producer = "StableHLO_v0.8.9"}, "0.8.9");
  refuse(&(tn_testing_artifact_t){.version = 6, .producer = "StableHLO_vnext"}, "names no version");
  refuse(&(tn_testing_artifact_t){.version = 6, .operation = "add_v9"},
         "vhlo.add_v9: this operation is not supported");
}

static void circles_are_refused(void** state) {
  (void)state;
  static const uint8_t list[] = {N(1), N(1), N(TN_TESTING_ATTR_LIST)};
  static const uint8_t tuple[] = {N(23), N(1), N(1)};
  refuse(&(tn_testing_artifact_t){.version = 6,
                                  .attr = TN_TESTING_ATTR_LIST,
                                  .attr_bytes = list,
                                  .attr_length = sizeof list},
         "attribute 3 contains itself");
  refuse(&(tn_testing_artifact_t){.version = 6, .type_bytes = tuple, .type_length = sizeof tuple},
         "type 1 contains itself");
}

static void lies_are_refused_before_anything_is_allocated(void** state) {
  (void)state;
  static const struct {
    uint8_t bytes[24];
    size_t length;
    const char* message;
  } lists[] = {
      {{N(1), 0, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F}, 10, "the bytes end"},
      {{N(1), N(1), N(99)}, 3, "attribute 99 of"},
      {{N(14), N(99)}, 2, "string 99 of"},
      {{N(17), N(99)}, 2, "type 99 of"},
      {{N(15), N(1), N(3), 0, 0, 0}, 6, "3 bytes of data; tensor<2xf32> needs 8, or 4"},
      {{N(15), N(1), N(63)}, 3, "the bytes end"},
      {{N(3), N(9)}, 2, "there is no comparison_direction 9"},
      {{N(2), N(1), N(1)}, 3, "more bytes than the attribute has"},
      {{N(63)}, 1, "attribute 63 of vhlo is not known"},
  };
  for (size_t i = 0; i < sizeof lists / sizeof *lists; ++i) {
    refuse(&(tn_testing_artifact_t){.version = 6,
                                    .attr = TN_TESTING_ATTR_LIST,
                                    .attr_bytes = lists[i].bytes,
                                    .attr_length = lists[i].length},
           lists[i].message);
  }
}

static void types_are_checked(void** state) {
  (void)state;
  static const struct {
    uint8_t bytes[24];
    size_t length;
    const char* message;
  } types[] = {
      {{N(20), N(1), N(3), N(0)}, 4, "test.mlirbc: byte"},  // a dimension of -2
      // 2^62 elements of 4 bytes
      {{N(20), N(1), 0, 0, 0, 0, 0, 0, 0, 0, 0x80, N(0)}, 12, "test.mlirbc: byte"},
      {{N(20), N(1), N(4), N(1)}, 4, "type 1 contains itself"},
      {{N(25), N(0)}, 2, "tensors without a rank are not supported"},
      {{N(41), N(0), N(0)}, 3, "types of buffers are not supported"},
      {{N(63)}, 1, "type 63 of vhlo is not known"},
      {{N(4)}, 1, "type 1 is not that of a value"},
      {{0}, 0, NULL},
  };
  for (size_t i = 0; types[i].message; ++i) {
    refuse(
        &(tn_testing_artifact_t){
            .version = 6, .type_bytes = types[i].bytes, .type_length = types[i].length},
        types[i].message);
  }
}

static void deep_nesting_is_refused(void** state) {
  (void)state;
  refuse(&(tn_testing_artifact_t){.version = 6, .depth = TN_LIMIT_NESTING},
         "nested deeper than 256 levels");
}

static void artifacts_cut_short_are_refused_at_every_byte(void** state) {
  (void)state;
  static const uint8_t versions[] = {0, 3, 6};
  for (size_t v = 0; v < sizeof versions; ++v) {
    tn_testing_bytes_t bytes;
    tn__testing_artifact(&(tn_testing_artifact_t){.version = versions[v]}, &bytes);
    for (size_t length = 0; length < bytes.length; ++length) {
      tn_module_t* module = NULL;
      tn_status_t status = read_bytes(&bytes, length, &module);
      // The empty text is an empty module.
      if (length) assert_non_null(status);
      tn_status_release(status);
      tn_module_release(module);
    }
  }
}

static void flipped_bits_give_an_error_or_a_module(void** state) {
  (void)state;
  tn_testing_bytes_t bytes;
  size_t refused = 0;
  tn__testing_artifact(&(tn_testing_artifact_t){.version = 6}, &bytes);
  for (size_t bit = 0; bit < 8 * bytes.length; ++bit) {
    tn_module_t* module = NULL;
    bytes.data[bit / 8] ^= (uint8_t)(1u << bit % 8);
    tn_status_t status = read_bytes(&bytes, bytes.length, &module);
    assert_true(!status == !!module);
    refused += status != TN_OK;
    tn_status_release(status);
    tn_module_release(module);
    bytes.data[bit / 8] ^= (uint8_t)(1u << bit % 8);
  }
  assert_true(refused > bytes.length);
}

static tn_status_t attempt(const tn_allocator_t* allocator, void* context) {
  const tn_testing_bytes_t* bytes = context;
  tn_module_t* module = NULL;
  tn_status_t status =
      tn_module_parse(allocator, "test.mlirbc", (const char*)bytes->data, bytes->length, &module);
  tn_module_release(module);
  return status;
}

static void an_allocation_that_fails_leaves_nothing_behind(void** state) {
  (void)state;
  tn_testing_bytes_t bytes;
  tn__testing_artifact(&(tn_testing_artifact_t){.version = 4}, &bytes);
  tn__testing_sweep_allocations(attempt, &bytes);
}

// --- the table

static void every_property_has_a_place(void** state) {
  (void)state;
  for (size_t i = 0; i < tn__vhlo_op_count(); ++i) {
    const tn_vhlo_op_t* op = tn__vhlo_op_at(i);
    for (size_t k = 0; op->properties[k]; ++k) {
      const tn_attr_spec_t *attr = NULL, *field = NULL;
      // Later an operand says the same.
      bool is_gone = !strcmp(op->name, "dynamic_conv_v1") && !strcmp(op->properties[k], "padding");
      bool found = tn__vhlo_property_place(op->op, op->properties[k], &attr, &field);
      if (found == is_gone) fail_msg("%s: %s", op->name, op->properties[k]);
      if (k) assert_true(strcmp(op->properties[k - 1], op->properties[k]) < 0);
    }
    assert_ptr_equal(tn__vhlo_op_find(tn__sv(op->name)), op);
  }
}

static void versions_of_an_operation_follow_one_another(void** state) {
  (void)state;
  for (size_t i = 0; i < tn__vhlo_op_count(); ++i) {
    const tn_vhlo_op_t* op = tn__vhlo_op_at(i);
    const bool is_first = i == 0 || tn__vhlo_op_at(i - 1)->op != op->op;
    assert_true(op->since >= TN_ARTIFACT_OLDEST && op->since <= TN_ARTIFACT_NEWEST);
    if (!is_first) assert_true(tn__vhlo_op_at(i - 1)->since < op->since);
    for (size_t k = 0; is_first && k < i; ++k) assert_true(tn__vhlo_op_at(k)->op != op->op);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(artifacts_of_every_version_are_read),
      cmocka_unit_test(constants_are_aligned_for_kernels),
      cmocka_unit_test(attributes_of_other_dialects_are_dropped),
      cmocka_unit_test(versions_from_the_future_are_refused),
      cmocka_unit_test(circles_are_refused),
      cmocka_unit_test(lies_are_refused_before_anything_is_allocated),
      cmocka_unit_test(types_are_checked),
      cmocka_unit_test(deep_nesting_is_refused),
      cmocka_unit_test(artifacts_cut_short_are_refused_at_every_byte),
      cmocka_unit_test(flipped_bits_give_an_error_or_a_module),
      cmocka_unit_test(an_allocation_that_fails_leaves_nothing_behind),
      cmocka_unit_test(every_property_has_a_place),
      cmocka_unit_test(versions_of_an_operation_follow_one_another),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
