// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "ops/attr.h"

#include "base/testing.h"
#include "base/testing_allocator.h"

static int set_up(void** state) {
  static tn_arena_t arena;
  tn__arena_init(&arena, tn_allocator_system());
  *state = &arena;
  return 0;
}

static int tear_down(void** state) {
  tn__arena_deinit(*state);
  return 0;
}

static const tn_attr_t* integer(tn_arena_t* arena, int64_t value) {
  const tn_attr_t* attr = NULL;
  TN_ASSERT_OK(tn__attr_integer(arena, TN_DTYPE_S64, value, &attr));
  return attr;
}

static tn_attr_dictionary_t one_entry(tn_arena_t* arena, const char* name, const tn_attr_t* attr) {
  const tn_named_attr_t entry = {tn__sv(name), attr};
  const tn_attr_t* dictionary = NULL;
  TN_ASSERT_OK(tn__attr_dictionary(arena, TN_ATTR_DICTIONARY, (tn_string_view_t){NULL, 0}, 1,
                                   &entry, &dictionary));
  return dictionary->dictionary;
}

static void dictionaries_sort_their_entries_and_refuse_doubles(void** state) {
  tn_arena_t* arena = *state;
  const tn_named_attr_t entries[] = {
      {TN_SV_LITERAL("b"), integer(arena, 1)},
      {TN_SV_LITERAL("B"), integer(arena, 2)},
      {TN_SV_LITERAL("ab"), integer(arena, 3)},
      {TN_SV_LITERAL("a"), integer(arena, 4)},
  };
  const tn_attr_t* attr = NULL;
  TN_ASSERT_OK(tn__attr_dictionary(arena, TN_ATTR_DICTIONARY, (tn_string_view_t){NULL, 0}, 4,
                                   entries, &attr));
  const char* const wanted[] = {"B", "a", "ab", "b"};
  for (size_t i = 0; i < 4; ++i) {
    assert_true(tn__sv_is(attr->dictionary.entries[i].name, wanted[i]));
  }
  assert_int_equal(tn__attr_get_integer(&attr->dictionary, "ab", 0), 3);
  assert_null(tn__attr_find(&attr->dictionary, "abc"));
  const tn_named_attr_t twice[] = {entries[0], entries[1], entries[0]};
  TN_ASSERT_REPORT(
      "attribute \"b\" is given twice",
      tn__attr_dictionary(arena, TN_ATTR_DICTIONARY, (tn_string_view_t){NULL, 0}, 3, twice, &attr));
  assert_null(attr);
}

static void equality_is_of_contents(void** state) {
  tn_arena_t* arena = *state;
  const int64_t values[] = {1, 2};
  const tn_attr_t *a = NULL, *b = NULL;
  assert_true(tn__attr_equal(integer(arena, 3), integer(arena, 3)));
  assert_false(tn__attr_equal(integer(arena, 3), integer(arena, 4)));
  TN_ASSERT_OK(tn__attr_integer(arena, TN_DTYPE_S32, 3, &a));
  assert_false(tn__attr_equal(a, integer(arena, 3)));
  TN_ASSERT_OK(tn__attr_float(arena, TN_DTYPE_F64, 0.0, &a));
  TN_ASSERT_OK(tn__attr_float(arena, TN_DTYPE_F64, -0.0, &b));
  assert_false(tn__attr_equal(a, b));
  TN_ASSERT_OK(tn__attr_i64_array(arena, 2, values, &a));
  TN_ASSERT_OK(tn__attr_i64_array(arena, 2, values, &b));
  assert_true(tn__attr_equal(a, b));
  TN_ASSERT_OK(tn__attr_i64_array(arena, 1, values, &b));
  assert_false(tn__attr_equal(a, b));
  const tn_attr_t* items[] = {a, b};
  TN_ASSERT_OK(tn__attr_array(arena, 2, items, &a));
  TN_ASSERT_OK(tn__attr_array(arena, 2, items, &b));
  assert_true(tn__attr_equal(a, b));
  TN_ASSERT_OK(tn__attr_text(arena, TN_ATTR_STRING, TN_SV_LITERAL("x"), &a));
  TN_ASSERT_OK(tn__attr_text(arena, TN_ATTR_SYMBOL, TN_SV_LITERAL("x"), &b));
  assert_false(tn__attr_equal(a, b));
  TN_ASSERT_OK(tn__attr_enum(arena, "precision", TN_SV_LITERAL("DEFAULT"), &a));
  TN_ASSERT_OK(tn__attr_enum(arena, "rng_algorithm", TN_SV_LITERAL("DEFAULT"), &b));
  assert_false(tn__attr_equal(a, b));
  TN_ASSERT_OK(tn__attr_type(arena, tn__type_scalar(TN_DTYPE_F32), true, &a));
  TN_ASSERT_OK(tn__attr_type(arena, tn__type_scalar(TN_DTYPE_F32), false, &b));
  assert_false(tn__attr_equal(a, b));
}

