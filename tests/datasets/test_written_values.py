from datetime import date
from time import process_time

import numpy as np
import pytest
from hypothesis import given, strategies as st

from kpboost.datasets._written_values import (
    DATE_WAYS,
    UNIT_WAYS,
    date_ways,
    days_of,
    days_since_1970,
    different_units,
    number_of,
    number_ways,
    slip_among,
    unit_ways,
)

DAY = date(2024, 12, 31).toordinal() - date(1970, 1, 1).toordinal()


@pytest.mark.parametrize(
    ("words", "ways"),
    [
        (["2024-12-31", "2024-02-29"], ("Y-m-d",)),
        (["2024-12-31T10:00", "2024-12-31 10:00:05.25+02:00", "2024-12-31"], ("Y-m-d",)),
        (["2024/12/31"], ("Y/m/d",)),
        (["31.12.2024", "1.2.2024"], ("d.m.Y",)),
        (["01.02.2024"], ("d.m.Y",)),  # dots are never written month first
        (["31/12/2024", "01/02/2024"], ("d/m/Y",)),
        (["12/31/2024", "01/02/2024"], ("m/d/Y",)),
        (["31-12-2024"], ("d-m-Y",)),
        (["01/02/2024", "03/04/2024"], ("d/m/Y", "m/d/Y")),
    ],
)
def test_ways_of_writing_dates(words, ways):
    assert date_ways(words) == ways


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["2024-02-30"],
        ["2023-02-29"],
        ["2024-12-31", "soon"],
        ["31/12/2024", "12/31/2024"],
        ["2024-12-31", "31.12.2024"],
        ["12.31.2024"],
        ["31.12.24"],
        ["0000-01-01"],
        ["2024-12-31T24:00"],
        ["2024-12-31T10:00:60"],
        ["10:00"],
        ["2024"],
        ["1.2.3"],
        ["192.168.0.1"],
        ["٢٠٢٤-١٢-٣١"],
    ],
)
def test_what_is_no_column_of_dates(words):
    assert date_ways(words) == ()


@pytest.mark.parametrize(
    ("word", "days"),
    [
        ("1970-01-01", 0.0),
        ("2024-12-31", DAY),
        ("2024-12-31T06:00", DAY + 0.25),
        ("2024-12-31 06:00:00.000Z", DAY + 0.25),
        ("2024-12-31T06:00+06:00", DAY),
        ("2024-12-31T06:00-0600", DAY + 0.5),
    ],
)
def test_days(word, days):
    assert days_of(word, "Y-m-d") == pytest.approx(days)


@given(st.dates(), st.sampled_from([*DATE_WAYS]))
def test_every_date_comes_back_in_every_way(day, way):
    parts = {"Y": f"{day.year:04}", "m": f"{day.month:02}", "d": f"{day.day:02}"}
    mark, order = DATE_WAYS[way]
    number = days_of(mark.join(parts[part] for part in order), way)
    assert number == day.toordinal() - date(1970, 1, 1).toordinal()


def test_moments_of_numpy_are_days():
    moments = np.array(["2024-12-31T06:00", "NaT"], dtype="datetime64[s]")
    np.testing.assert_allclose(days_since_1970(moments), [DAY + 0.25, np.nan])
    spans = np.array([36, "NaT"], dtype="timedelta64[h]")
    np.testing.assert_allclose(days_since_1970(spans), [1.5, np.nan])


@pytest.mark.parametrize(
    ("words", "ways"),
    [
        (["1,5", "2", "-3,25"], ("1234,5",)),
        (["0,125"], ("1234,5",)),  # a thousand is never written with a leading 0
        (["1,5e3"], ("1234,5",)),
        (["1234,567"], ("1234,5",)),
        (["1.234,5", "950", "12.345.678,9"], ("1.234,5",)),
        (["1.234.567", "950"], ("1.234,5",)),
        (["1.234.567.890", "950"], ("1.234,5",)),
        (["1.234.567.890,5", "1.234.567.891,5"], ("1.234,5",)),
        (["1,234.5", "950"], ("1,234.5",)),
        (["1,234,567"], ("1,234.5",)),
        (["1,234", "12,345"], ("1234,5", "1,234.5")),
        (["1 234,5", "950"], ("1 234,5",)),
        (["1 234.5", "950"], ("1 234.5",)),
        (["1\u202f234.5", "1\u00a0234"], ("1 234.5",)),
    ],
)
def test_ways_of_writing_numbers(words, ways):
    assert number_ways(words) == ways


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["1", "2.5"],  # these are numbers already
        ["1,5", "many"],
        ["1,5", "1.5"],
        ["1.234,5", "1234,5"],
        ["1,2,3"],
        ["a,b"],
        [","],
        ["1,"],
        [",5"],
        ["1.23,4"],
        ["1,5e999"],
        ["192.168.100.200", "192.168.100.201"],  # addresses in a network
        ["100 200", "640 480"],  # without a decimal, these may be sizes
        ["1 23,4"],
    ],
)
def test_what_is_no_column_of_such_numbers(words):
    assert number_ways(words) == ()


