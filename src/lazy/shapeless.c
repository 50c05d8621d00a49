// Shapes are inferred anew, and nothing else is known of the function than what it did. So a
// broadcast, which was recorded with the shape of what it met, is only noted: the operation that
// uses it says what shape it has.
#include "lazy/shapeless.h"

#include "call/site.h"
#include "lazy/definition.h"
#include "lazy/graph.h"
#include "lazy/ops/common.h"
#include "lazy/ops/views.h"
#include "lazy/rules/rules.h"

enum { UNKNOWN = -1 };

// What stands for a recorded value. With a map it is to be broadcast: dimension i of the array is
// dimension map[i] of the value, whose other dimensions are still open.
typedef struct tn_shaped {
  tn_array_t* array;
  const int64_t* map;          // NULL: the array is the value
  const tn_array_t* recorded;  // the value as it was
  bool is_constant;            // does not depend on the inputs
} tn_shaped_t;

typedef struct tn_replay {
  const tn_tape_t* tape;
  tn_scope_t* scope;
  tn_arena_t arena;
  tn_shaped_t* values;    // by number
  tn_shaped_t* operands;  // of one step
  tn_array_t** list;      // likewise, with their shapes
  tn_array_t** results;
} tn_replay_t;

static tn_status_t refuse(const tn_step_t* step, const tn_array_t* recorded,
                          const tn_array_t* operand, const char* why) {
  return tn_status_create(TN_CODE_UNIMPLEMENTED,
                          "%s: was recorded for shape %s, and %s for shape %s (shapeless)",
                          tn__step_name(step), TN_SHAPE_TEXT(recorded->rank, recorded->dims), why,
                          TN_SHAPE_TEXT(operand->rank, operand->dims));
}

static bool has_dims(const tn_array_t* array, size_t rank, const int64_t* dims) {
  return array->rank == rank && (rank == 0 || memcmp(array->dims, dims, rank * sizeof *dims) == 0);
}

static bool is_unchanged(const tn_shaped_t* value) {
  return !value->map && has_dims(value->array, value->recorded->rank, value->recorded->dims);
}

// --- broadcasts

static tn_status_t compose(tn_replay_t* r, const tn_shaped_t* inner, const int64_t* outer,
                           const int64_t** out_map) {
  void* memory = NULL;
  TN_RETURN_IF_ERROR(
      tn__arena_allocate_array(&r->arena, inner->array->rank + 1u, sizeof(int64_t), &memory));
  int64_t* map = memory;
  for (size_t i = 0; i < inner->array->rank; ++i) {
    map[i] = outer[inner->map ? inner->map[i] : (int64_t)i];
  }
  *out_map = map;
  return TN_OK;
}

static const int64_t* dimensions_of(const tn_step_t* step, const char* name, size_t* out_count) {
  const tn_attribute_t* attribute = tn__attributes_find(step->attributes, name);
  *out_count = attribute ? attribute->count : 0;
  return attribute ? attribute->data : NULL;
}

static tn_status_t note_broadcast(tn_replay_t* r, const tn_step_t* step, const tn_shaped_t* inner,
                                  tn_shaped_t* out) {
  size_t count = 0;
  out->array = inner->array;
  return compose(r, inner, dimensions_of(step, "broadcast_dimensions", &count), &out->map);
}

// What does not depend on the inputs; numbers that were spread over some shape are numbers again.
static tn_status_t take_constant(tn_replay_t* r, tn_array_t* array, tn_shaped_t* out) {
  *out = (tn_shaped_t){.array = array, .recorded = array, .is_constant = true};
  if (!array->step || array->step->op != TN__OP(broadcast_in_dim)) return TN_OK;
  tn_shaped_t inner;
  TN_RETURN_IF_ERROR(take_constant(r, array->step->operands[0], &inner));
  return note_broadcast(r, array->step, &inner, out);
}

// The size of a dimension as far as the value itself says it.
static int64_t known_dim(const tn_shaped_t* value, size_t d) {
  if (!value->map) return value->array->dims[d];
  for (size_t i = 0; i < value->array->rank; ++i) {
    if (value->map[i] != (int64_t)d) continue;
    const int64_t dim = value->array->dims[i];
    return dim == 1 && value->recorded->dims[d] != 1 ? UNKNOWN : dim;
  }
  return value->recorded->dims[d] == 1 ? 1 : UNKNOWN;
}

