// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "device/disk_cache.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/testing.h"

static char root[64], folder[96];

static int setup(void** state) {
  (void)state;
  snprintf(root, sizeof root, "/tmp/tenon_disk_cache_XXXXXX");
  if (!mkdtemp(root)) return -1;
  snprintf(folder, sizeof folder, "%s/a/b", root);
  return 0;
}

// The one file that is there.
static void find_file(char* out_path, size_t capacity) {
  DIR* list = opendir(folder);
  *out_path = '\0';
  for (struct dirent* entry; list && (entry = readdir(list));) {
    if (*entry->d_name != '.') snprintf(out_path, capacity, "%s/%s", folder, entry->d_name);
  }
  if (list) closedir(list);
}

static int teardown(void** state) {
  char path[400];
  (void)state;
  for (find_file(path, sizeof path); *path; find_file(path, sizeof path)) unlink(path);
  rmdir(folder);
  snprintf(path, sizeof path, "%s/a", root);
  rmdir(path);
  return rmdir(root);
}

static void expect(const char* key, const char* wanted) {
  char* bytes = NULL;
  size_t size = 0;
  assert_int_equal(tn__disk_cache_read(folder, key, &bytes, &size), wanted != NULL);
  if (wanted) {
    assert_int_equal(size, strlen(wanted));
    assert_memory_equal(bytes, wanted, size);
  } else {
    assert_null(bytes);
  }
  free(bytes);
}

static void what_was_written_is_found_by_its_key_alone(void** state) {
  (void)state;
  expect("key", NULL);
  tn__disk_cache_write(folder, TN_DISK_CACHE_LIMIT, "key", "bytes", 5);
  tn__disk_cache_write(folder, TN_DISK_CACHE_LIMIT, "other key", "", 0);
  expect("key", "bytes");
  expect("other key", "");
  expect("third key", NULL);
  tn__disk_cache_write(folder, TN_DISK_CACHE_LIMIT, "key", "others", 6);
  expect("key", "others");
}

static void nothing_is_kept_without_a_folder(void** state) {
  char* bytes = NULL;
  size_t size = 0;
  (void)state;
  tn__disk_cache_write("", TN_DISK_CACHE_LIMIT, "key", "bytes", 5);
  assert_false(tn__disk_cache_read("", "key", &bytes, &size));
  tn__disk_cache_write("/dev/null/a", TN_DISK_CACHE_LIMIT, "key", "bytes", 5);
  assert_false(tn__disk_cache_read("/dev/null/a", "key", &bytes, &size));
}

static void a_folder_is_the_users_own(void** state) {
  struct stat facts;
  (void)state;
  tn__disk_cache_write(folder, TN_DISK_CACHE_LIMIT, "key", "bytes", 5);
  assert_int_equal(stat(folder, &facts), 0);
  assert_int_equal(facts.st_mode & 0777, 0700);
  assert_int_equal(chmod(folder, 0777), 0);
  expect("key", NULL);
  tn__disk_cache_write(folder, TN_DISK_CACHE_LIMIT, "key", "others", 6);
  assert_int_equal(chmod(folder, 0700), 0);
  expect("key", "bytes");
}

// Cut off or changed at any byte.
static void a_file_that_is_damaged_is_not_read(void** state) {
  char path[400];
  (void)state;
  tn__disk_cache_write(folder, TN_DISK_CACHE_LIMIT, "key", "bytes", 5);
  find_file(path, sizeof path);
  char whole[256];
  FILE* file = fopen(path, "rb");
  const size_t size = fread(whole, 1, sizeof whole, file);
  fclose(file);
  for (size_t i = 0; i < 2 * size; ++i) {
    const bool is_cut = i >= size;
    file = fopen(path, "wb");
    if (!is_cut) whole[i] ^= 1;
    fwrite(whole, 1, is_cut ? i - size : size, file);
    if (!is_cut) whole[i] ^= 1;
    fclose(file);
    expect("key", NULL);
  }
  file = fopen(path, "wb");
  fwrite(whole, 1, size, file);
  fclose(file);
  expect("key", "bytes");
}

// Of files of about 1 KiB.
static void what_was_used_longest_ago_makes_room(void** state) {
  static const char bytes[1000];
  static const char* const keys[] = {"one", "two", "three", "four"};
  const struct timespec long_ago[2] = {{.tv_sec = 1}, {.tv_sec = 1}};
  char path[400];
  (void)state;
  tn__disk_cache_write(folder, TN_DISK_CACHE_LIMIT, keys[0], bytes, sizeof bytes);
  find_file(path, sizeof path);
  assert_int_equal(utimensat(AT_FDCWD, path, long_ago, 0), 0);
  usleep(10000);  // times of files have the resolution of the kernel's clock
  tn__disk_cache_write(folder, TN_DISK_CACHE_LIMIT, keys[1], bytes, sizeof bytes);
  usleep(10000);
  tn__disk_cache_write(folder, TN_DISK_CACHE_LIMIT, keys[2], bytes, sizeof bytes);
  usleep(10000);
  char* found = NULL;
  size_t size = 0;
  assert_true(tn__disk_cache_read(folder, keys[0], &found, &size));  // it is the latest now
  free(found);
  snprintf(path, sizeof path, "%s/of the user's own", folder);
  fclose(fopen(path, "w"));
  usleep(10000);
  tn__disk_cache_write(folder, 3 * (sizeof bytes + 100), keys[3], bytes, sizeof bytes);
  for (size_t i = 0; i < 4; ++i) {
    found = NULL;
    assert_int_equal(tn__disk_cache_read(folder, keys[i], &found, &size), i != 1);
    free(found);
  }
  assert_int_equal(access(path, F_OK), 0);
  tn__disk_cache_write(folder, 0, "key", bytes, sizeof bytes);
  expect("key", NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(what_was_written_is_found_by_its_key_alone, setup, teardown),
      cmocka_unit_test(nothing_is_kept_without_a_folder),
      cmocka_unit_test_setup_teardown(a_folder_is_the_users_own, setup, teardown),
      cmocka_unit_test_setup_teardown(a_file_that_is_damaged_is_not_read, setup, teardown),
      cmocka_unit_test_setup_teardown(what_was_used_longest_ago_makes_room, setup, teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
