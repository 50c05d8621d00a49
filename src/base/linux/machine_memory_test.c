// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "base/linux/machine_memory.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/testing.h"

typedef struct tree {
  char root[64];
} tree_t;

static void make_folders(char* path) {
  for (char* slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
    *slash = 0;
    mkdir(path, 0700);
    *slash = '/';
  }
}

static void put(const tree_t* tree, const char* name, const char* text) {
  char path[512];
  snprintf(path, sizeof path, "%s/%s", tree->root, name);
  make_folders(path);
  FILE* file = fopen(path, "w");
  assert_non_null(file);
  fputs(text, file);
  fclose(file);
}

static void begin(tree_t* tree) {
  snprintf(tree->root, sizeof tree->root, "/tmp/tenon-cgroup-XXXXXX");
  assert_non_null(mkdtemp(tree->root));
}

static int remove_entry(const char* path, const struct stat* status, int type,
                        struct FTW* position) {
  (void)status, (void)type, (void)position;
  return remove(path);
}

static void end(const tree_t* tree) {
  enum { OPEN_FOLDERS = 8 };
  assert_int_equal(nftw(tree->root, remove_entry, OPEN_FOLDERS, FTW_DEPTH | FTW_PHYS), 0);
}

static void the_least_limit_of_a_group_and_its_ancestors_counts(void** state) {
  (void)state;
  tree_t tree;
  begin(&tree);
  put(&tree, "proc/self/cgroup", "0::/user/service\n");
  put(&tree, "sys/fs/cgroup/user/memory.max", "1000000\n");
  put(&tree, "sys/fs/cgroup/user/service/memory.max", "max\n");
  assert_int_equal(tn__cgroup_memory_limit(tree.root), 1000000);
  put(&tree, "sys/fs/cgroup/user/service/memory.max", "4096\n");
  assert_int_equal(tn__cgroup_memory_limit(tree.root), 4096);
  end(&tree);
}

static void groups_of_version_1_are_read(void** state) {
  (void)state;
  tree_t tree;
  begin(&tree);
  put(&tree, "proc/self/cgroup", "7:cpu,memory:/job\n3:cpuset:/other\n0::/\n");
  put(&tree, "sys/fs/cgroup/memory/job/memory.limit_in_bytes", "123456\n");
  put(&tree, "sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  assert_int_equal(tn__cgroup_memory_limit(tree.root), 123456);
  end(&tree);
}

static void a_container_shows_its_group_as_the_root(void** state) {
  (void)state;
  tree_t tree;
  begin(&tree);
  put(&tree, "proc/self/cgroup", "0::/docker/of/the/machine\n");
  put(&tree, "sys/fs/cgroup/memory.max", "77\n");
  assert_int_equal(tn__cgroup_memory_limit(tree.root), 77);
  end(&tree);
}

static void without_groups_there_is_no_limit(void** state) {
  (void)state;
  tree_t tree;
  begin(&tree);
  assert_true(tn__cgroup_memory_limit(tree.root) == SIZE_MAX);
  put(&tree, "proc/self/cgroup", "no colons\n:\n0::/x\n");
  assert_true(tn__cgroup_memory_limit(tree.root) == SIZE_MAX);
  end(&tree);
}

static void the_machine_has_memory(void** state) {
  (void)state;
  assert_true(tn__machine_memory() > (size_t)1 << 26);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_least_limit_of_a_group_and_its_ancestors_counts),
      cmocka_unit_test(groups_of_version_1_are_read),
      cmocka_unit_test(a_container_shows_its_group_as_the_root),
      cmocka_unit_test(without_groups_there_is_no_limit),
      cmocka_unit_test(the_machine_has_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
