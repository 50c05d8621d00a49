# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""Images: resizing by every method, warping, filters."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from programs import numbers, registrar

PROGRAMS = []
register = registrar(PROGRAMS)
METHODS = ("nearest", "linear", "cubic", "lanczos3", "lanczos5")
IMAGE = np.abs(numbers(1, 9, 12, 3))


@register(IMAGE, sample=True)
def resize(x):
    return [jax.image.resize(x, shape, method) for method in METHODS for shape in ((18, 24, 3), (5, 7, 3), (13, 6, 3))]


@register(IMAGE)
def resize_without_antialias(x):
    return [jax.image.resize(x, (4, 5, 3), method, antialias=False) for method in METHODS]


@register(IMAGE)
def resize_gradient(x):
    return [jax.grad(lambda a, m=m: jnp.sum(jnp.sin(jax.image.resize(a, (14, 5, 3), m))))(x) for m in METHODS]


@register(IMAGE)
def scale_and_translate(x):
    return [jax.image.scale_and_translate(x, (10, 10, 3), (0, 1), jnp.array([1.3, 0.7]), jnp.array([0.5, -1.2]), method)
            for method in METHODS[1:]]


@register(IMAGE[..., 0], np.float32(0.4))
def warp(x, angle):
    rows, columns = jnp.meshgrid(jnp.arange(9.0), jnp.arange(12.0), indexing="ij")
    r, c = rows - 4, columns - 6
    where = jnp.stack([jnp.cos(angle) * r - jnp.sin(angle) * c + 4, jnp.sin(angle) * r + jnp.cos(angle) * c + 6])
    return [jax.scipy.ndimage.map_coordinates(x, where, order=order, mode=mode, cval=0.5)
            for order in (0, 1) for mode in ("constant", "nearest", "wrap", "mirror", "reflect")]


@register(IMAGE, sample=True)
def filters(x):
    sobel = jnp.array([[1.0, 0, -1], [2, 0, -2], [1, 0, -1]])
    gaussian = jnp.exp(-jnp.arange(-3, 4.0) ** 2 / 2)
    planes = x.transpose(2, 0, 1)[:, None]
    edges = [lax.conv(planes, k[None, None], (1, 1), "SAME") for k in (sobel, sobel.T)]
    blurred = jax.vmap(lambda p: jax.vmap(lambda r: jnp.convolve(r, gaussian, "same"))(p))(planes[:, 0])
    median = jnp.median(jnp.stack([jnp.roll(x, (i, j), (0, 1)) for i in (-1, 0, 1) for j in (-1, 0, 1)]), axis=0)
    integral = jnp.cumsum(jnp.cumsum(x, axis=0), axis=1)
    return jnp.hypot(*edges), blurred, median, integral, lax.reduce_window(x, - \
                     jnp.inf, lax.max, (3, 3, 1), (1, 1, 1), "SAME")


@register(IMAGE)
def colours(x):
    x = jnp.clip(x, 0, 1)
    r, g, b = x[..., 0], x[..., 1], x[..., 2]
    high, low = jnp.max(x, axis=-1), jnp.min(x, axis=-1)
    spread = jnp.where(high == low, 1, high - low)
    hue = jnp.select([high == r, high == g], [(g - b) / spread % 6, (b - r) / spread + 2], (r - g) / spread + 4)
    linear = jnp.where(x <= 0.04045, x / 12.92, ((x + 0.055) / 1.055) ** 2.4)
    return hue, linear @ jnp.array([0.2126, 0.7152, 0.0722]), (x * 255).astype(jnp.uint8), jnp.rot90(x), x[::-1]


@register((numbers(2, 16, 16) > 0.3), sample=True)
def connected_parts(mask):
    labels = jnp.where(mask, jnp.arange(256).reshape(16, 16) + 1, 0)

    def spread(state):
        old, _ = state
        padded = jnp.pad(old, 1)
        around = jnp.stack([padded[:-2, 1:-1], padded[2:, 1:-1], padded[1:-1, :-2], padded[1:-1, 2:], old]).max(0)
        new = jnp.where(mask, around, 0)
        return new, jnp.any(new != old)

    return lax.while_loop(lambda s: s[1], spread, (labels, jnp.bool_(True)))[0]
