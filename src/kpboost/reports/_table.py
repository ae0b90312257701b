"""A table as a record: computed once, then shown as HTML, Markdown, LaTeX, CSV or in a terminal."""

import csv
import io
import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, TypeAlias

from rich.box import SIMPLE_HEAD
from rich.console import RenderableType
from rich.markup import escape
from rich.table import Table as RichTable
from rich.text import Text

from kpboost._notebook import Facts, FactsMixin, html_table, html_text, names
from kpboost._text import visible

Value: TypeAlias = str | int | float | None

# Digits of average ranks, as in the paper.
RANK_DIGITS = 2
# What stands in a cell without a value: a dash reads better than "nan" or nothing.
EMPTY = "–"  # noqa: RUF001


@dataclass(frozen=True)
class ReportColumn:
    """One column: its heading, how its numbers are written, and what it means.

    Attributes
    ----------
    name : str
        The heading.
    digits : int or None
        Digits after the point; None for words and whole numbers.
    note : str
        One sentence for whoever asks what the column means.

    See Also
    --------
    ReportTable : Columns with rows.

    Examples
    --------
    >>> from kpboost.reports import ReportColumn
    >>> ReportColumn("Recall", digits=3).name
    'Recall'
    """

    name: str
    digits: int | None = None
    note: str = ""


@dataclass(frozen=True, repr=False)
class ReportTable(FactsMixin):
    """Rows under named columns.

    Attributes
    ----------
    name : str
        Short name, good for a file.
    title : str
        Heading.
    columns : tuple of ReportColumn
    rows : tuple of tuples
        One value per column; None or nan is an empty cell.
    best : frozenset of (row, column)
        Cells to emphasise.
    note : str
        A sentence or two under the table.
    n_sums : int
        So many rows at the end sum up the others; a page does not sort them among these.

    See Also
    --------
    terminal_table : Shows it in a terminal.

    Examples
    --------
    >>> from kpboost.reports import ReportColumn, ReportTable
    >>> columns = ReportColumn("Method"), ReportColumn("Recall", digits=2)
    >>> ReportTable("recalls", "Recalls", columns, (("SVM", 0.8123),)).text(0, 1)
    '0.81'
    """

    name: str
    title: str
    columns: tuple[ReportColumn, ...]
    rows: tuple[tuple[Value, ...], ...]
    best: frozenset[tuple[int, int]] = field(default_factory=frozenset)
    note: str = ""
    n_sums: int = 0

    def __post_init__(self) -> None:
        for number, row in enumerate(self.rows):
            if len(row) != len(self.columns):
                raise ValueError(
                    f"Row {number} of table {self.name!r} has {len(row)} values; "
                    f"{len(self.columns)} columns need as many."
                )

    def _facts(self) -> Facts:
        yield "name", self.name
        yield "title", self.title
        yield "rows", len(self.rows)
        yield "columns", names(column.name for column in self.columns)

    def _repr_html_(self) -> str:
        cells = [
            [self.text(row, column) for column in range(len(self.columns))]
            for row in range(len(self.rows))
        ]
        table = html_table([column.name for column in self.columns], cells)
        return f"<h4>{html_text(self.title)}</h4>\n{table}\n<p>{html_text(self.note)}</p>"

    @property
    def n_single(self) -> int:
        """Number of rows before those that sum up."""
        return len(self.rows) - self.n_sums

    def text(self, row: int, column: int) -> str:
        """Value of a cell as everybody shows it."""
        return written(self.rows[row][column], self.columns[column].digits)

    def is_number(self, column: int) -> bool:
        """Tell whether a column holds numbers: they are aligned to the right."""
        values = [row[column] for row in self.rows if not is_empty(row[column])]
        return bool(values) and not any(isinstance(value, str) for value in values)


def written(value: Value, digits: int | None) -> str:
    """Write a value with so many digits after the point; a dash for none."""
    if is_empty(value):
        return EMPTY
    if digits is None or value is None or isinstance(value, str):
        return str(value)
    tiny = 0 < abs(value) < 0.5 * 10**-digits  # would be written as zero, which it is not
    return f"{value:.1g}" if tiny else f"{value:.{digits}f}"


def is_empty(value: Value) -> bool:
    """Tell whether there is nothing to show."""
    return value is None or (isinstance(value, float) and math.isnan(value))


# Letters that mean something in Markdown or HTML, wherever in a cell they stand.
MARKDOWN_SPECIAL = re.compile(r"([\\`*_{}\[\]<>|&#!$~])")


def markdown_text(text: str) -> str:
    """Escape text from outside: on one line, and without any markup of its own."""
    return MARKDOWN_SPECIAL.sub(r"\\\1", visible(" ".join(text.split())))


