// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "base/c_locale.h"

#include <locale.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static locale_t c_locale;  // not of the heap: the C library has it ready

static void make(void) {
  c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

static locale_t get(void) {
  pthread_once(&once, make);
  return c_locale;
}

int tn__c_vsnprintf(char* text, size_t capacity, const char* format, va_list arguments) {
  locale_t before = uselocale(get());
  int length = vsnprintf(text, capacity, format, arguments);
  uselocale(before);
  return length;
}

int tn__c_snprintf(char* text, size_t capacity, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  int length = tn__c_vsnprintf(text, capacity, format, arguments);
  va_end(arguments);
  return length;
}

double tn__c_strtod(const char* text, char** out_end) {
  return strtod_l(text, out_end, get());
}

float tn__c_strtof(const char* text, char** out_end) {
  return strtof_l(text, out_end, get());
}
