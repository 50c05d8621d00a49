// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Short rows of numbers that are folded in their own dtype, for programs: what reduction.c does of
// one row, and nothing around it.
#include <string.h>

#include "kernel/reduction/reduction.h"

enum { MOST_ELEMENTS = 1024, LARGEST_ELEMENT = 16 };

static bool is_direct(const tn_conversion_t* conversion) {
  return conversion->from == conversion->to;
}

bool tn__reduction_is_short(const tn_reduction_t* r) {
  return r->form == TN_REDUCTION_ROWS && r->folded.count == 0 && r->block_count == 1 &&
         r->group_count == 1 && r->output_count > 0 && r->width > 0 && r->binary.fold &&
         is_direct(&r->load) && is_direct(&r->load_init) && is_direct(&r->store) &&
         r->width <= MOST_ELEMENTS / r->output_count;
}

void tn__reduction_run_short(const tn_reduction_t* r, const void* operand, const void* init,
                             void* result) {
  _Alignas(LARGEST_ELEMENT) char sum[LARGEST_ELEMENT];
  const size_t size = r->carrier_size;
  for (int64_t i = 0; i < r->output_count; ++i) {
    const char* row = (const char*)operand + tn__axes_offset(&r->kept, i);
    memcpy(sum, row, size);
    r->binary.fold(sum, row + size, (size_t)r->width - 1);
    r->binary.map.binary(init, sum, (char*)result + (size_t)i * size, 1);
  }
}
