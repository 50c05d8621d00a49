// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "text/shards.h"

tn_status_t tn__text_shard(tn_region_t* region, tn_shard_direction_t direction, tn_value_t* value,
                           const tn_type_t* type, tn_location_t location, tn_value_t** out_value) {
  static const char* const targets[] = {
      [TN_WHOLE_TO_PART] = "SPMDFullToShardShape", [TN_PART_TO_WHOLE] = "SPMDShardToFullShape"};
  tn_arena_t* arena = &region->function->module->arena;
  const tn_attr_t *target = NULL, *dictionary = NULL;
  tn_node_t* node = NULL;
  *out_value = value;
  if (tn_type_equal(value->type, type)) return TN_OK;
  TN_RETURN_IF_ERROR(tn__attr_text(arena, TN_ATTR_STRING, tn__sv(targets[direction]), &target));
  const tn_named_attr_t named = {TN_SV_LITERAL("call_target_name"), target};
  TN_RETURN_IF_ERROR(tn__attr_dictionary(arena, TN_ATTR_DICTIONARY, (tn_string_view_t){0}, 1,
                                         &named, &dictionary));
  TN_RETURN_IF_ERROR(tn__node_append(region,
                                     &(tn_node_spec_t){.op = TN__OP(custom_call),
                                                       .operand_count = 1,
                                                       .operands = &value,
                                                       .result_count = 1,
                                                       .result_types = &type,
                                                       .attrs = dictionary->dictionary,
                                                       .location = location},
                                     &node));
  *out_value = &node->results[0];
  return TN_OK;
}
