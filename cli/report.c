// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"

bool cli_has_colour(FILE* file) {
  const char* no_colour = getenv("NO_COLOR");
  const char* terminal = getenv("TERM");
  if (no_colour && *no_colour) return false;
  return terminal && strcmp(terminal, "dumb") != 0 && isatty(fileno(file));
}

const char* cli_colour(FILE* file, const char* code) {
  static char sequence[16];
  if (!cli_has_colour(file)) return "";
  if (!code) return "\033[0m";
  snprintf(sequence, sizeof sequence, "\033[%sm", code);
  return sequence;
}

char* cli_status_text(tn_status_t status) {
  size_t length = tn_status_format(status, NULL, 0);
  char* text = malloc(length + 1);
  if (text) tn_status_format(status, text, length + 1);
  return text ? text : strdup("error: out of memory\n");
}

static bool starts(const char* line, size_t length, const char* word) {
  return length >= strlen(word) && memcmp(line, word, strlen(word)) == 0;
}

// A caret under the place, behind spaces and tabs alone.
static bool is_caret(const char* line, size_t length) {
  size_t blank = strspn(line, " \t");
  return blank + 1 == length && line[blank] == '^';
}

static size_t character_length(const unsigned char* text);

// Whether a terminal would do something else than show the character.
static bool is_control(const unsigned char* text, size_t length) {
  const unsigned char c = *text;
  if (length == 0) return true;  // not UTF-8
  if (length == 1) return (c < 0x20 && c != '\n' && c != '\t') || c == 0x7F;
  if (c == 0xC2) return text[1] < 0xA0;
  if (c == 0xD8) return text[1] == 0x9C;  // U+061C
  if (c != 0xE2) return false;
  const unsigned low = (unsigned)(text[1] & 0x3F) << 6 | (text[2] & 0x3F);  // of U+2000
  return low == 0x0E || low == 0x0F || (low >= 0x28 && low <= 0x2E) || (low >= 0x66 && low <= 0x69);
}

// The text with such characters as hexadecimal bytes, "\\1B"; from malloc. Takes the other.
static char* escape_controls(char* text) {
  char* out = text ? malloc(3 * strlen(text) + 1) : NULL;
  char* to = out;
  for (const unsigned char* c = (const unsigned char*)text; out && *c;) {
    const size_t length = character_length(c), count = length ? length : 1;
    const bool is_escaped = is_control(c, length);
    for (size_t i = 0; i < count; ++i, ++c) {
      to += is_escaped ? sprintf(to, "\\%02X", *c) : sprintf(to, "%c", *c);
    }
  }
  if (out) *to = 0;
  free(text);
  return out;
}

// What a report begins with, behind the place, and how it is written there.
typedef struct heading {
  const char *word, *colour;
} heading_t;

static void print_line(const char* line, size_t length, const heading_t* heading) {
  const char* off = cli_colour(stderr, NULL);
  const char* error = heading ? strstr(line, "error: ") : NULL;
  if (error && error < line + length) {
    size_t before = (size_t)(error - line);
    fprintf(stderr, "%s%.*s%s", cli_colour(stderr, "1"), (int)before, line, off);
    fprintf(stderr, "%s%s:%s", cli_colour(stderr, heading->colour), heading->word, off);
    fprintf(stderr, "%s%.*s%s\n", cli_colour(stderr, "1"), (int)(length - before - 6), error + 6,
            off);
  } else if (starts(line, length, "note: ")) {
    fprintf(stderr, "%snote:%s%.*s\n", cli_colour(stderr, "1;36"), off, (int)length - 5, line + 5);
  } else if (is_caret(line, length)) {
    fprintf(stderr, "%s%.*s%s\n", cli_colour(stderr, "1;32"), (int)length, line, off);
  } else {
    fprintf(stderr, "%.*s\n", (int)length, line);
  }
}

static void print_text(const char* text, heading_t heading) {
  for (const char* line = text; *line;) {
    size_t length = strcspn(line, "\n");
    print_line(line, length, line == text ? &heading : NULL);
    line += length;
    line += *line == '\n';
  }
}

// --- errors as JSON

static bool as_json;

void cli_report_as_json(void) {
  as_json = true;
}

bool cli_reports_json(void) {
  return as_json;
}

static void print_json_member(const char* name, const char* text) {
  fprintf(stderr, "\"%s\": ", name);
  cli_print_json_string(stderr, text);
}

