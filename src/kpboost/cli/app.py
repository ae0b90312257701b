"""Entry point of the `kpboost` command: it answers even where the extra `cli` is not installed."""

import os
import sys
from io import TextIOWrapper

# What the extra brings; any other missing package is a broken installation.
EXTRA_PACKAGES = ("typer", "rich", "jinja2", "markupsafe", "matplotlib", "pandas")


def main() -> None:
    """Run the command line and leave with its exit code."""
    try:
        from ._errors import STOPPED, run_app
        from .commands import app
    except ModuleNotFoundError as error:
        if not (advice := extra_advice(error)):
            raise
        print(advice, file=sys.stderr)
        sys.exit(2)
    _print_what_can_be_printed()
    code = run_app(app, sys.argv[1:])
    if code == STOPPED:
        _leave_at_once(code)
    sys.exit(code)


def _print_what_can_be_printed() -> None:
    """Show a character that the output's encoding lacks as an escape, instead of giving up."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _leave_at_once(code: int) -> None:
    """End without waiting for threads: one inside compiled code would abort a closing Python."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def extra_advice(error: ModuleNotFoundError) -> str:
    """Say how to install a missing package of the extra; "" for any other package."""
    package = (error.name or "").partition(".")[0]
    if package not in EXTRA_PACKAGES:
        return ""
    return (
        f"The kpboost command needs the package {package}, which is not installed: "
        'pip install "kpboost[cli]".'
    )


if __name__ == "__main__":
    main()
