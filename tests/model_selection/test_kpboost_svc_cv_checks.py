"""scikit-learn's own checks of an estimator, then parameters and data that are refused.

No check is expected to fail.
"""

import inspect

import numpy as np
import pytest
from sklearn.datasets import make_blobs
from sklearn.exceptions import NotFittedError
from sklearn.utils.estimator_checks import parametrize_with_checks

from kpboost import KPBoostSVCCV
from kpboost.model_selection import _kpboost_svc_cv as width_search
from support.solver_checks import check_solved

# Few rounds and folds: the checks are about the interface.
SMALL = {"Cs": (1.0, 10.0), "perturbation_steps": (0.01, 0.1), "n_estimators": 4, "cv": 3}
CONFIGURATIONS = [
    KPBoostSVCCV(**SMALL, roi_scales=(None, 0.6), gammas=(0.1, "auto"), n_jobs=2),
    KPBoostSVCCV(
        **SMALL, multi_class="one_vs_rest", class_weight="balanced", scoring="balanced_accuracy"
    ),
]


# Some checks train on labels without pattern, or on classes that C = 1 cannot tell apart.
@pytest.mark.filterwarnings("ignore:No round met the conditions:UserWarning")
@parametrize_with_checks(CONFIGURATIONS)
def test_scikit_learns_checks(estimator, check):
    check_solved(estimator, check)


BAD_AXES = {
    "Cs": [(), [1.0, 0.0], [-1.0], [np.inf], ["1"], [None], [True], [[1.0, 2.0]], 1.0, "paper"],
    "gammas": [[], [0.0], ["wide"], [None], ["paper"], 0.1, "scale", None],
    "perturbation_steps": [[], [0.1, -0.1], [np.nan], ["small"], 0.1, "all", None],
    "roi_scales": [[], [1.5], [None, -0.1], ["wide"], [True], 0.5, None, "paper"],
}
BAD_PARAMETERS = {
    "n_estimators": [0, -3, 2.5, "10", None, True],
    "judge_rounds": ["new", "Paper", None, True],
    "voting": ["Soft", "graded", None, True],
    "cv": [1, 0, -2, 2.5, "five", True],
    "scoring": [None, "mu", 3, ["accuracy"], {"a": "accuracy"}, np.array([1, 2])],
    "multi_class": ["ovo", None],
    "class_weight": ["even", 3, [1, 2]],
    "tol": [0, -1e-3, np.inf, None],
    "cache_size": [0, -200, np.nan, "1 GB"],
    "n_jobs": [0, 1.5, "all", True],
    "verbose": [-1, 0.5, "yes", None],
}


class Untouchable:
    """Data that complain when somebody looks at them."""

    def __array__(self, *args, **options):
        raise AssertionError("the data were looked at")


def pairs(bad):
    return [(name, value) for name, values in bad.items() for value in values]


@pytest.mark.parametrize(("name", "value"), pairs(BAD_PARAMETERS))
def test_a_bad_parameter_is_named_before_any_work(name, value):
    with pytest.raises(ValueError, match=r"is not allowed; it must be \S+") as caught:
        KPBoostSVCCV(**{name: value}).fit(Untouchable(), Untouchable())
    assert str(caught.value).startswith(f"{name}={value!r} ")


@pytest.mark.parametrize(("name", "value"), pairs(BAD_AXES))
def test_a_bad_axis_is_named_with_the_place_of_its_bad_value(name, value):
    with pytest.raises(ValueError, match=r"is not allowed; it must (be|have) \S+") as caught:
        KPBoostSVCCV(**{name: value}).fit(Untouchable(), Untouchable())
    place = rf"{name}[{len(value) - 1}]=" if isinstance(value, list) and value else f"{name}="
    assert str(caught.value).startswith(place)


def test_every_parameter_is_checked():
    checked_with_the_labels = {"pos_label"}  # see below
    parameters = set(inspect.signature(KPBoostSVCCV).parameters)
    assert parameters - checked_with_the_labels == set(BAD_PARAMETERS) | set(BAD_AXES)


@pytest.fixture
def no_work(monkeypatch):
    """Let the search fail as soon as it does something that takes time."""

    def refuse(*args, **options):
        raise AssertionError("work has begun")

    monkeypatch.setattr(width_search, "squared_distances", refuse)


