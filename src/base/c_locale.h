// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Numbers as text in the C locale, whatever locale the host has set: a point, never a comma.
#ifndef TENON_BASE_C_LOCALE_H_
#define TENON_BASE_C_LOCALE_H_

#include <stdarg.h>
#include <stddef.h>
#include <tenon/detail/export.h>

// As vsnprintf, snprintf, strtod and strtof. Thread-safe.
int tn__c_vsnprintf(char* text, size_t capacity, const char* format, va_list arguments)
    TN_PRINTF(3, 0);
int tn__c_snprintf(char* text, size_t capacity, const char* format, ...) TN_PRINTF(3, 4);
double tn__c_strtod(const char* text, char** out_end);
float tn__c_strtof(const char* text, char** out_end);

#endif  // TENON_BASE_C_LOCALE_H_
