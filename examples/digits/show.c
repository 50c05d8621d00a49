// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

/* Shows what the network made of the digits: some images as a terminal can, read right and read
 * wrong, and how many of all were right.
 *
 * $ digits_show images.npy labels.npy predictions.npy [probabilities.npy]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "npy.h"

enum { ACROSS = 4, CELL = 19, MAX_DIGITS = 10 };

typedef struct look_t {
  const char* shades[5]; /* one pixel each, from dark to bright; two columns wide */
  const char* right;
  const char* wrong;
  const char* plain;
} look_t;

typedef struct digits_t {
  npy_array_t images, labels, predictions;
  npy_array_t probabilities; /* rank 0 with values NULL: not given */
} digits_t;

static int is_utf8(void) {
  const char* names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
  for (size_t i = 0; i < 3; i++) {
    const char* value = getenv(names[i]);
    if (value == NULL || *value == '\0') continue;
    return strstr(value, "UTF-8") != NULL || strstr(value, "utf8") != NULL ||
           strstr(value, "utf-8") != NULL || strstr(value, "UTF8") != NULL;
  }
  return 0;
}

static look_t choose_look(void) {
  look_t ascii = {.shades = {"  ", "..", "::", "oo", "@@"}, .right = "", .wrong = "", .plain = ""};
  look_t blocks = {.shades = {"  ", "\u2591\u2591", "\u2592\u2592", "\u2593\u2593", "\u2588\u2588"},
                   .right = "",
                   .wrong = "",
                   .plain = ""};
  look_t look = is_utf8() ? blocks : ascii;
  const char* no_color = getenv("NO_COLOR");
  const char* terminal = getenv("TERM");
  int dumb = terminal == NULL || strcmp(terminal, "dumb") == 0;
  if (isatty(STDOUT_FILENO) && (no_color == NULL || *no_color == '\0') && !dumb) {
    look.right = "\033[32m";
    look.wrong = "\033[1;31m";
    look.plain = "\033[0m";
  }
  return look;
}

static int is_wrong(const digits_t* digits, size_t i) {
  return digits->predictions.values[i] != digits->labels.values[i];
}

/* Some indices of images that were read right, or wrong, spread over all of them. Returns how many.
 */
static size_t choose(const digits_t* digits, int wrong, size_t most, size_t* out_indices) {
  size_t all = 0, seen = 0, chosen = 0;
  for (size_t i = 0; i < digits->labels.count; i++) all += is_wrong(digits, i) == wrong;
  size_t wanted = all < most ? all : most;
  for (size_t i = 0; i < digits->labels.count && chosen < wanted; i++) {
    if (is_wrong(digits, i) != wrong) continue;
    if (seen++ == chosen * all / wanted) out_indices[chosen++] = i;
  }
  return chosen;
}

static void print_pixels(const digits_t* digits, const look_t* look, size_t image, size_t row,
                         double brightest) {
  size_t width = digits->images.dims[2];
  const double* pixels = digits->images.values + (image * digits->images.dims[1] + row) * width;
  for (size_t column = 0; column < width; column++) {
    double level = brightest > 0 ? pixels[column] / brightest * 4 + 0.5 : 0;
    fputs(look->shades[level < 0 ? 0 : level > 4 ? 4 : (int)level], stdout);
  }
}

static void print_caption(const digits_t* digits, const look_t* look, size_t image) {
  int wrong = is_wrong(digits, image);
  char text[64];
  int length = snprintf(text, sizeof text, "%.0f", digits->predictions.values[image]);
  if (wrong)
    length += snprintf(text + length, sizeof text - (size_t)length, ", is %.0f",
                       digits->labels.values[image]);
  if (digits->probabilities.values != NULL) {
    size_t classes = digits->probabilities.dims[1];
    double guess = digits->predictions.values[image];
    double p = guess >= 0 && guess < (double)classes
                   ? digits->probabilities.values[image * classes + (size_t)guess]
                   : 0;
    length += snprintf(text + length, sizeof text - (size_t)length, " (%.0f %%)", 100 * p);
  }
  printf("%s%s%s%*s", wrong ? look->wrong : look->right, text, look->plain,
         length < CELL ? CELL - length : 1, "");
}

