// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "device/disk_cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_CAPACITY = 512, LARGEST = 1 << 30 };

// Before the key and the bytes.
typedef struct header {
  char magic[16];
  uint64_t key_size, byte_size;
  uint64_t checksum;  // of the bytes
} header_t;
static const char magic[16] = "tenon kernel 1";

static uint64_t hash_of(const char* bytes, size_t size) {
  uint64_t hash = UINT64_C(14695981039346656037);
  for (size_t i = 0; i < size; ++i) hash = (hash ^ (uint8_t)bytes[i]) * UINT64_C(1099511628211);
  return hash;
}

static bool is_private(const char* folder) {
  struct stat facts;
  return stat(folder, &facts) == 0 && S_ISDIR(facts.st_mode) && facts.st_uid == geteuid() &&
         !(facts.st_mode & (S_IWGRP | S_IWOTH));
}

static bool make_path(const char* folder, const char* key, char* out_path) {
  const int length =
      snprintf(out_path, PATH_CAPACITY, "%s/%016" PRIx64 ".bin", folder, hash_of(key, strlen(key)));
  return *folder && length > 0 && length < PATH_CAPACITY;
}

// --- reading

// One with another key has the same name by chance.
static bool read_file(FILE* file, const char* key, char** out_bytes, size_t* out_size) {
  header_t header;
  const size_t key_size = strlen(key);
  if (fread(&header, sizeof header, 1, file) != 1 || header.key_size != key_size ||
      header.byte_size > LARGEST || memcmp(header.magic, magic, sizeof magic) != 0) {
    return false;
  }
  const size_t size = key_size + header.byte_size;
  char* bytes = malloc(size + 1);
  if (!bytes) return false;
  if (fread(bytes, 1, size, file) != size || memcmp(bytes, key, key_size) != 0 ||
      hash_of(bytes + key_size, header.byte_size) != header.checksum) {
    free(bytes);
    return false;
  }
  memmove(bytes, bytes + key_size, header.byte_size);
  *out_bytes = bytes;
  *out_size = header.byte_size;
  return true;
}

bool tn__disk_cache_read(const char* folder, const char* key, char** out_bytes, size_t* out_size) {
  char path[PATH_CAPACITY];
  *out_bytes = NULL;
  if (!make_path(folder, key, path) || !is_private(folder)) return false;
  FILE* file = fopen(path, "rbe");
  if (!file) return false;
  const bool is_found = read_file(file, key, out_bytes, out_size);
  if (is_found) (void)futimens(fileno(file), NULL);  // it was used
  fclose(file);
  return is_found;
}

// --- writing

static bool make_folder(const char* folder) {
  char path[PATH_CAPACITY];
  snprintf(path, sizeof path, "%s", folder);
  for (char* c = path + 1; *c; ++c) {
    if (*c != '/') continue;
    *c = '\0';
    if (mkdir(path, 0700) && errno != EEXIST) return false;
    *c = '/';
  }
  return (mkdir(path, 0700) == 0 || errno == EEXIST) && is_private(folder);
}

static bool write_file(FILE* file, const char* key, const char* bytes, size_t size) {
  header_t header = {.key_size = strlen(key), .byte_size = size, .checksum = hash_of(bytes, size)};
  memcpy(header.magic, magic, sizeof magic);
  return fwrite(&header, sizeof header, 1, file) == 1 &&
         fwrite(key, 1, header.key_size, file) == header.key_size &&
         fwrite(bytes, 1, size, file) == size;
}

// --- the limit

enum { NAME_CAPACITY = 32, HASH_DIGITS = 16 };

typedef struct kept {
  char name[NAME_CAPACITY];
  uint64_t byte_size;
  struct timespec used;
} kept_t;

// Parts of files that a process left behind are ours, too.
static bool is_ours(const char* name) {
  return strspn(name, "0123456789abcdef") == HASH_DIGITS &&
         strncmp(name + HASH_DIGITS, ".bin", 4) == 0 && strlen(name) < NAME_CAPACITY;
}

static int compare_used(const void* a, const void* b) {
  const struct timespec *x = &((const kept_t*)a)->used, *y = &((const kept_t*)b)->used;
  if (x->tv_sec != y->tv_sec) return x->tv_sec < y->tv_sec ? -1 : 1;
  return x->tv_nsec < y->tv_nsec ? -1 : x->tv_nsec > y->tv_nsec;
}

// The caller frees the list; what there is no memory for is not in it.
static kept_t* list_kept(DIR* files, size_t* out_count, uint64_t* out_byte_size) {
  size_t capacity = 0;
  kept_t* list = NULL;
  struct stat facts;
  *out_count = *out_byte_size = 0;
  for (const struct dirent* entry = NULL; (entry = readdir(files));) {
    if (!is_ours(entry->d_name) || fstatat(dirfd(files), entry->d_name, &facts, 0)) continue;
    if (*out_count == capacity) {
      kept_t* grown = realloc(list, (capacity * 2 + 64) * sizeof *list);
      if (!grown) break;
      list = grown;
      capacity = capacity * 2 + 64;
    }
    kept_t* it = &list[(*out_count)++];
    *it = (kept_t){.byte_size = (uint64_t)facts.st_size, .used = facts.st_mtim};
    memcpy(it->name, entry->d_name, strlen(entry->d_name) + 1);
    *out_byte_size += it->byte_size;
  }
  return list;
}

// Deletes what was used longest ago until the rest is within the limit.
static void evict(const char* folder, uint64_t limit) {
  DIR* files = opendir(folder);
  size_t count = 0;
  uint64_t byte_size = 0;
  if (!files) return;
  kept_t* list = list_kept(files, &count, &byte_size);
  if (byte_size > limit) qsort(list, count, sizeof *list, compare_used);
  for (size_t i = 0; i < count && byte_size > limit; ++i) {
    unlinkat(dirfd(files), list[i].name, 0);
    byte_size -= list[i].byte_size;
  }
  free(list);
  closedir(files);
}

// By another name first: readers find all of a file or none.
void tn__disk_cache_write(const char* folder, uint64_t limit, const char* key, const char* bytes,
                          size_t size) {
  char path[PATH_CAPACITY], part[PATH_CAPACITY + 8];
  if (size > LARGEST || !make_path(folder, key, path) || !make_folder(folder)) return;
  snprintf(part, sizeof part, "%s.XXXXXX", path);
  const int descriptor = mkostemp(part, O_CLOEXEC);
  if (descriptor < 0) return;
  FILE* file = fdopen(descriptor, "wb");
  bool is_written = file && write_file(file, key, bytes, size);
  if (file) {
    is_written &= fclose(file) == 0;
  } else {
    (void)close(descriptor);
  }
  if (!is_written || rename(part, path)) unlink(part);
  evict(folder, limit);
}
