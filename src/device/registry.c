// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// From the name of a device to the device.
#include <stdio.h>
#include <string.h>

#include "base/options.h"
#include "device/driver.h"

static const tn_device_driver_t* const drivers[] = {
#define TN_DEVICE_DRIVER(name) &tn__##name##_driver,
#include "device/drivers.def"
#undef TN_DEVICE_DRIVER
};
enum { DRIVER_COUNT = sizeof drivers / sizeof *drivers };

tn_status_t tn_device_enumerate(tn_device_visit_fn visit, void* user) {
  bool go_on = true;
  TN_RETURN_IF_NULL(visit);
  for (size_t i = 0; i < DRIVER_COUNT && go_on; ++i) {
    TN_RETURN_IF_ERROR(drivers[i]->enumerate(visit, user, &go_on));
  }
  return TN_OK;
}

// The driver's name, and the number behind a colon if there is one. False when this is neither
// "name" nor "name:number".
static bool parse(const char* name, const tn_device_driver_t* driver, unsigned* out_number) {
  size_t length = strlen(driver->name);
  *out_number = 0;
  if (strncmp(name, driver->name, length) != 0) return false;
  const char* rest = name + length;
  if (!*rest) return true;
  if (*rest != ':' || !rest[1]) return false;
  unsigned number = 0;
  for (const char* digit = rest + 1; *digit; ++digit) {
    if (*digit < '0' || *digit > '9' || number > 9999) return false;
    number = number * 10 + (unsigned)(*digit - '0');
  }
  *out_number = number;
  return true;
}

typedef struct name_list {
  char text[512];
  size_t length;
} name_list_t;

static bool append_name(void* user, const tn_device_info_t* info) {
  name_list_t* list = user;
  int written = snprintf(list->text + list->length, sizeof list->text - list->length, "%s%s",
                         list->length ? ", " : "", info->name);
  if (written < 0 || (size_t)written >= sizeof list->text - list->length) return false;
  list->length += (size_t)written;
  return true;
}

// `reason` is what the driver says, or NULL. Takes it.
static tn_status_t no_such_device(const char* name, tn_status_t reason) {
  name_list_t list = {.length = 0};
  tn_status_t status = tn_device_enumerate(append_name, &list);
  if (!status) {
    status = tn_status_create(TN_CODE_NOT_FOUND, "there is no device \"%.64s\"; there are: %s",
                              name, list.text);
  }
  if (reason) status = tn_status_note(status, "%s", tn_status_message(reason));
  tn_status_release(reason);
  return status;
}

static tn_status_t complete_options(const tn_device_options_t* options,
                                    tn_device_options_t* out_complete) {
  tn_device_options_t copy;
  tn_status_t status;
  options = TN_OPTIONS_READ(tn_device_options_t, options, &copy, &status);
  TN_RETURN_IF_ERROR(status);
  *out_complete = *options;
  if (!out_complete->context) out_complete->context = tn_context_default();
  TN_RETURN_IF_ERROR(tn__context_read_environment(out_complete->context));
  tn__context_complete(out_complete->context, out_complete);
  if (!out_complete->allocator) out_complete->allocator = tn_allocator_system();
  return TN_OK;
}

tn_status_t tn_device_create(const char* name, const tn_device_options_t* options,
                             tn_device_t** out_device) {
  tn_device_options_t complete;
  tn_status_t status;
  *out_device = NULL;
  TN_RETURN_IF_NULL(name);
  TN_RETURN_IF_ERROR(complete_options(options, &complete));
  for (size_t i = 0; i < DRIVER_COUNT; ++i) {
    unsigned number;
    if (!parse(name, drivers[i], &number)) continue;
    status = drivers[i]->create(number, &complete, out_device);
    return tn_status_code(status) == TN_CODE_NOT_FOUND ? no_such_device(name, status) : status;
  }
  return no_such_device(name, NULL);
}

static bool stop_at_first(void* user, const tn_device_info_t* info) {
  (void)user, (void)info;
  return false;
}

static bool visit_refusal(const tn_device_driver_t* driver, tn_device_missing_fn visit,
                          void* user) {
  const char* reason = driver->refusal ? driver->refusal() : NULL;
  char text[1200];
  if (!reason) return true;
  snprintf(text, sizeof text, "its devices cannot be used: %s", reason);
  return visit(user, driver->name, text);
}

// Asking for its first device says why there is none.
static tn_status_t visit_if_missing(const tn_device_driver_t* driver,
                                    const tn_device_options_t* options, tn_device_missing_fn visit,
                                    void* user, bool* out_go_on) {
  bool has_none = true;
  tn_device_t* device = NULL;
  TN_RETURN_IF_ERROR(driver->enumerate(stop_at_first, NULL, &has_none));
  if (!has_none) {
    *out_go_on = visit_refusal(driver, visit, user);
    return TN_OK;
  }
  tn_status_t status = driver->create(0, options, &device);
  if (status) *out_go_on = visit(user, driver->name, tn_status_message(status));
  tn_status_release(status);
  tn_device_release(device);
  return TN_OK;
}

tn_status_t tn_device_enumerate_missing(tn_device_missing_fn visit, void* user) {
  tn_device_options_t options;
  bool go_on = true;
  TN_RETURN_IF_NULL(visit);
  TN_RETURN_IF_ERROR(complete_options(NULL, &options));
  for (size_t i = 0; i < DRIVER_COUNT && go_on; ++i) {
    TN_RETURN_IF_ERROR(visit_if_missing(drivers[i], &options, visit, user, &go_on));
  }
  return TN_OK;
}
