#include "pass/passes.h"

static const tn_pass_t passes[] = {
    {.name = "resolve-calls",
     .doc = "put the operations that custom calls name in their place",
     .run = tn__pass_resolve_calls,
     .is_needed = true},
    {.name = "sort-approximate",
     .doc = "answer approximate searches exactly",
     .run = tn__pass_sort_approximate,
     .is_needed = true},
    {.name = "check-recursion",
     .doc = "reject recursive functions",
     .run = tn__pass_check_recursion,
     .is_needed = true},
    {.name = "call-composites",
     .doc = "run composites as calls of what they decompose to",
     .run = tn__pass_call_composites,
     .is_needed = true},
    {.name = "run-alone",
     .doc = "let what speaks to other processes take place in this one",
     .run = tn__pass_run_alone,
     .is_needed = true},
    {.name = "spell-out",
     .doc = "write operations that others express as these",
     .run = tn__pass_spell_out,
     .is_needed = true},
    {.name = "turn-layouts",
     .doc = "transpose arrays that custom calls want in another layout",
     .run = tn__pass_turn_layouts,
     .is_needed = true},
    {.name = "inline-calls",
     .doc = "copy small functions, and those called once, to where they are called",
     .run = tn__pass_inline_calls},
    {.name = "simplify",
     .doc = "drop operations that change nothing; broadcast large splats",
     .run = tn__pass_simplify},
    {.name = "drop-carries",
     .doc = "let loops read what they never change from outside",
     .run = tn__pass_drop_carries},
    {.name = "fold-constants",
     .doc = "compute small values whose operands are constants; fix shapes that are constants",
     .run = tn__pass_fold_constants},
    {.name = "read-turned",
     .doc = "let convolutions read what was transposed or reversed for them as it was before",
     .run = tn__pass_read_turned},
    {.name = "merge-common", .doc = "compute equal things once", .run = tn__pass_merge_common},
    {.name = "remove-dead",
     .doc = "remove operations without used results or side effects",
     .run = tn__pass_remove_dead},
    {.name = "widen-bodies",
     .doc = "let bodies of reductions work on many outputs at a time",
     .run = tn__pass_widen_bodies,
     .is_beyond = true},
    {.name = "schedule-calls",
     .doc = "schedule custom calls with a hint as early or as late as possible",
     .run = tn__pass_schedule_calls},
    {.name = "fuse",
     .doc = "compute elementwise operations together, a tile of elements at a time",
     .run = tn__pass_fuse},
    {.name = "place",
     .doc = "let the host compute what the device has no kernel for, between copies",
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

tn_status_t tn__pass_run(tn_module_t* module, tn_function_t* entry,
                         const tn_pass_options_t* options) {
  module->target = options->target;
  for (size_t i = 0; i < tn__pass_count(); ++i) {
    if (options->keep_all && !passes[i].is_needed) continue;
    if (options->keep_valid && passes[i].is_beyond) continue;
    TN_RETURN_IF_ERROR(passes[i].run(module, entry));
  }
  return TN_OK;
}

tn_status_t tn__pass_flatten(tn_module_t* module, tn_function_t* entry) {
  TN_RETURN_IF_ERROR(tn__pass_check_recursion(module, entry));
  TN_RETURN_IF_ERROR(tn__pass_call_composites(module, entry));
  TN_RETURN_IF_ERROR(tn__pass_resolve_calls(module, entry));
  return tn__pass_inline_all(module, entry);
}
