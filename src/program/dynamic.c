#include "program/dynamic.h"

#include "base/type.h"
#include "ops/rule.h"

// A set of sizes, and its program.
typedef struct variant {
  tn_program_t* program;  // retained
  const int64_t** dims;   // by argument; the program's own
  uint64_t last_use;
} variant_t;

struct tn_dynamic {
  const tn_function_t* function;
  tn_compile_options_t options;
  tn_string_view_t name;  // of the function, for the options
  // Under the program's mutex:
  size_t count;
  uint64_t use_count;
  variant_t variants[TN_DYNAMIC_LIMIT];
};

bool tn__function_is_dynamic(const tn_function_t* function) {
  for (uint32_t i = 0; i < function->argument_count; ++i) {
    if (!tn__type_is_static(function->argument_types[i])) return true;
  }
  return false;
}

static tn_status_t check_tensor(const tn_function_t* function, const char* what, uint32_t index,
                                const tn_type_t* type) {
  if (tn__type_is_tensor(type)) return TN_OK;
  return tn__function_locate(
      function,
      tn_status_create(TN_CODE_UNIMPLEMENTED,
                       "%s %u has type %s; a function whose sizes are known when it runs takes and "
                       "gives tensors alone",
                       what, index, TN_TYPE_TEXT(type)));
}

tn_status_t tn__dynamic_create(tn_program_t* program, const tn_function_t* function,
                               const tn_compile_options_t* options) {
  void* memory = NULL;
  for (uint32_t i = 0; i < function->argument_count; ++i) {
    TN_RETURN_IF_ERROR(check_tensor(function, "argument", i, function->argument_types[i]));
  }
  for (uint32_t i = 0; i < function->result_count; ++i) {
    TN_RETURN_IF_ERROR(check_tensor(function, "result", i, function->result_types[i]));
  }
  TN_RETURN_IF_ERROR(tn__arena_allocate(&program->arena, sizeof(tn_dynamic_t), &memory));
  tn_dynamic_t* dynamic = memory;
  TN_RETURN_IF_ERROR(tn__arena_copy_string(&program->arena, function->name, &dynamic->name));
  dynamic->function = function;
  dynamic->options = *options;
  dynamic->options.function = dynamic->name.data;
  program->dynamic = dynamic;
  return TN_OK;
}

void tn__dynamic_destroy(tn_program_t* program) {
  tn_dynamic_t* dynamic = program->dynamic;
  for (size_t i = 0; dynamic && i < dynamic->count; ++i) {
    tn_program_release(dynamic->variants[i].program);
  }
}

const tn_function_t* tn__program_function(const tn_program_t* program) {
  return program->dynamic ? program->dynamic->function : program->units[0].plan->function;
}

static tn_status_t check_argument(const tn_program_t* program, uint32_t index,
                                  const tn_buffer_t* buffer) {
  const tn_function_t* function = program->dynamic->function;
  const tn_type_t *type = function->argument_types[index], *given = NULL;
  const tn_string_view_t name = function->body->arguments[index].name;
  if (buffer) given = tn_buffer_type(buffer);
  if (given && given->kind == TN_TYPE_TENSOR && tn__types_agree(given, type)) return TN_OK;
  return tn_status_create(TN_CODE_INVALID_ARGUMENT, "argument %u%s%.*s is %s; expected %s", index,
                          name.length ? " " : "", TN_SV(name), given ? TN_TYPE_TEXT(given) : "NULL",
                          TN_TYPE_TEXT(type));
}

static bool fits(const tn_program_t* program, const variant_t* variant,
                 tn_buffer_t* const* arguments) {
  for (uint32_t i = 0; i < program->dynamic->function->argument_count; ++i) {
    const tn_type_t* type = tn_buffer_type(arguments[i]);
    if (type->rank && memcmp(variant->dims[i], type->dims, type->rank * sizeof *type->dims) != 0) {
      return false;
    }
  }
  return true;
}