static void elements_are_copied_and_aligned(void** state) {
  tn_arena_t* arena = *state;
  const int64_t dims[] = {3};
  int32_t data[] = {1, 2, 3};
  const tn_type_t* type = NULL;
  TN_ASSERT_OK(tn__type_tensor(arena, TN_DTYPE_S32, 1, dims, &type));
  const tn_attr_t *a = NULL, *b = NULL;
  TN_ASSERT_OK(tn__attr_elements(arena, type, false, data, &a));
  TN_ASSERT_OK(tn__attr_elements(arena, type, true, data, &b));
  data[2] = 9;
  assert_int_equal(((const int32_t*)a->elements.data)[2], 3);
  assert_int_equal((uintptr_t)a->elements.data % 64, 0);
  assert_int_equal((uintptr_t)b->elements.data % 64, 0);
  assert_false(tn__attr_equal(a, b));
}

static void readers_fall_back_when_there_is_nothing(void** state) {
  tn_arena_t* arena = *state;
  const tn_attr_t* attr = NULL;
  TN_ASSERT_OK(tn__attr_bool(arena, true, &attr));
  tn_attr_dictionary_t dictionary = one_entry(arena, "flag", attr);
  assert_true(tn__attr_get_bool(&dictionary, "flag", false));
  assert_true(tn__attr_get_bool(&dictionary, "other", true));
  assert_int_equal(tn__attr_get_integer(&dictionary, "flag", 7), 7);
  assert_true(tn__attr_get_float(&dictionary, "flag", 0.5) == 0.5);
  assert_null(tn__attr_get_string(&dictionary, "flag").data);
  TN_ASSERT_OK(tn__attr_float(arena, TN_DTYPE_F32, 0.25, &attr));
  dictionary = one_entry(arena, "x", attr);
  assert_true(tn__attr_get_float(&dictionary, "x", 0) == 0.25);
  TN_ASSERT_OK(tn__attr_text(arena, TN_ATTR_SYMBOL, TN_SV_LITERAL("f"), &attr));
  dictionary = one_entry(arena, "callee", attr);
  assert_true(tn__sv_is(tn__attr_get_string(&dictionary, "callee"), "f"));
}

static void lists_of_items_become_arrays_of_integers_or_booleans(void** state) {
  tn_arena_t* arena = *state;
  const tn_attr_t *truth = NULL, *array = NULL, *list = NULL, *expected = NULL;
  const int64_t values[] = {2, -1};
  TN_ASSERT_OK(tn__attr_bool(arena, true, &truth));
  const tn_attr_t* items[] = {integer(arena, 2), integer(arena, -1), truth};
  for (size_t count = 0; count <= 2; count += 2) {
    TN_ASSERT_OK(tn__attr_array(arena, count, items, &array));
    TN_ASSERT_OK(tn__attr_list_of_items(arena, array, &list));
    TN_ASSERT_OK(tn__attr_i64_array(arena, count, values, &expected));
    assert_true(tn__attr_equal(list, expected));
  }
  TN_ASSERT_OK(tn__attr_array(arena, 1, &truth, &array));
  TN_ASSERT_OK(tn__attr_list_of_items(arena, array, &list));
  TN_ASSERT_OK(tn__attr_dense_array(arena, TN_DTYPE_PRED, 1, &(uint8_t){1}, &expected));
  assert_true(tn__attr_equal(list, expected));
  TN_ASSERT_OK(tn__attr_array(arena, 3, items, &array));
  TN_ASSERT_OK(tn__attr_list_of_items(arena, array, &list));
  assert_null(list);
}

