// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// .npz archives: zip files whose members, `KEY.npy`, are stored or deflated. The format:
// https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT
#include <stdlib.h>
#include <string.h>

#include "io/archive.h"
#include "io/crc32.h"
#include "io/inflate.h"
#include "io/npy.h"
#include "io/zip.h"

enum {
  END_SIZE = 22,
  LONGEST_COMMENT = UINT16_MAX,
  LOCATOR_SIZE = 20,
  END_64_SIZE = 56,
  ENTRY_SIZE = 46,
  LOCAL_SIZE = 30,
  STORED = 0,
  DEFLATED = 8,
  ENCRYPTED = 1,  // a flag
  EXTRA_64 = 1,
};

// A member of the archive.
typedef struct member {
  uint32_t method, flags, crc;
  uint64_t packed_size, byte_size;
  uint64_t offset;  // of its local header
} member_t;

// Where the list of members is.
typedef struct directory {
  uint64_t offset, byte_size, count;
} directory_t;

static tn_status_t damaged(const tn_archive_t* archive, const char* what) {
  return tn_status_create(TN_CODE_DATA_LOSS, "%s: the archive is damaged: %s", archive->name, what);
}

static uint32_t get_16(const unsigned char* bytes) {
  return (uint32_t)tn__little_endian(bytes, 2);
}
static uint32_t get_32(const unsigned char* bytes) {
  return (uint32_t)tn__little_endian(bytes, 4);
}
static uint64_t get_64(const unsigned char* bytes) {
  return tn__little_endian(bytes, 8);
}

// --- the end of the archive, which says where the directory is

// Archives of many members or bytes have a second, larger form of it.
static tn_status_t read_end_64(const tn_archive_t* archive, uint64_t end, directory_t* out) {
  unsigned char locator[LOCATOR_SIZE], bytes[END_64_SIZE];
  if (end < LOCATOR_SIZE) return TN_OK;
  TN_RETURN_IF_ERROR(tn__archive_bytes(archive, end - LOCATOR_SIZE, locator, LOCATOR_SIZE));
  if (get_32(locator) != TN_ZIP_LOCATOR_64) return TN_OK;
  const uint64_t offset = get_64(locator + 8);
  if (offset > end - LOCATOR_SIZE || end - LOCATOR_SIZE - offset < END_64_SIZE) {
    return damaged(archive, "its end is missing");
  }
  TN_RETURN_IF_ERROR(tn__archive_bytes(archive, offset, bytes, END_64_SIZE));
  if (get_32(bytes) != TN_ZIP_END_64) return damaged(archive, "its end is missing");
  *out = (directory_t){get_64(bytes + 48), get_64(bytes + 40), get_64(bytes + 32)};
  return TN_OK;
}

static tn_status_t find_directory(const tn_archive_t* archive, directory_t* out) {
  tn_status_t status = TN_OK;
  const uint64_t all = archive->source.byte_size;
  const size_t length = all < END_SIZE + LONGEST_COMMENT ? (size_t)all : END_SIZE + LONGEST_COMMENT;
  unsigned char* bytes = malloc(length + 1);
  if (!bytes) return tn__status_out_of_memory();
  TN_DONE_IF_ERROR(tn__archive_bytes(archive, all - length, bytes, length));
  size_t at = length < END_SIZE ? SIZE_MAX : length - END_SIZE;
  while (at != SIZE_MAX &&
         (get_32(bytes + at) != TN_ZIP_END || get_16(bytes + at + 20) != length - at - END_SIZE)) {
    --at;
  }
  if (at == SIZE_MAX) {
    status =
        tn_status_create(TN_CODE_INVALID_ARGUMENT,
                         "%s: this is not a .npz archive, or its end is missing", archive->name);
    goto done;
  }
  const unsigned char* end = bytes + at;
  const uint64_t offset = all - length + at;
  *out = (directory_t){get_32(end + 16), get_32(end + 12), get_16(end + 10)};
  TN_DONE_IF_ERROR(read_end_64(archive, offset, out));
  if (out->offset > offset || out->byte_size > offset - out->offset ||
      out->count > out->byte_size / ENTRY_SIZE) {
    status = damaged(archive, "its list of members is not inside");
  }
done:
  free(bytes);
  return status;
}

// --- the directory

// Sizes that 32 bits cannot hold are in an extra field, in this order, only those.
static bool read_extra_64(const unsigned char* extra, size_t length, member_t* out) {
  uint64_t* const wanted[] = {&out->byte_size, &out->packed_size, &out->offset};
  bool is_missing = false;
  for (size_t i = 0; i < 3; ++i) is_missing |= *wanted[i] == UINT32_MAX;
  while (is_missing && length >= 4) {
    const size_t size = get_16(extra + 2);
    if (size > length - 4) return false;
    if (get_16(extra) == EXTRA_64) {
      const unsigned char *at = extra + 4, *end = at + size;
      for (size_t i = 0; i < 3; ++i) {
        if (*wanted[i] != UINT32_MAX) continue;
        if (end - at < 8) return false;
        *wanted[i] = get_64(at);
        at += 8;
      }
      return true;
    }
    extra += 4 + size;
    length -= 4 + size;
  }
  return true;
}

