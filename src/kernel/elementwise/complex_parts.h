// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Complex numbers of their parts, as C11's CMPLX makes them (not every compiler has it): infinities
// and the signs of zeros are kept.
#ifndef TENON_KERNEL_ELEMENTWISE_COMPLEX_PARTS_H_
#define TENON_KERNEL_ELEMENTWISE_COMPLEX_PARTS_H_

static inline float _Complex tn__c64(float real, float imaginary) {
  union {
    float parts[2];
    float _Complex whole;
  } value = {{real, imaginary}};
  return value.whole;
}

static inline double _Complex tn__c128(double real, double imaginary) {
  union {
    double parts[2];
    double _Complex whole;
  } value = {{real, imaginary}};
  return value.whole;
}

#endif  // TENON_KERNEL_ELEMENTWISE_COMPLEX_PARTS_H_
