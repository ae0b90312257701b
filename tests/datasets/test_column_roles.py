import uuid

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, strategies as st

from kpboost.datasets import (
    ColumnChoices,
    ColumnRole,
    DataError,
    load,
    read_dataset,
    read_table,
    role_sentences,
)
from kpboost.datasets._column_roles import _Rows, roles_of, with_roles
from kpboost.datasets._table import Column
from kpboost.datasets._text import Origin, nominal_column
from support.shared_data import data_folder, data_names

N = 200


def rng():
    return np.random.default_rng(0)


def number(values, name="c"):
    return Column(name, "number", np.asarray(values, dtype=float))


def text(words, name="c"):
    return nominal_column(name, [str(word) for word in words], None, Origin("t"))


def noise(n_rows=N):
    """A column that tells the rows apart, as in any real table."""
    return number(rng().normal(size=n_rows), "noise")


def role(column):
    """What a column of a table is, or None for a feature; whether it is alone must not matter."""
    alone, *_ = (*roles_of([column]), None)
    columns = [column, noise(column.values.size)]
    found = next((each for each in roles_of(columns) if each.name == column.name), None)
    assert found == alone
    return found


def kind(column):
    found = role(column)
    return None if found is None else found.kind


def digests():
    state = rng()
    return [uuid.UUID(bytes=state.bytes(16)) for _ in range(N)]


