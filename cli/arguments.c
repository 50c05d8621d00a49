// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

const command_t* cli_find_command(const char* name) {
  for (size_t i = 0; i < cli_command_count; ++i) {
    if (strcmp(cli_commands[i].name, name) == 0) return &cli_commands[i];
  }
  return NULL;
}

int cli_refuse(const command_t* command, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  if (cli_reports_json()) {
    char message[1024];
    vsnprintf(message, sizeof message, format, arguments);
    cli_report_json_text(TN_CODE_INVALID_ARGUMENT, message);
  } else {
    fprintf(stderr, "tenon %s: ", command->name);
    vfprintf(stderr, format, arguments);
    fprintf(stderr, "\nTry 'tenon %s --help'.\n", command->name);
  }
  va_end(arguments);
  return EXIT_USAGE;
}

static option_id_t find_long(const char* name, size_t length) {
  for (int i = 0; i < OPTION_COUNT; ++i) {
    if (strlen(cli_options[i].name) == length && memcmp(cli_options[i].name, name, length) == 0) {
      return (option_id_t)i;
    }
  }
  return OPTION_COUNT;
}

static option_id_t find_short(char letter) {
  for (int i = 0; i < OPTION_COUNT; ++i) {
    if (cli_options[i].letter && cli_options[i].letter == letter) return (option_id_t)i;
  }
  return OPTION_COUNT;
}

static int refuse_long(const command_t* command, const char* word, size_t length) {
  const char* names[OPTION_COUNT];
  size_t count = 0;
  char name[64];
  snprintf(name, sizeof name, "%.*s", (int)(length < 60 ? length : 60), word + 2);
  for (int i = 0; i < OPTION_COUNT; ++i) {
    if (cli_takes(command, (option_id_t)i)) names[count++] = cli_options[i].name;
  }
  const char* near = tn_nearest_name(name, count, names);
  if (near) {
    return cli_refuse(command, "unknown option '--%s'; did you mean '--%s'?", name, near);
  }
  return cli_refuse(command, "unknown option '--%s'", name);
}

typedef struct words {
  int count, index;
  char** words;
} words_t;

// `value` NULL: the next word, if the option takes one.
static int add_option(const command_t* command, option_id_t option, const char* value,
                      words_t* words, arguments_t* out) {
  const option_t* spec = &cli_options[option];
  if (!spec->value) {
    if (value) return cli_refuse(command, "option '--%s' takes no value", spec->name);
    value = "";
  } else if (!value) {
    if (words->index + 1 >= words->count) {
      return cli_refuse(command, "option '--%s' needs a value: %s", spec->name, spec->value);
    }
    value = words->words[++words->index];
  }
  if (out->option_counts[option] && !spec->repeats && spec->value) {
    return cli_refuse(command, "option '--%s' is given twice", spec->name);
  }
  out->option_values[option][out->option_counts[option]++] = value;
  return EXIT_FINE;
}

// "--json", "--input=ones".
static int parse_long(const command_t* command, words_t* words, arguments_t* out) {
  const char* word = words->words[words->index];
  const char* equals = strchr(word, '=');
  const size_t length = equals ? (size_t)(equals - word - 2) : strlen(word + 2);
  const option_id_t option = find_long(word + 2, length);
  if (!cli_takes(command, option)) return refuse_long(command, word, length);
  return add_option(command, option, equals ? equals + 1 : NULL, words, out);
}

// "-j", "-iones", "-ji": options without a value may be combined with what follows.
static int parse_short(const command_t* command, words_t* words, arguments_t* out) {
  for (const char* letter = words->words[words->index] + 1; *letter; ++letter) {
    const option_id_t option = find_short(*letter);
    if (!cli_takes(command, option)) return cli_refuse(command, "unknown option '-%c'", *letter);
    const bool has_value = cli_options[option].value != NULL;
    const char* value = has_value && letter[1] ? letter + 1 : NULL;
    const int code = add_option(command, option, value, words, out);
    if (code != EXIT_FINE || has_value) return code;
  }
  return EXIT_FINE;
}

int cli_parse(const command_t* command, int count, char** words, arguments_t* out) {
  size_t room = (size_t)count + 1;
  *out = (arguments_t){.command = command};
  // One block: each list has room for everything.
  const char** memory = calloc((OPTION_COUNT + 1) * room, sizeof *memory);
  if (!memory) {
    fprintf(stderr, "tenon: out of memory\n");
    return EXIT_FAILED;
  }
  out->values = memory;
  for (size_t i = 0; i < OPTION_COUNT; ++i) out->option_values[i] = memory + (i + 1) * room;
  bool only_values = false;
  words_t all = {.count = count, .words = words};
  for (; all.index < count; ++all.index) {
    const char* word = words[all.index];
    if (only_values || word[0] != '-' || !word[1]) {
      out->values[out->count++] = word;
    } else if (strcmp(word, "--") == 0) {
      only_values = true;
    } else {
      int code = word[1] == '-' ? parse_long(command, &all, out) : parse_short(command, &all, out);
      if (code != EXIT_FINE) return code;
    }
  }
  if (cli_has(out, OPTION_HELP)) return EXIT_FINE;
  if (out->count < command->minimum)
    return cli_refuse(command, "missing argument %s", command->arguments);
  if (out->count > command->maximum) {
    const char* extra = out->values[command->maximum];
    const char* dot = strrchr(extra, '.');
    if (cli_takes(command, OPTION_INPUT) && dot && strncmp(dot, ".mlir", 5) != 0) {
      return cli_refuse(command, "unexpected argument '%s'; did you mean --input %s?", extra,
                        extra);
    }
    return cli_refuse(command, "unexpected argument '%s'", extra);
  }
  return EXIT_FINE;
}

void cli_free_arguments(arguments_t* arguments) {
  free((void*)arguments->values);
  *arguments = (arguments_t){0};
}

const char* cli_value(const arguments_t* arguments, option_id_t option, const char* fallback) {
  size_t count = arguments->option_counts[option];
  return count ? arguments->option_values[option][count - 1] : fallback;
}

int cli_word(const arguments_t* arguments, option_id_t option, const char* fallback) {
  const char* value = cli_value(arguments, option, fallback);
  const char* word = cli_options[option].completes;
  for (int i = 0; *word; ++i) {
    size_t length = strcspn(word, " ");
    if (strlen(value) == length && memcmp(value, word, length) == 0) return i;
    word += length + strspn(word + length, " ");
  }
  cli_refuse(arguments->command, "--%s %s is not one of: %s", cli_options[option].name, value,
             cli_options[option].completes);
  return -1;
}
