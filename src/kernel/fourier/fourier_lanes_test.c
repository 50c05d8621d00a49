// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "kernel/fourier/fourier_lanes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/testing.h"

static void fill(int64_t count, tn_complex_t* out) {
  for (int64_t i = 0; i < count; ++i) {
    out[i] = (tn_complex_t){sin(0.7 * (double)i) + 1e-3 * (double)(i % 17), cos(1.3 * (double)i)};
  }
}

static void* allocate(size_t count, size_t size) {
  void* memory = aligned_alloc(64, (count * size + 63) / 64 * 64);
  assert_non_null(memory);
  return memory;
}

static void lanes_and_lines_are_equal_to_the_bit(void** state) {
  (void)state;
  static const int64_t lengths[] = {1, 2, 3, 4, 6, 8, 31, 60, 128, 217, 512, 2310};
  for (size_t n = 0; n < sizeof lengths / sizeof *lengths; ++n) {
    const int64_t length = lengths[n];
    tn_arena_t arena;
    tn__arena_init(&arena, tn_allocator_system());
    tn_fourier_t fourier;
    TN_ASSERT_OK(tn__fourier_plan(&arena, length, &fourier));
    assert_true(tn__fourier_has_lanes(length));
    const size_t size = (size_t)length;
    tn_complex_lanes_t* work = allocate(2 * size, sizeof *work);
    tn_complex_t* lines = allocate(TN_FOURIER_LANES * size, sizeof *lines);
    tn_complex_t* wanted = allocate((TN_FOURIER_LANES + 1) * size, sizeof *wanted);
    for (tn_isa_t isa = TN_ISA_BASE; isa < TN_ISA_COUNT; ++isa) {
      fill(TN_FOURIER_LANES * length, wanted);
      for (int64_t k = 0; k < length; ++k) {
        for (int64_t l = 0; l < TN_FOURIER_LANES; ++l) {
          work[k].f64.re[l] = wanted[l * length + k].re;
          work[k].f64.im[l] = wanted[l * length + k].im;
        }
      }
      const tn_complex_lanes_t* got = tn__fourier_lanes_of(isa, &fourier, work, work + length);
      if (!got) continue;
      for (int64_t l = 0; l < TN_FOURIER_LANES; ++l) {
        tn__fourier_run(&fourier, false, wanted + l * length, wanted + TN_FOURIER_LANES * length);
        for (int64_t k = 0; k < length; ++k) {
          assert_memory_equal(&got[k].f64.re[l], &wanted[l * length + k].re, sizeof(double));
          assert_memory_equal(&got[k].f64.im[l], &wanted[l * length + k].im, sizeof(double));
        }
      }
    }
    for (int64_t count = 1; count <= TN_FOURIER_LANES; count += 7) {
      // The lines as rows, and as columns.
      for (int as_columns = 0; as_columns < 2; ++as_columns) {
        const int64_t line_stride = as_columns ? 1 : length, stride = as_columns ? count : 1;
        fill(count * length, lines);
        for (int64_t l = 0; l < count; ++l) {
          for (int64_t k = 0; k < length; ++k) {
            wanted[l * length + k] = lines[l * line_stride + k * stride];
          }
          tn__fourier_run(&fourier, true, wanted + l * length, wanted + TN_FOURIER_LANES * length);
        }
        tn__fourier_run_lines(&fourier, true,
                              &(tn_fourier_lines_t){.from = lines,
                                                    .to = lines,
                                                    .count = count,
                                                    .line_stride = line_stride,
                                                    .stride = stride},
                              work);
        for (int64_t l = 0; l < count; ++l) {
          for (int64_t k = 0; k < length; ++k) {
            assert_memory_equal(&lines[l * line_stride + k * stride], &wanted[l * length + k],
                                sizeof *lines);
          }
        }
      }
    }
    free(work);
    free(lines);
    free(wanted);
    tn__arena_deinit(&arena);
  }
}

static double random_like(size_t i) {
  return (double)(i * 7919 % 1013) / 1013 - 0.5;
}

// Errors of a transform in f32 grow with the number of its passes; 31 numbers are summed at most.
static bool is_near(float got, double wanted, double scale) {
  return fabs((double)got - wanted) <= 1e-6 * scale;
}

