"""Quinlan's AddErrs: worked values, the binomial limit it approximates, and its joints."""

import pytest
from hypothesis import given, strategies as st
from scipy.stats import beta

from kpboost._core import added_errors
from support.reference.c45 import add_errs

# Worked by hand from the formula and its table, CF = 0.25.
WORKED = [
    (6, 0, 1.2378),
    (9, 0, 1.2848),
    (1, 0, 0.75),
    (16, 1, 1.5069),
    (14, 5, 1.7950),
    (100, 10, 2.8147),
    (2, 1, 0.7962),
]


@pytest.mark.parametrize(("cases", "errors", "expected"), WORKED)
def test_worked_values(cases, errors, expected):
    assert added_errors(cases, errors, 0.25) == pytest.approx(expected, abs=5e-5)


@given(
    cases=st.floats(0.01, 1e4),
    share=st.floats(0, 1),
    confidence=st.sampled_from([0.0005, 0.001, 0.003, 0.05, 0.1, 0.25, 0.3, 0.7, 1.0]),
)
def test_specification(cases, share, confidence):
    errors = share * cases
    assert added_errors(cases, errors, confidence) == pytest.approx(
        add_errs(cases, errors, confidence), rel=1e-9, abs=1e-9
    )


@pytest.mark.parametrize("cases", [5, 20, 300])
def test_without_errors_it_is_the_binomial_limit(cases):
    """Clopper and Pearson's, exactly."""
    limit = beta.ppf(0.75, 1, cases)
    assert added_errors(cases, 0, 0.25) == pytest.approx(cases * limit)


@pytest.mark.parametrize(("cases", "errors"), [(50, 5), (200, 30), (1000, 100)])
def test_with_errors_it_is_near_the_binomial_limit(cases, errors):
    limit = beta.ppf(0.75, errors + 1, cases - errors)
    assert errors + added_errors(cases, errors, 0.25) == pytest.approx(cases * limit, rel=0.01)


@pytest.mark.parametrize("cases", [2, 6, 50])
def test_less_confidence_adds_more(cases):
    added = [added_errors(cases, 1, confidence) for confidence in (0.01, 0.1, 0.25, 0.5)]
    assert added == sorted(added, reverse=True)
    assert added[0] > added[-1] or cases == 2  # at 2 cases the limit is 0.67 (N - e) or near it
