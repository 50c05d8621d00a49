// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "call/types.h"

#include <ctype.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/allocator.h"
#include "base/process.h"

typedef struct type_entry {
  struct type_entry* next;
  int64_t id;
  void (*deleter)(void* object);
  const void* library;
  bool has_lost_name;  // another library has taken it over
  size_t name_length;
  char name[];  // with its NUL; then what is shown of it
} type_entry_t;

static size_t entry_byte_size(size_t name_length) {
  return sizeof(type_entry_t) + 2 * (name_length + 1);
}

// Without the address that TN_STATE adds to the name, "counter_t@0x7f8260fb9080".
static size_t shown_length(tn_string_view_t name) {
  size_t at = name.length;
  while (at && name.data[at - 1] != '@') --at;
  if (at < 2 || name.length - at < 3 || memcmp(name.data + at, "0x", 2) != 0) return name.length;
  for (size_t i = at + 2; i < name.length; ++i) {
    if (!isxdigit((unsigned char)name.data[i])) return name.length;
  }
  return at - 1;
}

// Guarded by the component's lock. Types stay for the life of the process: handlers keep their ids.
static type_entry_t* types;
static int64_t last_id;

static type_entry_t* find_id(int64_t id) {
  type_entry_t* entry = types;
  while (entry && entry->id != id) entry = entry->next;
  return entry;
}

static type_entry_t* find_name(tn_string_view_t name) {
  type_entry_t* entry = types;
  while (entry && (entry->has_lost_name ||
                   !tn__sv_equal((tn_string_view_t){entry->name, entry->name_length}, name))) {
    entry = entry->next;
  }
  return entry;
}

// Under the lock. Takes `fresh` (and says so), unless there is an error or the type is registered
// already.
static tn_status_t add(type_entry_t* fresh, int64_t* id, bool* out_is_taken) {
  tn_string_view_t name = {fresh->name, fresh->name_length};
  type_entry_t* same_name = find_name(name);
  type_entry_t* same_id = *id ? find_id(*id) : NULL;
  if (same_id && same_id == same_name && same_id->deleter == fresh->deleter) return TN_OK;
  if (same_id) {
    return tn_status_create(TN_CODE_ALREADY_EXISTS, "type %s: the id %lld is that of type %s",
                            fresh->name, (long long)*id, same_id->name);
  }
  if (same_name && same_name->library == fresh->library) {
    return tn_status_create(TN_CODE_ALREADY_EXISTS, "type %s is registered, with the id %lld",
                            fresh->name, (long long)same_name->id);
  }
  if (same_name) same_name->has_lost_name = true;
  if (!*id) {
    do ++last_id;
    while (find_id(last_id));
    *id = last_id;
  }
  fresh->id = *id;
  fresh->next = types;
  types = fresh;
  *out_is_taken = true;
  return TN_OK;
}

tn_status_t tn__type_register(tn_string_view_t name, void (*deleter)(void* object),
                              const void* library, int64_t* id) {
  if (!name.length || !id || *id < 0) {
    return tn_status_create(
        TN_CODE_INVALID_ARGUMENT,
        !name.length ? "a type has no name" : "a type's id must be 0 or greater, and have a place");
  }
  void* memory = NULL;
  TN_RETURN_IF_ERROR(tn__allocate(tn_allocator_system(), entry_byte_size(name.length), &memory));
  type_entry_t* fresh = memory;
  fresh->deleter = deleter;
  fresh->library = library;
  fresh->name_length = name.length;
  memcpy(fresh->name, name.data, name.length);
  memcpy(fresh->name + name.length + 1, name.data, shown_length(name));
  bool is_taken = false;
  tn__process_lock();
  tn_status_t status = add(fresh, id, &is_taken);
  tn__process_unlock();
  if (!is_taken) {
    tn__free(tn_allocator_system(), fresh, entry_byte_size(name.length));
  }
  return status;
}

const char* tn__type_name(int64_t id) {
  tn__process_lock();
  const type_entry_t* entry = find_id(id);
  tn__process_unlock();
  return entry ? entry->name + entry->name_length + 1 : NULL;
}

tn_type_lookup_t tn__type_find(int64_t id, void (**out_deleter)(void* object)) {
  *out_deleter = NULL;
  tn__process_lock();
  const type_entry_t* entry = find_id(id);
  if (entry) *out_deleter = entry->deleter;
  tn__process_unlock();
  if (!entry) return TN_TYPE_UNKNOWN;
  return *out_deleter ? TN_TYPE_OF_STATES : TN_TYPE_WITHOUT_DELETER;
}

// Whether the bytes can be read.
static bool is_mapped(const void* address, size_t byte_size) {
  uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), begin = (uintptr_t)address & ~(page - 1);
  unsigned char resident[2];
  size_t length = (uintptr_t)address + byte_size - begin;
  return address && length <= 2 * page && mincore((void*)begin, length, resident) == 0;
}

void (*tn__type_deleter(const tn_ffi_type_info_t* info))(void* object) {
  if ((uintptr_t)info % sizeof(void*) || !is_mapped(info, sizeof *info)) return NULL;
  if (info->struct_size < TN_FFI_TYPE_INFO_SIZE || info->struct_size > 4096) return NULL;
  return info->extension_start ? NULL : info->deleter;
}

tn_status_t tn_type_register(const char* name, void (*deleter)(void* object), int64_t* type_id) {
  TN_RETURN_IF_NULL(name);
  TN_RETURN_IF_NULL(type_id);
  return tn__type_register(tn__sv(name), deleter, NULL, type_id);
}
