// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "ops/testing_use.h"

#define SUM "{f32, f32 -> f32} "
#define PAIR "replica_groups = [[0, 1]] "
#define GLOBAL "use_global_device_ids = unit, channel_handle = {handle = 0, type = 1} "

static void collectives_accept_what_they_are_for(void** state) {
  (void)state;
  static const char* const uses[] = {
      "all_reduce(2xf32) " SUM PAIR "-> 2xf32",
      "all_reduce(2xf32, 3xf32) " SUM "replica_groups = [[0, 1], [2, -1]] -> 2xf32, 3xf32",
      "all_reduce(2xbf16) " SUM PAIR
      ", use_global_device_ids = unit, channel_handle = {handle = 1, type = 1} -> 2xf32",
      "all_gather(2x2xf32) all_gather_dim = 1, replica_groups = [[1, 0], [2, 3]] -> 2x4xf32",
      // each replica stands for all its partitions
      "all_gather(2x2xf32) all_gather_dim = 1, " PAIR ", channel_handle = {handle = 1} -> 2x8xf32",
      "all_gather(0x2xf32) all_gather_dim = 0, " PAIR "-> 0x2xf32",
      "all_to_all(2x4xf32) split_dimension = 1, concat_dimension = 0, split_count = 2, " PAIR
      "-> 4x2xf32",
      "all_to_all(2x4xf32) split_dimension = 1, concat_dimension = 1, split_count = 2, " PAIR
      "-> 2x4xf32",
      "collective_broadcast(2xf32) " PAIR "-> 2xf32",
      "collective_broadcast(2xf32, 3xf32, 2xi32) " PAIR ", has_dynamic_root = unit -> 2xf32, 3xf32",
      "collective_permute(2xf32) source_target_pairs = [[0, 1], [1, 0]] -> 2xf32",
      "collective_reduce(2xf32) " SUM PAIR "-> 2xf32",
      "collective_reduce(2xf32, 1xi32) " SUM PAIR ", has_dynamic_root = unit -> 2xf32",
      "reduce_scatter(2x4xf32) " SUM "scatter_dimension = 1, " PAIR "-> 2x2xf32",
      "cross-replica-sum(2xf32) replica_groups = [[0, 1]] -> 2xf32",
      "send(2xf32, token) channel_handle = {handle = 1, type = 2}, is_host_transfer = true"
      " -> token",
      "recv(token) channel_handle = {handle = 1, type = 1},"
      " source_target_pairs = [[0, 1], [1, 2]] -> 2xf32, token",
      "infeed(token) infeed_config = \"\" -> 2xf32, token",
      "infeed(token) -> token",
      "outfeed(2xf32, token) -> token",
  };
  TN_TEST_ACCEPTS(uses);
}