static tn_array_t* spread(tn_replay_t* r, const tn_shaped_t* value, const int64_t* dims) {
  int64_t same[TN_MAX_RANK];
  const size_t rank = value->recorded->rank;
  if (!value->map && has_dims(value->array, rank, dims)) return value->array;
  for (size_t i = 0; i < rank; ++i) same[i] = (int64_t)i;
  return tn__view_broadcast(r->scope, value->array, value->map ? value->map : same, rank, dims);
}

// The value with the shape that it says itself.
static tn_status_t settle(tn_replay_t* r, const tn_step_t* step, const tn_shaped_t* value,
                          tn_array_t** out_array) {
  int64_t dims[TN_MAX_RANK];
  *out_array = value->array;
  if (!value->map) return TN_OK;
  for (size_t d = 0; d < value->recorded->rank; ++d) {
    dims[d] = known_dim(value, d);
    if (dims[d] == UNKNOWN) {
      return refuse(step, value->recorded, value->array,
                    "nothing says to which shape its operand is broadcast");
    }
  }
  *out_array = spread(r, value, dims);
  return tn_array_status(*out_array);
}

// --- element by element

// NumPy's rule for one dimension of all operands; constants do not grow.
static tn_status_t agree(const tn_replay_t* r, const tn_step_t* step, size_t d, int64_t* out_dim) {
  *out_dim = UNKNOWN;
  for (uint32_t i = 0; i < step->operand_count; ++i) {
    const int64_t dim = known_dim(&r->operands[i], d);
    if (dim == UNKNOWN || dim == *out_dim) continue;
    if (*out_dim == UNKNOWN || *out_dim == 1) {
      *out_dim = dim;
    } else if (dim != 1) {
      return refuse(step, r->operands[i].recorded, r->operands[i].array,
                    "its operands have different shapes");
    }
  }
  for (uint32_t i = 0; i < step->operand_count; ++i) {
    const tn_shaped_t* operand = &r->operands[i];
    if (operand->is_constant && !operand->map && operand->array->dims[d] != *out_dim) {
      return refuse(step, operand->recorded, operand->array, "a constant does not grow with it");
    }
  }
  return TN_OK;
}

static bool is_elementwise(const tn_step_t* step) {
  return step->op && tn__op_has(step->op, TN_ELEMENTWISE) &&
         (step->result_count == 1 || tn__step_is_called(step));
}

static void add_step(tn_replay_t* r, const tn_step_t* step, const tn_array_type_t* types) {
  const tn_step_spec_t spec = {
      .op = step->op,
      .excerpt = step->excerpt,
      .operand_count = step->operand_count,
      .operands = r->list,
      .attribute_count = step->attributes ? step->attributes->count : 0,
      .attributes = step->attributes ? step->attributes->entries : NULL,
      .body = step->body,
      .result_count = step->result_count,
      .result_types = types,
  };
  tn__step_add(r->scope, &spec, r->results);
}

// By the definition of the author.
static void apply_called(tn_replay_t* r, const tn_step_t* step) {
  const tn_application_t application = {
      .struct_size = sizeof application,
      .name = tn__step_name(step),
      .operand_count = step->operand_count,
      .operands = r->list,
      .attribute_count = step->attributes ? step->attributes->count : 0,
      .attributes = step->attributes ? step->attributes->entries : NULL,
      .result_count = step->result_count,
  };
  tn__apply_op(r->scope, step->op, &application, r->results);
}

static tn_status_t do_elementwise(tn_replay_t* r, const tn_step_t* step, tn_array_t* const* values,
                                  tn_shaped_t* out) {
  int64_t dims[TN_MAX_RANK];
  const size_t rank = values[0]->rank;
  const tn_shaped_t* only = step->operand_count == 1 ? &r->operands[0] : NULL;
  if (only && only->map) {  // as well before the broadcast
    const tn_array_type_t type = {values[0]->dtype, only->array->rank, only->array->dims};
    r->list[0] = only->array;
    add_step(r, step, &type);
    out->map = only->map;
    return TN_OK;
  }
  for (size_t d = 0; d < rank; ++d) {
    TN_RETURN_IF_ERROR(agree(r, step, d, &dims[d]));
    if (dims[d] == UNKNOWN) {
      return refuse(step, values[0], r->operands[0].array,
                    "nothing says to which shape its operands are broadcast");
    }
  }
  for (uint32_t i = 0; i < step->operand_count; ++i) {
    r->list[i] = spread(r, &r->operands[i], dims);
  }
  if (tn__step_is_called(step)) {
    apply_called(r, step);
  } else {
    const tn_array_type_t type = {values[0]->dtype, rank, dims};
    add_step(r, step, &type);
  }
  return TN_OK;
}

