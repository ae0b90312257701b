"""All commands under one name.

Their modules import nothing heavy before they run, so that `--help` and completion answer at once.
"""

import typer

from ._terminal import start
from .audit import audit
from .compare import compare
from .datasets import datasets
from .disjuncts import disjuncts
from .fit import fit
from .methods import methods
from .paper import paper
from .predict import predict
from .report import report
from .status import status

HELP = (
    "Find small disjuncts, measure classifiers on them, and compare classifiers honestly. "
    "Start with: kpboost compare"
)

app = typer.Typer(
    name="kpboost",
    help=HELP,
    rich_markup_mode=None,  # a help text is plain text, also in a log
    pretty_exceptions_enable=False,
)
for command in (
    *(audit, fit, predict, compare, paper, report, status),
    *(methods, datasets, disjuncts),
):
    app.command(command.__name__)(command)
app.callback(invoke_without_command=True, help=HELP)(start)
