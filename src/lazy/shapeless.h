// A tape done again for inputs of other shapes.
#ifndef TENON_LAZY_SHAPELESS_H_
#define TENON_LAZY_SHAPELESS_H_

#include "lazy/tape.h"

// Does the steps of `tape` with `inputs` in the place of its own, which have the same dtypes and as
// many dimensions; each operation infers the shapes of its results. out_outputs, as many as the
// tape has, are arrays of `scope`; `recorded_outputs` are the function's own. An operation whose
// attributes were recorded for the shapes of before is an error with its name.
TN_MUST_USE tn_status_t tn__tape_replay(const tn_tape_t* tape, tn_scope_t* scope,
                                        tn_array_t* const* inputs,
                                        tn_array_t* const* recorded_outputs,
                                        tn_array_t** out_outputs);

#endif  // TENON_LAZY_SHAPELESS_H_
