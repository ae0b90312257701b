"""`kpboost compare`: classifiers on the user's data, or on five data sets that need no file."""

from __future__ import annotations

import shlex
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kpboost.cli import _options as options

from ._help import HelpPage
from ._options import RESULTS, report_beside, variant_of

if TYPE_CHECKING:
    from kpboost.experiments import ExperimentSpec
    from kpboost.reports import Comparison

# What is compared without DATA: the smaller ones of the sets that need no file.
DEMO = ("rare-malignant", "rare-digits", "four-digits", "planted-two", "planted-three")
NEXT_WITHOUT_DATA = "kpboost compare yourdata.csv --target LABEL"


HELP_PAGE = HelpPage(
    examples=(
        "kpboost compare",
        "kpboost compare churn.csv --target churn",
        "kpboost compare churn.csv --methods rare_class,svm_balanced,lightgbm_tuned",
        "kpboost compare a.csv b.csv wine --store my.sqlite --report my-report",
    ),
    usual=("--target", "--drop", "--methods", "--report", "--dry-run"),
)


def compare(
    data: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="DATA",
            help="Tables (CSV, Excel, Parquet, Feather, ARFF or KEEL files) or names of known "
            "data sets. Without any: five small data sets that need no file.",
        ),
    ] = None,
    methods: options.Methods = None,
    grid: options.Grid = "quick",
    protocol: options.Protocol = "nested",
    target: options.Target = None,
    drop: options.Drop = None,
    id_columns: options.IdColumns = None,
    keep: options.Keep = None,
    many_classes: options.ManyClasses = False,
    folds: options.Folds = None,
    seed: options.Seed = 0,
    jobs: options.Jobs = -1,
    store: options.Store = None,
    report: options.ReportFolder = None,
    backend: options.Backend = "processes",
    scheduler: options.Scheduler = None,
    data_dir: options.DataDir = None,
    spec: Annotated[
        Path | None,
        typer.Option(
            "--spec",
            metavar="FILE",
            help="TOML file with the whole experiment, instead of DATA and these options.",
            rich_help_panel=options.PLACES,
        ),
    ] = None,
    retry_failed: options.RetryFailed = False,
    dry_run: options.DryRun = False,
    as_json: options.Json = False,
) -> None:
    """Compare classifiers on your data and write a report.

    Parameters are chosen inside the training folds, so that the scores are not too good. Without
    DATA, six classifiers run on five small data sets, which takes a minute or two. A stopped run
    continues when the same command is given again.
    """
    from kpboost.experiments import ExperimentSpec

    from ._running import Run, chosen_methods, default_methods, run_and_report

    if spec is not None:
        experiment = _from_file(spec, data, methods)
    else:
        experiment = ExperimentSpec(
            tuple(data or DEMO),
            chosen_methods(methods, default_methods()),
            grid=grid,
            protocol=protocol,
            n_folds=folds,
            seed=seed,
            data_dir=None if data_dir is None else str(data_dir),
            target=target,
            drop=options.names_in("--drop", drop),
            id_columns=options.names_in("--id", id_columns),
            keep=options.names_in("--keep", keep),
            many_classes=many_classes,
        )
    folder = default_folder(experiment, named=bool(data) or spec is not None)
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
    next_step = partial(next_for, data[0], experiment) if data else lambda _: NEXT_WITHOUT_DATA
    run_and_report(experiment, how, next_step=next_step, all_data=True)


def next_for(data: str, spec: ExperimentSpec, comparison: Comparison) -> str:
    """Say how to train the winner on a data set, read as in the comparison."""
    words = ["kpboost", "fit", data]
    words += ["--target", spec.target] if spec.target else []
    words += options.choice_words(spec.choices)
    best = comparison.best_method
    words += ["--method", best] if best else []
    words += ["--tune"] if spec.grid == "paper" else []
    return shlex.join([*words, "--out", "model.skops"])


def default_folder(spec: ExperimentSpec, *, named: bool) -> Path:
    """Choose a folder by what is compared, so that different comparisons do not meet.

    Examples
    --------
    >>> from kpboost.cli.compare import default_folder
    >>> from kpboost.experiments import ExperimentSpec
    >>> default_folder(ExperimentSpec(["a/b.csv", "wine"], ["svm"]), named=True).name
    'kpboost-compare-b-and-1-more'
    """
    from kpboost.datasets import stem_of

    parts = ["kpboost-compare"]
    if named:
        parts.append(stem_of(spec.datasets[0]))
        parts += [f"and-{len(spec.datasets) - 1}-more"] if len(spec.datasets) > 1 else []
    return Path("-".join([*parts, *variant_of(spec, protocol="nested", grid="quick")]))


def _from_file(file: Path, data: list[str] | None, methods: list[str] | None) -> ExperimentSpec:
    from kpboost.experiments import ExperimentSpec

    if data or methods:
        raise ValueError(
            f"--spec {file} names the data sets and methods; leave out DATA and --methods."
        )
    return ExperimentSpec.from_toml(file)
