// A fusion (kernel/fusion.h) is one step: the values of its body have no places in the arena.
#include "kernel/fusion.h"
#include "plan/planner.h"

static tn_status_t take_list(tn_arena_t* arena, size_t count, size_t item_size, void* out_list) {
  void* memory = NULL;
  TN_RETURN_IF_ERROR(tn__arena_allocate_array(arena, count, item_size, &memory));
  memcpy(out_list, &memory, sizeof memory);
  return TN_OK;
}

tn_status_t tn__plan_prepare_fusion(planner_t* planner, const tn_node_t* node,
                                    tn_kernel_site_t* site) {
  const tn_region_t* body = node->regions[0];
  tn_arena_t* arena = planner->arena;
  tn_fusion_spec_t spec = {
      .shape = body->first->results[0].type,
      .operand_count = body->argument_count,
      .result_count = node->result_count,
      .views = site->views,
  };
  size_t* sizes = NULL;
  uint32_t *results = NULL, *operands = NULL;
  tn_fusion_step_t* parts = NULL;
  size_t use_count = 0, part_count = 0;
  TN_FOR_EACH_NODE (inner, body) {
    if (inner == body->last) break;
    ++part_count;
    // Behind what is in the regions of nodes, which no step knows.
    spec.value_count = inner->results[inner->result_count - 1].id - body->arguments[0].id + 1;
    use_count += inner->operand_count;
  }
  TN_RETURN_IF_ERROR(take_list(arena, spec.value_count, sizeof *sizes, &sizes));
  TN_RETURN_IF_ERROR(take_list(arena, spec.result_count, sizeof *results, &results));
  TN_RETURN_IF_ERROR(take_list(arena, use_count, sizeof *operands, &operands));
  TN_RETURN_IF_ERROR(take_list(arena, part_count, sizeof *parts, &parts));
  // Values are numbered in order: the arguments, then what the nodes give.
  const uint32_t first = body->arguments[0].id;
  for (uint32_t i = 0; i < body->argument_count; ++i) {
    sizes[i] = tn_dtype_size(body->arguments[i].type->dtype);
  }
  for (uint32_t i = 0; i < node->result_count; ++i) {
    results[i] = body->last->operands[i]->id - first;
  }
  spec.element_sizes = sizes;
  spec.results = results;
  spec.steps = parts;
  tn_status_t status = TN_OK;
  TN_FOR_EACH_NODE (inner, body) {
    if (inner == body->last) break;
    const bool is_reduction = inner->op == TN__OP(reduce);  // there is one at most
    tn_fusion_step_t* part = &parts[is_reduction ? part_count - 1 : spec.step_count++];
    *part = (tn_fusion_step_t){
        .node = inner,
        .operand_count = inner->operand_count,
        .result_count = inner->result_count,
        .operands = operands,
        .first_result = inner->results[0].id - first,
    };
    for (uint32_t i = 0; i < inner->operand_count; ++i) {
      *operands++ = inner->operands[i]->id - first;
    }
    for (uint32_t i = 0; i < inner->result_count; ++i) {
      sizes[part->first_result + i] = tn_dtype_size(inner->results[i].type->dtype);
    }
    status = tn__node_locate(
        inner, tn__plan_prepare_kernel(planner, inner, NULL, 0, &part->site, &part->kernel));
    if (status) break;
    if (is_reduction) spec.reduction = part;
  }
  // Whatever was prepared until here goes with the fusion's state, if there is one.
  tn_status_t prepared = tn__fusion_prepare(&spec, site);
  for (size_t i = 0; !site->state && i < part_count; ++i) {
    const tn_kernel_site_t* part = &parts[i].site;
    if (part->state && part->state_deinit) part->state_deinit(part->state);
  }
  if (!status) return prepared;
  tn_status_release(prepared);
  return status;
}