static tn_status_t add_member(tn_archive_t* archive, const unsigned char* entry,
                              const directory_t* directory) {
  const size_t name_length = get_16(entry + 28), extra_length = get_16(entry + 30);
  tn_string_view_t name = {(const char*)entry + ENTRY_SIZE, name_length};
  if (name_length && name.data[name_length - 1] == '/') return TN_OK;  // a folder
  if (memchr(name.data, 0, name_length)) return damaged(archive, "a name has a NUL");
  if (name_length > 4 && memcmp(name.data + name_length - 4, ".npy", 4) == 0) name.length -= 4;
  member_t* member = NULL;
  TN_RETURN_IF_ERROR(TN_ARENA_NEW(&archive->arena, &member));
  *member = (member_t){.flags = get_16(entry + 8),
                       .method = get_16(entry + 10),
                       .crc = get_32(entry + 16),
                       .packed_size = get_32(entry + 20),
                       .byte_size = get_32(entry + 24),
                       .offset = get_32(entry + 42)};
  const bool is_read = read_extra_64(entry + ENTRY_SIZE + name_length, extra_length, member);
  if (!is_read || member->offset > directory->offset ||
      directory->offset - member->offset < LOCAL_SIZE + name_length ||
      member->packed_size > directory->offset - member->offset - LOCAL_SIZE - name_length) {
    return damaged(archive, "a member is not inside");
  }
  tn_string_view_t copy = {0};
  TN_RETURN_IF_ERROR(tn__arena_copy_string(&archive->arena, name, &copy));
  return tn__archive_add(archive, copy, member);
}

static int compare_offsets(const void* a, const void* b) {
  const uint64_t x = (*(const member_t*const*)a)->offset, y = (*(const member_t*const*)b)->offset;
  return (x > y) - (x < y);
}

// Members that share bytes would let a small archive stand for any number of large arrays.
static tn_status_t refuse_overlaps(const tn_archive_t* archive) {
  const member_t** members = malloc((archive->count + 1) * sizeof *members);
  tn_status_t status = TN_OK;
  if (!members) return tn__status_out_of_memory();
  for (size_t i = 0; i < archive->count; ++i) members[i] = archive->entries[i].facts;
  qsort(members, archive->count, sizeof(member_t*), compare_offsets);
  for (size_t i = 1; i < archive->count && !status; ++i) {
    const uint64_t end = members[i - 1]->offset + LOCAL_SIZE + members[i - 1]->packed_size;
    if (end > members[i]->offset) status = damaged(archive, "two members overlap");
  }
  free(members);
  return status;
}

static tn_status_t add_members(tn_archive_t* archive, const directory_t* directory,
                               const unsigned char* bytes) {
  uint64_t at = 0;
  for (uint64_t i = 0; i < directory->count; ++i) {
    const unsigned char* entry = bytes + at;
    uint64_t left = directory->byte_size - at;
    if (left < ENTRY_SIZE || get_32(entry) != TN_ZIP_ENTRY) {
      return damaged(archive, "its list of members ends too early");
    }
    const uint64_t size =
        ENTRY_SIZE + (uint64_t)get_16(entry + 28) + get_16(entry + 30) + get_16(entry + 32);
    if (size > left) return damaged(archive, "its list of members ends too early");
    TN_RETURN_IF_ERROR(add_member(archive, entry, directory));
    at += size;
  }
  return refuse_overlaps(archive);
}

static tn_status_t list_members(tn_archive_t* archive) {
  directory_t directory = {0};
  TN_RETURN_IF_ERROR(find_directory(archive, &directory));
  unsigned char* bytes = malloc((size_t)directory.byte_size + 1);
  if (!bytes) return tn__status_out_of_memory();
  tn_status_t status =
      tn__archive_bytes(archive, directory.offset, bytes, (size_t)directory.byte_size);
  if (!status) status = add_members(archive, &directory, bytes);
  free(bytes);
  return status;
}

// --- one member

// The bytes of a member as they were before they were packed.
typedef struct unpacked {
  const tn_byte_source_t* archive;
  const member_t* member;
  uint64_t offset;  // of the packed bytes
  uint64_t next;    // byte that the checksum has not seen
  uint32_t crc;
  tn_crc32_t tables;
} unpacked_t;

// Bytes that were seen before do not count again. The last one brings the comparison.
static tn_status_t add_to_checksum(unpacked_t* unpacked, uint64_t offset, const void* bytes,
                                   size_t length) {
  if (offset > unpacked->next || offset + length <= unpacked->next) return TN_OK;
  const size_t seen = (size_t)(unpacked->next - offset);
  unpacked->crc =
      tn__crc32_add(&unpacked->tables, unpacked->crc, (const char*)bytes + seen, length - seen);
  unpacked->next = offset + length;
  if (unpacked->next < unpacked->member->byte_size || unpacked->crc == unpacked->member->crc) {
    return TN_OK;
  }
  return tn_status_create(TN_CODE_DATA_LOSS, "the checksum is 0x%08x; expected 0x%08x",
                          unpacked->crc, unpacked->member->crc);
}