// --- views

// The dims of a reshape, matching dimensions from one end, then from the other. What is left is one
// dimension, made of all that is left on the other side, or is as it was.
static bool match_dims(const tn_array_t* from, const tn_array_t* to, const tn_array_t* x,
                       bool from_front, int64_t* out_dims) {
  size_t front = 0, back = 0;
  for (int round = 0; round < 2; ++round) {
    const size_t shorter = from->rank < to->rank ? from->rank : to->rank;
    if (from_front == (round == 0)) {
      while (front + back < shorter && from->dims[front] == to->dims[front]) ++front;
    } else {
      while (front + back < shorter &&
             from->dims[from->rank - 1 - back] == to->dims[to->rank - 1 - back]) {
        ++back;
      }
    }
  }
  const size_t left_from = from->rank - front - back, left_to = to->rank - front - back;
  int64_t product = 1;
  bool is_same = true;
  for (size_t i = front; i < front + left_from; ++i) {
    product *= x->dims[i];
    if (x->dims[i] != from->dims[i]) is_same = false;
  }
  if (!is_same && left_to != 1) return false;
  for (size_t i = 0; i < front; ++i) out_dims[i] = x->dims[i];
  for (size_t i = 0; i < left_to; ++i) {
    out_dims[front + i] = is_same ? to->dims[front + i] : product;
  }
  for (size_t i = 0; i < back; ++i) {
    out_dims[front + left_to + i] = x->dims[front + left_from + i];
  }
  return true;
}

static tn_status_t do_reshape(tn_replay_t* r, const tn_step_t* step, const tn_array_t* value) {
  const tn_array_t *from = step->operands[0], *x = r->list[0];
  int64_t dims[2][TN_MAX_RANK];
  const bool fits = match_dims(from, value, x, true, dims[0]) &&
                    match_dims(from, value, x, false, dims[1]) &&
                    memcmp(dims[0], dims[1], value->rank * sizeof *dims[0]) == 0;
  if (!fits) return refuse(step, from, x, "its new shape does not follow");
  r->results[0] = tn_array_reshape(r->scope, r->list[0], value->rank, dims[0]);
  return TN_OK;
}

static tn_status_t do_slice(tn_replay_t* r, const tn_step_t* step) {
  const tn_array_t *from = step->operands[0], *x = r->list[0];
  int64_t ends[TN_MAX_RANK];
  size_t rank = 0;
  const int64_t* starts = dimensions_of(step, "start_indices", &rank);
  const int64_t* limits = dimensions_of(step, "limit_indices", &rank);
  const int64_t* strides = dimensions_of(step, "strides", &rank);
  for (size_t d = 0; d < rank; ++d) {
    const bool is_whole = starts[d] == 0 && limits[d] == from->dims[d];
    ends[d] = is_whole ? x->dims[d] : limits[d];
    if (!is_whole && x->dims[d] != from->dims[d]) {
      return refuse(step, from, x, "its bounds do not follow");
    }
  }
  r->results[0] = tn__view_slice(r->scope, r->list[0], starts, ends, strides);
  return TN_OK;
}

static tn_status_t do_view(tn_replay_t* r, const tn_step_t* step, const tn_array_t* value) {
  size_t count = 0;
  if (step->op == TN__OP(reshape)) return do_reshape(r, step, value);
  if (step->op == TN__OP(slice)) return do_slice(r, step);
  if (step->op == TN__OP(reverse)) {
    const int64_t* dimensions = dimensions_of(step, "dimensions", &count);
    r->results[0] = tn__view_reverse(r->scope, r->list[0], count, dimensions);
  } else {
    r->results[0] =
        tn_array_transpose(r->scope, r->list[0], dimensions_of(step, "permutation", &count));
  }
  return TN_OK;
}

// --- others

