import pytest

from kpboost.reports._table import listed


@pytest.mark.parametrize(
    ("names", "text"),
    [([], "nothing"), (["a"], "a"), (["a", "b"], "a and b"), (("a", "b", "c"), "a, b and c")],
)
def test_commas_and_one_word(names, text):
    assert listed(names) == text
