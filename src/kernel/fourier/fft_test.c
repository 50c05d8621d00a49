// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include <math.h>

#include "kernel/fourier/fourier.h"
#include "kernel/testing_kernel.h"

static uint64_t seed = 4;
static double uniform(void) {
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(seed >> 40) / 16777216.0 - 0.5;
}

static tn_complex_t turn(int64_t k, int64_t n, bool inverse) {
  const double angle = 2 * 3.14159265358979323846 * (double)(k % n) / (double)n;
  return (tn_complex_t){cos(angle), inverse ? sin(angle) : -sin(angle)};
}

static void transform_plainly(int64_t n, bool inverse, const tn_complex_t* in, tn_complex_t* out) {
  for (int64_t k = 0; k < n; ++k) {
    out[k] = (tn_complex_t){0, 0};
    for (int64_t j = 0; j < n; ++j) {
      const tn_complex_t w = turn(j * k, n, inverse);
      out[k].re += in[j].re * w.re - in[j].im * w.im;
      out[k].im += in[j].re * w.im + in[j].im * w.re;
    }
    if (inverse) out[k].re /= (double)n, out[k].im /= (double)n;
  }
}

static void lines_of_every_length_are_transformed(void** state) {
  (void)state;
  static const int64_t more[] = {127, 128, 243, 360, 1009, 1024, 1155, 31 * 37};
  for (int64_t i = 1; i <= 70 + (int64_t)(sizeof more / sizeof *more); ++i) {
    const int64_t n = i <= 70 ? i : more[i - 71];
    tn_arena_t arena;
    tn__arena_init(&arena, tn_allocator_system());
    tn_fourier_t fourier;
    TN_ASSERT_OK(tn__fourier_plan(&arena, n, &fourier));
    tn_complex_t* in = malloc((size_t)n * sizeof *in);
    tn_complex_t* wanted = malloc((size_t)n * sizeof *in);
    tn_complex_t* got = malloc((size_t)n * sizeof *in);
    tn_complex_t* work = malloc((size_t)fourier.work_count * sizeof *in);
    for (int64_t k = 0; k < n; ++k) in[k] = (tn_complex_t){uniform(), uniform()};
    for (int inverse = 0; inverse < 2; ++inverse) {
      memcpy(got, in, (size_t)n * sizeof *in);
      tn__fourier_run(&fourier, inverse, got, work);
      transform_plainly(n, inverse, in, wanted);
      for (int64_t k = 0; k < n; ++k) {
        if (!(hypot(got[k].re - wanted[k].re, got[k].im - wanted[k].im) < 1e-11)) {
          fail_msg("length %d, element %d", (int)n, (int)k);
        }
      }
    }
    free(in), free(wanted), free(got), free(work);
    tn__arena_deinit(&arena);
  }
}

static void real_lines_of_even_lengths_are_transformed_and_undone(void** state) {
  (void)state;
  for (int64_t n = 2; n <= 140; n += 2) {
    const int64_t half = n / 2;
    tn_arena_t arena;
    tn__arena_init(&arena, tn_allocator_system());
    tn_real_fourier_t fourier;
    TN_ASSERT_OK(tn__real_fourier_plan(&arena, n, &fourier));
    tn_complex_t* in = malloc((size_t)n * sizeof *in);
    tn_complex_t* wanted = malloc((size_t)n * sizeof *in);
    tn_complex_t* got = malloc((size_t)(half + 1) * sizeof *in);
    tn_complex_t* work = malloc((size_t)(fourier.half.work_count + 1) * sizeof *in);
    double* line = &got[0].re;
    for (int64_t k = 0; k < n; ++k) in[k] = (tn_complex_t){line[k] = uniform(), 0};
    tn__real_fourier_run(&fourier, got, work);
    transform_plainly(n, false, in, wanted);
    for (int64_t k = 0; k <= half; ++k) {
      assert_true(hypot(got[k].re - wanted[k].re, got[k].im - wanted[k].im) < 1e-11);
    }
    got[0].im = got[half].im = 7;  // not looked at
    tn__real_fourier_undo(&fourier, got, work);
    for (int64_t k = 0; k < n; ++k) assert_true(fabs(line[k] - in[k].re) < 1e-13);
    free(in), free(wanted), free(got), free(work);
    tn__arena_deinit(&arena);
  }
}

