// What a shared library exports.
#ifndef TENON_CALL_EXPORTS_H_
#define TENON_CALL_EXPORTS_H_

#include "base/visibility.h"
#include "call/library.h"

// Visits the names of the functions that it defines for others, in no order, but for weak ones and
// names that begin with an underscore: those are a compiler's. The names live as long as the
// library. Visits none when the library's tables are not understood. False ends the visit.
TN_FOR_INSPECT void tn__library_visit_exports(const tn_library_t* library,
                                              bool (*visit)(void* user, const char* name),
                                              void* user);

#endif  // TENON_CALL_EXPORTS_H_
