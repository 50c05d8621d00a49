// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Custom calls, printed: for ops and inspect.
#include "cli.h"

enum { WIDTH = 100 };

static const char* const kinds[] = {"operand", "attribute", "result"};

// The stages of a handler, in the order in which they run.
static size_t list_stages(const tn_target_info_t* info, const char* out_names[4]) {
  size_t count = 0;
  if (info->has_instantiate) out_names[count++] = "instantiate";
  if (info->has_prepare) out_names[count++] = "prepare";
  if (info->has_initialize) out_names[count++] = "initialize";
  out_names[count++] = "execute";
  return count;
}

static bool is_typed(const tn_target_info_t* info) {
  return info->api_version == 4;
}

// --- JSON

static void print_flag(const char* name, bool value) {
  printf(", \"%s\": %s", name, value ? "true" : "false");
}

void cli_print_target_json(const tn_target_info_t* info) {
  const char* stages[4];
  size_t stage_count = list_stages(info, stages);
  cli_print_json_member("{", "name", info->name);
  cli_print_json_member(", ", "platform", info->platform);
  printf(", \"api_version\": %d, \"handler_minor\": %d, \"traits\": %u, \"stages\": [",
         info->api_version, info->handler_minor, info->traits);
  for (size_t i = 0; i < stage_count; ++i) printf("%s\"%s\"", i ? ", " : "", stages[i]);
  printf("]");
  cli_print_json_member(", ", "state_type", info->state_type);
  cli_print_json_member(", ", "library", info->library);
  cli_print_json_member(", ", "signature", info->signature);
  print_flag("declared", info->is_declared);
  print_flag("probed", info->is_probed);
  print_flag("confined", info->is_confined);
  cli_print_json_member(", ", "other_stages", info->stage_signatures);
  cli_print_json_member(", ", "required_services", info->required_services);
  cli_print_json_member(", ", "unresolved", info->unresolved);
  cli_print_json_member(", ", "definition", info->definition);
  cli_print_json_member(", ", "doc", info->doc);
  cli_print_json_member(", ", "unusable_reason", info->unusable_reason);
  printf(", \"parameters\": [");
  for (size_t i = 0; i < info->parameter_count; ++i) {
    const tn_target_parameter_t* parameter = &info->parameters[i];
    cli_print_json_member(i ? ", {" : "{", "kind", kinds[parameter->kind]);
    cli_print_json_member(", ", "name", parameter->name);
    cli_print_json_member(", ", "type", parameter->type);
    cli_print_json_member(", ", "default", parameter->default_value);
    cli_print_json_member(", ", "doc", parameter->doc);
    printf("}");
  }
  printf("]}");
}

// --- text

static void print_parameters(const tn_target_info_t* info) {
  size_t index[3] = {0};
  for (size_t i = 0; i < info->parameter_count; ++i) {
    const tn_target_parameter_t* parameter = &info->parameters[i];
    char number[24];
    snprintf(number, sizeof number, "%zu", index[parameter->kind]++);
    const char* name = parameter->name                          ? parameter->name
                       : parameter->kind == TN_TARGET_ATTRIBUTE ? ""
                                                                : number;
    printf("    %-9s %-16s %s", kinds[parameter->kind], name, parameter->type);
    const char* value = parameter->default_value;
    if (value) printf(" = %s", *value ? value : "{}");
    printf("%s%s\n", parameter->doc ? "  " : "", parameter->doc ? parameter->doc : "");
  }
}

static void print_handler(const tn_target_info_t* info) {
  const char* stages[4];
  size_t stage_count = list_stages(info, stages);
  printf("  api version %d", info->api_version);
  if (info->handler_minor >= 0) printf(", XLA FFI 0.%d", info->handler_minor);
  printf("\n");
  if (!is_typed(info)) return;
  printf("  stages ");
  for (size_t i = 0; i < stage_count; ++i) printf("%s%s", i ? ", " : "", stages[i]);
  printf("%s\n", info->traits & 1 ? "; traits command buffer compatible" : "");
  if (info->state_type) printf("  state of type %s\n", info->state_type);
  if (info->stage_signatures) printf("  other stages %s\n", info->stage_signatures);
  if (info->required_services) printf("  requires %s\n", info->required_services);
}

// A line of text that may be long.
static void print_remark(const char* what, const char* text) {
  int length = printf("  %s", what);
  cli_print_wrapped(stdout, text, length > 0 ? length : 2, WIDTH);
}

void cli_print_target(const tn_target_info_t* info) {
  printf("%s%s%s on %s\n", cli_colour(stdout, "1"), info->name, cli_colour(stdout, NULL),
         info->platform);
  if (info->doc) print_remark("", info->doc);
  if (info->signature) {
    printf("  %s%s\n", info->signature, info->is_declared ? "" : "   (inferred by probe calls)");
  }
  print_parameters(info);
  if (info->api_version) {
    print_handler(info);
  } else {
    printf("  api version as each call states\n");
  }
  if (info->definition) printf("  for lazy arrays: %s\n", info->definition);
  if (info->library) printf("  from %s\n", info->library);
  if (info->unresolved) print_remark("unresolved: ", info->unresolved);
  if (info->is_probed && !info->is_confined) {
    print_remark(
        "",
        "probed in a child process without files, but not confined further: the system has "
        "no seccomp");
  }
  if (info->unusable_reason) print_remark("cannot be used: ", info->unusable_reason);
}