// Sums of products: dimensions that go together have one size, whichever side says it.
static tn_status_t settle_pair(tn_replay_t* r, const tn_step_t* step) {
  static const char* const lists[2][2] = {
      {"lhs_batching_dimensions", "lhs_contracting_dimensions"},
      {"rhs_batching_dimensions", "rhs_contracting_dimensions"}};
  const tn_attribute_t* numbers = tn__attributes_find(step->attributes, "dot_dimension_numbers");
  int64_t dims[2][TN_MAX_RANK] = {{0}};
  for (size_t side = 0; side < 2; ++side) {
    for (size_t d = 0; d < r->operands[side].recorded->rank; ++d) {
      dims[side][d] = known_dim(&r->operands[side], d);
    }
  }
  for (size_t which = 0; which < 2; ++which) {
    const tn_attribute_t* fields[2] = {NULL, NULL};
    for (size_t i = 0; i < numbers->count; ++i) {
      for (size_t side = 0; side < 2; ++side) {
        const bool is_it = strcmp(numbers->entries[i].name, lists[side][which]) == 0;
        if (is_it) fields[side] = &numbers->entries[i];
      }
    }
    for (size_t i = 0; fields[0] && fields[1] && i < fields[0]->count; ++i) {
      int64_t* left = &dims[0][((const int64_t*)fields[0]->data)[i]];
      int64_t* right = &dims[1][((const int64_t*)fields[1]->data)[i]];
      if (*left == UNKNOWN) *left = *right;
      if (*right == UNKNOWN) *right = *left;
    }
  }
  for (size_t side = 0; side < 2; ++side) {
    for (size_t d = 0; d < r->operands[side].recorded->rank; ++d) {
      if (dims[side][d] != UNKNOWN) continue;
      return refuse(step, r->operands[side].recorded, r->operands[side].array,
                    "nothing says to which shape its operand is broadcast");
    }
    r->list[side] = spread(r, &r->operands[side], dims[side]);
  }
  return TN_OK;
}

// Lists that were as long as the dimensions are so again: windows over all elements so far.
static tn_status_t do_windows(tn_replay_t* r, const tn_step_t* step) {
  const tn_array_t *from = step->operands[0], *x = r->list[0];
  size_t rank = 0, padding_count = 0;
  const int64_t* sizes = dimensions_of(step, "window_dimensions", &rank);
  const int64_t* padding = dimensions_of(step, "padding", &padding_count);
  int64_t new_sizes[TN_MAX_RANK], new_padding[2 * TN_MAX_RANK] = {0};
  for (size_t d = 0; d < rank; ++d) {
    const int64_t low = padding ? padding[2 * d] : 0, high = padding ? padding[2 * d + 1] : 0;
    const bool is_changed = x->dims[d] != from->dims[d];
    const bool is_whole = sizes[d] == from->dims[d] && low + high == sizes[d] - 1 &&
                          (low == 0 || high == 0) && step->attributes->count == 2;
    new_sizes[d] = sizes[d];
    new_padding[2 * d] = low;
    new_padding[2 * d + 1] = high;
    if (!is_changed || (sizes[d] == 1 && !is_whole)) continue;
    if (!is_whole || x->dims[d] == 0 || from->dims[d] == 1) {
      return refuse(step, from, x, "its windows do not follow");
    }
    new_sizes[d] = x->dims[d];
    new_padding[2 * d + (high != 0)] = x->dims[d] - 1;
  }
  const tn_attribute_t attributes[] = {
      tn__i64_list_attribute("window_dimensions", rank, new_sizes),
      tn__i64_list_attribute("padding", 2 * rank, new_padding),
  };
  const tn_array_type_t type = {x->dtype, x->rank, x->dims};
  const tn_step_spec_t spec = {
      .op = step->op,
      .operand_count = 2,
      .operands = r->list,
      .attribute_count = 2,
      .attributes = attributes,
      .body = step->body,
      .result_count = 1,
      .result_types = &type,
  };
  tn__step_add(r->scope, &spec, r->results);
  return TN_OK;
}

