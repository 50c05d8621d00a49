// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// tenon test: the checks inside programs decide.
#include <stdlib.h>
#include <string.h>

#include "cli.h"

typedef enum outcome { OUTCOME_OK, OUTCOME_FAILED, OUTCOME_UNSUPPORTED } outcome_t;

static const char* const outcome_names[] = {"ok", "failed", "unsupported"};

typedef struct tally {
  const arguments_t* arguments;
  tn_device_t* device;
  size_t file;       // which of the arguments
  size_t counts[3];  // by outcome
} tally_t;

// One module of a file, with the lines before it left blank, so that messages count them.
typedef struct part {
  const char* path;
  char* text;
  size_t length;
  uint32_t first_line;  // in its file, from 1
  size_t line;          // of its first line that is not blank
} part_t;

// --- running one

// The text behind "// error:" at the start of a line; NULL: no error is expected.
static const char* find_expected_error(const part_t* part) {
  static const char marker[] = "// error:";
  const char* found = strstr(part->text, marker);
  while (found && found != part->text && found[-1] != '\n') found = strstr(found + 1, marker);
  if (!found) return NULL;
  found += sizeof marker - 1;
  return found + strspn(found, " \t");
}

// A test says what StableHLO's interpreter computes, where a device can.
static const char* default_arithmetic(const tn_device_t* device) {
  const char* name = tn_device_name(device);
  return strcmp(name, "cpu") == 0 || strcmp(name, "reference") == 0 ? "strict" : "fast";
}

static tn_status_t run_function(const tally_t* tally, const part_t* part, tn_module_t* module) {
  tn_program_t* program = NULL;
  tn_buffer_t** results = NULL;
  size_t count = 0;
  const tn_compile_options_t compile_options = {
      .struct_size = sizeof compile_options,
      .guard_calls = cli_has(tally->arguments, OPTION_GUARD),
      .strict_arithmetic = cli_is_strict(tally->arguments, default_arithmetic(tally->device))};
  tn_status_t status = tn_program_compile(tally->device, module, &compile_options, &program);
  if (status) return status;
  if (tn_program_input_count(program)) {
    status = tn_status_create(
        TN_CODE_INVALID_ARGUMENT, "the function takes %zu input%s; a test takes none",
        tn_program_input_count(program), tn_program_input_count(program) == 1 ? "" : "s");
    goto done;
  }
  count = tn_program_output_count(program);
  results = calloc(count + 1, sizeof *results);
  tn_run_options_t options;
  status = cli_run_options(tally->arguments, &options);
  if (!status) {
    status = results ? tn_program_run(program, 0, NULL, &options, count, results)
                     : tn_status_create(TN_CODE_RESOURCE_EXHAUSTED, "out of memory");
  }
  // An error that is expected says enough, and what handlers are asked is known in later modules.
  if (status && !find_expected_error(part)) {
    const session_t session = {.device = tally->device, .module = module};
    status = cli_explain(tally->arguments, &session, status);
  }
done:
  cli_release_buffers(results, count);
  tn_program_release(program);
  return status;
}

static tn_status_t run_part(const tally_t* tally, const part_t* part) {
  tn_module_t* module = NULL;
  tn_status_t status =
      tn_module_parse_part(NULL, part->path, part->first_line, part->text, part->length, &module);
  if (!status && tn_module_function_count(module)) status = run_function(tally, part, module);
  tn_module_release(module);
  return status;
}

// The same in memory from malloc.
static char* expected_error(const part_t* part) {
  const char* found = find_expected_error(part);
  if (!found) return NULL;
  size_t length = strcspn(found, "\r\n");
  while (length && (found[length - 1] == ' ' || found[length - 1] == '\t')) --length;
  return strndup(found, length);
}

// Takes `status`. What is left of it is what the part is blamed for; NULL when all is well.
static tn_status_t compare(const part_t* part, tn_status_t status) {
  char* expected = expected_error(part);
  if (!expected) return status;
  char* report = cli_status_text(status);
  if (!status) {
    status = tn_status_create(TN_CODE_FAILED_PRECONDITION,
                              "the error '%s' was expected; found none", expected);
  } else if (report && strstr(report, expected)) {
    tn_status_release(status);
    status = TN_OK;
  } else {
    status = tn_status_note(status, "the error '%s' was expected", expected);
  }
  free(report);
  free(expected);
  return status;
}

// --- reporting

static void tell(const tally_t* tally, const part_t* part, outcome_t outcome, double ms) {
  static const char* const colours[] = {"32", "1;31", "33"};
  static const char* const words[] = {"ok", "FAILED", "unsupported"};
  FILE* file = outcome == OUTCOME_UNSUPPORTED ? stderr : stdout;
  (void)tally;
  fflush(stdout);
  cli_progress_end();
  fprintf(file, "%s%-11s%s ", cli_colour(file, colours[outcome]), words[outcome],
          cli_colour(file, NULL));
  fprintf(file, "%s:%zu  %s%.1f ms%s\n", part->path, part->line, cli_colour(file, "2"), ms,
          cli_colour(file, NULL));
}

