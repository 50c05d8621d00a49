# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""jax.random: the generators bit for bit, the distributions within what their functions allow."""

import jax
import jax.numpy as jnp
import numpy as np

from programs import numbers, registrar

PROGRAMS = []
register = registrar(PROGRAMS)
SEED = np.uint32(20)


@register(SEED, sample=True)
def bits(seed):
    key = jax.random.key(seed)
    return tuple(jax.random.bits(key, shape, dtype) for dtype in (jnp.uint8, jnp.uint16, jnp.uint32)
                 for shape in ((), (7,), (3, 4)))


@register(SEED, x64=True)
def bits_of_64(seed):
    key = jax.random.key(seed)
    return (jax.random.bits(key, (5,), jnp.uint64), jax.random.uniform(key, (5,), jnp.float64),
            jax.random.randint(key, (5,), 0, 10**12), jax.random.normal(key, (5,), jnp.float64))


@register(SEED)
def keys(seed):
    key = jax.random.key(seed)
    some = jax.random.split(key, (2, 3))
    return (jax.random.key_data(some), jax.random.key_data(jax.random.fold_in(key, 7)),
            jax.random.key_data(jax.random.clone(some[0, 1])), jax.vmap(lambda k: jax.random.bits(k, (2,)))(some[1]))


@register(SEED, sample=True)
def uniform(seed):
    key = jax.random.key(seed)
    return (jax.random.uniform(key, (9,)), jax.random.uniform(key, (9,), minval=-3, maxval=5),
            jax.random.uniform(key, (9,), jnp.float16), jax.random.uniform(key, (9,), jnp.bfloat16),
            jax.random.randint(key, (9,), -7, 1000), jax.random.randint(key, (9,), 0, 200, jnp.uint8),
            jax.random.bernoulli(key, 0.3, (9,)), jax.random.rademacher(key, (9,)))


@register(SEED, sample=True, ulps=64)
def normal(seed):
    key = jax.random.key(seed)
    return (jax.random.normal(key, (200,)), jax.random.normal(key, (9,), jnp.float16),
            jax.random.normal(key, (9,), jnp.bfloat16), jax.random.truncated_normal(key, -2, 1.5, (50,)),
            jax.random.normal(key, (9,), jnp.complex64), jax.random.lognormal(key, 0.5, (9,)),
            jax.random.ball(key, 3, 2, (4,)), jax.random.generalized_normal(key, 1.5, (5,)))


@register(SEED, sample=True, ulps=64)
def distributions(seed):
    key = jax.random.key(seed)
    shape = (40,)
    return (jax.random.exponential(key, shape), jax.random.gumbel(key, shape), jax.random.laplace(key, shape),
            jax.random.logistic(key, shape), jax.random.cauchy(key, shape), jax.random.pareto(key, 2.5, shape),
            jax.random.rayleigh(key, 1.5, shape), jax.random.weibull_min(key, 1.2, 2.0, shape),
            jax.random.maxwell(key, shape), jax.random.triangular(key, -1, 0.5, 2, shape),
            jax.random.double_sided_maxwell(key, 0.3, 1.4, shape), jax.random.geometric(key, 0.2, shape))


@register(SEED, numbers(1, 5, 11, scale=2.0), sample=True)
def categorical(seed, scores):
    key = jax.random.key(seed)
    return (jax.random.categorical(key, scores), jax.random.categorical(key, scores, axis=0),
            jax.random.categorical(key, scores[0], shape=(30,)),
            jax.random.categorical(key, scores[0], shape=(5,), replace=False))


@register(SEED, numbers(2, 6, 4), sample=True)
def permutation(seed, x):
    key = jax.random.key(seed)
    return (jax.random.permutation(key, 50), jax.random.permutation(key, x), jax.random.permutation(key, x, axis=1),
            jax.random.permutation(key, x, axis=1, independent=True),
            jax.random.choice(key, 20, (7,), replace=False), jax.random.choice(key, x, (9,)),
            jax.random.choice(key, x[:, 0], (3,), replace=False, p=jax.nn.softmax(x[:, 1])),
            jax.random.choice(key, 6, (12,), p=jax.nn.softmax(x[:, 1])))


@register(SEED)
def gamma_family(seed):
    """Rejection sampling in nested loops: each draw repeats until it is accepted."""
    key = jax.random.key(seed)
    return (jax.random.gamma(key, 2.5, (20,)), jax.random.gamma(key, 0.3, (20,)), jax.random.beta(key, 2.0, 0.7, (10,)),
            jax.random.dirichlet(key, jnp.array([1.0, 2.0, 0.5]), (4,)), jax.random.chisquare(key, 3.0, (10,)),
            jax.random.t(key, 4.0, (10,)), jax.random.f(key, 3.0, 5.0, (6,)), jax.random.wald(key, 1.5, (8,)),
            jax.random.loggamma(key, 0.6, (10,)))


@register(SEED)
def counts(seed):
    key = jax.random.key(seed)
    return (jax.random.poisson(key, 3.5, (20,)), jax.random.poisson(key, 80.0, (20,)),
            jax.random.binomial(key, 20, 0.3, (10,)), jax.random.binomial(key, 1000, 0.45, (10,)),
            jax.random.multinomial(key, 30, jnp.array([0.2, 0.5, 0.3])))


@register(SEED, needs="openblas", ulps=64)
def multivariate_normal(seed):
    key = jax.random.key(seed)
    covariance = jnp.array([[2.0, 0.3, 0.1], [0.3, 1.0, -0.2], [0.1, -0.2, 0.5]])
    return (jax.random.multivariate_normal(key, jnp.arange(3.0), covariance, (5,), method="cholesky"),
            jnp.abs(jax.random.orthogonal(key, 4)))


@register(SEED)
def generators_of_xla(seed):
    """`rbg` and `unsafe_rbg` leave the drawing to stablehlo.rng_bit_generator."""
    results = []
    for name in ("rbg", "unsafe_rbg"):
        key = jax.random.key(seed, impl=name)
        first, second = jax.random.split(key)
        results += [jax.random.bits(first, (8,)), jax.random.bits(first, (5,), jnp.uint8),
                    jax.random.uniform(second, (6,)), jax.random.key_data(jax.random.fold_in(key, 3))]
    return results


@register(SEED)
def random_walk(seed):
    """Metropolis sampling of a distribution with two humps."""
    def log_density(x):
        return jnp.logaddexp(-0.5 * (x - 2) ** 2, -0.5 * (x + 2) ** 2)

    def step(x, key):
        propose, accept = jax.random.split(key)
        new = x + jax.random.normal(propose, x.shape)
        taken = jnp.log(jax.random.uniform(accept, x.shape)) < log_density(new) - log_density(x)
        x = jnp.where(taken, new, x)
        return x, x

    return jax.lax.scan(step, jnp.zeros(3), jax.random.split(jax.random.key(seed), 40))[1]
