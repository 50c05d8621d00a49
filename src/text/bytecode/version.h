// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Versions of StableHLO, which artifacts carry in the name of their producer.
#ifndef TENON_TEXT_BYTECODE_VERSION_H_
#define TENON_TEXT_BYTECODE_VERSION_H_

#include <stdint.h>

#include "base/view.h"

typedef uint32_t tn_artifact_version_t;  // ordered as versions are

// Of a release without fixes: 1.15.0. Numbers are below 1024.
#define TN_ARTIFACT_VERSION(major, minor) \
  ((tn_artifact_version_t)(major) << 20 | (tn_artifact_version_t)(minor) << 10)
#define TN_ARTIFACT_OLDEST TN_ARTIFACT_VERSION(0, 9)
#define TN_ARTIFACT_NEWEST TN_ARTIFACT_VERSION(1, 20)
// The oldest one that is written: from here on the container is of version 6.
#define TN_ARTIFACT_OLDEST_WRITTEN TN_ARTIFACT_VERSION(1, 0)
// What is written unless another one is asked for, or the module needs a newer one: no operation
// has to be brought up to date that is common in models. (StableHLO's own tools, 1.17 among them,
// fail to do so for those inside of a scatter.)
#define TN_ARTIFACT_USUAL TN_ARTIFACT_VERSION(1, 10)

// printf("%u.%u.%u", TN_ARTIFACT_PARTS(version))
#define TN_ARTIFACT_PARTS(version) (version) >> 20, (version) >> 10 & 1023, (version)&1023

// "1.15.0", followed by `*out_rest`, which may be NULL when nothing may follow. False: it is none.
bool tn__artifact_version_parse(tn_string_view_t text, tn_artifact_version_t* out_version,
                                tn_string_view_t* out_rest);

#endif  // TENON_TEXT_BYTECODE_VERSION_H_
