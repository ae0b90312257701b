"""The picture on the front page: a card of a real audit, made when the documentation is built.

``python docs/front_card.py`` makes it, too: ``docs/_static/payments/card.html``. The README shows a
screenshot of it, ``docs/_static/audit_card.png``, to be taken again when cards change.
"""

import re
from pathlib import Path

from sklearn.linear_model import LogisticRegression

from kpboost import audit
from kpboost.datasets import load
from kpboost.reports import write_audit

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "docs" / "_static" / "payments"
DARK = re.compile(r"@media \(prefers-color-scheme: dark\) \{\s*:root \{(.*?)\}\s*\}", re.DOTALL)
# The reader of the documentation may choose dark or light; an audit's page follows the system.
DARK_HERE = r"""body[data-theme="dark"] & {\1}
@media (prefers-color-scheme: dark) { body:not([data-theme="light"]) & {\1} }"""


def write_front_card(folder: Path = FOLDER) -> None:
    """Write the audit of the payments and its card, unless they are newer than all they rest on."""
    target = folder / "card.html"
    made = target.stat().st_mtime if target.exists() else 0.0
    if made < max(file.stat().st_mtime for file in _sources()):
        target.write_text(card_of(write_payments_audit(folder)), encoding="utf-8")


def _sources() -> list[Path]:
    packages = [ROOT / "src" / "kpboost" / name for name in ("auditing", "datasets", "reports")]
    inside = [file for each in packages for file in each.rglob("*") if file.suffix != ".pyc"]
    return [Path(__file__), *(file for file in inside if file.is_file())]


def write_payments_audit(folder: Path) -> str:
    """Audit a linear model of the made-up payments, as the front page does; return the page."""
    data = load("payments")
    model = LogisticRegression(max_iter=1000)
    found = audit(data.table, data.y, model, remedies=["rare_class"])
    return write_audit(found, folder, title=data.name).read_text(encoding="utf-8")


def card_of(page: str) -> str:
    """Return the verdict and the first card of an audit's page, with its styles for them alone."""
    (style,) = re.findall(r"<style>(.*?)</style>", page, re.DOTALL)
    verdict = re.findall(r'<section class="verdict.*?</section>', page, re.DOTALL)[0]
    card = re.findall(r'<article class="finding.*?</article>', page, re.DOTALL)[0]
    here = DARK.sub(DARK_HERE, style).replace(":root", "&")
    return f'<style>.audit-card {{ {here} }}</style>\n<div class="audit-card">{verdict}{card}</div>'


if __name__ == "__main__":
    write_front_card()
