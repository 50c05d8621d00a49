// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "kernel/common/site.h"

tn_status_t tn__site_list(const tn_kernel_site_t* site, const char* name, size_t wanted_count,
                          const int64_t** out_values) {
  tn_i64_list_t list;
  TN_RETURN_IF_ERROR(tn__attr_get_i64_list(&site->use->attrs, name, site->arena, &list));
  if (!list.present || list.count != wanted_count) {
    return tn_status_create(TN_CODE_INTERNAL, "%s: attribute %s has %zu entries; expected %zu",
                            tn__op_short_name(site->use->op), name, list.count, wanted_count);
  }
  *out_values = list.values;
  return TN_OK;
}

tn_status_t tn__site_state(tn_kernel_site_t* site, size_t byte_size, void** out) {
  TN_RETURN_IF_ERROR(tn__arena_allocate(site->arena, byte_size, out));
  site->state = *out;
  return TN_OK;
}
