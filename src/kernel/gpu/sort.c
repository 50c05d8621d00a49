// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// sort: the order of each line, and then the elements in it.
#include "base/type.h"
#include "kernel/gpu/order.h"
#include "kernel/gpu/region.h"

enum { MOST_SORTED = 16 };  // operands

bool tn__gpu_sort_supports(const tn_op_use_t* use) {
  if (use->region_count != 1 || use->operand_count > MOST_SORTED || !tn__gpu_know_types(use)) {
    return false;
  }
  const tn_region_t* region = use->regions[0].region;
  if (!tn__gpu_region_is_elementwise(region) || region->argument_count != 2 * use->operand_count) {
    return false;
  }
  for (size_t d = 0; d < use->operand_types[0]->rank; ++d) {
    if (use->operand_types[0]->dims[d] > TN_GPU_MOST_ORDERED) return false;
  }
  for (size_t k = 0; k < region->argument_count; ++k) {
    if (region->arguments[k].type->dtype != use->operand_types[k / 2]->dtype) return false;
  }
  return true;
}

// Writes tn_before's comparison by one key.
static void add_key(tn_gpu_text_t* functions, const tn_sort_key_t* key, tn_dtype_t dtype) {
  const bool is_real = tn_dtype_kind(dtype) == TN_KIND_FLOAT, is_wide = dtype == TN_DTYPE_F64;
  const char* word = !is_real            ? ""
                     : key->is_canonical ? (is_wide ? "KEY_F64" : "KEY_F32")
                                         : (is_wide ? "ORDER_F64" : "ORDER_F32");
  const char* type = !is_real ? tn__gpu_dtype(dtype)->value : is_wide ? "long" : "int";
  tn__gpu_add(functions,
              "  {\n    const %s p = %s(a%u), q = %s(a%u);\n    if (p != q) return p %s q;\n  }\n",
              type, word, 2 * key->operand, word, 2 * key->operand + 1,
              key->descending ? ">" : "<");
}

// Writes tn_before of two elements: the largest first, in the total order.
static tn_status_t add_greater(tn_gpu_source_t* source, void* user) {
  const tn_kernel_site_t* site = user;
  const tn_dtype_t dtype = site->use->operand_types[0]->dtype;
  const tn_gpu_dtype_t* words = tn__gpu_dtype(dtype);
  const tn_sort_key_t key = {.descending = true};
  tn__gpu_add(&source->functions, "TN_FN int tn_before(%s a0, %s a1) {\n", words->value,
              words->value);
  add_key(&source->functions, &key, dtype);
  const size_t x = tn__gpu_add_address(source, 0, 0, words->memory);
  tn__gpu_add(&source->functions,
              "  return 0;\n}\n"
              "#define LESS(j, k) tn_before(LOAD%s(x%zu, base + (j)), LOAD%s(x%zu, base + (k)))\n",
              words->suffix, x, words->suffix, x);
  return TN_OK;
}

// Where the order is known, floats that its comparison calls neither less nor greater have a place.
static tn_status_t add_comparison(tn_gpu_source_t* source, const tn_kernel_site_t* site) {
  const tn_op_use_t* use = site->use;
  const tn_body_shape_t* body = &site->bodies[0];
  tn_gpu_text_t* functions = &source->functions;
  if (body->key_count == 0) {
    TN_RETURN_IF_ERROR(tn__gpu_add_region(source, use->regions[0].region, "tn_less"));
  }
  tn__gpu_add(functions, "TN_FN int tn_before(");
  for (size_t k = 0; k < 2 * use->operand_count; ++k) {
    tn__gpu_add(functions, "%s%s a%zu", k ? ", " : "",
                tn__gpu_dtype(use->operand_types[k / 2]->dtype)->value, k);
  }
  tn__gpu_add(functions, ") {\n");
  for (size_t k = 0; k < body->key_count; ++k) {
    add_key(functions, &body->keys[k], use->operand_types[body->keys[k].operand]->dtype);
  }
  if (body->key_count) {
    tn__gpu_add(functions, "  return 0;\n}\n");
    return TN_OK;
  }
  tn__gpu_add(functions, "  uchar is_less;\n  tn_less(");
  for (size_t k = 0; k < 2 * use->operand_count; ++k) tn__gpu_add(functions, "a%zu, ", k);
  tn__gpu_add(functions, "&is_less);\n  return is_less;\n}\n");
  return TN_OK;
}

