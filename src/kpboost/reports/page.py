"""One look for every HTML page of the project: a base template that others extend.

A page is one file that needs nothing else: styles, script and pictures are inside it. Whatever
comes from data is escaped by the template engine, and the page's own content security policy
lets no browser load anything or run any script but ours.
"""

import base64
import hashlib
from collections.abc import Mapping
from functools import cache
from importlib.metadata import version
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from kpboost._visible import visible

# Relative to this package; every template of a page ends in .html.j2 and extends base.html.j2.
TEMPLATE_FOLDER = "templates"
SCRIPT = "sort.js"


def render_page(template_name: str, context: Mapping[str, Any]) -> str:
    """Fill a template and return the whole page as text.

    Parameters
    ----------
    template_name : str
        A file of ``reports/templates``, e.g. ``"comparison.html.j2"``.
    context : mapping
        What the template names. ``title`` is needed by all; a name that the template uses and the
        context lacks is an error. Text is escaped; `Figure` and `Table` records go to the macros
        of ``macros.html.j2``.

    Returns
    -------
    str
        A self-contained HTML page.

    Examples
    --------
    >>> from kpboost.reports.page import render_page
    >>> page = render_page("base.html.j2", {"title": "Small & rare"})
    >>> "<title>Small &amp; rare</title>" in page
    True
    """
    script = _script()
    own = {"script": script, "script_hash": _hash(script), "version": version("kpboost")}
    return _environment().get_template(template_name).render({**own, **context})


@cache
def _environment() -> Environment:
    return Environment(
        loader=PackageLoader("kpboost.reports", TEMPLATE_FOLDER),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_shown,
    )


def _shown(value: Any) -> Any:
    """Return a value as a page shows it: of text from outside, every character."""
    return visible(value, keep="\n\t") if type(value) is str else value


def _script() -> str:
    environment = _environment()
    assert environment.loader is not None
    return environment.loader.get_source(environment, SCRIPT)[0]


def _hash(script: str) -> str:
    """Fingerprint by which the page's policy knows the one script that may run."""
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
