"""Widths fall step by step, never to the last one, and steps are halved only in need."""

import pytest

from kpboost.ensemble._width_boosting import MOST_HALVINGS, WidthSchedule


def widths(schedule, *, urgent):
    seen = []
    while schedule.now is not None:
        seen.append(schedule.now)
        schedule.narrow(urgent=urgent)
    return seen


def test_steps_down_to_the_last_width():
    assert widths(WidthSchedule(5.0, 0.5, 1.0), urgent=False) == [5.0, 4.0, 3.0, 2.0, 1.0]
    assert widths(WidthSchedule(5.0, 1.0, 1.0), urgent=False) == [5.0, 4.0, 3.0, 2.0]


def test_in_need_the_step_is_halved():
    seen = widths(WidthSchedule(3.0, 0.5, 2.0), urgent=True)
    assert seen[:4] == [3.0, 1.0, 0.75, 0.625]
    assert min(seen) > 0.5
    assert seen == sorted(seen, reverse=True)
    assert len(seen) <= MOST_HALVINGS + 2


def test_once_a_machine_is_kept_there_is_no_need():
    schedule = WidthSchedule(3.0, 0.5, 2.0)
    schedule.narrow(urgent=True)
    schedule.narrow(urgent=False)
    assert schedule.now is None


@pytest.mark.parametrize("first", [1.0, 0.5])
def test_nothing_to_try(first):
    schedule = WidthSchedule(first, 1.0, 1.0)
    assert schedule.now is None
    schedule.narrow(urgent=True)
    assert schedule.now is None
