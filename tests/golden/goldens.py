"""Numbers of today: what every estimator answers on two small data sets, and two whole commands.

They prove nothing but that a change of the code's structure has changed no answer; the right
answers are the business of other tests. ``python tests/golden/goldens.py`` writes them anew, for a
change that is meant to alter answers and says so in its message.

``old_model.skops`` and ``old_store.db.gz`` were written by an earlier version, and are not written
anew: files that users have must stay readable.
"""

import contextlib
import io
import json
import os
import sys
import tempfile
import warnings
from pathlib import Path

import numpy as np
from sklearn.datasets import load_wine
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import StandardScaler

import kpboost
from kpboost import model_selection, svm
from kpboost.cli._errors import run_app
from kpboost.cli.commands import app
from kpboost.datasets import load

FILE = Path(__file__).with_name("goldens.json")
# Rows whose decision values are kept; predictions count over all of them.
N_SHOWN = 12

ESTIMATORS = {
    "KernelSVC": svm.KernelSVC(10.0),
    "KernelSVC balanced": svm.KernelSVC(gamma=0.5, class_weight="balanced"),
    "KPBoostSVC": kpboost.KPBoostSVC(10.0, perturbation_step=0.1),
    "KPBoostSVC paper": kpboost.KPBoostSVC(10.0, perturbation_step=0.1, judge_rounds="paper"),
    "KPBoostSVC roi": kpboost.KPBoostSVC(10.0, perturbation_step=0.1, roi_scale=0.5),
    "KPBoostSVC one-vs-rest": kpboost.KPBoostSVC(multi_class="one_vs_rest"),
    "KPBoostSVCCV": model_selection.KPBoostSVCCV(
        Cs=(1.0, 10.0), perturbation_steps=(0.01, 0.1), cv=3
    ),
    "AdaBoostSVC": kpboost.AdaBoostSVC(n_estimators=5),
    "AdaBoostSVC diverse": kpboost.AdaBoostSVC(n_estimators=5, diverse=True),
    "AdaBoostMLPClassifier": kpboost.AdaBoostMLPClassifier(
        n_estimators=2, n_epochs=5, random_state=0
    ),
    "RUSBoostM2Classifier": kpboost.RUSBoostM2Classifier(n_estimators=5, random_state=0),
    "ConformalSVC": svm.ConformalSVC(10.0),
    "ConformalSVC act": svm.ConformalSVC(10.0, rule="act", n_iterations=3),
    "BoundaryAlignmentSVC": svm.BoundaryAlignmentSVC(100.0),
    "KernelScalingSVC": svm.KernelScalingSVC(10.0),
    "AsymmetricKernelScalingSVC": svm.AsymmetricKernelScalingSVC(10.0),
    "AsymmetricKernelScalingSVCCV": model_selection.AsymmetricKernelScalingSVCCV(cv=3),
    "ChiSquareKernelScalingSVC": svm.ChiSquareKernelScalingSVC(10.0),
    "DissimilaritySVC": svm.DissimilaritySVC(),
    "C45Classifier": kpboost.C45Classifier(),
    "C45IB1Classifier": kpboost.C45IB1Classifier(),
}


def data_sets():
    """A planted set of two classes, and the wines, three classes, the second made rare."""
    planted = load("planted-two")
    wine = load_wine()
    kept = np.r_[0:59, 59:85, 130:178]
    return {
        "planted-two": (planted.X, planted.y),
        "wine": (StandardScaler().fit_transform(wine.data[kept]), wine.target[kept].astype(str)),
    }


def numbers():
    """All golden numbers, as JSON holds them."""
    found = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.simplefilter("error", ConvergenceWarning)
        for set_name, (X, y) in data_sets().items():
            for name, estimator in ESTIMATORS.items():
                found[f"{name}, {set_name}"] = answers(estimator.fit(X, y), X)
            finder = kpboost.DisjunctFinder().fit(X, y)
            found[f"DisjunctFinder, {set_name}"] = {
                "n_neighbors": int(finder.n_neighbors_),
                "sizes": sorted(np.asarray(finder.disjunct_sizes_).tolist()),
            }
    return found


def answers(model, X):
    labels, counts = np.unique(model.predict(X), return_counts=True)
    found = {"predicted": dict(zip(labels.tolist(), counts.tolist(), strict=True))}
    if hasattr(model, "decision_function"):
        scores = np.ravel(model.decision_function(X))
        found["scores"] = scores[:: max(1, len(X) // N_SHOWN)][:N_SHOWN].tolist()
    return found


def small_table():
    """Lines of a CSV file with numbers, a category and a rare class."""
    rng = np.random.default_rng(1)
    yield "size,weight,colour,label"
    for i in range(90):
        rare = i % 6 == 0
        colour = rng.choice(["red", "green"] if rare else ["red", "blue"])
        yield f"{rng.normal(1.5 * rare):.3f},{rng.normal():.3f},{colour},{('common', 'rare')[rare]}"


COMMANDS = {
    "compare": "compare small.csv -m svm,kpboost,c45_ib1 --folds 2 -j 1 --store s.db --report r",
    "audit": "audit small.csv --report a --remedies svm_balanced",
}


def documents():
    """What two commands print with ``--json``, without times."""
    found, here = {}, Path.cwd()
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        Path("small.csv").write_text("\n".join(small_table()) + "\n")
        for name, words in COMMANDS.items():
            with contextlib.redirect_stdout(io.StringIO()) as out:
                code = run_app(app, [*words.split(), "--json"])
            assert code == 0
            found[name] = without_times(json.loads(out.getvalue()))
    assert Path.cwd() == here
    return found


def without_times(value):
    if isinstance(value, dict):
        return {key: without_times(own) for key, own in value.items() if "seconds" not in key}
    return [without_times(own) for own in value] if isinstance(value, list) else value


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    FILE.write_text(json.dumps({**numbers(), **documents()}, indent=1) + "\n")
    sys.stdout.write(f"{FILE.name} written\n")
