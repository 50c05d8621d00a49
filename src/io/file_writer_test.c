// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Files are replaced as a whole or not at all.
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <tenon/npy.h>
#include <tenon/tenon.h>
#include <unistd.h>

#include "base/testing.h"

static char folder[64], path[96];

static int set_up(void** state) {
  (void)state;
  snprintf(folder, sizeof folder, "/tmp/tenon_file_writer_test_XXXXXX");
  if (!mkdtemp(folder)) return -1;
  snprintf(path, sizeof path, "%s/file", folder);
  return 0;
}

static int tear_down(void** state) {
  (void)state;
  DIR* files = opendir(folder);
  for (struct dirent* entry = NULL; files && (entry = readdir(files));) {
    unlinkat(dirfd(files), entry->d_name, 0);
  }
  if (files) closedir(files);
  return rmdir(folder);
}

static void expect_contents(const char* name, const char* wanted) {
  char found[64] = {0};
  FILE* file = fopen(name, "rb");
  assert_non_null(file);
  found[fread(found, 1, sizeof found - 1, file)] = 0;
  fclose(file);
  assert_string_equal(found, wanted);
}

static size_t count_files(void) {
  size_t count = 0;
  DIR* files = opendir(folder);
  assert_non_null(files);
  for (struct dirent* entry = NULL; (entry = readdir(files));) count += *entry->d_name != '.';
  closedir(files);
  return count;
}

static tn_file_writer_t* begin(const char* text) {
  tn_file_writer_t* writer = NULL;
  TN_ASSERT_OK(tn_file_writer_create(path, &writer));
  TN_ASSERT_OK(tn_file_writer_write(writer, text, strlen(text)));
  return writer;
}

static void put_old(void) {
  TN_ASSERT_OK(tn_file_writer_commit(begin("old")));
  expect_contents(path, "old");
}

static void the_old_file_stays_until_the_new_one_is_complete(void** state) {
  (void)state;
  put_old();
  tn_file_writer_t* writer = begin("new");
  expect_contents(path, "old");
  assert_int_equal(count_files(), 2);
  TN_ASSERT_OK(tn_file_writer_commit(writer));
  expect_contents(path, "new");
  tn_file_writer_discard(begin("half"));
  tn_file_writer_discard(NULL);
  expect_contents(path, "new");
  assert_int_equal(count_files(), 1);
}

// A limit of the size of files stands for a disk that is full.
static void a_full_disk_leaves_the_old_file(void** state) {
  (void)state;
  enum { LIMIT = 1 << 16 };
  static char bytes[4 * LIMIT];
  struct rlimit old;
  put_old();
  assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
  const struct rlimit small = {LIMIT, old.rlim_max};
  void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
  tn_file_writer_t* writer = begin("new");
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
  tn_status_t status = tn_file_writer_write(writer, bytes, sizeof bytes);
  tn_status_release(status);
  status = tn_file_writer_commit(writer);
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
  signal(SIGXFSZ, handler);
  assert_int_equal(tn_status_code(status), TN_CODE_DATA_LOSS);
  tn_status_release(status);
  expect_contents(path, "old");
  assert_int_equal(count_files(), 1);
}

static void permissions_and_links_stay(void** state) {
  (void)state;
  char link_path[96];
  struct stat about;
  put_old();
  assert_int_equal(chmod(path, 0640), 0);
  snprintf(link_path, sizeof link_path, "%s/link", folder);
  assert_int_equal(symlink("file", link_path), 0);
  tn_file_writer_t* writer = NULL;
  TN_ASSERT_OK(tn_file_writer_create(link_path, &writer));
  TN_ASSERT_OK(tn_file_writer_write(writer, "new", 3));
  TN_ASSERT_OK(tn_file_writer_commit(writer));
  expect_contents(path, "new");
  assert_int_equal(lstat(link_path, &about), 0);
  assert_true(S_ISLNK(about.st_mode));
  assert_int_equal(stat(path, &about), 0);
  assert_int_equal(about.st_mode & 07777, 0640);
}

static void new_files_have_the_permissions_of_new_files(void** state) {
  (void)state;
  struct stat about;
  const mode_t mask = umask(022);
  put_old();
  umask(mask);
  assert_int_equal(stat(path, &about), 0);
  assert_int_equal(about.st_mode & 07777, 0644);
}

