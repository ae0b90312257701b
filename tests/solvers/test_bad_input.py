"""Bad input is refused before any work, with a sentence that names what was wrong."""

import numpy as np
import pytest
from scipy import sparse

from kpboost.solvers import solve_dual

N = 6
GRAM = np.eye(N) + 0.5
Y = np.array([1.0, -1.0] * (N // 2))


def with_entry(matrix, value, *places):
    changed = np.array(matrix, dtype=float)
    for place in places:
        changed[place] = value
    return changed


BAD_GRAMS = {
    "flat": (np.ones(N), r"gram .*square"),
    "wide": (np.ones((N, N + 1)), r"gram has shape \(6, 7\).*square"),
    "deep": (np.ones((N, N, N)), r"gram .*square"),
    "number": (3.0, r"gram .*square"),
    "nan": (with_entry(GRAM, np.nan, (2, 3), (3, 2)), r"gram .*NaN"),
    "nan, lower": (with_entry(GRAM, np.nan, (5, 0)), r"gram .*NaN"),
    "nan, diagonal": (with_entry(GRAM, np.nan, (4, 4)), r"gram .*NaN"),
    "inf": (with_entry(GRAM, np.inf, (2, 3), (3, 2)), r"gram .*infinity"),
    "inf, diagonal": (with_entry(GRAM, -np.inf, (5, 5)), r"gram .*infinity"),
    "asymmetric": (with_entry(GRAM, 0.7, (1, 4)), r"gram is not symmetric.*0\.2"),
    "triangle": (np.tril(GRAM), r"gram is not symmetric"),
    "complex": (GRAM * 1j, r"gram has dtype complex128"),
    "words": (GRAM.astype(str), r"gram has dtype"),
    "empty": (np.zeros((0, 0)), r"gram|y"),
    "sparse": (sparse.csr_array(GRAM), r"gram is sparse; it must be a dense array"),
}
BAD_LABELS = {
    "0 and 1": (np.array([0, 1] * 3), r"y must hold -1 and \+1"),
    "0 to 2": (np.array([0, 1, 2] * 2), r"y must hold -1 and \+1"),
    "fractions": (0.5 * Y, r"y must hold -1 and \+1"),
    "nan": (with_entry(Y, np.nan, 2), r"y contains NaN"),
    "short": (Y[:-1], r"y has shape \(5,\).*\(6,\)"),
    "column": (Y[:, None], r"y has shape \(6, 1\)"),
    "number": (1.0, r"y has shape"),
    "words": (["a", "b"] * 3, r"y has dtype <U1; it must hold real numbers"),
    "complex": (1j * Y, r"y has dtype complex128"),
    "ragged": ([[1], [1, 2]], r"y has dtype object"),
}
BAD_BOUNDS = {
    "zero": (0.0, r"C is 0"),
    "negative": (-1.0, r"C is -1"),
    "nan": (np.nan, r"C is nan"),
    "inf": (np.inf, r"C is inf"),
    "one negative": (with_entry(np.ones(N), -2.0, 3), r"C holds -2.*negative"),
    "one nan": (with_entry(np.ones(N), np.nan, 3), r"C contains NaN"),
    "one inf": (with_entry(np.ones(N), np.inf, 3), r"C contains .*infinity"),
    "short": (np.ones(N - 1), r"C has shape \(5,\).*\(6,\)"),
    "column": (np.ones((N, 1)), r"C has shape \(6, 1\)"),
    "word": ("a", r"C has dtype <U1; it must hold real numbers"),
    "none": (None, r"C has dtype object"),
}
BAD_OPTIONS = {
    "scale nan": ({"scale": with_entry(np.ones(N), np.nan, 0)}, r"scale contains NaN"),
    "scale inf": ({"scale": with_entry(np.ones(N), np.inf, 5)}, r"scale contains .*infinity"),
    "scale short": ({"scale": np.ones(2)}, r"scale has shape \(2,\)"),
    "scale number": ({"scale": 2.0}, r"scale has shape"),
    "start nan": ({"start": with_entry(np.ones(N), np.nan, 0)}, r"start contains NaN"),
    "start long": ({"start": np.ones(N + 1)}, r"start has shape \(7,\)"),
    "tol zero": ({"tol": 0.0}, r"tol is 0"),
    "tol negative": ({"tol": -1e-3}, r"tol is -0\.001"),
    "tol nan": ({"tol": np.nan}, r"tol is nan"),
    "tol inf": ({"tol": np.inf}, r"tol is inf"),
    "max_iter zero": ({"max_iter": 0}, r"max_iter is 0"),
    "max_iter negative": ({"max_iter": -1}, r"max_iter is -1"),
    "max_iter fraction": ({"max_iter": 1.5}, r"max_iter is 1\.5"),
    "max_iter inf": ({"max_iter": np.inf}, r"max_iter is inf"),
    "max_iter nan": ({"max_iter": np.nan}, r"max_iter is nan"),
    "max_iter huge": ({"max_iter": 2**70}, r"max_iter is 1180591620717411303424"),
    "max_iter word": ({"max_iter": "many"}, r"max_iter is 'many'"),
    "tol word": ({"tol": "small"}, r"tol is 'small'"),
    "tol none": ({"tol": None}, r"tol is None"),
    "scale words": ({"scale": ["1"] * N}, r"scale has dtype"),
    "stop flag": ({"stop": True}, r"stop is True; it must be a StopFlag or None"),
    "max_iter bool": ({"max_iter": True}, r"max_iter is True"),
}


def cases(table):
    return pytest.mark.parametrize(("value", "sentence"), table.values(), ids=table)


@pytest.fixture(autouse=True)
def no_work(monkeypatch):
    """The core is never reached."""

    def reached(*arguments):
        raise RuntimeError("the solver started")

    monkeypatch.setattr("kpboost.solvers._dual._core.solve_dual", reached)


@pytest.mark.parametrize("max_iter", [None, 7, np.int64(7), 7.0])
def test_good_input_reaches_the_solver(max_iter):
    with pytest.raises(RuntimeError, match="the solver started"):
        solve_dual(GRAM, Y, 1.0, max_iter=max_iter)


@cases(BAD_GRAMS)
def test_gram(value, sentence):
    with pytest.raises(ValueError, match=sentence):
        solve_dual(value, Y[: value.shape[0]] if np.shape(value) else Y, 1.0)


@cases(BAD_LABELS)
def test_labels(value, sentence):
    with pytest.raises(ValueError, match=sentence):
        solve_dual(GRAM, value, 1.0)


@cases(BAD_BOUNDS)
def test_bounds(value, sentence):
    with pytest.raises(ValueError, match=sentence):
        solve_dual(GRAM, Y, value)


@cases(BAD_OPTIONS)
def test_options(value, sentence):
    with pytest.raises(ValueError, match=sentence):
        solve_dual(GRAM, Y, 1.0, **value)


@cases(BAD_OPTIONS | {"bounds": ({"C": np.nan}, r"C is nan")})
def test_refused_for_one_class_too(value, sentence):
    """The short way out for trivial problems comes after the checks."""
    with pytest.raises(ValueError, match=sentence):
        solve_dual(GRAM, np.ones(N), **({"C": 1.0} | value))


def test_a_whole_float_is_a_number_of_steps(monkeypatch):
    monkeypatch.undo()
    assert solve_dual(GRAM, Y, 1.0, max_iter=1e4).status == "converged"