static void print_digits(const digits_t* digits, const look_t* look, const char* title,
                         const size_t* indices, size_t count) {
  double brightest = 0;
  for (size_t i = 0; i < digits->images.count; i++)
    if (digits->images.values[i] > brightest) brightest = digits->images.values[i];
  int gap = CELL - 2 * (int)digits->images.dims[2];
  if (count > 0) printf("%s\n\n", title);
  for (size_t first = 0; first < count; first += ACROSS) {
    size_t end = first + ACROSS < count ? first + ACROSS : count;
    for (size_t row = 0; row < digits->images.dims[1]; row++) {
      for (size_t i = first; i < end; i++) {
        fputs("  ", stdout);
        print_pixels(digits, look, indices[i], row, brightest);
        printf("%*s", gap > 2 ? gap - 2 : 0, "");
      }
      fputs("\n", stdout);
    }
    for (size_t i = first; i < end; i++) {
      fputs("  ", stdout);
      print_caption(digits, look, indices[i]);
    }
    fputs("\n\n", stdout);
  }
}

static int is_usable(const digits_t* digits, char* message, size_t size) {
  size_t count = digits->labels.count;
  const npy_array_t* p = &digits->probabilities;
  if (digits->images.rank != 3 || digits->images.dims[2] > 32)
    (void)snprintf(message, size, "the images have rank %zu; expected NxHxW, at most 32 wide",
                   digits->images.rank);
  else if (digits->labels.rank != 1 || digits->predictions.rank != 1)
    (void)snprintf(message, size, "labels and predictions are one number per image (rank 1)");
  else if (digits->images.dims[0] != count || digits->predictions.count != count)
    (void)snprintf(message, size, "there are %zu images, %zu labels and %zu predictions",
                   digits->images.dims[0], count, digits->predictions.count);
  else if (p->values != NULL && (p->rank != 2 || p->dims[0] != count))
    (void)snprintf(message, size, "the probabilities have one row per image (rank 2)");
  else if (count == 0)
    (void)snprintf(message, size, "there is no image");
  else
    return 1;
  return 0;
}

static void show(const digits_t* digits) {
  look_t look = choose_look();
  size_t indices[MAX_DIGITS], wrong = 0, count = digits->labels.count;
  size_t chosen = choose(digits, 0, ACROSS, indices);
  print_digits(digits, &look, "Read right:", indices, chosen);
  chosen = choose(digits, 1, ACROSS, indices);
  print_digits(digits, &look, "Read wrong:", indices, chosen);
  for (size_t i = 0; i < count; i++) wrong += (size_t)is_wrong(digits, i);
  printf("accuracy: %.2f %% (%zu of %zu images)\n", 100 * (double)(count - wrong) / (double)count,
         count - wrong, count);
}

int main(int argc, char** argv) {
  if (argc < 4 || argc > 5 || argv[1][0] == '-') {
    fprintf(stderr,
            "usage: digits_show images.npy labels.npy predictions.npy [probabilities.npy]\n");
    return 2;
  }
  digits_t digits;
  memset(&digits, 0, sizeof digits);
  npy_array_t* arrays[] = {&digits.images, &digits.labels, &digits.predictions,
                           &digits.probabilities};
  char message[512];
  int ok = 1;
  for (int i = 1; ok && i < argc; i++)
    ok = npy_load(argv[i], arrays[i - 1], message, sizeof message);
  ok = ok && is_usable(&digits, message, sizeof message);
  if (ok)
    show(&digits);
  else
    fprintf(stderr, "digits_show: %s\n", message);
  for (size_t i = 0; i < 4; i++) npy_free(arrays[i]);
  return ok ? 0 : 1;
}