static void a_file_of_the_longest_name_can_be_written(void** state) {
  (void)state;
  char name[255 + 1], whole[512];
  memset(name, 'x', sizeof name - 1);
  name[sizeof name - 1] = 0;
  snprintf(whole, sizeof whole, "%s/%s", folder, name);
  tn_file_writer_t* writer = NULL;
  TN_ASSERT_OK(tn_file_writer_create(whole, &writer));
  TN_ASSERT_OK(tn_file_writer_commit(writer));
  assert_int_equal(access(whole, R_OK), 0);
}

static void what_cannot_be_written_is_told(void** state) {
  (void)state;
  tn_file_writer_t* writer = NULL;
  TN_ASSERT_CODE(NOT_FOUND, tn_file_writer_create("/nowhere/x", &writer));
  assert_null(writer);
  TN_ASSERT_CODE(PERMISSION_DENIED, tn_file_writer_create(folder, &writer));
  TN_ASSERT_CODE(INVALID_ARGUMENT, tn_file_writer_create(NULL, &writer));
  put_old();
  assert_int_equal(chmod(path, 0444), 0);
  if (geteuid()) TN_ASSERT_CODE(PERMISSION_DENIED, tn_file_writer_create(path, &writer));
}

// Not by a file beside it in /dev.
static void devices_are_written_themselves(void** state) {
  (void)state;
  tn_file_writer_t* writer = NULL;
  TN_ASSERT_OK(tn_file_writer_create("/dev/full", &writer));
  assert_true(tn_file_writer_descriptor(writer) >= 0);
  TN_ASSERT_OK(tn_file_writer_write(writer, "x", 1));
  TN_ASSERT_REPORT("No space left on device", tn_file_writer_commit(writer));
  TN_ASSERT_OK(tn_file_writer_create("/dev/null", &writer));
  TN_ASSERT_OK(tn_file_writer_write(writer, "x", 1));
  TN_ASSERT_OK(tn_file_writer_commit(writer));
}

// The same for arrays: a buffer without contents is an error before the old file is touched.
static void buffers_without_contents_leave_the_old_file(void** state) {
  (void)state;
  tn_device_t* device = NULL;
  tn_module_t* module = NULL;
  tn_program_t* program = NULL;
  tn_buffer_t *gone = NULL, *output = NULL;
  const float values[] = {1, 2};
  const char text[] =
      "func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {\n"
      "  %0 = stablehlo.add %a, %a : tensor<2xf32>\n  return %0 : tensor<2xf32>\n}\n";
  TN_ASSERT_OK(tn_device_create("cpu", NULL, &device));
  TN_ASSERT_OK(tn_buffer_create_from_host(device, TN_DTYPE_F32, 1, (int64_t[]){2}, values,
                                          sizeof values, &gone));
  TN_ASSERT_OK(tn_module_parse(NULL, "m", text, strlen(text), &module));
  TN_ASSERT_OK(tn_program_compile(device, module, NULL, &program));
  const tn_run_options_t options = {.struct_size = sizeof options, .donated = &(bool){true}};
  TN_ASSERT_OK(tn_program_run(program, 1, &gone, &options, 1, &output));
  const char* const names[] = {"kept", "gone"};
  tn_buffer_t* const both[] = {output, gone};
  put_old();
  TN_ASSERT_CODE(FAILED_PRECONDITION, tn_npy_write(path, gone));
  TN_ASSERT_CODE(FAILED_PRECONDITION, tn_npz_write(path, 2, names, both));
  TN_ASSERT_CODE(FAILED_PRECONDITION, tn_safetensors_write(path, 2, names, both));
  expect_contents(path, "old");
  assert_int_equal(count_files(), 1);
  tn_buffer_release(gone);
  tn_buffer_release(output);
  tn_program_release(program);
  tn_module_release(module);
  tn_device_release(device);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
  const struct CMUnitTest tests[] = {
      TEST(the_old_file_stays_until_the_new_one_is_complete),
      TEST(a_full_disk_leaves_the_old_file),
      TEST(permissions_and_links_stay),
      TEST(new_files_have_the_permissions_of_new_files),
      TEST(a_file_of_the_longest_name_can_be_written),
      TEST(what_cannot_be_written_is_told),
      TEST(devices_are_written_themselves),
      TEST(buffers_without_contents_leave_the_old_file),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
