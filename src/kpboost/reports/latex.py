"""Tables as LaTeX, for a paper: only what every LaTeX has, no package needed."""

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


def latex_text(text: str) -> str:
    """Escape text from outside: on one line, every character printed as it is."""
    return "".join(SPECIAL.get(letter, letter) for letter in " ".join(text.split()))


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
    width = len(table.columns)
    shape = "".join("r" if table.is_number(column) else "l" for column in range(width))
    head = _line([latex_text(column.name) for column in table.columns])
    rows = [_row(table, row) for row in range(len(table.rows))]
    caption = latex_text(f"{table.title}. {table.note}".strip())
    return "\n".join(
        [
            r"\begin{table}",
            r"\centering",
            rf"\caption{{{caption}}}",
            rf"\label{{tab:{table.name}}}",
            rf"\begin{{tabular}}{{{shape}}}",
            *(r"\hline", head, r"\hline", *rows, r"\hline"),
            r"\end{tabular}",
            r"\end{table}",
        ]
    )


def _row(table: Table, row: int) -> str:
    return _line([_cell(table, row, column) for column in range(len(table.columns))])


def _cell(table: Table, row: int, column: int) -> str:
    text = latex_text(table.text(row, column))
    return rf"\textbf{{{text}}}" if (row, column) in table.best else text


def _line(cells: list[str]) -> str:
    return " & ".join(cells) + r" \\"
