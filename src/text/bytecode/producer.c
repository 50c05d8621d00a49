#include "text/bytecode/producer.h"

typedef struct artifact_version {
  uint32_t parts[3];
} artifact_version_t;

static const artifact_version_t oldest = {{0, 9, 0}}, newest = {{1, 20, 0}};

static int compare(const artifact_version_t* a, const artifact_version_t* b) {
  for (int i = 0; i < 3; ++i) {
    if (a->parts[i] != b->parts[i]) return a->parts[i] < b->parts[i] ? -1 : 1;
  }
  return 0;
}

// 1.15.0, and whatever follows.
static bool parse(tn_string_view_t text, artifact_version_t* out) {
  const char* p = text.data;
  const char* end = p + text.length;
  for (int i = 0; i < 3; ++i) {
    const char* begin = p;
    out->parts[i] = 0;
    for (; p < end && *p >= '0' && *p <= '9' && p - begin < 6; ++p) {
      out->parts[i] = out->parts[i] * 10 + (uint32_t)(*p - '0');
    }
    if (p == begin) return false;
    if (i < 2 && (p == end || *p++ != '.')) return false;
  }
  return true;
}

tn_status_t tn__bytecode_check_producer(const tn_bytecode_t* bytecode) {
  static const char prefix[] = "StableHLO_v";
  artifact_version_t version;
  tn_string_view_t producer = bytecode->producer;
  size_t length = sizeof prefix - 1;
  if (producer.length < length || memcmp(producer.data, prefix, length) != 0) return TN_OK;
  tn_string_view_t number = {producer.data + length, producer.length - length};
  if (!parse(number, &version)) {
    return tn__bytecode_fail(bytecode, (const uint8_t*)producer.data,
                             "\"%.*s\" names no version of StableHLO", TN_SV(producer));
  }
  if (compare(&version, &oldest) >= 0 && compare(&version, &newest) <= 0) return TN_OK;
  return tn__bytecode_unsupported(
      bytecode, (const uint8_t*)producer.data,
      "an artifact of StableHLO %.*s; versions %u.%u.%u to %u.%u.%u are known", TN_SV(number),
      oldest.parts[0], oldest.parts[1], oldest.parts[2], newest.parts[0], newest.parts[1],
      newest.parts[2]);
}
