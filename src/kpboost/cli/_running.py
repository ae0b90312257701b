"""What `compare` and `paper` have in common: plan, run, report, and the last screen."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kpboost import _validation as parameters
from kpboost.datasets import stem_of
from kpboost.experiments import (
    BACKENDS,
    ExperimentSpec,
    Plan,
    RunSummary,
    check_installed,
    describe,
    plan,
    run,
)
from kpboost.methods import DEFAULT_METHODS, METHODS
from kpboost.reports import (
    Comparison,
    compare_all,
    listed,
    plain_summary,
    terminal_summary,
    write_files,
)

from ._errors import RunFailedError
from ._options import class_note, constant_note, spelling_note
from ._terminal import ProgressBar, clock, err, out, print_json, show, show_command

CLUSTERS = ("dask", "ray")
# More names than these are a wall of text; --dry-run has them all.
MOST_NAMED = 8


@dataclass(frozen=True)
class Run:
    """How to run an experiment, and where its results go.

    Attributes
    ----------
    store : Path
    report : Path
        A folder.
    n_jobs : int
    backend : str
    scheduler : str or None
    retry_failed, dry_run, as_json : bool
    """

    store: Path
    report: Path
    n_jobs: int
    backend: str
    scheduler: str | None
    retry_failed: bool
    dry_run: bool
    as_json: bool


def run_and_report(
    spec: ExperimentSpec, how: Run, *, next_step: Callable[[Comparison], str], all_data: bool
) -> None:
    """Run an experiment and show what came out.

    Parameters
    ----------
    spec : ExperimentSpec
    how : Run
    next_step : callable
        From the comparison to what to try next, for the last screen.
    all_data : bool
        Whether a data set that cannot be had is an error.
    """
    _check(spec, how)
    planned = plan(spec, how.store)
    if planned.missing and (all_data or not planned.datasets):
        raise ValueError(next(iter(planned.missing.values())))
    if how.dry_run:
        _show_plan(spec, planned, how)
        return
    summary = _run(spec, planned, how)
    info = describe(how.store)
    comparison = compare_all(info)
    page = write_files(comparison, info, how.report)
    if how.as_json:
        print_json({**_as_data(how, page, summary, comparison), "notes": planned.notes})
    else:
        out().print(terminal_summary(comparison))
        _last_lines(how, page, summary, next_step(comparison))
    if problems := _problems(how, planned, summary):
        raise RunFailedError(" ".join(problems))


def _run(spec: ExperimentSpec, planned: Plan, how: Run) -> RunSummary:
    _make_folders(how)
    if not how.as_json:
        _announce(spec, planned)
    with ProgressBar(err(), quiet=how.as_json) as bar:
        return run(
            spec, how.store, n_jobs=how.n_jobs, backend=how.backend, scheduler=how.scheduler,
            retry_failed=how.retry_failed, on_progress=bar, data=planned.data,
        )  # fmt: skip


def chosen_methods(
    given: list[str] | None, default: tuple[str, ...], paper: tuple[str, ...] | None = None
) -> tuple[str, ...]:
    """Read names with commas between; 'paper' and 'all' stand for many.

    Parameters
    ----------
    given : list of str or None
    default : tuple of str
        What is meant where nothing is named.
    paper : tuple of str or None, default=None
        What 'paper' stands for; None is all methods of the paper.
    """
    of_paper = (name for name, method in METHODS.items() if method.in_paper)
    groups = {"all": tuple(METHODS), "paper": tuple(of_paper) if paper is None else paper}
    names = [name for word in named(given) for name in groups.get(word, (word,))]
    return tuple(dict.fromkeys(names)) or default


def named(given: list[str] | None) -> list[str]:
    """Return the words of an option, with or without commas between."""
    return [word.strip() for part in given or () for word in part.split(",") if word.strip()]


def default_methods() -> tuple[str, ...]:
    """Return what is compared where no method is named, as far as it is installed."""
    return tuple(name for name in DEFAULT_METHODS if METHODS[name].is_available)


def _check(spec: ExperimentSpec, how: Run) -> None:
    """Refuse at once what would fail only after some work."""
    parameters.check_choice("backend", how.backend, BACKENDS)
    parameters.check_n_jobs(how.n_jobs)
    if how.scheduler is not None and how.backend not in CLUSTERS:
        raise ValueError(
            f"--scheduler={how.scheduler!r} needs --backend dask or ray, not {how.backend!r}."
        )
    for folder in (how.report, how.store.parent):
        if folder.exists() and not folder.is_dir():
            raise ValueError(f"{folder} is a file; a folder is needed there.")
    if not how.dry_run:
        check_installed(spec)


def _make_folders(how: Run) -> None:
    """Make the folders now: after hours of work it is late to learn that it cannot be done."""
    for folder in (how.store.parent, how.report):
        folder.mkdir(parents=True, exist_ok=True)
        if not os.access(folder, os.W_OK | os.X_OK):
            raise ValueError(f"Nothing can be written into {folder}; name another folder.")


def _problems(how: Run, planned: Plan, summary: RunSummary) -> list[str]:
    """Say what is not there although it was planned: whole data sets, and jobs."""
    lost = [f"{name} was left out: {reason}" for name, reason in summary.missing.items()
            if name in planned.datasets]  # fmt: skip
    if summary.failed:
        lost.append(
            f"{summary.failed} of {summary.total} jobs failed. `kpboost status {how.store}` shows "
            "the reasons; --retry-failed runs them again."
        )
    return lost


def _announce(spec: ExperimentSpec, planned: Plan) -> None:
    before = f", {planned.done} of them done before" if planned.done else ""
    lines = [
        f"Comparing {listed(spec.methods)} on {_datasets(planned)} ({spec.grid} grid, "
        f"{spec.protocol} protocol): {planned.total} jobs{before}.",
    ]
    if planned.missing:
        lines.append(f"Left out, because not available here: {listed(list(planned.missing))}.")
    show(err(), *lines, *_classes(spec, planned), *planned.notes)


def _classes(spec: ExperimentSpec, planned: Plan) -> list[str]:
    """Say which columns are the classes, where nobody has named them, and which do not vary."""
    found = planned.data.found
    given = {each: found[stem_of(each)] for each in spec.datasets if stem_of(each) in found}
    notes = [note for each, read in given.items() for note in class_note(each, spec.target, read)]
    if len(notes) > 1:
        notes = ["Classes: the last column of each file. --target NAME takes another."]
    constant = [
        f"{read.name}: {note}" if len(found) > 1 else note
        for each, read in given.items()
        for note in constant_note(each, read)
    ]
    return notes + [note for read in found.values() for note in spelling_note(read)] + constant


def _show_plan(spec: ExperimentSpec, planned: Plan, how: Run) -> None:
    if how.as_json:
        print_json({"store": str(how.store), "report": str(how.report), "methods": spec.methods,
                    "datasets": planned.datasets, "missing": dict(planned.missing),
                    "jobs": planned.total, "done": planned.done, "failed": planned.failed,
                    "to_do": planned.to_do, "candidates": planned.n_candidates,
                    "notes": planned.notes})  # fmt: skip
        return
    lines = [
        f"{planned.total} jobs: {planned.done} done, {planned.failed} failed, "
        f"{planned.to_do} to do; {planned.n_candidates} candidate models in all.",
        *(f"{METHODS[name].title}: {done} of {total} jobs done"
          for name, (done, total) in planned.by_method.items()),
        f"Data sets: {listed(planned.datasets)}.",
        *_classes(spec, planned),
        *planned.notes,
        *(f"Not available here: {reason}" for reason in planned.missing.values()),
        f"Results would go to {how.store}, the report to {how.report}.",
    ]  # fmt: skip
    show(out(), *lines)


def _as_data(how: Run, page: Path, summary: RunSummary, found: Comparison) -> dict[str, Any]:
    return {
        "store": str(how.store),
        "report": str(page),
        "jobs": {"total": summary.total, "done": summary.done, "failed": summary.failed,
                 "done_now": summary.done_now, "seconds": summary.seconds},
        "missing": dict(summary.missing),
        **plain_summary(found),
    }  # fmt: skip


def _last_lines(how: Run, page: Path, summary: RunSummary, next_step: str) -> None:
    lines = [
        f"Report   {page}",
        f"Results  {how.store} ({summary.done_now} jobs in {clock(summary.seconds)})",
    ]
    show(out(), *lines)
    show_command(out(), "Next     ", next_step)


def _datasets(planned: Plan) -> str:
    names = planned.datasets
    return listed(names) if len(names) <= MOST_NAMED else f"{len(names)} data sets"