static tn_status_t read_stored(void* user, uint64_t offset, void* data, size_t length) {
  unpacked_t* unpacked = user;
  TN_RETURN_IF_ERROR(tn__source_read(unpacked->archive, unpacked->offset + offset, data, length));
  return add_to_checksum(unpacked, offset, data, length);
}

// What a caller wants of all that is inflated.
typedef struct range {
  unpacked_t* unpacked;
  uint64_t begin, end;  // wanted
  uint64_t at;          // of the next byte
  char* data;
  tn_status_t status;
} range_t;

static bool take_inflated(void* user, const unsigned char* bytes, size_t length) {
  range_t* range = user;
  const uint64_t byte_size = range->unpacked->member->byte_size, at = range->at;
  if (length > byte_size - at) {
    range->status = tn_status_create(TN_CODE_DATA_LOSS,
                                     "there are more than the %llu bytes that "
                                     "the archive states",
                                     (unsigned long long)byte_size);
    return false;
  }
  range->status = add_to_checksum(range->unpacked, at, bytes, length);
  const uint64_t from = at > range->begin ? at : range->begin;
  const uint64_t to = at + length < range->end ? at + length : range->end;
  if (from < to) memcpy(range->data + (from - range->begin), bytes + (from - at), to - from);
  range->at += length;
  const bool is_last = range->end == byte_size;  // then the rest must be as it should be, too
  return !range->status && (is_last || range->at < range->end);
}

static tn_status_t read_deflated(void* user, uint64_t offset, void* data, size_t length) {
  unpacked_t* unpacked = user;
  range_t range = {.unpacked = unpacked, .begin = offset, .end = offset + length, .data = data};
  tn_status_t status = tn__inflate(unpacked->archive, unpacked->offset,
                                   unpacked->member->packed_size, take_inflated, &range);
  if (range.status) {
    tn_status_release(status);
    return range.status;
  }
  if (status || range.at >= range.end) return status;
  return tn_status_create(TN_CODE_DATA_LOSS, "the compressed bytes end too early");
}

static tn_status_t check_member(const char* name, const member_t* member) {
  if (member->flags & ENCRYPTED) {
    return tn_status_create(TN_CODE_UNIMPLEMENTED, "%s: this member of the archive is encrypted",
                            name);
  }
  if (member->method != STORED && member->method != DEFLATED) {
    return tn_status_create(TN_CODE_UNIMPLEMENTED,
                            "%s: this member is compressed by method %u; expected 0 (stored) or 8 "
                            "(deflated)",
                            name, (unsigned)member->method);
  }
  if (member->method == STORED && member->packed_size != member->byte_size) {
    return tn_status_create(TN_CODE_DATA_LOSS,
                            "%s: this member is stored, and the archive states two sizes of it",
                            name);
  }
  return TN_OK;
}

// Where the packed bytes begin, behind a header that repeats the name.
static tn_status_t find_bytes(const tn_archive_t* archive, const char* name, const member_t* member,
                              uint64_t* out_offset) {
  unsigned char local[LOCAL_SIZE];
  TN_RETURN_IF_ERROR(tn__archive_bytes(archive, member->offset, local, LOCAL_SIZE));
  *out_offset = member->offset + LOCAL_SIZE + get_16(local + 26) + get_16(local + 28);
  if (get_32(local) != TN_ZIP_LOCAL || *out_offset > archive->source.byte_size ||
      member->packed_size > archive->source.byte_size - *out_offset) {
    return tn_status_create(TN_CODE_DATA_LOSS, "%s: the header of this member is damaged", name);
  }
  return TN_OK;
}

static tn_status_t read_member(tn_archive_t* archive, const tn_archive_entry_t* entry,
                               const char* name, tn_device_t* device, const tn_type_t* expected,
                               tn_buffer_t** out_buffer) {
  const member_t* member = entry->facts;
  TN_RETURN_IF_ERROR(check_member(name, member));
  unpacked_t unpacked = {.archive = &archive->source, .member = member};
  TN_RETURN_IF_ERROR(find_bytes(archive, name, member, &unpacked.offset));
  tn__crc32_init(&unpacked.tables);
  const tn_byte_source_t source = {member->method == STORED ? read_stored : read_deflated,
                                   &unpacked, member->byte_size};
  return tn__npy_read_member(device, name, &source, expected, out_buffer);
}

const tn_archive_format_t tn__npz_format = {"array", list_members, read_member};

tn_status_t tn_npz_read(tn_device_t* device, const char* path, const char* key,
                        const tn_type_t* expected, tn_buffer_t** out_buffer) {
  *out_buffer = NULL;
  TN_RETURN_IF_NULL(device);
  TN_RETURN_IF_NULL(path);
  TN_RETURN_IF_NULL(key);
  return tn__archive_read_one(&tn__npz_format, device, path, key, expected, out_buffer);
}