// Whole groups of lines and parts of one, behind each other and side by side.
static void narrow_lanes_are_near_lines(void** state) {
  (void)state;
  static const int64_t lengths[] = {1, 2, 3, 4, 5, 7, 8, 9, 31, 60, 128, 961, 2310};
  for (size_t n = 0; n < 4 * sizeof lengths / sizeof *lengths; ++n) {
    const int64_t length = lengths[n / 4], count = n % 2 ? TN_FOURIER_LANES_F32 : 5;
    const bool as_columns = n % 4 > 1;
    const int64_t line_stride = as_columns ? 1 : length + 1, stride = as_columns ? count + 3 : 1;
    const size_t size = (size_t)(TN_FOURIER_LANES_F32 + 3) * (size_t)(length + 1);
    tn_arena_t arena;
    tn__arena_init(&arena, tn_allocator_system());
    tn_fourier_t fourier;
    TN_ASSERT_OK(tn__fourier_plan(&arena, length, &fourier));
    TN_ASSERT_OK(tn__fourier_narrow(&arena, &fourier));
    float* lines = allocate(2 * size, sizeof *lines);
    float* got = allocate(2 * size, sizeof *got);
    tn_complex_t* line = allocate(2 * (size_t)length, sizeof *line);
    tn_complex_lanes_t* work = allocate(2 * (size_t)length, sizeof *work);
    for (size_t i = 0; i < 2 * size; ++i) got[i] = lines[i] = (float)random_like(i);
    const tn_fourier_lines_t place = {
        .from = got, .to = got, .count = count, .line_stride = line_stride, .stride = stride};
    tn__fourier_run_lines(&fourier, true, &place, work);
    for (int64_t l = 0; l < count; ++l) {
      double scale = 0;
      for (int64_t k = 0; k < length; ++k) {
        const float* number = lines + 2 * (l * line_stride + k * stride);
        line[k] = (tn_complex_t){(double)number[0], (double)number[1]};
      }
      tn__fourier_run(&fourier, true, line, line + length);
      for (int64_t k = 0; k < length; ++k) scale = fmax(scale, hypot(line[k].re, line[k].im));
      for (int64_t k = 0; k < length; ++k) {
        float* number = got + 2 * (l * line_stride + k * stride);
        assert_true(is_near(number[0], line[k].re, scale));
        assert_true(is_near(number[1], line[k].im, scale));
        // What is left must be untouched.
        memcpy(number, lines + 2 * (l * line_stride + k * stride), 2 * sizeof *number);
      }
    }
    assert_memory_equal(got, lines, 2 * size * sizeof *lines);
    free(lines), free(got), free(line), free(work);
    tn__arena_deinit(&arena);
  }
}

static void narrow_lanes_do_not_depend_on_the_instruction_set(void** state) {
  (void)state;
  static const int64_t lengths[] = {1, 6, 128, 217, 2310};
  for (size_t n = 0; n < sizeof lengths / sizeof *lengths; ++n) {
    const size_t size = (size_t)lengths[n];
    tn_arena_t arena;
    tn__arena_init(&arena, tn_allocator_system());
    tn_fourier_t fourier;
    TN_ASSERT_OK(tn__fourier_plan(&arena, lengths[n], &fourier));
    TN_ASSERT_OK(tn__fourier_narrow(&arena, &fourier));
    tn_complex_lanes_t* work = allocate(2 * size, sizeof *work);
    tn_complex_lanes_t* wanted = allocate(size, sizeof *wanted);
    for (tn_isa_t isa = TN_ISA_BASE; isa < TN_ISA_COUNT; ++isa) {
      for (size_t i = 0; i < size; ++i) {
        for (size_t l = 0; l < TN_FOURIER_LANES_F32; ++l) {
          work[i].f32.re[l] = (float)random_like(2 * (i * TN_FOURIER_LANES_F32 + l));
          work[i].f32.im[l] = (float)random_like(2 * (i * TN_FOURIER_LANES_F32 + l) + 1);
        }
      }
      const tn_complex_lanes_t* got = tn__fourier_lanes_of(isa, &fourier, work, work + size);
      if (!got) continue;
      if (isa == TN_ISA_BASE) memcpy(wanted, got, size * sizeof *got);
      assert_memory_equal(got, wanted, size * sizeof *got);
    }
    free(work), free(wanted);
    tn__arena_deinit(&arena);
  }
}

