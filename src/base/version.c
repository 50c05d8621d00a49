// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include <tenon/version.h>

#define TEXT(token) #token
#define DOTTED(major, minor, patch) TEXT(major) "." TEXT(minor) "." TEXT(patch)

int tn_version(void) {
  return TN_VERSION;
}

const char* tn_version_string(void) {
  return DOTTED(TN_VERSION_MAJOR, TN_VERSION_MINOR, TN_VERSION_PATCH);
}
