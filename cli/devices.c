// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include <inttypes.h>

#include "cli.h"

static bool print_line(void* user, const tn_device_info_t* info) {
  char memory[32];
  (void)user;
  printf("%-10s %-8s %s", info->name, info->platform, info->description);
  if (info->memory_byte_size) {
    printf(", %s", cli_bytes_text((double)info->memory_byte_size, memory));
  }
  printf("\n");
  return true;
}

static bool print_missing(void* user, const char* kind, const char* reason) {
  (void)user;
  printf("%-10s unavailable: %s\n", kind, reason);
  return true;
}

static bool print_json(void* user, const tn_device_info_t* info) {
  int* count = user;
  printf("%s{\"name\": ", (*count)++ ? ",\n " : "");
  cli_print_json_string(stdout, info->name);
  printf(", \"platform\": ");
  cli_print_json_string(stdout, info->platform);
  printf(", \"description\": ");
  cli_print_json_string(stdout, info->description);
  printf(", \"memory_bytes\": %" PRIu64 ", \"is_gpu\": %s}", info->memory_byte_size,
         info->is_gpu ? "true" : "false");
  return true;
}

int tn_command_devices(const arguments_t* arguments) {
  bool is_json = cli_has(arguments, OPTION_JSON);
  int count = 0;
  if (is_json) printf("[");
  tn_status_t status = tn_device_enumerate(is_json ? print_json : print_line, &count);
  if (is_json) printf("]\n");
  if (!status && !is_json) status = tn_device_enumerate_missing(print_missing, NULL);
  return status ? cli_report(status) : EXIT_FINE;
}
