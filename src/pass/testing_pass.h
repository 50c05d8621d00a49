// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Modules in tests of passes: from text to the clone that a pass rewrites.
#ifndef TENON_PASS_TESTING_PASS_H_
#define TENON_PASS_TESTING_PASS_H_

#include "base/testing.h"
#include "ir/ir.h"

// What was parsed, and its clone. A test's teardown, release, is done with both.
static tn_module_t *source, *rewritten;

// `main`, else the only function, of the clone.
static inline tn_function_t* clone_of(const char* text) {
  if (!text) return NULL;
  TN_ASSERT_OK(tn_module_parse(NULL, "test.mlir", text, strlen(text), &source));
  TN_ASSERT_OK(tn__module_clone(source, &rewritten));
  tn_function_t* entry = tn__module_entry(rewritten);
  assert_non_null(entry);
  return entry;
}

// Operations of that name, those of inner regions included.
static inline size_t count_in(const tn_region_t* region, const char* op) {
  size_t count = 0;
  TN_FOR_EACH_NODE (node, region) {
    count += strcmp(tn__op_short_name(node->op), op) == 0;
    for (uint32_t i = 0; i < node->region_count; ++i) count += count_in(node->regions[i], op);
  }
  return count;
}

static inline int release(void** state) {
  (void)state;
  tn_module_release(rewritten);
  tn_module_release(source);
  source = rewritten = NULL;
  return 0;
}

#endif  // TENON_PASS_TESTING_PASS_H_
