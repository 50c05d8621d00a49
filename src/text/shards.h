// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Values in parts. Text and bytecode have regions in which values are the parts that one of several
// devices has (sdy.manual_computation); in a module they are what XLA makes of them, custom calls
// from the whole to its part and back, with the operations of the region between them. Over one
// device part and whole have the same type, and nothing stands between.
#ifndef TENON_TEXT_SHARDS_H_
#define TENON_TEXT_SHARDS_H_

#include "ir/ir.h"

typedef enum tn_shard_direction {
  TN_WHOLE_TO_PART,
  TN_PART_TO_WHOLE,
} tn_shard_direction_t;

// `value` as one of `type`, behind what `region` holds: itself when it has the type.
TN_MUST_USE tn_status_t tn__text_shard(tn_region_t* region, tn_shard_direction_t direction,
                                       tn_value_t* value, const tn_type_t* type,
                                       tn_location_t location, tn_value_t** out_value);

#endif  // TENON_TEXT_SHARDS_H_
