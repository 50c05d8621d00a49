# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""jax.scipy.special in full, and the statistics that are built from it."""

import jax
import jax.numpy as jnp
import jax.scipy.special as jss
import jax.scipy.stats as stats
import numpy as np

from programs import numbers, registrar

PROGRAMS = []
register = registrar(PROGRAMS)

ANY = np.concatenate([np.linspace(-6, 6, 41), [0.0, -0.0, 1e-6, 30, -30, 88]]).astype(np.float32)
POSITIVE = np.concatenate([np.linspace(0.05, 9, 40), [1e-6, 25, 100, 1000]]).astype(np.float32)
UNIT = np.concatenate([np.linspace(0.01, 0.99, 40), [1e-6, 0.5]]).astype(np.float32)
SYMMETRIC = np.concatenate([np.linspace(-0.98, 0.98, 40), [1e-6, 0]]).astype(np.float32)
# Each function with the arguments it is defined on, and how far XLA's and
# ours may lie apart in units of the last place.
FUNCTIONS = {
    "bernoulli": (lambda x: jss.bernoulli(12), [ANY], 32),
    "bessel_jn": (lambda x: jss.bessel_jn(x, v=4, n_iter=30), [ANY[:41]], 128),
    "beta": (jss.beta, [POSITIVE[:40], POSITIVE[39::-1]], 128),
    "betainc": (lambda x, a: jss.betainc(a, 2.5 * a[::-1][:x.size] + 0.1, x), [UNIT, POSITIVE[:42]], 128),
    "betaln": (jss.betaln, [POSITIVE, POSITIVE[::-1]], 64),
    "boxcox": (lambda x: jss.boxcox(x, 0.3), [POSITIVE], 32),
    "boxcox1p": (lambda x: jss.boxcox1p(x, 0.3), [POSITIVE], 32),
    "comb": (lambda n: jss.comb(jnp.arange(3.0, 20), 3.0), [ANY], 128),
    "dawsn": (jss.dawsn, [ANY], 32),
    "digamma": (jss.digamma, [POSITIVE], 32),
    "entr": (jss.entr, [POSITIVE], 32),
    "erf": (jss.erf, [ANY], 16),
    "erfc": (jss.erfc, [ANY], 32),
    "erfcx": (jss.erfcx, [ANY[:41]], 64),
    "erfinv": (jss.erfinv, [SYMMETRIC], 32),
    "exp1": (jss.exp1, [POSITIVE[:40]], 64),
    "expi": (jss.expi, [POSITIVE], 64),
    "expit": (jss.expit, [ANY], 16),
    "expn": (lambda x: jss.expn(3, x), [POSITIVE[:40]], 64),
    "factorial": (lambda x: jss.factorial(jnp.arange(20.0)), [ANY], 128),
    "fresnel": (jss.fresnel, [ANY], 64),
    "gamma": (jss.gamma, [POSITIVE[:40]], 128),
    "gammainc": (jss.gammainc, [POSITIVE[:40], POSITIVE[39::-1]], 128),
    "gammaincc": (jss.gammaincc, [POSITIVE[:40], POSITIVE[39::-1]], 128),
    "gammaln": (jss.gammaln, [POSITIVE], 64),
    "gammasgn": (jss.gammasgn, [ANY], 0),
    "hyp1f1": (lambda x: jss.hyp1f1(1.5, 2.5, x), [ANY[:41]], 128),
    "hyp2f1": (lambda x: jss.hyp2f1(0.5, 1.5, 2.25, x), [SYMMETRIC], 128),
    "i0": (jss.i0, [ANY[:41]], 64),
    "i0e": (jss.i0e, [ANY], 32),
    "i1": (jss.i1, [ANY[:41]], 64),
    "i1e": (jss.i1e, [ANY], 32),
    "kl_div": (jss.kl_div, [POSITIVE, POSITIVE[::-1]], 64),
    "log_ndtr": (jss.log_ndtr, [ANY], 64),
    "log_softmax": (jss.log_softmax, [ANY], 32),
    "loggamma": (jss.loggamma, [POSITIVE], 64),
    "logit": (jss.logit, [UNIT], 32),
    "logsumexp": (jss.logsumexp, [ANY], 32),
    "multigammaln": (lambda x: jss.multigammaln(x + 2, 3), [POSITIVE], 64),
    "ndtr": (jss.ndtr, [ANY], 32),
    "ndtri": (jss.ndtri, [UNIT], 32),
    "owens_t": (lambda x: jss.owens_t(x, 0.7), [ANY[:41]], 64),
    "poch": (lambda x: jss.poch(x, 2.5), [POSITIVE[:40]], 128),
    "polygamma": (lambda x: jss.polygamma(2, x), [POSITIVE[:40] + np.float32(0.2)], 64),
    "rel_entr": (jss.rel_entr, [POSITIVE, POSITIVE[::-1]], 64),
    "sici": (jss.sici, [POSITIVE], 64),
    "softmax": (jss.softmax, [ANY], 64),
    "spence": (jss.spence, [POSITIVE], 64),
    "sph_harm_y": (lambda x: jss.sph_harm_y(jnp.full(8, 3), jnp.arange(-3, 5) % 4, x[:8] / 3, x[8:16], n_max=4),
                   [POSITIVE], 64),
    "wofz": (lambda x: jss.wofz(jax.lax.complex(x, jnp.abs(x[::-1]))), [ANY[:41]], 128),
    "xlog1py": (jss.xlog1py, [ANY, np.abs(ANY)], 32),
    "xlogy": (jss.xlogy, [ANY, np.abs(ANY) + np.float32(0.1)], 32),
    "zeta": (lambda x: jss.zeta(x, 1.5), [POSITIVE[:40] + np.float32(1)], 64),
}
# Near their zeros, or where XLA has none of the smallest numbers.
NEAR_ZERO = ("gammaln", "loggamma", "softmax")
OFTEN = ("gammaln", "digamma", "erf", "erfc", "erfinv", "betainc", "i0", "i1", "zeta", "polygamma", "expit", "logit",
         "ndtri", "gammainc")