IDENTIFIERS = {
    "1 to n": number(range(1, N + 1)),
    "shuffled": number(rng().permutation(N)),
    "with gaps": number(rng().choice(4 * N, N, replace=False)),
    "from a high start": number(7_000_000 + np.arange(N)),
    "a few missing": number([np.nan, *range(N - 1)]),
    "a few twice": number([3, 4, *range(N - 2)]),
    "in steps of 1000": number(1000 * np.arange(N)),
    "falling": number(50 * np.arange(N)[::-1]),
    "names": text(f"person {i}" for i in range(N)),
    "names, some twice": text(f"person {max(i, N // 20)}" for i in range(N)),
    "keys": text(f"A-{i:05}" for i in rng().permutation(N)),
    "uuids": text(digests()),
    "uuids, two rows each": text((digests()[: N // 2]) * 2),
    "hashes, two rows each": text([each.hex for each in digests()[: N // 2]] * 2),
    "far apart, but named so": number(rng().choice(10**9, N, replace=False), "customer_id"),
    "two rows each, named so": number(np.repeat(rng().choice(10**6, N // 2), 2), "PatientID"),
    "text of two rows each, named so": text([f"P{i // 2}" for i in range(N)], "patient id"),
}
FEATURES = {
    "fractions": number(rng().normal(size=N)),
    "unique fractions in order": number(np.sort(rng().normal(size=N))),
    "halves 0.5, 1, 1.5, ...": number(np.arange(N) / 2),
    "ages": number(rng().integers(18, 90, N)),
    "salaries, none twice": number(rng().choice(100_000, N, replace=False)),
    "sorted salaries, none twice": number(np.sort(rng().choice(100_000, N, replace=False))),
    "around zero": number(rng().permutation(N) - N // 2),
    "years": number(rng().integers(1950, 2020, N)),
    "always the same": number(np.ones(N)),
    "nothing": number(np.full(N, np.nan)),
    "mostly missing": number([*range(N // 4), *[np.nan] * (N - N // 4)]),
    "codes named so": number(rng().integers(0, 9, N), "product_id"),
    "fractions named so": number(rng().normal(size=N), "id"),
    "a name that only sounds so": number(rng().choice(10**6, N, replace=False), "humidity"),
    "words": text(rng().choice(["red", "blue"], N)),
    "many towns": text(f"town {i % 90}" for i in range(N)),
    "short codes of four letters": text(f"{i % 40:04x}" for i in range(N)),
    "few uuids": text(digests()[:9] * (N // 9) + digests()[: N % 9]),
    "truth": text(rng().choice(["True", "False"], N)),
    "mixed case": text(rng().choice(["yes", "Yes", "NO"], N)),
}


@pytest.mark.parametrize("name", IDENTIFIERS)
def test_identifiers(name):
    found = role(IDENTIFIERS[name])
    assert found is not None
    assert (found.kind, found.asked) == ("identifier", False)
    assert found.reason


@pytest.mark.parametrize("name", FEATURES)
def test_what_looks_like_an_identifier_and_is_none(name):
    assert role(FEATURES[name]) is None


def sentences(n_different, n_words=9):
    vocabulary = np.array(["the", "parcel", "came", "late", "and", "box", "was", "open", "again"])
    drawn = rng().choice(vocabulary, (n_different, n_words - 1))
    return [f"{' '.join(words)} {number}" for number, words in enumerate(drawn)]


def test_free_text_is_no_identifier():
    found = role(text(sentences(N)))
    assert found.kind == "text"
    assert found.is_left_out
    assert found.reason == "200 different texts, about 9 words each"
    assert kind(text(sentences(N // 2) * 2)) == "text"
    assert kind(text(sentences(N, n_words=3))) == "identifier"
    assert kind(text(sentences(N // 4) * 4)) is None  # reasons from a list are categories


def test_free_text_has_a_line_that_says_what_to_do():
    (line,) = role_sentences(roles_of([text(sentences(N), "comment"), noise()]))
    assert line.startswith("Left out as free text: 'comment' (200 different texts, about 9 words")
    assert "TfidfVectorizer" in line
    assert "--keep NAME" in line
    assert "identifier" not in line


def test_few_rows_tell_nothing():
    assert roles_of([number([1, 2, 3]), text("abc", "d")]) == ()


def test_rows_that_were_entered_again_count_once():
    columns = [number(range(1, N + 1)), text(digests(), "u"), noise()]
    assert len(roles_of(columns)) == 2
    again = [
        Column(c.name, c.kind, np.tile(c.values, 3)[: 5 * N // 2], c.categories) for c in columns
    ]
    assert [each.kind for each in roles_of(again)] == ["identifier", "identifier"]
    # but a number that repeats while the rest of the row differs is none
    again[2] = number(rng().normal(size=5 * N // 2), "noise")
    assert roles_of(again[::2]) == ()


def test_rows_that_the_other_columns_do_not_tell_apart_are_no_copies():
    ages = rng().integers(20, 90, 100)
    columns = [number(ages, "age"), number(ages // 10, "decade")]
    assert np.unique(ages).size > 50
    assert roles_of(columns) == ()


def test_rows_entered_again_cost_a_look_only_where_they_may_matter(monkeypatch):
    asked = []
    kept = _Rows.are_repeated
    monkeypatch.setattr(
        _Rows,
        "are_repeated",
        lambda rows, column, place: asked.append(column.name) or kept(rows, column, place),
    )
    columns = [number(rng().permutation(N)), number(rng().integers(0, 9, N), "n"), noise()]
    again = [number(np.append(each.values, each.values), each.name) for each in columns]
    assert [each.name for each in roles_of(again)] == ["c"]
    assert asked == ["c"]


def test_dates_become_days_weekday_and_month():
    days = np.arange("2024-03-01", "2024-05-01", dtype="datetime64[D]")
    column = text([f"{str(day)[8:]}.{str(day)[5:7]}.{str(day)[:4]}" for day in days], "signup")
    (found,) = roles_of([column])
    assert (found.kind, found.way, found.parts) == ("date", "d.m.Y", ("days", "weekday", "month"))
    made = with_roles([column], [found])
    assert [each.name for each in made] == ["signup (days)", "signup (weekday)", "signup (month)"]
    np.testing.assert_array_equal(made[0].values, days.astype(int))
    assert made[1].values[:4].tolist() == [5, 6, 7, 1]  # 2024-03-01 was a Friday
    assert sorted({*made[2].values.tolist()}) == [3, 4]


def test_weekday_and_month_of_any_day():
    days = pd.to_datetime(rng().integers(-100_000, 80_000, N), unit="D")
    made = with_roles([text(days.strftime("%Y-%m-%d"))], [role(text(days.strftime("%Y-%m-%d")))])
    assert made[1].values.tolist() == (days.day_of_week + 1).tolist()
    assert made[2].values.tolist() == days.month.tolist()
    far = Column("c", "date", np.array([-1e9, 1e9]))  # years that Python's dates do not reach
    assert len(with_roles([far], roles_of([far]))) == 3


def test_what_does_not_vary_is_no_column():
    assert role(text(["2024-03-04", "2024-03-11", "2024-03-18"])).parts == ("days",)
    assert role(text(["2024-03-04", "2024-04-01"])).parts == ("days", "month")


def test_dates_that_nobody_can_tell_apart_stay_as_they_are():
    column = text(["01/02/2024", "03/04/2024"])
    (found,) = roles_of([column])
    assert (found.kind, found.reason) == ("unclear", "'01/02/2024' may be d/m/Y or m/d/Y")
    assert with_roles([column], [found]) == (column,)


def test_missing_dates_stay_missing():
    column = text(["2024-03-04", "", "2024-04-05"])
    made = with_roles([column], roles_of([column]))
    assert [bool(np.isnan(each.values[1])) for each in made] == [True, True, True]


def test_numbers_with_a_comma():
    column = text(["1,5", "", "2"])
    (found,) = roles_of([column])
    assert (found.kind, found.way) == ("number", "1234,5")
    np.testing.assert_array_equal(with_roles([column], [found])[0].values, [1.5, np.nan, 2.0])


def test_each_way_of_writing_numbers_has_words_of_its_own():
    reasons = {word: role(text([word, "950"])).reason for word in ("1,5", "1.234.567", "1,234.5")}
    assert [*reasons.values()] == [
        "with a decimal comma",
        "with thousands dots",
        "with thousands commas",
    ]


def test_a_thousand_or_a_little_more_than_one():
    found = role(text(["1,234", "5,678"]))
    assert (found.kind, found.reason) == ("unclear", "'1,234' may be 1.234 or 1234")


def test_unique_numbers_with_a_comma_are_measures_and_unique_dates_are_dates():
    assert kind(text(f"{i},5" for i in range(N))) == "number"
    days = np.arange("2024-01-01", N, dtype="datetime64[D]")
    assert kind(text(days)) == "date"


PRICES = [f"{i % 90 + 10},{i % 100:02}" for i in range(N)]


@pytest.mark.parametrize(
    ("form", "way", "reason"),
    [
        ("{}%", "1234,5 %", "in %: '10,00%' is read as 10"),
        ("€ {}", "1234,5 €", "in €: '€ 10,00' is read as 10"),
        ("{} SEK", "1234,5 SEK", "in SEK: '10,00 SEK' is read as 10"),
    ],
)
def test_numbers_with_a_unit_are_measures(form, way, reason):
    column = text(form.format(price) for price in PRICES)
    found = role(column)
    assert (found.kind, found.way, found.reason) == ("number", way, reason)
    (made,) = with_roles([column], [found])
    assert made.values.tolist() == [float(price.replace(",", ".")) for price in PRICES]


def test_a_percentage_keeps_its_figure_and_says_so():
    (line,) = role_sentences(roles_of([text(["44.4%", "7%", ""], "rate")]))
    assert line == "Read as numbers: 'rate' (in %: '44.4%' is read as 44.4)."


def test_different_units_are_no_numbers():
    prices = [f"{'€$'[i % 2]} {price}" for i, price in enumerate(PRICES)]
    found = role(text(prices))
    assert (found.kind, found.reason) == ("mixed", "'$ 11,01' and '€ 10,00'")
    (line,) = role_sentences([found])
    assert line.startswith("Left out, as their units are not written alike: 'c' ('$ 11,01' and ")
    assert with_roles([text(prices)], [found]) == ()


def test_few_different_units_stay_categories():
    column = text(["10%", "5 €"] * (N // 2))
    found = role(column)
    assert (found.kind, with_roles([column], [found])) == ("unclear", (column,))
    assert role_sentences([found]) == (
        "Left as categories, as it is not clear what they mean: 'c' (the units of '10%' and '5 €' "
        "are not written alike).",
    )


def test_a_word_among_prices_is_a_slip():
    column = text([*(f"€ {price}" for price in PRICES), "free"], "price")
    with pytest.raises(DataError, match=r"'price' holds 'free' among numbers written 1234,5 €;"):
        roles_of([column])


def test_a_class_of_many_percentages_is_an_amount(tmp_path):
    lines = [f"{i % 7},{i % 60 + 10}.5%" for i in range(N)]
    (tmp_path / "t.csv").write_text("\n".join(["a,share", *lines]))
    with pytest.raises(DataError, match="60 different numbers: an amount rather than classes"):
        read_dataset(tmp_path / "t.csv")


def test_the_user_has_the_last_word():
    columns = [number(range(N), "id"), text(digests(), "u"), noise(), number([1] * N, "b")]
    choices = ColumnChoices(drop=["b"], id_columns="noise", keep=["id"])
    found = roles_of(columns, choices)
    kinds = {each.name: (each.kind, each.asked) for each in found}
    assert kinds == {
        "id": ("kept", True),
        "u": ("identifier", False),
        "noise": ("identifier", True),
        "b": ("dropped", True),
    }
    assert [each.name for each in with_roles(columns, found)] == ["id"]
    assert roles_of(columns, ColumnChoices(keep="all")) == ()


@pytest.mark.parametrize(
    ("choices", "words"),
    [
        (ColumnChoices(drop=["ag"]), "no feature column 'ag'; did you mean 'age'?"),
        (
            ColumnChoices(keep=["zzz"]),
            "no feature column 'zzz'; its feature columns are 'age'",
        ),
        (ColumnChoices(drop=["b"], keep=["b"]), "'b' is named twice"),
    ],
)
def test_choices_that_cannot_be_are_refused(choices, words):
    with pytest.raises(DataError, match=words.replace("?", r"\?")):
        roles_of([number([1], "age"), number([1], "b")], choices)
    with pytest.raises(ValueError, match="must be names"):
        ColumnChoices(drop=[1])


def test_a_role_that_is_none_is_refused():
    with pytest.raises(ValueError, match="not a role"):
        ColumnRole("a", "date", way="yesterday")
    with pytest.raises(ValueError, match="not a role"):
        ColumnRole("a", "oracle")
    with pytest.raises(ValueError, match="not parts"):
        ColumnRole("a", "date", parts=("century",))


def test_new_rows_are_read_as_the_old_ones():
    date = ColumnRole("d", "date", way="m/d/Y", parts=("days", "month"))
    days, month = with_roles([text(["01/02/2024", "03/04/2024"], "d")], [date])
    assert days.values.tolist() == [19724, 19786]
    assert month.values.tolist() == [1, 3]
    with pytest.raises(DataError, match=r"'02\.01\.2024', which is not a date written m/d/Y"):
        with_roles([text(["02.01.2024"], "d")], [date])
    iso, _ = with_roles([text(["2024-01-02"], "d")], [date])  # which nobody can misread
    assert iso.values.tolist() == [19724]
    with pytest.raises(DataError, match="holds numbers where dates were"):
        with_roles([number([3], "d")], [date])
    comma = ColumnRole("p", "number", way="1.234,5")
    assert with_roles([text(["1.234", "5"], "p")], [comma])[0].values.tolist() == [1234, 5]
    with pytest.raises(DataError, match="which is not written as in the training data"):
        with_roles([text(["1.5"], "p")], [comma])
    rate = ColumnRole("r", "number", way="1234.5 %")
    for cells in (text(["44.4%", "7 %"], "r"), text(["44.4", "7%"], "r"), number([44.4, 7], "r")):
        assert with_roles([cells], [rate])[0].values.tolist() == [44.4, 7]
    reason = r"'r' holds '\$ 7', which is not written as in the training data, such as 1234.5 %"
    with pytest.raises(DataError, match=reason):
        with_roles([text(["$ 7"], "r")], [rate])


def test_a_date_may_not_take_the_name_of_another_column():
    columns = [text(["2024-01-02"], "d"), number([1], "d (days)")]
    with pytest.raises(DataError, match=r"both become 'd \(days\)'"):
        with_roles(columns, roles_of(columns))


def test_one_line_for_each_kind():
    columns = [number(range(N), f"id{i}") for i in range(9)]
    columns += [text(["1,5"] * N, "price"), text(["2024-01-02"] * N, "day"), noise()]
    lines = role_sentences(roles_of(columns, ColumnChoices(drop=["noise"], keep=["id0"])))
    assert len(lines) == 4
    assert "'id6' (running numbers from 0 to 199) and 2 more. --keep NAME" in lines[0]
    assert lines[1:] == (
        "Dropped, as asked: 'noise'.",
        "Read as dates: 'day' (written Y-m-d).",
        "Read as numbers: 'price' (with a decimal comma).",
    )


WORDS = st.one_of(
    st.text(max_size=12),
    st.text("0123456789.,-+/:TZeE ", max_size=20),
    st.dates().map(str),
    st.sampled_from(["1,5", "1.234,5", "1,234", "01/02/2024", "31.12.2024", "", "?"]),
    st.sampled_from(["44.4%", "€ 30,51", "$1,200.50", "1 200,50 kr", "USD 12", "5 %"]),
)


@given(st.lists(WORDS, min_size=1, max_size=40))
def test_any_text_is_read_or_left_alone(words):
    column = text([word.strip() for word in words])
    made = with_roles([column], roles_of([column]))
    for each in made:
        assert each.values.shape == column.values.shape
        assert not np.isinf(each.values).any()
        if each.kind == "number":
            assert (np.isnan(each.values) == np.isnan(column.values)).all()


# What the sets of the paper would lose if they were files of a user's own: the running number.
NUMBERED = {"glass2": ["Id"]}


def test_the_sets_of_the_paper_keep_all_columns():
    folder = data_folder()
    for name in data_names():
        found = roles_of(read_table(folder / f"{name}.csv").columns[:-1])
        assert [each.name for each in found] == NUMBERED.get(name, []), name


def test_a_known_set_is_taken_as_it_is_and_a_file_is_not():
    folder = data_folder()
    assert load("glass2", data_dir=folder).n_features == 10
    own = read_dataset(folder / "glass2.csv")
    assert (own.n_features, [each.name for each in own.roles]) == (9, ["Id"])
    assert read_dataset(folder / "glass2.csv", keep="all").n_features == 10


def test_a_slip_does_not_make_a_measure_an_identifier(tmp_path):
    cells = [f"{k},{k % 9}5" for k in range(60)]
    cells[7] = "3.5"
    file = tmp_path / "slip.csv"
    rows = (f"{cell};{'ab'[k % 2]}" for k, cell in enumerate(cells))
    file.write_text("\n".join(["inc;kind", *rows]))
    with pytest.raises(DataError, match=r"'inc' holds '3.5' among numbers with a decimal comma"):
        read_dataset(file)
    assert read_dataset(file, keep=["inc"]).feature_names == ("inc",)
