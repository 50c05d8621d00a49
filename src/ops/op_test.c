// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "ops/op.h"

#include "base/testing.h"

static void every_row_is_found_by_its_name(void** state) {
  (void)state;
  for (size_t i = 0; i < tn__op_count(); ++i) {
    assert_ptr_equal(tn__op_find(tn__sv(tn__op_at(i)->name)), tn__op_at(i));
  }
  assert_null(tn__op_find(tn__sv("stablehlo.frobnicate")));
  assert_null(tn__op_find(tn__sv("")));
  assert_null(tn__op_at(tn__op_count()));
}

static void every_row_is_complete(void** state) {
  (void)state;
  for (size_t i = 0; i < tn__op_count(); ++i) {
    const tn_op_t* op = tn__op_at(i);
    if (!op->doc || !strlen(op->doc)) fail_msg("%s has no documentation", op->name);
    if (!op->infer && !op->verify) fail_msg("%s has no rule over its types", op->name);
    if (op->operands < TN_VARIADIC || op->results < TN_VARIADIC || op->regions < TN_VARIADIC) {
      fail_msg("%s has an impossible count", op->name);
    }
    for (const tn_attr_spec_t* spec = op->attrs; spec && spec->name; ++spec) {
      bool is_enum = spec->type == TN_ATTR_TYPE_ENUM || spec->type == TN_ATTR_TYPE_ENUM_LIST;
      bool is_struct = spec->type == TN_ATTR_TYPE_STRUCT || spec->type == TN_ATTR_TYPE_STRUCT_LIST;
      if ((is_enum || is_struct) != (spec->of != NULL)) fail_msg("%s %s", op->name, spec->name);
      if (is_struct) assert_non_null(tn__struct_fields(tn__sv(spec->of)));
    }
  }
}

static void a_misspelt_name_finds_its_neighbour(void** state) {
  (void)state;
  const struct {
    const char *name, *wanted;
  } cases[] = {
      {"stablehlo.brodcast_in_dim", "stablehlo.broadcast_in_dim"},
      {"stablehlo.concatneate", "stablehlo.concatenate"},
      {"dynamic_slise", "stablehlo.dynamic_slice"},
      {"cross_replica-sum", "stablehlo.cross-replica-sum"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    const tn_op_t* op = tn__op_suggest(tn__sv(cases[i].name));
    assert_non_null(op);
    assert_string_equal(op->name, cases[i].wanted);
  }
  assert_null(tn__op_suggest(tn__sv("stablehlo.frobnicate")));
  assert_null(tn__op_suggest(tn__sv("")));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_row_is_found_by_its_name),
      cmocka_unit_test(every_row_is_complete),
      cmocka_unit_test(a_misspelt_name_finds_its_neighbour),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
