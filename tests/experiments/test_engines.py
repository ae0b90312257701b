"""Engines that share work answer what their estimators answer one by one."""

import numpy as np
import pytest
from sklearn.preprocessing import scale

from kpboost.experiments import METHODS
from kpboost.experiments.engines import NO_ANSWER, build, try_on_split
from kpboost.experiments.methods import ONE_BY_ONE
from kpboost.experiments.splits import PreparedSplit

SHARING = [name for name, method in METHODS.items() if method.engine != ONE_BY_ONE]
GAMMA = 0.3


@pytest.fixture
def split(request):
    random = np.random.RandomState(3)
    n_classes = request.param
    codes = random.choice(n_classes, 90, p=[0.7, 0.3] if n_classes == 2 else [0.6, 0.25, 0.15])
    X = scale(random.normal(size=(90, 3)) + codes[:, None])
    return PreparedSplit(X, codes, 60, n_classes)


@pytest.mark.parametrize("split", [2, 3], indirect=True)
@pytest.mark.parametrize("name", SHARING)
def test_shared_work_changes_no_answer(name, split):
    method = METHODS[name]
    candidates = method.grids["quick"][0].candidates[:12]
    answers = try_on_split(method, candidates, GAMMA, split, [0] * len(candidates))
    for candidate, codes in zip(candidates, answers.codes, strict=True):
        model = build(method, candidate, GAMMA, 0).fit(*split.train)
        # Two solutions within the solver's tolerance may part on a point of the boundary.
        assert np.mean(codes == model.predict(split.test[0])) >= 29 / 30
    assert answers.errors == ("",) * len(candidates)
    assert (answers.fit_seconds >= 0).all()
    assert len(np.unique(answers.codes)) == split.n_classes


@pytest.mark.parametrize("split", [2], indirect=True)
@pytest.mark.parametrize("name", SHARING)
def test_large_data_sets_go_one_by_one_to_the_same_answers(name, split, monkeypatch):
    method = METHODS[name]
    candidates = method.grids["quick"][0].candidates[:2]
    shared = try_on_split(method, candidates, GAMMA, split, [0, 0]).codes
    monkeypatch.setattr("kpboost.experiments.splits.MOST_DENSE_POINTS", 50)
    assert not split.fits_dense
    alone = try_on_split(method, candidates, GAMMA, split, [0, 0]).codes
    assert np.mean(shared == alone) >= 29 / 30


@pytest.mark.parametrize("split", [2], indirect=True)
def test_a_candidate_that_fails_leaves_the_others_alone(split):
    candidates = [{"C": 1.0}, {"C": -1.0}, {"C": 10.0}]
    answers = try_on_split(METHODS["svm"], candidates, GAMMA, split, [0] * 3)
    assert answers.errors[1].startswith("ValueError: C=-1.0 is not allowed")
    assert (answers.codes[1] == NO_ANSWER).all()
    assert (answers.codes[[0, 2]] != NO_ANSWER).all()


def test_memory_that_runs_out_is_not_a_candidates_fault(monkeypatch):
    split = PreparedSplit(np.arange(8.0)[:, None], np.arange(8) % 2, 4, 2)

    def no_memory(*_):
        raise MemoryError

    monkeypatch.setattr("kpboost.svm.KernelSVC.fit", no_memory)
    with pytest.raises(MemoryError):
        try_on_split(METHODS["svm"], [{"C": 1.0}], GAMMA, split, [0])
