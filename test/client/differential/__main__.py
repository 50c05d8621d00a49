# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from differential.command import main  # noqa: E402

sys.exit(main())
