"""`kpboost paper`: the paper's experiment, whole or in parts."""

from pathlib import Path
from typing import Annotated

import typer

from kpboost.cli import _options as options

from ._help import HelpPage
from ._options import RESULTS, report_beside, variant_of
from .datasets import no_group

GROUPS = ("two-class-low", "two-class-high", "multi-class-low", "multi-class-high")
# Parameters chosen without a look at the test folds.
NEXT = "kpboost paper --protocol nested"
# What stands for all methods of the paper, where methods are named.
ALL_OF_PAPER = "paper"


HELP_PAGE = HelpPage(
    examples=(
        "kpboost paper --dry-run",
        "kpboost paper --only two-class-low --data-dir data",
        "kpboost paper --only multi-class-low --methods svm,kpboost --seeds 10",
    ),
    usual=("--only", "--methods", "--data-dir", "--jobs", "--dry-run"),
)


def paper(
    only: Annotated[
        list[str] | None,
        typer.Option(
            "--only",
            metavar="GROUP",
            help=f"Only this group of data sets: {', '.join(GROUPS)}. Repeatable.",
            autocompletion=options.completed_by(*GROUPS),
        ),
    ] = None,
    methods: options.Methods = None,
    grid: options.Grid = "paper",
    protocol: options.Protocol = "published",
    folds: options.Folds = None,
    seed: options.Seed = 0,
    seeds: options.Seeds = 1,
    jobs: options.Jobs = -1,
    store: options.Store = None,
    report: options.ReportFolder = None,
    backend: options.Backend = "processes",
    scheduler: options.Scheduler = None,
    data_dir: options.DataDir = None,
    retry_failed: options.RetryFailed = False,
    dry_run: options.DryRun = False,
    as_json: options.Json = False,
) -> None:
    """Repeat the experiment of the paper, whole or in parts.

    Each group of data sets gets the methods of its own tables in the paper. Methods that are named
    run on all groups, one-vs-rest on several classes only. The whole experiment takes hours. It can
    be stopped at any time; the same command continues. Data sets that are not available here are
    left out, and listed.
    """
    from kpboost.experiments import ExperimentSpec

    from ._running import Run, named, run_and_report

    groups = tuple(dict.fromkeys(only or GROUPS))
    words = named(methods) or [ALL_OF_PAPER]
    experiment = ExperimentSpec(
        datasets_of(groups),
        methods_of(groups, words),
        grid=grid,
        protocol=protocol,
        n_folds=folds,
        seed=seed,
        n_seeds=seeds,
        as_paper=ALL_OF_PAPER in words,
        no_twins=True,
        data_dir=None if data_dir is None else str(data_dir),
    )
    variant = variant_of(experiment, protocol=protocol, grid="paper")
    folder = Path("-".join(["kpboost-paper", protocol, *(only or ()), *variant]))
    place = store or folder / RESULTS
    how = Run(
        store=place,
        report=report or report_beside(place),
        n_jobs=jobs,
        backend=backend,
        scheduler=scheduler,
        retry_failed=retry_failed,
        dry_run=dry_run,
        as_json=as_json,
    )
    run_and_report(experiment, how, next_step=lambda _: NEXT, all_data=False)


def datasets_of(groups: tuple[str, ...]) -> tuple[str, ...]:
    """Names of the data sets of some groups, in the paper's order."""
    from kpboost.datasets import catalogue

    for group in groups:
        if group not in GROUPS:
            raise ValueError(no_group(group, GROUPS))
    return tuple(entry.name for entry in catalogue() if entry.group in groups)


def methods_of(groups: tuple[str, ...], words: list[str]) -> tuple[str, ...]:
    """Names of the methods that words stand for, but for those that no group can have.

    Parameters
    ----------
    groups : tuple of str
    words : list of str
        Short names; 'paper' stands for the methods of these groups' tables, 'all' for all.

    Raises
    ------
    ValueError
        If a one-vs-rest method is named and all groups are of two classes.
    """
    from kpboost.methods import METHODS

    from ._running import chosen_methods

    several = any(map(_has_several_classes, groups))
    twins = [name for name, method in METHODS.items() if method.needs_several_classes]
    if not several and (wrong := [word for word in words if word in twins]):
        raise ValueError(_no_twins(wrong, groups))
    names = chosen_methods(words, (), paper=_methods_of_tables(groups))
    return tuple(name for name in names if several or name not in twins)


def _methods_of_tables(groups: tuple[str, ...]) -> tuple[str, ...]:
    """Names of the methods that the paper's tables of some groups have."""
    from kpboost.methods import METHODS

    sizes = {3 if _has_several_classes(group) else 2 for group in groups}
    return tuple(
        name
        for name, method in METHODS.items()
        if method.in_paper and any(map(method.is_tried_by_paper, sizes))
    )


def _has_several_classes(group: str) -> bool:
    return group.startswith("multi")


def _no_twins(names: list[str], groups: tuple[str, ...]) -> str:
    allowed = " or ".join(filter(_has_several_classes, GROUPS))
    return (
        f"--methods {','.join(names)} means one-vs-rest, and the data sets of {', '.join(groups)} "
        "have two classes, where that is the same as one-vs-one; name methods without _ovr, or "
        f"take a group of several classes with --only {allowed}."
    )