static void lists_read_alike_however_they_are_written(void** state) {
  tn_arena_t* arena = *state;
  const int64_t values[] = {2, -1, 0}, dims[] = {3};
  const int32_t narrow[] = {2, -1, 0};
  const uint8_t bits[] = {1, 0, 1};
  const tn_type_t *type = NULL, *narrow_type = NULL;
  TN_ASSERT_OK(tn__type_tensor(arena, TN_DTYPE_S64, 1, dims, &type));
  TN_ASSERT_OK(tn__type_tensor(arena, TN_DTYPE_S32, 1, dims, &narrow_type));
  const tn_attr_t* spellings[4] = {NULL};
  TN_ASSERT_OK(tn__attr_i64_array(arena, 3, values, &spellings[0]));
  TN_ASSERT_OK(tn__attr_elements(arena, type, false, values, &spellings[1]));
  TN_ASSERT_OK(tn__attr_elements(arena, narrow_type, false, narrow, &spellings[2]));
  const tn_attr_t* items[] = {integer(arena, 2), integer(arena, -1), integer(arena, 0)};
  TN_ASSERT_OK(tn__attr_array(arena, 3, items, &spellings[3]));
  tn_i64_list_t list;
  for (size_t i = 0; i < 4; ++i) {
    tn_attr_dictionary_t dictionary = one_entry(arena, "dims", spellings[i]);
    TN_ASSERT_OK(tn__attr_get_i64_list(&dictionary, "dims", arena, &list));
    assert_true(list.present);
    assert_int_equal(list.count, 3);
    assert_memory_equal(list.values, values, sizeof values);
  }
  const tn_attr_t* attr = NULL;
  TN_ASSERT_OK(tn__attr_dense_array(arena, TN_DTYPE_PRED, 3, bits, &attr));
  tn_attr_dictionary_t dictionary = one_entry(arena, "dims", attr);
  TN_ASSERT_OK(tn__attr_get_i64_list(&dictionary, "dims", arena, &list));
  assert_int_equal(list.values[0] + list.values[1] + list.values[2], 2);
  TN_ASSERT_OK(tn__attr_get_i64_list(&dictionary, "other", arena, &list));
  assert_false(list.present);
  assert_int_equal(list.count, 0);
}

static void splats_expand_but_not_without_end(void** state) {
  tn_arena_t* arena = *state;
  const int64_t value = 5;
  int64_t dims[] = {4};
  const tn_type_t* type = NULL;
  const tn_attr_t* attr = NULL;
  tn_i64_list_t list;
  TN_ASSERT_OK(tn__type_tensor(arena, TN_DTYPE_S64, 1, dims, &type));
  TN_ASSERT_OK(tn__attr_elements(arena, type, true, &value, &attr));
  tn_attr_dictionary_t dictionary = one_entry(arena, "strides", attr);
  TN_ASSERT_OK(tn__attr_get_i64_list(&dictionary, "strides", arena, &list));
  assert_int_equal(list.count, 4);
  assert_int_equal(list.values[3], 5);
  dims[0] = (int64_t)1 << 50;
  TN_ASSERT_OK(tn__type_tensor(arena, TN_DTYPE_S64, 1, dims, &type));
  TN_ASSERT_OK(tn__attr_elements(arena, type, true, &value, &attr));
  dictionary = one_entry(arena, "strides", attr);
  TN_ASSERT_CODE(INVALID_ARGUMENT, tn__attr_get_i64_list(&dictionary, "strides", arena, &list));
}

static void what_is_no_list_of_integers_is_said(void** state) {
  tn_arena_t* arena = *state;
  const tn_attr_t* attr = NULL;
  tn_i64_list_t list;
  TN_ASSERT_OK(tn__attr_unit(arena, &attr));
  tn_attr_dictionary_t dictionary = one_entry(arena, "dims", attr);
  TN_ASSERT_REPORT("attribute \"dims\" is a unit attribute; expected a list of integers",
                   tn__attr_get_i64_list(&dictionary, "dims", arena, &list));
  const tn_attr_t* items[] = {integer(arena, 1), attr};
  TN_ASSERT_OK(tn__attr_array(arena, 2, items, &attr));
  dictionary = one_entry(arena, "dims", attr);
  TN_ASSERT_REPORT("attribute \"dims\" [1] is a unit attribute; expected an integer",
                   tn__attr_get_i64_list(&dictionary, "dims", arena, &list));
  const float reals[] = {1, 2};
  TN_ASSERT_OK(tn__attr_dense_array(arena, TN_DTYPE_F32, 2, reals, &attr));
  dictionary = one_entry(arena, "dims", attr);
  TN_ASSERT_REPORT("attribute \"dims\" has elements of type f32; expected integers",
                   tn__attr_get_i64_list(&dictionary, "dims", arena, &list));
}

