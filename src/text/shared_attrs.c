// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// A program says the same attributes again and again: uses of an operation that say what an earlier
// one has said share them.
#include "text/parser.h"

void tn__parser_share_attrs(tn_parser_t* parser, const tn_draft_t* draft,
                            tn_attr_dictionary_t* attrs) {
  if (attrs->count == 0 || parser->region_stack.count > draft->regions) return;
  uint64_t hash = (uintptr_t)draft->op;
  for (size_t i = 0; i < attrs->count; ++i) {
    hash = (hash ^ tn__attr_hash(attrs->entries[i].attr)) * 0x9E3779B97F4A7C15u;
  }
  tn_shared_attrs_t* shared = &parser->shared[(hash ^ hash >> 32) % TN_SHARED_ATTRS];
  if (shared->op == draft->op && tn__attr_dictionary_same(&shared->attrs, attrs)) {
    *attrs = shared->attrs;
    // Nothing of the operation has been kept but its attributes: they are gone.
    if (parser->kept == draft->kept) tn__arena_rewind(parser->arena, draft->mark);
  } else {
    *shared = (tn_shared_attrs_t){draft->op, *attrs};
  }
}
