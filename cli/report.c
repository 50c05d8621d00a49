#include <stdlib.h>
#include <string.h>
#include <time.h>
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

static void print_line(const char* line, size_t length, bool is_first) {
  const char* off = cli_colour(stderr, NULL);
  const char* error = is_first ? strstr(line, "error: ") : NULL;
  if (error && error < line + length) {
    size_t before = (size_t)(error - line);
    fprintf(stderr, "%s%.*s%s", cli_colour(stderr, "1"), (int)before, line, off);
    fprintf(stderr, "%serror:%s", cli_colour(stderr, "1;31"), off);
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

int cli_report(tn_status_t status) {
  char* text = cli_status_text(status);
  fflush(stdout);
  if (text) {
    for (const char* line = text; *line;) {
      size_t length = strcspn(line, "\n");
      print_line(line, length, line == text);
      line += length;
      line += *line == '\n';
    }
  }
  free(text);
  tn_status_release(status);
  return EXIT_FAILED;
}

tn_status_t cli_write(void* file, const char* text, size_t length) {
  if (fwrite(text, 1, length, file) == length) return TN_OK;
  return tn_status_create(TN_CODE_DATA_LOSS, "the output could not be written");
}

double cli_now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

const char* cli_bytes_text(double bytes, char out[32]) {
  static const char* const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  size_t unit = 0;
  for (; bytes >= 1024 && unit < 6; ++unit) bytes /= 1024;
  snprintf(out, 32, unit ? "%.4g %s" : "%.0f %s", bytes, units[unit]);
  return out;
}

void cli_print_json_string(FILE* file, const char* text) {
  fputc('"', file);
  for (; *text; ++text) {
    unsigned char c = (unsigned char)*text;
    if (c == '"' || c == '\\') {
      fprintf(file, "\\%c", c);
    } else if (c == '\n') {
      fputs("\\n", file);
    } else if (c < 0x20) {
      fprintf(file, "\\u%04x", c);
    } else {
      fputc(c, file);
    }
  }
  fputc('"', file);
}