static void lanes_of_reals_are_equal_to_lines(void** state) {
  (void)state;
  for (int64_t half = 1; half <= 34; ++half) {
    for (int64_t count = 3; count <= TN_FOURIER_LANES; count += 5) {
      tn_arena_t arena;
      tn__arena_init(&arena, tn_allocator_system());
      tn_real_fourier_t fourier;
      TN_ASSERT_OK(tn__real_fourier_plan(&arena, 2 * half, &fourier));
      if (!tn__fourier_has_lanes(half)) {
        tn__arena_deinit(&arena);
        continue;
      }
      const size_t size = (size_t)(half + 1);
      tn_complex_t* reals = allocate(TN_FOURIER_LANES * size, sizeof *reals);
      tn_complex_t* back = allocate(TN_FOURIER_LANES * size, sizeof *back);
      tn_complex_t* got = allocate(TN_FOURIER_LANES * size, sizeof *got);
      tn_complex_t* line = allocate(2 * size, sizeof *line);
      tn_complex_lanes_t* work = allocate(2 * size, sizeof *work);
      fill(count * half, reals);
      const tn_fourier_lines_t pairs = {reals, back, 0, count, half, 1};
      const tn_fourier_lines_t lines = {got, got, 0, count, half + 1, 1};
      tn__real_fourier_run_lines(&fourier, &pairs, &lines, work);
      for (int64_t l = 0; l < count; ++l) {
        memcpy(line, reals + l * half, (size_t)half * sizeof *line);
        tn__real_fourier_run(&fourier, line, line + half + 1);
        assert_memory_equal(got + l * (half + 1), line, size * sizeof *line);
      }
      tn__real_fourier_undo_lines(&fourier, &lines, &pairs, work);
      for (int64_t l = 0; l < count; ++l) {
        memcpy(line, got + l * (half + 1), size * sizeof *line);
        tn__real_fourier_undo(&fourier, line, line + half + 1);
        assert_memory_equal(back + l * half, line, (size_t)half * sizeof *line);
      }
      free(reals), free(back), free(got), free(line), free(work);
      tn__arena_deinit(&arena);
    }
  }
}

static void long_lines_come_out_the_same(void** state) {
  (void)state;
  // The sides of the matrices: 128 and 128; 96 and 128; 99 and 100, no multiples of eight.
  static const int64_t lengths[] = {16384, 12288, 9900};
  for (size_t n = 0; n < sizeof lengths / sizeof *lengths; ++n) {
    const int64_t length = lengths[n];
    const size_t size = (size_t)length;
    tn_arena_t arena;
    tn__arena_init(&arena, tn_allocator_system());
    tn_fourier_t plain;
    tn_fourier_long_t* fourier;
    TN_ASSERT_OK(tn__fourier_plan(&arena, length, &plain));
    assert_true(tn__fourier_is_long(length));
    TN_ASSERT_OK(tn__fourier_long_plan(&arena, length, false, &fourier));
    assert_int_equal(fourier->column.length * fourier->row.length, length);
    tn_complex_t* line = allocate(size, sizeof *line);
    tn_complex_t* got = allocate(size, sizeof *got);
    tn_complex_t* wanted = allocate(2 * size, sizeof *wanted);
    tn_complex_lanes_t* work = allocate((size_t)fourier->work_count, sizeof *work);
    for (int inverse = 0; inverse < 2; ++inverse) {
      fill(length, line);
      fill(length, wanted);
      tn__fourier_run(&plain, inverse, wanted, wanted + length);
      for (int64_t i = 0; i < fourier->column_groups; ++i) {
        tn__fourier_long_columns(fourier, inverse, i, line, line, 0, work);
      }
      for (int64_t i = 0; i < fourier->row_groups; ++i) {
        tn__fourier_long_rows(fourier, inverse, i, line, got, 0, work);
      }
      double error = 0, scale = 0;
      for (int64_t k = 0; k < length; ++k) {
        error += hypot(got[k].re - wanted[k].re, got[k].im - wanted[k].im);
        scale += hypot(wanted[k].re, wanted[k].im);
      }
      assert_true(error < 1e-14 * scale);
    }
    free(line);
    free(got);
    free(wanted);
    free(work);
    tn__arena_deinit(&arena);
  }
}

static void short_lines_and_odd_lengths_are_not_long(void** state) {
  (void)state;
  // Short; a prime factor above 31; no two sides that are short enough.
  static const int64_t lengths[] = {1, 8192, 37 * 1024, (int64_t)1 << 27};
  for (size_t n = 0; n < sizeof lengths / sizeof *lengths; ++n) {
    assert_false(tn__fourier_is_long(lengths[n]));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(lanes_and_lines_are_equal_to_the_bit),
      cmocka_unit_test(narrow_lanes_are_near_lines),
      cmocka_unit_test(narrow_lanes_do_not_depend_on_the_instruction_set),
      cmocka_unit_test(lanes_of_reals_are_equal_to_lines),
      cmocka_unit_test(long_lines_come_out_the_same),
      cmocka_unit_test(short_lines_and_odd_lengths_are_not_long),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
