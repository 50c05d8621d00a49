// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Random programs of one operation, as text: every operation that the device `reference` computes,
// in any dtype, in shapes around nothing and around the lengths of vectors.
#ifndef TENON_PROGRAM_TESTING_SAMPLES_H_
#define TENON_PROGRAM_TESTING_SAMPLES_H_

#include <tenon/tenon.h>

enum { TN_SAMPLE_ARGUMENTS = 6, TN_SAMPLE_RESULTS = 3, TN_SAMPLE_TEXT = 8192 };

typedef enum tn_sample_values {
  TN_SAMPLE_WILD,      // any bits, and what is special
  TN_SAMPLE_ORDINARY,  // numbers of ordinary size
  TN_SAMPLE_WHOLE,     // small integers: sums of products are exact, whatever their order
} tn_sample_values_t;

// One program. Its operation reads %a0, %a1... and gives %r, or %r:2...
typedef struct tn_sample {
  uint64_t random;
  tn_dtype_t dtype;
  tn_sample_values_t values;
  double tolerance;    // units in the last place
  bool is_by_largest;  // of the largest element of the result and the operands: much cancels
  size_t argument_count, result_count;
  char arguments[TN_SAMPLE_ARGUMENTS][64], results[TN_SAMPLE_RESULTS][64];
  char body[TN_SAMPLE_TEXT], text[2 * TN_SAMPLE_TEXT];
} tn_sample_t;

typedef struct tn_sample_generator {
  const char* operation;
  // Fills a sample whose random state and dtype are set, but for the text.
  void (*write)(tn_sample_t* sample, const char* operation);
} tn_sample_generator_t;

size_t tn__sample_generator_count(void);
const tn_sample_generator_t* tn__sample_generator_at(size_t index);
// A program of the generator's operation; it may be one that the verifier refuses.
void tn__sample_write(const tn_sample_generator_t* generator, tn_dtype_t dtype, uint64_t seed,
                      tn_sample_t* out_sample);
// The dtypes that samples are made of.
size_t tn__sample_dtype_count(void);
tn_dtype_t tn__sample_dtype_at(size_t index);
// The next random number between two others, both included.
int64_t tn__sample_pick(tn_sample_t* sample, int64_t low, int64_t high);
uint64_t tn__sample_bits(tn_sample_t* sample);

#endif  // TENON_PROGRAM_TESTING_SAMPLES_H_
