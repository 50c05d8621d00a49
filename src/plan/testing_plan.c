// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "plan/testing_plan.h"

#include <stdlib.h>
#include <tenon/detail/call.h>

#include "kernel/target.h"
#include "pass/pass.h"

static void never_run(void) {
  abort();
}

// The plans of tests are not run: calls need a registered function to be planned, and get this one.
static tn_status_t register_calls(const tn_region_t* region) {
  TN_FOR_EACH_NODE (node, region) {
    for (uint32_t i = 0; i < node->region_count; ++i) {
      TN_RETURN_IF_ERROR(register_calls(node->regions[i]));
    }
    if (node->op != TN__OP(custom_call)) continue;
    const tn_string_view_t name = tn__attr_get_string(&node->attrs, "call_target_name");
    TN_RETURN_IF_ERROR(tn_target_register(name.data, "Host", (tn_target_function_t)never_run,
                                          TN_API_VERSION_ORIGINAL));
  }
  return TN_OK;
}

tn_status_t tn__testing_plan_of(tn_module_t* source, tn_testing_passes_t passes,
                                tn_testing_plan_t* out_plan) {
  tn_status_t status = TN_OK;
  *out_plan = (tn_testing_plan_t){.source = source};
  tn__arena_init(&out_plan->arena, source->allocator);
  out_plan->target = tn__compile_target_host;
  if (passes == TN_TESTING_ALL_PASSES_OF_ANY_SIZE) out_plan->target.fusion_element_count = 0;
  const tn_pass_options_t pass_options = {.target = &out_plan->target,
                                          .keep_all = passes == TN_TESTING_NEEDED_PASSES};
  const tn_plan_options_t options = {.is_entry = true};
  TN_DONE_IF_ERROR(tn__module_clone(source, &out_plan->module));
  tn_function_t* entry = tn__module_entry(out_plan->module);
  assert_non_null(entry);
  TN_DONE_IF_ERROR(register_calls(entry->body));
  TN_DONE_IF_ERROR(tn__pass_run(out_plan->module, entry, &pass_options));
  TN_DONE_IF_ERROR(tn__plan_create(entry, &out_plan->arena, &options, &out_plan->plan));
done:
  if (status) tn__testing_plan_release(out_plan);
  return status;
}

tn_status_t tn__testing_plan_create(const char* text, tn_testing_passes_t passes,
                                    tn_testing_plan_t* out_plan) {
  tn_module_t* source = NULL;
  *out_plan = (tn_testing_plan_t){0};
  TN_RETURN_IF_ERROR(tn_module_parse(NULL, "test.mlir", text, strlen(text), &source));
  return tn__testing_plan_of(source, passes, out_plan);
}

void tn__testing_plan_release(tn_testing_plan_t* plan) {
  tn__plan_deinit(plan->plan);
  tn__arena_deinit(&plan->arena);
  tn_module_release(plan->module);
  tn_module_release(plan->source);
  *plan = (tn_testing_plan_t){0};
}

void tn__testing_plan(const char* text, tn_testing_passes_t passes, tn_testing_plan_t* out_plan) {
  TN_ASSERT_OK(tn__testing_plan_create(text, passes, out_plan));
  tn__testing_plan_check(out_plan->plan);
}

size_t tn__testing_plan_copies(const tn_plan_block_t* block, const tn_plan_t* plan, size_t* bytes) {
  size_t count = 0;
  for (size_t i = 0; i < block->step_count; ++i) {
    const tn_plan_step_t* step = &block->steps[i];
    if (step->reason) {
      ++count;
      if (bytes) *bytes += plan->buffers[step->results[0]].byte_size;
    }
    for (size_t b = 0; b < step->block_count; ++b) {
      count += tn__testing_plan_copies(&step->blocks[b], plan, bytes);
    }
  }
  return count;
}

const tn_plan_step_t* tn__testing_plan_find(const tn_plan_block_t* block, const char* op) {
  for (size_t i = 0; i < block->step_count; ++i) {
    const tn_plan_step_t* step = &block->steps[i];
    if (!step->reason && strcmp(tn__op_short_name(step->node->op), op) == 0) return step;
    for (size_t b = 0; b < step->block_count; ++b) {
      const tn_plan_step_t* found = tn__testing_plan_find(&step->blocks[b], op);
      if (found) return found;
    }
  }
  return NULL;
}

size_t tn__testing_plan_count(const tn_plan_t* plan, tn_plan_buffer_kind_t kind) {
  size_t count = 0;
  for (size_t i = 0; i < plan->buffer_count; ++i) count += plan->buffers[i].kind == kind;
  return count;
}