static void begin_case(tn_case_t* c, const char* kind, tn_dtype_t from, size_t rank,
                       const int64_t* dims, const void* data, size_t length_count,
                       const int64_t* lengths, tn_dtype_t to, const int64_t* result_dims) {
  tn__case_begin(c, "stablehlo.fft");
  tn__case_operand(c, from, rank, dims, data);
  tn__case_enum(c, "fft_type", "fft_type", kind);
  tn__case_list(c, "fft_length", length_count, lengths);
  tn__case_result(c, to, rank, result_dims);
  TN_ASSERT_OK(tn__case_run(c));
}

static void real_transforms_keep_half(void** state) {
  (void)state;
  tn_case_t c;
  begin_case(&c, "RFFT", TN_DTYPE_F32, TN_DIMS(2, 4), (float[]){1, 2, 3, 4, 1, 0, 0, 0}, 1,
             (int64_t[]){4}, TN_DTYPE_C64, (int64_t[]){2, 3});
  const float wanted[] = {10, 0, -2, 2, -2, 0, 1, 0, 1, 0, 1, 0};
  for (int i = 0; i < 12; ++i) assert_true(fabsf(((float*)c.results[0])[i] - wanted[i]) < 1e-6f);
  tn__case_end(&c);
}

static void real_transforms_of_every_length_are_undone(void** state) {
  (void)state;
  for (int64_t n = 1; n < 80; ++n) {
    for (int planes = 1; planes <= 3; ++planes) {
      // Over the last one, two or three dimensions.
      const int64_t dims[] = {2, 3, 5, n}, half[] = {2, 3, 5, n / 2 + 1};
      const int64_t* lengths = dims + 4 - planes;
      double data[30 * 80];
      for (int64_t i = 0; i < 30 * n; ++i) data[i] = uniform();
      tn_case_t forward, back;
      begin_case(&forward, "RFFT", TN_DTYPE_F64, 4, dims, data, (size_t)planes, lengths,
                 TN_DTYPE_C128, half);
      begin_case(&back, "IRFFT", TN_DTYPE_C128, 4, half, forward.results[0], (size_t)planes,
                 lengths, TN_DTYPE_F64, dims);
      for (int64_t i = 0; i < 30 * n; ++i) {
        if (!(fabs(((double*)back.results[0])[i] - data[i]) < 1e-13)) fail_msg("n %d", (int)n);
      }
      tn__case_end(&forward);
      tn__case_end(&back);
    }
  }
}

static void transforms_in_several_dimensions_are_undone(void** state) {
  (void)state;
  const int64_t dims[] = {3, 4, 30, 37};
  enum { COUNT = 3 * 4 * 30 * 37 };
  static float data[2 * COUNT];
  for (int i = 0; i < 2 * COUNT; ++i) data[i] = (float)uniform();
  tn_case_t forward, back;
  begin_case(&forward, "FFT", TN_DTYPE_C64, 4, dims, data, 3, dims + 1, TN_DTYPE_C64, dims);
  // The first element is the sum.
  double sum = 0;
  for (int i = 0; i < 4 * 30 * 37; ++i) sum += (double)data[2 * i];
  assert_true(fabs((double)((float*)forward.results[0])[0] - sum) < 1e-3);
  begin_case(&back, "IFFT", TN_DTYPE_C64, 4, dims, forward.results[0], 3, dims + 1, TN_DTYPE_C64,
             dims);
  for (int i = 0; i < 2 * COUNT; ++i) {
    assert_true(fabsf(((float*)back.results[0])[i] - data[i]) < 1e-5f);
  }
  tn__case_end(&forward);
  tn__case_end(&back);
}

