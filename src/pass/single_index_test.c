// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Gathers that become look-ups, scatters by one index, and what reshapes no longer keep apart.
#include "kernel/target.h"
#include "pass/passes.h"
#include "pass/testing_pass.h"

#define MAIN(arguments, results, body) \
  "func.func @main(" arguments ") -> (" results ") {\n" body "\n}\n"
#define RETURN(values, types) "return " values " : " types

static void rewrite(const char* text) {
  tn_function_t* entry = clone_of(text);
  rewritten->target = &tn__compile_target_host;
  TN_ASSERT_OK(tn__pass_index_singly(rewritten, entry));
  TN_ASSERT_OK(tn__pass_drop_unit_dimensions(rewritten, entry));
  TN_ASSERT_OK(tn__pass_eliminate_dead_code(rewritten, entry));
  TN_ASSERT_OK(tn__module_verify(rewritten));
}

static size_t count(const char* op) {
  return count_in(tn__module_entry(rewritten)->body, op);
}

static const tn_node_t* only(const char* op) {
  const tn_node_t* found = tn__module_entry(rewritten)->body->last;
  assert_int_equal(count(op), 1);
  TN_FOR_EACH_NODE (node, tn__module_entry(rewritten)->body) {
    if (strcmp(tn__op_short_name(node->op), op) == 0) found = node;
  }
  return found;
}

#define GATHER(table, indices, numbers, sizes, from, places, to)                              \
  "%g = \"stablehlo.gather\"(" table ", " indices                                             \
  ") <{dimension_numbers = #stablehlo.gather<" numbers                                        \
  ">, indices_are_sorted = false, slice_sizes = array<i64: " sizes ">}> : (" from ", " places \
  ") -> " to "\n"

static void an_index_without_its_dimension_looks_up(void** state) {
  (void)state;
  rewrite(MAIN("%x: tensor<65xf32>, %i: tensor<8192xui32>", "tensor<8192xf32>",
               "%j = stablehlo.reshape %i : (tensor<8192xui32>) -> tensor<8192x1xui32>\n" GATHER(
                   "%x", "%j", "offset_dims = [1], start_index_map = [0], index_vector_dim = 1",
                   "1", "tensor<65xf32>", "tensor<8192x1xui32>",
                   "tensor<8192x1xf32>") "%r = stablehlo.reshape %g : (tensor<8192x1xf32>) -> "
                                         "tensor<8192xf32>\n"
                                         "%s = stablehlo.negate %r : tensor<8192xf32>\n" RETURN(
                                             "%s", "tensor<8192xf32>")));
  const tn_node_t* gather = only("gather");
  const tn_region_t* body = tn__module_entry(rewritten)->body;
  assert_true(tn__node_looks_up(gather));
  assert_true(tn__node_reads_all(gather, 0));
  assert_false(tn__node_reads_all(gather, 1));
  assert_ptr_equal(gather->operands[0], &body->arguments[0]);
  assert_ptr_equal(gather->operands[1], &body->arguments[1]);
  assert_int_equal(count("reshape"), 0);
}

// Rows and columns, each kept inside of the table before they are added.
static void several_indices_become_one(void** state) {
  (void)state;
  rewrite(MAIN(
      "%x: tensor<30x50xf32>, %i: tensor<64x80x1xi32>, %j: tensor<64x80x1xi32>",
      "tensor<64x80xf32>",
      "%v = stablehlo.concatenate %i, %j, dim = 2 : (tensor<64x80x1xi32>, tensor<64x80x1xi32>) -> "
      "tensor<64x80x2xi32>\n" GATHER(
          "%x", "%v",
          "collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 2", "1, 1",
          "tensor<30x50xf32>", "tensor<64x80x2xi32>", "tensor<64x80xf32>")
          RETURN("%g", "tensor<64x80xf32>")));
  assert_true(tn__node_looks_up(only("gather")));
  assert_int_equal(count("concatenate"), 0);
  assert_int_equal(count("maximum"), 2);
  assert_int_equal(count("minimum"), 2);
  assert_int_equal(count("multiply"), 1);
  assert_int_equal(count("add"), 1);
}

#define SCATTER(places, numbers)                                                  \
  MAIN("%x: tensor<30x50xf32>, %v: tensor<" places "xi32>, %u: tensor<6000xf32>", \
       "tensor<30x50xf32>",                                                       \
       "%r = \"stablehlo.scatter\"(%x, %v, %u) <{indices_are_sorted = false, "    \
       "scatter_dimension_numbers = #stablehlo.scatter<" numbers                  \
       ", index_vector_dim = 1>, unique_indices = false}> ({\n"                   \
       "^bb0(%a: tensor<f32>, %b: tensor<f32>):\n"                                \
       "%s = stablehlo.add %a, %b : tensor<f32>\n"                                \
       "stablehlo.return %s : tensor<f32>\n"                                      \
       "}) : (tensor<30x50xf32>, tensor<" places                                  \
       "xi32>, tensor<6000xf32>) -> "                                             \
       "tensor<30x50xf32>\n" RETURN("%r", "tensor<30x50xf32>"))

