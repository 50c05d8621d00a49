// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// What the records of zip files begin with.
#ifndef TENON_IO_ZIP_H_
#define TENON_IO_ZIP_H_

enum {
  TN_ZIP_LOCAL = 0x04034b50,
  TN_ZIP_ENTRY = 0x02014b50,
  TN_ZIP_END = 0x06054b50,
  TN_ZIP_END_64 = 0x06064b50,
  TN_ZIP_LOCATOR_64 = 0x07064b50,
};

#endif  // TENON_IO_ZIP_H_
