// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Executors of operations. One instruction signature for all of them: our own kernels, libraries,
// custom calls, control flow.
//
// A kernel is chosen and prepared once, when a program is compiled: prepare() reads types and
// attributes and leaves an immutable state in the program's arena. run() then gets nothing but
// pointers, and may be called from several threads at once with the same state (each activation has
// its own call).
#ifndef TENON_KERNEL_KERNEL_H_
#define TENON_KERNEL_KERNEL_H_

#include "kernel/common/threaded.h"
#include "ops/view.h"

typedef struct tn_pool tn_pool_t;  // base/pool.h

// A region of the instruction, ready to be run: write the arguments' bytes (or know that they are
// there), call run, read the results. Arguments and results have fixed places for the life of the
// activation; results may be in the places of arguments, and run may overwrite arguments. One at a
// time: not thread-safe.
typedef struct tn_body {
  void* const* arguments;
  void* const* results;
  tn_status_t (*run)(const struct tn_body* body);
  void* user;
} tn_body_t;

// What the operation rng draws from: the numbers of a run depend on its id alone.
typedef struct tn_kernel_random {
  uint64_t key;         // the run's id
  uint64_t draw_count;  // how often the run has drawn before
} tn_kernel_random_t;

// What is left of an instruction whose run() has returned tn__status_pending(): it uses its
// operands and results until finish(), which is called once, has returned.
typedef struct tn_kernel_pending {
  tn_status_t (*finish)(void* user);  // waits for the work, and returns its error
  void* user;
} tn_kernel_pending_t;

// What a run hands to every kernel.
typedef struct tn_kernel_context {
  tn_pool_t* pool;  // for parallel loops; never NULL
  tn_kernel_random_t* random;
  const struct tn_call_environment* environment;  // of custom calls (call/call.h)
  // Where run() describes work that goes on; NULL: it must wait for the work itself.
  tn_kernel_pending_t* pending;
  struct tn_encoder*
      encoder;  // of a device that does the work (kernel/encoder.h); NULL: run() does
} tn_kernel_context_t;

// One instruction of one activation. Results are dense, row-major, 64-byte aligned when the program
// owns them. So are operands, but for views that the kernel takes (tn_kernel_t.takes_view), and for
// dense parts of arrays, which are aligned to their elements; leaves of tuples are flattened in
// preorder. Tokens have a non-NULL pointer to nothing.
typedef struct tn_kernel_call {
  const void* const* operands;
  void* const* results;
  const void* state;        // what prepare() left
  void* scratch;            // `scratch_byte_size` bytes, 64-byte aligned; contents undefined
  void* local;              // `local_byte_size` bytes of this activation; kept between runs
  const tn_body_t* bodies;  // one for each region
  const tn_kernel_context_t* context;
  uint32_t repeated;  // of a range: bit i: operand i is one element for all (takes_repeated)
} tn_kernel_call_t;

typedef tn_status_t (*tn_kernel_run_fn)(const tn_kernel_call_t* call);
// Elements `begin` <= i < `end` of an element-wise operation whose operands and results are all of
// one shape, on the calling thread. `user` is a tn_kernel_call_t with operands, results, state and
// context, whose arrays may be any parts of larger ones. Several threads may be at it at once.
typedef tn_status_t (*tn_kernel_range_fn)(int64_t begin, int64_t end, void* user);

// Where operand 0 of a kernel comes from when it is stored nowhere: it is computed as it is read,
// for fusions (kernel/fusion/). What a reader gives is there until it is asked again. All
// readers together are asked for each element once, in any order of ranges.
typedef struct tn_kernel_source {
  // A reader for the calling thread, that gives `most` elements at a time at most.
  tn_status_t (*open)(const struct tn_kernel_source* source, int64_t most, void** out_reader);
  // Elements `first` <= i < `first` + `count`, counted as they would be in memory.
  tn_status_t (*read)(void* reader, int64_t first, int64_t count, const void** out_elements);
  void (*close)(void* reader);
  const void* user;
} tn_kernel_source_t;

// One step of a lexicographic order: by operand `operand`, arguments 2 * operand and 2 * operand +
// 1 of the comparator.
typedef struct tn_sort_key {
  uint32_t operand;
  bool descending;
  // Floats: zeros are equal, NaNs are equal and above all else; else the total order, in which
  // -NaN < -inf < ... < -0 < +0 < ... < +inf < +NaN.
  bool is_canonical;
} tn_sort_key_t;

// A region as prepare() sees it; see body_shape.h.
typedef struct tn_body_shape {
  // When the region is one binary operation on its two arguments (in this order, or any order if
  // commutative) followed by the return of its result, that operation: add, maximum... ; else NULL.
  // With more values (reduce of several operands): NULL.
  const tn_op_t* binary;
  const tn_attr_dictionary_t* binary_attrs;
  // When it returns its only result unchanged: 1 + the index of that argument; else 0.
  uint32_t forwarded;
  // When it is a comparator, true where the first of each pair of arguments comes before the
  // second: the keys, most significant first. None: unknown.
  size_t key_count;
  const tn_sort_key_t* keys;
  // How many elements at a time an element-wise body works on: lane i of every value belongs to
  // output i (pass/widen.c). 0: one, a scalar.
  int64_t lanes;
} tn_body_shape_t;