for function_name, (function, arguments, ulps) in FUNCTIONS.items():
    register(*arguments, name=f"special_{function_name}", ulps=ulps,
             scale="ones" if function_name in NEAR_ZERO else "each", sample=function_name in OFTEN)(function)

for function_name in ("digamma", "erf", "erfc", "erfinv", "gammaln", "i0e", "i1e", "expit", "logit", "ndtri", "betainc",
                      "zeta", "xlogy"):
    function, arguments, ulps = FUNCTIONS[function_name]
    register(*(a.astype(np.float64) for a in arguments), name=f"special_{function_name}_of_doubles", x64=True,
             ulps=max(ulps, 128) * 4)(function)
    if function_name != "ndtri":  # not of halves in JAX either
        register(*(a.astype(np.float16) for a in arguments),
                 name=f"special_{function_name}_of_halves", ulps=8)(function)


@register(POSITIVE[4:36], UNIT[4:36])
def special_gradients(x, p):
    functions = [jss.gammaln, jss.digamma, jss.erf, jss.erfc, jss.i0e, jss.i1e, jss.log_ndtr, jss.ndtr, jss.entr]
    of_unit = [jss.erfinv, jss.logit, jss.ndtri]
    return ([jax.vmap(jax.grad(f))(x) for f in functions] + [jax.vmap(jax.grad(f))(p) for f in of_unit]
            + [jax.vmap(jax.grad(lambda q: jss.betainc(2.0, 3.0, q)))(p)])


@register(POSITIVE[4:36], UNIT[4:36], ANY[4:36], ulps=128)
def distributions_of_statistics(x, p, y):
    return (stats.norm.logpdf(y), stats.norm.cdf(y), stats.norm.ppf(p), stats.norm.sf(y), stats.beta.logpdf(p, 2, 3),
            stats.beta.cdf(p, 2, 3), stats.gamma.logpdf(x, 2), stats.gamma.cdf(x, 2), stats.expon.logpdf(x),
            stats.poisson.logpmf(jnp.floor(x), 3), stats.t.logpdf(y, 4), stats.cauchy.cdf(y), stats.laplace.cdf(y),
            stats.logistic.ppf(p), stats.uniform.pdf(p), stats.chi2.cdf(x, 3),
            stats.binom.logpmf(jnp.floor(x), 12, 0.3),
            stats.nbinom.logpmf(jnp.floor(x), 5, 0.4), stats.geom.logpmf(jnp.ceil(x), 0.3),
            stats.pareto.logpdf(x + 1, 2),
            stats.truncnorm.logpdf(y, -1, 2), stats.vonmises.logpdf(y, 2.0), stats.gennorm.logpdf(y, 1.5),
            stats.dirichlet.logpdf(jnp.array([0.2, 0.3, 0.5]), jnp.array([1.0, 2.0, 3.0])),
            stats.bernoulli.logpmf(1, p))


@register(numbers(1, 60, 2), numbers(2, 9, 2), needs="openblas", ulps=128)
def kernel_density(data, points):
    density = stats.gaussian_kde(data.T)
    return density(points.T), stats.multivariate_normal.logpdf(
        points, jnp.zeros(2), jnp.array([[2.0, 0.3], [0.3, 1.0]]))
