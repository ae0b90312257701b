"""How Sphinx builds the documentation: ``make docs`` writes it to ``build/docs``."""

import re
import sys
from importlib.metadata import version as version_of
from importlib.util import find_spec
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))  # Sphinx runs this file from another folder

from api_page import api_page  # noqa: E402
from front_card import write_front_card  # noqa: E402
from outside_pages import with_links, write_outside_pages  # noqa: E402

project = "kpboost"
author = "the kpboost developers"
copyright = author
version = release = version_of("kpboost")

extensions = [
    "myst_nb",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.viewcode",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = ["gallery/*.ipynb", "gallery/*.py", "gallery/*.md5", "gallery/*.json"]
html_static_path = ["_static"]
html_css_files = ["front.css"]
templates_path = ["_templates"]
html_theme = "furo"
html_title = f"kpboost {release}"

# The tutorials are notebooks that run whenever their pages are built, each in a folder of its own.
# No cache: where only the text had changed, it gave pages without output.
nb_execution_mode = "force"
nb_execution_in_temp = True
nb_execution_show_tb = True  # a cell that fails is a warning, and so an error
nb_execution_timeout = -1  # a busy machine is no error
nb_output_stderr = "remove"

# Headings get anchors, so that pages can link into each other as they do on a code host.
myst_heading_anchors = 3

autosummary_generate = True
# Plug-ins are described even where the package that they plug into is not installed.
autodoc_mock_imports = [name for name in ("onnx", "skl2onnx") if find_spec(name) is None]
autodoc_typehints = "none"  # the numpydoc sections say it in words
numpydoc_show_class_members = False  # autosummary's template lists them
numpydoc_validation_checks: set[str] = set()

sphinx_gallery_conf = {
    "examples_dirs": str(HERE.parent / "examples" / "gallery"),
    "gallery_dirs": "gallery",
    "filename_pattern": r"\.py$",
    "within_subsection_order": "FileNameSortKey",
    "download_all_examples": False,
    "remove_config_comments": True,
    "show_memory": False,
    "abort_on_example_error": True,
}


def write_api_page() -> None:
    """List every public name, so that none can be forgotten."""
    page, target = api_page(), HERE / "api.rst"
    if not target.exists() or target.read_text() != page:  # an unchanged page is not built again
        target.write_text(page)


write_api_page()
write_front_card()
write_outside_pages()


# In reStructuredText a bar opens a substitution, and an underscore at the end of a word makes it a
# link. In docstrings bars are sizes and distances, and such words are fitted attributes.
LITERAL = re.compile(r"(``.*?``|`[^`]*`)")
BAR_OR_FITTED_NAME = re.compile(r"(?<!\\)(\||(?<=\w)_(?!\w))")


def take_literally(
    _app: Any, _what: str, _name: str, _obj: Any, _options: Any, lines: list[str]
) -> None:
    """Escape both, outside of literal text, directives and sessions."""
    in_session = False
    for i, line in enumerate(lines):
        in_session = bool(line.strip()) and (in_session or line.lstrip().startswith(">>>"))
        if not in_session and not line.lstrip().startswith(".. "):
            parts = LITERAL.split(line)
            parts[::2] = [BAR_OR_FITTED_NAME.sub(r"\\\1", part) for part in parts[::2]]
            lines[i] = "".join(parts)


def forget_compiled_modules(app: Any) -> list[Any]:
    """Keep modules without Python source off the list of sources, where their links are dead."""
    sources = getattr(app.env, "_viewcode_modules", {})
    for name in [name for name, source in sources.items() if not source]:
        del sources[name]
    return []


def turn_links(app: Any, name: str, source: list[str]) -> None:
    """Turn links to files outside this folder to what there is of them in the documentation."""
    page = Path(app.env.doc2path(name))
    if page.suffix == ".md":
        source[0] = with_links(source[0], page, page)


def setup(app: Any) -> None:
    """Let numpydoc, which has priority 500, come first, and be earlier than viewcode."""
    app.connect("autodoc-process-docstring", take_literally, priority=600)
    app.connect("source-read", turn_links)
    app.connect("html-collect-pages", forget_compiled_modules, priority=400)
