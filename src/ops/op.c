// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "ops/op.h"

#include <pthread.h>

#include "base/spelling.h"
#include "ops/rules.h"
#include "ops/spec.h"

const tn_op_t tn__ops[TN_OP_ID_COUNT] = {
#define TN_OP(dialect, op, ...) TN_OP_SPELT(dialect, op, #op, __VA_ARGS__)
#define TN_OP_SPELT(dialect, op, spelling, ...) \
  [TN_OP_ID_##dialect##_##op] = {.name = #dialect "." spelling, __VA_ARGS__},
#include "ops/ops.def"
#undef TN_OP
};

const char* tn__op_short_name(const tn_op_t* op) {
  const char* dot = tn__op_is_called(op) ? NULL : strchr(op->name, '.');
  return dot ? dot + 1 : op->name;
}

const tn_op_t* tn__op_retain(const tn_op_t* op) {
  if (op && op->owner) {
    atomic_fetch_add_explicit(&op->owner->references, 1, memory_order_relaxed);
  }
  return op;
}

void tn__op_release(const tn_op_t* op) {
  if (!op || !op->owner) return;
  if (atomic_fetch_sub_explicit(&op->owner->references, 1, memory_order_acq_rel) != 1) return;
  op->owner->destroy(op->owner);
}

size_t tn__op_count(void) {
  return TN_OP_ID_COUNT;
}

const tn_op_t* tn__op_at(size_t index) {
  return index < TN_OP_ID_COUNT ? &tn__ops[index] : NULL;
}

// --- by name: open addressing, at most half full

enum { BUCKET_COUNT = 512 };
_Static_assert(2 * TN_OP_ID_COUNT <= BUCKET_COUNT, "more buckets are needed");

static uint16_t buckets[BUCKET_COUNT];  // index + 1; 0: free
static pthread_once_t buckets_once = PTHREAD_ONCE_INIT;

static size_t first_bucket(tn_string_view_t name) {  // FNV-1a
  uint32_t hash = 2166136261u;
  for (size_t i = 0; i < name.length; ++i) hash = (hash ^ (unsigned char)name.data[i]) * 16777619u;
  return hash % BUCKET_COUNT;
}

static void fill_buckets(void) {
  for (size_t i = 0; i < TN_OP_ID_COUNT; ++i) {
    size_t bucket = first_bucket(tn__sv(tn__ops[i].name));
    while (buckets[bucket]) bucket = (bucket + 1) % BUCKET_COUNT;
    buckets[bucket] = (uint16_t)(i + 1);
  }
}

const tn_op_t* tn__op_find(tn_string_view_t name) {
  pthread_once(&buckets_once, fill_buckets);
  for (size_t bucket = first_bucket(name); buckets[bucket]; bucket = (bucket + 1) % BUCKET_COUNT) {
    const tn_op_t* op = &tn__ops[buckets[bucket] - 1];
    if (tn__sv_is(name, op->name)) return op;
  }
  return NULL;
}

// The operation of another dialect that has the name behind the dot; of StableHLO before others.
static const tn_op_t* find_elsewhere(tn_string_view_t name) {
  const tn_op_t* found = NULL;
  const char* dot = name.length ? memchr(name.data, '.', name.length) : NULL;
  if (!dot) return NULL;
  const tn_string_view_t rest = {dot + 1, (size_t)(name.data + name.length - dot - 1)};
  for (size_t i = 0; i < TN_OP_ID_COUNT; ++i) {
    if (!tn__sv_is(rest, tn__op_short_name(&tn__ops[i]))) continue;
    if (!found || strncmp(tn__ops[i].name, "stablehlo.", 10) == 0) found = &tn__ops[i];
  }
  return found;
}

const tn_op_t* tn__op_suggest(tn_string_view_t name) {
  bool has_dialect = name.length && memchr(name.data, '.', name.length);
  const tn_op_t* nearest = find_elsewhere(name);
  if (nearest) return nearest;
  tn_spelling_t search = {.word = name};
  for (size_t i = 0; i < TN_OP_ID_COUNT; ++i) {
    const tn_op_t* op = &tn__ops[i];
    const char* candidate = has_dialect ? op->name : tn__op_short_name(op);
    if (tn__spelling_consider(&search, tn__sv(candidate))) nearest = op;
  }
  return nearest;
}
