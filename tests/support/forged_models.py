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
from kpboost.model_files import ModelFileError, SavedModel, load_estimator, load_model, save_model

# More than any of these small models needs, and little enough to notice a file that asks for more.
MOST_MEMORY = 4 << 30
KINDS = tuple(name for name, method in METHODS.items() if method.is_available)
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
    if kind.startswith("gradient"):
        small["max_iter"] = 3
    if kind == "rare_class":
        model.set_params(n_trees=3, n_bags=3)
    if kind == "easy_ensemble":
        model.set_params(estimator=AdaBoostClassifier(n_estimators=2))
    model.set_params(**{k: v for k, v in small.items() if k in model.get_params()})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = as_pipeline(ready, model.fit(X, data.y))
    classes, sizes = np.unique(data.y, return_counts=True)
    return model, dict(zip(classes.tolist(), sizes.tolist(), strict=True))


def saved_model(kind, folder):
    """Train and save a small model; return its file."""
    table(folder / "rows.csv")
    data = read_dataset(folder / "rows.csv", target="kind")
    model, sizes = small_model(kind, data)
    recalls = dict.fromkeys(sizes, 1.0)
    features = Table.without_rows(data.feature_names, data.categories)
    saved = SavedModel(model, kind, "kind", features, sizes, recalls, data.y.size)
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
    found = places(schema["content"]["model"] if rng.random() < 0.8 else schema)
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
        answers = load_model(path).predict(read_table(rows))
        return f"predicted {len(answers)}"
    except (ModelFileError, DataError) as error:
        assert_sentence(error)
        return str(error)


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
