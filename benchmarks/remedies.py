"""Whether what the audit recommends is right on fresh data.

Every data set is drawn from a rule that can be drawn from again. A model is audited on one draw;
the audited model, the same with its threshold moved and all remedies are then trained on that draw
and measured on a large fresh one. For every finding that is there, a planted part or a class of low
recall, the audit's word is compared with the truth: what each remedy is worth on fresh rows, which
is its gain on the rows of the finding less its cost elsewhere, as docs/audit.md defines it. Doing
nothing is worth 0.

python benchmarks/remedies.py                      6 data sets of each of 9 kinds: ten minutes
python benchmarks/remedies.py --seeds 1 --kind gap
"""

import argparse
import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.naive_bayes import GaussianNB

from audit import (
    Labels,
    Make,
    Planted,
    by_number,
    category,
    grid,
    in_a_gap,
    plain_svm,
    straight,
    straight_answers,
    survey,
)
from kpboost import OperatingPointClassifier, audit
from kpboost.auditing import THRESHOLD
from kpboost.auditing._remedies import Asked, Strata
from kpboost.methods import MethodClassifier
from kpboost.metrics import clopper_pearson

REMEDIES = ["svm_balanced", "gradient_boosting", "extra_trees_tuned"]
N_SEEDS = 6
# Draws that make up the fresh data, and the first of their seeds.
N_FRESH, FIRST_FRESH = 25, 10_000
# Differences of worth that do not matter.
NEAR = (0.01, 0.05)


def whole(X: Any, y: Labels) -> Planted:
    """Return a table without planted parts."""
    return Planted(X, y, np.zeros_like(y), {})


def two_clouds(seed: int, sizes: tuple[int, int] = (540, 60), apart: float = 1.0) -> Planted:
    """Draw two normal clouds of one shape: the best rule is a straight line, moved."""
    rng = np.random.default_rng(seed)
    y = np.repeat([0, 1], sizes)
    X = rng.normal(size=(y.size, 4))
    X[:, :2] += apart * y[:, None]
    return whole(X, y)


def wide_and_narrow(seed: int) -> Planted:
    """Draw two normal clouds around one point, of different widths: naive Bayes is the best rule.

    It recognises less of the wide one, and nobody can do better for both.
    """
    rng = np.random.default_rng(seed)
    y = np.repeat([0, 1], 300)
    return whole(rng.normal(size=(600, 2)) * (1 + 1.2 * y[:, None]), y)


def wrong_labels(seed: int) -> Planted:
    """Three in ten rows of a class are named by mistake: nobody can tell which."""
    rng = np.random.default_rng(seed)
    true = np.repeat([0, 1], [390, 210])
    X = rng.normal(size=(600, 3)) + 3.0 * true[:, None] * [1, 1, 0]
    y = true | (rng.random(600) < 0.25)
    return whole(X, y.astype(np.intp))


KINDS: dict[str, tuple[Make, Callable[[], Any]]] = {
    "twenty rows in a gap; SVM": (partial(in_a_gap, sizes=(20,)), plain_svm),
    "30 and 20 in gaps, 4 of noise; SVM": (
        partial(in_a_gap, sizes=(30, 20), n_noise=4),
        plain_svm,
    ),
    "cells of a grid; straight line": (grid, straight),
    "answers of a survey; straight line": (survey, straight_answers),
    "a category and an interval; straight line": (category, by_number),
    "a rare cloud; straight line": (two_clouds, straight),
    "wide and narrow; naive Bayes": (wide_and_narrow, GaussianNB),
    "a third of a class by mistake; SVM": (wrong_labels, plain_svm),
    # here a straight line is not the best rule, so that something may help
    "a third of a class by mistake; straight line": (wrong_labels, straight),
}


@dataclass(frozen=True)
class Outcome:
    """A finding: what was recommended, and what everything is worth on fresh data."""

    kind: str
    seed: int
    finding: str
    recommended: str
    estimated: dict[str, float]
    worth: dict[str, float]
    helps: list[str]

    @property
    def regret(self) -> float:
        """What the best is worth, nothing included, less what the recommended is."""
        return max(self.worth.values()) - self.worth[self.recommended]


def fresh_draw(make: Make) -> Planted:
    """One table of many draws."""
    draws = [make(FIRST_FRESH + number) for number in range(N_FRESH)]
    tables = [each.X for each in draws]
    X = pd.concat(tables, ignore_index=True) if hasattr(tables[0], "iloc") else np.vstack(tables)
    y, part = (np.concatenate([getattr(each, name) for each in draws]) for name in ("y", "part"))
    return Planted(X, y, part, {})


def trained(name: str, model: Any, X: Any, y: Labels) -> Any:
    """Train a remedy on the draw that was audited."""
    if name == THRESHOLD:
        return OperatingPointClassifier(clone(model), random_state=0).fit(X, y)
    if name == "own_balanced":
        last = [key for key in model.get_params() if key.split("__")[-1] == "class_weight"]
        return clone(model).set_params(**{last[-1]: "balanced"}).fit(X, y)
    return (clone(model) if name == "" else MethodClassifier(name)).fit(X, y)


