// Until the registry is there: no target exists.
#include "call/call.h"

tn_status_t tn__call_prepare(const char* platform, const tn_node_t* node, tn_kernel_site_t* site,
                             const tn_kernel_t** out_kernel) {
  (void)site;
  *out_kernel = NULL;
  return tn_status_create(TN_CODE_NOT_FOUND,
                          "custom_call: no target \"%.*s\" is registered for platform %s",
                          TN_SV(tn__attr_get_string(&node->attrs, "call_target_name")), platform);
}
