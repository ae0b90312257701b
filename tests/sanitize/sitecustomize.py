"""Makes every Python process of `make sanitize` load the build of the core that KPBOOST_CORE names.

Python imports a module of this name at its start, wherever this folder is on PYTHONPATH. The rest
of the package stays the one that is installed.
"""

import os
import sys
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_file_location


class OtherCore:
    """Finds one module, before the finder of the editable install does."""

    @staticmethod
    def find_spec(name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        """Answer for the compiled core, and for nothing else."""
        if name != "kpboost._core":
            return None
        return spec_from_file_location(name, os.environ["KPBOOST_CORE"])


sys.meta_path.insert(0, OtherCore)
