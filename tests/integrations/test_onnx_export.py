"""ONNX models answer as ours do: onnxruntime is the other author."""

import subprocess
import sys

import numpy as np
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

skl2onnx = pytest.importorskip("skl2onnx", reason="needs the extra onnx")
onnxruntime = pytest.importorskip("onnxruntime", reason="needs onnxruntime")

from kpboost import (  # noqa: E402
    KernelSVC,
    KPBoostSVC,
    KPBoostSVCCV,
    NystroemKPBoostSVC,
    NystroemKPBoostSVCCV,
)
from kpboost.integrations.onnx import register_onnx  # noqa: E402

# Scores may differ by the order of summation.
ROUNDING = 1e-12
MODELS = {
    "kpboost": KPBoostSVC(5.0, perturbation_step=0.05),
    "weighted": KPBoostSVC(5.0, perturbation_step=0.05, class_weight="balanced"),
    "paper": KPBoostSVC(5.0, perturbation_step=0.5, judge_rounds="paper"),
    "large_steps": KPBoostSVC(5.0, perturbation_step=0.5),
    "roi": KPBoostSVC(5.0, perturbation_step=0.05, roi_scale=1.0),
    "one_vs_rest": KPBoostSVC(5.0, perturbation_step=0.05, multi_class="one_vs_rest"),
    "roi_one_vs_rest": KPBoostSVC(5.0, roi_scale=0.5, multi_class="one_vs_rest"),
    "soft": KPBoostSVC(5.0, perturbation_step=0.05, voting="soft"),
    "soft_roi": KPBoostSVC(5.0, roi_scale=1.0, multi_class="one_vs_rest", voting="soft"),
    "low_rank": NystroemKPBoostSVC(5.0, n_landmarks=30, random_state=0),
    "low_rank_soft": NystroemKPBoostSVC(5.0, n_landmarks=30, random_state=0, voting="soft"),
    "low_rank_one_vs_one": NystroemKPBoostSVC(
        5.0, n_landmarks=30, random_state=0, multi_class="one_vs_one"
    ),
    "low_rank_search": NystroemKPBoostSVCCV(
        (0.1, 5.0), gammas=("scale",), n_landmarks=30, random_state=0
    ),
    "plain": KernelSVC(5.0),
    "plain_one_vs_rest": KernelSVC(5.0, multi_class="one_vs_rest"),
}


@pytest.fixture(autouse=True)
def registered():
    register_onnx()


def answers(model, X, target_opset=None):
    """Labels and scores by onnxruntime, of a model exported for inputs like X."""
    graph = skl2onnx.to_onnx(model, X[:1], target_opset=target_opset)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(
        graph.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    return session.run(["label", "scores"], {"X": X})


def assert_same(model, X):
    labels, scores = answers(model, X)
    expected = model.decision_function(X)
    assert scores.shape == expected.shape
    np.testing.assert_allclose(scores, expected, rtol=0, atol=ROUNDING)
    undecided = equal_scores(expected) if isinstance(model, KernelSVC) else []
    others = np.flatnonzero(labels != model.predict(X))
    assert set(others) <= set(undecided)


def equal_scores(scores):
    """Rows whose two best classes have the same score but for rounding, which then decides.

    It happens to support vectors on the margins of two one-vs-rest machines: both values are -1.
    """
    if scores.ndim == 1:
        return np.flatnonzero(np.abs(scores) <= ROUNDING)
    best = np.sort(scores, axis=1)
    return np.flatnonzero(best[:, -1] - best[:, -2] <= ROUNDING)


@pytest.mark.parametrize("name", ["breast_cancer", "iris", "wine", "digits", "yeast", "ecoli"])
@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
def test_answers_are_ours_on_real_data(load, name, model):
    X, y = load(name)
    assert_same(model.fit(X[::2], y[::2]), X)


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
def test_single_precision_input_is_computed_in_double(load, model):
    X, y = load("wine")
    X = X.astype(np.float32)
    assert_same(model.fit(X[::2], y[::2]), X)


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
def test_pipeline_with_a_scaler(model):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 4)) * [1, 10, 1e3, 1e-3] + 50
    y = np.digitize((X - X.mean(axis=0))[:, 0], [-0.5, 1.2])
    assert_same(make_pipeline(StandardScaler(), model).fit(X, y), X)


def test_far_from_the_origin_nothing_cancels(load):
    X, y = load("iris")
    assert_same(KPBoostSVC(5.0, gamma=0.5).fit(X + 1e6, y), X + 1e6)