static tn_status_t check_padding(const tn_replay_t* r, const tn_step_t* step) {
  static const char* const lists[] = {"edge_padding_low", "edge_padding_high", "interior_padding"};
  size_t rank = 0;
  for (size_t i = 0; i < 3; ++i) {
    const int64_t* amounts = dimensions_of(step, lists[i], &rank);
    for (size_t d = 0; d < rank; ++d) {
      if (amounts[d] == 0 || r->list[0]->dims[d] == step->operands[0]->dims[d]) continue;
      return refuse(step, step->operands[0], r->list[0], "its padding does not follow");
    }
  }
  return TN_OK;
}

typedef enum tn_change {
  REFUSED,    // nothing may change
  ANY,        // attributes do not depend on shapes
  BUT_FIRST,  // they may depend on the shape of the first operand
} tn_change_t;

static tn_change_t change_of(const tn_op_t* op) {
  static const struct {
    const tn_op_t* op;
    tn_change_t change;
  } changes[] = {
      {TN__OP(cholesky), ANY},     {TN__OP(complex), ANY},
      {TN__OP(concatenate), ANY},  {TN__OP(convolution), ANY},
      {TN__OP(dot_general), ANY},  {TN__OP(fft), ANY},
      {TN__OP(gather), BUT_FIRST}, {TN__OP(get_dimension_size), ANY},
      {TN__OP(imag), ANY},         {TN__OP(optimization_barrier), ANY},
      {TN__OP(pad), ANY},          {TN__OP(real), ANY},
      {TN__OP(reduce), ANY},       {TN__OP(scatter), BUT_FIRST},
      {TN__OP(sort), ANY},         {TN__OP(triangular_solve), ANY},
  };
  for (size_t i = 0; i < sizeof changes / sizeof *changes; ++i) {
    if (changes[i].op == op) return changes[i].change;
  }
  return REFUSED;
}

// The result types that the operation infers, in the dtypes of before.
static tn_status_t do_inferred(tn_replay_t* r, const tn_step_t* step, tn_array_t* const* values) {
  void* memory = NULL;
  if (step->op == TN__OP(pad)) TN_RETURN_IF_ERROR(check_padding(r, step));
  TN_RETURN_IF_ERROR(
      tn__arena_allocate_array(&r->arena, step->result_count, sizeof(tn_array_type_t), &memory));
  tn_array_type_t* types = memory;
  TN_RETURN_IF_ERROR(tn_status_prefix(tn__step_infer(step, r->list, &r->arena, types),
                                      "%s (shapeless)", tn__step_name(step)));
  for (uint32_t i = 0; i < step->result_count; ++i) types[i].dtype = values[i]->dtype;
  add_step(r, step, types);
  return TN_OK;
}

static tn_status_t do_other(tn_replay_t* r, const tn_step_t* step, tn_array_t* const* values) {
  uint32_t changed = step->operand_count;
  if (step->op == TN__OP(dot_general)) {
    TN_RETURN_IF_ERROR(settle_pair(r, step));
  } else {
    for (uint32_t i = 0; i < step->operand_count; ++i) {
      TN_RETURN_IF_ERROR(settle(r, step, &r->operands[i], &r->list[i]));
    }
  }
  for (uint32_t i = step->operand_count; i-- > 0;) {
    if (!is_unchanged(&r->operands[i])) changed = i;
  }
  if (step->op == TN__OP(reshape) || step->op == TN__OP(slice) || step->op == TN__OP(reverse) ||
      step->op == TN__OP(transpose)) {
    return do_view(r, step, values[0]);
  }
  if (changed == step->operand_count && !tn__step_is_called(step)) {
    const tn_array_type_t type = {values[0]->dtype, values[0]->rank, values[0]->dims};
    add_step(r, step, step->result_types ? step->result_types : &type);
    return TN_OK;
  }
  if (tn__step_is_called(step)) {
    apply_called(r, step);
    return TN_OK;
  }
  if (step->op == TN__OP(reduce_window)) return do_windows(r, step);
  const tn_change_t change = step->excerpt ? REFUSED : change_of(step->op);
  if (change == REFUSED || (change == BUT_FIRST && changed == 0)) {
    return refuse(step, step->operands[changed], r->list[changed],
                  "it is not known what it would be");
  }
  return do_inferred(r, step, values);
}

// --- all of it

