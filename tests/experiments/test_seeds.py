from kpboost.experiments._partitions import seed_of


def test_names_and_seed_decide():
    assert seed_of(0, "wine", 1, "svm") == seed_of(0, "wine", 1, "svm")
    others = [(1, "wine", 1, "svm"), (0, "wine", 2, "svm"), (0, "win", "e", 1, "svm")]
    assert len({seed_of(0, "wine", 1, "svm"), *(seed_of(*own) for own in others)}) == 4


def test_seeds_are_those_of_every_machine():
    # Frozen: another number would mean that old stores cannot be continued.
    assert seed_of(0, "wine", "partition") == 1376054138


def test_seeds_fit_into_a_random_state():
    assert all(0 <= seed_of(0, name) < 2**32 for name in range(200))