@pytest.mark.parametrize(
    "labels",
    [
        np.array(["ä rare", "common"]),
        np.array([-3, 7]),
        np.array([1.0, 2.0]),
        np.array([False, True]),
    ],
    ids=["text", "integers", "floats", "truth values"],
)
def test_labels_keep_their_kind(load, labels):
    X, y = load("breast_cancer")
    model = KPBoostSVC(5.0).fit(X, labels[y])
    predicted, _ = answers(model, X[:50])
    assert predicted.tolist() == model.predict(X[:50]).tolist()


def test_labels_of_objects(load):
    X, y = load("iris")
    model = KPBoostSVC(5.0).fit(X, np.array(["a", "b", "c"], dtype=object)[y])
    assert answers(model, X)[0].tolist() == model.predict(X).tolist()


@pytest.mark.filterwarnings("ignore:No round met the conditions")
def test_zeros_fall_to_the_rarer_class():
    """Between two mirrored points the values are 0, or nearly; both sides agree what then."""
    X = np.array([[-1.0], [1.0], [3.0]])
    for y in ([0, 1, 1], [1, 0, 0]):
        model = KPBoostSVC(1e-3, gamma=1.0, n_estimators=1).fit(X, y)
        assert_same(model, np.array([[0.0], [1e9], [-1e9], [0.3]]))


def test_points_with_equal_neighbours_inherit_from_the_first(load):
    X, y = load("iris")
    twice, labels = np.repeat(X, 2, axis=0), np.repeat(y, 2)
    model = KPBoostSVC(5.0, roi_scale=1.0, perturbation_step=0.1).fit(twice[::3], labels[::3])
    assert_same(model, X)


def test_trained_on_sparse_points(load):
    from scipy import sparse

    X, y = load("wine")
    for roi_scale in (None, 1.0):
        model = KPBoostSVC(5.0, roi_scale=roi_scale).fit(sparse.csr_array(X), y)
        np.testing.assert_array_equal(answers(model, X)[0], model.predict(X))


def test_sample_weights_of_zero(load):
    X, y = load("wine")
    weight = (np.arange(y.size) % 3 > 0).astype(float)
    for roi_scale in (None, 1.0):
        assert_same(KPBoostSVC(5.0, roi_scale=roi_scale).fit(X, y, weight), X)


def test_a_model_that_learned_nothing(load):
    X, y = load("breast_cancer")
    model = KernelSVC(tol=1e6).fit(X, y)
    assert model.support_.size == 0
    assert_same(model, X)


def test_within_a_column_transformer_and_a_search(load):
    X, y = load("iris")
    steps = ColumnTransformer([("scaled", StandardScaler(), [0, 2]), ("kept", "passthrough", [1])])
    search = GridSearchCV(make_pipeline(steps, KPBoostSVC()), {"kpboostsvc__C": [1.0, 10.0]}, cv=2)
    assert_same(search.fit(X, y).best_estimator_, X)


def test_a_search_of_our_own(load):
    X, y = load("iris")
    search = KPBoostSVCCV((1.0, 10.0), perturbation_steps=(0.01, 0.1), cv=2)
    assert_same(make_pipeline(StandardScaler(), search).fit(X, y), X)


def test_the_usual_option_is_accepted(load):
    X, y = load("iris")
    model = KPBoostSVC().fit(X, y)
    skl2onnx.to_onnx(model, X[:1], options={id(model): {"zipmap": False}})
    with pytest.raises(ValueError, match="zipmap"):
        skl2onnx.to_onnx(model, X[:1], options={id(model): {"zipmap": True}})


def test_the_oldest_operators(load):
    X, y = load("iris")
    model = KPBoostSVC(roi_scale=1.0).fit(X, y)
    np.testing.assert_array_equal(answers(model, X, target_opset=13)[0], model.predict(X))
    with pytest.raises(ValueError, match="target_opset=12 is too old"):
        answers(model, X, target_opset=12)


@pytest.mark.parametrize("make", [KPBoostSVC, KernelSVC])
def test_other_kernels_are_refused_in_words(load, make):
    X, y = load("iris")
    with pytest.raises(ValueError, match=r"kernel='precomputed'.*only kernel='rbf' can"):
        answers(make(kernel="precomputed").fit(X @ X.T, y), X @ X.T)


def test_a_model_without_a_fit_is_refused():
    with pytest.raises(NotFittedError):
        answers(KPBoostSVC(), np.zeros((1, 2)))


def test_without_skl2onnx_the_extra_is_named():
    code = "import sys; sys.modules['skl2onnx'] = None; import kpboost.integrations.onnx"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert run.stderr.rstrip().endswith('pip install "kpboost[onnx]".')
