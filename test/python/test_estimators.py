# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

"""Estimators of scikit-learn and functions of SciPy take arrays by way of the array API standard, and give what they give for NumPy's."""

import warnings

import numpy as np
import pytest
import scipy.fft
import scipy.integrate
import scipy.signal
import scipy.special
import scipy.stats
import sklearn
import tenon.core as tn
from sklearn import decomposition, discriminant_analysis, linear_model, metrics, naive_bayes, preprocessing
from sklearn.metrics import pairwise

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(60, 5)).astype(np.float32)
CLASSES = (X[:, 0] + 0.3 * RANDOM.normal(size=60) > 0).astype(np.int32)
TARGETS = (X @ np.arange(5) + 1).astype(np.float32)
POSITIVE = np.abs(X) + np.float32(0.1)

ESTIMATORS = {
    "StandardScaler": (preprocessing.StandardScaler, "transform", None),
    "MinMaxScaler": (preprocessing.MinMaxScaler, "transform", None),
    "MaxAbsScaler": (preprocessing.MaxAbsScaler, "transform", None),
    "Normalizer": (preprocessing.Normalizer, "transform", None),
    "Binarizer": (preprocessing.Binarizer, "transform", None),
    "PolynomialFeatures": (lambda: preprocessing.PolynomialFeatures(2), "transform", None),
    "PCA": (lambda: decomposition.PCA(3, svd_solver="full"), "transform", None),
    "PCA whitened": (lambda: decomposition.PCA(3, svd_solver="full", whiten=True), "transform", None),
    "PCA by the covariance": (lambda: decomposition.PCA(3, svd_solver="covariance_eigh"), "transform", None),
    "PCA randomised": (lambda: decomposition.PCA(3, svd_solver="randomized", power_iteration_normalizer="QR", random_state=0), "transform",
                       None),
    "Ridge": (lambda: linear_model.Ridge(solver="svd"), "predict", TARGETS),
    "RidgeCV": (linear_model.RidgeCV, "predict", TARGETS),
    "LogisticRegression": (linear_model.LogisticRegression, "predict", CLASSES),
    "LinearDiscriminantAnalysis": (discriminant_analysis.LinearDiscriminantAnalysis, "predict", CLASSES),
    "LinearDiscriminantAnalysis, probabilities": (discriminant_analysis.LinearDiscriminantAnalysis, "predict_proba", CLASSES),
    "GaussianNB": (naive_bayes.GaussianNB, "predict", CLASSES),
}
FUNCTIONS = {
    "accuracy_score": lambda m: metrics.accuracy_score(m(CLASSES), m(CLASSES[::-1].copy())),
    "zero_one_loss": lambda m: metrics.zero_one_loss(m(CLASSES), m(CLASSES[::-1].copy())),
    "f1_score": lambda m: metrics.f1_score(m(CLASSES), m(CLASSES[::-1].copy())),
    "mean_squared_error": lambda m: metrics.mean_squared_error(m(TARGETS), m(TARGETS * 2)),
    "r2_score": lambda m: metrics.r2_score(m(TARGETS), m(TARGETS * 1.1)),
    "cosine_similarity": lambda m: pairwise.cosine_similarity(m(X)),
    "euclidean_distances": lambda m: pairwise.euclidean_distances(m(X)),
    "zscore": lambda m: scipy.stats.zscore(m(X)),
    "skew": lambda m: scipy.stats.skew(m(X)),
    "kurtosis": lambda m: scipy.stats.kurtosis(m(X)),
    "moment": lambda m: scipy.stats.moment(m(X)),
    "gmean": lambda m: scipy.stats.gmean(m(POSITIVE)),
    "variation": lambda m: scipy.stats.variation(m(X)),
    "entropy": lambda m: scipy.stats.entropy(m(POSITIVE)),
    "ttest_1samp": lambda m: scipy.stats.ttest_1samp(m(X), 0.0)[0],
    "pearsonr": lambda m: scipy.stats.pearsonr(m(TARGETS), m(X[:, 1].copy()))[0],
    "logsumexp": lambda m: scipy.special.logsumexp(m(X)),
    "softmax": lambda m: scipy.special.softmax(m(X)),
    "xlogy": lambda m: scipy.special.xlogy(m(POSITIVE), m(POSITIVE)),
    "trapezoid": lambda m: scipy.integrate.trapezoid(m(TARGETS)),
    "simpson": lambda m: scipy.integrate.simpson(m(TARGETS)),
    "rfft": lambda m: scipy.fft.rfft(m(TARGETS)),
    "detrend": lambda m: scipy.signal.detrend(m(TARGETS)),
    "fftconvolve": lambda m: scipy.signal.fftconvolve(m(TARGETS), m(TARGETS[:5].copy())),
}


def compare(ours, theirs):
    np.testing.assert_allclose(np.asarray(ours), theirs, rtol=2e-3, atol=2e-4)


@pytest.mark.parametrize("name", ESTIMATORS)
def test_estimators_take_arrays(name):
    make, method, targets = ESTIMATORS[name]
    y = () if targets is None else (targets,)
    with sklearn.config_context(array_api_dispatch=True):
        theirs, ours = make().fit(X, *y), make().fit(tn.array(X), *map(tn.array, y))
        result = getattr(ours, method)(tn.array(X))
        assert isinstance(result, tn.array)
        compare(result, getattr(theirs, method)(X))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_take_arrays(name):
    with sklearn.config_context(array_api_dispatch=True), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of SciPy, about precision
        ours, theirs = FUNCTIONS[name](tn.array), FUNCTIONS[name](np.asarray)
    assert not isinstance(ours, np.ndarray) and (isinstance(ours, tn.array) or not np.ndim(theirs))
    compare(ours, theirs)
