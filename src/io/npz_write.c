// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// .npz archives: zip files whose members, `KEY.npy`, are stored as they are. The format:
// https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT
#include <stdlib.h>

#include "base/writer.h"
#include "io/buffers.h"
#include "io/crc32.h"
#include "io/npy.h"
#include "io/write_file.h"
#include "io/zip.h"

enum {
  VERSION = 20,
  VERSION_64 = 45,    // with sizes of 64 bits
  DATE = 1 << 5 | 1,  // the first of January 1980: archives of equal arrays are equal
  UTF8 = 1 << 11,     // a flag: so is the name
  LONGEST_NAME = 1 << 12,
  EXTRA_64 = 1,
  EXTRA_64_LOCAL = 20,  // bytes of the extra field with two sizes
  EXTRA_64_ENTRY = 28,  // and of the one with the offset as well
  END_64_SIZE = 56,
};

typedef struct member {
  const char* key;
  uint32_t crc;
  uint64_t byte_size, offset;
} member_t;

typedef struct archive {
  tn_writer_t out;
  uint64_t offset;  // of the next byte
  tn_crc32_t tables;
} archive_t;

static void put(archive_t* archive, const void* data, size_t length) {
  tn__write(&archive->out, data, length);
  archive->offset += length;
}

static void put_number(archive_t* archive, uint64_t value, size_t byte_count) {
  char bytes[8];
  for (size_t i = 0; i < byte_count; ++i) bytes[i] = (char)(value >> 8 * i);
  put(archive, bytes, byte_count);
}

static void put_16(archive_t* archive, uint32_t value) {
  put_number(archive, value, 2);
}
static void put_32(archive_t* archive, uint64_t value) {
  put_number(archive, value, 4);
}
static void put_64(archive_t* archive, uint64_t value) {
  put_number(archive, value, 8);
}

// Whether 32 bits are too few for its size or its place; all bits set means "see the extra field".
static bool is_large(const member_t* member) {
  return member->byte_size >= UINT32_MAX || member->offset >= UINT32_MAX;
}

// From the version that is needed to the length of extra fields, as both headers have it.
static void put_common(archive_t* archive, const member_t* member, uint32_t extra_length) {
  const uint64_t byte_size = is_large(member) ? UINT32_MAX : member->byte_size;
  put_16(archive, is_large(member) ? VERSION_64 : VERSION);
  put_16(archive, UTF8);
  put_16(archive, 0);  // stored
  put_16(archive, 0);  // time
  put_16(archive, DATE);
  put_32(archive, member->crc);
  put_32(archive, byte_size);
  put_32(archive, byte_size);
  put_16(archive, (uint32_t)strlen(member->key) + 4);
  put_16(archive, is_large(member) ? extra_length : 0);
}

// The extra field of large members, `length` bytes in all.
static void put_extra(archive_t* archive, const member_t* member, uint32_t length) {
  if (!is_large(member)) return;
  put_16(archive, EXTRA_64);
  put_16(archive, length - 4);
  put_64(archive, member->byte_size);
  put_64(archive, member->byte_size);
  if (length == EXTRA_64_ENTRY) put_64(archive, member->offset);
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
  TN_RETURN_IF_ERROR(tn_buffer_map(buffer, &data));
  member->offset = archive->offset;
  member->byte_size = header_length + byte_size;
  member->crc = tn__crc32_add(&archive->tables, 0, header, header_length);
  member->crc = tn__crc32_add(&archive->tables, member->crc, data, byte_size);
  put_32(archive, TN_ZIP_LOCAL);
  put_common(archive, member, EXTRA_64_LOCAL);
  put_name(archive, member);
  put_extra(archive, member, EXTRA_64_LOCAL);
  put(archive, header, header_length);
  put(archive, data, byte_size);
  tn_buffer_unmap(buffer);
  return TN_OK;
}

