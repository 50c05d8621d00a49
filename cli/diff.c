// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// tenon diff: one program on two devices, value by value.
#include <stdlib.h>
#include <string.h>

#include "cli.h"

typedef struct side {
  const char* name;
  tn_device_t* device;
  tn_program_t* program;
  tn_buffer_t** inputs;
  tn_buffer_t** results;
} side_t;

typedef struct diff {
  const arguments_t* arguments;
  tn_module_t* module;
  side_t sides[2];
  uint64_t tolerance;  // ulp
  size_t value_count, different_count;
} diff_t;

// How far one value of the program is apart.
typedef struct difference {
  size_t element_count, different_count, first;  // first: element
  uint64_t largest;                              // ulp; UINT64_MAX: one of them is NaN
} difference_t;

// --- setting up

static tn_status_t open_side(diff_t* diff, side_t* side) {
  const tn_device_options_t device_options = cli_device_options(diff->arguments);
  tn_compile_options_t options = cli_compile_options(diff->arguments);
  options.keep_values = true;
  tn_status_t status = tn_device_create(side->name, &device_options, &side->device);
  if (!status) status = tn_program_compile(side->device, diff->module, &options, &side->program);
  return status;
}

// The values are known once the sizes of the inputs are.
static tn_status_t fix_sizes(diff_t* diff, side_t* side) {
  tn_program_t* sized = NULL;
  tn_status_t status = tn_program_specialise(side->program, tn_program_input_count(side->program),
                                             side->inputs, &sized);
  if (status) return status;
  tn_program_release(side->program);
  side->program = sized;
  diff->value_count = tn_program_output_count(side->program);
  side->results = calloc(diff->value_count + 1, sizeof *side->results);
  return side->results ? TN_OK : tn_status_create(TN_CODE_RESOURCE_EXHAUSTED, "out of memory");
}

static tn_status_t copy_input(const side_t* from, side_t* to, size_t index) {
  const void* data = NULL;
  tn_buffer_t* buffer = from->inputs[index];
  if (!buffer) return TN_OK;  // a token
  tn_status_t status = tn_buffer_map(buffer, &data);
  if (status) return status;
  status = tn_buffer_create_from_host(to->device, tn_buffer_dtype(buffer), tn_buffer_rank(buffer),
                                      tn_buffer_dims(buffer), data, tn_buffer_byte_size(buffer),
                                      &to->inputs[index]);
  tn_buffer_unmap(buffer);
  return status;
}

static tn_status_t copy_inputs(diff_t* diff) {
  side_t *from = &diff->sides[0], *to = &diff->sides[1];
  const size_t count = tn_program_input_count(from->program);
  tn_status_t status = TN_OK;
  to->inputs = calloc(count + 1, sizeof *to->inputs);
  if (!to->inputs) return tn_status_create(TN_CODE_RESOURCE_EXHAUSTED, "out of memory");
  for (size_t i = 0; i < count && !status; ++i) status = copy_input(from, to, i);
  return status;
}

static tn_status_t run_side(diff_t* diff, side_t* side) {
  tn_run_options_t options;
  tn_status_t status = cli_run_options(diff->arguments, &options);
  if (status) return status;
  return tn_program_run(side->program, tn_program_input_count(side->program), side->inputs,
                        &options, diff->value_count, side->results);
}

static void close_sides(diff_t* diff) {
  for (size_t i = 0; i < 2; ++i) {
    side_t* side = &diff->sides[i];
    if (side->program) {
      cli_release_buffers(side->inputs, tn_program_input_count(side->program));
    }
    cli_release_buffers(side->results, side->results ? diff->value_count : 0);
    tn_program_release(side->program);
    tn_device_release(side->device);
  }
  tn_module_release(diff->module);
}

// --- comparing

static void compare_elements(tn_dtype_t dtype, const char* a, const char* b, uint64_t tolerance,
                             difference_t* difference) {
  const size_t size = tn_dtype_byte_size(dtype);
  for (size_t i = 0; i < difference->element_count; ++i) {
    const uint64_t apart = tn_dtype_ulps_between(dtype, a + i * size, b + i * size);
    if (apart <= tolerance) continue;
    if (difference->different_count++ == 0) difference->first = i;
    if (apart > difference->largest) difference->largest = apart;
  }
}

static tn_status_t compare(const diff_t* diff, size_t value, difference_t* out_difference) {
  tn_buffer_t *a = diff->sides[0].results[value], *b = diff->sides[1].results[value];
  const void *a_data = NULL, *b_data = NULL;
  *out_difference = (difference_t){.element_count = (size_t)tn_buffer_size(a)};
  tn_status_t status = tn_buffer_map(a, &a_data);
  if (status) return status;
  status = tn_buffer_map(b, &b_data);
  if (!status) {
    compare_elements(tn_buffer_dtype(a), a_data, b_data, diff->tolerance, out_difference);
    tn_buffer_unmap(b);
  }
  tn_buffer_unmap(a);
  return status;
}

// --- printing

static const char* ulps_text(uint64_t ulps, char out[32]) {
  if (ulps == UINT64_MAX) return "NaN";
  snprintf(out, 32, "%llu ulp", (unsigned long long)ulps);
  return out;
}

// The element on both devices, as a number; of complex numbers the real part.
static tn_status_t load_element(const diff_t* diff, size_t value, size_t element, double out[2]) {
  for (size_t i = 0; i < 2; ++i) {
    const void* data = NULL;
    tn_buffer_t* buffer = diff->sides[i].results[value];
    tn_status_t status = tn_buffer_map(buffer, &data);
    if (status) return status;
    const tn_dtype_t dtype = tn_buffer_dtype(buffer);
    out[i] = tn_dtype_load(dtype, (const char*)data + element * tn_dtype_byte_size(dtype));
    tn_buffer_unmap(buffer);
  }
  return TN_OK;
}

