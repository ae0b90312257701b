"""The door of the `kpboost` command: it opens even where the extra `cli` is not installed."""

import os
import sys

# What the extra brings; any other missing package is a broken installation.
EXTRA_PACKAGES = ("typer", "rich", "jinja2", "markupsafe", "matplotlib", "pandas")


def main() -> None:
    """Run the command line and leave with its exit code."""
    try:
        from .commands import app
        from .errors import STOPPED, run_app
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in EXTRA_PACKAGES:
            raise
        print(_advice(error.name or ""), file=sys.stderr)
        sys.exit(2)
    code = run_app(app, sys.argv[1:])
    if code == STOPPED:
        _leave_at_once(code)
    sys.exit(code)


def _leave_at_once(code: int) -> None:
    """End without waiting for threads: one inside compiled code would abort a closing Python."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def _advice(package: str) -> str:
    return (
        f"The kpboost command needs the package {package}, which is not installed: "
        'pip install "kpboost[cli]".'
    )


if __name__ == "__main__":
    main()
