"""One look for every HTML page of the project: a base template that others extend.

A page is one file that needs nothing else: styles, script and pictures are inside it. Whatever
comes from data is escaped by the template engine, and the page's own content security policy
lets no browser load anything or run any script but ours.
"""

import base64
import hashlib
import io
import re
import warnings
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from typing import Any

import matplotlib as mpl
import numpy as np
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure as Canvas

from kpboost._text import visible
from kpboost._typing import FloatArray

# Relative to this package; every template of a page ends in .html.j2 and extends base.html.j2.
TEMPLATE_FOLDER = "templates"
SCRIPT = "sort.js"
# An option of the command line. Browsers end a line after any of its hyphens. A longer word is none
# of ours, and must be broken where the page is narrow.
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]{1,20}(?![\w-])")


def render_page(template_name: str, context: Mapping[str, Any]) -> str:
    """Fill a template and return the whole page as text.

    Parameters
    ----------
    template_name : str
        A file of ``reports/templates``, e.g. ``"comparison.html.j2"``.
    context : mapping
        What the template names. ``title`` is needed by all; a name that the template uses and the
        context lacks is an error. Text is escaped; `Figure` and `ReportTable` records go to the
        macros of ``macros.html.j2``.

    Returns
    -------
    str
        A self-contained HTML page.

    Examples
    --------
    >>> from kpboost.reports._page import render_page
    >>> page = render_page("base.html.j2", {"title": "Small & rare"})
    >>> "<title>Small &amp; rare</title>" in page
    True
    """
    script = _script()
    own = {
        "script": script,
        "script_hash": _hash(script),
        "version": version("kpboost"),
        "embedded": False,
    }
    return _environment().get_template(template_name).render({**own, **context})


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("kpboost.reports", TEMPLATE_FOLDER),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_shown,
    )
    environment.filters["whole_options"] = _whole_options
    return environment


def _shown(value: Any) -> Any:
    """Return a value as a page shows it: of text from outside, every character."""
    return visible(value, keep="\n\t") if type(value) is str else value


def _whole_options(text: str) -> Markup:
    """Escape a text and keep its options, such as --costs, in one line each."""
    escaped = str(escape(_shown(str(text))))
    return Markup(OPTION.sub(r'<span class="option">\g<0></span>', escaped))


def _script() -> str:
    environment = _environment()
    assert environment.loader is not None
    return environment.loader.get_source(environment, SCRIPT)[0]


def _hash(script: str) -> str:
    """Fingerprint by which the page's policy knows the one script that may run."""
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()


# The light palette, and the variable of the base template that stands for each. The series are
# those of Okabe and Ito, told apart with any kind of colour vision.
INK, FAINT, LINE, PAPER = "#1b1f24", "#6a737d", "#d8dee4", "#fffffe"
SERIES = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7a6a4f")
THEME = {
    INK: "var(--ink)",
    FAINT: "var(--faint)",
    LINE: "var(--line)",
    PAPER: "var(--paper)",
    **{color: f"var(--series-{number})" for number, color in enumerate(SERIES, start=1)},
}
FILE_STYLE: Any = {
    "svg.fonttype": "none",  # letters stay letters: to search, to copy, to read aloud
    "svg.hashsalt": "kpboost",  # the same picture is the same file
    "text.parse_math": False,  # a dollar sign in a name is a dollar sign
}
STYLE: Any = {
    **FILE_STYLE,
    "font.size": 9.5,
    "text.color": INK,
    "axes.edgecolor": FAINT,
    "axes.labelcolor": INK,
    "axes.titlesize": 10.5,
    "axes.titleweight": "bold",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": LINE,
    "xtick.color": FAINT,
    "ytick.color": FAINT,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "legend.frameon": False,
}
IDENTIFIER = re.compile(r'(\bid="|url\(#|href="#)([^")]+)')
TAG = re.compile(r"<[^>]*>")
# Names of data sets and methods are short; a longer one would push the picture off the page.
LONGEST_LABEL = 28


@dataclass(frozen=True)
class Figure:
    """A drawn picture with its words.

    Attributes
    ----------
    svg : Markup
        The picture, from `inline_svg`.
    title : str
        Heading.
    caption : str
        What to see in it; also what a screen reader says.
    """

    svg: Markup
    title: str
    caption: str = ""


@contextmanager
def drawing(width: float, height: float) -> Iterator[Canvas]:
    """Open an empty figure of our style, in inches; it belongs to no window and no global state.

    About five inches of width stay readable on a phone.
    """
    with mpl.rc_context(STYLE):
        canvas = Canvas(figsize=(width, height), layout="constrained")
        FigureCanvasSVG(canvas)
        yield canvas


def inline_svg(canvas: Any, name: str = "") -> Markup:
    """Write a figure as an SVG element for a page.

    Parameters
    ----------
    canvas : matplotlib Figure
        Any figure; colours of our palette follow the page from light to dark.
    name : str, default=""
        Tells apart pictures of one page that may happen to be equal.

    Returns
    -------
    Markup
        Safe to put into a template: matplotlib escapes all text of a figure.
    """
    buffer = io.StringIO()
    with mpl.rc_context(FILE_STYLE), warnings.catch_warnings():
        # The reader's browser has more letters than matplotlib's own font.
        warnings.filterwarnings("ignore", message="Glyph .* missing")
        canvas.savefig(buffer, format="svg", transparent=True, metadata={"Date": None})
    text = buffer.getvalue()
    element = text[text.index("<svg") :]
    mark = hashlib.sha256((name + element).encode()).hexdigest()[:8]
    return Markup(TAG.sub(lambda tag: _adapted(tag.group(), f"f{mark}-"), element))


def label(text: str) -> str:
    """Prepare a name from outside for a picture: nothing unprintable, not too long."""
    clean = "".join(letter if letter.isprintable() else "?" for letter in text)
    return clean if len(clean) <= LONGEST_LABEL else clean[: LONGEST_LABEL - 1] + "…"


# Values further from the middle half than this many times its width are left to the edge.
FAR = 3.0
MARGIN = 0.04


def calm_limits(values: FloatArray, groups: Iterable[FloatArray] = ()) -> tuple[float, float]:
    """Limits of an axis that a few far values do not squeeze.

    Parameters
    ----------
    values : ndarray of shape (n,)
        What is to be shown, at least one value.
    groups : iterable of ndarray
        Values that must be seen, however far they lie, but for those far from the rest of theirs.

    Returns
    -------
    low, high : float

    Examples
    --------
    >>> import numpy as np
    >>> from kpboost.reports._page import calm_limits
    >>> calm_limits(np.array([0.0, 1, 2, 3, 4, 1e9]))
    (-0.16, 4.16)
    """
    near = np.concatenate([_near(each) for each in (values, *groups) if each.size])
    low, high = float(near.min()), float(near.max())
    margin = MARGIN * (high - low) or 0.5
    return low - margin, high + margin


def _near(values: FloatArray) -> FloatArray:
    first, third = np.percentile(values, (25, 75))
    reach = FAR * (third - first) if third > first else np.inf
    inside: FloatArray = values[(values >= first - reach) & (values <= third + reach)]
    return inside


def _adapted(tag: str, prefix: str) -> str:
    """Give a tag the page's colours, and keep identifiers of several pictures apart."""
    for color, variable in THEME.items():
        tag = tag.replace(color, variable)
    return IDENTIFIER.sub(rf"\g<1>{prefix}\g<2>", tag)
