// Calls of operations that are element by element (TN_OP_ELEMENTWISE).
//
// The handler sees pieces of one dimension, one after the other, on all threads: so it may be as
// simple as a loop, and its operands may have any strides. A piece of an operand that is contiguous
// is handed over where it lies; others are gathered into a block that stays in the cache, several
// rows at a time, since the elements of a transposed operand are neighbours down a column.
#include <stdlib.h>
#include <tenon/strided.h>

#include "base/pool.h"
#include "call/api.h"
#include "call/attributes.h"
#include "call/check.h"
#include "call/context.h"
#include "call/guard.h"
#include "call/handler.h"
#include "call/live.h"
#include "call/scratch.h"
#include "call/site.h"
#include "kernel/ref/transpose_block.h"

enum {
  LINE = TN_TRANSPOSE_LINE_BYTES,
  PIECE_LENGTH = 8192,          // elements of a piece when nothing is gathered
  GATHERED_LENGTH = 1024,       // when something is: operands and results fit the first-level cache
  TRANSPOSED_COLUMNS = 512,     // when an operand is transposed: few long rows for the others,
  TRANSPOSED_BYTES = 4 * LINE,  // and what is read at a time of each of the operand's lines
  GATHERED_AT_ONCE = 128,       // elements between two rounds of asking for what comes next
  ROW_START_LINES = 4,          // what the processor does not see coming when a row begins
  UNIT_GRAIN = 32768,           // elements worth a thread's while
  LOOP_LIMIT = TN_MAX_RANK,
};

// Where the elements of one operand or result are, along loops, rows and columns; bytes.
typedef struct element_path {
  tn_ffi_dtype_t dtype;
  size_t element_size;
  int64_t offset;
  int64_t row_stride, column_stride;
  const int64_t* loop_strides;
  bool is_gathered;
  int64_t block_stride;  // from row to row of the block, if gathered
} element_path_t;

typedef struct elementwise_state {
  tn_target_t* target;  // retained
  tn_ffi_attrs_t attrs;
  size_t operand_count, value_count;
  element_path_t* paths;  // operands, then results
  int32_t* types;
  int64_t element_count;
  size_t loop_count;
  int64_t* loop_counts;
  int64_t row_count, column_count;
  int64_t rows_per_unit, columns_per_unit;
  int64_t row_units, column_units, unit_count;
  bool is_transposed;        // some operand is
  size_t block_byte_length;  // of all gathered operands
} elementwise_state_t;

bool tn__target_is_elementwise(const tn_target_t* target) {
  const tn_ffi_bundle_t* bundle = &target->bundle;
  return target->definition.struct_size && target->definition.flags & TN_OP_ELEMENTWISE &&
         !target->definition.eval_cpu && !bundle->instantiate && !bundle->prepare &&
         !bundle->initialize;
}

// --- when the program is compiled

// Dimensions of all values, with adjacent ones merged where every value allows it.
typedef struct loop_nest {
  size_t count;
  int64_t dims[LOOP_LIMIT];
  int64_t* strides;  // of value v along loop l: strides[v * LOOP_LIMIT + l]
} loop_nest_t;

static const int64_t* given_strides(const tn_call_site_t* call, size_t value) {
  if (!call->strides || value >= call->operand_count) return NULL;
  return call->strides + value * (call->results[0]->rank + 1);
}

static tn_status_t make_nest(const tn_call_site_t* call, const elementwise_state_t* state,
                             const tn_type_t* shape, loop_nest_t* nest) {
  void* memory = NULL;
  *nest = (loop_nest_t){0};
  TN_RETURN_IF_ERROR(tn__arena_allocate_array(call->site->arena, state->value_count * LOOP_LIMIT,
                                              sizeof(int64_t), &memory));
  nest->strides = memory;
  TN_RETURN_IF_ERROR(
      tn__arena_allocate_array(call->site->arena, state->value_count, sizeof(int64_t*), &memory));
  int64_t** lists = memory;
  for (size_t v = 0; v < state->value_count; ++v) {
    const int64_t* given = given_strides(call, v);
    int64_t stride = (int64_t)state->paths[v].element_size;
    lists[v] = nest->strides + v * LOOP_LIMIT;
    for (size_t d = shape->rank; d-- > 0;) {
      lists[v][d] = given ? given[d + 1] : stride;
      stride *= shape->dims[d];
    }
  }
  if (shape->rank) memcpy(nest->dims, shape->dims, shape->rank * sizeof *nest->dims);
  nest->count = tn_collapse_contiguous_dims(shape->rank, nest->dims, state->value_count, lists);
  return TN_OK;
}