// A place in the activation's local memory that several sites of a program share. Zeroed by who
// makes it; the contents belong to who lays out the memory.
typedef struct tn_local_share {
  bool is_placed;
  size_t offset;
} tn_local_share_t;

// What prepare() sees, and fills.
typedef struct tn_kernel_site {
  const tn_op_use_t* use;         // operands' and results' types, attributes, regions' signatures
  const tn_body_shape_t* bodies;  // one for each region
  // By operand: where its elements are. A run's pointer is to element [0, 0, ...], the byte offset
  // is in it. NULL: all are dense.
  const tn_view_t* views;
  tn_arena_t* arena;                       // the program's
  const struct tn_compile_target* target;  // that the kernel was found for (kernel/target.h)
  const struct tn_node* node;              // its operation in the program (ir/ir.h); NULL: none
  // What custom calls of one program share while they are prepared (call/call.h); NULL: nothing.
  struct tn_call_cache* calls;
  // Bit i: operand i is not in the storage of another one. Of the first 32.
  uint32_t single_operands;
  // out:
  void* state;
  size_t scratch_byte_size;
  size_t local_byte_size;
  // The kernel's run for few elements, which is over in microseconds, and neither fails nor pends.
  // NULL: there is none.
  tn_kernel_run_fn run_quick;
  // Where there is a quick run: the same as threaded code. NULL: there is none.
  tn_threaded_forms_t threaded;
  // What follows in TN_THREADED_LEAD cells before the operands. There is one form then, which
  // leaves nothing in registers. NULL: nothing, as of scalars.
  const tn_cell_t* threaded_lead;
  tn_local_share_t* local_share;  // NULL: the memory is this site's alone; else local_init is
                                  // called for each site that shares it, with the same result
  tn_status_t (*local_init)(const tn_kernel_call_t* call);  // NULL: zeroed memory is fine
  void (*local_deinit)(const tn_kernel_call_t* call);       // NULL: nothing to do
  void (*state_deinit)(void* state);  // when the program dies; NULL: the arena is enough
  // By result: bit i as in tn_kernel_t.in_place. NULL: as the kernel says, for result 0 alone.
  uint32_t* in_place;
  const char* warning;  // what is odd, and not refused; in the arena; NULL: nothing
  bool holds_regions;   // run() computes them from the state: they have no part in the plan
} tn_kernel_site_t;

// How a kernel that folds operand 0 can be given it when that is stored nowhere.
enum {
  TN_FOLDS_SOURCE = 1,  // by run_from
  TN_FOLDS_ROWS = 2,    // by run_rows: each result is of neighbours
};

// A row of a kernel table.
typedef struct tn_kernel {
  const char* op;    // short name of a stablehlo operation, or with its dialect
  const char* name;  // what `show --stage program` prints: "cpu.add"
  const char* tier;  // and behind it, in words: "library openblas"; NULL: it is our own
  uint8_t library;   // 1 + the library that it needs (kernel/lib/library.h); 0: none
  // Which uses it can do; NULL: all that pass the verifier.
  bool (*supports)(const tn_op_use_t* use);
  // The same for kernels that another can stand in for: why it does not take the use, in static
  // words ("too small for openblas"); NULL: it does.
  const char* (*refuse)(const tn_op_use_t* use);
  // Whether it reads operand `operand` by this view, which is not dense; NULL: it takes no views,
  // and is given dense operands.
  bool (*takes_view)(const tn_op_use_t* use, size_t operand, const tn_view_t* view);
  // Whether it may be given what an operand is converted of instead, to elements that hold it
  // exactly, and reads that as it is: some kernel then takes the use. NULL: no.
  bool (*loads)(const tn_op_use_t* use);
  // Custom calls: operands and results are as operand_layouts and result_layouts say. Such operands
  // are views, which it takes.
  bool has_layouts;
  tn_status_t (*prepare)(tn_kernel_site_t* site);  // NULL: no state
  tn_kernel_run_fn run;
  // Element-wise operations, and gathers that look up: a part of the work, for fusions
  // (kernel/fusion/); NULL: it has no parts.
  tn_kernel_range_fn range;
  // Whether the range takes operand `operand` as one element that stands for all, if it is the only
  // one; NULL: no.
  bool (*takes_repeated)(const void* state, uint32_t operand);
  // Reductions, for fusions: how they can be given operand 0 (TN_FOLDS_SOURCE...), and how they run
  // then, with the same bits as from memory. NULL: they cannot. run_from: operands[0] is nothing.
  // run_rows: `count` results, of the rows that follow each other from operands[0] on.
  tn_status_t (*folds)(const tn_op_use_t* use, const tn_body_shape_t* body, uint32_t* out_folds);
  tn_status_t (*run_from)(const tn_kernel_call_t* call, const tn_kernel_source_t* source);
  tn_status_t (*run_rows)(const tn_kernel_call_t* call, int64_t count);
  // Makes what prepare() left fold the squares of what it is given from then on, in both ways,
  // with the bits of squares that are folded; false: it cannot. NULL: no.
  bool (*fold_squares)(void* state);
  // Bit i: result 0 may be in the storage of operand i, if that has the same byte length and dies
  // here.
  uint32_t in_place;
  bool may_pend;  // run() may return tn__status_pending()
  bool varies;    // what run() launches may differ between calls with the same addresses
} tn_kernel_t;

#endif  // TENON_KERNEL_KERNEL_H_