static void many_images_are_transformed_as_each_alone(void** state) {
  (void)state;
  enum { IMAGES = 19, ROWS = 68, COLUMNS = 122, HALF = COLUMNS / 2 + 1, SIZE = ROWS * COLUMNS };
  static const struct {
    const char* kind;
    tn_dtype_t from, to;
    int64_t from_columns, to_columns;
  } cases[] = {{"FFT", TN_DTYPE_C64, TN_DTYPE_C64, COLUMNS, COLUMNS},
               {"IFFT", TN_DTYPE_C128, TN_DTYPE_C128, COLUMNS, COLUMNS},
               {"RFFT", TN_DTYPE_F32, TN_DTYPE_C64, COLUMNS, HALF},
               {"IRFFT", TN_DTYPE_C64, TN_DTYPE_F32, HALF, COLUMNS}};
  static float floats[IMAGES * SIZE * 2];
  static double doubles[IMAGES * SIZE * 2];
  for (int i = 0; i < IMAGES * SIZE * 2; ++i) floats[i] = (float)(doubles[i] = uniform());
  for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
    const bool is_wide = cases[k].from == TN_DTYPE_C128;
    const char* data = is_wide ? (const char*)doubles : (const char*)floats;
    const int64_t from[] = {IMAGES, ROWS, cases[k].from_columns};
    const int64_t to[] = {IMAGES, ROWS, cases[k].to_columns}, lengths[] = {ROWS, COLUMNS};
    const size_t step = tn_dtype_byte_size(cases[k].from) * (size_t)(from[1] * from[2]);
    const size_t size = tn_dtype_byte_size(cases[k].to) * (size_t)(to[1] * to[2]);
    for (int threads = 1; threads <= 3; threads += 2) {
      tn_pool_t* pool;
      const tn_pool_config_t config = {.thread_count = threads};
      TN_ASSERT_OK(tn__pool_create(&config, tn_allocator_system(), &pool));
      tn_case_t all;
      begin_case(&all, cases[k].kind, cases[k].from, 3, from, data, 2, lengths, cases[k].to, to);
      all.pool = pool;
      TN_ASSERT_OK(tn__case_run(&all));
      for (size_t i = 0; i < IMAGES; ++i) {
        tn_case_t one;
        begin_case(&one, cases[k].kind, cases[k].from, 2, from + 1, data + i * step, 2, lengths,
                   cases[k].to, to + 1);
        assert_memory_equal((const char*)all.results[0] + i * size, one.results[0], size);
        tn__case_end(&one);
      }
      tn__case_end(&all);
      tn__pool_release(pool);
    }
  }
}

static void long_transforms_are_undone_by_any_number_of_threads(void** state) {
  (void)state;
  enum { LENGTH = 128 * 96, COUNT = 2 * LENGTH };
  const int64_t dims[] = {2, LENGTH}, length = LENGTH;
  static double data[2 * COUNT], first[2 * COUNT];
  for (int i = 0; i < 2 * COUNT; ++i) data[i] = uniform();
  for (int threads = 1; threads <= 3; threads += 2) {
    tn_pool_t* pool;
    const tn_pool_config_t config = {.thread_count = threads};
    TN_ASSERT_OK(tn__pool_create(&config, tn_allocator_system(), &pool));
    tn_case_t forward, back;
    begin_case(&forward, "FFT", TN_DTYPE_C128, 2, dims, data, 1, &length, TN_DTYPE_C128, dims);
    forward.pool = pool;
    TN_ASSERT_OK(tn__case_run(&forward));
    if (threads == 1) memcpy(first, forward.results[0], sizeof first);
    assert_memory_equal(forward.results[0], first, sizeof first);
    begin_case(&back, "IFFT", TN_DTYPE_C128, 2, dims, first, 1, &length, TN_DTYPE_C128, dims);
    for (int i = 0; i < 2 * COUNT; ++i) {
      assert_true(fabs(((double*)back.results[0])[i] - data[i]) < 1e-14);
    }
    tn__case_end(&forward);
    tn__case_end(&back);
    tn__pool_release(pool);
  }
}

