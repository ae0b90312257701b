"""All commands under one name.

Their modules import nothing heavy before they run, so that `--help` and completion answer at once.
"""

import typer

from . import audit, compare, datasets, disjuncts, fit, methods, paper, predict, report, status
from ._help import HelpedGroup, command_with
from ._terminal import start

HELP = (
    "Find what a classifier misses in a table with rare classes, compare classifiers, and train "
    "models that do better."
)
# By what they are for, in the order of a newcomer's questions.
COMMANDS = {
    "Start here": (audit, compare, fit, predict),
    "Look at data and methods": (datasets, disjuncts, methods),
    "Long experiments": (status, report, paper),
}

app = typer.Typer(
    name="kpboost",
    help=HELP,
    cls=HelpedGroup,
    context_settings={"help_option_names": ["-h", "--help"]},
    rich_markup_mode=None,  # a help text is plain text, also in a log
    pretty_exceptions_enable=False,
)
for heading, modules in COMMANDS.items():
    for module in modules:
        name = module.__name__.rpartition(".")[2]
        kind = command_with(module.HELP_PAGE)
        app.command(name, cls=kind, rich_help_panel=heading)(getattr(module, name))
app.callback(invoke_without_command=True, help=HELP, cls=HelpedGroup)(start)