static const char* value_text(const tn_output_origin_t* origin, size_t value, char out[64]) {
  if (*origin->name) {
    snprintf(out, 64, "%%%s", origin->name);
  } else {
    snprintf(out, 64, "#%zu", value);
  }
  return out;
}

static tn_status_t print_difference(diff_t* diff, size_t value, const difference_t* difference) {
  tn_output_origin_t origin = {.struct_size = sizeof origin};
  char name[64], largest[32], type[160];
  double numbers[2];
  tn_program_output_origin(diff->sides[0].program, value, &origin);
  tn_type_format(tn_program_output_type(diff->sides[0].program, value), type, sizeof type);
  tn_status_t status = load_element(diff, value, difference->first, numbers);
  if (status) return status;
  value_text(&origin, value, name);
  ulps_text(difference->largest, largest);
  if (cli_has(diff->arguments, OPTION_JSON)) {
    printf("%s\n  {\"value\": ", diff->different_count ? "," : "");
    cli_print_json_string(stdout, name);
    printf(", \"operation\": ");
    cli_print_json_string(stdout, origin.operation);
    printf(
        ", \"line\": %u, \"type\": \"%s\", \"elements\": %zu, \"different\": %zu, "
        "\"largest_ulps\": %llu, \"first\": %zu}",
        origin.line, type, difference->element_count, difference->different_count,
        (unsigned long long)difference->largest, difference->first);
    return TN_OK;
  }
  if (diff->different_count == 0) {
    printf("the first value that differs is %s = %s%s\n", name, origin.operation,
           origin.line ? "" : ", which has no line");
    if (origin.line) printf("  line %u of %s\n", origin.line, diff->arguments->values[0]);
    printf("  element %zu of a %s: %s has %.17g, %s has %.17g\n\n", difference->first, type,
           diff->sides[0].name, numbers[0], diff->sides[1].name, numbers[1]);
    printf("%-16s %-24s %6s  %-20s %s\n", "value", "operation", "line", "elements that differ",
           "largest");
  }
  char counts[48];
  snprintf(counts, sizeof counts, "%zu of %zu", difference->different_count,
           difference->element_count);
  printf("%-16s %-24s %6u  %-20s %s\n", name, origin.operation, origin.line, counts, largest);
  return TN_OK;
}

static tn_status_t compare_all(diff_t* diff) {
  const bool json = cli_has(diff->arguments, OPTION_JSON);
  tn_status_t status = TN_OK;
  if (json) {
    printf("{\"devices\": [");
    cli_print_json_string(stdout, diff->sides[0].name);
    printf(", ");
    cli_print_json_string(stdout, diff->sides[1].name);
    printf("], \"tolerance_ulps\": %llu, \"different\": [", (unsigned long long)diff->tolerance);
  }
  for (size_t i = 0; i < diff->value_count && !status; ++i) {
    difference_t difference;
    status = compare(diff, i, &difference);
    if (status || difference.different_count == 0) continue;
    status = print_difference(diff, i, &difference);
    ++diff->different_count;
  }
  if (status) return status;
  if (json) {
    printf("], \"values\": %zu}\n", diff->value_count);
  } else if (diff->different_count) {
    printf("\n%zu of %zu values differ\n", diff->different_count, diff->value_count);
  } else {
    printf("no difference in %zu value%s\n", diff->value_count, diff->value_count == 1 ? "" : "s");
  }
  return TN_OK;
}

// --- the command

static int run(diff_t* diff) {
  const arguments_t* arguments = diff->arguments;
  session_t session = {0};
  tn_status_t status = cli_load_libraries(arguments);
  if (!status) status = cli_load_module(arguments->values[0], &session);
  diff->module = session.module;
  for (size_t i = 0; i < 2 && !status; ++i) status = open_side(diff, &diff->sides[i]);
  if (status) return cli_report(status);
  session.device = diff->sides[0].device;
  session.program = diff->sides[0].program;
  int code = cli_make_inputs(arguments, &session, "random", &diff->sides[0].inputs);
  if (code != EXIT_FINE) return code;
  status = copy_inputs(diff);
  for (size_t i = 0; i < 2 && !status; ++i) status = fix_sizes(diff, &diff->sides[i]);
  for (size_t i = 0; i < 2 && !status; ++i) status = run_side(diff, &diff->sides[i]);
  if (!status) status = compare_all(diff);
  if (status) return cli_report(status);
  return diff->different_count ? EXIT_FAILED : EXIT_FINE;
}

static bool read_ulps(const arguments_t* arguments, uint64_t* out_ulps) {
  const char* text = cli_value(arguments, OPTION_ULPS, "0");
  char* end = NULL;
  *out_ulps = strtoull(text, &end, 10);
  return *text >= '0' && *text <= '9' && !*end;
}

int tn_command_diff(const arguments_t* arguments) {
  const size_t given = arguments->option_counts[OPTION_DEVICE];
  const char* const* names = arguments->option_values[OPTION_DEVICE];
  diff_t diff = {.arguments = arguments, .sides = {{.name = "cpu"}, {.name = "reference"}}};
  if (given > 2)
    return cli_refuse(arguments->command, "%zu devices are given; expected two", given);
  if (!read_ulps(arguments, &diff.tolerance)) {
    return cli_refuse(arguments->command, "--ulps %s is not a number of units, such as 1",
                      cli_value(arguments, OPTION_ULPS, ""));
  }
  if (given > 0) diff.sides[0].name = names[0];
  if (given > 1) diff.sides[1].name = names[1];
  int code = run(&diff);
  close_sides(&diff);
  return code;
}
