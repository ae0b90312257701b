"""What `compare` and `paper` have in common: plan, run, report, and the last screen."""

import json
import os
import shlex
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rich.text import Text

from kpboost import _validation as parameters
from kpboost.auditing import OWN, Audit, choice_arguments, method_arguments
from kpboost.datasets import ColumnChoices, Dataset, known_names
from kpboost.experiments import ExperimentSpec, Plan, RunSummary, plan, run
from kpboost.experiments.pools import BACKENDS
from kpboost.methods import METHODS
from kpboost.reports import listed, plain_summary, read_comparison, terminal_summary, write_report

from ._errors import RunFailedError
from ._options import choice_words
from ._terminal import ProgressBar, clock, err, out, print_json

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


def conduct(spec: ExperimentSpec, how: Run, *, next_step: str, all_data: bool) -> None:
    """Run an experiment and show what came out.

    Parameters
    ----------
    spec : ExperimentSpec
    how : Run
    next_step : str
        What to try next, for the last screen.
    all_data : bool
        Whether a data set that cannot be had is an error.
    """
    _check(how)
    planned = plan(spec, how.store)
    if planned.missing and (all_data or not planned.datasets):
        raise ValueError(next(iter(planned.missing.values())))
    if how.dry_run:
        _show_plan(spec, planned, how)
        return
    summary = _run(spec, planned, how)
    page = write_report(how.store, how.report)
    if how.as_json:
        print_json({**_as_data(how, page, summary), "notes": planned.notes})
    else:
        _last_screen(how, page, summary, next_step)
    if problems := _problems(how, planned, summary):
        raise RunFailedError(" ".join(problems))


def _run(spec: ExperimentSpec, planned: Plan, how: Run) -> RunSummary:
    for name in spec.methods:
        METHODS[name].estimator_class()  # or say what is missing, before any work
    _make_folders(how)
    if not how.as_json:
        _announce(spec, planned)
    with ProgressBar(err(), quiet=how.as_json) as bar:
        return run(
            spec, how.store, n_jobs=how.n_jobs, backend=how.backend, scheduler=how.scheduler,
            retry_failed=how.retry_failed, on_progress=bar,
        )  # fmt: skip


def chosen_methods(given: list[str] | None, default: tuple[str, ...]) -> tuple[str, ...]:
    """Read names with commas between; 'paper' and 'all' stand for many."""
    groups = {
        "all": tuple(METHODS),
        "paper": tuple(name for name, method in METHODS.items() if method.in_paper),
    }
    words = [word.strip() for part in given or () for word in part.split(",") if word.strip()]
    names = [name for word in words for name in groups.get(word, (word,))]
    return tuple(dict.fromkeys(names)) or default


def _check(how: Run) -> None:
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
            f"{summary.failed} of {summary.total} jobs failed; `kpboost status {how.store}` says "
            "why, and --retry-failed tries them again."
        )
    return lost


def _announce(spec: ExperimentSpec, planned: Plan) -> None:
    lines = [
        f"Comparing {listed(spec.methods)}",
        f"on {_datasets(planned)}",
        f"({spec.grid} grid, protocol {spec.protocol}): {planned.total} jobs"
        + (f", {planned.done} done before." if planned.done else "."),
    ]
    if planned.missing:
        lines.append(f"Left out, not to be had here: {listed(list(planned.missing))}.")
    err().print(Text("\n".join([*lines, *planned.notes])), soft_wrap=True)


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
        f"{planned.to_do} to do; {planned.n_candidates} candidates in all.",
        *(f"{METHODS[name].title}: {done} of {total} jobs done"
          for name, (done, total) in planned.by_method.items()),
        f"Data sets: {listed(planned.datasets)}.",
        *planned.notes,
        *(f"Not to be had here: {reason}" for reason in planned.missing.values()),
        f"Results would go to {how.store}, the report to {how.report}.",
    ]  # fmt: skip
    out().print(Text("\n".join(lines)), soft_wrap=True)


def _as_data(how: Run, page: Path, summary: RunSummary) -> dict[str, Any]:
    return {
        "store": str(how.store),
        "report": str(page),
        "jobs": {"total": summary.total, "done": summary.done, "failed": summary.failed,
                 "done_now": summary.done_now, "seconds": summary.seconds},
        "missing": dict(summary.missing),
        **plain_summary(read_comparison(how.store)),
    }  # fmt: skip


