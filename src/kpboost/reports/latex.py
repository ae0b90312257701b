"""Tables as LaTeX, for a paper.

A table that fits on a page needs no package. One with many methods or data sets stands its headings
upright and shrinks to the page, for which it needs graphicx.
"""

from .table import EMPTY, Table

# Characters that LaTeX reads as commands, and what prints them.
SPECIAL = {
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
    return "".join(SPECIAL.get(letter, letter) for letter in letters)


def latex_table(table: Table) -> str:
    r"""Write a table as a floating LaTeX table; best cells are bold.

    Parameters
    ----------
    table : Table

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


def fits_page(table: Table) -> bool:
    """Tell whether a table fits on a page as it is, by the letters of its longest cells."""
    width = GAP_POINTS * len(table.columns)
    for place, column in enumerate(table.columns):
        cells = [table.text(row, place) for row in range(len(table.rows))]
        width += LETTER_POINTS * max(map(len, [column.name, *cells]))
    return width <= PAGE_POINTS and len(table.rows) <= PAGE_ROWS


def _tabular(table: Table, *, upright: bool) -> list[str]:
    shape = ["r" if table.is_number(place) else "l" for place in range(len(table.columns))]
    head = [latex_text(column.name) for column in table.columns]
    if upright:
        head[1:] = [rf"\rotatebox{{90}}{{{name}}}" for name in head[1:]]
    rows = [_row(table, row) for row in range(len(table.rows))]
    return [
        rf"\begin{{tabular}}{{{''.join(shape)}}}",
        *(r"\hline", _line(head), r"\hline", *rows, r"\hline"),
        r"\end{tabular}",
    ]


def _row(table: Table, row: int) -> str:
    return _line([_cell(table, row, column) for column in range(len(table.columns))])


def _cell(table: Table, row: int, column: int) -> str:
    text = latex_text(table.text(row, column))
    return rf"\textbf{{{text}}}" if (row, column) in table.best else text


def _line(cells: list[str]) -> str:
    return " & ".join(cells) + r" \\"
