"""An audit of data in which a small part of a class is hidden: what the accuracy does not tell.

The common class fills a square; the rare class has a large part and ten rows in a gap. The audit
of a plain SVM finds these ten rows, describes them, and tries what helps.

    python examples/audit_planted.py [--save DIR]
"""

import argparse
from pathlib import Path

import numpy as np
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from kpboost.auditing import Audit, audit

SIZES = (300, 40, 10)
LARGE_PART, SMALL_PART = (1.5, 1.5), (-1.6, -1.2)  # centres
LARGE_GAP, SMALL_GAP = 1.0, 0.7  # radii without rows of the common class
REMEDIES = ("svm", "svm_balanced", "kpboost", "kpboost_balanced")


def main() -> None:
    """Audit a plain SVM and tell what was found."""
    parser = argparse.ArgumentParser(description="An audit of planted data.")
    parser.add_argument("--save", type=Path, metavar="DIR", help="write the page there")
    folder: Path | None = parser.parse_args().save
    X, y = draw(np.random.default_rng(0))
    found = audit(X, y, make_pipeline(StandardScaler(), SVC()), remedies=REMEDIES)
    tell(found)
    if folder:
        from kpboost.reports import write_audit

        print(f"saved {write_audit(found, folder, title='Planted data')}")


def draw(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Draw the rows and their labels."""
    n_common, n_large, n_small = SIZES
    square = rng.uniform(-3, 3, size=(2 * n_common, 2))
    free = (distance(square, LARGE_PART) > LARGE_GAP) & (distance(square, SMALL_PART) > SMALL_GAP)
    large = rng.normal(LARGE_PART, 0.5, size=(n_large, 2))
    small = rng.normal(SMALL_PART, 0.2, size=(n_small, 2))
    X = np.vstack([square[free][:n_common], large, small])
    return X, np.repeat(["common", "rare"], [n_common, n_large + n_small])


def distance(points: np.ndarray, centre: tuple[float, float]) -> np.ndarray:
    """Distance of each point from a centre."""
    return np.asarray(np.linalg.norm(points - centre, axis=1))


def tell(found: Audit) -> None:
    """Print the verdict, what is missed, and the remedies."""
    print(found.verdict.headline, *found.verdict.sentences, sep="\n")
    for missed in found.missed:
        assert missed.description is not None
        for trait in missed.description.from_own_class:
            print(f"  {missed.name} differs: {trait.column} is {trait.here}, not {trait.there}")
    for question in found.remedies.questions if found.remedies is not None else ():
        print(f"\n{question.finding:<44}{'recall':>8}{'gain':>8}{'elsewhere':>11}")
        for each in question.answers:
            facts = f"{each.recall:>8.2f}{each.gain:>+8.2f}{each.elsewhere:>+11.3f}"
            print(f"{each.title:<44}{facts}{'  helps' if each.helps else ''}")


if __name__ == "__main__":
    main()
