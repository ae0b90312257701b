"""Models of all kinds, saved and then forged: run as a program, as a forged file may crash it.

    cd tests; python -m support.forged_models FOLDER FIRST LAST KIND...

trains a small model of each kind in a folder, forges its file by the seeds FIRST to LAST, and loads
and uses each. Every line of output is a seed and what came of it; the last line is "done". An
outcome other than a prediction or an error of ours ends the program with exit code 1.
"""

import io
import json
import resource
import sys
import warnings
import zipfile
from pathlib import Path

import numpy as np
from sklearn.ensemble import AdaBoostClassifier

from kpboost.datasets import DataError, Table, read_dataset, read_table
from kpboost.methods import METHODS
from kpboost.methods._grids import gamma_of
from kpboost.methods._preparation import as_pipeline, fit_preparation
from kpboost.model_files import (
    ModelFileError,
    SavedModel,
    load_estimator,
    load_model,
    model_card,
    save_model,
)
from kpboost.model_files._held_out import HeldOutScores, one_score
from kpboost.model_selection import decision_scores

# More than any of these small models needs, and little enough to notice a file that asks for more.
MOST_MEMORY = 4 << 30
# Boosters of other packages are read by their own code, and must be named as trusted.
FOREIGN = ("lightgbm", "xgboost")
KINDS = tuple(
    name
    for name, method in METHODS.items()
    if method.is_available and not method.estimator.startswith(FOREIGN)
)
WISHES = ({"recall": 0.9}, {"alarms": 0.3}, {"costs": {("rare", "common"): 5.0}}, {})
NUMBERS = (-1, 0, 1, 2, 7, 2**31 - 1, 2**31, 2**63 - 1, -(2**63), 1e300, float("nan"), float("inf"))
VALUES = (*NUMBERS, None, True, "", "x", "rbf", "precomputed", [], {}, [[]], "\x1b[2J", "[" * 5000)
DTYPES = ("<f8", ">f8", "<f4", "<i8", "<i4", "<u1", "|b1", "<U3", "<c16", "|V8")


def table(path, n=60, seed=0):
    """Write a small file with numbers, categories, gaps and three classes."""
    rng = np.random.default_rng(seed)
    colours, sizes = rng.choice(["red", "blue", "green"], size=n), rng.normal(size=n)
    kinds = np.where(np.arange(n) % 5 == 0, "third", np.where(sizes > 0.5, "rare", "common"))
    lines = [f"{s:.4f},{c},{k}" for s, c, k in zip(sizes, colours, kinds, strict=True)]
    lines[3] = f",,{kinds[3]}"
    path.write_text("\n".join(["size,colour,kind", *lines]) + "\n")


def small_model(kind, data):
    """Return a fitted model of a method with few rounds or trees."""
    method = METHODS[kind]
    ready, X, nominal = fit_preparation(method, data.X, data.nominal)
    part = method.grids["quick"][-1]
    width = gamma_of(part.width.length_scale(X.shape[1], 1.0))
    model = method.build(part.candidates[-1], width, 0, nominal)
    small = {"n_estimators": 3, "max_leaf_nodes": 4, "min_samples_leaf": 5, "n_epochs": 3}
    small["keep_best"] = False  # so that machines have a step to be forged
    if kind.startswith("gradient"):
        small["max_iter"] = 3
    if kind == "rare_class":
        model.set_params(n_trees=3, n_bags=3)
    if kind == "easy_ensemble":
        model.set_params(estimator=AdaBoostClassifier(n_estimators=2))
    core = model if method.threshold is None else model.estimator
    core.set_params(**{k: v for k, v in small.items() if k in core.get_params()})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = as_pipeline(ready, model.fit(X, data.y))
    classes, sizes = np.unique(data.y, return_counts=True)
    return model, dict(zip(classes.tolist(), sizes.tolist(), strict=True))


def held_out_scores(model, data, codes):
    """Scores as a training would leave them, though of rows that the model has seen."""
    labels = {label: code for code, label in enumerate(model.classes_.tolist())}
    predicted = np.array([labels[label] for label in model.predict(data.X).tolist()])
    scores = one_score(decision_scores(model, data.X, labels, predicted))
    scores = np.asarray(scores + np.linspace(0, 1e-3, len(codes))[:, None], dtype=np.float32)
    likely = np.full((codes.size, len(labels)), 1 / len(labels), dtype=np.float32)
    return HeldOutScores(codes, predicted, scores, likely, {"tree": predicted.copy()})


def saved_model(kind, folder, wish=None):
    """Train and save a small model with an operating point; return its file."""
    table(folder / "rows.csv")
    data = read_dataset(folder / "rows.csv", target="kind")
    model, sizes = small_model(kind, data)
    recalls = dict.fromkeys(sizes, 1.0)
    features = Table.without_rows(data.feature_names, data.categories)
    held_out = held_out_scores(model, data, np.unique(data.y, return_inverse=True)[1])
    saved = SavedModel(
        model, kind, "kind", features, sizes, recalls, data.y.size, held_out=held_out
    )
    saved = saved.with_operating_point(**(wish or WISHES[len(kind) % len(WISHES)]))
    save_model(saved, folder / f"{kind}.skops")
    return folder / f"{kind}.skops"


