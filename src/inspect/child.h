// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Running unknown code in a confined child process (confine.h).
#ifndef TENON_CALL_CHILD_H_
#define TENON_CALL_CHILD_H_

#include "base/status.h"
#include "inspect/confine.h"

// How a child ended.
typedef struct tn_child_end {
  bool is_late;   // it was killed when its time was over
  bool is_known;  // `state` is what waitpid said; another part of the process may have asked first
  int state;
} tn_child_end_t;

// Memory that children share with their parent, zeroed. What is in it after a child has run is
// whatever the code in there wrote.
TN_MUST_USE tn_status_t tn__child_share(size_t byte_size, void** out_memory);
void tn__child_unshare(void* memory, size_t byte_size);

// Forks, and calls `work` in the child, which ends when it returns. Thread-safe; `work` runs with
// the forking thread alone, and the locks of Tenon free.
TN_MUST_USE tn_status_t tn__child_run(void (*work)(void* user, tn_confinement_t confinement),
                                      void* user, int64_t timeout_ms, tn_child_end_t* out_end);

// "it crashed (Segmentation fault)"; of a child that did not come to its end.
typedef struct tn_child_end_text {
  char text[96];
} tn_child_end_text_t;
tn_child_end_text_t tn__child_end_text(const tn_child_end_t* end);

#endif  // TENON_CALL_CHILD_H_
