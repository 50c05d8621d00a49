# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""What `load` gives for a file with entries that are not arrays of a dtype of Tenon's, such as texts."""


class PartialArrays(dict):
    """The arrays of a file by name. Asking for an entry that is not one raises NotImplementedError, which says why."""

    def __init__(self, arrays, reasons):
        super().__init__(arrays)
        self.reasons = reasons

    def __missing__(self, name):
        if name in self.reasons:
            raise NotImplementedError(self.reasons[name])
        raise KeyError(name)
