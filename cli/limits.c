// The options that limit what a program may take.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

// "4G", "512M", "1000000". False: `text` is no such size.
static bool read_size(const char* text, uint64_t* out_byte_length) {
  static const char units[] = "KMGT";
  char* end = NULL;
  errno = 0;
  unsigned long long number = strtoull(text, &end, 10);
  if (errno || end == text || *text == '-' || number == 0) return false;
  unsigned shift = 0;
  if (*end) {
    const char* unit = strchr(units, *end);
    if (!unit || end[1]) return false;
    shift = 10 * (unsigned)(unit - units + 1);
  }
  *out_byte_length = (uint64_t)number << shift;
  return *out_byte_length >> shift == number;
}

int cli_check_limits(const arguments_t* arguments) {
  const char* limit = cli_value(arguments, OPTION_MEMORY_LIMIT, NULL);
  uint64_t byte_length = 0;
  if (!limit || read_size(limit, &byte_length)) return EXIT_FINE;
  return cli_refuse(arguments->command,
                    "--memory-limit %s: expected a number of bytes, such as 500M or 4G", limit);
}

uint64_t cli_memory_limit(const arguments_t* arguments) {
  const char* limit = cli_value(arguments, OPTION_MEMORY_LIMIT, NULL);
  uint64_t byte_length = 0;
  return limit && read_size(limit, &byte_length) ? byte_length : 0;
}
