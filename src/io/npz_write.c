// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// .npz archives: zip files whose members, `KEY.npy`, are stored as they are. The format:
// https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tenon/npy.h>

#include "io/npy.h"

enum {
  LOCAL_SIGNATURE = 0x04034b50,
  CENTRAL_SIGNATURE = 0x02014b50,
  END_SIGNATURE = 0x06054b50,
  VERSION = 20,
  DATE = 1 << 5 | 1,  // the first of January 1980: archives of equal arrays are equal
  LONGEST_NAME = 1 << 12,
  MOST_MEMBERS = UINT16_MAX - 1,
};

typedef struct member {
  const char* key;
  uint32_t crc, byte_size, offset;
} member_t;

typedef struct archive {
  FILE* file;
  const char* path;
  uint64_t offset;  // of the next byte
  uint32_t table[256];
} archive_t;

static void make_table(uint32_t table[256]) {
  for (uint32_t i = 0; i < 256; ++i) {
    uint32_t value = i;
    for (int bit = 0; bit < 8; ++bit) value = value >> 1 ^ (value & 1 ? 0xEDB88320u : 0);
    table[i] = value;
  }
}

static uint32_t add_to_crc(const archive_t* archive, uint32_t crc, const void* data,
                           size_t length) {
  const unsigned char* bytes = data;
  crc = ~crc;
  for (size_t i = 0; i < length; ++i) crc = archive->table[(crc ^ bytes[i]) & 0xFF] ^ crc >> 8;
  return ~crc;
}

static void put(archive_t* archive, const void* data, size_t length) {
  if (length) fwrite(data, length, 1, archive->file);
  archive->offset += length;
}

static void put_16(archive_t* archive, uint32_t value) {
  const unsigned char bytes[] = {(unsigned char)value, (unsigned char)(value >> 8)};
  put(archive, bytes, sizeof bytes);
}

static void put_32(archive_t* archive, uint32_t value) {
  put_16(archive, value & 0xFFFF);
  put_16(archive, value >> 16);
}

// From the version that is needed to the length of extra fields, as both headers have it.
static void put_common(archive_t* archive, const member_t* member) {
  put_16(archive, VERSION);
  put_16(archive, 0);  // flags
  put_16(archive, 0);  // stored
  put_16(archive, 0);  // time
  put_16(archive, DATE);
  put_32(archive, member->crc);
  put_32(archive, member->byte_size);
  put_32(archive, member->byte_size);
  put_16(archive, (uint32_t)strlen(member->key) + 4);
  put_16(archive, 0);
}

static void put_name(archive_t* archive, const member_t* member) {
  put(archive, member->key, strlen(member->key));
  put(archive, ".npy", 4);
}

static tn_status_t put_member(archive_t* archive, member_t* member, tn_buffer_t* buffer) {
  char header[TN_NPY_HEADER_LIMIT];
  const void* data = NULL;
  const size_t header_length = tn__npy_header(buffer, header);
  const size_t byte_size = tn_buffer_byte_size(buffer);
  if (archive->offset + byte_size + sizeof header + LONGEST_NAME > UINT32_MAX) {
    return tn_status_create(
        TN_CODE_UNIMPLEMENTED,
        "%s:%s: archives of 4 GiB and more cannot be written; safetensors files "
        "have no limit",
        archive->path, member->key);
  }
  TN_RETURN_IF_ERROR(tn_buffer_map(buffer, &data));
  member->offset = (uint32_t)archive->offset;
  member->byte_size = (uint32_t)(header_length + byte_size);
  member->crc = add_to_crc(archive, 0, header, header_length);
  member->crc = add_to_crc(archive, member->crc, data, byte_size);
  put_32(archive, LOCAL_SIGNATURE);
  put_common(archive, member);
  put_name(archive, member);
  put(archive, header, header_length);
  put(archive, data, byte_size);
  tn_buffer_unmap(buffer);
  return TN_OK;
}

static void put_directory(archive_t* archive, size_t count, const member_t* members) {
  const uint64_t begin = archive->offset;
  for (size_t i = 0; i < count; ++i) {
    put_32(archive, CENTRAL_SIGNATURE);
    put_16(archive, VERSION);
    put_common(archive, &members[i]);
    put_16(archive, 0);  // comment
    put_16(archive, 0);  // disk
    put_16(archive, 0);  // attributes
    put_32(archive, 0);
    put_32(archive, members[i].offset);
    put_name(archive, &members[i]);
  }
  const uint64_t length = archive->offset - begin;
  put_32(archive, END_SIGNATURE);
  put_32(archive, 0);  // disks
  put_16(archive, (uint32_t)count);
  put_16(archive, (uint32_t)count);
  put_32(archive, (uint32_t)length);
  put_32(archive, (uint32_t)begin);
  put_16(archive, 0);  // comment
}

static tn_status_t check_keys(const char* path, size_t count, const char* const* keys) {
  if (count > MOST_MEMBERS) {
    return tn_status_create(TN_CODE_INVALID_ARGUMENT, "%s: %zu arrays; an archive has %d at most",
                            path, count, MOST_MEMBERS);
  }
  for (size_t i = 0; i < count; ++i) {
    TN_RETURN_IF_NULL(keys[i]);
    if (strlen(keys[i]) >= LONGEST_NAME || !*keys[i]) {
      return tn_status_create(TN_CODE_INVALID_ARGUMENT,
                              "%s: the key of array %zu is %s; expected 1 to %d characters", path,
                              i, *keys[i] ? "too long" : "empty", LONGEST_NAME - 1);
    }
    for (size_t k = 0; k < i; ++k) {
      if (strcmp(keys[i], keys[k]) != 0) continue;
      return tn_status_create(TN_CODE_INVALID_ARGUMENT, "%s: two arrays are called '%s'", path,
                              keys[i]);
    }
  }
  return TN_OK;
}

tn_status_t tn_npz_write(const char* path, size_t count, const char* const* keys,
                         tn_buffer_t* const* buffers) {
  tn_status_t status = TN_OK;
  archive_t archive = {.path = path};
  TN_RETURN_IF_ERROR(check_keys(path, count, keys));
  member_t* members = calloc(count + 1, sizeof *members);
  if (!members) return tn__status_out_of_memory();
  archive.file = fopen(path, "wb");
  if (!archive.file) {
    status = tn_status_create(TN_CODE_PERMISSION_DENIED, "%s: %s", path, strerror(errno));
    goto done;
  }
  make_table(archive.table);
  for (size_t i = 0; !status && i < count; ++i) {
    members[i].key = keys[i];
    status = put_member(&archive, &members[i], buffers[i]);
  }
  if (!status) put_directory(&archive, count, members);
  const bool has_failed = ferror(archive.file) != 0;
  if ((fclose(archive.file) != 0 || has_failed) && !status) {
    status = tn_status_create(TN_CODE_DATA_LOSS, "%s: writing failed: %s", path, strerror(errno));
  }
done:
  free(members);
  return status;
}
