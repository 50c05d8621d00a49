// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Discrete Fourier transforms of several lines at a time, a line in each lane of a vector, and of
// one long line by two rounds of these.
#ifndef TENON_KERNEL_FOURIER_FOURIER_LANES_H_
#define TENON_KERNEL_FOURIER_FOURIER_LANES_H_

#include "kernel/common/isa.h"
#include "kernel/fourier/fourier.h"

enum {
  TN_FOURIER_LANES = 8,  // of f64
  TN_FOURIER_LANES_F32 = 16,
  TN_FOURIER_LANES_LENGTH = 8 << 10,  // the longest line: these fit in a core's cache
};

// One number of each of the lines; of a narrow plan, in f32.
typedef union tn_complex_lanes {
  struct {
    double re[TN_FOURIER_LANES], im[TN_FOURIER_LANES];
  } f64;
  struct {
    float re[TN_FOURIER_LANES_F32], im[TN_FOURIER_LANES_F32];
  } f32;
} tn_complex_lanes_t;

// How many lines go together.
static inline int64_t tn__fourier_lane_count(bool is_narrow) {
  return is_narrow ? TN_FOURIER_LANES_F32 : TN_FOURIER_LANES;
}

// Where lines are read and written, which may be the same array of complex numbers: number k of
// line l is element first + l * line_stride + k * stride. A narrow plan's are of floats.
typedef struct tn_fourier_lines {
  const void* from;
  void* to;
  int64_t first, count;  // the count: from 1 to that of the lanes
  int64_t line_stride, stride;
} tn_fourier_lines_t;

// Whether lines of this length can go in lanes.
bool tn__fourier_has_lanes(int64_t length);
// Makes lanes of this plan work in f32.
TN_MUST_USE tn_status_t tn__fourier_narrow(tn_arena_t* arena, tn_fourier_t* fourier);
// Each line becomes what tn__fourier_run makes of it, to the bit unless the plan is narrow. `work`
// has 2 * length elements.
void tn__fourier_run_lines(const tn_fourier_t* fourier, bool inverse,
                           const tn_fourier_lines_t* lines, tn_complex_lanes_t* work);

// tn__real_fourier_run and tn__real_fourier_undo of each line, likewise; `fourier->half` may be
// narrow. `reals` has its numbers in pairs, as half as many complex ones. `work` has `length + 2`
// elements.
void tn__real_fourier_run_lines(const tn_real_fourier_t* fourier, const tn_fourier_lines_t* reals,
                                const tn_fourier_lines_t* lines, tn_complex_lanes_t* work);
void tn__real_fourier_undo_lines(const tn_real_fourier_t* fourier, const tn_fourier_lines_t* lines,
                                 const tn_fourier_lines_t* reals, tn_complex_lanes_t* work);

// Whether a line of this length had better go as a matrix, and can.
bool tn__fourier_is_long(int64_t length);

// Such a line: its columns are transformed and turned, then its rows. The result is that of
// tn__fourier_run but for rounding. Immutable once planned; lives in the arena.
typedef struct tn_fourier_long {
  int64_t length;
  tn_fourier_t column, row;           // their lengths multiply to `length`; both narrow, or neither
  const tn_complex_lanes_t* turns;    // exp(-2 pi i k l / length) for k of a column and lane l
  const tn_complex_t *coarse, *fine;  // exp(-2 pi i k / length) for multiples of FINE, and below
  int64_t column_groups, row_groups;  // of lanes; the last one may have fewer
  int64_t work_count;                 // of lanes
} tn_fourier_long_t;

TN_MUST_USE tn_status_t tn__fourier_long_plan(tn_arena_t* arena, int64_t length, bool is_narrow,
                                              tn_fourier_long_t** out_fourier);
// First all groups of columns, into any array of the length; then all groups of rows, out of it
// into another. The line begins at element `first` of either. Groups are independent of each other.
// `work` has work_count elements.
void tn__fourier_long_columns(const tn_fourier_long_t* fourier, bool inverse, int64_t group,
                              const void* from, void* to, int64_t first, tn_complex_lanes_t* work);
void tn__fourier_long_rows(const tn_fourier_long_t* fourier, bool inverse, int64_t group,
                           const void* from, void* to, int64_t first, tn_complex_lanes_t* work);

// For tests: a transform by the loops of one instruction set, in place or in `work`, which has as
// many elements: returns which. NULL when the processor has not got it.
tn_complex_lanes_t* tn__fourier_lanes_of(tn_isa_t isa, const tn_fourier_t* fourier,
                                         tn_complex_lanes_t* values, tn_complex_lanes_t* work);

#endif  // TENON_KERNEL_FOURIER_FOURIER_LANES_H_
