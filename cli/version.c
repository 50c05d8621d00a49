#include "cli.h"

int tn_command_version(const arguments_t* arguments) {
  char version[32];
  snprintf(version, sizeof version, "%d.%d.%d", TN_VERSION_MAJOR, TN_VERSION_MINOR,
           TN_VERSION_PATCH);
  if (cli_has(arguments, OPTION_JSON)) {
    printf("{\"command\": \"%s\", \"library\": \"%s\"}\n", version, tn_version_string());
  } else {
    printf("tenon %s (library %s)\n", version, tn_version_string());
  }
  return EXIT_FINE;
}
