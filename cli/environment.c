// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Variables of the environment: their table, and names that are nearly in it.
#include <string.h>

#include "cli.h"

const variable_t cli_variables[] = {
#define TN_VARIABLE(name, help) {#name, help},
#include "environment.def"
#undef TN_VARIABLE
};
const size_t cli_variable_count = sizeof cli_variables / sizeof *cli_variables;

extern char** environ;

void cli_check_environment(void) {
  enum { LIMIT = 16 };
  static const char prefix[] = "TENON_";
  const char* names[LIMIT];
  size_t count = 0;
  for (; count < cli_variable_count && count < LIMIT; ++count) {
    names[count] = cli_variables[count].name;
  }
  for (char** at = environ; at && *at; ++at) {
    char name[64];
    const size_t length = strcspn(*at, "=");
    if (strncmp(*at, prefix, strlen(prefix)) != 0 || length >= sizeof name) continue;
    memcpy(name, *at, length);
    name[length] = 0;
    bool is_known = false;
    for (size_t i = 0; i < count; ++i) is_known = is_known || strcmp(name, names[i]) == 0;
    // Whole names would be alike by their beginning.
    const char* near = NULL;
    for (size_t i = 0; i < count && !is_known; ++i) {
      if (strncmp(names[i], prefix, strlen(prefix)) != 0) continue;
      const char* rest = names[i] + strlen(prefix);
      if (tn_nearest_name(name + strlen(prefix), 1, &rest)) near = names[i];
    }
    if (!near) continue;
    cli_warn(tn_status_create(TN_CODE_INVALID_ARGUMENT,
                              "the environment has %s, which nothing reads; did you mean %s?", name,
                              near));
  }
}
