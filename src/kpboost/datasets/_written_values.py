"""Dates and numbers as people write them: which way a whole column is written, and what it says.

A way of writing is a short name, such as ``d.m.Y``, ``1.234,5`` or ``1234.5 %``; a trained model
remembers it, so that new rows are read in the same way. A column has a way only if every one of its
words fits.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from datetime import date
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

ISO = "Y-m-d"
# The parts of a date by place, for every way of writing it: the separator and their order.
DATE_WAYS = {
    ISO: ("-", "Ymd"),
    "Y/m/d": ("/", "Ymd"),
    "Y.m.d": (".", "Ymd"),
    "d.m.Y": (".", "dmY"),
    "d/m/Y": ("/", "dmY"),
    "m/d/Y": ("/", "mdY"),
    "d-m-Y": ("-", "dmY"),
    "m-d-Y": ("-", "mdY"),
}
DECIMAL_COMMA, THOUSANDS_DOTS, THOUSANDS_COMMAS = "1234,5", "1.234,5", "1,234.5"
BLANKS_COMMA, BLANKS_DOT = "1 234,5", "1 234.5"
NUMBER_WAYS = {
    DECIMAL_COMMA: re.compile(r"[+-]?\d+(,\d+)?([eE][+-]?\d+)?", re.ASCII),
    THOUSANDS_DOTS: re.compile(r"[+-]?(0|[1-9]\d{0,2}(\.\d{3})*)(,\d+)?", re.ASCII),
    THOUSANDS_COMMAS: re.compile(r"[+-]?(0|[1-9]\d{0,2}(,\d{3})*)(\.\d+)?", re.ASCII),
    BLANKS_COMMA: re.compile(r"[+-]?(0|[1-9]\d{0,2}( \d{3})*)(,\d+)?", re.ASCII),
    BLANKS_DOT: re.compile(r"[+-]?(0|[1-9]\d{0,2}( \d{3})*)(\.\d+)?", re.ASCII),
}
# A number as files have it. Without a unit it needs no way of its own.
PLAIN = "1234.5"
AMOUNT_WAYS = {
    PLAIN: re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?", re.ASCII),
    **NUMBER_WAYS,
}
# What is said of each.
MARKS = {
    DECIMAL_COMMA: "a decimal comma",
    THOUSANDS_DOTS: "thousands dots",
    THOUSANDS_COMMAS: "thousands commas",
    BLANKS_COMMA: "thousands blanks and a decimal comma",
    BLANKS_DOT: "thousands blanks",
}
# Blanks that do not end a line, or are narrow; spreadsheets put them into numbers.
BLANKS = str.maketrans(dict.fromkeys("\u00a0\u2009\u202f", " "))
PERCENT = "%"
# Marks of money. Codes that are English words in capitals (ALL, CUP, TOP) are not among them.
MONEY = (
    *"€$£¥₹₽₩₺₴₪₫฿₦₱₸₿",
    *("US$", "A$", "C$", "R$", "HK$", "NZ$", "kr", "kr.", "zł", "Kč", "Ft", "lei", "Rs", "Rs."),
    *("AED", "ARS", "AUD", "BDT", "BGN", "BRL", "CAD", "CHF", "CLP", "CNY", "COP", "CZK", "DKK"),
    *("EGP", "EUR", "GBP", "HKD", "HUF", "IDR", "ILS", "INR", "ISK", "JPY", "KES", "KRW", "KWD"),
    *("LKR", "MAD", "MXN", "MYR", "NGN", "NOK", "NZD", "PEN", "PHP", "PKR", "PLN", "QAR", "RON"),
    *("RSD", "RUB", "SAR", "SEK", "SGD", "THB", "TRY", "TWD", "UAH", "USD", "UYU", "VND", "ZAR"),
)
UNITS = (PERCENT, *MONEY)
# The way and the unit of every number with a unit, by name.
UNIT_WAYS = {f"{way} {unit}": (way, unit) for way in AMOUNT_WAYS for unit in UNITS}
_UNIT = "|".join(map(re.escape, sorted(UNITS, key=len, reverse=True)))
_DIGITS = r"[+-]?\.?\d(?:[\d., ]*\d)?"
# A unit before or after a number; a minus may stand before both.
MARKED = re.compile(
    rf"(?P<sign>[+-]?)(?:(?P<before>{_UNIT}) ?(?P<behind>{_DIGITS})|"
    rf"(?P<ahead>{_DIGITS}) ?(?P<after>{_UNIT}))",
    re.ASCII,
)
# No number with a unit is longer, and longer texts are not looked at.
LONGEST_AMOUNT = 60
# Four numbers with three dots between them, in every cell, are addresses in a network.
ADDRESS_DOTS = 3
# Up to this share of the different cells may be slips in a column of dates or numbers; a column of
# plain numbers is held to the same.
SLIP_SHARE = 0.05
# A date, perhaps with a time of day, perhaps with a time zone.
MOMENT = re.compile(
    r"(?P<first>\d{1,4})(?P<mark>[-/.])(?P<middle>\d{1,2})(?P=mark)(?P<last>\d{1,4})"
    r"(?:[T ](?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2}(?:\.\d{1,9})?))?"
    r" ?(?P<zone>Z|[+-]\d{2}:?\d{2})?)?",
    re.ASCII,
)
# Where days are counted from; the day itself has the number 0.
FIRST_DAY = date(1970, 1, 1).toordinal()
MINUTES_A_DAY = 24 * 60
SECONDS_A_DAY = 60 * MINUTES_A_DAY


def date_ways(words: Sequence[str]) -> tuple[str, ...]:
    """Return the ways of writing dates that every word fits.

    Parameters
    ----------
    words : sequence of str
        The different cells of a column, without missing ones.

    Returns
    -------
    tuple of str
        One name of ``DATE_WAYS``; two where days and months cannot be told apart; mostly none.

    Examples
    --------
    >>> from kpboost.datasets._written_values import date_ways
    >>> date_ways(["31/12/2024", "01/02/2025"]), date_ways(["01/02/2025"])
    (('d/m/Y',), ('d/m/Y', 'm/d/Y'))
    """
    return _fitting(words, DATE_WAYS, lambda word, way: days_of(word, way) is not None)


def days_of(word: str, way: str) -> float | None:
    """Return the days since 1970-01-01 (of UTC, if there is a zone), or None for no such date."""
    mark, order = DATE_WAYS[way]
    match = MOMENT.fullmatch(word)
    if match is None or match["mark"] != mark:
        return None
    parts = dict(zip(order, match.group("first", "middle", "last"), strict=True))
    if len(parts["Y"]) != 4 or len(parts["m"]) > 2 or len(parts["d"]) > 2:
        return None
    try:
        day = date(int(parts["Y"]), int(parts["m"]), int(parts["d"])).toordinal() - FIRST_DAY
    except ValueError:
        return None
    time = _time_of_day(match)
    return None if time is None else day + time


def days_since_1970(moments: NDArray[Any]) -> NDArray[np.float64]:
    """Return datetime64 values, or differences of such, as days; no date is nan."""
    days = moments / np.timedelta64(1, "D") if moments.dtype.kind == "m" else None
    if days is None:
        days = (moments - np.datetime64("1970-01-01")) / np.timedelta64(1, "D")
    return np.asarray(days, dtype=np.float64)


def number_ways(words: Sequence[str]) -> tuple[str, ...]:
    """Return the ways of writing numbers with commas or thousands marks that every word fits.

    Parameters
    ----------
    words : sequence of str
        The different cells of a column, without missing ones.

    Returns
    -------
    tuple of str
        One name of ``NUMBER_WAYS``; two where `1,234` may be a little more than one or more than a
        thousand; mostly none.

    Examples
    --------
    >>> from kpboost.datasets._written_values import number_ways
    >>> number_ways(["1,5", "12"]), number_ways(["1.234,5"]), number_ways(["1,234"])
    (('1234,5',), ('1.234,5',), ('1234,5', '1,234.5'))
    """
    if not any(map(_has_marks, words)):
        return ()  # what has none is a number already, or none
    if all("," not in word and word.count(".") == ADDRESS_DOTS for word in words):
        return ()
    return _readings(words, NUMBER_WAYS)


def _has_marks(word: str) -> bool:
    """Tell whether a word may be a number with a comma or with thousands marks.

    Whole numbers with blanks alone may be codes, sizes or telephone numbers.
    """
    return "," in word or word.count(".") > 1 or ("." in word and " " in word.translate(BLANKS))


def _readings(words: Sequence[str], ways: Iterable[str]) -> tuple[str, ...]:
    """Return the ways that all words fit; of those that read every word alike, the first."""
    fitting = _fitting(words, ways, lambda word, way: number_of(word, way) is not None)
    if len(fitting) < 2:
        return fitting
    different: dict[tuple[float | None, ...], str] = {}
    for way in fitting:
        different.setdefault(tuple(number_of(word, way) for word in words), way)
    return tuple(different.values())


def unit_ways(words: Sequence[str]) -> tuple[str, ...]:
    """Return the ways of writing numbers with one common unit that every word fits.

    Parameters
    ----------
    words : sequence of str
        The different cells of a column, without missing ones.

    Returns
    -------
    tuple of str
        One name of ``UNIT_WAYS``; two where `$1,234` may be a little more than one or more than a
        thousand; mostly none.

    Examples
    --------
    >>> from kpboost.datasets._written_values import unit_ways
    >>> unit_ways(["44.4%", "7 %"]), unit_ways(["€ 30,51"]), unit_ways(["€ 3", "$ 3"])
    (('1234.5 %',), ('1234,5 €',), ())
    """
    amounts = _amounts(words)
    units = {unit for unit, _ in amounts}
    if len(units) != 1:
        return ()
    unit = units.pop()
    numbers = [number for _, number in amounts]
    return tuple(f"{way} {unit}" for way in _likely(_readings(numbers, AMOUNT_WAYS), numbers, unit))


def _likely(ways: tuple[str, ...], numbers: Sequence[str], unit: str) -> tuple[str, ...]:
    """Settle whether a mark before three digits is a decimal one, if unit and numbers tell."""
    if unit == PERCENT:
        return (PLAIN,) if PLAIN in ways else ways  # nobody has thousands of percents with a dot
    # Who writes $1,200 beside $950 writes no decimals.
    has_whole = any(number.lstrip("+-0").isdigit() for number in numbers)
    return ways[-1:] if has_whole else ways


def different_units(words: Sequence[str]) -> tuple[str, str] | None:
    """Return two words whose units are not written alike, if all are numbers with a unit."""
    amounts = _amounts(words)
    first = amounts[0][0] if amounts else ""
    other = (word for word, (unit, _) in zip(words, amounts, strict=False) if unit != first)
    found = next(other, None)
    return None if found is None else (words[0], found)


def _amounts(words: Sequence[str]) -> list[tuple[str, str]]:
    """Return unit and number of every word, or nothing if one is no number with a unit."""
    amounts: list[tuple[str, str]] = []
    for word in words:
        amount = _amount(word)
        if amount is None or all(number_of(amount[1], way) is None for way in AMOUNT_WAYS):
            return []
        amounts.append(amount)
    return amounts


def _amount(word: str) -> tuple[str, str] | None:
    """Return the unit of a word and the rest, or None for a word without a unit."""
    match = None if len(word) > LONGEST_AMOUNT else MARKED.fullmatch(word.translate(BLANKS))
    if match is None:
        return None
    unit, digits = match["before"] or match["after"], match["behind"] or match["ahead"]
    is_code = unit[0].isalpha() and digits[0] == "0" and digits[1:2].isdigit()  # as in CAD 007
    return None if is_code else (unit, match["sign"] + digits)


def slip_among(words: Sequence[str]) -> tuple[str, str] | None:
    """Return what nearly all words are, and the first one that is not; None for other columns.

    Parameters
    ----------
    words : sequence of str
        The different cells of a column, without missing ones, that are not all dates or all
        numbers.

    Returns
    -------
    tuple of str or None

    Examples
    --------
    >>> from kpboost.datasets._written_values import slip_among
    >>> slip_among([f"{k},5" for k in range(40)] + ["3.5"])
    ('numbers with a decimal comma', '3.5')
    """
    allowed = int(SLIP_SHARE * len(words))
    for way in DATE_WAYS:
        odd = _odd_ones(words, way, days_of, allowed)
        if odd:
            return f"dates written {way}", odd[0]
    for way in NUMBER_WAYS:
        odd = _odd_ones(words, way, number_of, allowed)
        if odd and any(_has_marks(word) for word in words if word not in odd):
            return f"numbers with {MARKS[way]}", odd[0]
    return _slip_among_amounts(words, allowed)


def _slip_among_amounts(words: Sequence[str], allowed: int) -> tuple[str, str] | None:
    """Return how nearly all words are written if they have one unit, and the first exception."""
    units = Counter(amount[0] for amount in map(_amount, words) if amount is not None)
    for unit, count in units.most_common(1):
        for way in AMOUNT_WAYS if count >= len(words) - allowed else ():
            odd = _odd_ones(words, f"{way} {unit}", _marked_number, allowed)
            if odd:
                return f"numbers written {way} {unit}", odd[0]
    return None


def _marked_number(word: str, way: str) -> float | None:
    """Return the number that a word means in a way with a unit, if it has a unit at all."""
    return None if _amount(word) is None else number_of(word, way)


def _odd_ones(
    words: Sequence[str], way: str, read: Callable[[str, str], float | None], most: int
) -> list[str]:
    """Return the words that are not written in a way, or none if they are more than a few."""
    odd: list[str] = []
    for word in words:
        if read(word, way) is None:
            odd.append(word)
            if len(odd) > most:
                return []
    return odd


def number_of(word: str, way: str) -> float | None:
    """Return the finite number that a word means, or None if it is not written in that way.

    In a way with a unit, a number without any has the same meaning.
    """
    if way in UNIT_WAYS:
        way, unit = UNIT_WAYS[way]
        own, word = _amount(word) or (unit, word)
        return number_of(word, way) if own == unit else None
    word = word.translate(BLANKS)
    if not AMOUNT_WAYS[way].fullmatch(word):
        return None
    if way in (PLAIN, THOUSANDS_COMMAS, BLANKS_DOT):
        number = float(word.replace(",", "").replace(" ", ""))
    else:
        number = float(word.replace(".", "").replace(" ", "").replace(",", "."))
    return number if isfinite(number) else None


def _fitting(
    words: Sequence[str], ways: Iterable[str], fits: Callable[[str, str], bool]
) -> tuple[str, ...]:
    """Return the ways that all words fit; most columns are done after the first word."""
    left = tuple(ways) if words else ()
    for word in words:
        left = tuple(way for way in left if fits(word, way))
        if not left:
            break
    return left


def _time_of_day(match: re.Match[str]) -> float | None:
    """Return the share of the day that is over, less the time zone; 0 without a time."""
    if match["hour"] is None:
        return 0.0
    hour, minute, second = int(match["hour"]), int(match["minute"]), float(match["second"] or 0)
    if hour > 23 or minute > 59 or second >= 60:
        return None
    seconds = 3600 * hour + 60 * minute + second
    return seconds / SECONDS_A_DAY - _zone(match["zone"]) / MINUTES_A_DAY


def _zone(text: str | None) -> int:
    """Return the minutes that a time zone is ahead of UTC; none is taken for UTC."""
    if text is None or text == "Z":
        return 0
    minutes = 60 * int(text[1:3]) + int(text[-2:])
    return -minutes if text[0] == "-" else minutes
