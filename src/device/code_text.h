// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// What a device's compiler is given for the source of a kernel, and what is told of its answer.
#ifndef TENON_DEVICE_CODE_TEXT_H_
#define TENON_DEVICE_CODE_TEXT_H_

#include "kernel/encoder.h"

// The words of kernels, `words` of the language and those of Tenon's own kernels unless it is an
// author's library, and the source, whose errors count from its first line. malloc'ed.
TN_MUST_USE tn_status_t tn__code_text(const tn_device_code_t* code, const char* words,
                                      char** out_text);
// `log` is what the compiler said; NULL: nothing.
TN_MUST_USE tn_status_t tn__code_error(const tn_device_code_t* code, const char* device_name,
                                       const char* log);

#endif  // TENON_DEVICE_CODE_TEXT_H_
