"""`kpboost audit`: what a classifier misses in a data set, and what would help."""

from __future__ import annotations

import json
import shlex
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kpboost.cli import _options as options

from ._errors import WORSE
from ._help import HelpPage
from ._options import check_folder, choice_words, folds_for
from ._terminal import (
    StepsBar,
    err,
    out,
    print_json,
    say,
    show,
    show_command,
    warnings_as_notes,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kpboost.auditing import Audit, AuditComparison
    from kpboost.datasets import ColumnChoices, Dataset
    from kpboost.reports import ReportTable


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
    choices: ColumnChoices | None = None

    def command(self, found: Audit) -> str:
        """Command that audits without leaks, or else trains what is recommended; "" if none can."""
        from kpboost.auditing import OWN, THRESHOLD

        if found.data.may_leak:
            return self._audit_again(found)
        name, tune, seed = self._method(found, _recommended(found))
        moves = _recommended(found) == THRESHOLD
        costs = cost_words(self._balanced_costs()) if moves else ""
        if name.startswith(OWN) or (moves and not costs):
            return ""
        words = ["kpboost", "fit", self.data, "--target", self.read.target_name]
        words += choice_words(self.choices) if self.choices else []
        words += ["--method", name, "--out", f"{self.read.name}.skops"]
        words += ["--tune"] if tune else []
        words += ["--costs", costs] if costs else []
        words += ["--seed", str(seed)] if seed else []
        words += ["--data-dir", str(self.data_dir)] if self.data_dir and self._is_known() else []
        return shlex.join(words)

    def _audit_again(self, found: Audit) -> str:
        """Command for the same audit without leaks; "" of a known set, which is taken as it is."""
        from kpboost.auditing import OWN

        if self._is_known():
            return ""
        words = ["kpboost", "audit", self.data, "--target", self.read.target_name]
        words += choice_words(self._without_leaks(found))
        name = found.models[0].name
        words += ["--method", name] if len(found.models) == 1 and not name.startswith(OWN) else []
        return shlex.join(words + (["--seed", str(self.seed)] if self.seed else []))

    def _without_leaks(self, found: Audit) -> ColumnChoices:
        """Return the user's choices, and drop the columns that possible leaks were made of."""
        from kpboost.datasets import ColumnChoices

        given = self.choices or ColumnChoices()
        if not found.data.may_leak:
            return given
        column_of = {made: role.name for role in found.data.roles for made in role.made}
        names = [column_of.get(leak.column, leak.column) for leak in found.data.leaks]
        return replace(
            given,
            drop=tuple(dict.fromkeys([*given.drop, *names])),
            id_columns=tuple(name for name in given.id_columns if name not in names),
            keep="all" if given.keeps_all else tuple(k for k in given.keep if k not in names),
        )

    def python(self, found: Audit, recommended: str) -> str:
        """Program that trains what is recommended; the audited model, if nothing is."""
        from kpboost.auditing import OWN, THRESHOLD, method_arguments

        name, tune, seed = self._method(found, recommended)
        if name == OWN and recommended == THRESHOLD:
            return self._moved()
        if name == OWN:
            return f"# Keep the model of {self.model}.\n"
        if name.startswith(OWN):
            return self._reweighted()
        function, expression = replace(self, choices=self._without_leaks(found))._reading()
        costs = f", costs={self._balanced_costs()!r}" if recommended == THRESHOLD else ""
        return (
            f"from kpboost.datasets import {function}\n"
            "from kpboost.model_files import train\n"
            "\n"
            f"model = train({expression}, {method_arguments(name, tune, seed)}{costs})\n"
            '# new rows: model.predict(model.read("new.csv"))\n'
        )

    def _method(self, found: Audit, recommended: str) -> tuple[str, bool, int]:
        from kpboost.auditing import THRESHOLD

        audited = found.models[0].name
        if recommended not in ("", THRESHOLD, audited):
            return recommended, False, self.seed
        return audited, self.tune, self.model_seed

    def _balanced_costs(self) -> dict[tuple[str, str], float]:
        return balanced_costs([str(label) for label in self.read.y])

    def _loaded(self) -> tuple[str, str]:
        """Return the lines that load the model, and the rows as it takes them."""
        function, expression = self._reading()
        trusted = f", trusted=[{', '.join(map(quoted, self.trusted))}]" if self.trusted else ""
        return (
            f"from kpboost.datasets import {function}\n"
            "from kpboost.model_files import load_estimator, rows_for\n"
            "\n"
            f"model = load_estimator({quoted(str(self.model))}{trusted})\n"
        ), f"*rows_for(model, {expression})"

    def _reweighted(self) -> str:
        lines, rows = self._loaded()
        return f'{lines}model.set_params({self.weights}="balanced")\nmodel.fit({rows})\n'

    def _moved(self) -> str:
        lines, rows = self._loaded()
        return (
            "from kpboost.model_selection import OperatingPointClassifier\n"
            f"{lines}moved = OperatingPointClassifier(model, random_state={self.seed})\n"
            f"moved.fit({rows})\n"
        )

    def _reading(self) -> tuple[str, str]:
        """Return the name of the function that reads the data, and the call."""
        from kpboost.auditing import choice_arguments

        if not self._is_known():
            target = quoted(self.read.target_name)
            more = "".join(f", {word}" for word in choice_arguments(self.choices))
            return "read_dataset", f"read_dataset({quoted(self.data)}, target={target}{more})"
        folder = f", data_dir={quoted(str(self.data_dir))}" if self.data_dir else ""
        return "load", f"load({quoted(self.data)}{folder})"

    def _is_known(self) -> bool:
        from kpboost.datasets import known_names

        return self.data in known_names()


def balanced_costs(labels: Sequence[str]) -> dict[tuple[str, str], float]:
    """Costs under which every class counts the same, however common: a balanced threshold.

    Parameters
    ----------
    labels : sequence of str
        Of all rows.

    Returns
    -------
    dict
        By true and predicted class; an error of the largest class costs 1.
    """
    sizes = {name: size for name, size in Counter(labels).items() if size > 1}  # as train does
    largest = max(sizes.values())
    return {
        (true, predicted): round(largest / size, 2)
        for true, size in sorted(sizes.items())
        for predicted in sorted(sizes)
        if predicted != true
    }


def cost_words(costs: dict[tuple[str, str], float]) -> str:
    """Costs as the command line takes them; "" of names that it cannot tell, and of many pairs."""
    if len(costs) > 2 or any(sign in name for pair in costs for name in pair for sign in ",:="):
        return ""
    return ",".join(f"{true}:{predicted}={cost:g}" for (true, predicted), cost in costs.items())


def _recommended(found: Audit) -> str:
    return found.remedies.recommended if found.remedies is not None else ""


def quoted(text: str) -> str:
    """Text as a literal of Python in double quotes, which JSON's happens to be."""
    return json.dumps(text, ensure_ascii=False)


@dataclass(frozen=True, slots=True, eq=False)
class AuditInput:
    """What the audit takes.

    Attributes
    ----------
    X : Table or frame
        The table, as the model takes it.
    y : ndarray
        Labels.
    estimator : classifier, str or None
        The model.
    steps : NextSteps
        The model and its data as the user has named them.
    choices : ColumnChoices
        What is still to be done about the columns of ``X``.
    notes : tuple of str
        Sentences for the verdict.
    """

    X: Any
    y: NDArray[Any]
    estimator: Any
    steps: NextSteps
    choices: ColumnChoices
    notes: tuple[str, ...] = ()


def audit_input(
    data: str,
    target: str | None,
    choices: ColumnChoices | None = None,
    *,
    data_dir: Path | None,
    seed: int,
    method: str | None,
    model: Path | None,
    trust: Sequence[str],
) -> AuditInput:
    """Read the data and, if one is named, the model.

    Parameters
    ----------
    data, target, data_dir
        As on the command line.
    choices : ColumnChoices or None, default=None
        What the user says about columns.
    seed : int
        Seed of the audit.
    method : str or None
        Name of a method.
    model : Path or None
        File of a model.
    trust : sequence of str
        Types that the file may hold.

    Returns
    -------
    AuditInput
    """
    from kpboost.auditing import weight_parameter
    from kpboost.datasets import ColumnChoices, find_chosen
    from kpboost.methods import MethodClassifier
    from kpboost.model_files import SavedModel, load_estimator, rows_for

    none = ColumnChoices()
    choices = choices or none
    if model is None:
        read = find_chosen(data, target, data_dir, choices)
        steps = NextSteps(data, read, seed, data_dir, model_seed=seed, choices=choices)
        return AuditInput(read.table, read.y, method, steps, none)
    held = load_estimator(model, trusted=trust)
    if isinstance(held, SavedModel):
        _refuse_choices(choices)
        read = find_chosen(data, target or held.target, data_dir, held.choices)
        X, y = rows_for(held, read)
        settings = MethodClassifier(held.method, tune=held.tune, random_state=held.random_state)
        steps = NextSteps(
            data, read, seed, data_dir, model, held.tune, held.random_state, choices=held.asked
        )
        return AuditInput(X, y, settings, steps, none, (_note(model, held.tune),))
    # A stranger's model gets every column; what is no feature is left out of the audit's own look.
    as_is = replace(choices, id_columns=(), keep="all")
    read = find_chosen(data, target, data_dir, as_is)
    X, y = rows_for(held, read)
    weights = weight_parameter(held)
    steps = NextSteps(
        data, read, seed, data_dir, model, weights=weights, trusted=tuple(trust), choices=choices
    )
    return AuditInput(X, y, held, steps, replace(choices, drop=()), (_note(model),))


def _refuse_choices(choices: ColumnChoices) -> None:
    if choices.named or choices.keeps_all:
        raise ValueError(
            "--drop, --id and --keep were chosen when the model was trained; leave them out."
        )


def _note(model: Path, tune: bool = False) -> str:
    chosen = (
        " Its parameters were chosen again, from the paper's grid, in every fold." if tune else ""
    )
    return (
        f"The audit is of the settings of {model.name}, trained again with cross-validation: on "
        "rows that it was trained on, the saved model would look too good."
        f"{chosen}"
    )


# Lines of a table on the screen, and the columns that it has room for; the page has all.
MOST_LINES = 12
ON_PAGE_ONLY = {"class", "recognised", "gained", "lost", "p", "balanced accuracy", "lead"}


HELP_PAGE = HelpPage(
    examples=(
        "kpboost audit churn.csv --target churn",
        "kpboost audit churn.csv --target churn --drop closed,note",
        "kpboost audit churn.csv --target churn --method svm_balanced",
        "kpboost audit churn.csv --model churn.skops",
        "kpboost audit new.csv --target churn --baseline churn-audit",
    ),
    usual=("--target", "--drop", "--method", "--model", "--report"),
)
EARLIER = "Comparison with an earlier audit"


def audit(
    data: options.TableArgument,
    target: options.Target = None,
    model: Annotated[
        Path | None,
        typer.Option(
            "--model", metavar="FILE", help="Audit the settings of a saved model (.skops)."
        ),
    ] = None,
    method: Annotated[
        str | None,
        typer.Option(
            "--method",
            metavar="NAME",
            help="Audit this method; see kpboost methods.",
            autocompletion=options.completed_by(*options.METHOD_NAMES),
        ),
    ] = None,
    report: Annotated[
        Path | None,
        typer.Option(
            "--report", metavar="FOLDER", help="Folder for the page; by default DATA-audit."
        ),
    ] = None,
    remedies: Annotated[
        str,
        typer.Option(
            "--remedies",
            metavar="auto|NAME,NAME",
            help="Methods to try against what is missed. auto tries some if anything is missed; "
            "always and never are allowed too.",
            rich_help_panel=options.RUNS,
        ),
    ] = "auto",
    folds: Annotated[
        int,
        typer.Option(
            "--folds",
            metavar="N",
            help="Number of cross-validation folds.",
            rich_help_panel=options.RUNS,
        ),
    ] = 5,
    projection: Annotated[
        str,
        typer.Option(
            "--map",
            metavar="pca|umap",
            help="Projection of the map on the page.",
            autocompletion=options.completed_by("pca", "umap"),
            rich_help_panel=options.PLACES,
        ),
    ] = "pca",
    baseline: Annotated[
        Path | None,
        typer.Option(
            "--baseline",
            metavar="FILE",
            help="The audit.json of an earlier audit, or its folder.",
            rich_help_panel=EARLIER,
        ),
    ] = None,
    fail_on: Annotated[
        str | None,
        typer.Option(
            "--fail-on",
            metavar="new|worse|never",
            help="When the exit code is 3: if a finding is new (the default), if anything is "
            "worse, or never.",
            autocompletion=options.completed_by("new", "worse", "never"),
            rich_help_panel=EARLIER,
        ),
    ] = None,
    trust: options.Trust = None,
    drop: options.Drop = None,
    id_columns: options.IdColumns = None,
    keep: options.Keep = None,
    many_classes: options.ManyClasses = False,
    seed: options.Seed = 0,
    data_dir: options.DataDir = None,
    as_json: options.Json = False,
) -> None:
    """Find the classes, and parts of classes, that a classifier misses.

    By default, gradient boosting and an SVM are trained, and the better one is audited. With
    --model, the settings of a saved model (by kpboost fit, or any scikit-learn classifier) are
    trained again with cross-validation, because the model has already seen its own training rows.
    """
    from kpboost._validation import check_choice
    from kpboost.auditing import audit as run_audit
    from kpboost.reports import write_audit

    if model is not None and method is not None:
        raise ValueError("--model and --method cannot be used together; give one of them.")
    check_choice("--map", projection, ("pca", "umap"))
    fails = _failing(fail_on, baseline)
    earlier = read_baseline(baseline) if baseline is not None else None
    choices = options.column_choices(drop, id_columns, keep, many_classes)
    audited = audit_input(
        data, target, choices, data_dir=data_dir, seed=seed, method=method, model=model,
        trust=trust or (),
    )  # fmt: skip
    read = audited.steps.read
    folder = report if report is not None else Path(f"{read.name}-audit")
    check_folder(folder)
    n_folds, notes = folds_for(folds, read.y)
    console = err()
    if model is None and not as_json:
        show(console, *options.class_note(data, target, read), *options.spelling_note(read))
    with warnings_as_notes(console, quiet=as_json), StepsBar(console, quiet=as_json) as bar:
        found = run_audit(
            audited.X, audited.y, audited.estimator, n_folds, remedies=_remedies(remedies),
            projection=projection, random_state=seed, on_progress=bar, drop=audited.choices.drop,
            id_columns=audited.choices.id_columns, keep=audited.choices.keep, many_classes=True,
        )  # fmt: skip
    found = _with_notes(found, (*audited.notes, *notes))
    found = _with_programs(found, audited.steps)
    changes = found.compare(earlier) if earlier is not None else None
    command = audited.steps.command(found)
    training = "" if found.data.may_leak else command
    page = write_audit(found, folder, title=read.name, command=training, changes=changes)
    if as_json:
        compared = {"changes": changes.to_dict()} if changes is not None else {}
        print_json({"report": str(page), **compared, **found.to_dict()})
    else:
        _show(found, page, changes, command)
    if changes is not None and fails(changes):
        say(f"kpboost: {changes.headline}")  # a log of stderr alone tells why
        raise typer.Exit(WORSE)


def read_baseline(file: Path) -> Audit:
    """Read an earlier audit, from its file or its folder.

    Parameters
    ----------
    file : Path
        An ``audit.json``, the folder that it is in, or what ``--json`` printed.

    Returns
    -------
    Audit
    """
    from kpboost.auditing import Audit

    file = file / "audit.json" if file.is_dir() else file
    try:
        return Audit.from_json(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise ValueError(f"--baseline {file}: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise ValueError(f"--baseline {file}: This is no text, and so no JSON.") from error
    except ValueError as error:
        raise ValueError(f"--baseline {file}: {error}") from error


def _failing(fail_on: str | None, baseline: Path | None) -> Callable[[AuditComparison], bool]:
    """Return what tells whether a comparison fails."""
    from kpboost._validation import check_choice

    rules: dict[str, Callable[[AuditComparison], bool]] = {
        "new": lambda changes: bool(changes.new),
        "worse": lambda changes: changes.is_worse,
        "never": lambda changes: False,
    }
    if fail_on is not None:
        check_choice("--fail-on", fail_on, tuple(rules))
        if baseline is None:
            raise ValueError("--fail-on needs --baseline, an earlier audit to compare with.")
    return rules[fail_on or "new"]


def _with_notes(found: Audit, notes: tuple[str, ...]) -> Audit:
    sentences = (*found.verdict.sentences, *notes)
    return replace(found, verdict=replace(found.verdict, sentences=sentences))


def _with_programs(found: Audit, steps: NextSteps) -> Audit:
    """Put programs that read the user's file in place of those that take a table."""
    from kpboost.auditing import with_snippets

    tried = found.remedies
    if tried is not None:
        tried = with_snippets(tried, lambda name: steps.python(found, name))
    return replace(found, remedies=tried, snippet=steps.python(found, _recommended(found)))


def _remedies(text: str) -> str | list[str]:
    if text in ("auto", "always", "never"):
        return text
    return [word.strip() for word in text.split(",") if word.strip()]


def _show(found: Audit, page: Path, changes: AuditComparison | None, command: str) -> None:
    from kpboost.reports import change_table, disjunct_table, remedy_table, terminal_table

    console = out()
    show(console, found.verdict.headline, style="bold")
    show(console, *found.verdict.sentences)
    if changes is not None:
        show(console, *changes.sentences)
        console.print(terminal_table(change_table(changes)))
    console.print(terminal_table(_first_lines(_narrow(disjunct_table(found)))))
    tried = remedy_table(found)
    if tried is not None:
        console.print(terminal_table(_first_lines(_narrow(tried))))
    show(console, f"Report  {page}")
    if command:
        show_command(console, "Next    ", command)


def _first_lines(table: ReportTable) -> ReportTable:
    more = len(table.rows) - MOST_LINES
    note = f"{more} more are in the report." if more > 0 else table.note
    return replace(table, rows=table.rows[:MOST_LINES], note=note)


def _narrow(table: ReportTable) -> ReportTable:
    """Return the columns that a terminal has room for."""
    kept = [i for i, column in enumerate(table.columns) if column.name not in ON_PAGE_ONLY]
    rows = tuple(tuple(row[i] for i in kept) for row in table.rows)
    columns = tuple(table.columns[i] for i in kept)
    return replace(table, columns=columns, rows=rows)