static void put_entry(archive_t* archive, const member_t* member) {
  put_32(archive, TN_ZIP_ENTRY);
  put_16(archive, VERSION);
  put_common(archive, member, EXTRA_64_ENTRY);
  put_16(archive, 0);  // comment
  put_16(archive, 0);  // disk
  put_16(archive, 0);  // attributes
  put_32(archive, 0);
  put_32(archive, is_large(member) ? UINT32_MAX : member->offset);
  put_name(archive, member);
  put_extra(archive, member, EXTRA_64_ENTRY);
}

// For a directory that 16 and 32 bits cannot describe.
static void put_end_64(archive_t* archive, size_t count, uint64_t begin, uint64_t length) {
  const uint64_t offset = archive->offset;
  put_32(archive, TN_ZIP_END_64);
  put_64(archive, END_64_SIZE - 12);
  put_16(archive, VERSION_64);
  put_16(archive, VERSION_64);
  put_64(archive, 0);  // disks
  put_64(archive, count);
  put_64(archive, count);
  put_64(archive, length);
  put_64(archive, begin);
  put_32(archive, TN_ZIP_LOCATOR_64);
  put_32(archive, 0);  // disk
  put_64(archive, offset);
  put_32(archive, 1);  // disks
}

static void put_directory(archive_t* archive, size_t count, const member_t* members) {
  const uint64_t begin = archive->offset;
  for (size_t i = 0; i < count; ++i) put_entry(archive, &members[i]);
  const uint64_t length = archive->offset - begin;
  const bool is_long = count >= UINT16_MAX || begin >= UINT32_MAX || length >= UINT32_MAX;
  if (is_long) put_end_64(archive, count, begin, length);
  put_32(archive, TN_ZIP_END);
  put_32(archive, 0);  // disks
  put_16(archive, is_long ? UINT16_MAX : (uint32_t)count);
  put_16(archive, is_long ? UINT16_MAX : (uint32_t)count);
  put_32(archive, is_long ? UINT32_MAX : length);
  put_32(archive, is_long ? UINT32_MAX : begin);
  put_16(archive, 0);  // comment
}

static tn_status_t check_keys(const char* path, const tn_named_buffers_t* named) {
  TN_RETURN_IF_ERROR(tn__named_buffers_check(path, "array", named));
  for (size_t i = 0; i < named->count; ++i) {
    const char* key = named->names[i];
    if (*key && strlen(key) < LONGEST_NAME) continue;
    return tn_status_create(TN_CODE_INVALID_ARGUMENT,
                            "%s: the key of array %zu is %s; expected 1 to %d characters", path, i,
                            *key ? "too long" : "empty", LONGEST_NAME - 1);
  }
  return tn__named_buffers_wait(path, named);
}

static tn_status_t write_archive(const void* user, void* file) {
  const tn_named_buffers_t* named = user;
  tn_status_t status = TN_OK;
  archive_t* archive = calloc(1, sizeof *archive);
  member_t* members = calloc(named->count + 1, sizeof *members);
  if (!archive || !members) {
    status = tn__status_out_of_memory();
    goto done;
  }
  tn__writer_init(&archive->out, tn_file_writer_write, file);
  tn__crc32_init(&archive->tables);
  for (size_t i = 0; !status && i < named->count; ++i) {
    members[i].key = named->names[i];
    status = put_member(archive, &members[i], named->buffers[i]);
  }
  if (!status) put_directory(archive, named->count, members);
  tn_status_t written = tn__writer_finish(&archive->out);
  if (status) {
    tn_status_release(written);
  } else {
    status = written;
  }
done:
  free(archive);
  free(members);
  return status;
}

tn_status_t tn_npz_write(const char* path, size_t count, const char* const* keys,
                         tn_buffer_t* const* buffers) {
  if (count) TN_RETURN_IF_NULL(keys);
  if (count) TN_RETURN_IF_NULL(buffers);
  const tn_named_buffers_t named = {count, keys, buffers};
  TN_RETURN_IF_NULL(path);
  TN_RETURN_IF_ERROR(check_keys(path, &named));
  return tn__write_file(path, write_archive, &named);
}
