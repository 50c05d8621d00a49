// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// What the operations of an imported function are on lazy arrays.
#ifndef TENON_IMPORT_IMPORT_H_
#define TENON_IMPORT_IMPORT_H_

#include "base/arena.h"
#include "lazy/array.h"

// One operation of a module, made ready to be applied again and again.
typedef struct tn_module_piece tn_module_piece_t;
struct tn_module_piece {
  const tn_node_t* node;
  // Gives node->result_count results for as many operands as the node has, and, behind them, values
  // that an excerpt captures. May change the list of operands.
  void (*apply)(tn_scope_t* scope, const tn_module_piece_t* piece, tn_array_t** operands,
                tn_array_t** out_results);
  const tn_excerpt_t* excerpt;  // NULL: attributes and body say all
  tn_attr_dictionary_t attributes;
  size_t given_count;  // of a call of a custom operation
  const tn_attribute_t* given;
  const tn_region_t* body;  // NULL: none
  tn_array_type_t* result_types;
  tn_array_t* constant;  // of a constant: all elements, or the only one; retained
};

// What is made lives in `arena`, which is that of the node's module. Operations that transforms
// know become steps as operations on arrays make them; others keep their node. Deinit in any case.
TN_MUST_USE tn_status_t tn__piece_init(tn_module_piece_t* piece, tn_scope_t* scope,
                                       const tn_node_t* node, tn_arena_t* arena);
void tn__piece_deinit(tn_module_piece_t* piece);

#endif  // TENON_IMPORT_IMPORT_H_
