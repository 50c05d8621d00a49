#include "text/reader.h"

#include "base/testing.h"

static tn_status_t parse(const char* text, tn_module_t** out_module) {
  return tn_module_parse(NULL, "test.mlir", text, strlen(text), out_module);
}

// The module must be read; the caller releases it.
static tn_module_t* read(const char* text) {
  tn_module_t* module = NULL;
  TN_ASSERT_OK(parse(text, &module));
  assert_non_null(module);
  return module;
}

static void reads_a_program_as_jax_writes_it(void** state) {
  (void)state;
  tn_module_t* module = read(
      "#loc1 = loc(\"x\")\n"
      "module @jit_f attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {\n"
      "  func.func public @main(%arg0: tensor<2x3xf32> loc(\"x\")) -> (tensor<2xf32> "
      "{jax.result_info = \"result\"}) {\n"
      "    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32> loc(#loc)\n"
      "    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [1] : "
      "(tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>\n"
      "    return %0 : tensor<2xf32>\n"
      "  }\n"
      "}\n"
      "#loc = loc(unknown)\n");
  const tn_function_t* main = tn__module_entry(module);
  assert_string_equal(main->name.data, "main");
  assert_string_equal(tn_module_parameter_name(module, 0, 0), "arg0");
  const tn_node_t* reduce = main->body->first->next;
  assert_string_equal(reduce->op->name, "stablehlo.reduce");
  assert_int_equal(reduce->location.line, 5);
  assert_int_equal(reduce->location.column, 10);
  assert_string_equal(reduce->regions[0]->first->op->name, "stablehlo.add");
  tn_module_release(module);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(reads_a_program_as_jax_writes_it),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
