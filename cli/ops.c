// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// tenon ops: the operations of programs and the custom calls of libraries.
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"

typedef struct listing {
  const char* name;  // NULL: all
  bool is_json;
  size_t count;  // shown
  tn_device_t* device;
} listing_t;

static bool is_wanted(const listing_t* listing, const char* full, const char* short_name) {
  return !listing->name || strcmp(listing->name, full) == 0 ||
         strcmp(listing->name, short_name) == 0;
}

// --- element types

static bool is_element(int dtype) {
  return tn_dtype_is_valid(dtype) && tn_dtype_kind((tn_dtype_t)dtype) != TN_KIND_TOKEN &&
         dtype != TN_DTYPE_INDEX;
}

static bool is_typeless(const listing_t* listing, const tn_op_info_t* info) {
  return cli_op_supports(listing->device, info, TN_DTYPE_F32) == SUPPORT_TYPELESS;
}

// What is computed of the types of `kinds`, by their names; or `all` when it is all of them.
static size_t name_types(const listing_t* listing, const tn_op_info_t* info, unsigned kinds,
                         const char* all, size_t capacity, char* out) {
  size_t length = 0, refused = 0;
  *out = 0;
  for (int i = 0; i < TN_DTYPE_LIMIT; ++i) {
    const tn_dtype_t dtype = (tn_dtype_t)i;
    if (!is_element(i) || !(tn_dtype_kind(dtype) & kinds)) continue;
    if (cli_op_supports(listing->device, info, dtype) != SUPPORT_COMPUTED) {
      ++refused;
    } else if (length < capacity) {
      length += (size_t)snprintf(out + length, capacity - length, "%s%s", length ? ", " : "",
                                 tn_dtype_name(dtype));
    }
  }
  if (length && !refused) snprintf(out, capacity, "%s", all);
  return strlen(out);
}

static void list_types(const listing_t* listing, const tn_op_info_t* info, size_t capacity,
                       char* out) {
  static const struct {
    unsigned kinds;
    const char* all;
  } groups[] = {{TN_KIND_BOOL, "booleans"},
                {TN_KIND_SIGNED, "signed integers"},
                {TN_KIND_UNSIGNED, "unsigned integers"},
                {TN_KIND_FLOAT, "floats"},
                {TN_KIND_COMPLEX, "complex numbers"}};
  size_t length = 0;
  *out = 0;
  for (size_t i = 0; i < sizeof groups / sizeof *groups && length + 2 < capacity; ++i) {
    const char* separator = length ? ", " : "";
    char names[512];
    if (!name_types(listing, info, groups[i].kinds, groups[i].all, sizeof names, names)) continue;
    length += (size_t)snprintf(out + length, capacity - length, "%s%s", separator, names);
  }
}

// --- JSON

static const char* json_bool(bool value) {
  return value ? "true" : "false";
}

static void print_types_json(const listing_t* listing, const tn_op_info_t* info, const char* name,
                             support_t support) {
  const char* separator = "";
  printf(", \"%s\": ", name);
  if (is_typeless(listing, info)) {
    printf("null");
    return;
  }
  printf("[");
  for (int i = 0; i < TN_DTYPE_LIMIT; ++i) {
    if (!is_element(i)) continue;
    if (cli_op_supports(listing->device, info, (tn_dtype_t)i) != support) continue;
    printf("%s\"%s\"", separator, tn_dtype_name((tn_dtype_t)i));
    separator = ", ";
  }
  printf("]");
}

static void print_op_json(const listing_t* listing, const tn_op_info_t* info) {
  cli_print_json_member("{", "name", info->name);
  cli_print_json_member(", ", "doc", info->doc);
  printf(", \"operands\": %d, \"minimum_operands\": %d, \"results\": %d, \"regions\": %d",
         info->operand_count, info->minimum_operand_count, info->result_count, info->region_count);
  printf(", \"pure\": %s, \"elementwise\": %s, \"deprecated\": %s, \"supported\": %s",
         json_bool(info->is_pure), json_bool(info->is_elementwise), json_bool(info->is_deprecated),
         json_bool(info->is_supported));
  cli_print_json_member(", ", "kernel", info->kernel);
  print_types_json(listing, info, "types", SUPPORT_COMPUTED);
  print_types_json(listing, info, "types_not_computed", SUPPORT_NOT_COMPUTED);
  printf(", \"attributes\": [");
  for (size_t i = 0; i < info->attribute_count; ++i) {
    const tn_op_attribute_t* attribute = &info->attributes[i];
    cli_print_json_member(i ? ", {" : "{", "name", attribute->name);
    cli_print_json_member(", ", "type", attribute->type);
    printf(", \"required\": %s}", json_bool(attribute->is_required));
  }
  printf("]}");
}

// --- text

enum { NAME_COLUMN = 32, WIDTH = 100 };

// Of a list: one operation a line in a pipe, for tools that read lines.
static int line_width(void) {
  return isatty(STDOUT_FILENO) ? WIDTH : INT_MAX;
}

static void print_name(const char* name, bool is_supported) {
  printf("  %s%-*s%s", cli_colour(stdout, is_supported ? "0" : "2"), NAME_COLUMN - 2, name,
         cli_colour(stdout, NULL));
}

