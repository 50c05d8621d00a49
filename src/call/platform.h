// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// What platforms are called.
#ifndef TENON_CALL_PLATFORM_H_
#define TENON_CALL_PLATFORM_H_

#include "base/view.h"
#include "base/visibility.h"

// The name in the registry for any spelling; static. NULL when there is no such platform.
TN_FOR_INSPECT const char* tn__platform_name(tn_string_view_t spelling);
// "Host (or cpu), CUDA (or gpu), OpenCL", for messages; static.
const char* tn__platform_list(void);

#endif  // TENON_CALL_PLATFORM_H_
