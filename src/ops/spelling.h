// "Did you mean": how far a word is from one that exists.
#ifndef TENON_OPS_SPELLING_H_
#define TENON_OPS_SPELLING_H_

#include "base/view.h"

// Insertions, deletions, replacements and exchanges of neighbours that make `b` of `a`; SIZE_MAX
// when either is longer than any word here.
size_t tn__spelling_distance(tn_string_view_t a, tn_string_view_t b);
// Whether a word at that distance from `word` is worth a suggestion.
bool tn__spelling_is_near(tn_string_view_t word, size_t distance);

#endif  // TENON_OPS_SPELLING_H_