static tn_status_t add_less(tn_gpu_source_t* source, void* user) {
  const tn_kernel_site_t* site = user;
  const tn_op_use_t* use = site->use;
  TN_RETURN_IF_ERROR(add_comparison(source, site));
  tn__gpu_add(&source->functions, "#define LESS(j, k) tn_before(");
  for (size_t k = 0; k < use->operand_count; ++k) {
    const tn_gpu_dtype_t* dtype = tn__gpu_dtype(use->operand_types[k]->dtype);
    const size_t x = tn__gpu_add_address(source, (int32_t)k, 0, dtype->memory);
    tn__gpu_add(&source->functions,
                "%sLOAD%s(x%zu, base + (j) * inner), LOAD%s(x%zu, base + (k) * inner)",
                k ? ", " : "", dtype->suffix, x, dtype->suffix, x);
  }
  tn__gpu_add(&source->functions, ")\n");
  return TN_OK;
}

// The launch that puts elements where the order says.
static void write_places(tn_gpu_source_t* source, const tn_kernel_site_t* site,
                         const tn_gpu_order_t* order) {
  const tn_op_use_t* use = site->use;
  tn__gpu_begin(source, site->arena, order->line_count * order->length);
  tn__gpu_add_line(source, order);
  const size_t indices = tn__gpu_add_address(source, TN_GPU_SCRATCH, order->byte_offset, "uint");
  tn__gpu_add(&source->body, "  const long from = min((long)x%zu[i], length - 1);\n", indices);
  for (size_t k = 0; k < use->operand_count; ++k) {
    const char* bits = tn__gpu_bits_of(use->operand_types[k]);
    const size_t x = tn__gpu_add_address(source, (int32_t)k, 0, bits);
    const size_t y = tn__gpu_add_output(source, TN_GPU_RESULT(k), 0, bits);
    tn__gpu_add(&source->body, "  y%zu[base + j * inner] = x%zu[base + from * inner];\n", y, x);
  }
}

tn_status_t tn__gpu_sort_prepare(tn_kernel_site_t* site) {
  const tn_op_use_t* use = site->use;
  const tn_type_t* type = use->operand_types[0];
  int64_t dimension = tn__attr_get_integer(&use->attrs, "dimension", -1);
  if (dimension < 0) dimension += (int64_t)type->rank;
  tn_gpu_order_t order = {.length = type->rank ? type->dims[dimension] : 1,
                          .inner = 1,
                          .add_less = add_less,
                          .user = site};
  for (size_t d = (size_t)dimension + 1; d < type->rank; ++d) order.inner *= type->dims[d];
  order.line_count = order.length ? tn__type_size(type) / order.length : 0;
  const size_t count = tn__gpu_order_launch_count(order.length);
  tn_gpu_source_t source;
  tn_gpu_state_t* state = NULL;
  TN_RETURN_IF_ERROR(tn__gpu_state_create(site, count + 1, &state));
  TN_RETURN_IF_ERROR(tn__gpu_order_prepare(site, state, 0, &order));
  write_places(&source, site, &order);
  site->holds_regions = true;
  return tn__gpu_finish(site, state, count, &source);
}

// --- top_k: the beginning of the order

bool tn__gpu_top_k_supports(const tn_op_use_t* use) {
  const tn_type_t* type = use->operand_types[0];
  return tn__gpu_know_types(use) && type->dims[type->rank - 1] <= TN_GPU_MOST_ORDERED;
}

tn_status_t tn__gpu_top_k_prepare(tn_kernel_site_t* site) {
  const tn_op_use_t* use = site->use;
  const tn_type_t* type = use->operand_types[0];
  const char* bits = tn__gpu_bits_of(type);
  tn_gpu_order_t order = {
      .length = type->dims[type->rank - 1], .inner = 1, .add_less = add_greater, .user = site};
  order.line_count = order.length ? tn__type_size(type) / order.length : 0;
  const size_t count = tn__gpu_order_launch_count(order.length);
  tn_gpu_source_t source;
  tn_gpu_state_t* state = NULL;
  TN_RETURN_IF_ERROR(tn__gpu_state_create(site, count + 1, &state));
  TN_RETURN_IF_ERROR(tn__gpu_order_prepare(site, state, 0, &order));
  tn__gpu_begin(&source, site->arena, tn__type_size(use->result_types[0]));
  const size_t k = tn__gpu_add_number(&source, tn__attr_get_integer(&use->attrs, "k", 0));
  const size_t length = tn__gpu_add_number(&source, order.length);
  tn__gpu_add_address(&source, 0, 0, bits);
  tn__gpu_add_address(&source, TN_GPU_SCRATCH, order.byte_offset, "uint");
  tn__gpu_add_output(&source, TN_GPU_RESULT(0), 0, bits);
  tn__gpu_add_output(&source, TN_GPU_RESULT(1), 0, "int");
  tn__gpu_add(&source.body,
              "  const long line = i / n(%zu) * n(%zu);\n"
              "  const long from = min((long)x1[line + i %% n(%zu)], n(%zu) - 1);\n"
              "  y0[i] = x0[line + from];\n  y1[i] = (int)from;\n",
              k, length, k, length);
  return tn__gpu_finish(site, state, count, &source);
}
