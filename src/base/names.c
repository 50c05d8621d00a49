// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "base/names.h"

static uint32_t hash_of(tn_string_view_t name) {
  uint64_t hash = 0x9E3779B97F4A7C15u ^ name.length;
  const char* p = name.data;
  size_t left = name.length;
  for (; left >= 8; p += 8, left -= 8) {
    uint64_t word;
    memcpy(&word, p, 8);
    hash = (hash ^ word) * 0xFF51AFD7ED558CCDu;
    hash ^= hash >> 32;
  }
  uint64_t word = 0;
  if (left) memcpy(&word, p, left);
  hash = (hash ^ word) * 0xC4CEB9FE1A85EC53u;
  return (uint32_t)(hash ^ hash >> 32);
}

void tn__names_init(tn_names_t* names, const tn_allocator_t* allocator) {
  *names = (tn_names_t){.allocator = allocator};
}

void tn__names_deinit(tn_names_t* names) {
  tn__free(names->allocator, names->entries, names->capacity * sizeof *names->entries);
  tn__free(names->allocator, names->slots, names->slot_count * sizeof *names->slots);
  *names = (tn_names_t){.allocator = names->allocator};
}

tn_name_entry_t* tn__names_find(const tn_names_t* names, tn_string_view_t name) {
  if (names->count == 0) return NULL;
  uint32_t hash = hash_of(name);
  size_t mask = names->slot_count - 1;
  for (size_t slot = hash & mask; names->slots[slot]; slot = (slot + 1) & mask) {
    tn_name_entry_t* entry = &names->entries[names->slots[slot] - 1];
    if (entry->hash == hash && tn__sv_equal(entry->name, name)) return entry;
  }
  return NULL;
}

static void take_slot(tn_names_t* names, size_t index) {
  size_t mask = names->slot_count - 1;
  size_t slot = names->entries[index].hash & mask;
  while (names->slots[slot]) slot = (slot + 1) & mask;
  names->slots[slot] = (uint32_t)(index + 1);
}

// Entries take their slots in order of addition, here too: the latest one is then always the last
// of its chain, and its slot can be freed without a mark.
static tn_status_t grow_slots(tn_names_t* names) {
  void* slots = NULL;
  size_t slot_count = names->slot_count ? names->slot_count * 2 : 64;
  TN_RETURN_IF_ERROR(
      tn__allocate_array(names->allocator, slot_count, sizeof *names->slots, &slots));
  tn__free(names->allocator, names->slots, names->slot_count * sizeof *names->slots);
  names->slots = slots;
  names->slot_count = slot_count;
  for (size_t i = 0; i < names->count; ++i) take_slot(names, i);
  return TN_OK;
}

tn_status_t tn__names_add(tn_names_t* names, tn_string_view_t name, uint32_t number,
                          void* pointer) {
  if (names->count >= UINT32_MAX / 2) return tn__status_out_of_memory();
  if (2 * (names->count + 1) > names->slot_count) TN_RETURN_IF_ERROR(grow_slots(names));
  TN_RETURN_IF_ERROR(tn__grow(names->allocator, (void**)&names->entries, &names->capacity,
                              names->count + 1, sizeof *names->entries));
  names->entries[names->count] = (tn_name_entry_t){name, hash_of(name), number, pointer};
  take_slot(names, names->count++);
  return TN_OK;
}

void tn__names_truncate(tn_names_t* names, size_t count) {
  size_t mask = names->slot_count - 1;
  while (names->count > count) {
    size_t slot = names->entries[names->count - 1].hash & mask;
    while (names->slots[slot] != names->count) slot = (slot + 1) & mask;
    names->slots[slot] = 0;
    --names->count;
  }
}
