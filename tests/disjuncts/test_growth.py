"""All three connections next to others: the paper's searches word by word, scipy's components."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from hypothesis.extra.numpy import arrays
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from kpboost.disjuncts._finder import disjunct_counts, disjunct_labels

CONNECTIONS = ["directed", "weak", "strong"]


def by_searching(links):
    """Algorithm 2: a queue, and the lowest unvisited row whenever it is empty."""
    labels = np.full(len(links), -1)
    found = 0
    for start in range(len(links)):
        if labels[start] >= 0:
            continue
        labels[start], queue = found, [start]
        while queue:
            for v in links[queue.pop(0)]:
                if v >= 0 and labels[v] < 0:
                    labels[v] = found
                    queue.append(v)
        found += 1
    return labels


def by_scipy(links, connection):
    rows, columns = np.nonzero(links >= 0)
    places = rows.astype(np.int32), links[rows, columns]  # scipy 1.11 takes no other integers
    graph = sparse.csr_array((np.ones(rows.size), places), shape=(len(links), len(links)))
    return connected_components(graph, directed=True, connection=connection)[1]


def reference(links, connection):
    labels = by_searching(links) if connection == "directed" else by_scipy(links, connection)
    first = {label: row for row, label in reversed(list(enumerate(labels)))}
    return np.array([first[label] for label in labels])


def lowest_rows(labels):
    first = {label: row for row, label in reversed(list(enumerate(labels)))}
    return np.array([first[label] for label in labels])


def random_links(rng, n, width, missing):
    links = rng.integers(0, n, size=(n, width), dtype=np.int32)
    links[rng.random(links.shape) < missing] = -1
    return links


@pytest.mark.parametrize("connection", CONNECTIONS)
@settings(max_examples=80, deadline=None)
@given(
    arrays(
        np.float64, st.tuples(st.integers(1, 30), st.integers(1, 5)), elements=st.floats(0, 0.99)
    ),
    st.floats(0, 0.9),
)
def test_every_step_is_the_reference(connection, draws, missing):
    n, width = draws.shape
    links = np.where(draws < missing, -1, np.floor(draws * n)).astype(np.int32)
    counts = disjunct_counts(links, connection, width)
    for k in range(1, width + 1):
        labels, _ = disjunct_labels(links, connection, k, np.zeros(n, dtype=np.intp))
        np.testing.assert_array_equal(lowest_rows(labels), reference(links[:, :k], connection))
        assert counts[k - 1] == labels.max() + 1


@pytest.mark.parametrize("connection", CONNECTIONS)
@pytest.mark.parametrize("missing", [0.0, 0.5, 0.9])
def test_larger_graphs(connection, missing):
    links = random_links(np.random.default_rng(3), 2000, 6, missing)
    labels, _ = disjunct_labels(links, connection, 6, np.zeros(2000, dtype=np.intp))
    np.testing.assert_array_equal(lowest_rows(labels), reference(links, connection))


def test_readings_are_nested():
    links = random_links(np.random.default_rng(4), 500, 3, 0.5)
    strong, directed, weak = (
        disjunct_labels(links, c, 3, np.zeros(500, dtype=np.intp))[0]
        for c in ("strong", "directed", "weak")
    )
    for fine, coarse in ((strong, directed), (directed, weak)):
        assert len(np.unique(np.c_[fine, coarse], axis=0)) == fine.max() + 1


@pytest.mark.parametrize("connection", CONNECTIONS)
def test_a_chain_as_long_as_the_data(connection):
    """Each row links to the one before it: recursion would be this deep."""
    n = 200_000
    links = np.arange(-1, n - 1, dtype=np.int32)[:, None]
    expected = {"directed": n, "strong": n, "weak": 1}
    assert disjunct_counts(links, connection, 1).tolist() == [expected[connection]]


def test_a_chain_downwards_is_one_search():
    links = np.append(np.arange(1, 50, dtype=np.int32), -1).astype(np.int32)[:, None]
    assert disjunct_counts(links, "directed", 1).tolist() == [1]


@pytest.mark.parametrize("connection", CONNECTIONS)
def test_steps_beyond_the_last_link_change_nothing(connection):
    links = np.array([[1], [0], [-1]], dtype=np.int32)
    assert disjunct_counts(links, connection, 3).tolist() == [2, 2, 2]
    assert disjunct_counts(links[:, :0], connection, 2).tolist() == [3, 3]


def test_numbers_go_by_class_and_then_by_first_row():
    codes = np.array([1, 0, 1, 0, 1])
    links = np.array([[4], [-1], [-1], [-1], [0]], dtype=np.int32)
    labels, owners = disjunct_labels(links, "weak", 1, codes)
    assert labels.tolist() == [2, 0, 3, 1, 2]
    assert owners.tolist() == [0, 0, 1, 1]