def _last_screen(how: Run, page: Path, summary: RunSummary, next_step: str) -> None:
    console = out()
    console.print(terminal_summary(read_comparison(how.store)))
    lines = [
        f"Report   {page}",
        f"Results  {how.store} ({summary.done_now} jobs in {clock(summary.seconds)}; the same "
        "command goes on from here)",
        f"Next     {next_step}",
    ]
    console.print(Text("\n".join(lines)), soft_wrap=True)


def _datasets(planned: Plan) -> str:
    names = planned.datasets
    return listed(names) if len(names) <= MOST_NAMED else f"{len(names)} data sets"


@dataclass(frozen=True, slots=True)
class NextSteps:
    """The audited model and its data, as the user has named them.

    Attributes
    ----------
    data : str
        The file or name of a data set.
    read : Dataset
        What was read.
    seed : int
        Seed of the audit.
    data_dir : Path or None
        Folder with data sets.
    model : Path or None
        The file of the audited model.
    tune : bool
        Whether the audited method uses the paper's grid.
    model_seed : int
        Seed of the audited method.
    weights : str
        Parameter of the audited classifier with its class weights.
    trusted : tuple of str
        Types that are trusted in the model's file.
    choices : ColumnChoices
        What the user has said about columns.
    """

    data: str
    read: Dataset
    seed: int = 0
    data_dir: Path | None = None
    model: Path | None = None
    tune: bool = False
    model_seed: int = 0
    weights: str = ""
    trusted: tuple[str, ...] = ()
    choices: ColumnChoices = field(default_factory=ColumnChoices)

    def command(self, found: Audit) -> str:
        """Command that trains the recommended method; "" if none is recommended."""
        name, tune, seed = self._method(found)
        if name.startswith(OWN):
            return ""
        words = ["kpboost", "fit", self.data, "--target", self.read.target_name]
        words += choice_words(self.choices)
        words += ["--method", name, "--out", f"{self.read.name}.skops"]
        words += ["--tune"] if tune else []
        words += ["--seed", str(seed)] if seed else []
        words += ["--data-dir", str(self.data_dir)] if self.data_dir and self._is_known() else []
        return shlex.join(words)

    def python(self, found: Audit) -> str:
        """Program that does the same."""
        name, tune, seed = self._method(found)
        if name == OWN:
            return f"# Keep the model of {self.model}.\n"
        if name.startswith(OWN):
            return self._reweighted()
        function, expression = self._reading()
        return (
            f"from kpboost.datasets import {function}\n"
            "from kpboost.model_files import train\n"
            "\n"
            f"model = train({expression}, {method_arguments(name, tune, seed)})\n"
            '# new rows: model.predict(model.read("new.csv"))\n'
        )

    def _method(self, found: Audit) -> tuple[str, bool, int]:
        best = found.remedies.recommended if found.remedies is not None else ""
        audited = found.models[0].name
        if best and best != audited:
            return best, False, self.seed
        return audited, self.tune, self.model_seed

    def _reweighted(self) -> str:
        function, expression = self._reading()
        trusted = f", trusted=[{', '.join(map(quoted, self.trusted))}]" if self.trusted else ""
        return (
            f"from kpboost.datasets import {function}\n"
            "from kpboost.model_files import load_estimator, rows_for\n"
            "\n"
            f"model = load_estimator({quoted(str(self.model))}{trusted})\n"
            f'model.set_params({self.weights}="balanced")\n'
            f"model.fit(*rows_for(model, {expression}))\n"
        )

    def _reading(self) -> tuple[str, str]:
        """Return the name of the function that reads the data, and the call."""
        if not self._is_known():
            target = quoted(self.read.target_name)
            more = "".join(f", {word}" for word in choice_arguments(self.choices))
            return "read_dataset", f"read_dataset({quoted(self.data)}, target={target}{more})"
        folder = f", data_dir={quoted(str(self.data_dir))}" if self.data_dir else ""
        return "load", f"load({quoted(self.data)}{folder})"

    def _is_known(self) -> bool:
        return self.data in known_names()


def quoted(text: str) -> str:
    """Text as a literal of Python in double quotes, which JSON's happens to be."""
    return json.dumps(text, ensure_ascii=False)