@pytest.mark.parametrize(
    ("word", "way", "number"),
    [
        ("1,5", "1234,5", 1.5),
        ("-0,25", "1234,5", -0.25),
        ("1.234,5", "1.234,5", 1234.5),
        ("1.234", "1.234,5", 1234.0),
        ("1,234.5", "1,234.5", 1234.5),
        ("1.5", "1234,5", None),
        ("1,5", "1,234.5", None),
        ("1 234,5", "1 234,5", 1234.5),
        ("1 234.5", "1 234.5", 1234.5),
        ("44.4%", "1234.5 %", 44.4),
        ("44.4 %", "1234.5 %", 44.4),
        ("44.4", "1234.5 %", 44.4),  # the unit may be left out in new rows
        ("44,4%", "1234.5 %", None),
        ("$44.4", "1234.5 %", None),
        ("-$1,200.50", "1,234.5 $", -1200.5),
        ("$-1,200.50", "1,234.5 $", -1200.5),
        ("1\u202f200,50\u00a0€", "1 234,5 €", 1200.5),
        ("-$-5", "1234.5 $", None),
        ("$", "1234.5 $", None),
    ],
)
def test_numbers(word, way, number):
    assert number_of(word, way) == number


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ([f"{k},25" for k in range(99)] + ["3.5"], ("numbers with a decimal comma", "3.5")),
        ([f"{k}.250,5" for k in range(1, 60)] + ["x"], ("numbers with thousands dots", "x")),
        ([f"2024-01-{k:02}" for k in range(1, 29)] + ["soon"], ("dates written Y-m-d", "soon")),
        (["a", "b", "1,5"], None),
        ([f"word {k}" for k in range(50)] + ["1,5"], None),
        ([f"{k},5" for k in range(10)] + ["x"], None),  # one of eleven: no slip
        ([f"{k},5 €" for k in range(40)] + ["free"], ("numbers written 1234,5 €", "free")),
        ([f"{k}.5%" for k in range(40)] + ["5"], ("numbers written 1234.5 %", "5")),
        ([f"{k}.5%" for k in range(10)] + ["5"], None),
        ([str(k) for k in range(50)] + ["x"], None),  # plain numbers are the reader's business
    ],
)
def test_a_slip_among_dates_or_numbers(words, found):
    assert slip_among(words) == found


@pytest.mark.parametrize(
    ("words", "ways"),
    [
        (["44.4%", "7 %", "-3%", ".5%"], ("1234.5 %",)),
        (["1.234%"], ("1234.5 %",)),
        (["1,234%"], ("1234,5 %", "1,234.5 %")),
        (["€ 30,51", "€7", "8 €"], ("1234,5 €",)),
        (["$1,200.50", "$3"], ("1,234.5 $",)),
        (["1 200,50 kr", "3 kr"], ("1 234,5 kr",)),
        (["USD 12", "12.5 USD"], ("1234.5 USD",)),
        (["US$5", "US$ 6"], ("1234.5 US$",)),
        (["$1,200", "$950"], ("1,234.5 $",)),  # whole ones beside it: no decimals
        (["€ 1.200", "€ 950"], ("1.234,5 €",)),
        (["$1,200", "$9,500"], ("1234,5 $", "1,234.5 $")),
        (["€ 1.749", "€ 1.819", "€ 0"], ("1234.5 €", "1.234,5 €")),
    ],
)
def test_ways_of_writing_numbers_with_a_unit(words, ways):
    assert unit_ways(words) == ways
    assert {*ways} <= UNIT_WAYS.keys()


@pytest.mark.parametrize(
    "words",
    [
        [],
        [""],
        ["%"],
        ["1", "2.5"],
        ["5%", "5"],
        ["5%", "many"],
        ["5 €", "5 $"],
        ["5 €", "5 EUR"],
        ["€ 5 €"],
        ["5 kg"],
        ["CAD 007"],  # a number of a drawing
        ["€ 1.2.3"],
        ["5  €"],
        ["€ 1,5", "€ 1.5"],
        ["1" * 60 + "%"],
        ["٣%"],
    ],
)
def test_what_is_no_column_of_numbers_with_a_unit(words):
    assert unit_ways(words) == ()


def test_units_that_differ_are_shown():
    assert different_units(["€ 3", "€ 4", "$ 3"]) == ("€ 3", "$ 3")
    assert different_units(["€ 3", "EUR 4"]) == ("€ 3", "EUR 4")
    for words in (["€ 3", "€ 4"], ["€ 3", "$ 3", "free"], ["€ 3", "4"], []):
        assert different_units(words) is None


@given(st.decimals(-(10**8), 10**8, places=2), st.sampled_from(["{}%", "{} %", "€{}", "CHF {}"]))
def test_every_amount_comes_back(amount, form):
    (way,) = unit_ways([form.format(amount)])
    assert number_of(form.format(amount), way) == float(amount)


@pytest.mark.parametrize("piece", ["1", "1,", "1 ", "1 234", "€", "% ", ".", "-", "1.234,"])
def test_hostile_words_take_no_time(piece):
    words = [piece * 40_000, "€" + piece * 40_000, piece * 40_000 + "%"]
    start = process_time()
    for word in words:
        unit_ways([word])
        number_ways([word])
        different_units([word])
        slip_among([word] * 3)
    assert process_time() - start < 2  # squared, it would be an hour