// What is outside of the input is at no index of the list.
static void a_scatter_by_several_indices_writes_to_a_list(void** state) {
  (void)state;
  rewrite(
      SCATTER("6000x2", "inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [1, 0]"));
  const tn_node_t* scatter = only("scatter");
  assert_int_equal(scatter->operands[0]->type->rank, 1);
  assert_int_equal(scatter->operands[1]->type->rank, 1);
  assert_ptr_equal(scatter->operands[1]->node->op, TN__OP(select));
  assert_int_equal(count("slice"), 2);
  assert_int_equal(count("compare"), 4);
  release(NULL);
  // One index is enough already.
  rewrite(SCATTER("6000x1", "inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [1]"));
  assert_int_equal(count("select"), 0);
}

static void other_gathers_stay(void** state) {
  (void)state;
  static const char* const texts[] = {
      // Windows of two elements.
      MAIN("%x: tensor<65xf32>, %i: tensor<8192x1xi32>", "tensor<8192x2xf32>",
           GATHER("%x", "%i", "offset_dims = [1], start_index_map = [0], index_vector_dim = 1", "2",
                  "tensor<65xf32>", "tensor<8192x1xi32>", "tensor<8192x2xf32>")
               RETURN("%g", "tensor<8192x2xf32>")),
      // Few elements.
      MAIN("%x: tensor<65xf32>, %i: tensor<100x1xi32>", "tensor<100xf32>",
           GATHER("%x", "%i",
                  "collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1", "1",
                  "tensor<65xf32>", "tensor<100x1xi32>", "tensor<100xf32>")
               RETURN("%g", "tensor<100xf32>")),
      // A table for each batch.
      MAIN("%x: tensor<80x65xf32>, %i: tensor<80x90x1xi32>", "tensor<80x90xf32>",
           GATHER("%x", "%i",
                  "collapsed_slice_dims = [1], operand_batching_dims = [0], "
                  "start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2",
                  "1, 1", "tensor<80x65xf32>", "tensor<80x90x1xi32>", "tensor<80x90xf32>")
               RETURN("%g", "tensor<80x90xf32>")),
  };
  for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i) {
    rewrite(texts[i]);
    assert_false(tn__node_looks_up(only("gather")));
    assert_int_equal(count("reshape"), 0);
    release(NULL);
  }
}

static void dimensions_of_size_1_come_behind_elementwise_operations(void** state) {
  (void)state;
  rewrite(MAIN("%x: tensor<64x80xf32>, %y: tensor<64x80x1xf32>", "tensor<1x64x80xf32>",
               "%a = stablehlo.negate %x : tensor<64x80xf32>\n"
               "%b = stablehlo.reshape %a : (tensor<64x80xf32>) -> tensor<64x80x1xf32>\n"
               "%c = stablehlo.add %b, %y : tensor<64x80x1xf32>\n"
               "%d = stablehlo.abs %c : tensor<64x80x1xf32>\n"
               "%e = stablehlo.reshape %d : (tensor<64x80x1xf32>) -> tensor<1x64x80xf32>\n"
               "%f = stablehlo.multiply %e, %e : tensor<1x64x80xf32>\n" RETURN(
                   "%f", "tensor<1x64x80xf32>")));
  TN_FOR_EACH_NODE (node, tn__module_entry(rewritten)->body) {
    if (!tn__node_is_elementwise(node)) continue;
    assert_int_equal(node->results[0].type->rank, 2);
  }
  assert_int_equal(count("reshape"), 2);  // of %y, and of the result
}

// A reshape that moves elements, and one of an argument, are left where they are.
static void other_reshapes_stay(void** state) {
  (void)state;
  rewrite(MAIN("%x: tensor<64x80xf32>, %y: tensor<5120x1xf32>", "tensor<5120xf32>",
               "%a = stablehlo.negate %x : tensor<64x80xf32>\n"
               "%b = stablehlo.reshape %a : (tensor<64x80xf32>) -> tensor<5120xf32>\n"
               "%c = stablehlo.reshape %y : (tensor<5120x1xf32>) -> tensor<5120xf32>\n"
               "%d = stablehlo.add %b, %c : tensor<5120xf32>\n" RETURN("%d", "tensor<5120xf32>")));
  assert_int_equal(count("reshape"), 2);
  assert_int_equal(tn__module_entry(rewritten)->body->last->operands[0]->type->rank, 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_teardown(an_index_without_its_dimension_looks_up, release),
      cmocka_unit_test_teardown(several_indices_become_one, release),
      cmocka_unit_test_teardown(a_scatter_by_several_indices_writes_to_a_list, release),
      cmocka_unit_test(other_gathers_stay),
      cmocka_unit_test_teardown(dimensions_of_size_1_come_behind_elementwise_operations, release),
      cmocka_unit_test_teardown(other_reshapes_stay, release),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
