// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Programs in tests: from text to the bytes of their results.
#ifndef TENON_PROGRAM_TESTING_RUN_H_
#define TENON_PROGRAM_TESTING_RUN_H_

#include <tenon/tenon.h>

#include "base/testing.h"

enum { TN_TESTING_LEAVES = 32 };  // arguments or results of a program, at most

// Runs the tests on each kind of device, one after the other, as a group of its own. The result is
// the program's exit status. `setup` and `teardown` are the group's, and call those below.
int tn__testing_run_on_every_device(const struct CMUnitTest* tests, size_t count,
                                    CMFixtureFunction setup, CMFixtureFunction teardown);
#define TN_TESTING_RUN_ON_EVERY_DEVICE(tests, setup, teardown) \
  tn__testing_run_on_every_device(tests, sizeof(tests) / sizeof *(tests), setup, teardown)

// One device for the whole group, the CPU unless they are run on every one: buffers and programs
// must be on the same one. Group setup and teardown of cmocka.
int tn__testing_device_setup(void** state);
int tn__testing_device_teardown(void** state);
tn_device_t* tn__testing_device(void);

// Compiles `main`, else the only function. Fails the test when that fails.
tn_program_t* tn__testing_program(const char* text, bool keep_all);
tn_program_t* tn__testing_program_on(tn_device_t* on, const char* text, bool keep_all);

// Arguments of the program's types with contents that follow from `seed`: small numbers, zeros of
// both signs, infinities, NaN. The caller releases them.
typedef struct tn_testing_buffers {
  size_t count;
  tn_buffer_t* list[TN_TESTING_LEAVES];
} tn_testing_buffers_t;
void tn__testing_arguments(const tn_program_t* program, uint64_t seed, tn_testing_buffers_t* out);
void tn__testing_buffers_release(tn_testing_buffers_t* buffers);

// An argument or result of floats.
tn_buffer_t* tn__testing_floats(size_t count, const float* values);
void tn__testing_expect_floats(tn_buffer_t* buffer, size_t count, const float* values);

// All bytes of buffers, one after the other; the caller frees `bytes`.
typedef struct tn_testing_bytes {
  size_t length;
  unsigned char* bytes;
} tn_testing_bytes_t;
void tn__testing_read_bytes(const tn_testing_buffers_t* buffers, tn_testing_bytes_t* out);

// Runs and reads the results. `options` may be NULL.
tn_status_t tn__testing_run_bytes(tn_program_t* program, const tn_run_options_t* options,
                                  const tn_testing_buffers_t* arguments, tn_testing_bytes_t* out);
// Makes every NaN of floats the same one: which one an operation on two gives is nowhere said, and
// differs with the loop that computes it.
void tn__testing_unify_nans(const tn_program_t* program, tn_testing_bytes_t* bytes);
bool tn__testing_bytes_equal(const tn_testing_bytes_t* a, const tn_testing_bytes_t* b);

// Fails the test unless the program, which is that text's, gives the bits of its operations run one
// by one, but for which NaN it is; the arguments follow from `seed`.
void tn__testing_expect_same_bits(tn_program_t* program, const char* text, uint64_t seed);

// Fills what the program's next run will find in its memory: temporaries of the activation it will
// take, and memory that its results will be given.
void tn__testing_poison(tn_program_t* program, unsigned char byte);

#endif  // TENON_PROGRAM_TESTING_RUN_H_
