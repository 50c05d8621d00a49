// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Random words in the operations of StableHLO, for who has no such function.
#ifndef TENON_LAZY_EMIT_RANDOM_H_
#define TENON_LAZY_EMIT_RANDOM_H_

#include <tenon/builder.h>

// ui32[batch..., 2] to ui32[batch..., count], the words that the target TN_RANDOM_WORDS gives; NULL
// after a mistake, which the builder has.
tn_value_t* tn__emit_random_words(tn_builder_t* builder, tn_value_t* key, int64_t count);

#endif  // TENON_LAZY_EMIT_RANDOM_H_