void cli_report_json_text(tn_code_t code, const char* message) {
  fprintf(stderr, "{\"error\": {\"code\": \"%s\", ", tn_code_name(code));
  print_json_member("message", message);
  fprintf(stderr, "}}\n");
}

// `text` is the whole report.
static void print_json_error(tn_status_t status, const char* text, const char* path) {
  fprintf(stderr, "{\"error\": {\"code\": \"%s\", ", tn_code_name(tn_status_code(status)));
  print_json_member("message", tn_status_message(status));
  if (tn_status_line(status)) {
    const char* file = tn_status_file(status);
    fprintf(stderr, ", ");
    print_json_member("file", file ? file : "");
    fprintf(stderr, ", \"line\": %u, \"column\": %u", (unsigned)tn_status_line(status),
            (unsigned)tn_status_column(status));
  } else if (path) {
    fprintf(stderr, ", ");
    print_json_member("file", path);
  }
  fprintf(stderr, ", ");
  print_json_member("report", text);
  fprintf(stderr, "}}\n");
}

int cli_report(tn_status_t status) {
  return cli_report_of_file(status, NULL);
}

int cli_report_of_file(tn_status_t status, const char* path) {
  char* text = cli_status_text(status);
  fflush(stdout);
  cli_progress_end();
  if (text && as_json) {
    print_json_error(status, text, path);
  } else if (text) {
    text = escape_controls(text);
    if (text) print_text(text, (heading_t){"error", "1;31"});
  }
  free(text);
  tn_status_release(status);
  return EXIT_FAILED;
}

void cli_warn(tn_status_t status) {
  char* text = escape_controls(cli_status_text(status));
  cli_progress_end();
  if (text && !as_json) print_text(text, (heading_t){"warning", "1;35"});
  free(text);
  tn_status_release(status);
}

const char* cli_bytes_text(double bytes, char out[32]) {
  static const char* const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  size_t unit = 0;
  for (; bytes >= 1024 && unit < 6; ++unit) bytes /= 1024;
  snprintf(out, 32, unit ? "%.4g %s" : "%.0f %s", bytes, units[unit]);
  return out;
}

// Bytes of the UTF-8 character at `text`; 0: there is none.
static size_t character_length(const unsigned char* text) {
  static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
  unsigned char c = *text;
  size_t length = c < 0x80 ? 1 : c >> 5 == 6 ? 2 : c >> 4 == 14 ? 3 : c >> 3 == 30 ? 4 : 0;
  uint32_t value = length > 1 ? c & (0x7Fu >> length) : c;
  for (size_t i = 1; i < length; ++i) {
    if (text[i] >> 6 != 2) return 0;
    value = value << 6 | (text[i] & 0x3F);
  }
  bool is_surrogate = value >= 0xD800 && value < 0xE000;
  return value < smallest[length] || value > 0x10FFFF || is_surrogate ? 0 : length;
}

void cli_print_json_string(FILE* file, const char* text) {
  fputc('"', file);
  while (*text) {
    unsigned char c = (unsigned char)*text;
    size_t length = character_length((const unsigned char*)text);
    if (c == '"' || c == '\\') {
      fprintf(file, "\\%c", c);
    } else if (c == '\n') {
      fputs("\\n", file);
    } else if (c < 0x20 || c == 0x7F) {
      fprintf(file, "\\u%04x", c);
    } else if (length > 1 && is_control((const unsigned char*)text, length)) {
      const unsigned char* at = (const unsigned char*)text;
      const unsigned value = length == 2 ? (unsigned)(at[0] & 0x1F) << 6 | (at[1] & 0x3F)
                                         : (unsigned)(at[0] & 0x0F) << 12 |
                                               (unsigned)(at[1] & 0x3F) << 6 | (at[2] & 0x3F);
      fprintf(file, "\\u%04x", value);
    } else if (!length) {  // quoted from a file that is no text
      fputs("\\ufffd", file);
    } else {
      fwrite(text, 1, length, file);
    }
    text += length ? length : 1;
  }
  fputc('"', file);
}

void cli_print_json_member(const char* separator, const char* name, const char* text) {
  printf("%s\"%s\": ", separator, name);
  if (text) {
    cli_print_json_string(stdout, text);
  } else {
    printf("null");
  }
}
