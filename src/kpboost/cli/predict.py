"""`kpboost predict`: labels, scores and probabilities for the rows of a file, by a saved model."""

from __future__ import annotations

import csv
import gzip
import zlib
from collections.abc import Iterable, Iterator, Sequence
from io import StringIO
from itertools import count
from os.path import realpath
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kpboost.cli import _options as options

from ._help import HelpPage
from ._options import check_file
from ._terminal import RowsBar, err, out, show

if TYPE_CHECKING:
    from kpboost._typing import FloatArray
    from kpboost.datasets import Table
    from kpboost.model_files import SavedModel

# Columns after the identifiers; they get a number where an identifier has that name.
COLUMN, SCORE, PROBABILITY = "prediction", "score_of_", "probability_of_"
# Digits of scores and probabilities.
DIGITS = 6
# What compresses the file, as zlib knows gzip; and endings of text with commas.
GZIP, GZIP_FORMAT = ".gz", 31
TEXTS = (".csv", ".tsv", ".txt")
# A header longer than this, in characters, is not one of ours.
LONGEST_HEADER = 100_000


HELP_PAGE = HelpPage(
    examples=(
        "kpboost predict churn.skops new.csv --out predictions.csv",
        "kpboost predict churn.skops new.csv --out predictions.csv --scores",
        "kpboost predict churn.skops new.csv --out predictions.csv --recall 0.9",
    ),
    usual=("--out", "--scores", "--recall", "--extra-columns", "--unseen"),
)


def predict(
    model: Annotated[Path, typer.Argument(metavar="MODEL", help="A model made by kpboost fit.")],
    data: Annotated[
        Path,
        typer.Argument(
            metavar="DATA",
            help="A table of new rows: CSV, Excel, Parquet, Feather, ARFF or KEEL file.",
        ),
    ],
    out_file: Annotated[
        Path,
        typer.Option(
            "--out", metavar="FILE", help="CSV file for the predictions; .csv.gz is compressed."
        ),
    ],
    extra: Annotated[
        str,
        typer.Option(
            "--extra-columns",
            metavar="refuse|ignore",
            help="What to do with columns that the model does not know.",
            autocompletion=options.completed_by("refuse", "ignore"),
        ),
    ] = "refuse",
    unseen: Annotated[
        str,
        typer.Option(
            "--unseen",
            metavar="refuse|missing",
            help="What to do with categories that the model does not know: refuse the file, or "
            "treat them as missing values.",
            autocompletion=options.completed_by("refuse", "missing"),
        ),
    ] = "refuse",
    scores: Annotated[
        bool, typer.Option("--scores", help="Add a score and the probability of every class.")
    ] = False,
    costs: options.Costs = None,
    recall: options.Recall = None,
    alarms: options.Alarms = None,
    raw: options.Raw = False,
    trust: options.Trust = None,
) -> None:
    """Predict the class of every row of a table with a saved model.

    The table needs the columns that the model was trained on, in any order; the class column is
    ignored if it is there. The result is a CSV file with one line per row, in the same order:
    identifiers, prediction and, with --scores, the score of the rarest class and the probability
    of every class. --recall, --alarms and --costs change the operating point for these rows;
    nothing is trained. A Parquet file may be larger than memory. An earlier file of predictions is
    replaced.
    """
    from kpboost._files import replace_file
    from kpboost._validation import check_choice
    from kpboost.model_files import load_model

    packed = _checked_ending(out_file)
    if realpath(out_file) in (realpath(model), realpath(data)):
        raise ValueError(f"--out {out_file} is an input file; name another file.")
    check_choice("--extra-columns", extra, ("refuse", "ignore"))
    check_choice("--unseen", unseen, ("refuse", "missing"))
    saved = load_model(model, trusted=trust or ())
    wish = options.operating_wish([*saved.class_sizes], costs, recall, alarms)
    saved = saved.with_operating_point(**wish) if wish else saved
    names = _result_columns(saved)
    ours = out_file.is_file() and _is_predictions(out_file, saved)
    check_file("--out", out_file, is_ours=ours, kind="a file of this model's predictions")
    written = _Predictions(saved, names if scores else names[:1], extra, unseen, raw)
    with RowsBar(err()) as bar:
        pieces = written.pieces(data, bar)
        replace_file(out_file, _gzipped(pieces) if packed else pieces)
    if wish:
        show(out(), *str(saved.operating_point).split("\n"))
    show(out(), f"{_counted(written.n_rows)}  {out_file}")
    if written.n_guarded:
        show(err(), _guarded(written.n_guarded))


def _checked_ending(file: Path) -> bool:
    """Tell whether the file is to be compressed; refuse the ending of a format that it is not."""
    from kpboost.datasets import known_endings

    ending = file.suffix.lower()
    if ending in known_endings() - {*TEXTS, GZIP}:
        raise ValueError(f"--out {file} must end in .csv or .csv.gz; {ending} is not written.")
    return ending == GZIP


