// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// a / (1 + abs(a)). Integers are converted to float32.
TN_API tn_array_t* tn_array_soft_sign(tn_scope_t* scope, tn_array_t* a);
