// Attributes of a step: a copy of what the caller gave, and the words that tell them from others.
#ifndef TENON_LAZY_ATTRIBUTES_H_
#define TENON_LAZY_ATTRIBUTES_H_

#include <tenon/builder.h>

#include "base/allocator.h"

// Immutable; one piece of memory, of one step.
typedef struct tn_attributes {
  const tn_allocator_t* allocator;
  size_t byte_length;
  size_t count;
  const tn_attribute_t* entries;
  // Equal exactly when the attributes are: for keys of graphs.
  size_t word_count;
  const uint64_t* words;
} tn_attributes_t;

TN_MUST_USE tn_status_t tn__attributes_create(const tn_allocator_t* allocator, size_t count,
                                              const tn_attribute_t* entries,
                                              tn_attributes_t** out_attributes);
void tn__attributes_destroy(tn_attributes_t* attributes);
bool tn__attributes_equal(const tn_attributes_t* a, const tn_attributes_t* b);  // NULL: none
// NULL when there is none.
const tn_attribute_t* tn__attributes_find(const tn_attributes_t* attributes, const char* name);

#endif  // TENON_LAZY_ATTRIBUTES_H_
