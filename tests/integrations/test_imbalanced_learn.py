"""KPBoostSVC in imbalanced-learn's pipelines."""

import numpy as np
import pytest
from sklearn import config_context
from sklearn.model_selection import GridSearchCV, cross_val_predict
from sklearn.preprocessing import StandardScaler

imblearn = pytest.importorskip("imblearn", reason="needs the extra baselines")

from imblearn.over_sampling import SMOTE, RandomOverSampler  # noqa: E402
from imblearn.pipeline import Pipeline, make_pipeline  # noqa: E402
from imblearn.under_sampling import RandomUnderSampler  # noqa: E402

from kpboost import KPBoostSVC  # noqa: E402
from kpboost.datasets import make_disjuncts  # noqa: E402


@pytest.fixture
def data():
    X, y, _ = make_disjuncts([[120, 30], [25, 10]], overlap=0.6, random_state=0)
    return X, y


@pytest.mark.parametrize("sampler", [SMOTE, RandomOverSampler, RandomUnderSampler])
def test_a_pipeline_does_what_its_steps_do(data, sampler):
    X, y = data
    pipeline = make_pipeline(StandardScaler(), sampler(random_state=0), KPBoostSVC(10.0)).fit(X, y)
    scaled = StandardScaler().fit_transform(X)
    model = KPBoostSVC(10.0).fit(*sampler(random_state=0).fit_resample(scaled, y))
    np.testing.assert_array_equal(pipeline.decision_function(X), model.decision_function(scaled))


@pytest.mark.parametrize("sampler", [RandomOverSampler, RandomUnderSampler])
def test_samples_drawn_twice_or_never_are_weights(data, sampler):
    """Weight 2 is the sample twice, and weight 0 the sample left out."""
    X, y = data
    drawn = sampler(random_state=0)
    repeated = KPBoostSVC(10.0, tol=1e-9).fit(*drawn.fit_resample(X, y))
    weight = np.bincount(drawn.sample_indices_, minlength=y.size).astype(float)
    weighted = KPBoostSVC(10.0, tol=1e-9).fit(X, y, sample_weight=weight)
    np.testing.assert_allclose(
        weighted.round_decision_function(X), repeated.round_decision_function(X), atol=1e-5
    )


def test_a_search_over_sampler_and_model(data):
    pipeline = Pipeline([("sample", SMOTE(random_state=0)), ("model", KPBoostSVC())])
    grid = {"sample": ["passthrough", SMOTE(random_state=0)], "model__C": [1.0, 10.0]}
    search = GridSearchCV(pipeline, grid, scoring="balanced_accuracy", cv=3).fit(*data)
    assert len(search.cv_results_["params"]) == 4
    assert search.best_score_ > 0.8


def test_sample_weights_are_routed(data):
    X, y = data
    weight = np.where(y == 1, 3.0, 1.0)
    with config_context(enable_metadata_routing=True):
        scaler = StandardScaler().set_fit_request(sample_weight=False)
        model = KPBoostSVC(0.05).set_fit_request(sample_weight=True)
        pipeline = make_pipeline(scaler, model).fit(X, y, sample_weight=weight)
        weighted = cross_val_predict(pipeline, X, y, cv=3, params={"sample_weight": weight})
    unweighted = cross_val_predict(make_pipeline(StandardScaler(), KPBoostSVC(0.05)), X, y, cv=3)
    scaled = StandardScaler().fit_transform(X)
    direct = KPBoostSVC(0.05).fit(scaled, y, sample_weight=weight)
    np.testing.assert_array_equal(pipeline.predict(X), direct.predict(scaled))
    assert (weighted == 1).sum() > (unweighted == 1).sum()


def test_weights_of_rows_that_a_sampler_has_changed_are_refused(data):
    """A sampler makes new rows, and weights of the old ones do not fit them."""
    X, y = data
    pipeline = make_pipeline(RandomUnderSampler(random_state=0), KPBoostSVC())
    with pytest.raises(ValueError, match=r"sample_weight"):
        pipeline.fit(X, y, kpboostsvc__sample_weight=np.ones(y.size))