// What the copy is of is overwritten: lists, names and texts in it are the copy's own.
static void copies_share_nothing_and_are_sorted(void** state) {
  tn_arena_t* arena = *state;
  char text[] = "abc", name[] = "text";
  int64_t values[] = {1, 2};
  const tn_attr_t string = {.kind = TN_ATTR_STRING, .string = {text, 3}};
  const tn_attr_t number = {.kind = TN_ATTR_INTEGER, .dtype = TN_DTYPE_S64, .integer = 7};
  const tn_attr_t* items[] = {&number, &string};
  const tn_attr_t array = {.kind = TN_ATTR_ARRAY, .array = {.count = 2, .items = items}};
  const tn_named_attr_t field = {TN_SV_LITERAL("field"), &array};
  const tn_named_attr_t entries[] = {
      {{name, 4}, &string},
      TN_I64_LIST_ATTR("list", 2, values),
      TN_STRUCT_ATTR("inner", "tenon.struct", 1, &field),
  };
  for (int is_counted = 0; is_counted < 2; ++is_counted) {
    const tn_attr_dictionary_t given = {3, entries};
    tn_attr_dictionary_t copy;
    text[0] = 'a';
    name[0] = 't';
    values[0] = 1;
    TN_ASSERT_OK(tn__attr_dictionary_copy(arena, is_counted, &given, &copy));
    text[0] = name[0] = '!';
    values[0] = 9;
    assert_int_equal(copy.count, 3);
    const char* const wanted[] = {"inner", "list", "text"};
    for (size_t i = 0; i < 3; ++i) assert_true(tn__sv_is(copy.entries[i].name, wanted[i]));
    assert_true(tn__sv_is(copy.entries[2].attr->string, "abc"));
    tn_i64_list_t list;
    TN_ASSERT_OK(tn__attr_get_i64_list(&copy, "list", arena, &list));
    assert_int_equal(list.values[0], 1);
    const tn_attr_t* inner = copy.entries[0].attr;
    assert_true(tn__sv_is(inner->name, "tenon.struct"));
    const tn_attr_t* copied = inner->dictionary.entries[0].attr;
    assert_int_equal(copied->array.items[0]->integer, 7);
    assert_true(tn__sv_is(copied->array.items[1]->string, "abc"));
    assert_int_equal(copied->depth, is_counted ? 1 : 0);
    assert_int_equal(inner->depth, is_counted ? 2 : 0);
  }
}

static void copies_of_dictionaries_are_empty_or_refuse_doubles(void** state) {
  tn_arena_t* arena = *state;
  const tn_attr_t number = {.kind = TN_ATTR_INTEGER, .dtype = TN_DTYPE_S64, .integer = 7};
  const tn_named_attr_t twice[] = {{TN_SV_LITERAL("a"), &number}, {TN_SV_LITERAL("a"), &number}};
  const tn_attr_dictionary_t none = {0}, doubled = {2, twice};
  tn_attr_dictionary_t copy;
  TN_ASSERT_OK(tn__attr_dictionary_copy(arena, false, &none, &copy));
  assert_int_equal(copy.count, 0);
  TN_ASSERT_REPORT("attribute \"a\" is given twice",
                   tn__attr_dictionary_copy(arena, false, &doubled, &copy));
  assert_int_equal(copy.count, 0);
}

static tn_status_t copy_with(const tn_allocator_t* allocator, void* dictionary) {
  tn_arena_t arena;
  tn_attr_dictionary_t copy;
  tn__arena_init(&arena, allocator);
  tn_status_t status = tn__attr_dictionary_copy(&arena, true, dictionary, &copy);
  tn__arena_deinit(&arena);
  return status;
}

static void a_copy_without_memory_is_an_error(void** state) {
  (void)state;
  const tn_attr_t string = {.kind = TN_ATTR_STRING, .string = TN_SV_LITERAL("abc")};
  const tn_named_attr_t field = {TN_SV_LITERAL("field"), &string};
  const tn_named_attr_t entry = TN_STRUCT_ATTR("inner", "tenon.struct", 1, &field);
  tn_attr_dictionary_t dictionary = {1, &entry};
  tn__testing_sweep_allocations(copy_with, &dictionary);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(dictionaries_sort_their_entries_and_refuse_doubles, set_up,
                                      tear_down),
      cmocka_unit_test_setup_teardown(equality_is_of_contents, set_up, tear_down),
      cmocka_unit_test_setup_teardown(elements_are_copied_and_aligned, set_up, tear_down),
      cmocka_unit_test_setup_teardown(readers_fall_back_when_there_is_nothing, set_up, tear_down),
      cmocka_unit_test_setup_teardown(lists_of_items_become_arrays_of_integers_or_booleans, set_up,
                                      tear_down),
      cmocka_unit_test_setup_teardown(lists_read_alike_however_they_are_written, set_up, tear_down),
      cmocka_unit_test_setup_teardown(splats_expand_but_not_without_end, set_up, tear_down),
      cmocka_unit_test_setup_teardown(what_is_no_list_of_integers_is_said, set_up, tear_down),
      cmocka_unit_test_setup_teardown(copies_share_nothing_and_are_sorted, set_up, tear_down),
      cmocka_unit_test_setup_teardown(copies_of_dictionaries_are_empty_or_refuse_doubles, set_up,
                                      tear_down),
      cmocka_unit_test(a_copy_without_memory_is_an_error),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
