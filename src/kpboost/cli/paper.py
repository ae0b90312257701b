"""`kpboost paper`: the paper's experiment, whole or in parts."""

from pathlib import Path
from typing import Annotated

import typer

from kpboost.cli import _options as options

from ._options import RESULTS, report_beside, variant_of

GROUPS = ("two-class-low", "two-class-high", "multi-class-low", "multi-class-high")
# What stands for all methods of the paper, where methods are named.
ALL_OF_PAPER = "paper"


def paper(
    only: Annotated[
        list[str] | None,
        typer.Option("--only", help=f"Part of the data sets: {', '.join(GROUPS)}. Repeatable."),
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
    """Run the paper's experiment: its data sets, methods, settings and protocol.

    Every group of data sets gets the methods of its own tables. All of it takes hours; it may be
    stopped at any time and goes on where it was. Data sets that cannot be had here are left out and
    named. Options narrow it, repeat it with more seeds, or put another protocol in its place.
    """
    from kpboost.experiments import ExperimentSpec

    from ._running import Run, chosen_methods, run_and_report

    groups = tuple(dict.fromkeys(only or GROUPS))
    experiment = ExperimentSpec(
        datasets_of(groups),
        chosen_methods(methods, _methods_of(groups)),
        grid=grid,
        protocol=protocol,
        n_folds=folds,
        seed=seed,
        n_seeds=seeds,
        as_paper=methods is None or methods == [ALL_OF_PAPER],
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
    step = "kpboost paper --protocol nested chooses settings without looking at the test folds"
    run_and_report(experiment, how, next_step=lambda _: step, all_data=False)


def datasets_of(groups: tuple[str, ...]) -> tuple[str, ...]:
    """Names of the data sets of some groups, in the paper's order."""
    from kpboost.datasets import catalogue

    for group in groups:
        if group not in GROUPS:
            raise ValueError(f"--only {group!r} is none of {', '.join(GROUPS)}.")
    return tuple(entry.name for entry in catalogue() if entry.group in groups)


def _methods_of(groups: tuple[str, ...]) -> tuple[str, ...]:
    """Names of the methods that the paper's tables of some groups have."""
    from kpboost.methods import METHODS

    sizes = {3 if group.startswith("multi") else 2 for group in groups}
    return tuple(
        name
        for name, method in METHODS.items()
        if method.in_paper and any(map(method.is_tried_by_paper, sizes))
    )
