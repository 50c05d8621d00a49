// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Names of inputs, as they are compared.
#ifndef TENON_PROGRAM_NAMES_H_
#define TENON_PROGRAM_NAMES_H_

#include <stddef.h>
#include <tenon/detail/program.h>

enum { TN_LONGEST_INPUT_NAME = 512 };

// The name of an input, or "arg0" and so on.
void tn__program_input_name_at(const tn_program_t* program, size_t index,
                               char name[TN_LONGEST_INPUT_NAME]);
// A name in the one spelling: "params.w" for "params['w']".
void tn__program_spell_name(const char* name, char out[TN_LONGEST_INPUT_NAME]);

#endif  // TENON_PROGRAM_NAMES_H_
