// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// "Did you mean": the known word that is nearest to one that is not known.
#ifndef TENON_BASE_SPELLING_H_
#define TENON_BASE_SPELLING_H_

#include "base/status.h"
#include "base/view.h"

// A search under way: {.word = the unknown one}, then every known word is considered.
typedef struct tn_spelling {
  tn_string_view_t word;
  tn_string_view_t nearest;  // a view of the known word; data is NULL while none is near
  size_t distance;           // of `nearest`
} tn_spelling_t;

// True when it is the nearest so far.
bool tn__spelling_consider(tn_spelling_t* search, tn_string_view_t known);
// The status, which it takes, with the note "did you mean [sigil][nearest]?" if there is one.
TN_MUST_USE tn_status_t tn__spelling_note(const tn_spelling_t* search, const char* sigil,
                                          tn_status_t status);

// Insertions, deletions, replacements and exchanges of neighbours that make `b` of `a`; SIZE_MAX
// when either is longer than any word here.
size_t tn__spelling_distance(tn_string_view_t a, tn_string_view_t b);
// Whether a word at that distance from `word` is worth a suggestion.
bool tn__spelling_is_near(tn_string_view_t word, size_t distance);

#endif  // TENON_BASE_SPELLING_H_
