# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""Classifies the test images in Python, and counts those that are right: python classify.py libdigits.so"""

import pathlib
import sys

import tenon
import tenon.core as tn

folder = pathlib.Path(__file__).parent
tenon.ops.load(sys.argv[1])
program = tenon.load(folder / "digits.mlir")
images, labels = tn.load(str(folder / "images.npy")), tn.load(str(folder / "labels.npy"))
predictions, probabilities = program(images)
right = tn.sum(predictions == labels).item()
print(f"{right} of {labels.size} images are classified correctly")
