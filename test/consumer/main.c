// What a user of the installed package writes; prints the version and exits with 0 when the library
// is the one that belongs to the headers.
#include <stdio.h>
#include <string.h>
#include <tenon/tenon.h>

static int report(tn_status_t status) {
  char text[256];
  tn_status_format(status, text, sizeof text);
  tn_status_release(status);
  fputs(text, stderr);
  return 1;
}

int main(void) {
  if (tn_version() != TN_VERSION) {
    return report(tn_status_create(TN_CODE_FAILED_PRECONDITION, "the library is %s, the headers %d",
                                   tn_version_string(), TN_VERSION));
  }
  if (tn_dtype_from_name("float32", strlen("float32")) != TN_DTYPE_F32) {
    return report(tn_status_create(TN_CODE_INTERNAL, "no dtype float32"));
  }
  puts(tn_version_string());
  return 0;
}
