from __future__ import annotations

import warnings
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier, MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from exactregions.errors import InputError, NonFiniteError, UnsupportedError
from exactregions.network.formats import from_sklearn
from tests.network.reference import Refusal

RNG = np.random.default_rng(11)
X = RNG.normal(size=(60, 3))
TARGETS = {
    "binary": (X[:, 0] > 0).astype(int),
    "three": np.digitize(X[:, 1], [-0.5, 0.5]),
    "several labels": (X[:, :2] > 0).astype(int),
    "number": X[:, 0] * X[:, 1],
    "two numbers": X[:, :2] ** 2,
}


def fitted(kind: type[Any], target: str, **options: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        estimator = kind(hidden_layer_sizes=(5, 4), max_iter=15, random_state=1, **options)
        return estimator.fit(X, TARGETS[target])


CASES = [(MLPClassifier, "binary"), (MLPClassifier, "three"), (MLPClassifier, "several labels")]
CASES += [(MLPRegressor, "number"), (MLPRegressor, "two numbers")]


@pytest.mark.parametrize("activation", ["relu", "identity"])
@pytest.mark.parametrize(("kind", "target"), CASES)
def test_the_network_gives_the_scores_before_the_output_activation(
    kind: type[Any], target: str, activation: str
) -> None:
    estimator = fitted(kind, target, activation=activation)
    network = from_sklearn(estimator)
    assert network.widths == ((5, 4) if activation == "relu" else ())
    scores = np.array([[float(value) for value in network(list(map(float, point)))] for point in X])
    if kind is MLPRegressor:
        expected = estimator.predict(X).reshape(len(X), -1)
    elif estimator.out_activation_ == "softmax":
        expected, scores = estimator.predict_proba(X), np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    else:
        probabilities = estimator.predict_proba(X).reshape(len(X), -1)
        expected, scores = probabilities[:, -scores.shape[1] :], 1 / (1 + np.exp(-scores))
    np.testing.assert_allclose(scores, expected, rtol=1e-9)


def test_weights_are_transposed_and_exact() -> None:
    estimator = fitted(MLPRegressor, "number")
    first = from_sklearn(estimator).layers[0]
    assert first.weights == tuple(tuple(map(Fraction, column)) for column in estimator.coefs_[0].T.tolist())
    assert first.bias == tuple(map(Fraction, estimator.intercepts_[0].tolist()))


def test_float32_weights_are_widened() -> None:
    estimator = MLPRegressor(hidden_layer_sizes=(3,), max_iter=200, random_state=0, solver="lbfgs").fit(
        X.astype(np.float32), TARGETS["number"].astype(np.float32)
    )
    estimator.coefs_ = [weights.astype(np.float32) for weights in estimator.coefs_]
    assert from_sklearn(estimator).layers[0].weights[0][0] == Fraction(float(estimator.coefs_[0][0, 0]))


@pytest.mark.parametrize("activation", ["tanh", "logistic"])
def test_curved_activations_are_refused(activation: str) -> None:
    with Refusal(UnsupportedError, "MLPClassifier", repr(activation), "not piecewise linear", "relu, identity"):
        from_sklearn(fitted(MLPClassifier, "binary", activation=activation))


def test_an_estimator_that_is_not_fitted_is_refused() -> None:
    with Refusal(InputError, "MLPClassifier", "not fitted", "call fit"):
        from_sklearn(MLPClassifier())


def test_other_estimators_are_refused() -> None:
    with Refusal(UnsupportedError, "LogisticRegression", "MLPClassifier or MLPRegressor"):
        from_sklearn(LogisticRegression())
    with Refusal(UnsupportedError, "Pipeline", "last step", "scaled"):
        from_sklearn(make_pipeline(StandardScaler(), MLPClassifier()))


def test_a_weight_that_is_not_finite_is_named() -> None:
    estimator = fitted(MLPRegressor, "number")
    estimator.coefs_[1][2, 3] = np.nan
    with Refusal(NonFiniteError, "coefs_[1], row 2, entry 3"):
        from_sklearn(estimator)
