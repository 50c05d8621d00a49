# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

import pytest

import command


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    return command.make_folder(tmp_path_factory.mktemp("tenon"))
