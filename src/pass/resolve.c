// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Custom calls become the operations that they name. Where the configuration of a typed call is a
// string, as XLA's builder can say it, it is read as the dictionary that it must be.
#include "call/call.h"
#include "call/infer.h"
#include "pass/passes.h"
#include "pass/refine.h"
#include "text/attribute.h"

static tn_status_t read_dictionary(const tn_node_t* node, tn_string_view_t text,
                                   const tn_attr_t** out_attr) {
  tn_arena_t* arena = &node->region->function->module->arena;
  TN_RETURN_IF_ERROR(
      tn__text_read_attribute(arena, TN_SV_LITERAL("backend_config"), text, out_attr));
  if ((*out_attr)->kind == TN_ATTR_DICTIONARY) return TN_OK;
  return tn_status_create(TN_CODE_INVALID_ARGUMENT,
                          "backend_config is %s; a typed call takes a dictionary",
                          tn__attr_kind_name((*out_attr)->kind));
}

static tn_status_t read_config(tn_node_t* node, tn_arena_t* scratch) {
  const tn_attr_t* config = tn__attr_find(&node->attrs, "backend_config");
  bool is_typed = tn__attr_get_integer(&node->attrs, "api_version", 1) == 4;
  if (!is_typed || !config || config->kind != TN_ATTR_STRING || !config->string.length ||
      tn__attr_find(&node->attrs, "mhlo.backend_config")) {
    return TN_OK;
  }
  const tn_attr_t *dictionary = NULL, *attrs = NULL;
  tn_status_t status = read_dictionary(node, config->string, &dictionary);
  if (status) {
    tn_string_view_t target = tn__attr_get_string(&node->attrs, "call_target_name");
    const tn_module_t* module = node->region->function->module;
    while (!module->source && module->origin) module = module->origin;
    const tn_source_t* source = module->source;
    status = tn_status_prefix(status, "custom call @%.*s", TN_SV(target));
    status = tn_status_note(status, "the string of a typed call is a dictionary: {name = value}");
    if (!source || !tn_status_line(status)) return tn__node_locate(node, status);
    return tn_status_note(status, "%s:%u:%u: in the configuration of this call", source->name,
                          node->location.line, node->location.column);
  }
  tn_named_attr_t* entries = NULL;
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(scratch, node->attrs.count, &entries));
  for (size_t i = 0; i < node->attrs.count; ++i) {
    entries[i] = node->attrs.entries[i];
    if (entries[i].attr == config) entries[i].attr = dictionary;
  }
  TN_RETURN_IF_ERROR(tn__attr_dictionary(&node->region->function->module->arena, TN_ATTR_DICTIONARY,
                                         (tn_string_view_t){0}, node->attrs.count, entries,
                                         &attrs));
  node->attrs = attrs->dictionary;
  return TN_OK;
}

static tn_status_t resolve_region(tn_region_t* region, tn_names_t* ops, tn_arena_t* scratch) {
  for (tn_node_t *node = region->first, *next = NULL; node; node = next) {
    next = node->next;
    for (uint32_t i = 0; i < node->region_count; ++i) {
      TN_RETURN_IF_ERROR(resolve_region(node->regions[i], ops, scratch));
    }
    if (!tn__op_has(node->op, TN_FOREIGN)) continue;
    TN_RETURN_IF_ERROR(tn__call_resolve(node, ops));
    TN_RETURN_IF_ERROR(read_config(node, scratch));
    tn_status_t status = tn__pass_name_operation(node);
    if (status) return tn__node_locate(node, status);
  }
  return TN_OK;
}

static tn_status_t check_region(const tn_region_t* region, tn_arena_t* scratch) {
  TN_FOR_EACH_NODE (node, region) {
    for (uint32_t i = 0; i < node->region_count; ++i) {
      TN_RETURN_IF_ERROR(check_region(node->regions[i], scratch));
    }
    if (tn__op_has(node->op, TN_FOREIGN)) TN_RETURN_IF_ERROR(tn__call_check_node(node, scratch));
  }
  return TN_OK;
}

tn_status_t tn__pass_check_calls(tn_module_t* module, tn_function_t* entry) {
  tn_arena_t scratch;
  tn_reached_functions_t reached;
  TN_RETURN_IF_ERROR(tn__pass_resolve_calls(module, entry));
  tn__arena_init(&scratch, module->allocator);
  tn_status_t status = tn__pass_reach(module, entry, &scratch, &reached);
  for (size_t i = 0; !status && i < reached.count; ++i) {
    if (reached.functions[i]->body) status = check_region(reached.functions[i]->body, &scratch);
  }
  tn__arena_deinit(&scratch);
  return status;
}

tn_status_t tn__pass_resolve_calls(tn_module_t* module, tn_function_t* entry) {
  tn_status_t status = TN_OK;
  tn_arena_t scratch;
  tn_reached_functions_t reached;
  tn_names_t ops;
  tn__arena_init(&scratch, module->allocator);
  tn__names_init(&ops, module->allocator);
  TN_DONE_IF_ERROR(tn__pass_reach(module, entry, &scratch, &reached));
  for (size_t i = 0; i < reached.count; ++i) {
    if (!reached.functions[i]->body) continue;
    TN_DONE_IF_ERROR(resolve_region(reached.functions[i]->body, &ops, &scratch));
    tn__function_resolve(reached.functions[i]);
    tn__function_number(reached.functions[i]);
  }
done:
  tn__names_deinit(&ops);
  tn__arena_deinit(&scratch);
  return status;
}