def markdown_table(table: ReportTable) -> str:
    r"""Write a table as GitHub's Markdown; best cells are bold.

    Examples
    --------
    >>> from kpboost.reports._table import markdown_table
    >>> from kpboost.reports._table import ReportColumn, ReportTable
    >>> columns = (ReportColumn("set"), ReportColumn("score", digits=2))
    >>> print(markdown_table(ReportTable("t", "T", columns, (("a_b", 0.5),), frozenset({(0, 1)}))))
    | set | score |
    | --- | ---: |
    | a\_b | **0.50** |
    """
    head = _markdown_line([markdown_text(column.name) for column in table.columns])
    rule = _markdown_line(
        ["---:" if table.is_number(k) else "---" for k in range(len(table.columns))]
    )
    return "\n".join([head, rule, *(_markdown_row(table, row) for row in range(len(table.rows)))])


def markdown_section(table: ReportTable, level: int = 2) -> str:
    """Write a table under its title, with its note."""
    parts = ["#" * level + " " + markdown_text(table.title), markdown_table(table)]
    return "\n\n".join([*parts, *([markdown_text(table.note)] if table.note else [])])


def markdown_link(table: ReportTable) -> str:
    """Write a line of a list that leads to the section of a table, by its heading on GitHub.

    Examples
    --------
    >>> from kpboost.reports._table import ReportTable, markdown_link
    >>> markdown_link(ReportTable("t", "Ranks: two classes, OVO", (), ()))
    '- [Ranks: two classes, OVO](#ranks-two-classes-ovo)'
    """
    place = re.sub(r"[^\w\- ]", "", table.title.lower()).replace(" ", "-")
    return f"- [{markdown_text(table.title)}](#{place})"


def _markdown_row(table: ReportTable, row: int) -> str:
    return _markdown_line(
        [_markdown_cell(table, row, column) for column in range(len(table.columns))]
    )


def _markdown_cell(table: ReportTable, row: int, column: int) -> str:
    text = markdown_text(table.text(row, column))
    return f"**{text}**" if (row, column) in table.best else text


def _markdown_line(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


# Characters that LaTeX reads as commands, and what prints them.
LATEX_SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': "''",
    EMPTY: "--",
}
# A page of the class article: the width of its text, and rows that fit on it with a caption.
PAGE_POINTS = 345.0
PAGE_ROWS = 40
# About what a letter takes at ten points, and what stands between two columns.
LETTER_POINTS = 5.0
GAP_POINTS = 12.0
# Shrink what is in braces to the page, in width and then in height, and enlarge nothing.
FIT_WIDTH = r"\resizebox{\ifdim\width>\textwidth\textwidth\else\width\fi}{!}{%"
FIT_HEIGHT = (
    r"\resizebox*{!}{\ifdim\totalheight>0.85\textheight 0.85\textheight\else\totalheight\fi}{%"
)


def latex_text(text: str) -> str:
    """Escape text from outside: on one line, every character printed as it is.

    Characters that nobody can print are left out. LaTeX knows accented letters; names in other
    scripts need LuaLaTeX or XeLaTeX, and a font.
    """
    letters = [letter for letter in " ".join(text.split()) if letter.isprintable()]
    return "".join(LATEX_SPECIAL.get(letter, letter) for letter in letters)


def latex_table(table: ReportTable) -> str:
    r"""Write a table as a floating LaTeX table; best cells are bold.

    Parameters
    ----------
    table : ReportTable

    Returns
    -------
    str
        From ``\begin{table}`` to ``\end{table}``, labelled ``tab:`` and the table's name.
    """
    caption = latex_text(f"{table.title}. {table.note}".strip())
    large = not fits_page(table)
    return "\n".join(
        [
            r"\begin{table}",
            r"\centering",
            rf"\caption{{{caption}}}",
            rf"\label{{tab:{table.name}}}",
            r"\smallskip",
            *([FIT_HEIGHT, FIT_WIDTH] if large else []),
            *_tabular(table, upright=large),
            *(["}}"] if large else []),
            r"\end{table}",
        ]
    )


def fits_page(table: ReportTable) -> bool:
    """Tell whether a table fits on a page as it is, by the letters of its longest cells."""
    width = GAP_POINTS * len(table.columns)
    for place, column in enumerate(table.columns):
        cells = [table.text(row, place) for row in range(len(table.rows))]
        width += LETTER_POINTS * max(map(len, [column.name, *cells]))
    return width <= PAGE_POINTS and len(table.rows) <= PAGE_ROWS


def _tabular(table: ReportTable, *, upright: bool) -> list[str]:
    shape = ["r" if table.is_number(place) else "l" for place in range(len(table.columns))]
    head = [latex_text(column.name) for column in table.columns]
    if upright:
        head[1:] = [rf"\rotatebox{{90}}{{{name}}}" for name in head[1:]]
    rows = [_latex_row(table, row) for row in range(len(table.rows))]
    return [
        rf"\begin{{tabular}}{{{''.join(shape)}}}",
        *(r"\hline", _latex_line(head), r"\hline", *rows, r"\hline"),
        r"\end{tabular}",
    ]


