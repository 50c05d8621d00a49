// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Characters of UTF-8.
#ifndef TENON_BASE_UTF8_H_
#define TENON_BASE_UTF8_H_

#include <stddef.h>
#include <stdint.h>

#include "base/view.h"

// The number of bytes of the character at the start of `text`; 0: there is none, or it is not valid
// UTF-8. `*out_character` may be NULL.
size_t tn__utf8_length(tn_string_view_t text, uint32_t* out_character);
bool tn__utf8_is_valid(tn_string_view_t text);
// Writes the 1 to 4 bytes of a character and returns their number.
size_t tn__utf8_encode(uint32_t character, char out[4]);
// Whether a terminal shows something for it and nothing else changes: no control character, and
// none that changes the direction of the text around it.
bool tn__utf8_is_printable(uint32_t character);

#endif  // TENON_BASE_UTF8_H_
