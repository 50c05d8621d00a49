// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "kernel/gpu/region.h"

#include <stdio.h>
#include <string.h>

#include "ir/trace.h"
#include "kernel/common/element.h"

void tn__gpu_write_literal(tn_dtype_t dtype, const void* element, char* out_text) {
  const char* type = tn__gpu_dtype(dtype)->value;
  if (dtype == TN_DTYPE_F64) {
    uint64_t bits;
    memcpy(&bits, element, sizeof bits);
    snprintf(out_text, TN_GPU_NAME_SIZE, "as_double(0x%llxUL)", (unsigned long long)bits);
  } else if (dtype == TN_DTYPE_C64) {
    uint32_t bits[2];
    memcpy(bits, element, sizeof bits);
    snprintf(out_text, TN_GPU_NAME_SIZE, "C_MAKE(as_float(0x%xu), as_float(0x%xu))", bits[0],
             bits[1]);
  } else if (tn_dtype_kind(dtype) == TN_KIND_FLOAT) {
    uint32_t bits;
    tn__convert_elements(dtype, element, TN_DTYPE_F32, &bits, 1);
    snprintf(out_text, TN_GPU_NAME_SIZE, "as_float(0x%xu)", bits);
  } else {
    snprintf(out_text, TN_GPU_NAME_SIZE, "(%s)0x%llxUL", type,
             (unsigned long long)tn__element_to_i64(dtype, element));
  }
}

// The element that all of a constant's are; NULL: they are not the same, or it is no constant.
static const void* element_of(const tn_value_t* value) {
  const tn_node_t* node = value->node;
  if (!node || node->op != TN__OP(constant)) return NULL;
  const tn_attr_t* attr = tn__attr_find(&node->attrs, "value");
  if (!attr || attr->kind != TN_ATTR_ELEMENTS) return NULL;
  return attr->elements.splat || tn__type_size(attr->elements.type) == 1 ? attr->elements.data
                                                                         : NULL;
}

// --- members

tn_status_t tn__gpu_members_begin(tn_gpu_members_t* members, tn_gpu_source_t* source,
                                  tn_gpu_text_t* text, const tn_region_t* region,
                                  tn_arena_t* arena) {
  *members = (tn_gpu_members_t){.source = source, .text = text, .arena = arena};
  TN_FOR_EACH_NODE (node, region) {
    ++members->capacity;
  }
  return TN_ARENA_ARRAY(arena, members->capacity, &members->values);
}

bool tn__gpu_name_constant(const tn_gpu_members_t* members, tn_value_t* value, char* out_name) {
  const tn_value_t* root = tn__value_root(value);
  const void* element = element_of(root);
  if (!element) return false;
  tn__gpu_write_literal(root->type->dtype, element, out_name);
  if (members->source) tn__gpu_add_helpers(members->source, out_name);
  return true;
}

tn_status_t tn__gpu_name_value(tn_gpu_members_t* members, tn_value_t* value, char* out_name) {
  const tn_value_t* root = tn__value_root(value);
  if (tn__gpu_name_constant(members, value, out_name)) return TN_OK;
  for (size_t k = 0; k < members->count; ++k) {
    if (members->values[k] != root) continue;
    snprintf(out_name, TN_GPU_NAME_SIZE, "v%zu", k);
    return TN_OK;
  }
  return members->name(members, value, out_name);
}

tn_status_t tn__gpu_add_member(tn_gpu_members_t* members, const tn_node_t* node) {
  tn_op_use_t use;
  TN_RETURN_IF_ERROR(tn__node_use(node, members->arena, &use));
  const tn_gpu_dtype_t* dtype = tn__gpu_dtype(use.result_types[0]->dtype);
  const size_t function = tn__gpu_add_function(members->source, &use, tn__gpu_expression(&use));
  char names[3][TN_GPU_NAME_SIZE];
  for (uint32_t k = 0; k < node->operand_count; ++k) {
    TN_RETURN_IF_ERROR(tn__gpu_name_value(members, node->operands[k], names[k]));
  }
  tn__gpu_add(members->text, "  const %s v%zu = AS%s(f%zu(", dtype->value, members->count,
              dtype->suffix, function);
  for (uint32_t k = 0; k < node->operand_count; ++k) {
    tn__gpu_add(members->text, "%s%s", k ? ", " : "", names[k]);
  }
  tn__gpu_add(members->text, "));\n");
  members->values[members->count++] = &node->results[0];
  return TN_OK;
}

