"""KPBoost under other readings of the paper: which kernel widths it was given, and who chose.

kpboost paper --only two-class-low --data-dir FOLDER --seeds 3 --methods svm,kpboost --store FILE
python benchmarks/reproduction/readings.py FILE

The paper lists steps and C for KPBoost, and no width. A store keeps what every candidate did on
every fold, so that other readings cost nothing: all widths, or that of the best plain SVM, or those
around it; with the best trade-off, or the best Gmean. Gmeans are means over the seeds of the store;
how far its seeds are from each other says how close to print any reading can come.
"""

import argparse
from collections.abc import Callable, Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kpboost.experiments import describe
from kpboost.experiments._jobs import JobKey
from kpboost.experiments.storage._rows import kept_job, statuses
from kpboost.experiments.storage._store import Store
from kpboost.model_selection import tradeoff_score
from kpboost.reports import published_scores

Array = NDArray[Any]
N_FOLDS = 5
SVM, KPBOOST = "svm", "kpboost"
MEASURES = ("gmean", "auc", "gsdi")
# Five widths around the plain SVM's in the paper's grids of contenders.
NARROWEST, WIDEST = 0.5, 1.5


class Candidates:
    """What all candidates of a method did on the folds of one seed: widths, recalls and Gmean."""

    def __init__(self, store: Store, keys: list[JobKey]) -> None:
        jobs = [kept_job(store, key) for key in keys]
        folds = sorted({job.key.fold for job in jobs})
        by_fold = {fold: [job for job in jobs if job.key.fold == fold] for fold in folds}
        first = by_fold[folds[0]]
        self.widths = np.array([p["length_scale"] for job in first for p in job.params])
        self.recalls = self._mean(by_fold, "recalls")
        self.scores = np.column_stack([self._mean(by_fold, name) for name in MEASURES])
        self.gmean = self.scores[:, 0]

    @staticmethod
    def _mean(by_fold: dict[int, list[Any]], name: str) -> Array:
        tables = [[job.arrays[name][:, 0] for job in jobs] for jobs in by_fold.values()]
        return np.asarray(np.mean([np.concatenate(table) for table in tables], axis=0))

    def best(self, rule: str, among: Array) -> int:
        """Place of the best of some candidates; the Gmean decides between equals."""
        own = np.flatnonzero(among)
        score = self.gmean[own] if rule == "gmean" else tradeoff_score(self.recalls[own])
        tied = own[score >= np.nanmax(score) - 1e-9]
        return int(tied[np.argmax(self.gmean[tied])])


def of_all_widths(rule: str) -> Callable[[Candidates, Candidates], float]:
    return lambda svm, kpb: kpb.gmean[kpb.best(rule, np.ones(kpb.gmean.size, bool))]


def of_the_svm(rule: str, low: float, high: float) -> Callable[[Candidates, Candidates], float]:
    def gmean(svm: Candidates, kpb: Candidates) -> float:
        sigma = svm.widths[svm.best(rule, np.ones(svm.gmean.size, bool))]
        near = (kpb.widths > low * sigma - 1e-9) & (kpb.widths < high * sigma + 1e-9)
        return float(kpb.gmean[kpb.best("tradeoff", near)])

    return gmean


OURS, FAR_OFF = "all widths, by the trade-off (ours)", "abalone19"
READINGS = {
    OURS: of_all_widths("tradeoff"),
    "all widths, by Gmean": of_all_widths("gmean"),
    "the SVM's width by the trade-off": of_the_svm("tradeoff", 1, 1),
    "the SVM's width by Gmean": of_the_svm("gmean", 1, 1),
    "around the SVM's width by the trade-off": of_the_svm("tradeoff", NARROWEST, WIDEST),
    "around the SVM's width by Gmean": of_the_svm("gmean", NARROWEST, WIDEST),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("store", type=Path, help="of kpboost paper, with svm and kpboost")
    path = parser.parse_args().store
    names: list[str] = []
    found: dict[str, list[list[float]]] = {reading: [] for reading in READINGS}
    for name, by_seed in datasets_in(path):
        names.append(name)
        if name == FAR_OFF:
            print_widths(by_seed[0][1])
        for reading, gmean in READINGS.items():
            found[reading].append([gmean(*each) for each in by_seed])
    paper = published_scores("gmean", names, ["KPBoost-SVM"])[:, 0]
    others = np.array(names) != FAR_OFF
    print(f"{'reading':42}{'sets':>5}{'mean':>8}{'difference':>12}{'correlation':>13}")
    for reading, values in found.items():
        ours = np.mean(values, axis=1)
        print_row(reading, ours, paper)
        print_row(f"  without {FAR_OFF}", ours[others], paper[others])
    seeds = np.array(found[OURS]).T
    for a, b in combinations(range(len(seeds)), 2):
        print_row(f"ours, seed {a} beside seed {b}", seeds[a], seeds[b])


def print_widths(kpb: Candidates) -> None:
    """Print the candidate of every width with the best trade-off among those of all widths."""
    tradeoff = tradeoff_score(kpb.recalls)
    print(f"{FAR_OFF}, seed 0: the best setting of every width, and its Gmean, AUC and GSDI")
    for width in np.unique(kpb.widths):
        own = np.flatnonzero(kpb.widths == width)
        gmean, auc, gsdi = kpb.scores[own[np.nanargmax(tradeoff[own])]]
        print(f"  sigma {width:<8g}{gmean:8.4f}{auc:8.4f}{gsdi:8.4f}")
    print()


def datasets_in(path: Path) -> Iterator[tuple[str, list[tuple[Candidates, Candidates]]]]:
    """Yield the data sets that are complete, and what both methods did with every seed."""
    n_seeds = describe(path).spec.n_seeds
    with Store(path) as store:
        done = [key for key, status in statuses(store).items() if status == "done"]
        for name in dict.fromkeys(key.dataset for key in done):
            own = [key for key in done if key.dataset == name]
            by_seed = [
                (_candidates(store, own, SVM, seed), _candidates(store, own, KPBOOST, seed))
                for seed in range(n_seeds)
            ]
            complete = [(svm, kpb) for svm, kpb in by_seed if svm is not None and kpb is not None]
            if len(complete) == n_seeds:
                yield name, complete


def _candidates(store: Store, keys: list[JobKey], method: str, seed: int) -> Candidates | None:
    own = [key for key in keys if key.method == method and key.fold // N_FOLDS == seed]
    widths = sorted({key.width for key in own})
    if len(own) < N_FOLDS * len(widths) or not own:
        return None
    return Candidates(store, sorted(own, key=lambda key: (key.fold, widths.index(key.width))))


def print_row(words: str, ours: Array, other: Array) -> None:
    difference = np.abs(ours - other).mean()
    correlation = f"{np.corrcoef(ours, other)[0, 1]:.3f}" if ours.size > 2 else "-"
    print(f"{words:42}{ours.size:>5}{ours.mean():>8.3f}{difference:>12.4f}{correlation:>13}")


if __name__ == "__main__":
    main()