def outcomes(kind: str, seed: int) -> list[Outcome]:
    """Audit one draw, and measure all that was tried on fresh data."""
    make, build = KINDS[kind]
    own, model = make(seed), build()
    X, y = own.X, own.y
    found = audit(X, y, model, remedies=REMEDIES, random_state=seed)
    if found.remedies is None:
        return []
    new = fresh_draw(make)
    new_y = new.y
    names = ["", *(each.name for each in found.remedies.models)]
    hits = {name: trained(name, model, X, y).predict(new.X) == new_y for name in names}
    told = []
    for question in found.remedies.questions:
        rows = _fresh_rows(question, found, own.part, new_y, new.part)
        if rows.size:
            strata = Strata.of(Asked("", int(new_y[rows[0]]), rows), new_y)
            was = strata.recalls(hits[""])
            worth = {
                name: float(strata.worth(strata.recalls(hit) - was)) for name, hit in hits.items()
            }
            estimated = {each.name: each.worth for each in question.answers}
            helps = [each.name for each in question.answers if each.helps]
            told.append(
                Outcome(kind, seed, question.finding, question.recommended, estimated, worth, helps)
            )
    return told


def _fresh_rows(
    question: Any, found: Any, part: Labels, new_y: Labels, new_part: Labels
) -> NDArray[np.intp]:
    """Rows of the same planted part, or of the same class; none of a part that is not there."""
    if question.finding == f"class {question.label}":
        return np.flatnonzero(new_y == int(question.label))
    (flagged,) = [each for each in found.missed if each.name == question.finding]
    numbers = part[list(flagged.rows)]
    commonest = int(np.bincount(numbers).argmax())
    if commonest == 0 or 2 * (numbers == commonest).sum() <= numbers.size:
        return np.zeros(0, dtype=np.intp)
    return np.flatnonzero((new_part == commonest) & (new_y == 1))


def share(right: list[bool]) -> str:
    """Return a count of a total with its exact 95 % interval."""
    if not right:
        return "0 of 0"
    low, high = clopper_pearson(sum(right), len(right))
    return f"{sum(right)} of {len(right)} ({float(low):.0%} to {float(high):.0%})"


def summary(told: list[Outcome]) -> list[str]:
    """Say how often the audit was right."""
    groups = {
        "all findings": told,
        "a remedy is recommended": [e for e in told if e.recommended not in ("", THRESHOLD)],
        "a threshold is recommended": [e for e in told if e.recommended == THRESHOLD],
        "nothing is recommended": [e for e in told if e.recommended == ""],
    }
    lines = []
    for name, own in groups.items():
        near = [f"within {limit}: {share([e.regret <= limit for e in own])}" for limit in NEAR]
        mean = np.mean([e.regret for e in own]) if own else 0.0
        harm = share([e.worth[e.recommended] < 0 for e in own])
        lines.append(
            f"{name}: the best or {'; '.join(near)}; mean regret {mean:.3f}; worse than nothing "
            f"{harm}"
        )
    lines += _by_truth(told)
    first = [max(e.estimated, key=lambda name: e.estimated[name]) for e in told]
    eager = [max(e.worth.values()) - e.worth[name] for e, name in zip(told, first, strict=True)]
    lines.append(f"had the highest estimate always been taken: mean regret {np.mean(eager):.3f}")
    return lines


def _by_truth(told: list[Outcome]) -> list[str]:
    """How often the right kind of thing was said, by what is right to within the first limit."""
    best = {id(e): max(e.worth.values()) for e in told}
    nothing = [e for e in told if best[id(e)] <= NEAR[0]]
    rest = [e for e in told if best[id(e)] > NEAR[0]]
    moved = [e for e in rest if best[id(e)] - e.worth.get(THRESHOLD, 0.0) <= NEAR[0]]
    other = [e for e in rest if best[id(e)] - e.worth.get(THRESHOLD, 0.0) > NEAR[0]]
    return [
        f"nothing helps, and that is said: {share([e.recommended == '' for e in nothing])}",
        "a threshold does it, and that is said: "
        f"{share([e.recommended == THRESHOLD for e in moved])}",
        "another remedy is better, and one is recommended: "
        f"{share([e.recommended not in ('', THRESHOLD) for e in other])}",
    ]


def main() -> None:
    options = parse_options()
    told: list[Outcome] = []
    for seed in range(options.seeds):
        for kind in KINDS:
            if options.kind in kind:
                for each in outcomes(kind, seed):
                    told.append(each)
                    worth = " ".join(f"{k or 'nothing'} {v:.2f}" for k, v in each.worth.items())
                    print(
                        f"{kind}, {seed}, {each.finding}: {each.recommended or 'nothing'}; {worth}",
                        flush=True,
                    )
                if options.json:
                    options.json.write_text(json.dumps([each.__dict__ for each in told], indent=1))
    print(*summary(told), sep="\n")


def parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seeds", type=int, default=N_SEEDS, help="data sets of each kind")
    parser.add_argument("--kind", default="", help="only kinds whose names hold this")
    parser.add_argument("--json", type=Path, help="file for all outcomes")
    return parser.parse_args()


if __name__ == "__main__":
    main()