def _latex_row(table: ReportTable, row: int) -> str:
    return _latex_line([_latex_cell(table, row, column) for column in range(len(table.columns))])


def _latex_cell(table: ReportTable, row: int, column: int) -> str:
    text = latex_text(table.text(row, column))
    return rf"\textbf{{{text}}}" if (row, column) in table.best else text


def _latex_line(cells: list[str]) -> str:
    return " & ".join(cells) + r" \\"


# A spreadsheet takes a cell that starts with one of these for a formula, and runs it.
FORMULA_STARTS = ("=", "+", "-", "@")
# What it may skip before them; a cell that starts with one of the last three is suspect by itself.
SKIPPED = " \v\f\0\xa0\ufeff\t\r\n"
SUSPECT = ("\t", "\r", "\n")
# With a decimal point or comma, and either between thousands; such a cell runs nothing.
NUMBER = re.compile(r"[+-]?[.,]?[0-9][0-9.,]*(?:[eE][+-]?[0-9]+)?")


def csv_table(table: ReportTable) -> str:
    """Write a table as CSV with a header; numbers in full, empty cells empty."""
    header = [column.name for column in table.columns]
    rows = (["" if is_empty(value) else value for value in row] for row in table.rows)
    return csv_text(header, rows)


def csv_text(
    header: Sequence[str] | None, rows: Iterable[Sequence[Any]], *, raw: bool = False
) -> str:
    """Write rows as CSV.

    Parameters
    ----------
    header : sequence of str or None
        Names of the columns; None for rows that follow others.
    rows : iterable of sequences
        Text and numbers.
    raw : bool, default=False
        Whether text is written as it is, even if a spreadsheet would run it.

    Returns
    -------
    str
    """
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer, lineterminator="\n")
    for row in chain([] if header is None else [header], rows):
        writer.writerow(row if raw else [_csv_cell(value) for value in row])
    return buffer.getvalue()


def _csv_cell(value: Value) -> Value:
    return safe_text(value) if isinstance(value, str) else value


def safe_text(text: str) -> str:
    """Put an apostrophe before what a spreadsheet would run; carriage returns become spaces.

    Numbers such as -1 and -1,5 and single signs run nothing and stay as they are.
    """
    line = text.replace("\r", " ")  # readers take a bare one for the end of a row
    return f"'{line}" if is_formula(text) else line


def is_formula(text: str) -> bool:
    """Tell whether a spreadsheet might take a cell for a formula."""
    inner = text.strip(SKIPPED)
    suspect = inner.startswith(FORMULA_STARTS) or text.startswith(SUSPECT)
    return suspect and len(inner) > 1 and not NUMBER.fullmatch(inner)


def listed(names: Sequence[str]) -> str:
    """Put commas between names, and a word before the last.

    Parameters
    ----------
    names : sequence of str

    Returns
    -------
    str

    Examples
    --------
    >>> from kpboost.reports._table import listed
    >>> listed(["SVM", "AKS", "KBA"])
    'SVM, AKS and KBA'
    """
    if len(names) < 2:
        return "".join(names) or "nothing"
    return f"{', '.join(names[:-1])} and {names[-1]}"


def many(number: int, noun: str) -> str:
    """Write a number with its noun, which gets an s unless there is one.

    Examples
    --------
    >>> from kpboost.reports._table import many
    >>> many(1, "data set"), many(2, "data set")
    ('1 data set', '2 data sets')
    """
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def terminal_table(table: ReportTable, *, note: bool = True) -> RenderableType:
    """Show a table in the terminal; best cells are bold."""
    shown = RichTable(
        title=escape(visible(table.title)),
        caption=escape(visible(table.note)) if note and table.note else None,
        title_justify="left",
        caption_justify="left",
        box=SIMPLE_HEAD,
        collapse_padding=True,
        pad_edge=False,
        title_style="bold",
        caption_style="dim",
    )
    for number, column in enumerate(table.columns):
        is_number, heading = table.is_number(number), escape(visible(column.name))
        shown.add_column(
            # Numbers are narrow; their heading takes lines, so that names beside them need not.
            heading.replace(" ", "\n").replace("-", "-\n") if is_number else heading,
            justify="right" if is_number else "left",
            overflow="fold",
        )
    for row in range(len(table.rows)):
        shown.add_row(*(_terminal_cell(table, row, column) for column in range(len(table.columns))))
    return shown


def _terminal_cell(table: ReportTable, row: int, column: int) -> Text:
    style = "bold" if (row, column) in table.best else ""
    return Text(visible(table.text(row, column)), style=style)
