// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Who wrote the bytecode, and whether we know what they could have written.
#ifndef TENON_TEXT_BYTECODE_PRODUCER_H_
#define TENON_TEXT_BYTECODE_PRODUCER_H_

#include "text/bytecode/container.h"

// Refuses artifacts older and newer than what we know: their producer says StableHLO_v and a
// version. Others pass; names of operations have versions of their own.
TN_MUST_USE tn_status_t tn__bytecode_check_producer(const tn_bytecode_t* bytecode);

#endif  // TENON_TEXT_BYTECODE_PRODUCER_H_
