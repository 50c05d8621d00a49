// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Reference count of memory that a handler may still use after its call has timed out or was
// cancelled: an abandoned future holds a reference to the run until it is complete, which may be
// never.
#ifndef TENON_CALL_LIFETIME_H_
#define TENON_CALL_LIFETIME_H_

#include <stdatomic.h>

typedef struct tn_call_lifetime {
  atomic_uint references;
  // Called by the thread that releases the last reference, under no lock.
  void (*destroy)(struct tn_call_lifetime* lifetime);
} tn_call_lifetime_t;

static inline void tn__lifetime_init(tn_call_lifetime_t* lifetime,
                                     void (*destroy)(tn_call_lifetime_t* lifetime)) {
  atomic_init(&lifetime->references, 1);
  lifetime->destroy = destroy;
}

static inline tn_call_lifetime_t* tn__lifetime_retain(tn_call_lifetime_t* lifetime) {
  if (lifetime) atomic_fetch_add_explicit(&lifetime->references, 1, memory_order_relaxed);
  return lifetime;
}

static inline void tn__lifetime_release(tn_call_lifetime_t* lifetime) {
  if (lifetime && atomic_fetch_sub_explicit(&lifetime->references, 1, memory_order_acq_rel) == 1) {
    lifetime->destroy(lifetime);
  }
}

#endif  // TENON_CALL_LIFETIME_H_
