"""Print the path of each Python named as an argument, in one line; without any work, if one lacks.

A name such as python3.12 is looked for on PATH, then among the versions of pyenv, whose shims are
on PATH but run only the versions that were chosen.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ADVICE = (
    "install what is missing, or name others by their paths, as in 'make wheels "
    'WHEEL_PYTHONS="PATH PATH" TRIED_PYTHONS="PATH PATH"\'.'
)


def main(names: list[str]) -> None:
    found = {name: find(name) for name in names}
    missing = [name for name, path in found.items() if not path]
    if missing:
        sys.exit(f"{' and '.join(missing)} cannot be run: {ADVICE}")
    print(*found.values())


def find(name: str) -> str:
    """Return the path of a Python that runs, or "" if there is none."""
    return next((path for path in candidates(name) if path and runs(path)), "")


def candidates(name: str) -> list[str | None]:
    """On PATH, then those of pyenv, the newest first."""
    root = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")
    versions = sorted((root / "versions").glob(f"*/bin/{Path(name).name}"), key=order, reverse=True)
    return [shutil.which(name), *map(str, versions)]


def order(path: Path) -> list[int]:
    """3.12.10 comes after 3.12.9."""
    return [int(number) for number in re.findall(r"\d+", path.parts[-3])]


def runs(path: str) -> bool:
    """Tell whether it is a Python that can make environments, and not a shim without one."""
    return not subprocess.run([path, "-c", "import venv"], capture_output=True).returncode


if __name__ == "__main__":
    main(sys.argv[1:])
