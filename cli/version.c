// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "cli.h"

static bool print_library(void* user, const tn_kernel_library_info_t* info) {
  (void)user;
  printf("%-10s %s: %s", info->name, info->is_used ? "used" : "not used", info->state);
  if (!info->soname) printf(" (%s; Debian: %s)", info->purpose, info->package);
  printf("\n");
  return true;
}

static bool print_library_json(void* user, const tn_kernel_library_info_t* info) {
  int* count = user;
  printf("%s{\"name\": ", (*count)++ ? ",\n  " : "");
  cli_print_json_string(stdout, info->name);
  printf(", \"purpose\": ");
  cli_print_json_string(stdout, info->purpose);
  printf(", \"is_used\": %s, \"state\": ", info->is_used ? "true" : "false");
  cli_print_json_string(stdout, info->state);
  printf("}");
  return true;
}

int tn_command_version(const arguments_t* arguments) {
  char version[32];
  int count = 0;
  snprintf(version, sizeof version, "%d.%d.%d", TN_VERSION_MAJOR, TN_VERSION_MINOR,
           TN_VERSION_PATCH);
  if (cli_has(arguments, OPTION_JSON)) {
    printf("{\"command\": \"%s\", \"library\": \"%s\",\n \"libraries\": [", version,
           tn_version_string());
    tn_kernel_library_enumerate(print_library_json, &count);
    printf("]}\n");
  } else {
    printf("tenon %s (library %s)\n", version, tn_version_string());
    tn_kernel_library_enumerate(print_library, NULL);
  }
  return EXIT_FINE;
}
