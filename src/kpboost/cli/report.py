"""`kpboost report`: the report of a store, at any time, also while a run goes on."""

from pathlib import Path
from typing import Annotated

import typer

from kpboost.cli import _options as options

from ._help import HelpPage
from ._options import report_beside
from ._terminal import out, print_json, show

HELP_PAGE = HelpPage(
    examples=("kpboost report my.sqlite", "kpboost report my.sqlite --report my-report")
)


def report(
    store: options.StoreArgument,
    folder: Annotated[
        Path | None,
        typer.Option(
            "--report",
            "-o",
            metavar="FOLDER",
            help="Folder for the report; by default beside STORE.",
        ),
    ] = None,
    as_json: options.Json = False,
) -> None:
    """Write the report of a file of results: HTML, Markdown, LaTeX and CSV.

    It works while a run is still going on.
    """
    from kpboost.experiments import describe
    from kpboost.reports import compare_all, plain_summary, terminal_summary, write_files

    place = folder or report_beside(store)
    if place.exists() and not place.is_dir():
        raise ValueError(f"{place} is a file; a folder is needed there.")
    info = describe(store)
    comparison = compare_all(info)
    page = write_files(comparison, info, place)
    if as_json:
        print_json({"report": str(page), **plain_summary(comparison)})
        return
    console = out()
    console.print(terminal_summary(comparison))
    show(console, f"Report   {page}")