// --- regions

static bool is_copy(const tn_node_t* node) {
  return node->op == TN__OP(constant) || tn__op_has(node->op, TN_TERMINATOR) ||
         tn__op_makes_view(node->op);
}

// What a view may be of: one element.
static bool has_name(const tn_region_t* region, tn_value_t* value) {
  const tn_value_t* root = tn__value_root(value);
  if (element_of(root)) return true;
  if (root->region != region || (root->node && is_copy(root->node))) return false;
  return value == root || tn__type_size(root->type) == 1;
}

static bool is_fit(const tn_node_t* node, tn_arena_t* arena) {
  tn_op_use_t use;
  if (!tn__op_has(node->op, TN_ELEMENTWISE) || node->region_count) return false;
  const tn_arena_mark_t mark = tn__arena_mark(arena);
  tn_status_t status = tn__node_use(node, arena, &use);
  const bool fits = !status && tn__gpu_map_supports(&use);
  tn_status_release(status);
  tn__arena_rewind(arena, mark);
  return fits;
}

bool tn__gpu_region_is_elementwise(const tn_region_t* region) {
  tn_arena_t arena;
  tn_arena_room_t room;
  bool fits = region != NULL;
  size_t count = 0;
  for (uint32_t k = 0; fits && k < region->argument_count; ++k) {
    const tn_type_t* type = region->arguments[k].type;
    fits = type->kind == TN_TYPE_TENSOR && tn__gpu_dtype(type->dtype);
  }
  if (!fits) return false;
  tn__arena_init_in(&arena, tn_allocator_system(), &room);
  TN_FOR_EACH_NODE (node, region) {
    if (!is_copy(node)) fits = fits && ++count < TN_GPU_FUNCTION_LIMIT && is_fit(node, &arena);
    for (uint32_t k = 0; fits && k < node->operand_count; ++k) {
      fits = tn__op_makes_view(node->op) || has_name(region, node->operands[k]);
    }
  }
  tn__arena_deinit(&arena);
  return fits;
}

static tn_status_t name_argument(tn_gpu_members_t* members, tn_value_t* value, char* out_name) {
  (void)members;
  snprintf(out_name, TN_GPU_NAME_SIZE, "a%u", tn__value_root(value)->index);
  return TN_OK;
}

static void add_head(tn_gpu_text_t* text, const tn_region_t* region, const char* name) {
  const tn_node_t* last = region->last;
  tn__gpu_add(text, "TN_FN void %s(", name);
  for (uint32_t k = 0; k < region->argument_count; ++k) {
    tn__gpu_add(text, "%s a%u, ", tn__gpu_dtype(region->arguments[k].type->dtype)->value, k);
  }
  for (uint32_t k = 0; k < last->operand_count; ++k) {
    tn__gpu_add(text, "%s%s* to%u", k ? ", " : "",
                tn__gpu_dtype(last->operands[k]->type->dtype)->value, k);
  }
  tn__gpu_add(text, ") {\n");
}

static tn_status_t add_region(tn_gpu_source_t* source, const tn_region_t* region, const char* name,
                              tn_arena_t* arena) {
  const tn_node_t* last = region->last;
  tn_gpu_text_t text = {.arena = arena};
  tn_gpu_members_t members;
  char result[TN_GPU_NAME_SIZE];
  TN_RETURN_IF_ERROR(tn__gpu_members_begin(&members, source, &text, region, arena));
  members.name = name_argument;
  add_head(&text, region, name);
  TN_FOR_EACH_NODE (node, region) {
    if (!is_copy(node)) TN_RETURN_IF_ERROR(tn__gpu_add_member(&members, node));
  }
  for (uint32_t k = 0; k < last->operand_count; ++k) {
    TN_RETURN_IF_ERROR(tn__gpu_name_value(&members, last->operands[k], result));
    tn__gpu_add(&text, "  *to%u = %s;\n", k, result);
  }
  tn__gpu_add(&text, "}\n");
  source->functions.has_failed |= text.has_failed;
  if (!text.has_failed) tn__gpu_add(&source->functions, "%s", text.bytes);
  return TN_OK;
}

tn_status_t tn__gpu_add_region(tn_gpu_source_t* source, const tn_region_t* region,
                               const char* name) {
  tn_arena_t arena;
  tn__arena_init(&arena, source->functions.arena->allocator);
  tn_status_t status = add_region(source, region, name, &arena);
  tn__arena_deinit(&arena);
  return status;
}
