"""Whether p-values are uniform where labels are wrong by chance and nothing is missed.

In 5 of 100 rows the label is turned round. The most striking part and the most striking box of each
data set have a p-value; over many data sets these are compared with the uniform distribution by
the Kolmogorov-Smirnov test. A p-value is 1 where no part has five rows that are mostly missed,
as is usual of wrong labels among neighbours; so of parts only "too small" is tested.

python benchmarks/noise_p_values.py    200 data sets of each kind: ten minutes
"""

import argparse
from functools import partial

import numpy as np
from scipy.stats import kstest

from false_flags import KINDS, Make, clouds, wrong_labels
from kpboost.auditing._data import audit_data_of
from kpboost.auditing._models import models_of
from kpboost.auditing._null import null_hypothesis
from kpboost.auditing._parts import parts_of, places_of
from kpboost.auditing._significance import missed_boxes, missed_p_values
from kpboost.model_selection import make_folds

N_SEEDS = 200
N_FOLDS = 5
NOBODY = np.zeros(0, dtype=np.intp)
NOISY: dict[str, Make] = {
    "4 columns": partial(wrong_labels, partial(clouds, (500, 100), 4, 2, 3.0)),
    "10 columns": KINDS["5 % wrong labels, 10 columns"],
    "three classes, 4 columns": KINDS["5 % wrong labels, three classes"],
}


def smallest_p_values(make: Make, model: str, seed: int) -> tuple[float, float]:
    """p-values of the most striking part and of the most striking box."""
    X, y = make(seed)
    data = audit_data_of(X, y, y.size, seed)
    folds = make_folds(data.codes, N_FOLDS, seed)
    predictions = models_of(model, data, seed)[0].out_of_fold(data, folds)
    places = places_of(data.points)
    parts = parts_of(places, data.codes)
    null = null_hypothesis(data, places, predictions, folds)
    among_parts = missed_p_values(null, data.codes, parts, seed=seed).min()
    boxes = missed_boxes(data.table, null, data.codes, NOBODY, level=1.0, seed=seed)
    return float(among_parts), boxes[0].p_value if boxes else 1.0


def main() -> None:
    options = parse_options()
    for name, make in NOISY.items():
        if options.kind in name:
            seeds = range(options.seeds)
            found = np.array([smallest_p_values(make, options.model, seed) for seed in seeds])
            for what, values in zip(("parts", "boxes"), found.T, strict=True):
                uniform, small = (
                    kstest(values, "uniform", alternative=how).pvalue
                    for how in ("two-sided", "greater")
                )
                print(
                    f"{name}, {what}: mean {values.mean():.3f}, {(values <= 0.05).sum()} of "
                    f"{values.size} at most 0.05; uniform p = {uniform:.3f}, not too small "
                    f"p = {small:.3f}",
                    flush=True,
                )


def parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seeds", type=int, default=N_SEEDS, help="data sets of each kind")
    parser.add_argument("--model", default="svm", help="name of the method under audit")
    parser.add_argument("--kind", default="", help="only kinds whose names hold this")
    return parser.parse_args()


if __name__ == "__main__":
    main()
