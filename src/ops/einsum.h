// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Einstein's sums: every dimension has a label, those that the result lacks are summed over.
#ifndef TENON_OPS_EINSUM_H_
#define TENON_OPS_EINSUM_H_

#include "ops/rule.h"

// A label is a letter's number; those from LETTER_COUNT on are dimensions that "..." stands for,
// counted from the right, which broadcast.
enum {
  TN_EINSUM_LETTER_COUNT = 52,
  TN_EINSUM_LABEL_COUNT = TN_EINSUM_LETTER_COUNT + TN_MAX_RANK,
  TN_EINSUM_ABSENT = -1,
};

typedef struct tn_einsum_term {
  size_t rank;
  int labels[TN_MAX_RANK];
} tn_einsum_term_t;

typedef struct tn_einsum {
  tn_einsum_term_t operands[2], result;
  // By label; ABSENT: no operand has it. An operand may have 1 in place of the size of a label that
  // broadcasts.
  int64_t sizes[TN_EINSUM_LABEL_COUNT];
} tn_einsum_t;

// The attribute einsum_config of a use, checked against its operands.
TN_MUST_USE tn_status_t tn__einsum_read(const tn_op_use_t* use, tn_einsum_t* out_einsum);

#endif  // TENON_OPS_EINSUM_H_
