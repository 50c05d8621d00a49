// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "base/interrupt.h"
#include "pass/passes.h"

static const tn_pass_t passes[] = {
    {.name = "resolve-calls",
     .doc = "replace custom calls that name a StableHLO operation",
     .run = tn__pass_resolve_calls,
     .is_needed = true},
    {.name = "exact-top-k",
     .doc = "replace approximate top-k by an exact one",
     .run = tn__pass_exact_top_k,
     .is_needed = true},
    {.name = "check-recursion",
     .doc = "reject recursive functions",
     .run = tn__pass_check_recursion,
     .is_needed = true},
    {.name = "lower-composites",
     .doc =
         "replace composites by the operations they are named after, or call their decompositions",
     .run = tn__pass_lower_composites,
     .is_needed = true},
    {.name = "single-process-collectives",
     .doc = "resolve collectives and channels within one process",
     .run = tn__pass_single_process_collectives,
     .is_needed = true},
    {.name = "decompose",
     .doc = "express operations by others: einsum, torch_index_select, constants of chlo",
     .run = tn__pass_decompose,
     .is_needed = true},
    {.name = "defer-missing-calls",
     .doc = "let calls that nothing is registered for fail when a run takes their branch",
     .run = tn__pass_defer_missing_calls,
     .is_needed = true},
    {.name = "normalize-layouts",
     .doc = "transpose operands and results of custom calls with other layouts",
     .run = tn__pass_normalize_layouts,
     .is_needed = true},
    {.name = "inline",
     .doc = "inline small functions, and those called once",
     .run = tn__pass_inline_calls,
     .is_exact = true},
    {.name = "split-splats",
     .doc = "store one element of large splats, and broadcast it in the memory of the run",
     .run = tn__pass_split_splats,
     .is_needed = true},
    {.name = "shift-divisions",
     .doc = "divide unsigned integers by powers of two by shifts",
     .run = tn__pass_shift_divisions},
    {.name = "simplify", .doc = "remove operations without effect", .run = tn__pass_simplify},
    {.name = "split-argmax",
     .doc = "find the place of the largest or smallest element by two reductions that can be fused",
     .run = tn__pass_split_argmax},
    {.name = "unroll-loops",
     .doc = "unroll loops of few turns that constants say",
     .run = tn__pass_unroll_loops},
    {.name = "loop-invariant-carries",
     .doc = "take loop-invariant values out of the carried values of loops",
     .run = tn__pass_loop_invariant_carries},
    {.name = "constant-folding",
     .doc = "evaluate small operations on constants; use static shapes where they are constant",
     .run = tn__pass_fold_constants},
    {.name = "loop-invariant-code",
     .doc = "compute before a loop what is the same in all its turns, if it is small",
     .run = tn__pass_hoist_invariants},
    {.name = "single-index",
     .doc = "gather and scatter single elements by one index each, which can be fused",
     .run = tn__pass_index_singly},
    {.name = "unit-dimensions",
     .doc = "compute over one shape what reshapes of dimensions of size 1 keep apart",
     .run = tn__pass_drop_unit_dimensions},
    {.name = "fold-transposes",
     .doc = "fold transposes into convolutions and products, reversals into convolutions",
     .run = tn__pass_fold_transposes},
    {.name = "fold-converts",
     .doc = "multiply with narrow elements where products convert them as they read them",
     .run = tn__pass_fold_converts,
     .is_beyond = true},
    {.name = "common-subexpression-elimination",
     .doc = "merge equal operations",
     .run = tn__pass_eliminate_common_subexpressions,
     .is_exact = true},
    {.name = "dead-code-elimination",
     .doc = "remove operations without used results or side effects",
     .run = tn__pass_eliminate_dead_code,
     .is_exact = true},
    {.name = "vectorize-bodies",
     .doc = "vectorize the bodies of reductions",
     .run = tn__pass_vectorize_bodies,
     .is_beyond = true},
    {.name = "schedule-calls",
     .doc = "schedule custom calls with a hint as early or as late as possible",
     .run = tn__pass_schedule_calls,
     .is_exact = true},
    {.name = "fusion",
     .doc = "fuse elementwise operations and reductions of rows",
     .run = tn__pass_fuse},
    {.name = "row-blocks",
     .doc = "compute products and the fusions between them a block of rows at a time",
     .run = tn__pass_block_rows},
    {.name = "late-carries",
     .doc = "compute the next value of a carry behind the last use of the present one",
     .run = tn__pass_delay_carries},
    {.name = "placement",
     .doc = "move operations without a kernel of the device to the host, between copies",
     .run = tn__pass_place,
     .is_needed = true,
     .is_beyond = true},
};

size_t tn__pass_count(void) {
  return sizeof passes / sizeof *passes;
}

const tn_pass_t* tn__pass_at(size_t index) {
  return index < tn__pass_count() ? &passes[index] : NULL;
}

static bool applies(const tn_pass_t* pass, const tn_pass_options_t* options) {
  if (options->keep_valid && pass->is_beyond) return false;
  if (pass->is_needed) return true;
  return !options->keep_all && (pass->is_exact || !options->is_strict);
}

tn_status_t tn__pass_run(tn_module_t* module, tn_function_t* entry,
                         const tn_pass_options_t* options) {
  module->target = options->target;
  for (size_t i = 0; i < tn__pass_count(); ++i) {
    if (!applies(&passes[i], options)) continue;
    TN_RETURN_IF_ERROR(tn__interrupt_check(module->interrupt));
    TN_RETURN_IF_ERROR(passes[i].run(module, entry));
  }
  return TN_OK;
}

tn_status_t tn__pass_flatten(tn_module_t* module, tn_function_t* entry) {
  TN_RETURN_IF_ERROR(tn__pass_check_recursion(module, entry));
  TN_RETURN_IF_ERROR(tn__pass_lower_composites(module, entry));
  TN_RETURN_IF_ERROR(tn__pass_resolve_calls(module, entry));
  return tn__pass_inline_all(module, entry);
}
