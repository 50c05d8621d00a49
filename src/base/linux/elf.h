// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Shared libraries as files and as what the loader keeps of them.
#ifndef TENON_BASE_LINUX_ELF_H_
#define TENON_BASE_LINUX_ELF_H_

#include <stdbool.h>

// Why the system may have refused the file, for kinds of files that people mix up; NULL: no idea.
const char* tn__elf_complaint(const char* path);

// dlopen of an open file, under whose descriptor's name the loader knows it from then on: it takes
// another file at a path that it knows for the one it has.
void* tn__elf_open(int file, int mode);

// Visits the names of the functions that a library, which dlopen gave, defines for others, in no
// order, but for weak ones and names that begin with an underscore: those are a compiler's. The
// names live as long as the library. Visits none when the library's tables are not understood.
// False ends the visit.
void tn__elf_visit_functions(void* handle, bool (*visit)(void* user, const char* name), void* user);

#endif  // TENON_BASE_LINUX_ELF_H_
