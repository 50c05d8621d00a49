#include "ir/ir.h"

// While cloning, an original value's id is an index into the table of copies.
typedef struct cloner {
  tn_value_t** copies;
} cloner_t;

static void copy_value(cloner_t* cloner, const tn_value_t* original, tn_value_t* copy) {
  copy->name = original->name;
  cloner->copies[original->id] = copy;
}

static tn_status_t clone_region(cloner_t* cloner, tn_function_t* function,
                                const tn_region_t* original, tn_region_t* copy);

static tn_status_t clone_node(cloner_t* cloner, tn_region_t* into, const tn_node_t* original,
                              tn_arena_t* scratch) {
  void* memory = NULL;
  TN_RETURN_IF_ERROR(tn__arena_allocate_array(
      scratch, original->operand_count + original->result_count + original->region_count,
      sizeof(void*), &memory));
  tn_value_t** operands = memory;
  const tn_type_t** types = (const tn_type_t**)(operands + original->operand_count);
  tn_region_t** regions = (tn_region_t**)(types + original->result_count);
  for (uint32_t i = 0; i < original->operand_count; ++i) {
    operands[i] = cloner->copies[original->operands[i]->id];
  }
  for (uint32_t i = 0; i < original->result_count; ++i) types[i] = original->results[i].type;
  for (uint32_t i = 0; i < original->region_count; ++i) {
    const tn_region_t* region = original->regions[i];
    void* argument_types = NULL;
    TN_RETURN_IF_ERROR(tn__arena_allocate_array(scratch, region->argument_count, sizeof(tn_type_t*),
                                                &argument_types));
    for (uint32_t k = 0; k < region->argument_count; ++k) {
      ((const tn_type_t**)argument_types)[k] = region->arguments[k].type;
    }
    TN_RETURN_IF_ERROR(
        tn__region_create(into->function, region->argument_count, argument_types, &regions[i]));
    TN_RETURN_IF_ERROR(clone_region(cloner, into->function, region, regions[i]));
  }
  tn_node_t* node = NULL;
  TN_RETURN_IF_ERROR(tn__node_append(into,
                                     &(tn_node_spec_t){
                                         .op = original->op,
                                         .operand_count = original->operand_count,
                                         .operands = operands,
                                         .result_count = original->result_count,
                                         .result_types = types,
                                         .attrs = original->attrs,
                                         .region_count = original->region_count,
                                         .regions = regions,
                                         .location = original->location,
                                     },
                                     &node));
  for (uint32_t i = 0; i < node->result_count; ++i) {
    copy_value(cloner, &original->results[i], &node->results[i]);
  }
  return TN_OK;
}

static tn_status_t clone_region(cloner_t* cloner, tn_function_t* function,
                                const tn_region_t* original, tn_region_t* copy) {
  tn_status_t status = TN_OK;
  tn_arena_t scratch;
  tn__arena_init(&scratch, function->module->allocator);
  for (uint32_t i = 0; i < original->argument_count; ++i) {
    copy_value(cloner, &original->arguments[i], &copy->arguments[i]);
  }
  TN_FOR_EACH_NODE (node, original) {
    TN_DONE_IF_ERROR(clone_node(cloner, copy, node, &scratch));
  }
done:
  tn__arena_deinit(&scratch);
  return status;
}

static tn_status_t clone_function(tn_module_t* clone, const tn_function_t* original) {
  tn_status_t status = TN_OK;
  tn_function_t* function = NULL;
  void* copies = NULL;
  TN_RETURN_IF_ERROR(tn__function_create(
      clone, original->name, original->argument_count, original->argument_types,
      original->result_count, original->result_types, original->body == NULL, &function));
  function->visibility = original->visibility;
  function->argument_attrs = original->argument_attrs;
  function->result_attrs = original->result_attrs;
  function->attrs = original->attrs;
  function->location = original->location;
  if (!original->body) return TN_OK;
  size_t count = original->value_count;
  TN_RETURN_IF_ERROR(tn__allocate_array(clone->allocator, count, sizeof(tn_value_t*), &copies));
  cloner_t cloner = {copies};
  function->value_count = original->value_count;
  function->node_count = original->node_count;
  status = clone_region(&cloner, function, original->body, function->body);
  tn__free(clone->allocator, copies, count * sizeof(tn_value_t*));
  return status;
}

tn_status_t tn__module_clone(tn_module_t* module, tn_module_t** out_clone) {
  tn_status_t status = TN_OK;
  tn_module_t* clone = NULL;
  *out_clone = NULL;
  TN_RETURN_IF_ERROR(tn__module_create(module->allocator, &clone));
  clone->origin = tn_module_retain(module);
  clone->name = module->name;
  clone->attrs = module->attrs;
  for (tn_function_t* f = module->first_function; f; f = f->next) {
    TN_DONE_IF_ERROR(clone_function(clone, f));
  }
  *out_clone = clone;
  clone = NULL;
done:
  tn_module_release(clone);
  return status;
}
