// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// A small artifact, written by hand in any version of the container, with places to put lies.
#ifndef TENON_TEXT_BYTECODE_TESTING_BYTECODE_H_
#define TENON_TEXT_BYTECODE_TESTING_BYTECODE_H_

#include <stddef.h>
#include <stdint.h>

// The attributes of the artifact, in order; a test may write other bytes for one.
typedef enum tn_testing_attr {
  TN_TESTING_ATTR_PLACE,
  TN_TESTING_ATTR_NAME,        // "main"
  TN_TESTING_ATTR_VISIBILITY,  // "public"
  TN_TESTING_ATTR_LIST,        // of the arguments' and results' attributes: empty
  TN_TESTING_ATTR_TYPE,        // (tensor<2xf32>) -> tensor<2xf32>
  TN_TESTING_ATTR_VALUE,       // dense<[1.0, 2.0]> : tensor<2xf32>
  TN_TESTING_ATTR_FIRST_KEY,   // names of properties, for versions whose dictionaries have them
  TN_TESTING_ATTR_COUNT = TN_TESTING_ATTR_FIRST_KEY + 6 + 2,
} tn_testing_attr_t;

typedef struct tn_testing_artifact {
  uint8_t version;       // of the container
  const char* producer;  // NULL: StableHLO_v1.0.0
  // Other bytes for an attribute.
  int attr;
  const uint8_t* attr_bytes;
  size_t attr_length;  // 0: none
  // Other bytes for the type of the argument; tensor<2xf32>.
  const uint8_t* type_bytes;
  size_t type_length;
  const char* operation;  // NULL: "add_v1"
  size_t depth;           // of more modules around
} tn_testing_artifact_t;

typedef struct tn_testing_bytes {
  uint8_t data[16384];
  size_t length;
} tn_testing_bytes_t;

// A module with main(x) = x + [1, 2].
void tn__testing_artifact(const tn_testing_artifact_t* artifact, tn_testing_bytes_t* out);

#endif  // TENON_TEXT_BYTECODE_TESTING_BYTECODE_H_
