// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "text/bytecode/producer.h"

#include "text/bytecode/version.h"

tn_status_t tn__bytecode_check_producer(const tn_bytecode_t* bytecode) {
  static const char prefix[] = "StableHLO_v";
  tn_artifact_version_t version;
  tn_string_view_t producer = bytecode->producer, rest;
  size_t length = sizeof prefix - 1;
  if (producer.length < length || memcmp(producer.data, prefix, length) != 0) return TN_OK;
  tn_string_view_t number = {producer.data + length, producer.length - length};
  if (!tn__artifact_version_parse(number, &version, &rest)) {
    return tn__bytecode_fail(bytecode, (const uint8_t*)producer.data,
                             "\"%.*s\" names no version of StableHLO", TN_SV(producer));
  }
  if (version >= TN_ARTIFACT_OLDEST && version <= TN_ARTIFACT_NEWEST) return TN_OK;
  return tn__bytecode_unsupported(
      bytecode, (const uint8_t*)producer.data,
      "an artifact of StableHLO %.*s; versions %u.%u.%u to %u.%u.%u are known", TN_SV(number),
      TN_ARTIFACT_PARTS(TN_ARTIFACT_OLDEST), TN_ARTIFACT_PARTS(TN_ARTIFACT_NEWEST));
}