static void print_op_line(const listing_t* listing, const tn_op_info_t* info) {
  char doc[1024], types[1024];
  bool is_own = strcmp(info->dialect, "stablehlo") == 0;
  list_types(listing, info, sizeof types, types);
  snprintf(doc, sizeof doc, "%s%s%s%s%.400s%s", info->is_supported ? "" : "(not supported) ",
           info->is_deprecated ? "(deprecated) " : "", info->doc, *types ? " [" : "", types,
           *types ? "]" : "");
  print_name(is_own ? info->short_name : info->name, info->is_supported);
  cli_print_wrapped(stdout, doc, NAME_COLUMN, line_width());
}

static const char* count_text(int32_t count, int32_t minimum, char out[32]) {
  if (count >= 0) {
    snprintf(out, 32, "%d", count);
  } else if (minimum > 0) {
    snprintf(out, 32, "%d or more", minimum);
  } else {
    snprintf(out, 32, "any number");
  }
  return out;
}

static void print_op(const listing_t* listing, const tn_op_info_t* info) {
  char operands[32], results[32], regions[32], types[1024];
  printf("%s%s%s\n", cli_colour(stdout, "1"), info->name, cli_colour(stdout, NULL));
  printf("  ");
  cli_print_wrapped(stdout, info->doc, 2, WIDTH);
  printf("  operands  %s\n",
         count_text(info->operand_count, info->minimum_operand_count, operands));
  printf("  results   %s\n", count_text(info->result_count, 0, results));
  if (info->region_count) printf("  regions   %s\n", count_text(info->region_count, 0, regions));
  list_types(listing, info, sizeof types, types);
  if (*types) {
    printf("  types     ");
    cli_print_wrapped(stdout, types, 12, WIDTH);
  }
  printf("  traits    %s%s%s\n", info->is_pure ? "pure" : "has effects",
         info->is_elementwise ? ", elementwise" : "", info->is_deprecated ? ", deprecated" : "");
  printf("  kernel    %s\n", info->kernel         ? info->kernel
                             : info->is_supported ? "none: part of the program"
                                                  : "none: programs with it are rejected");
  if (info->attribute_count) printf("  attributes\n");
  for (size_t i = 0; i < info->attribute_count; ++i) {
    const tn_op_attribute_t* attribute = &info->attributes[i];
    printf("    %-*s %s%s\n", NAME_COLUMN - 4, attribute->name, attribute->type,
           attribute->is_required ? "" : " (optional)");
  }
}

static void print_target_line(const tn_target_info_t* info) {
  char doc[1024];
  const char* text = info->unusable_reason ? info->unusable_reason
                     : info->doc           ? info->doc
                                           : info->signature;
  snprintf(doc, sizeof doc, "%s%s", info->unusable_reason ? "cannot be used: " : "",
           text ? text : "");
  print_name(info->name, !info->unusable_reason);
  cli_print_wrapped(stdout, doc, NAME_COLUMN, line_width());
}

// --- both

static bool visit_op(void* user, const tn_op_info_t* info) {
  listing_t* listing = user;
  if (!is_wanted(listing, info->name, info->short_name)) return true;
  if (listing->is_json) {
    printf("%s", listing->count ? ",\n  " : "");
    print_op_json(listing, info);
  } else if (listing->name) {
    print_op(listing, info);
  } else {
    print_op_line(listing, info);
  }
  ++listing->count;
  return true;
}

static bool visit_target(void* user, const tn_target_info_t* info) {
  listing_t* listing = user;
  if (!is_wanted(listing, info->name, info->name)) return true;
  if (listing->is_json) {
    printf("%s", listing->count ? ",\n  " : "");
    cli_print_target_json(info);
  } else if (listing->name) {
    cli_print_target(info);
  } else {
    if (!listing->count) {
      printf("\n%sCustom calls%s\n", cli_colour(stdout, "1"), cli_colour(stdout, NULL));
    }
    print_target_line(info);
  }
  ++listing->count;
  return true;
}

static int unknown(const arguments_t* arguments, const char* name) {
  const char* near = tn_op_suggest(name);
  char message[512];
  int length =
      snprintf(message, sizeof message, "there is no operation or custom call '%.200s'", name);
  if (near) {
    snprintf(message + length, sizeof message - (size_t)length, "; did you mean '%s'?", near);
  }
  if (cli_reports_json()) {
    cli_report_json_text(TN_CODE_NOT_FOUND, message);
  } else {
    fprintf(stderr, "tenon %s: %s\n", arguments->command->name, message);
  }
  return EXIT_FAILED;
}

int tn_command_ops(const arguments_t* arguments) {
  listing_t ops = {.name = arguments->count ? arguments->values[0] : NULL,
                   .is_json = cli_has(arguments, OPTION_JSON)};
  listing_t targets = ops;
  tn_status_t status = cli_load_libraries(arguments);
  if (!status) status = tn_device_create("cpu", NULL, &ops.device);
  if (status) return cli_report(status);
  if (ops.is_json) printf("{\"operations\": [");
  if (!ops.name && !ops.is_json) {
    printf("%sOperations%s (of StableHLO, where no dialect is named)\n", cli_colour(stdout, "1"),
           cli_colour(stdout, NULL));
  }
  tn_op_enumerate(visit_op, &ops);
  tn_device_release(ops.device);
  if (ops.is_json) printf("],\n \"custom_calls\": [");
  status = tn_target_enumerate(visit_target, &targets);
  if (ops.is_json) printf("]}\n");
  if (status) return cli_report(status);
  if (ops.name && ops.count + targets.count == 0) return unknown(arguments, ops.name);
  return EXIT_FINE;
}
