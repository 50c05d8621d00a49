// What a handler that declares nothing was found to take, in the form of a declaration: calls are
// checked against it, and tools show it. libtenon_inspect finds it out (inspect/).
#ifndef TENON_CALL_LEARNED_H_
#define TENON_CALL_LEARNED_H_

#include <stdbool.h>

#include "call/abi.h"

typedef struct tn_learned {
  // Operands and results have empty names. Those of which nothing is known have no dtypes;
  // attributes, neither a type nor dtypes. NULL: nothing at all was learned.
  const tn_ffi_op_t* op;
  bool takes_any_attributes;  // no stage asks for any by name: it looks at none, or at those of all
                              // that it wants
  const char* stages;   // what the other stages take: "instantiate(start: int64_t)"; "": nothing
  const char* context;  // what it asks its host for: "stream, run id"; "": nothing, as far as known
  const char* gap;      // what is not known, and why; "": nothing
  bool is_confined;     // while it was asked, it could do nothing but compute
  void (*destroy)(struct tn_learned* learned);
} tn_learned_t;

static inline void tn__learned_free(tn_learned_t* learned) {
  if (learned) learned->destroy(learned);
}

#endif  // TENON_CALL_LEARNED_H_
