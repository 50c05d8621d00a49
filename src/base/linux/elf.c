// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "base/linux/elf.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

const char* tn__elf_complaint(const char* path) {
  unsigned char head[20] = {0};
  FILE* file = fopen(path, "rb");
  if (!file) return NULL;
  size_t length = fread(head, 1, sizeof head, file);
  fclose(file);
  uint16_t machine;
  memcpy(&machine, head + 18, sizeof machine);
  if (length < sizeof head || memcmp(head, ELFMAG, SELFMAG) != 0) {
    return "this is not a shared library (no ELF file)";
  }
  if (head[EI_CLASS] != (sizeof(void*) == 8 ? ELFCLASS64 : ELFCLASS32)) {
    return "the library is built for machines of another word size";
  }
#if defined(__x86_64__)
  if (machine != EM_X86_64) return "the library is built for another kind of machine than x86-64";
#elif defined(__aarch64__)
  if (machine != EM_AARCH64) return "the library is built for another kind of machine than aarch64";
#endif
  return NULL;
}

void* tn__elf_open(int file, int mode) {
  char path[64];
  snprintf(path, sizeof path, "/proc/self/fd/%d", file);
  return dlopen(path, mode);
}

typedef struct tables {
  const ElfW(Sym) * symbols;
  const char* names;
  size_t name_byte_size;
  size_t symbol_count;
} tables_t;

// The number of symbols, which the table of the GNU linker does not say: the last chain ends it.
static size_t count_gnu_symbols(const uint32_t* table) {
  uint32_t bucket_count = table[0], first = table[1], bloom_count = table[2], last = 0;
  const uint32_t* buckets =
      table + 4 + (size_t)bloom_count * (sizeof(ElfW(Addr)) / sizeof(uint32_t));
  const uint32_t* chains = buckets + bucket_count;
  for (uint32_t i = 0; i < bucket_count; ++i) {
    if (buckets[i] > last) last = buckets[i];
  }
  if (last < first) return first;
  while (!(chains[last - first] & 1)) ++last;
  return (size_t)last + 1;
}

static bool find_tables(const struct link_map* map, tables_t* out) {
  const uint32_t *hash = NULL, *gnu_hash = NULL;
  *out = (tables_t){0};
  for (const ElfW(Dyn)* entry = map->l_ld; entry && entry->d_tag != DT_NULL; ++entry) {
    // The system makes addresses of these.
    const void* address = (const void*)entry->d_un.d_ptr;
    if (entry->d_tag == DT_SYMTAB) out->symbols = address;
    if (entry->d_tag == DT_STRTAB) out->names = address;
    if (entry->d_tag == DT_STRSZ) out->name_byte_size = entry->d_un.d_val;
    if (entry->d_tag == DT_HASH) hash = address;
    if (entry->d_tag == DT_GNU_HASH) gnu_hash = address;
  }
  if ((uintptr_t)out->symbols < map->l_addr) return false;  // not on this system
  if (hash) {
    out->symbol_count = hash[1];
  } else if (gnu_hash) {
    out->symbol_count = count_gnu_symbols(gnu_hash);
  }
  return out->symbols && out->names && out->symbol_count;
}

void tn__elf_visit_functions(void* handle, bool (*visit)(void* user, const char* name),
                             void* user) {
  struct link_map* map = NULL;
  tables_t tables;
  if (dlinfo(handle, RTLD_DI_LINKMAP, &map) || !find_tables(map, &tables)) {
    return;
  }
  for (size_t i = 1; i < tables.symbol_count; ++i) {
    const ElfW(Sym)* symbol = &tables.symbols[i];
    // The fields are packed alike for both word sizes.
    bool is_function = ELF64_ST_TYPE(symbol->st_info) == STT_FUNC && symbol->st_shndx != SHN_UNDEF;
    bool is_global = ELF64_ST_BIND(symbol->st_info) == STB_GLOBAL;
    if (!is_function || !is_global || symbol->st_name >= tables.name_byte_size) continue;
    const char* name = tables.names + symbol->st_name;
    if (*name && *name != '_' && !visit(user, name)) return;
  }
}