static int64_t at_least_one(int64_t count) {
  return count > 0 ? count : 1;
}

static bool is_transposed_path(const element_path_t* path) {
  return path->is_gathered && llabs(path->row_stride) < llabs(path->column_stride);
}

// How much is done at a time: a piece, or as many rows as make up for short ones.
static void set_units(elementwise_state_t* state, bool gathers, size_t largest_size) {
  int64_t length = gathers ? GATHERED_LENGTH : PIECE_LENGTH;
  int64_t columns = length;
  if (state->is_transposed) {
    columns = TRANSPOSED_COLUMNS;
    length = columns * (TRANSPOSED_BYTES / (int64_t)largest_size);
  }
  if (columns > state->column_count) columns = at_least_one(state->column_count);
  int64_t rows = at_least_one(length / columns);
  if (rows > state->row_count) rows = state->row_count;
  state->columns_per_unit = columns;
  state->rows_per_unit = rows;
  state->row_units = (state->row_count + rows - 1) / rows;
  state->column_units = (state->column_count + columns - 1) / columns;
  state->unit_count = state->row_units * state->column_units;
}

// The last two loops become rows and columns.
static void set_paths(const tn_call_site_t* call, elementwise_state_t* state,
                      const loop_nest_t* nest) {
  const size_t n = nest->count;
  size_t largest_size = 1;
  bool gathers = false;
  state->column_count = n > 0 ? nest->dims[n - 1] : 1;
  state->row_count = n > 1 ? nest->dims[n - 2] : 1;
  state->loop_count = n > 2 ? n - 2 : 0;
  for (size_t v = 0; v < state->value_count; ++v) {
    const int64_t* strides = nest->strides + v * LOOP_LIMIT;
    const int64_t* given = given_strides(call, v);
    element_path_t* path = &state->paths[v];
    path->offset = given ? given[0] : 0;
    path->column_stride = n > 0 ? strides[n - 1] : (int64_t)path->element_size;
    path->row_stride = n > 1 ? strides[n - 2] : 0;
    path->loop_strides = strides;
    path->is_gathered = path->column_stride != (int64_t)path->element_size;
    gathers |= path->is_gathered;
    state->is_transposed |= is_transposed_path(path) && path->row_stride;
    if (path->element_size > largest_size) largest_size = path->element_size;
  }
  set_units(state, gathers, largest_size);
  for (size_t l = 0; l < state->loop_count; ++l) {
    state->loop_counts[l] = nest->dims[l];
    state->unit_count *= nest->dims[l];
  }
  for (size_t v = 0; v < state->operand_count; ++v) {
    element_path_t* path = &state->paths[v];
    if (!path->is_gathered) continue;
    path->block_stride = state->columns_per_unit * (int64_t)path->element_size;
    // A line more, so that what is written down a column falls into different sets of the cache.
    if (is_transposed_path(path)) path->block_stride += LINE;
    state->block_byte_length += (size_t)(state->rows_per_unit * path->block_stride);
  }
}

static tn_status_t describe_values(const tn_call_site_t* call, elementwise_state_t* state) {
  for (size_t v = 0; v < state->value_count; ++v) {
    const bool is_operand = v < state->operand_count;
    const tn_type_t* type =
        is_operand ? call->operands[v] : call->results[v - state->operand_count];
    if (!tn__type_is_tensor(type) || !tn__type_same_shape(type, call->results[0])) {
      return tn_status_create(
          TN_CODE_INVALID_ARGUMENT,
          "%s %zu has type %s; an element-wise operation has one shape, here %s",
          is_operand ? "operand" : "result", is_operand ? v : v - state->operand_count,
          TN_TYPE_TEXT(type), TN_TYPE_TEXT(call->results[0]));
    }
    state->paths[v].dtype = tn__ffi_dtype(type->dtype);
    state->paths[v].element_size = tn_dtype_size(type->dtype);
    state->types[v] = TN_FFI_BUFFER;
  }
  return TN_OK;
}

static void clear_state(void* user) {
  elementwise_state_t* state = user;
  tn__target_release(state->target);
}

static tn_status_t run(const tn_kernel_call_t* call);
static tn_status_t run_range(int64_t begin, int64_t end, void* user);
static const tn_kernel_t kernel = {
    .op = "custom_call", .name = "call.elementwise", .run = run, .range = run_range};

