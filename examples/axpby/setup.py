# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

from setuptools import setup
from tenon import extension

setup(
    ext_modules=[extension.Extension("axpby.axpby", ["axpby.c"])],
    cmdclass={"build_ext": extension.BuildExtension},
)