static tn_status_t do_step(tn_replay_t* r, const tn_tape_step_t* at) {
  const tn_step_t* step = at->step;
  const uint32_t* numbers = r->tape->operands + at->first_operand;
  tn_array_t* const* values = r->tape->values + at->first_result;
  tn_shaped_t* out = &r->values[at->first_result];
  for (uint32_t i = 0; i < step->operand_count; ++i) {
    if (numbers[i] == TN_TAPE_CONSTANT) {
      TN_RETURN_IF_ERROR(take_constant(r, step->operands[i], &r->operands[i]));
    } else {
      r->operands[i] = r->values[numbers[i]];
    }
  }
  for (uint32_t i = 0; i < step->result_count; ++i) {
    out[i] = (tn_shaped_t){.recorded = values[i]};
  }
  if (tn__step_is_identity(step)) {  // identities, and functions with rules of their own
    for (uint32_t i = 0; i < step->result_count; ++i) {
      out[i].array = r->operands[i].array;
      out[i].map = r->operands[i].map;
    }
    return TN_OK;
  }
  if (step->op == TN__OP(broadcast_in_dim)) return note_broadcast(r, step, &r->operands[0], out);
  TN_RETURN_IF_ERROR(is_elementwise(step) ? do_elementwise(r, step, values, out)
                                          : do_other(r, step, values));
  for (uint32_t i = 0; i < step->result_count; ++i) {
    out[i].array = r->results[i];
    TN_RETURN_IF_ERROR(tn_array_status(out[i].array));
    // Whoever defines the operation may think of other dimensions.
    const size_t rank = out[i].map ? out[i].array->rank : values[i]->rank;
    if (out[i].array->rank != rank || out[i].array->dtype != values[i]->dtype) {
      return refuse(step, values[i], out[i].array, "its result is another one");
    }
  }
  return TN_OK;
}

static tn_status_t allocate(tn_replay_t* r) {
  size_t operand_limit = 1, result_limit = 1;
  void* memory = NULL;
  for (size_t i = 0; i < r->tape->step_count; ++i) {
    const tn_step_t* step = r->tape->steps[i].step;
    if (step->operand_count > operand_limit) operand_limit = step->operand_count;
    if (step->result_count > result_limit) result_limit = step->result_count;
  }
  TN_RETURN_IF_ERROR(tn__arena_allocate_array(&r->arena, r->tape->value_count + operand_limit,
                                              sizeof(tn_shaped_t), &memory));
  r->values = memory;
  r->operands = r->values + r->tape->value_count;
  TN_RETURN_IF_ERROR(tn__arena_allocate_array(&r->arena, operand_limit + result_limit,
                                              sizeof(tn_array_t*), &memory));
  r->list = memory;
  r->results = r->list + operand_limit;
  return TN_OK;
}

static tn_status_t replay(tn_replay_t* r, tn_array_t* const* inputs,
                          tn_array_t* const* recorded_outputs, tn_array_t** out_outputs) {
  const tn_tape_t* tape = r->tape;
  TN_RETURN_IF_ERROR(allocate(r));
  const size_t first = tape->step_count ? tape->steps[0].first_result : tape->value_count;
  for (size_t i = 0; i < first; ++i) {
    r->values[i] = (tn_shaped_t){.array = inputs[i], .recorded = tape->values[i]};
  }
  for (size_t i = 0; i < tape->step_count; ++i) TN_RETURN_IF_ERROR(do_step(r, &tape->steps[i]));
  for (size_t i = 0; i < tape->output_count; ++i) {
    tn_shaped_t output;
    if (tape->outputs[i] == TN_TAPE_CONSTANT) {
      TN_RETURN_IF_ERROR(take_constant(r, recorded_outputs[i], &output));
    } else {
      output = r->values[tape->outputs[i]];
    }
    const tn_step_t* step = recorded_outputs[i]->step;
    if (output.map && step) {
      TN_RETURN_IF_ERROR(settle(r, step, &output, &out_outputs[i]));
    } else {
      out_outputs[i] = output.array;
    }
  }
  return TN_OK;
}

tn_status_t tn__tape_replay(const tn_tape_t* tape, tn_scope_t* scope, tn_array_t* const* inputs,
                            tn_array_t* const* recorded_outputs, tn_array_t** out_outputs) {
  tn_replay_t r = {.tape = tape, .scope = scope};
  tn__arena_init(&r.arena, tape->allocator);
  tn_status_t status = replay(&r, inputs, recorded_outputs, out_outputs);
  tn__arena_deinit(&r.arena);
  return status;
}
