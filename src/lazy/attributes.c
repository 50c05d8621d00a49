#include "lazy/attributes.h"

#include <stdalign.h>

#include "base/type.h"

// One walk in two rounds: without memory it counts, with memory it writes.
typedef struct tn_attribute_copy {
  char* memory;  // NULL: count only
  size_t used;   // bytes
  uint64_t* words;
  size_t word_count;
} tn_attribute_copy_t;

static void* take(tn_attribute_copy_t* copy, size_t byte_length, size_t alignment) {
  copy->used = (copy->used + alignment - 1) / alignment * alignment;
  void* place = copy->memory ? copy->memory + copy->used : NULL;
  copy->used += byte_length;
  return place;
}

static void add_word(tn_attribute_copy_t* copy, uint64_t word) {
  if (copy->words) copy->words[copy->word_count] = word;
  ++copy->word_count;
}

static void add_bytes(tn_attribute_copy_t* copy, const void* data, size_t length) {
  add_word(copy, length);
  for (size_t i = 0; i < length; i += sizeof(uint64_t)) {
    uint64_t word = 0;
    size_t rest = length - i < sizeof word ? length - i : sizeof word;
    memcpy(&word, (const char*)data + i, rest);
    add_word(copy, word);
  }
}

static size_t data_byte_length(const tn_attribute_t* attribute) {
  switch (attribute->kind) {
    case TN_ATTRIBUTE_STRING: return attribute->count;
    case TN_ATTRIBUTE_ARRAY: return attribute->count * tn_dtype_size(attribute->dtype);
    default: return 0;
  }
}

static tn_attribute_t* add_list(tn_attribute_copy_t* copy, size_t count,
                                const tn_attribute_t* entries) {
  tn_attribute_t* list = take(copy, count * sizeof *list, alignof(tn_attribute_t));
  add_word(copy, count);
  for (size_t i = 0; i < count; ++i) {
    const tn_attribute_t* entry = &entries[i];
    size_t name_length = strlen(entry->name), data_length = data_byte_length(entry);
    uint64_t real = 0;
    memcpy(&real, &entry->real, sizeof real);
    char* name = take(copy, name_length + 1, 1);
    void* data = take(copy, data_length + 1, alignof(max_align_t));
    add_bytes(copy, entry->name, name_length);
    add_word(copy, (uint64_t)entry->kind << 32 | (uint32_t)entry->dtype);
    add_word(copy, entry->kind == TN_ATTRIBUTE_FLOAT ? real : (uint64_t)entry->integer);
    add_bytes(copy, entry->data, data_length);
    const tn_attribute_t* nested = NULL;
    if (entry->kind == TN_ATTRIBUTE_DICTIONARY) {
      nested = add_list(copy, entry->count, entry->entries);
    }
    if (!list) continue;
    memcpy(name, entry->name, name_length + 1);
    if (data_length) memcpy(data, entry->data, data_length);
    list[i] = *entry;
    list[i].name = name;
    list[i].data = data;
    list[i].entries = nested;
  }
  return list;
}

tn_status_t tn__attributes_create(const tn_allocator_t* allocator, size_t count,
                                  const tn_attribute_t* entries, tn_attributes_t** out_attributes) {
  tn_attribute_copy_t copy = {0};
  void* memory = NULL;
  *out_attributes = NULL;
  (void)take(&copy, sizeof(tn_attributes_t), 1);
  (void)add_list(&copy, count, entries);
  (void)take(&copy, copy.word_count * sizeof(uint64_t), alignof(uint64_t));
  const size_t word_count = copy.word_count, byte_length = copy.used;
  TN_RETURN_IF_ERROR(tn__allocate(allocator, byte_length, &memory));
  tn_attributes_t* attributes = memory;
  uint64_t* words = (uint64_t*)((char*)memory + byte_length) - word_count;
  copy = (tn_attribute_copy_t){.memory = memory, .words = words};
  (void)take(&copy, sizeof(tn_attributes_t), 1);
  attributes->entries = add_list(&copy, count, entries);
  attributes->allocator = allocator;
  attributes->byte_length = byte_length;
  attributes->count = count;
  attributes->word_count = word_count;
  attributes->words = words;
  *out_attributes = attributes;
  return TN_OK;
}

void tn__attributes_destroy(tn_attributes_t* attributes) {
  if (attributes) tn__free(attributes->allocator, attributes, attributes->byte_length);
}

bool tn__attributes_equal(const tn_attributes_t* a, const tn_attributes_t* b) {
  if (a == b) return true;
  if (!a || !b || a->word_count != b->word_count) return false;
  return memcmp(a->words, b->words, a->word_count * sizeof *a->words) == 0;
}

const tn_attribute_t* tn__attributes_find(const tn_attributes_t* attributes, const char* name) {
  for (size_t i = 0; attributes && i < attributes->count; ++i) {
    if (strcmp(attributes->entries[i].name, name) == 0) return &attributes->entries[i];
  }
  return NULL;
}
