// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Linkage and annotation macros of the public headers.
#ifndef TENON_DETAIL_EXPORT_H_
#define TENON_DETAIL_EXPORT_H_

#define TN_API __attribute__((visibility("default")))
#define TN_MUST_USE __attribute__((warn_unused_result))
#define TN_PRINTF(format_index, first_argument) \
  __attribute__((format(printf, format_index, first_argument)))

#ifdef __cplusplus
#define TN_EXTERN_C_BEGIN extern "C" {
#define TN_EXTERN_C_END }
#else
#define TN_EXTERN_C_BEGIN
#define TN_EXTERN_C_END
#endif

#endif  // TENON_DETAIL_EXPORT_H_