def _gzipped(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Compress pieces one after the other."""
    packer = zlib.compressobj(wbits=GZIP_FORMAT)
    for piece in pieces:
        yield packer.compress(piece)
    yield packer.flush()


class _Predictions:
    """Lines of the result, some rows at a time.

    Parameters
    ----------
    saved : SavedModel
    names : list of str
        Columns of the results: the label's, and those of the scores where they are wanted.
    extra, unseen : str
        Of ``SavedModel.predict``.
    raw : bool
        Whether text is written as it is.

    Attributes
    ----------
    n_rows, n_guarded : int
        Rows, and cells that got an apostrophe.
    """

    def __init__(
        self, saved: SavedModel, names: list[str], extra: str, unseen: str, raw: bool
    ) -> None:
        self._saved, self._names, self._raw = saved, names, raw
        self._how = {"extra": extra, "unseen": unseen}
        self.n_rows = self.n_guarded = 0

    def pieces(self, data: Path, on_rows: RowsBar) -> Iterator[bytes]:
        """Yield the file of predictions for a file of rows."""
        from kpboost.reports import csv_text

        for table in self._saved.read_batches(data):
            columns = self._columns(table)
            rows = zip(*columns.values(), strict=True)
            header = None if self.n_rows else list(columns)
            yield csv_text(header, rows, raw=self._raw).encode()
            self.n_rows += table.n_rows
            self.n_guarded += 0 if self._raw else _n_formulas(columns.values())
            on_rows("predicting", self.n_rows, None)

    def _columns(self, table: Table) -> dict[str, list[Any]]:
        identifiers = _identifiers(table, self._saved.id_columns)
        if len(self._names) == 1:
            labels = self._saved.predict(table, **self._how)
            return {**identifiers, self._names[0]: labels.tolist()}
        labels, scores, likely = self._saved.predict_all(table, **self._how)
        own = _positive_scores(self._saved, scores)
        numbers = [_short(column) for column in (own, *likely.T)]
        names = zip(self._names, [labels.tolist(), *numbers], strict=True)
        return {**identifiers, **dict(names)}


def _result_columns(saved: SavedModel) -> list[str]:
    """Name the columns of the results, other than every identifier."""
    wanted = [COLUMN, SCORE + saved.pos_label, *(PROBABILITY + name for name in saved.class_sizes)]
    taken = {*saved.id_columns}
    names = []
    for name in wanted:
        numbered = (name if number == 1 else f"{name}_{number}" for number in count(1))
        names.append(next(each for each in numbered if each not in taken))
        taken.add(names[-1])
    return names


def _positive_scores(saved: SavedModel, scores: FloatArray) -> FloatArray:
    """Scores of the positive class."""
    place = [*saved.class_sizes].index(saved.pos_label)
    return scores[:, place] if scores.ndim == 2 else scores if place else -scores


def _short(numbers: FloatArray) -> list[float]:
    """Numbers with as many digits as matter."""
    return [float(f"{number:.{DIGITS}g}") for number in numbers]


def _identifiers(table: Table, names: Sequence[str]) -> dict[str, list[str]]:
    """Cells of the identifiers that the file has, as they are written there."""
    return {name: table.column(name).labels().tolist() for name in names if name in table.names}


def _n_formulas(columns: Iterable[Sequence[Any]]) -> int:
    """Count the cells that get an apostrophe."""
    from kpboost.reports import is_formula

    return sum(is_formula(cell) for column in columns for cell in column if isinstance(cell, str))


def _guarded(count: int) -> str:
    """Say how many cells have got an apostrophe."""
    cells = "One cell begins" if count == 1 else f"{count} cells begin"
    return (
        f"Note: {cells} like a formula and got an apostrophe in front; --raw writes text unchanged."
    )


def _is_predictions(file: Path, saved: SavedModel) -> bool:
    """Tell whether the header names nothing but identifiers of the model and results."""
    from kpboost.reports import safe_text

    opened = gzip.open if file.suffix.lower() == GZIP else open
    try:
        with opened(file, "rt", encoding="utf-8", errors="replace", newline="") as stream:
            start = StringIO(stream.read(LONGEST_HEADER), newline="")
    except (gzip.BadGzipFile, EOFError, zlib.error):
        return False
    try:
        names = next(csv.reader(start), [])
    except csv.Error:
        return False
    ours = {*map(safe_text, saved.id_columns), *saved.id_columns}
    label, score, *others = _result_columns(saved)
    if label not in names:
        return False
    first = names.index(label)
    results = [safe_text(name) for name in names[first + 1 :]]
    scored = [[safe_text(each) for each in (SCORE + name, *others)] for name in saved.class_sizes]
    return {*names[:first]} <= ours and results in ([], [safe_text(score), *scored[0][1:]], *scored)


def _counted(number: int) -> str:
    return f"{number} prediction" + ("" if number == 1 else "s")