// Under the mutex. NULL when there is none.
static tn_program_t* find(tn_program_t* program, tn_buffer_t* const* arguments) {
  tn_dynamic_t* dynamic = program->dynamic;
  for (size_t i = 0; i < dynamic->count; ++i) {
    if (!fits(program, &dynamic->variants[i], arguments)) continue;
    dynamic->variants[i].last_use = ++dynamic->use_count;
    return tn_program_retain(dynamic->variants[i].program);
  }
  return NULL;
}

// Under the mutex; what gives way is in *out_old.
static void keep(tn_program_t* program, tn_program_t* made, const int64_t** dims,
                 tn_program_t** out_old) {
  tn_dynamic_t* dynamic = program->dynamic;
  size_t at = 0;
  *out_old = NULL;
  if (dynamic->count < TN_DYNAMIC_LIMIT) {
    at = dynamic->count++;
  } else {
    for (size_t i = 1; i < TN_DYNAMIC_LIMIT; ++i) {
      if (dynamic->variants[i].last_use < dynamic->variants[at].last_use) at = i;
    }
    *out_old = dynamic->variants[at].program;
  }
  dynamic->variants[at] = (variant_t){tn_program_retain(made), dims, ++dynamic->use_count};
}

// The sizes of the arguments, in the arena of the program that was made for them.
static tn_status_t list_dims(tn_program_t* made, const int64_t*** out_dims) {
  const tn_function_t* function = tn__program_function(made);
  void* memory = NULL;
  TN_RETURN_IF_ERROR(
      tn__arena_allocate_array(&made->arena, function->argument_count, sizeof(int64_t*), &memory));
  const int64_t** dims = memory;
  for (uint32_t i = 0; i < function->argument_count; ++i) {
    dims[i] = function->argument_types[i]->dims;
  }
  *out_dims = dims;
  return TN_OK;
}

static tn_status_t compile(tn_program_t* program, tn_buffer_t* const* arguments,
                           tn_program_t** out_program) {
  const tn_dynamic_t* dynamic = program->dynamic;
  const uint32_t count = dynamic->function->argument_count;
  void* memory = NULL;
  TN_RETURN_IF_ERROR(tn__allocate_array(program->allocator, count, sizeof(tn_type_t*), &memory));
  const tn_type_t** types = memory;
  for (uint32_t i = 0; i < count; ++i) types[i] = tn_buffer_type(arguments[i]);
  tn_status_t status = tn__program_compile_for(program->device, program->source, &dynamic->options,
                                               types, out_program);
  tn__free(program->allocator, memory, count * sizeof *types);
  return status;
}

tn_status_t tn__dynamic_specialise(tn_program_t* program, size_t argument_count,
                                   tn_buffer_t* const* arguments, tn_program_t** out_program) {
  const tn_function_t* function = program->dynamic->function;
  const int64_t** dims = NULL;
  tn_program_t *old = NULL, *other = NULL;
  *out_program = NULL;
  if (argument_count != function->argument_count) {
    return tn_status_create(TN_CODE_INVALID_ARGUMENT, "%zu arguments; expected %u", argument_count,
                            function->argument_count);
  }
  for (uint32_t i = 0; i < argument_count; ++i) {
    TN_RETURN_IF_ERROR(check_argument(program, i, arguments[i]));
  }
  pthread_mutex_lock(&program->mutex);
  *out_program = find(program, arguments);
  pthread_mutex_unlock(&program->mutex);
  if (*out_program) return TN_OK;
  TN_RETURN_IF_ERROR(compile(program, arguments, out_program));
  tn_status_t status = list_dims(*out_program, &dims);
  if (status) {
    tn_program_release(*out_program);
    *out_program = NULL;
    return status;
  }
  pthread_mutex_lock(&program->mutex);
  other = find(program, arguments);  // another thread may have been quicker
  if (!other) keep(program, *out_program, dims, &old);
  pthread_mutex_unlock(&program->mutex);
  tn_program_release(other);
  tn_program_release(old);
  return TN_OK;
}
