import numpy as np
import pytest
from sklearn.model_selection import StratifiedKFold

from kpboost.experiments._splits import outer_splits, seed_of
from kpboost.model_selection import inner_splits

CODES = np.repeat([0, 1], [40, 12])


def split(codes, protocol, n_folds=None, given=None, name="set", seed=0):
    return outer_splits(
        codes, protocol=protocol, n_folds=n_folds, seed=seed, name=name, given=given
    )


@pytest.mark.parametrize(("protocol", "n"), [("nested", 5), ("stated", 10), ("published", 5)])
def test_two_classes_get_stratified_folds(protocol, n):
    folds = StratifiedKFold(n, shuffle=True, random_state=seed_of(0, "set", "partition"))
    found = split(CODES, protocol)
    assert len(found) == n
    for own, expected in zip(found, folds.split(CODES, CODES), strict=True):
        np.testing.assert_array_equal(own[0], expected[0])
        np.testing.assert_array_equal(own[1], expected[1])


def test_published_holds_out_thirty_percent_of_every_class_rounded_up():
    codes = np.repeat([0, 1, 2], [50, 11, 10])
    ((train, test),) = split(codes, "published")
    assert np.bincount(codes[test]).tolist() == [15, 4, 3]
    assert sorted([*train, *test]) == list(range(codes.size))


@pytest.mark.parametrize("protocol", ["nested", "stated"])
def test_other_protocols_have_folds_for_more_classes(protocol):
    assert len(split(np.repeat([0, 1, 2], 20), protocol)) > 1


def test_number_of_folds_and_given_folds():
    given = [(np.arange(0, 52, 2), np.arange(1, 52, 2))]
    assert len(split(CODES, "nested", n_folds=3, given=given)) == 3
    np.testing.assert_array_equal(split(CODES, "stated", given=given)[0][1], given[0][1])


@pytest.mark.parametrize(("protocol", "fewest"), [("nested", 2), ("stated", 1), ("published", 1)])
def test_given_folds_must_leave_something_to_learn_from(protocol, fewest):
    enough, too_few = (np.arange(40 + members) for members in (fewest, fewest - 1))
    assert len(split(CODES, protocol, given=[(enough, np.arange(45, 52))])) == 1
    both = [(enough, np.arange(45, 52)), (too_few, np.arange(45, 52))]
    with pytest.raises(ValueError, match=f"fold 2 has a class of {fewest - 1} .* needs {fewest}"):
        split(CODES, protocol, given=both)
    assert len(split(CODES, protocol, n_folds=4, given=both)) == 4


def test_partitions_depend_on_name_and_seed_alone():
    tests = [
        split(CODES, "nested", name=name, seed=seed)[0][1].tolist()
        for name, seed in (("a", 0), ("a", 0), ("b", 0), ("a", 1))
    ]
    assert tests[0] == tests[1]
    assert tests[0] != tests[2]
    assert tests[0] != tests[3]


def test_inner_splits_stay_inside_the_training_part():
    train, test = split(CODES, "nested")[0]
    for inner, held in inner_splits(CODES, train, 7):
        assert not set(inner) & set(held)
        assert set(inner) | set(held) == set(train)
        assert not set(held) & set(test)
        assert len(np.unique(CODES[held])) == 2


@pytest.mark.parametrize("rare", [3, 4])
def test_tiny_classes_are_in_every_part_of_nested_splits(rare):
    codes = np.repeat([0, 1], [30, rare])
    for train, test in split(codes, "nested"):
        assert np.bincount(codes[test]).min() > 0
        for inner, held in inner_splits(codes, train, 0):
            assert np.bincount(codes[inner]).min() > 0
            assert np.bincount(codes[held]).min() > 0


@pytest.mark.parametrize(
    ("codes", "words"), [([0] * 9, "one class"), ([0] * 9 + [1] * 2, "class of 2")]
)
def test_what_cannot_be_split_is_refused_in_words(codes, words):
    with pytest.raises(ValueError, match=words):
        split(np.array(codes), "nested")


def test_names_and_seed_decide():
    assert seed_of(0, "wine", 1, "svm") == seed_of(0, "wine", 1, "svm")
    others = [(1, "wine", 1, "svm"), (0, "wine", 2, "svm"), (0, "win", "e", 1, "svm")]
    assert len({seed_of(0, "wine", 1, "svm"), *(seed_of(*own) for own in others)}) == 4


def test_seeds_are_those_of_every_machine():
    # Frozen: another number would mean that old stores cannot be continued.
    assert seed_of(0, "wine", "partition") == 1376054138


def test_seeds_fit_into_a_random_state():
    assert all(0 <= seed_of(0, name) < 2**32 for name in range(200))