static void tell_json(const tally_t* tally, const part_t* part, outcome_t outcome, double ms,
                      tn_status_t status) {
  bool is_first = tally->counts[0] + tally->counts[1] + tally->counts[2] == 0;
  printf("%s{\"file\": ", is_first ? "" : ",\n  ");
  cli_print_json_string(stdout, part->path);
  printf(", \"line\": %zu, \"result\": \"%s\", \"ms\": %.6g", part->line, outcome_names[outcome],
         ms);
  if (status) {
    char* text = cli_status_text(status);
    printf(", \"message\": ");
    cli_print_json_string(stdout, text ? text : "");
    free(text);
  }
  printf("}");
}

static void test_part(tally_t* tally, const part_t* part) {
  const size_t* counts = tally->counts;
  cli_progress("%zu ok, %zu failed; now file %zu of %zu, %s:%zu", counts[OUTCOME_OK],
               counts[OUTCOME_FAILED], tally->file + 1, tally->arguments->count, part->path,
               part->line);
  double start = cli_now_ms();
  tn_status_t status = compare(part, run_part(tally, part));
  double ms = cli_now_ms() - start;
  outcome_t outcome = !status                                           ? OUTCOME_OK
                      : tn_status_code(status) == TN_CODE_UNIMPLEMENTED ? OUTCOME_UNSUPPORTED
                                                                        : OUTCOME_FAILED;
  if (cli_has(tally->arguments, OPTION_JSON)) {
    tell_json(tally, part, outcome, ms, status);
    tn_status_release(status);
  } else {
    tell(tally, part, outcome, ms);
    if (status) cli_report(status);
  }
  ++tally->counts[outcome];
}

// --- the parts of a file

// Whether there is nothing but blanks and comments.
static bool is_empty(const char* text, size_t length) {
  const char* end = text + length;
  while (text < end) {
    if (strchr(" \t\r\n", *text)) {
      ++text;
    } else if (end - text >= 2 && text[0] == '/' && text[1] == '/') {
      while (text < end && *text != '\n') ++text;
    } else {
      return false;
    }
  }
  return true;
}

static size_t count_lines(const char* text, size_t length) {
  size_t count = 0;
  for (size_t i = 0; i < length; ++i) count += text[i] == '\n';
  return count;
}

static tn_status_t test_piece(tally_t* tally, const char* path, const char* text, size_t length,
                              size_t line) {
  part_t part = {.path = path, .first_line = (uint32_t)line, .length = length};
  part.text = malloc(length + 1);
  if (!part.text) return tn_status_create(TN_CODE_RESOURCE_EXHAUSTED, "out of memory");
  memcpy(part.text, text, length);
  part.text[length] = 0;
  part.line = line + count_lines(part.text, strspn(part.text, " \t\r\n"));
  test_part(tally, &part);
  free(part.text);
  return TN_OK;
}

static tn_status_t test_file(tally_t* tally, const char* path) {
  static const char separator[] = "// -----";
  char* text = NULL;
  size_t length = 0, line = 1;
  tn_status_t status = cli_read_file(path, &text, &length);
  if (status) return status;
  if (strcmp(path, "-") == 0) path = "<stdin>";
  const char* end = text + length;
  bool has_more = true, is_only = true;
  for (const char* begin = text; has_more && !status && !cli_was_interrupted();) {
    const char* found = strstr(begin, separator);
    size_t piece = (size_t)((found ? found : end) - begin);
    has_more = found != NULL;
    // Around separators there may be nothing; a file of one module is a test, come what may.
    if ((is_only && !has_more) || !is_empty(begin, piece)) {
      status = test_piece(tally, path, begin, piece, line);
    }
    is_only = false;
    line += count_lines(begin, piece);
    if (found) begin = found + strcspn(found, "\n");
  }
  free(text);
  return status;
}

static void summarize(const tally_t* tally) {
  const size_t* counts = tally->counts;
  cli_progress_end();
  if (cli_has(tally->arguments, OPTION_JSON)) {
    printf("],\n \"ok\": %zu, \"failed\": %zu, \"unsupported\": %zu}\n", counts[OUTCOME_OK],
           counts[OUTCOME_FAILED], counts[OUTCOME_UNSUPPORTED]);
    return;
  }
  printf("%s%zu ok, %zu failed, %zu unsupported%s\n",
         cli_colour(stdout, counts[OUTCOME_FAILED] ? "1;31" : "1;32"), counts[OUTCOME_OK],
         counts[OUTCOME_FAILED], counts[OUTCOME_UNSUPPORTED], cli_colour(stdout, NULL));
}

int tn_command_test(const arguments_t* arguments) {
  session_t session;
  tally_t tally = {.arguments = arguments};
  bool is_json = cli_has(arguments, OPTION_JSON), has_error = false;
  tn_status_t status = cli_open(arguments, &session);
  if (status) {
    cli_close(&session);
    return cli_report(status);
  }
  tally.device = session.device;
  if (is_json) printf("{\"modules\": [");
  for (size_t i = 0; i < arguments->count && !cli_was_interrupted(); ++i) {
    tally.file = i;
    status = test_file(&tally, arguments->values[i]);
    if (!status) continue;
    has_error = true;
    cli_report(status);
  }
  const bool is_empty = tally.counts[0] + tally.counts[1] + tally.counts[2] == 0;
  if (is_json || !has_error || !is_empty) summarize(&tally);
  cli_close(&session);
  return has_error || tally.counts[OUTCOME_FAILED] ? EXIT_FAILED : EXIT_FINE;
}
