// The operations that programs may use.
#ifndef TENON_OPS_H_
#define TENON_OPS_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tenon/export.h>

TN_EXTERN_C_BEGIN

typedef struct tn_op_attribute {
  const char* name;
  const char* type;  // in words: "an integer of type i64", "one of EQ, NE, GE, GT, LE, LT"
  bool is_required;
} tn_op_attribute_t;

// A row of the table of operations. Everything in it is a view that lives as long as the callback
// runs.
typedef struct tn_op_info {
  size_t struct_size;
  const char* name;        // "stablehlo.add"
  const char* dialect;     // "stablehlo"
  const char* short_name;  // "add"
  int32_t operand_count;   // -1: any number from `minimum_operand_count` on
  int32_t minimum_operand_count;
  int32_t result_count;  // -1: any number
  int32_t region_count;  // -1: any number
  bool is_pure;          // has no effect but its results
  bool is_elementwise;
  bool is_deprecated;  // read, but not written by current producers
  size_t attribute_count;
  const tn_op_attribute_t* attributes;
  const char* doc;
  bool is_supported;   // some uses of it, at least, can be run
  const char* kernel;  // what computes it: "ref.add"; NULL: it needs none, or there is none
} tn_op_info_t;

// Called on the caller's thread; false ends the enumeration.
typedef bool (*tn_op_visit_fn)(void* user, const tn_op_info_t* info);

// Visits all operations in the order of the table. Thread-safe.
TN_API void tn_op_enumerate(tn_op_visit_fn visit, void* user);

// The name that `name` (with its dialect or without) was probably meant to be; NULL when nothing is
// near. Static.
TN_API const char* tn_op_suggest(const char* name);

// A library that computes some operations when it is there. Views, as above.
typedef struct tn_kernel_library_info {
  size_t struct_size;
  const char* name;     // "openblas", as the environment's TENON_LIBRARIES spells it
  const char* purpose;  // "matrix products, linear algebra"
  const char* package;  // Debian's package of it
  const char* soname;   // NULL: it was not found when Tenon was configured
  bool is_used;
  const char* state;  // which version it is; else why it is not used
} tn_kernel_library_info_t;

typedef bool (*tn_kernel_library_visit_fn)(void* user, const tn_kernel_library_info_t* info);

// Visits all libraries that Tenon knows, and loads those that it may use. Thread-safe.
TN_API void tn_kernel_library_enumerate(tn_kernel_library_visit_fn visit, void* user);

TN_EXTERN_C_END

#endif  // TENON_OPS_H_
