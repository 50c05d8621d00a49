// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// .npz archives through libzip, which is looked for when Tenon is configured and loaded when the
// first archive is read: it brings a library of cryptography along, whose start takes milliseconds.
#include "io/npz.h"

#ifdef TENON_HAS_LIBZIP
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zip.h>

#define FUNCTIONS(F)          \
  F(zip_open)                 \
  F(zip_discard)              \
  F(zip_stat)                 \
  F(zip_fopen_index)          \
  F(zip_fread)                \
  F(zip_fclose)               \
  F(zip_get_num_entries)      \
  F(zip_get_name)             \
  F(zip_error_init_with_code) \
  F(zip_error_strerror)       \
  F(zip_error_fini)

// Set once; NULL stays where libzip or a function of it is missing.
static struct {
#define DECLARE(name) __typeof__(name)* name;
  FUNCTIONS(DECLARE)
#undef DECLARE
} library;
static const char* missing;  // why the library cannot be used; NULL: it can
static pthread_once_t load_once = PTHREAD_ONCE_INIT;

static void load(void) {
  void* handle = dlopen(TENON_LIBZIP, RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    missing = TENON_LIBZIP " cannot be loaded";
    return;
  }
#define FIND(name)                               \
  *(void**)&library.name = dlsym(handle, #name); \
  if (!library.name) missing = TENON_LIBZIP " has no " #name;
  FUNCTIONS(FIND)
#undef FIND
}

// "a, b, c" of what is there, as far as there is room.
static void list_keys(zip_t* archive, char* out, size_t capacity) {
  size_t length = 0;
  out[0] = 0;
  zip_int64_t count = library.zip_get_num_entries(archive, 0);
  for (zip_int64_t i = 0; i < count; ++i) {
    const char* name = library.zip_get_name(archive, (zip_uint64_t)i, 0);
    if (!name) continue;
    size_t shown = strlen(name);
    if (shown > 4 && strcmp(name + shown - 4, ".npy") == 0) shown -= 4;
    int written =
        snprintf(out + length, capacity - length, "%s%.*s", length ? ", " : "", (int)shown, name);
    if (written < 0 || (size_t)written >= capacity - length) {
      snprintf(out + capacity - 5, 5, " ...");
      return;
    }
    length += (size_t)written;
  }
}

static tn_status_t read_member(zip_t* archive, const char* path, const char* key,
                               const zip_stat_t* found, unsigned char** out_bytes,
                               size_t* out_length) {
  tn_status_t status = TN_OK;
  unsigned char* bytes = NULL;
  zip_file_t* file = library.zip_fopen_index(archive, found->index, 0);
  if (!file) {
    status = tn_status_create(TN_CODE_DATA_LOSS, "%s:%s: this array of the archive cannot be read",
                              path, key);
    goto done;
  }
  bytes = malloc((size_t)found->size + 1);
  if (!bytes) {
    status = tn_status_create(TN_CODE_RESOURCE_EXHAUSTED, "%s:%s: no memory for %llu bytes", path,
                              key, (unsigned long long)found->size);
    goto done;
  }
  zip_int64_t length = library.zip_fread(file, bytes, found->size);
  if (length < 0 || (zip_uint64_t)length != found->size) {
    status = tn_status_create(TN_CODE_DATA_LOSS, "%s:%s: this array of the archive is damaged",
                              path, key);
    goto done;
  }
  *out_bytes = bytes;
  *out_length = (size_t)length;
  bytes = NULL;
done:
  if (file) library.zip_fclose(file);
  free(bytes);
  return status;
}

static tn_status_t open_failure(const char* path, int error) {
  zip_error_t reason;
  library.zip_error_init_with_code(&reason, error);
  tn_code_t code = error == ZIP_ER_NOENT  ? TN_CODE_NOT_FOUND
                   : error == ZIP_ER_OPEN ? TN_CODE_PERMISSION_DENIED
                                          : TN_CODE_INVALID_ARGUMENT;
  tn_status_t status = tn_status_create(code, "%s: the archive cannot be read: %s", path,
                                        library.zip_error_strerror(&reason));
  library.zip_error_fini(&reason);
  return status;
}

tn_status_t tn__npz_extract(const char* path, const char* key, unsigned char** out_bytes,
                            size_t* out_length) {
  int error = 0;
  char name[512];
  zip_stat_t found;
  *out_bytes = NULL;
  pthread_once(&load_once, load);
  if (missing) {
    return tn_status_create(TN_CODE_UNIMPLEMENTED, "%s: %s (Debian: libzip4)", path, missing);
  }
  zip_t* archive = library.zip_open(path, ZIP_RDONLY, &error);
  if (!archive) return open_failure(path, error);
  snprintf(name, sizeof name, "%s.npy", key);
  tn_status_t status = TN_OK;
  if (library.zip_stat(archive, name, 0, &found) != 0 &&
      library.zip_stat(archive, key, 0, &found) != 0) {
    char keys[512];
    list_keys(archive, keys, sizeof keys);
    status = tn_status_create(TN_CODE_NOT_FOUND, "%s: there is no array '%s'; there are: %s", path,
                              key, keys);
  } else {
    status = read_member(archive, path, key, &found, out_bytes, out_length);
  }
  library.zip_discard(archive);
  return status;
}

#else

tn_status_t tn__npz_extract(const char* path, const char* key, unsigned char** out_bytes,
                            size_t* out_length) {
  *out_bytes = NULL;
  *out_length = 0;
  return tn_status_create(TN_CODE_UNIMPLEMENTED,
                          "%s:%s: this build reads no .npz files; it was made without libzip "
                          "(Debian: libzip-dev)",
                          path, key);
}

#endif