tn_status_t tn__elementwise_prepare(const tn_call_site_t* call, tn_target_t* target,
                                    const tn_kernel_t** out_kernel) {
  tn_arena_t* arena = call->site->arena;
  void* memory = NULL;
  loop_nest_t nest;
  tn_attr_dictionary_t attrs = call->attrs;
  if (call->result_count == 0) {
    return tn_status_create(TN_CODE_INVALID_ARGUMENT, "an element-wise operation has a result");
  }
  TN_RETURN_IF_ERROR(tn__call_check(target->op, false, call->operand_count, call->operands,
                                    call->result_count, call->results, &call->attrs, arena,
                                    &attrs));
  TN_RETURN_IF_ERROR(tn__arena_allocate(arena, sizeof(elementwise_state_t), &memory));
  elementwise_state_t* state = memory;
  state->operand_count = call->operand_count;
  state->value_count = call->operand_count + call->result_count;
  TN_RETURN_IF_ERROR(
      tn__arena_allocate_array(arena, state->value_count, sizeof *state->paths, &memory));
  state->paths = memory;
  TN_RETURN_IF_ERROR(
      tn__arena_allocate_array(arena, state->value_count, sizeof *state->types, &memory));
  state->types = memory;
  TN_RETURN_IF_ERROR(tn__arena_allocate_array(arena, LOOP_LIMIT, sizeof(int64_t), &memory));
  state->loop_counts = memory;
  TN_RETURN_IF_ERROR(describe_values(call, state));
  TN_RETURN_IF_ERROR(tn__attributes_build(arena, &attrs, &state->attrs));
  state->element_count = tn__type_size(call->results[0]);
  if (state->element_count) {
    TN_RETURN_IF_ERROR(make_nest(call, state, call->results[0], &nest));
    set_paths(call, state, &nest);
  }
  state->target = tn__target_retain(target);
  call->site->state = state;
  call->site->state_deinit = clear_state;
  *out_kernel = &kernel;
  return TN_OK;
}

// --- when it runs

// What one thread works with. Behind it: the pointers, the buffers, and the blocks.
typedef struct piece_call {
  const elementwise_state_t* state;
  const tn_kernel_call_t* call;
  tn_ffi_call_frame_t frame;
  struct tn_ffi_context context;
  int64_t length;  // of the piece
  tn_ffi_buffer_t* buffers;
  char** starts;  // of the values, at the first element of the unit
  char* blocks;
} piece_call_t;

// Asks for the lines that hold the bytes [start, start + length), ahead of their use.
static inline void prefetch(const char* start, int64_t length) {
  for (int64_t i = 0; i < length; i += LINE) __builtin_prefetch(start + i, 0, 2);
}

// Elements with a stride become neighbours. The strides that are met most are constants here, so
// that the loops become vector code.
#define GATHER_LINE(type, step, stride)                                     \
  for (int64_t j = 0; j < count; ++j) {                                     \
    ((type*)line)[j * step] = *(const type*)(from + j * (int64_t)(stride)); \
  }
#define GATHER(type)                                                \
  if (step != 1) {                                                  \
    GATHER_LINE(type, step, stride)                                 \
  } else if (stride == 0) {                                         \
    const type element = *(const type*)from;                        \
    for (int64_t j = 0; j < count; ++j) ((type*)line)[j] = element; \
  } else if (stride == 2 * (int64_t)sizeof(type)) {                 \
    GATHER_LINE(type, 1, 2 * sizeof(type))                          \
  } else {                                                          \
    GATHER_LINE(type, 1, stride)                                    \
  }                                                                 \
  break;
typedef struct pair {
  uint64_t words[2];
} pair_t;

// `count` elements that are `stride` bytes apart; `step` elements apart in `line`.
static inline void gather_line(size_t element_size, char* line, int64_t step, const char* from,
                               int64_t stride, int64_t count) {
  switch (element_size) {
    case 1: GATHER(uint8_t)
    case 2: GATHER(uint16_t)
    case 4: GATHER(uint32_t)
    case 8: GATHER(uint64_t)
    default: GATHER(pair_t)
  }
}
#undef GATHER
#undef GATHER_LINE

// Rows of the target from elements that are neighbours down the columns, a few columns at a time;
// the next few are under way meanwhile.
static void gather_transposed(char* target, const char* source, const element_path_t* path,
                              int64_t rows, int64_t columns) {
  const int64_t size = (int64_t)path->element_size, strip = LINE / size;
  for (int64_t column = 0; column < columns; column += strip) {
    const int64_t count = columns - column < strip ? columns - column : strip;
    for (int64_t i = column + strip; i < column + 2 * strip && i < columns; ++i) {
      prefetch(source + i * path->column_stride, rows * size);
    }
    tn__transpose_strip(path->element_size, false, target + column * size, path->block_stride,
                        source + column * path->column_stride, path->column_stride, rows, count);
  }
}

