// The scope's own sequence of keys.
#ifndef TENON_LAZY_OPS_THREEFRY_H_
#define TENON_LAZY_OPS_THREEFRY_H_

#include "lazy/array.h"

// Takes a key from the scope's sequence.
void tn__scope_next_key(tn_scope_t* scope, uint32_t out_key[2]);

#endif  // TENON_LAZY_OPS_THREEFRY_H_
