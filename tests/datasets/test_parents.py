import pytest

from kpboost.datasets._catalogue import parent, parents


def test_a_parent_of_which_nothing_is_known_has_a_name_only():
    assert parent("nobody").name == "nobody"
    assert not parent("nobody").common
    assert parent("nobody").nominal == {}


@pytest.mark.parametrize("known", parents().values(), ids=lambda known: known.name)
def test_facts(known):
    assert known.common or known.openml or known.sklearn
    assert not known.columns or known.columns[-1] == "class"
    assert not known.openml or known.openml.partition(":")[2].isdigit()
    for categories in known.nominal.values():
        assert len(categories) == len(set(categories)) >= 2


def test_abalones_sexes_are_in_keels_order():
    assert parent("abalone").nominal == {"Sex": ("M", "F", "I")}