// `rows` rows of `columns` elements, which lie one behind the other in the rows of `target`. The
// loop along the shorter stride is the inner one. The processor foresees no further than the end of
// a row: so the next one, `rows_left` counting those behind the block as well, is asked for here.
static void gather(char* target, const char* source, const element_path_t* path, int64_t rows,
                   int64_t columns, int64_t rows_left) {
  const int64_t size = (int64_t)path->element_size;
  if (path->row_stride == size) {
    gather_transposed(target, source, path, rows, columns);
    return;
  }
  if (rows > 1 && is_transposed_path(path)) {
    for (int64_t c = 0; c < columns; ++c) {
      gather_line(path->element_size, target + c * size, path->block_stride / size,
                  source + c * path->column_stride, path->row_stride, rows);
    }
    return;
  }
  const int64_t stride = path->column_stride;
  for (int64_t r = 0; r < rows; ++r) {
    const char* from = source + r * path->row_stride;
    const bool asks = stride > 0 && path->row_stride && r + 1 < rows_left;
    for (int64_t c = 0; c < columns; c += GATHERED_AT_ONCE) {
      const int64_t count = columns - c < GATHERED_AT_ONCE ? columns - c : GATHERED_AT_ONCE;
      if (asks) prefetch(from + path->row_stride + c * stride, count * stride);
      gather_line(path->element_size, target + r * path->block_stride + c * size, 1,
                  from + c * stride, stride, count);
    }
  }
}

// A handler that finishes later is waited for: what it sees is this thread's.
static tn_status_t finish_call(piece_call_t* piece, tn_guarded_t guarded) {
  bool is_late = false;
  tn_status_t status =
      guarded.exception ? tn__error_give(tn__guard_error(guarded.exception)) : guarded.result;
  if (piece->frame.future) {
    tn_status_t late = tn__future_wait(piece->frame.future, -1, NULL, &is_late);
    piece->frame.future = NULL;
    if (!status) status = tn__error_give(late);
  }
  status = tn__handler_finish(piece->state->target->name, &piece->frame, status);
  tn__scratch_free_all(&piece->context);
  return status;
}

static tn_status_t call_handler(piece_call_t* piece) {
  tn_guarded_t guarded = tn__guard_call(piece->state->target->bundle.execute, &piece->frame);
  if (!guarded.result && !guarded.exception && !piece->frame.future && !piece->context.scratch) {
    return TN_OK;
  }
  return finish_call(piece, guarded);
}

static tn_status_t run_unit(piece_call_t* piece, int64_t unit) {
  const elementwise_state_t* state = piece->state;
  const int64_t column = unit % state->column_units * state->columns_per_unit;
  int64_t rest = unit / state->column_units;
  const int64_t row = rest % state->row_units * state->rows_per_unit;
  rest /= state->row_units;
  int64_t rows = state->row_count - row, columns = state->column_count - column;
  if (rows > state->rows_per_unit) rows = state->rows_per_unit;
  if (columns > state->columns_per_unit) columns = state->columns_per_unit;
  for (size_t v = 0; v < state->value_count; ++v) {
    const element_path_t* path = &state->paths[v];
    const bool is_operand = v < state->operand_count;
    const void* base =
        is_operand ? piece->call->operands[v] : piece->call->results[v - state->operand_count];
    piece->starts[v] =
        (char*)base + path->offset + row * path->row_stride + column * path->column_stride;
  }
  for (size_t l = state->loop_count; l-- > 0;) {
    const int64_t index = rest % state->loop_counts[l];
    rest /= state->loop_counts[l];
    for (size_t v = 0; v < state->value_count; ++v) {
      piece->starts[v] += index * state->paths[v].loop_strides[l];
    }
  }
  char* block = piece->blocks;
  for (size_t v = 0; v < state->operand_count; ++v) {
    const element_path_t* path = &state->paths[v];
    if (!path->is_gathered) continue;
    gather(block, piece->starts[v], path, rows, columns, state->row_count - row);
    piece->starts[v] = block;
    block += rows * path->block_stride;
  }
  piece->length = columns;
  for (int64_t r = 0; r < rows; ++r) {
    for (size_t v = 0; v < state->value_count; ++v) {
      const element_path_t* path = &state->paths[v];
      const int64_t stride = path->is_gathered ? path->block_stride : path->row_stride;
      char* start = piece->starts[v] + r * stride;
      piece->buffers[v].data = start;
      if (state->is_transposed && !path->is_gathered && r + 1 < rows) {
        prefetch(start + stride, ROW_START_LINES * LINE);
      }
    }
    TN_RETURN_IF_ERROR(call_handler(piece));
  }
  return TN_OK;
}