static void collectives_refuse_what_breaks_a_constraint(void** state) {
  (void)state;
  static const tn_rule_case_t cases[] = {
      {"all_reduce(2xf32) " SUM "replica_groups = [[0, 0]] -> 2xf32",
       "all_reduce (C1): replica_groups has 0 twice"},
      {"all_reduce(2xf32) " SUM "replica_groups = [[0, 2]] -> 2xf32",
       "all_reduce (C3): replica_groups has 2; expected the ids 0 to 1"},
      {"all_reduce(2xf32) " SUM "replica_groups = [[0, -2]] -> 2xf32", "all_reduce (C3)"},
      {"all_reduce(2xf32) " SUM "replica_groups = !3 -> 2xf32",
       "attribute \"replica_groups\" is an"},
      {"all_reduce(2xf32) " SUM PAIR ", " GLOBAL "-> 2xf32",
       "all_reduce (C4): channel_handle has handle 0; expected one above 0"},
      {"all_reduce(2xf32) {f32, f32 -> i1} " PAIR "-> 2xf32", "all_reduce (C5)"},
      {"all_reduce(2xf32, 2xi32) " SUM PAIR "-> 2xf32, 2xf32", "all_reduce (C5)"},
      {"all_reduce(2xf32) " SUM PAIR "-> 3xf32", "all_reduce (C6)"},
      {"all_reduce(2xf32) {f64, f64 -> f64} " PAIR "-> 2xf32", "all_reduce (C7)"},
      {"all_gather(2x2xf32) all_gather_dim = 2, " PAIR "-> 2x4xf32", "all_gather (C1)"},
      {"all_gather(2x2xf32) all_gather_dim = 1, replica_groups = [[1, 1]] -> 2x4xf32",
       "all_gather (C2)"},
      {"all_gather(2x2xf32) all_gather_dim = 1, replica_groups = [[0, -1]] -> 2x4xf32",
       "all_gather (C4)"},
      {"all_gather(2x2xf32) all_gather_dim = 1, " PAIR ", " GLOBAL "-> 2x4xf32", "all_gather (C5)"},
      {"all_gather(2x2xf32) all_gather_dim = 1, " PAIR "-> 2x6xf32", "all_gather (C6)"},
      {"all_gather(2x2xf32) all_gather_dim = 1, " PAIR "-> 2x4xf64", "all_gather (C6)"},
      {"all_gather(2x2xf32, 2xf32) all_gather_dim = 0, " PAIR "-> 4x2xf32", "all_gather (C6)"},
      {"all_to_all(2x4xf32) split_dimension = 2, concat_dimension = 0, split_count = 2, " PAIR
       "-> 4x2xf32",
       "all_to_all (C1)"},
      {"all_to_all(2x3xf32) split_dimension = 1, concat_dimension = 0, split_count = 2, " PAIR
       "-> 4x2xf32",
       "all_to_all (C2)"},
      {"all_to_all(2x4xf32) split_dimension = 1, concat_dimension = -1, split_count = 2, " PAIR
       "-> 4x2xf32",
       "all_to_all (C3)"},
      {"all_to_all(2x4xf32) split_dimension = 1, concat_dimension = 0, split_count = 0, " PAIR
       "-> 4x2xf32",
       "all_to_all (C4)"},
      {"all_to_all(2x4xf32) split_dimension = 1, concat_dimension = 0, split_count = 2,"
       " replica_groups = [[0, 0]] -> 4x2xf32",
       "all_to_all (C5)"},
      {"all_to_all(2x4xf32) split_dimension = 1, concat_dimension = 0, split_count = 2,"
       " replica_groups = [[0, 3]] -> 4x2xf32",
       "all_to_all (C7)"},
      {"all_to_all(2x4xf32) split_dimension = 1, concat_dimension = 0, split_count = 4, " PAIR
       "-> 8x1xf32",
       "all_to_all (C8)"},
      {"all_to_all(2x4xf32) split_dimension = 1, concat_dimension = 0, split_count = 2, " PAIR
       "-> 2x4xf32",
       "all_to_all (C9)"},
      {"collective_broadcast(2xf32) replica_groups = [[1, 1]] -> 2xf32",
       "collective_broadcast (C1)"},
      {"collective_broadcast(2xf32) replica_groups = [[1, 2]] -> 2xf32",
       "collective_broadcast (C2)"},
      {"collective_broadcast(2xf32) " PAIR "-> 3xf32", "collective_broadcast (C3)"},
      {"collective_broadcast(2xf32) " PAIR ", has_dynamic_root = unit -> ",
       "collective_broadcast (C4)"},
      {"collective_broadcast(2xf32, 1xi64) " PAIR ", has_dynamic_root = unit -> 2xf32",
       "collective_broadcast (C4): the roots have type tensor<1xi64>; expected tensor<1xi32>"},
      {"collective_broadcast(2xf32, 1xi32) " PAIR ", has_dynamic_root = unit -> 2xf32, 1xi32",
       "collective_broadcast (C5): has 2 results; expected 1"},
      {"collective_permute(2xf32) source_target_pairs = [[0, 1, 2]] -> 2xf32",
       "expected dense<...> of type tensor<Nx2xi64>"},
      {"collective_permute(2xf32) source_target_pairs = [[0, 1], [0, 2]] -> 2xf32",
       "collective_permute (C2): source_target_pairs has source 0 twice"},
      {"collective_permute(2xf32) source_target_pairs = [[0, 1], [2, 1]] -> 2xf32",
       "collective_permute (C3)"},
      {"collective_permute(2xf32) source_target_pairs = [[0, -1]] -> 2xf32",
       "collective_permute (C4)"},
      {"collective_permute(2xf32) source_target_pairs = [[0, 1]] -> 3xf32",
       "collective_permute (C5)"},
      {"collective_reduce(2xf32) " SUM "replica_groups = [[1, 1]] -> 2xf32",
       "collective_reduce (C1)"},
      {"collective_reduce(2xf32) " SUM "replica_groups = [[1, 2]] -> 2xf32",
       "collective_reduce (C2)"},
      {"collective_reduce(2xf32) " SUM PAIR "-> 3xf32", "collective_reduce (C3)"},
      {"collective_reduce(2xf32, 2xi32) " SUM PAIR ", has_dynamic_root = unit -> 2xf32",
       "collective_reduce (C3)"},
      {"collective_reduce(2xf32) {f32 -> f32} " PAIR "-> 2xf32", "collective_reduce (C4)"},
      {"reduce_scatter(2x3xf32) " SUM "scatter_dimension = 1, " PAIR "-> 2x1xf32",
       "reduce_scatter (C1)"},
      {"reduce_scatter(2x4xf32) " SUM "scatter_dimension = 2, " PAIR "-> 2x2xf32",
       "reduce_scatter (C2)"},
      {"reduce_scatter(2x4xf32) " SUM "scatter_dimension = 1, replica_groups = [[0, 0]] -> 2x2xf32",
       "reduce_scatter (C3)"},
      {"reduce_scatter(2x4xf32) " SUM "scatter_dimension = 1, replica_groups = [[0, 9]] -> 2x2xf32",
       "reduce_scatter (C5)"},
      {"reduce_scatter(2x4xf32) " SUM "scatter_dimension = 1, " PAIR ", " GLOBAL "-> 2x2xf32",
       "reduce_scatter (C6)"},
      {"reduce_scatter(2x4xf32) {f32, f32 -> i32} scatter_dimension = 1, " PAIR "-> 2x2xf32",
       "reduce_scatter (C7)"},
      {"reduce_scatter(2x4xf32) " SUM "scatter_dimension = 1, " PAIR "-> 2x1xf32",
       "reduce_scatter (C8)"},
      {"reduce_scatter(2x4xf32) " SUM "scatter_dimension = 1, " PAIR "-> 2x2xf64",
       "reduce_scatter (C9)"},
      {"cross-replica-sum(2xf32) replica_groups = [[0, 1]] -> 3xf32", "cross-replica-sum: result"},
      {"send(token, 2xf32) channel_handle = {handle = 1, type = 1} -> token", "send (I1)"},
      {"send(2xf32) channel_handle = {handle = 1, type = 1} -> token", "send (I2)"},
      {"send(2xf32, token) channel_handle = {handle = 1, type = 1}, is_host_transfer = true"
       " -> token",
       "send (C5): channel_handle has type 1; expected 2 with is_host_transfer true"},
      {"send(2xf32, token) channel_handle = {handle = 1, type = 1},"
       " source_target_pairs = [[0, 1], [0, 2]] -> token",
       "send (C2)"},
      {"send(2xf32, token) channel_handle = {handle = 1, type = 1},"
       " source_target_pairs = [[0, 1], [2, 1]] -> token",
       "send (C3)"},
      {"send(2xf32, token) channel_handle = {handle = 1, type = 1},"
       " source_target_pairs = [[-1, 1]] -> token",
       "send (C4)"},
      {"recv(2xf32) channel_handle = {handle = 1, type = 1} -> token", "recv (I1)"},
      {"recv(token) channel_handle = {handle = 1, type = 2}, is_host_transfer = true -> token",
       "recv (C5)"},
      {"send(2xf32, token) channel_handle = {handle = 1, type = 1},"
       " source_target_pairs = [[0, 1, 2]] -> token",
       "send: attribute \"source_target_pairs\""},
      {"recv(token) channel_handle = {handle = 1, type = 1},"
       " source_target_pairs = [[0, 1, 2]] -> token",
       "recv: attribute \"source_target_pairs\""},
      {"recv(token) channel_handle = {handle = 1, type = 1},"
       " source_target_pairs = [[0, 1], [0, 2]] -> token",
       "recv (C2)"},
      {"recv(token) channel_handle = {handle = 1, type = 1},"
       " source_target_pairs = [[0, 1], [2, 1]] -> token",
       "recv (C3)"},
      {"recv(token) channel_handle = {handle = 1, type = 1}, source_target_pairs = [[0, -1]]"
       " -> token",
       "recv (C4)"},
      {"recv(token) channel_handle = {handle = 1, type = 1} -> ", "recv: has no results"},
      {"recv(token) channel_handle = {handle = 1, type = 1} -> 2xf32", "recv: the last result"},
      {"recv(token) channel_handle = {handle = 1, type = 1} -> token, token", "recv: result 0"},
      {"infeed(2xf32) -> token", "infeed (I1)"},
      {"infeed(token) -> ", "infeed (C1)"},
      {"infeed(token) -> tuple<f32>, token", "infeed (C2)"},
      {"infeed(token) -> 2xf32", "infeed (C3)"},
      {"infeed(token) layout = !3 -> 2xf32, token",
       "infeed: layout is an integer; expected a list of 1, one for each tensor"},
      {"outfeed(2xf32) -> token", "outfeed (I2)"},
      {"outfeed(2xf32, token) -> 2xf32", "outfeed: result has type tensor<2xf32>"},
  };
  TN_TEST_REFUSES(cases);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(collectives_accept_what_they_are_for),
      cmocka_unit_test(collectives_refuse_what_breaks_a_constraint),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
