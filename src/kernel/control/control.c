// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// The plan has put carries and results where they belong, so nothing moves here.
#include "kernel/control/control.h"

tn_status_t tn__cpu_while_run(const tn_kernel_call_t* call) {
  const tn_body_t* condition = &call->bodies[0];
  const tn_body_t* body = &call->bodies[1];
  for (;;) {
    TN_RETURN_IF_ERROR(condition->run(condition));
    if (*(const uint8_t*)condition->results[0] == 0) return TN_OK;
    TN_RETURN_IF_ERROR(body->run(body));
  }
}

tn_status_t tn__cpu_if_run(const tn_kernel_call_t* call) {
  const tn_body_t* branch = &call->bodies[*(const uint8_t*)call->operands[0] ? 0 : 1];
  return branch->run(branch);
}

tn_status_t tn__cpu_case_prepare(tn_kernel_site_t* site) {
  void* memory = NULL;
  TN_RETURN_IF_ERROR(tn__arena_allocate(site->arena, sizeof(int32_t), &memory));
  *(int32_t*)memory = (int32_t)site->use->region_count;
  site->state = memory;
  return TN_OK;
}

// An index outside the branches takes the last one.
tn_status_t tn__cpu_case_run(const tn_kernel_call_t* call) {
  int32_t count = *(const int32_t*)call->state;
  int32_t index = *(const int32_t*)call->operands[0];
  const tn_body_t* branch = &call->bodies[index < 0 || index >= count ? count - 1 : index];
  return branch->run(branch);
}