def unzipped(path):
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def zipped(entries, path):
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in entries.items():
            archive.writestr(name, content)


def places(value, found=None):
    """All (container, key) pairs of a document."""
    found = [] if found is None else found
    inner = value.items() if isinstance(value, dict) else enumerate(value)
    for key, each in list(inner):
        found.append((value, key))
        if isinstance(each, dict | list):
            places(each, found)
    return found


def forge_schema(entries, rng):
    schema = json.loads(entries["schema.json"])
    part = rng.choice(["model", "held_out", "operating_point", ""], p=[0.6, 0.1, 0.2, 0.1])
    found = places(schema["content"][part] if part else schema)
    if rng.random() < 0.5:  # numbers and words, rather than the frame around them
        found = [(c, k) for c, k in found if k == "content" and isinstance(c[k], str)] or found
    container, key = found[rng.integers(len(found))]
    other, other_key = found[rng.integers(len(found))]
    deed = rng.integers(4)
    if deed == 0:
        container[key] = json.dumps(VALUES[rng.integers(len(VALUES))])
    elif deed == 1:
        container[key] = VALUES[rng.integers(len(VALUES))]
    elif deed == 2:
        del container[key]
    else:
        container[key] = json.loads(json.dumps(other[other_key]))
    entries["schema.json"] = json.dumps(schema).encode()
    return f"schema {deed} {key}"


def forge_array(entries, rng):
    names = [name for name in entries if name.endswith(".npy")]
    name = names[rng.integers(len(names))]
    values = np.load(io.BytesIO(entries[name]))
    deed = rng.integers(7)
    if deed == 0:
        entries[name] = entries[name][: rng.integers(len(entries[name]))]
        return f"{name} cut"
    if deed == 1:
        values = values.ravel()[: rng.integers(values.size + 1)]
    elif deed == 2:
        values = values.reshape(-1, 1) if rng.random() < 0.5 else values[None]
    elif deed == 3:
        values = values.ravel().view("u1").repeat(8).view(DTYPES[rng.integers(len(DTYPES))])
    elif deed == 4 and values.dtype.names:
        field = values.dtype.names[rng.integers(len(values.dtype.names))]
        values = values.copy()
        values[field] = rng.integers(0, 200, size=values.size)
    elif deed in (4, 5) and values.dtype.kind in "fiub":
        number = np.array([NUMBERS[rng.integers(len(NUMBERS))]])
        values = values.copy()
        with np.errstate(all="ignore"):
            values.ravel()[rng.integers(values.size)] = number.astype(values.dtype)[0]
    else:
        values = np.concatenate([values.ravel()] * int(rng.integers(2, 5)))
    stream = io.BytesIO()
    np.save(stream, values, allow_pickle=False)
    entries[name] = stream.getvalue()
    return f"{name} {deed} {values.dtype} {values.shape}"


def forge_header(entries, rng):
    names = [name for name in entries if name.endswith(".npy")]
    name = names[rng.integers(len(names))]
    shape = np.load(io.BytesIO(entries[name])).shape
    wrong = rng.choice(
        ["(1000000000000,)", "(-1,)", "(0,)", "(2, 2)", "()", "(1" + ",1" * 70 + ")"]
    )
    entries[name] = entries[name].replace(str(shape).encode(), wrong.encode(), 1)
    return f"{name} header {wrong}"


def forged(source, target, seed):
    rng = np.random.default_rng([seed, *source.stem.encode()])
    entries = unzipped(source)
    told = []
    for _ in range(rng.integers(1, 3)):
        ways = [forge_schema, forge_array, forge_array, forge_header]
        try:
            told.append(ways[rng.integers(len(ways))](entries, rng))
        except Exception as error:  # an earlier change has left nothing to change here
            told.append(f"(no change: {error})")
    zipped(entries, target)
    return "; ".join(told)


def outcome(path, rows):
    """Use a forged file in both ways that it can be used in; what is not ours gets through."""
    try:
        load_estimator(path)
    except ModelFileError as error:
        assert_sentence(error)
    try:
        model = load_model(path)
        answers = model.predict(read_table(rows))
        assert_complete(model, read_table(rows))
        return f"predicted {len(answers)}"
    except (ModelFileError, DataError) as error:
        assert_sentence(error)
        return str(error)


def assert_complete(model, rows):
    """Ask a model that has been loaded for all else that it can tell."""
    assert np.isfinite(model.predict_proba(rows)).all()
    assert np.isfinite(model.decision_function(rows)).all()
    assert "## Limits" in model_card(model, file="m.skops", data="rows.csv")
    if model.held_out is not None:
        model.with_operating_point(recall=0.5).predict(rows)


def assert_sentence(error):
    text = str(error)
    assert text.endswith(".")
    assert text.isprintable(), text


def main(folder, first, last, *kinds):
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    warnings.simplefilter("ignore")
    for kind in kinds:
        try_kind(Path(folder), kind, range(int(first), int(last)))
    print("done")


def try_kind(folder, kind, seeds):
    source, target = saved_model(kind, folder), folder / f"forged_{kind}.skops"
    assert outcome(source, folder / "rows.csv").startswith("predicted")
    for seed in seeds:
        print(seed, kind, forged(source, target, seed), end=": ", flush=True)
        print(outcome(target, folder / "rows.csv"), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
