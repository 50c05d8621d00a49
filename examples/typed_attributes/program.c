// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// The modules of XLA's page about custom calls, as they are printed there: each calls @foo, which
// is another handler each time. Then the same calls, built in C.
#include <stdio.h>
#include <string.h>

#include "../example.h"

static const char no_config[] =
    "%0 = \"stablehlo.custom_call\"(%arg0) {\n"
    "  call_target_name = \"foo\",\n"
    "  api_version = 4 : i32\n"
    "} : (tensor<2x2xf32>) -> tensor<2x2xf32>\n";

static const char number_and_string[] =
    "%0 = \"stablehlo.custom_call\"(%arg0) {\n"
    "  call_target_name = \"foo\",\n"
    "  backend_config= {\n"
    "    i32 = 42 : i32,\n"
    "    str = \"string\"\n"
    "  },\n"
    "  api_version = 4 : i32\n"
    "} : (tensor<f32>) -> tensor<f32>\n";

static const char command[] =
    "%0 = \"stablehlo.custom_call\"(%arg0) {\n"
    "  call_target_name = \"foo\",\n"
    "  backend_config= {\n"
    "    command = 0 : i32\n"
    "  },\n"
    "  api_version = 4 : i32\n"
    "} : (tensor<f32>) -> tensor<f32>\n";

static const char range[] =
    "%0 = \"stablehlo.custom_call\"(%arg0) {\n"
    "  call_target_name = \"foo\",\n"
    "  backend_config= {\n"
    "    range = { lo = 0 : i64, hi = 42 : i64 }\n"
    "  },\n"
    "  api_version = 4 : i32\n"
    "} : (tensor<f32>) -> tensor<f32>\n";

static const struct {
  const char *name, *text, *type;
  const char* handler;  // what @foo is
  float x, wanted;
} snippets[] = {
    {"no config at all", no_config, "tensor<2x2xf32>", "copy", 7, 7},
    {"i32 = 42, str = \"string\"", number_and_string, "tensor<f32>", "scalar_attributes", 1, 49},
    {"the same, as a dictionary", number_and_string, "tensor<f32>", "all_attributes_of_it", 1, 43},
    {"command = 0", command, "tensor<f32>", "enum_attribute", 5, 10},
    {"range = {lo, hi}", range, "tensor<f32>", "struct_attribute", 50, 42},
};

static tn_status_t run_snippet(const char* library, size_t i, float* y) {
  char spec[4096], text[1024];
  const float x[4] = {snippets[i].x};
  snprintf(spec, sizeof spec, "%s:foo=%s", library, snippets[i].handler);
  tn_status_t status = tn_library_load(spec);
  if (status) return status;
  snprintf(text, sizeof text, "func.func @main(%%arg0: %s) -> %s {\n%sreturn %%0 : %s\n}\n",
           snippets[i].type, snippets[i].type, snippets[i].text, snippets[i].type);
  status = example_run_text(text, (const void*[]){x}, (void*[]){y});
  return status ? status : tn_target_unregister("foo", "Host");
}

static tn_status_t call(const char* target, size_t count, const tn_attribute_t* attributes, float x,
                        float* y) {
  tn_builder_t* b = NULL;
  tn_status_t status = tn_builder_create(NULL, target, &b);
  if (status) return status;
  const tn_type_t* type = tn_builder_tensor_type(b, TN_DTYPE_F32, 0, NULL);
  const tn_custom_call_options_t options = {
      .struct_size = sizeof options,
      .api_version = TN_API_VERSION_TYPED_FFI,
      .attribute_count = count,
      .attributes = attributes,
  };
  tn_value_t* parameter = tn_builder_parameter(b, 0, type, "x");
  tn_value_t* result = tn_builder_custom_call(b, target, 1, &parameter, type, &options);
  return example_build_and_run(b, result, (const void*[]){&x}, (void*[]){y});
}

static const tn_attribute_t number_and_string_attributes[] = {
    {.name = "i32", .kind = TN_ATTRIBUTE_INTEGER, .dtype = TN_DTYPE_S32, .integer = 42},
    {.name = "str", .kind = TN_ATTRIBUTE_STRING, .data = "string", .count = 6},
};
static const tn_attribute_t command_attributes[] = {
    {.name = "command", .kind = TN_ATTRIBUTE_INTEGER, .dtype = TN_DTYPE_S32, .integer = 0},
};
static const tn_attribute_t range_fields[] = {
    {.name = "lo", .kind = TN_ATTRIBUTE_INTEGER, .dtype = TN_DTYPE_S64, .integer = 0},
    {.name = "hi", .kind = TN_ATTRIBUTE_INTEGER, .dtype = TN_DTYPE_S64, .integer = 42},
};
static const tn_attribute_t range_attributes[] = {
    {.name = "range", .kind = TN_ATTRIBUTE_DICTIONARY, .entries = range_fields, .count = 2},
};
static const tn_attribute_t misspelt_attributes[] = {
    {.name = "i23", .kind = TN_ATTRIBUTE_INTEGER, .dtype = TN_DTYPE_S32, .integer = 42},
};

static const struct {
  const char* target;
  size_t count;
  const tn_attribute_t* attributes;
  float x, wanted;
} calls[] = {
    {"copy", 0, NULL, 7, 7},
    {"scalar_attributes", 2, number_and_string_attributes, 1, 49},
    {"all_attributes_of_it", 2, number_and_string_attributes, 1, 43},
    {"enum_attribute", 1, command_attributes, 5, 10},
    {"enum_attribute", 0, NULL, 5, 25},
    {"struct_attribute", 1, range_attributes, 50, 42},
};

int main(int argc, char** argv) {
  float y[4] = {0};
  example_load(argc, argv);
  for (size_t i = 0; i < sizeof snippets / sizeof *snippets; ++i) {
    if (!example_succeeded(run_snippet(argv[1], i, y))) return 1;
    printf("%-26s foo(%g) = %g\n", snippets[i].name, (double)snippets[i].x, (double)y[0]);
    if (y[0] != snippets[i].wanted) return 1;
  }
  for (size_t i = 0; i < sizeof calls / sizeof *calls; ++i) {
    tn_status_t status = call(calls[i].target, calls[i].count, calls[i].attributes, calls[i].x, y);
    if (!example_succeeded(status) || y[0] != calls[i].wanted) return 1;
  }
  bool refused = example_failed_with(call("always_error", 0, NULL, 1, y), TN_CODE_INTERNAL,
                                     "@always_error: INTERNAL: always_error: Oops!");
  refused &= example_failed_with(call("scalar_attributes", 1, misspelt_attributes, 1, y),
                                 TN_CODE_INVALID_ARGUMENT, "i32");
  return refused ? 0 : 1;
}