def data(n_classes=2):
    return make_blobs(60, centers=n_classes, random_state=0)


def rows(*parts):
    return [tuple(np.asarray(part) for part in parts)]


ALL = np.arange(60)


@pytest.mark.usefixtures("no_work")
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"pos_label": "b"}, "pos_label='b' is not a label of y"),
        ({"class_weight": {"x": 2.0}}, "class_weight names"),
        ({"class_weight": {0: -1.0, 1: 1.0}}, "weights are positive"),
        ({"cv": []}, "cv has no splits"),
        ({"cv": rows(ALL, [60])}, "test set that is not a list of row numbers from 0 to 59"),
        ({"cv": rows([-1, 3], ALL)}, "training set that is not a list of row numbers"),
        ({"cv": rows([0.5, 1.5], ALL)}, "training set that is not a list of row numbers"),
        ({"cv": rows(ALL, [])}, "test set without a row of positive weight"),
        ({"cv": rows([], ALL)}, "training set without a row of positive weight"),
        ({"cv": rows([0], ALL)}, "cv has a training set with one class"),
        ({"scoring": "neg_log_loss"}, "scoring='neg_log_loss' does not work here .*predict_proba"),
        ({"scoring": lambda model, X, y: {"a": 1.0}}, "must return one number"),
        ({"scoring": lambda model, X, y: model.support_vectors_}, "may use predict"),
        ({"scoring": lambda model, X, y: model.predict(X[:3]).mean()}, "test points of a fold"),
        ({"scoring": lambda: 1.0}, "does not work here"),
    ],
)
def test_what_cannot_work_is_refused_before_work(options, message):
    with pytest.raises(ValueError, match=message):
        KPBoostSVCCV(**options).fit(*data())


@pytest.mark.usefixtures("no_work")
def test_scores_for_two_classes_are_refused_for_three():
    with pytest.raises(ValueError, match="scoring='roc_auc' does not work here"):
        KPBoostSVCCV(scoring="roc_auc").fit(*data(3))
    with pytest.raises(ValueError, match="pos_label=1 is for two classes"):
        KPBoostSVCCV(pos_label=1).fit(*data(3))


@pytest.mark.usefixtures("no_work")
def test_too_many_points_are_refused_with_the_memory_they_need():
    X = np.zeros((2000, 1))
    X[::2] = 1.0
    message = (
        r"The squared distances of 2000 points take 31 MB, above cache_size=30; raise it, or "
        r"search with GridSearchCV over KPBoostSVC, which needs no distances\."
    )
    with pytest.raises(ValueError, match=message):
        KPBoostSVCCV(cache_size=30).fit(X, X[:, 0])
    with pytest.raises(AssertionError, match="work has begun"):
        KPBoostSVCCV(cache_size=31).fit(X, X[:, 0])


def test_points_without_weight_take_no_memory():
    X, y = data()
    weight = (np.arange(60) < 30).astype(float)
    fits = 8 * 30**2 / 2**20
    KPBoostSVCCV(**SMALL, cache_size=fits * 1.01).fit(X, y, sample_weight=weight)
    with pytest.raises(ValueError, match="squared distances of 60 points"):
        KPBoostSVCCV(**SMALL, cache_size=fits * 1.01).fit(X, y)


@pytest.mark.parametrize("method", ["predict", "decision_function"])
def test_an_unfitted_search_says_so(method):
    with pytest.raises(NotFittedError):
        getattr(KPBoostSVCCV(), method)([[0.0]])


def test_an_unlucky_fit_leaves_the_last_search_usable():
    X, y = data()
    search = KPBoostSVCCV(**SMALL).fit(X, y)
    before = search.decision_function(X)
    with pytest.raises(ValueError, match="at least 2 classes"):
        search.fit(X, np.zeros(60))
    np.testing.assert_array_equal(search.decision_function(X), before)


def test_parameters_are_never_rewritten():
    given = {"Cs": [1, 10], "perturbation_steps": np.array([0.1]), "cv": np.int64(2)}
    search = KPBoostSVCCV(**given).fit(*data())
    assert all(search.get_params()[name] is value for name, value in given.items())
