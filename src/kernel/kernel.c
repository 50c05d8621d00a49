// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Finds kernels in the sets of a target.
#include <pthread.h>
#include <stdio.h>

#include "kernel/fusion/fusion.h"
#include "kernel/kernel_set.h"
#include "kernel/lib/library.h"
#include "kernel/target.h"

// Our own kernels are last: they compute everything.
static const tn_kernel_set_t* const host_sets[] = {&tn__kernel_set_lib, &tn__kernel_set_cpu};

const tn_compile_target_t tn__compile_target_host = {
    .platform = "Host",
    .is_host = true,
    .set_count = sizeof host_sets / sizeof *host_sets,
    .sets = host_sets,
    .fusion = &tn__cpu_fusion_rules,
    .host = &tn__compile_target_host,
    .libraries = UINT32_MAX,
    .fusion_element_count = -1,
};

// Reference kernels have no fused multiply-add and take terms in their order; they read one memory,
// whichever it is. What they do not support, the host computes.
static const tn_kernel_set_t* const strict_sets[] = {
    &tn__kernel_set_strict, &tn__kernel_set_reference, &tn__kernel_set_cpu};

void tn__compile_target_make_strict(tn_compile_target_t* target) {
  enum { ALL = sizeof strict_sets / sizeof *strict_sets };
  target->sets = strict_sets;
  target->set_count = target->is_host ? ALL : ALL - 1;
  target->fusion = NULL;
}

// Those that there are.
static const tn_compile_target_t* const targets[] = {
    &tn__compile_target_host, &tn__compile_target_reference, &tn__compile_target_opencl,
    &tn__compile_target_cuda};

// As rows spell it: StableHLO's operations without their dialect.
static const tn_op_t* op_of_row(const tn_kernel_t* row) {
  char name[64];
  const bool is_short = strchr(row->op, '.') == NULL;
  snprintf(name, sizeof name, "%s%s", is_short ? "stablehlo." : "", row->op);
  return tn__op_find(tn__sv(name));
}

// Rows of one operation stay in the order of the table: the first that supports a use is taken. Two
// targets may have one set.
static void index_set(const tn_kernel_set_t* set) {
  memset(set->first, 0, TN_OP_ID_COUNT * sizeof *set->first);
  for (size_t i = set->count; i-- > 0;) {
    const tn_op_t* op = op_of_row(&set->rows[i]);
    if (!op) continue;
    set->next[i] = set->first[tn__op_id(op)];
    set->first[tn__op_id(op)] = (uint16_t)(i + 1);
  }
}

static pthread_once_t index_once = PTHREAD_ONCE_INIT;
static void index_sets(void) {
  for (size_t t = 0; t < sizeof targets / sizeof *targets; ++t) {
    for (size_t i = 0; i < targets[t]->set_count; ++i) index_set(targets[t]->sets[i]);
  }
  index_set(&tn__kernel_set_strict);
}

// Why another kernel has to stand in for this one; NULL: it takes the use.
static const char* refusal_of(const tn_kernel_t* kernel, uint32_t libraries,
                              const tn_op_use_t* use) {
  const char* refusal =
      kernel->library ? tn__kernel_library_refusal(kernel->library - 1u, libraries) : NULL;
  return refusal || !kernel->refuse ? refusal : kernel->refuse(use);
}

// `out_reason` gets what the last kernel that refused the use said, if one did.
static const tn_kernel_t* find_in_set(const tn_kernel_set_t* set, size_t op, uint32_t libraries,
                                      const tn_op_use_t* use, const char** out_reason) {
  for (size_t row = set->first[op]; row; row = set->next[row - 1]) {
    const tn_kernel_t* kernel = &set->rows[row - 1];
    if (kernel->supports && !kernel->supports(use)) continue;
    const char* refusal = refusal_of(kernel, libraries, use);
    if (!refusal) return kernel;
    *out_reason = refusal;
  }
  return NULL;
}

static const tn_kernel_t* find(const tn_compile_target_t* target, const tn_op_use_t* use,
                               const char** out_reason) {
  pthread_once(&index_once, index_sets);
  *out_reason = NULL;
  if (use->op->find_kernel) return use->op->find_kernel(target, use);
  const size_t op = tn__op_id(use->op);
  for (size_t i = 0; op < TN_OP_ID_COUNT && i < target->set_count; ++i) {
    const tn_kernel_t* kernel =
        find_in_set(target->sets[i], op, target->libraries, use, out_reason);
    if (kernel) return kernel;
  }
  return NULL;
}

const tn_kernel_t* tn__kernel_find(const tn_compile_target_t* target, const tn_op_use_t* use) {
  const char* reason;
  return find(target, use, &reason);
}

const char* tn__kernel_reason(const tn_compile_target_t* target, const tn_kernel_t* kernel,
                              const tn_op_use_t* use) {
  const char* reason;
  // Another one: it was chosen in another way, or other libraries were allowed then. That one
  // library does not have what another has is no news.
  const tn_kernel_t* found = find(target, use, &reason);
  return found && found == kernel && !found->refuse ? reason : NULL;
}

size_t tn__kernel_count(const tn_compile_target_t* target) {
  size_t count = 0;
  for (size_t i = 0; i < target->set_count; ++i) count += target->sets[i]->count;
  return count;
}

const tn_kernel_t* tn__kernel_at(const tn_compile_target_t* target, size_t index) {
  for (size_t i = 0; i < target->set_count; ++i) {
    if (index < target->sets[i]->count) return &target->sets[i]->rows[index];
    index -= target->sets[i]->count;
  }
  return NULL;
}