// Lines that all go in lanes are transformed in f32: the largest error, against f64 and of the
// largest element, is that of a few roundings.
static void transforms_in_f32_are_near_those_in_f64(void** state) {
  (void)state;
  enum { COUNT = 2 * 12288 };
  static const struct {
    int64_t dims[3];
    size_t planes;
  } cases[] = {
      {{1, 2, 12288}, 1}, {{1, 24, 1024}, 1}, {{3, 128, 64}, 2}, {{1, 31, 62}, 1}, {{2, 5, 8}, 3}};
  static float narrow[2 * COUNT];
  static double wide[2 * COUNT];
  for (int i = 0; i < 2 * COUNT; ++i) wide[i] = (double)(narrow[i] = (float)uniform());
  static const char* const kinds[] = {"FFT", "IFFT", "RFFT", "IRFFT"};
  for (size_t k = 0; k < 4 * sizeof cases / sizeof *cases; ++k) {
    const int64_t* dims = cases[k / 4].dims;
    const int64_t half[] = {dims[0], dims[1], dims[2] / 2 + 1};
    const size_t planes = cases[k / 4].planes;
    const char* kind = kinds[k % 4];
    const bool from_real = k % 4 == 2, to_real = k % 4 == 3;
    const int64_t *from = to_real ? half : dims, *to = from_real ? half : dims;
    tn_case_t f32, f64;
    begin_case(&f32, kind, from_real ? TN_DTYPE_F32 : TN_DTYPE_C64, 3, from, narrow, planes,
               dims + 3 - planes, to_real ? TN_DTYPE_F32 : TN_DTYPE_C64, to);
    begin_case(&f64, kind, from_real ? TN_DTYPE_F64 : TN_DTYPE_C128, 3, from, wide, planes,
               dims + 3 - planes, to_real ? TN_DTYPE_F64 : TN_DTYPE_C128, to);
    double largest = 0, error = 0;
    for (int64_t i = 0; i < to[0] * to[1] * to[2] * (to_real ? 1 : 2); ++i) {
      const double wanted = ((const double*)f64.results[0])[i];
      const double distance = fabs((double)((const float*)f32.results[0])[i] - wanted);
      if (fabs(wanted) > largest) largest = fabs(wanted);
      if (!(distance <= error)) error = distance;
    }
    if (!(error <= 6e-7 * largest)) fail_msg("case %d, %s: %g", (int)k / 4, kind, error / largest);
    tn__case_end(&f32);
    tn__case_end(&f64);
  }
}

static void inverse_real_transforms_ignore_what_must_be_zero(void** state) {
  (void)state;
  // Imaginary parts of the first element and of the middle one.
  tn_case_t c;
  begin_case(&c, "IRFFT", TN_DTYPE_C64, TN_DIMS(3), (float[]){10, 7, -2, 2, -2, 9}, 1,
             (int64_t[]){4}, TN_DTYPE_F32, (int64_t[]){4});
  for (int i = 0; i < 4; ++i) {
    assert_true(fabsf(((float*)c.results[0])[i] - (float)(i + 1)) < 1e-6f);
  }
  tn__case_end(&c);
}

static void empty_transforms_are_empty(void** state) {
  (void)state;
  tn_case_t c;
  begin_case(&c, "FFT", TN_DTYPE_C64, TN_DIMS(0, 4), NULL, 1, (int64_t[]){4}, TN_DTYPE_C64,
             (int64_t[]){0, 4});
  tn__case_end(&c);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(lines_of_every_length_are_transformed),
      cmocka_unit_test(real_lines_of_even_lengths_are_transformed_and_undone),
      cmocka_unit_test(real_transforms_keep_half),
      cmocka_unit_test(real_transforms_of_every_length_are_undone),
      cmocka_unit_test(transforms_in_several_dimensions_are_undone),
      cmocka_unit_test(many_images_are_transformed_as_each_alone),
      cmocka_unit_test(long_transforms_are_undone_by_any_number_of_threads),
      cmocka_unit_test(transforms_in_f32_are_near_those_in_f64),
      cmocka_unit_test(inverse_real_transforms_ignore_what_must_be_zero),
      cmocka_unit_test(empty_transforms_are_empty),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
