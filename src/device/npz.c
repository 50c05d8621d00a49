// .npz archives through libzip, which is looked for when Tenon is configured.
#include "device/npz.h"

#ifdef TENON_HAS_LIBZIP
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zip.h>

// "a, b, c" of what is there, as far as there is room.
static void list_keys(zip_t* archive, char* out, size_t capacity) {
  size_t length = 0;
  out[0] = 0;
  zip_int64_t count = zip_get_num_entries(archive, 0);
  for (zip_int64_t i = 0; i < count; ++i) {
    const char* name = zip_get_name(archive, (zip_uint64_t)i, 0);
    if (!name) continue;
    size_t shown = strlen(name);
    if (shown > 4 && strcmp(name + shown - 4, ".npy") == 0) shown -= 4;
    int written =
        snprintf(out + length, capacity - length, "%s%.*s", length ? ", " : "", (int)shown, name);
    if (written < 0 || (size_t)written >= capacity - length) return;
    length += (size_t)written;
  }
}

static tn_status_t read_member(zip_t* archive, const char* path, const char* key,
                               const zip_stat_t* found, unsigned char** out_bytes,
                               size_t* out_length) {
  tn_status_t status = TN_OK;
  unsigned char* bytes = malloc((size_t)found->size + 1);
  zip_file_t* file = zip_fopen_index(archive, found->index, 0);
  if (!bytes || !file) {
    status = tn_status_create(bytes ? TN_CODE_DATA_LOSS : TN_CODE_RESOURCE_EXHAUSTED,
                              "%s:%s: the member of %llu bytes cannot be opened", path, key,
                              (unsigned long long)found->size);
    goto done;
  }
  zip_int64_t length = zip_fread(file, bytes, found->size);
  if (length < 0 || (zip_uint64_t)length != found->size) {
    status = tn_status_create(TN_CODE_DATA_LOSS, "%s:%s: the member is damaged", path, key);
    goto done;
  }
  *out_bytes = bytes;
  *out_length = (size_t)length;
  bytes = NULL;
done:
  if (file) zip_fclose(file);
  free(bytes);
  return status;
}

tn_status_t tn__npz_extract(const char* path, const char* key, unsigned char** out_bytes,
                            size_t* out_length) {
  int error = 0;
  char name[512];
  zip_stat_t found;
  *out_bytes = NULL;
  zip_t* archive = zip_open(path, ZIP_RDONLY, &error);
  if (!archive) {
    zip_error_t reason;
    zip_error_init_with_code(&reason, error);
    tn_status_t status =
        tn_status_create(error == ZIP_ER_NOENT ? TN_CODE_NOT_FOUND : TN_CODE_INVALID_ARGUMENT,
                         "%s: %s", path, zip_error_strerror(&reason));
    zip_error_fini(&reason);
    return status;
  }
  snprintf(name, sizeof name, "%s.npy", key);
  tn_status_t status = TN_OK;
  if (zip_stat(archive, name, 0, &found) != 0 && zip_stat(archive, key, 0, &found) != 0) {
    char keys[512];
    list_keys(archive, keys, sizeof keys);
    status = tn_status_create(TN_CODE_NOT_FOUND, "%s: there is no array '%s'; there are: %s", path,
                              key, keys);
  } else {
    status = read_member(archive, path, key, &found, out_bytes, out_length);
  }
  zip_discard(archive);
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
