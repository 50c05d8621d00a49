// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Modules as portable artifacts; the inside of tn_module_serialize.
#include <stddef.h>

#include "base/options.h"
#include "text/bytecode/artifact.h"

static tn_status_t read_version(const tn_serialize_options_t* options,
                                tn_artifact_version_t* out_version, bool* out_is_given) {
  *out_version = TN_ARTIFACT_USUAL;
  *out_is_given = false;
  tn_serialize_options_t copy;
  tn_status_t status;
  options = TN_OPTIONS_READ(tn_serialize_options_t, options, &copy, &status);
  TN_RETURN_IF_ERROR(status);
  if (!options->version) return TN_OK;
  *out_is_given = true;
  if (!tn__artifact_version_parse(tn__sv(options->version), out_version, NULL)) {
    return tn_status_create(TN_CODE_INVALID_ARGUMENT,
                            "\"%s\" is not a version of StableHLO; expected one such as 1.0.0",
                            options->version);
  }
  if (*out_version >= TN_ARTIFACT_OLDEST_WRITTEN && *out_version <= TN_ARTIFACT_NEWEST) {
    return TN_OK;
  }
  return tn_status_create(TN_CODE_INVALID_ARGUMENT,
                          "cannot write StableHLO %s; expected %u.%u.%u to %u.%u.%u",
                          options->version, TN_ARTIFACT_PARTS(TN_ARTIFACT_OLDEST_WRITTEN),
                          TN_ARTIFACT_PARTS(TN_ARTIFACT_NEWEST));
}

// Writes the module, or, when it needs a version that is newer than `version` and none was asked
// for, only finds out which one.
static tn_status_t attempt(const tn_module_t* module, tn_artifact_version_t version,
                           bool is_version_given, tn_write_fn write, void* user,
                           tn_artifact_version_t* out_needed) {
  tn_artifact_t artifact;
  tn_bytes_t operations;
  tn_status_t status = tn__artifact_init(&artifact, module, version, is_version_given);
  tn__artifact_keep(&artifact, status);
  tn__bytes_init(&operations, artifact.allocator, &artifact.status);
  tn__artifact_module(&artifact, &operations);
  *out_needed = artifact.needed;
  if (!artifact.status && artifact.needed == version) {
    tn_writer_t writer;
    tn__writer_init(&writer, write, user);
    tn__artifact_assemble(&artifact, &operations, &writer);
    status = tn__writer_finish(&writer);
    tn__artifact_keep(&artifact, status);
  }
  tn__bytes_deinit(&operations);
  status = artifact.status;
  tn__artifact_deinit(&artifact);
  return status;
}

tn_status_t tn_module_serialize(const tn_module_t* module, const tn_serialize_options_t* options,
                                tn_write_fn write, void* user) {
  tn_artifact_version_t version, needed;
  bool is_given;
  TN_RETURN_IF_NULL(module);
  TN_RETURN_IF_NULL(write);
  TN_RETURN_IF_ERROR(read_version(options, &version, &is_given));
  TN_RETURN_IF_ERROR(attempt(module, version, is_given, write, user, &needed));
  if (needed == version) return TN_OK;
  return attempt(module, needed, true, write, user, &needed);
}
