// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// The version; the build reads these three numbers.
#ifndef TENON_VERSION_H_
#define TENON_VERSION_H_

#include <tenon/detail/export.h>

TN_EXTERN_C_BEGIN

#define TN_VERSION_MAJOR 0
#define TN_VERSION_MINOR 1
#define TN_VERSION_PATCH 0

// For comparisons in #if: TN_VERSION >= TN_VERSION_NUMBER(0, 2, 0).
#define TN_VERSION_NUMBER(major, minor, patch) ((major)*1000000 + (minor)*1000 + (patch))
#define TN_VERSION TN_VERSION_NUMBER(TN_VERSION_MAJOR, TN_VERSION_MINOR, TN_VERSION_PATCH)

// The version of the loaded library, which may be newer than the header that a caller was compiled
// with.
TN_API int tn_version(void);
TN_API const char* tn_version_string(void);  // "0.1.0"; static

TN_EXTERN_C_END

#endif  // TENON_VERSION_H_
