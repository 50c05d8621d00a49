// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Side effects and schedules, through the builder.
#include <stdio.h>

#include "../example.h"

static tn_value_t* ticket(tn_builder_t* b, bool has_side_effect,
                          tn_custom_call_schedule_t schedule) {
  const tn_custom_call_options_t options = {
      .struct_size = sizeof options,
      .api_version = TN_API_VERSION_TYPED_FFI,
      .has_side_effect = has_side_effect,
      .schedule = schedule,
  };
  return tn_builder_custom_call(b, "ticket", 0, NULL,
                                tn_builder_tensor_type(b, TN_DTYPE_S32, 0, NULL), &options);
}

int main(int argc, char** argv) {
  int32_t distance = 0;
  tn_builder_t* b = NULL;
  example_load(argc, argv);
  if (!example_succeeded(tn_builder_create(NULL, "order", &b))) return 1;
  // First in program order, scheduled last: the three others run before it.
  tn_value_t* last = ticket(b, false, TN_SCHEDULE_LATEST);
  ticket(b, true, TN_SCHEDULE_NONE);
  ticket(b, true, TN_SCHEDULE_NONE);
  tn_value_t* first = ticket(b, false, TN_SCHEDULE_EARLIEST);
  tn_value_t* result = tn_builder_subtract(b, last, first);
  if (!example_succeeded(example_build_and_run(b, result, NULL, (void*[]){&distance}))) return 1;
  printf("tickets from the first to the last: %d\n", (int)distance);
  return distance == 3 ? 0 : 1;
}
