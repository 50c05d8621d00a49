// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// stablehlo.convert
#include "base/pool.h"
#include "kernel/common/native.h"
#include "kernel/common/site.h"
#include "kernel/elementwise/elementwise.h"

enum { GRAIN = 32768, QUICK_COUNT = 1024 };

typedef struct convert_state {
  tn_conversion_t conversion;
  int64_t count;
} convert_state_t;

static tn_status_t run_quick(const tn_kernel_call_t* call) {
  const convert_state_t* state = call->state;
  state->conversion.run(&state->conversion, call->operands[0], call->results[0],
                        (size_t)state->count);
  return TN_OK;
}

tn_status_t tn__cpu_convert_prepare(tn_kernel_site_t* site) {
  void* memory;
  TN_RETURN_IF_ERROR(tn__site_state(site, sizeof(convert_state_t), &memory));
  convert_state_t* state = memory;
  state->conversion =
      tn__conversion(tn__site_operand(site, 0)->dtype, tn__site_result(site, 0)->dtype);
  state->count = tn__type_size(tn__site_result(site, 0));
  if (state->count <= QUICK_COUNT) site->run_quick = run_quick;
  if (state->count == 1) {
    site->threaded = tn__threaded_conversion(state->conversion.from, state->conversion.to);
  }
  return TN_OK;
}

tn_status_t tn__cpu_convert_range(int64_t begin, int64_t end, void* user) {
  const tn_kernel_call_t* call = user;
  const tn_conversion_t* conversion = &((const convert_state_t*)call->state)->conversion;
  const char* from =
      (const char*)call->operands[0] + (size_t)begin * tn_dtype_byte_size(conversion->from);
  char* to = (char*)call->results[0] + (size_t)begin * tn_dtype_byte_size(conversion->to);
  conversion->run(conversion, from, to, (size_t)(end - begin));
  return TN_OK;
}

tn_status_t tn__cpu_convert_run(const tn_kernel_call_t* call) {
  const convert_state_t* state = call->state;
  return tn__pool_parallel_for(call->context->pool, state->count, GRAIN, tn__cpu_convert_range,
                               (void*)call);
}
