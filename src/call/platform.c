// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "call/platform.h"

#include <strings.h>

static const struct {
  const char *name, *spelling;
} spellings[] = {
#define TN_PLATFORM(name, spelling) {name, spelling},
#include "call/platform.def"
#undef TN_PLATFORM
};

const char* tn__platform_name(tn_string_view_t spelling) {
  for (size_t i = 0; i < sizeof spellings / sizeof *spellings; ++i) {
    if (strlen(spellings[i].spelling) == spelling.length &&
        strncasecmp(spellings[i].spelling, spelling.data, spelling.length) == 0) {
      return spellings[i].name;
    }
  }
  return NULL;
}

const char* tn__platform_list(void) {
#define TN_PLATFORM(name, spelling) ", " spelling
  static const char list[] =
#include "call/platform.def"
      ;
#undef TN_PLATFORM
  return list + 2;  // without the first comma
}
