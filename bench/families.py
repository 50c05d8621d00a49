# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""Ten families of kernels and five of models: the rows of ledger.py and of models.py that docs/performance.md puts together."""

import re

KERNELS = {
    "elementwise": r"a x \+ b y|gelu|(exp|tanh|logistic|log1p|sin|erf|power) of",
    "softmax, normalisation": r"softmax of|logsumexp|(layer|RMS|group) norm",
    "reductions, cumulative sums": r"sums? (rows|columns|all|of squares)|sums of|max rows|argmax|mean squared|cumsum|scan of",
    "matrix products, attention": r"dot |attention|one row|8 rows|MLP|gradient of that MLP|.* times (a vector|10x3|3x3)|outer product",
    "convolution, pooling": r"convolution|(max|sum) pool|gradient of (max pool|it|that by)",
    "transposes": r"transpose",
    "gather, scatter": r"gather|scatter|take_along|segment|bilinear|histogram",
    "sorting": r"(arg)?sort",
    "Fourier transforms, random numbers": r"r?fft|normal random",
    "loops of small operations": r"loop of",
}
MODELS = {
    "images": r"ResNet|MobileNet|ViT|U-Net",
    "language, speech": r"BERT|GPT|T5|Whisper",
    "sequences, graphs": r"Mamba|LSTM|graph",
    "statistics": r"HMC|Gaussian|Sinkhorn",
    "simulation": r"rigid|fluid|neural ODE|stiff",
}


def grouped(families, rows):
    """The rows of each family, by title. Every row is in one family."""
    groups = {family: {} for family in families}
    for title, row in rows.items():
        family, = [family for family, pattern in families.items() if re.match(pattern, title)]
        groups[family][title] = row
    return groups
