// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Who sees a function of libtenon besides libtenon itself.
#ifndef TENON_BASE_VISIBILITY_H_
#define TENON_BASE_VISIBILITY_H_

// libtenon_inspect (inspect/), which is built with this library and installed beside it. No part of
// the API.
#define TN_FOR_INSPECT __attribute__((visibility("default")))

#endif  // TENON_BASE_VISIBILITY_H_
