import inspect
import json
import zipfile
from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pytest
import skops.io
from sklearn.base import ClassifierMixin, clone
from sklearn.ensemble import BaggingClassifier, RandomForestClassifier
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.svm import SVC

from kpboost import ensemble, methods, model_selection, svm, tree
from kpboost.datasets import ColumnChoices, DataError, load, read_dataset, read_table
from kpboost.model_files import (
    ModelFileError,
    SavedModel,
    _archive as archive,
    is_model_file,
    load_estimator,
    load_model,
    save_model,
    train,
    types_to_trust,
)
from kpboost.model_selection import OperatingPointClassifier
from support import forged_models


def stored(file):
    return skops.io.load(file, trusted=skops.io.get_untrusted_types(file=file))


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A CSV file, a model trained on it, and its file."""
    folder = tmp_path_factory.mktemp("models")
    rng = np.random.default_rng(0)
    lines = ["size,colour,kind"]
    for i in range(90):
        kind = "rare" if i % 5 == 0 else "common"
        size = "" if i % 17 == 3 else f"{rng.normal(3.0 * (kind == 'rare')):.4f}"
        lines.append(f"{size},{rng.choice(['red', 'blue'])},{kind}")
    (folder / "d.csv").write_text("\n".join(lines))
    saved = train(read_dataset(folder / "d.csv", target="kind"), "kpboost")
    save_model(saved, folder / "m.skops")
    return folder, saved


def test_a_loaded_model_gives_the_same_answers(files):
    folder, saved = files
    loaded = load_model(folder / "m.skops")
    table = read_table(folder / "d.csv")
    np.testing.assert_array_equal(loaded.predict(table), saved.predict(table))
    assert loaded.features.names == saved.features.names
    assert loaded.features.categories == saved.features.categories
    assert (loaded.method, loaded.target) == ("kpboost", "kind")
    assert loaded.recalls == saved.recalls
    assert loaded.class_sizes == {"common": 72, "rare": 18}
    assert loaded.recalls["rare"] > 0.6


def written(folder, text):
    (folder / "new.csv").write_text(text)
    return read_table(folder / "new.csv")


def test_columns_may_come_in_another_order(files):
    folder, saved = files
    one = saved.predict(written(folder, "colour,size\nred,3.5\nblue,-1\n"))
    two = saved.predict(written(folder, "size,kind,colour\n3.5,?,red\n-1,?,blue\n"))
    np.testing.assert_array_equal(one, two)
    assert one.tolist() == ["rare", "common"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("size\n1\n", "lacks the column 'colour'"),
        ("size,colour,extra\n1,red,2\n", "has the column 'extra'"),
        ("size,colour\nbig,red\n", "'size' holds 'big'"),
        ("size,colour\n1,green\n", "'colour' holds 'green'"),
    ],
)
def test_columns_that_do_not_fit_are_named(files, text, words):
    folder, saved = files
    with pytest.raises(DataError, match=words):
        saved.predict(written(folder, text))


@pytest.mark.parametrize("frame", [pd.DataFrame, lambda f: pl.DataFrame(f.to_dict("list"))])
def test_frames_are_answered_like_files(files, frame):
    folder, saved = files
    read = pd.read_csv(folder / "d.csv")[["kind", "colour", "size"]]
    np.testing.assert_array_equal(
        saved.predict(frame(read)), saved.predict(read_table(folder / "d.csv"))
    )


def test_an_array_has_no_names(files):
    with pytest.raises(ValueError, match=r"names of columns is needed .*not a ndarray"):
        files[1].predict(np.zeros((2, 2)))


def test_a_frame_that_does_not_fit_is_refused_by_name(files):
    with pytest.raises(DataError, match="the table: lacks the column 'size'"):
        files[1].predict(pd.DataFrame({"colour": ["red"]}))


def test_extra_columns_and_unseen_categories_can_be_allowed(files):
    folder, saved = files
    table = written(folder, "size,colour,extra\n1,green,2\n")
    assert saved.predict(table, extra="ignore", unseen="missing").size == 1


@pytest.mark.parametrize("kind", [BaggingClassifier, SVC])
def test_types_that_no_recipe_uses_are_refused_by_name(kind, tmp_path):
    model = kind().fit([[0.0], [1.0]], [0, 1])
    skops.io.dump({"format": "kpboost model", "model": model}, tmp_path / "f.skops")
    with pytest.raises(ModelFileError, match=rf"{kind.__name__}.* name the types as trusted"):
        load_model(tmp_path / "f.skops")


def test_a_type_that_would_run_code_is_refused(tmp_path):
    skops.io.dump({"format": "kpboost model", "model": Evil()}, tmp_path / "e.skops")
    with pytest.raises(ModelFileError, match="Evil"):
        load_model(tmp_path / "e.skops")
    assert not Evil.woken


class Evil:
    woken = False

    def __init__(self):
        self.a = 1

    def __setstate__(self, state):
        type(self).woken = True


def test_other_files_are_refused(tmp_path):
    skops.io.dump(SVC(), tmp_path / "svc.skops")
    (tmp_path / "text.skops").write_text("hello")
    (tmp_path / "pickle.skops").write_bytes(b"\x80\x04K\x01.")
    with zipfile.ZipFile(tmp_path / "zip.skops", "w") as archive:
        archive.writestr("schema.json", "{}")
    for name in ("svc", "text", "pickle", "zip"):
        with pytest.raises(ModelFileError):
            load_model(tmp_path / f"{name}.skops")


@pytest.mark.parametrize(
    "change",
    [{"format_version": 99}, {"features": [["a", "b"]]}, {"class_sizes": 3}, {"features": None}],
)
def test_damaged_content_is_refused(tmp_path, change):
    content = {
        "format": "kpboost model", "format_version": 1, "version": "0", "method": "svm",
        "target": "y", "features": [], "class_sizes": {}, "recalls": {}, "model": None,
    }  # fmt: skip
    skops.io.dump(content | change, tmp_path / "d.skops")
    with pytest.raises(ModelFileError):
        load_model(tmp_path / "d.skops")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"model": "hello"}, "is a str, not a pipeline"),
        ({"model": make_pipeline(StandardScaler())}, "not fitted"),
        ({"class_sizes": {"common": -3, "rare": 18}}, "-3 is not a number of rows"),
        ({"class_sizes": {"one": 72, "two": 18}, "recalls": {"one": 1, "two": 1}}, "other rows"),
        ({"recalls": {"common": 1.0, "rare": float("nan")}}, "nan is not a recall"),
        ({"features": [["size", "number", None]]}, "names 1 columns for a model of 2"),
    ],
)
def test_a_model_that_cannot_answer_is_refused(files, tmp_path, change, words):
    file = files[0] / "m.skops"
    content = stored(file)
    skops.io.dump(content | change, tmp_path / "c.skops")
    with pytest.raises(ModelFileError, match=words):
        load_model(tmp_path / "c.skops")


def test_a_truncated_file_is_refused(files, tmp_path):
    folder, _ = files
    data = (folder / "m.skops").read_bytes()
    for length in (0, 10, len(data) // 2, len(data) - 7):
        (tmp_path / "t.skops").write_bytes(data[:length])
        with pytest.raises(ModelFileError):
            load_model(tmp_path / "t.skops")


def test_files_of_ours_are_recognised(files, tmp_path):
    skops.io.dump(SVC(), tmp_path / "svc.skops")
    assert is_model_file(files[0] / "m.skops")
    assert not is_model_file(tmp_path / "svc.skops")
    assert not is_model_file(files[0] / "d.csv")


def test_no_type_need_be_named_for_a_model_of_ours_but_for_others(files, tmp_path):
    data = read_dataset(files[0] / "d.csv", target="kind")
    assert types_to_trust(files[0] / "m.skops") == ()
    for method in ("gradient_boosting", "rusboost"):
        save_model(saved := train(data, method), tmp_path / "t.skops")
        assert types_to_trust(tmp_path / "t.skops") == ()
        loaded, table = load_model(tmp_path / "t.skops"), read_table(files[0] / "d.csv")
        np.testing.assert_array_equal(loaded.predict(table), saved.predict(table))
    own = replace(saved, model=make_pipeline(*dict(saved.model.steps[:-1]).values(), SVC()))
    own.model.fit(data.X, data.y)
    save_model(own, tmp_path / "own.skops")
    assert types_to_trust(tmp_path / "own.skops") == ("sklearn.svm._classes.SVC",)
    with pytest.raises(ModelFileError, match="SVC"):
        load_model(tmp_path / "own.skops")
    trusted = load_model(tmp_path / "own.skops", trusted=["sklearn.svm._classes.SVC"])
    np.testing.assert_array_equal(trusted.predict(table), own.predict(table))


@pytest.fixture(scope="module")
def dated(tmp_path_factory):
    """A model of a file with an identifier, a date and a decimal comma."""
    folder = tmp_path_factory.mktemp("dated")
    rng = np.random.default_rng(0)
    lines = ["nr;day;price;extra;kind"]
    for i in range(80):
        rare = i % 4 == 0
        price = f"{1000 * rng.normal(5 + 4 * rare):,.2f}".translate(str.maketrans(",.", ".,"))
        lines.append(f"{i};{i % 28 + 1:02}/{i % 12 + 1:02}/2024;{price};0;{'ab'[rare]}")
    (folder / "d.csv").write_text("\n".join(lines))
    saved = train(read_dataset(folder / "d.csv", drop=["extra"]), "svm_balanced")
    save_model(saved, folder / "m.skops")
    return folder, load_model(folder / "m.skops")


def test_a_model_remembers_how_its_columns_are_read(dated):
    folder, loaded = dated
    kinds = {role.name: (role.kind, role.way) for role in loaded.roles}
    assert kinds == {
        "nr": ("identifier", ""),
        "day": ("date", "d/m/Y"),
        "price": ("number", "1.234,5"),
        "extra": ("dropped", ""),
    }
    assert loaded.id_columns == ("nr",)
    assert loaded.asked.drop == ("extra",)
    labels = read_dataset(folder / "d.csv").y
    assert np.mean(loaded.predict(loaded.read(folder / "d.csv")) == labels) > 0.9


def test_new_rows_are_not_guessed_at(dated):
    """A price of 1.234 alone would be a little more than one, and 01/02/2024 any day."""
    folder, loaded = dated
    for price in ("1.234", "1.234,0", "9.000", "9.000,00"):
        text = f"nr;day;price\nnew;01/02/2024;{price}\n"
        (folder / "new.csv").write_text(text)
        expected = "a" if price.startswith("1") else "b"
        assert loaded.predict(loaded.read(folder / "new.csv")).tolist() == [expected]


def test_a_frame_with_numbers_and_dates_of_its_own_will_do(dated):
    _, loaded = dated
    day = pd.Timestamp("2024-02-01")
    for frame in (pd.DataFrame, pl.DataFrame):
        rows = frame({"day": [day, day], "price": [1234.0, 9000.0], "nr": ["x", None]})
        assert loaded.predict(rows).tolist() == ["a", "b"]
    text = pd.DataFrame({"day": ["01/02/2024"], "price": ["9.000,00"]})
    assert loaded.predict(text).tolist() == ["b"]


@pytest.fixture(scope="module")
def priced(tmp_path_factory):
    """A model of a file with a percentage and a price."""
    folder = tmp_path_factory.mktemp("priced")
    rng = np.random.default_rng(0)
    lines = ["rate;price;kind"]
    for i in range(80):
        rare = i % 4 == 0
        lines.append(f"{rng.normal(40 + 20 * rare):.1f}%;€ {3 + i / 7:.2f};{'ab'[rare]}")
    (folder / "d.csv").write_text("\n".join(lines), encoding="utf-8")
    save_model(train(read_dataset(folder / "d.csv"), "svm_balanced"), folder / "m.skops")
    return folder, load_model(folder / "m.skops")


def test_new_rows_have_the_units_of_the_old_ones_or_none(priced):
    folder, loaded = priced
    assert [role.way for role in loaded.roles] == ["1234.5 %", "1234.5 €"]
    answers = []
    for cells in ("44.4%;€ 5.25", "44.4;5.25", "44.4 %;5.25€"):
        (folder / "new.csv").write_text(f"rate;price\n{cells}\n60%;€ 7\n", encoding="utf-8")
        answers.append(loaded.decision_function(loaded.read(folder / "new.csv")).tolist())
    frame = pd.DataFrame({"rate": [44.4, 60.0], "price": [5.25, 7.0]})
    assert answers == [loaded.decision_function(frame).tolist()] * 3
    (folder / "new.csv").write_text("rate;price\n44.4%;$ 5.25\n", encoding="utf-8")
    with pytest.raises(DataError, match=r"'\$ 5.25', which is not written as in the training data"):
        loaded.predict(loaded.read(folder / "new.csv"))


def test_an_old_file_without_roles_still_loads(files):
    folder, saved = files
    content = stored(folder / "m.skops")
    for name in ("roles", "leaks", "asked", "n_copies", "copies_together"):
        del content[name]
    skops.io.dump(content, folder / "old.skops")
    loaded = load_model(folder / "old.skops")
    assert (loaded.roles, loaded.leaks, loaded.notes) == ((), (), ())
    table = read_table(folder / "d.csv")
    np.testing.assert_array_equal(loaded.predict(table), saved.predict(table))


def test_an_old_file_without_voting_still_loads(files):
    """Its votes are hard; as settings for another training it is whole as well."""
    folder, saved = files
    content = stored(folder / "m.skops")
    del vars(content["model"][-1])["voting"]
    skops.io.dump(content, folder / "old.skops")
    loaded = load_model(folder / "old.skops")
    assert loaded.model[-1].get_params() == saved.model[-1].get_params()
    table = read_table(folder / "d.csv")
    np.testing.assert_array_equal(loaded.predict(table), saved.predict(table))
    skops.io.dump(content["model"][-1], folder / "alone.skops")
    assert clone(load_estimator(folder / "alone.skops")).voting == "hard"


def test_a_model_of_soft_votes_is_kept(files):
    folder, _ = files
    content = stored(folder / "m.skops")
    content["model"][-1].set_params(voting="soft")
    skops.io.dump(content, folder / "soft.skops")
    machine, same = load_model(folder / "soft.skops").model[-1], content["model"][-1]
    X = np.random.default_rng(0).normal(size=(50, machine.n_features_in_))
    np.testing.assert_array_equal(machine.decision_function(X), same.decision_function(X))
    assert np.unique(machine.decision_function(X)).size > 40


def test_a_model_remembers_what_was_asked(dated, tmp_path):
    folder, _ = dated
    for asked in (ColumnChoices(keep="all", many_classes=True), ColumnChoices(["day"], ["nr"])):
        data = read_dataset(
            folder / "d.csv",
            drop=asked.drop,
            id_columns=asked.id_columns,
            keep=asked.keep,
            many_classes=asked.many_classes,
        )
        save_model(train(data, "gradient_boosting"), tmp_path / "m.skops")
        assert load_model(tmp_path / "m.skops").asked == asked


def test_what_was_asked_is_told_by_the_roles_of_an_older_file(dated):
    folder, loaded = dated
    content = stored(folder / "m.skops")
    del content["asked"]
    skops.io.dump(content, folder / "old.skops")
    assert load_model(folder / "old.skops").asked == loaded.asked == ColumnChoices(["extra"])


@pytest.mark.parametrize("asked", [7, [], [[1], [], [], False], [[], [], None, False]])
def test_forged_choices_are_refused(files, asked):
    folder, _ = files
    skops.io.dump({**stored(folder / "m.skops"), "asked": asked}, folder / "forged.skops")
    with pytest.raises(ModelFileError, match="damaged model file"):
        load_model(folder / "forged.skops")


@pytest.mark.parametrize(
    "roles",
    [
        [["a", "oracle", "", "", [], False]],
        [["a", "date", "", "tomorrow", [], False]],
        [["a", "date", "", "Y-m-d", ["century"], False]],
        [["a"]],
        [["size", "dropped", "", "", [], False]],
        [["size", "date", "", "", ["days"], False]],
        7,
    ],
)
def test_forged_roles_are_refused(files, roles):
    folder, _ = files
    content = stored(folder / "m.skops")
    skops.io.dump({**content, "roles": roles}, folder / "forged.skops")
    with pytest.raises(ModelFileError, match="damaged model file"):
        load_model(folder / "forged.skops")


X = np.random.default_rng(0).normal(size=(40, 2)) + np.repeat([0, 2], [25, 15])[:, None]
Y = np.repeat([0, 1], [25, 15])
OWN = [
    getattr(package, name)
    for package in (svm, ensemble, tree, model_selection, methods)
    for name in package.__all__
    if inspect.isclass(getattr(package, name))
    and issubclass(getattr(package, name), ClassifierMixin)
]


def there_and_back(model, folder, **options):
    skops.io.dump(model, folder / "m.skops")
    return load_estimator(folder / "m.skops", **options)


@pytest.mark.parametrize("fit", [False, True])
@pytest.mark.parametrize("kind", OWN, ids=lambda kind: kind.__name__)
def test_all_our_classifiers_are_trusted(kind, fit, tmp_path):
    model = kind(SVC()) if kind is OperatingPointClassifier else kind()
    if fit:
        model.fit(X, Y)
    loaded = there_and_back(model, tmp_path)
    assert type(loaded) is kind
    assert repr(loaded) == repr(model)


@pytest.mark.parametrize(
    "model",
    [
        SVC(C=3.0),
        make_pipeline(StandardScaler(), LogisticRegression()),
        GridSearchCV(SVC(), {"C": [1, 2]}, scoring="balanced_accuracy"),
    ],
    ids=lambda model: type(model).__name__,
)
@pytest.mark.parametrize("fit", [False, True])
def test_classifiers_of_scikit_learn_are_read(model, fit, tmp_path):
    loaded = there_and_back(model.fit(X, Y) if fit else model, tmp_path)
    assert repr(loaded) == repr(model)


@pytest.mark.parametrize(
    "model",
    [RandomForestClassifier(3, random_state=0), KNeighborsClassifier(3), SVC(C=2.0), GaussianNB()],
)
def test_of_a_fitted_model_the_settings_and_the_columns_are_read(model, tmp_path):
    loaded = there_and_back(model.fit(X, Y), tmp_path)
    assert loaded.get_params() == model.get_params()
    assert loaded.n_features_in_ == 2
    assert loaded.classes_.tolist() == [0, 1]
    left = {name for name in vars(loaded) if name.startswith("_") or name.endswith("_")}
    assert left == {"n_features_in_", "classes_"}
    np.testing.assert_array_equal(loaded.fit(X, Y).predict(X[:3]), model.predict(X[:3]))


def test_a_search_remembers_classes_and_columns(tmp_path):
    frame = pd.DataFrame(X, columns=["a", "b"])
    loaded = there_and_back(GridSearchCV(SVC(), {"C": [1, 2]}).fit(frame, Y), tmp_path)
    assert loaded.classes_.tolist() == [0, 1]
    assert loaded.feature_names_in_.tolist() == ["a", "b"]
    assert not hasattr(loaded.best_estimator_, "_dual_coef_")


def test_a_file_chooses_no_folder_and_no_crowd_of_processes(tmp_path):
    cached = make_pipeline(StandardScaler(), SVC(), memory=str(tmp_path / "cache"))
    with pytest.raises(ModelFileError, match="cache in a folder of its own choice"):
        there_and_back(cached, tmp_path)
    assert there_and_back(RandomForestClassifier(n_jobs=100_000), tmp_path).n_jobs is None
    assert there_and_back(RandomForestClassifier(n_jobs=-1), tmp_path).n_jobs == -1


@pytest.mark.parametrize("source", ["filename", "file"])
def test_a_file_opens_no_other_files(source, tmp_path):
    with pytest.raises(ModelFileError, match="open the files that a table names"):
        there_and_back(make_pipeline(CountVectorizer(input=source), SVC()), tmp_path)
    assert there_and_back(make_pipeline(CountVectorizer(), SVC()), tmp_path)[0].input == "content"


def test_settings_have_names_that_are_looked_at(tmp_path):
    skops.io.dump(SVC(), tmp_path / "s.skops")
    entries = forged_models.unzipped(tmp_path / "s.skops")
    schema = json.loads(entries["schema.json"])
    settings = json.dumps({"memory": "/", "input": "filename", "n_jobs": 10**6})
    schema["content"] = {**archive.NULL, "content": settings}
    forged_models.zipped({**entries, "schema.json": json.dumps(schema)}, tmp_path / "s.skops")
    with pytest.raises(ModelFileError, match="a state without names"):
        load_estimator(tmp_path / "s.skops")


def stranger(table):
    raise AssertionError("a function of the file was called")


def test_functions_are_refused_by_name(tmp_path):
    model = make_pipeline(FunctionTransformer(stranger), SVC())
    with pytest.raises(ModelFileError, match="stranger"):
        there_and_back(model, tmp_path)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (LinearRegression(), "holds a LinearRegression; a classifier"),
        (StandardScaler(), "holds a StandardScaler"),
        ([1, 2], "holds a list"),
        ({"format": "something else"}, "holds a dict"),
    ],
)
def test_what_is_no_classifier_is_refused(content, words, tmp_path):
    with pytest.raises(ModelFileError, match=words):
        there_and_back(content, tmp_path)


def test_a_model_of_ours_is_read_with_all_that_it_remembers(tmp_path):
    save_model(train(load("planted-two"), "svm", tune=True, random_state=5), tmp_path / "m.skops")
    loaded = load_estimator(tmp_path / "m.skops")
    assert isinstance(loaded, SavedModel)
    assert (loaded.method, loaded.tune, loaded.random_state) == ("svm", True, 5)