static void init_piece(piece_call_t* piece, const tn_kernel_call_t* call, void* memory) {
  const elementwise_state_t* state = call->state;
  void** pointers = memory;
  *piece = (piece_call_t){.state = state, .call = call};
  piece->starts = (char**)(pointers + state->value_count);
  piece->buffers = (tn_ffi_buffer_t*)(void*)(piece->starts + state->value_count);
  piece->blocks = (char*)(piece->buffers + state->value_count);
  piece->blocks += -(uintptr_t)piece->blocks % 64;
  for (size_t v = 0; v < state->value_count; ++v) {
    piece->buffers[v] = (tn_ffi_buffer_t){.struct_size = TN_FFI_BUFFER_SIZE,
                                          .dtype = state->paths[v].dtype,
                                          .rank = 1,
                                          .dims = &piece->length};
    pointers[v] = &piece->buffers[v];
  }
  piece->context.kernel = call->context;
  piece->frame = (tn_ffi_call_frame_t){
      .struct_size = TN_FFI_CALL_FRAME_SIZE,
      .api = tn__call_api(),
      .context = &piece->context,
      .stage = TN_FFI_EXECUTE,
      .args = {.struct_size = TN_FFI_VALUES_SIZE,
               .count = (int64_t)state->operand_count,
               .types = state->types,
               .values = pointers},
      .rets = {.struct_size = TN_FFI_VALUES_SIZE,
               .count = (int64_t)(state->value_count - state->operand_count),
               .types = state->types + state->operand_count,
               .values = pointers + state->operand_count},
      .attrs = state->attrs,
  };
}

enum { SMALL_BYTES = 1024 };

static size_t piece_byte_length(const elementwise_state_t* state, size_t block_byte_length) {
  return state->value_count * (2 * sizeof(void*) + sizeof(tn_ffi_buffer_t)) + block_byte_length +
         64;
}

// A piece, and what its calls need meanwhile: on the stack where that is little.
typedef struct open_piece {
  piece_call_t piece;
  tn_call_state_t no_states[3];
  void* large;
  _Alignas(64) char small[SMALL_BYTES];
} open_piece_t;

// `open->large` is the caller's to free afterwards.
static tn_status_t open_piece(open_piece_t* open, const tn_kernel_call_t* call,
                              size_t block_byte_length) {
  const size_t byte_length = piece_byte_length(call->state, block_byte_length);
  open->large = byte_length > SMALL_BYTES ? malloc(byte_length) : NULL;
  if (byte_length > SMALL_BYTES && !open->large) return tn__status_out_of_memory();
  init_piece(&open->piece, call, open->large ? open->large : open->small);
  memset(open->no_states, 0, sizeof open->no_states);
  for (size_t i = 0; i < 3; ++i) open->piece.context.states[i] = &open->no_states[i];
  return TN_OK;
}

static tn_status_t run_units(int64_t begin, int64_t end, void* user) {
  const tn_kernel_call_t* call = user;
  const elementwise_state_t* state = call->state;
  open_piece_t open;
  TN_RETURN_IF_ERROR(open_piece(&open, call, state->block_byte_length));
  tn_status_t status = TN_OK;
  for (int64_t unit = begin; unit < end && !status; ++unit) status = run_unit(&open.piece, unit);
  free(open.large);
  return status;
}

// In a fusion everything is dense, and the part is a piece as it is.
static tn_status_t run_range(int64_t begin, int64_t end, void* user) {
  const tn_kernel_call_t* call = user;
  const elementwise_state_t* state = call->state;
  open_piece_t open;
  TN_RETURN_IF_ERROR(open_piece(&open, call, 0));
  piece_call_t* piece = &open.piece;
  piece->length = end - begin;
  for (size_t v = 0; v < state->value_count; ++v) {
    const void* base =
        v < state->operand_count ? call->operands[v] : call->results[v - state->operand_count];
    piece->buffers[v].data = (char*)base + begin * (int64_t)state->paths[v].element_size;
  }
  tn_status_t status = call_handler(piece);
  free(open.large);
  return status;
}

static tn_status_t run(const tn_kernel_call_t* call) {
  const elementwise_state_t* state = call->state;
  if (state->element_count == 0) return TN_OK;
  const int64_t grain = at_least_one(UNIT_GRAIN / (state->rows_per_unit * state->columns_per_unit));
  return tn__pool_parallel_for(call->context->pool, state->unit_count, grain, run_units,
                               (void*)call);
}
