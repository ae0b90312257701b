"""A rare class with rare parts, in real data.

Handwritten digits: the rare class is "an 8, a 3 or a 5", and its parts are unequal: 20, 10 and 5
training points against some six hundred of the other digits. How much of each part does a
machine find among new digits?

Parameters. Every machine chooses C, and KPBoostSVC its perturbation step as well, by 3-fold
cross-validation for balanced accuracy inside the training points of each split. Cross-validation
sees the two classes only, not the digits. gamma is "scale" throughout.

    python examples/rare_digits.py
"""

import warnings

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin
from sklearn.datasets import load_digits
from sklearn.model_selection import GridSearchCV, StratifiedKFold, train_test_split
from sklearn.svm import SVC

from kpboost import KPBoostSVC

Array = NDArray[np.float64]
Rows = NDArray[np.intp]

TRAINING_SIZES = {8: 20, 3: 10, 5: 5}  # of the digits in the rare class
N_SPLITS = 5
CS = [0.1, 1, 10, 100]
STEPS = [0.01, 0.03, 0.1]
COLUMNS = ("rest", "rare", "G-mean", *(f"digit {digit}" for digit in TRAINING_SIZES))


def main() -> None:
    """Run all machines on all splits and print the means."""
    # At the smallest C no machine finds rare digits, and KPBoostSVC says so at every fit.
    warnings.filterwarnings("ignore", message="No round met the conditions")
    X, digits = load_digits(return_X_y=True)
    y = np.isin(digits, list(TRAINING_SIZES)).astype(np.intp)
    results = {name: np.empty((N_SPLITS, len(COLUMNS))) for name in machines()}
    for seed in range(N_SPLITS):
        training, new = split(digits, seed)
        for name, machine in machines().items():
            predicted = machine.fit(X[training], y[training]).predict(X[new])
            results[name][seed] = measures(predicted == y[new], y[new], digits[new])
    show(results)


def machines() -> dict[str, GridSearchCV]:
    """Return the contenders, each with its choice of parameters inside."""
    plain, boosted = {"C": CS}, {"C": CS, "perturbation_step": STEPS}
    return {
        "SVC": chosen(SVC(), plain),
        "SVC, balanced": chosen(SVC(class_weight="balanced"), plain),
        "KPBoostSVC": chosen(KPBoostSVC(), boosted),
        "KPBoostSVC, balanced": chosen(KPBoostSVC(class_weight="balanced"), boosted),
        "KPBoostSVC, roi_scale=0.5": chosen(KPBoostSVC(roi_scale=0.5), boosted),
    }


def chosen(machine: ClassifierMixin, grid: dict[str, list[float]]) -> GridSearchCV:
    """Choose from a grid by cross-validation."""
    folds = StratifiedKFold(3, shuffle=True, random_state=0)
    return GridSearchCV(machine, grid, scoring="balanced_accuracy", cv=folds)


def split(digits: Rows, seed: int) -> tuple[Rows, Rows]:
    """Halve the data, digit by digit, and keep few of the rare ones for training."""
    half, new = train_test_split(
        np.arange(digits.size), test_size=0.5, stratify=digits, random_state=seed
    )
    rare = [half[digits[half] == digit][:size] for digit, size in TRAINING_SIZES.items()]
    rest = half[~np.isin(digits[half], list(TRAINING_SIZES))]
    return np.concatenate([rest, *rare]), new


def measures(correct: NDArray[np.bool_], y: Rows, digits: Rows) -> list[float]:
    """Recall of both classes, their geometric mean, and recall of each rare digit."""
    rest, rare = (float(correct[y == label].mean()) for label in (0, 1))
    parts = [float(correct[digits == digit].mean()) for digit in TRAINING_SIZES]
    return [rest, rare, float(np.sqrt(rest * rare)), *parts]


def show(results: dict[str, Array]) -> None:
    """Print the means over the splits, and how much the geometric mean varies."""
    sizes = ", ".join(f"{size} of {digit}" for digit, size in TRAINING_SIZES.items())
    print(f"Rare class in training: {sizes}. Recall on new digits, mean of {N_SPLITS} splits.\n")
    print(f"{'machine':<28}" + "".join(f"{column:>9}" for column in COLUMNS) + f"{'sd':>8}")
    for name, result in results.items():
        means = "".join(f"{mean:>9.3f}" for mean in result.mean(axis=0))
        print(f"{name:<28}{means}{result[:, 2].std(ddof=1):>8.3f}")
    print("\nsd: standard deviation of the G-mean over the splits, which overlap.")


if __name__ == "__main__":
    main()
