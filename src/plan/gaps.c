// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "plan/gaps.h"

tn_status_t tn__gaps_init(tn_gaps_t* gaps, tn_arena_t* arena, size_t most) {
  void* memory = NULL;
  // One gap at most beside each block in use; the first block is none.
  if (most > UINT32_MAX / 2 - 1) return tn__status_out_of_memory();
  TN_RETURN_IF_ERROR(tn__arena_allocate_array(arena, 2 * most + 2, sizeof(tn_block_t), &memory));
  *gaps = (tn_gaps_t){.blocks = memory, .block_count = 1};
  return TN_OK;
}

// --- the tree

static bool is_less(const tn_block_t* block, size_t size, size_t offset) {
  return block->size < size || (block->size == size && block->offset < offset);
}

// Parts `tree` into what is less than the key and what is not.
static void split(tn_gaps_t* gaps, uint32_t tree, size_t size, size_t offset, uint32_t* out_less,
                  uint32_t* out_rest) {
  while (tree) {
    tn_block_t* block = &gaps->blocks[tree];
    ++gaps->looked_at;
    if (is_less(block, size, offset)) {
      *out_less = tree;
      out_less = &block->right;
      tree = block->right;
    } else {
      *out_rest = tree;
      out_rest = &block->left;
      tree = block->left;
    }
  }
  *out_less = *out_rest = 0;
}

static uint32_t merge(tn_gaps_t* gaps, uint32_t less, uint32_t rest) {
  uint32_t root = 0;
  uint32_t* place = &root;
  while (less && rest) {
    tn_block_t *a = &gaps->blocks[less], *b = &gaps->blocks[rest];
    ++gaps->looked_at;
    if (a->priority > b->priority) {
      *place = less;
      place = &a->right;
      less = a->right;
    } else {
      *place = rest;
      place = &b->left;
      rest = b->left;
    }
  }
  *place = less ? less : rest;
  return root;
}

static void insert(tn_gaps_t* gaps, uint32_t index) {
  tn_block_t* block = &gaps->blocks[index];
  uint32_t* place = &gaps->root;
  // Priorities that look random keep the tree shallow, whatever the plan; its shape decides
  // nothing.
  block->priority = index * 2654435769u;
  while (*place && gaps->blocks[*place].priority >= block->priority) {
    tn_block_t* other = &gaps->blocks[*place];
    ++gaps->looked_at;
    place = is_less(other, block->size, block->offset) ? &other->right : &other->left;
  }
  split(gaps, *place, block->size, block->offset, &block->left, &block->right);
  *place = index;
  block->is_gap = true;
}

static void remove_gap(tn_gaps_t* gaps, uint32_t index) {
  tn_block_t* block = &gaps->blocks[index];
  uint32_t* place = &gaps->root;
  while (*place != index) {
    tn_block_t* other = &gaps->blocks[*place];
    ++gaps->looked_at;
    place = is_less(other, block->size, block->offset) ? &other->right : &other->left;
  }
  *place = merge(gaps, block->left, block->right);
  block->is_gap = false;
}

// The first gap of at least that size; 0: none.
static uint32_t find(tn_gaps_t* gaps, size_t size) {
  uint32_t best = 0;
  for (uint32_t tree = gaps->root; tree;) {
    const tn_block_t* block = &gaps->blocks[tree];
    ++gaps->looked_at;
    if (block->size < size) {
      tree = block->right;
    } else {
      best = tree;
      tree = block->left;
    }
  }
  return best;
}

// --- blocks

// A block behind `before` (0: the first one).
static uint32_t add(tn_gaps_t* gaps, uint32_t before, size_t offset, size_t size) {
  uint32_t index = gaps->unused;
  if (index) {
    gaps->unused = gaps->blocks[index].after;
  } else {
    index = gaps->block_count++;
  }
  uint32_t after = before ? gaps->blocks[before].after : 0;
  gaps->blocks[index] =
      (tn_block_t){.offset = offset, .size = size, .before = before, .after = after};
  if (before) gaps->blocks[before].after = index;
  if (after) {
    gaps->blocks[after].before = index;
  } else {
    gaps->last = index;
  }
  return index;
}

// The block behind `index` becomes part of it.
static void absorb(tn_gaps_t* gaps, uint32_t index) {
  tn_block_t* block = &gaps->blocks[index];
  uint32_t gone = block->after, after = gaps->blocks[gone].after;
  block->size += gaps->blocks[gone].size;
  block->after = after;
  if (after) {
    gaps->blocks[after].before = index;
  } else {
    gaps->last = index;
  }
  gaps->blocks[gone].after = gaps->unused;
  gaps->unused = gone;
}

uint32_t tn__gaps_take(tn_gaps_t* gaps, size_t size) {
  uint32_t index = find(gaps, size);
  if (index) {
    tn_block_t* block = &gaps->blocks[index];
    remove_gap(gaps, index);
    if (block->size == size) return index;
    uint32_t rest = add(gaps, index, block->offset + size, block->size - size);
    block->size = size;
    insert(gaps, rest);
    return index;
  }
  index = gaps->last;
  if (index && gaps->blocks[index].is_gap) {
    remove_gap(gaps, index);
    gaps->blocks[index].size = size;
  } else {
    index = add(gaps, index, gaps->byte_size, size);
  }
  gaps->byte_size = gaps->blocks[index].offset + size;
  return index;
}

void tn__gaps_give(tn_gaps_t* gaps, uint32_t index) {
  uint32_t after = gaps->blocks[index].after, before = gaps->blocks[index].before;
  if (after && gaps->blocks[after].is_gap) {
    remove_gap(gaps, after);
    absorb(gaps, index);
  }
  if (before && gaps->blocks[before].is_gap) {
    remove_gap(gaps, before);
    absorb(gaps, before);
    index = before;
  }
  insert(gaps, index);
}
