// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// A forked child that runs unknown code: what the system lets it do.
#ifndef TENON_CALL_CONFINE_H_
#define TENON_CALL_CONFINE_H_

#include <stdbool.h>
#include <stddef.h>

typedef enum tn_confinement {
  TN_CONFINED_BY_LIMITS,   // no files, no new processes, bounded memory and time
  TN_CONFINED_BY_SECCOMP,  // nothing but its own memory: any other system call ends it (SIGSYS)
} tn_confinement_t;

// For the parent, before it forks: how much address space the child may have.
size_t tn__confine_address_space(void);

// In the child, once and for all: ends with its parent, has no open files, and at most
// `address_space` bytes (0: no bound) and `seconds` of processor time. What is mapped shared stays
// shared.
tn_confinement_t tn__confine(size_t address_space, unsigned seconds);

#endif  // TENON_CALL_CONFINE_H_
