"""Quick training, for tests of what is done with a model rather than of how it was chosen.

A folder of tests takes it by importing one of the fixtures in its conftest.
"""

from dataclasses import replace

import pytest

from kpboost.experiments._queue import _parts
from kpboost.methods import METHODS
from kpboost.methods._grids import PAPER_WIDTHS, QUICK_WIDTHS, over
from kpboost.model_files import _evaluation

_SVM_GRIDS = {
    "quick": over({"C": (10.0,)}, QUICK_WIDTHS[1:3]),
    "paper": over({"C": (1.0, 10.0)}, PAPER_WIDTHS[16:17]),
}
SMALL_GRIDS = {
    "svm": _SVM_GRIDS,
    "svm_balanced": _SVM_GRIDS,
    "rare_class": {"quick": over({"n_trees": (30,)})},
}
# Of the forest that every saved model is compared with.
FEW_TREES = 5


@pytest.fixture(autouse=True, scope="module")
def few_trees():
    """Make the forest beside a saved model a small one, in all tests and fixtures of a module."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_evaluation, "N_TREES", FEW_TREES)
        yield


@pytest.fixture(autouse=True, scope="module")
def few_candidates():
    """Let methods choose between few candidates, in all tests and fixtures of a module."""
    with pytest.MonkeyPatch.context() as patch:
        for name, grids in SMALL_GRIDS.items():
            own = {**METHODS[name].grids, **grids}
            patch.setitem(METHODS, name, replace(METHODS[name], grids=own))
        _parts.cache_clear()  # it remembers grids by the names of methods
        yield
    _parts.cache_clear()
