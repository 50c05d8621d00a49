// What a program may ask of Tenon before it runs: every limit on input in one place. SECURITY.md
// states them for users.
#ifndef TENON_BASE_LIMITS_H_
#define TENON_BASE_LIMITS_H_

enum {
  TN_LIMIT_NESTING = 256,              // regions, attributes and types inside one another
  TN_LIMIT_ATTRIBUTE_PARTS = 1 << 20,  // of one attribute, a shared part counted at each mention
  TN_LIMIT_ALIAS_PARTS = 1 << 22,      // of all attributes that aliases of one text stand for
  TN_LIMIT_TUPLE_LEAVES = 1 << 20,     // of a program's values and operands that are tuples
  TN_LIMIT_STREAM_BYTES = 1 << 30,     // of a pipe or a device that is read to its end
};

#endif  // TENON_BASE_LIMITS_H_
