"""Every estimator and record shows itself: short as text, escaped in a notebook."""

import warnings
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
from sklearn import config_context
from sklearn.base import BaseEstimator, clone
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.linear_model import LogisticRegression

import kpboost
from kpboost import disjuncts, ensemble, metrics, model_files, model_selection, reports, tree
from kpboost._notebook import FITTED, fitted_facts, html_facts, html_table, names
from kpboost.datasets import Draw, read_dataset
from kpboost.experiments import ExperimentSpec, describe, outcomes, predictions, run
from kpboost.methods import METHODS, MethodClassifier

SCRIPT = "<script>alert(1)</script>"
GRID = {"Cs": [1.0], "gammas": [0.1], "cv": 2}
ESTIMATORS = [
    kpboost.KernelSVC(),
    kpboost.KPBoostSVC(n_estimators=3),
    kpboost.NystroemKPBoostSVC(n_estimators=2, n_landmarks=20, random_state=0),
    kpboost.AdaBoostSVC(n_estimators=2),
    kpboost.RUSBoostM2Classifier(n_estimators=2, random_state=0),
    kpboost.AdaBoostMLPClassifier(n_estimators=2, random_state=0),
    kpboost.RareClassClassifier(n_trees=20, random_state=0),
    kpboost.C45Classifier(),
    kpboost.C45IB1Classifier(),
    kpboost.ConformalSVC(),
    kpboost.BoundaryAlignmentSVC(),
    kpboost.KernelScalingSVC(),
    kpboost.AsymmetricKernelScalingSVC(),
    kpboost.ChiSquareKernelScalingSVC(),
    kpboost.DissimilaritySVC(),
    kpboost.KPBoostSVCCV(perturbation_steps=[0.1], **GRID),
    kpboost.NystroemKPBoostSVCCV(random_state=0, **GRID),
    kpboost.AsymmetricKernelScalingSVCCV(decays_pos=[0.1], decays_neg=[0.1], **GRID),
    kpboost.OperatingPointClassifier(LogisticRegression()),
    kpboost.DisjunctFinder(),
    MethodClassifier("svm"),
]


class Tags(HTMLParser):
    """Names of all tags, and all text between them."""

    def __init__(self, html):
        super().__init__()
        self.tags, self.text = [], ""
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)

    def handle_data(self, data):
        self.text += data


@pytest.fixture(scope="module")
def table():
    """Forty rows of the first class, twelve of the second; labels and a column are hostile."""
    X = np.random.default_rng(0).normal(size=(52, 3))
    X[40:, 0] += 2.0
    return pd.DataFrame(X, columns=["a", "b", SCRIPT]), np.repeat(["often", SCRIPT], [40, 12])


def fitted(estimator, table):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return clone(estimator).fit(*table)


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda each: type(each).__name__)
def test_a_fitted_estimator_tells_its_classes(estimator, table):
    model = fitted(estimator, table)
    assert len(repr(model)) < 300
    shown, page = model._repr_mimebundle_(), model._repr_html_()
    assert shown["text/plain"] == repr(model)
    own = page.rpartition("<caption>Fitted</caption>")[2]
    assert shown["text/html"].endswith(own)
    assert f"<td>{html_text('often')}, {html_text(SCRIPT)}</td>" in own or (
        f"<td>{html_text(SCRIPT)}, {html_text('often')}</td>" in own
    )
    assert SCRIPT not in page
    assert "script" not in Tags(own).tags


@pytest.mark.parametrize("kind", list(map(type, ESTIMATORS)), ids=lambda each: each.__name__)
def test_default_settings_can_be_shown(kind, table):
    given = {MethodClassifier: ("svm",), kpboost.OperatingPointClassifier: (LogisticRegression(),)}
    model = fitted(kind(*given.get(kind, ())), table)
    told = dict(fitted_facts(model))
    assert "classes" in told
    assert ("gamma" in told) == (hasattr(model, "gamma_") and not hasattr(model, "best_params_"))
    assert "<caption>Fitted</caption>" in model._repr_html_()


def test_a_fact_that_cannot_be_told_is_left_out(table):
    model = fitted(kpboost.KPBoostSVC(n_estimators=2), table)
    model.selected_rounds_ = None
    assert {"classes", "gamma"} <= dict(fitted_facts(model)).keys()
    assert "rounds" not in dict(fitted_facts(model))


def html_text(label):
    return "&#x27;" + label.replace("<", "&lt;").replace(">", "&gt;") + "&#x27;"


def test_no_public_estimator_is_forgotten():
    tried = {type(each) for each in ESTIMATORS}
    public = {getattr(kpboost, name) for name in kpboost.__all__ if name != "__version__"}
    wanted = {each for each in public if isinstance(each, type) and issubclass(each, BaseEstimator)}
    assert wanted
    assert wanted <= tried


def test_every_fact_is_told_of_some_estimator(table):
    told = [name for each in ESTIMATORS for name, _ in fitted_facts(fitted(each, table))]
    assert set(told) == set(FITTED)


def test_facts_by_hand(table):
    boosted = dict(fitted_facts(fitted(kpboost.KPBoostSVC(gamma=0.25, n_estimators=3), table)))
    assert boosted["gamma"] == "0.25"
    assert boosted["positive class"] == repr(SCRIPT)
    assert boosted["rounds"].endswith("of 3 vote")
    search = fitted(kpboost.KPBoostSVCCV(perturbation_steps=[0.1], **GRID), table)
    told = dict(fitted_facts(search))["chosen by search"]
    assert told == "C=1, gamma=0.1, perturbation_step=0.1, roi_scale=None"
    chosen = fitted(kpboost.OperatingPointClassifier(LogisticRegression()), table)
    assert dict(fitted_facts(chosen))["operating point"] == str(chosen.operating_point_)


def test_before_fit_there_is_the_diagram_alone():
    assert fitted_facts(kpboost.KPBoostSVC()) == []
    assert "Fitted</caption>" not in kpboost.KPBoostSVC()._repr_html_()


def test_text_if_scikit_learn_is_told_so(table):
    model = fitted(kpboost.KernelSVC(), table)
    with config_context(display="text"):
        assert not hasattr(model, "_repr_html_")
        assert list(model._repr_mimebundle_()) == ["text/plain"]


@pytest.fixture(scope="module")
def records(table, tmp_path_factory):
    """One of every record that a user gets, with hostile words wherever a table has words."""
    folder = tmp_path_factory.mktemp("records")
    X, y = table
    X.assign(**{"<i>class": y}).to_csv(folder / "rows.csv", index=False)
    data = read_dataset(folder / "rows.csv")
    finder = kpboost.DisjunctFinder().fit(X, y)
    model = fitted(kpboost.KPBoostSVC(n_estimators=2), table)
    frame = kpboost.DisjunctFrame(y, model.predict(X), disjuncts=finder.labels_)
    point = fitted(kpboost.OperatingPointClassifier(LogisticRegression()), table).operating_point_
    audit = kpboost.audit(X, y, LogisticRegression(), remedies=())
    saved = model_files.train(data, "svm", tune=False)
    store = folder / "store.db"
    run(ExperimentSpec((str(folder / "rows.csv"),), ("svm",), n_folds=2), store)
    name = describe(store).datasets[0].name
    title = reports.ReportColumn(SCRIPT)
    return [
        *(data, data.table, data.table.columns[0], frame, point, audit, audit.compare(audit)),
        *(saved, saved.with_operating_point(recall=0.5)),
        *(describe(store), outcomes(store)[0], reports.read_comparison(store)),
        predictions(store, name, "svm", 0),
        Draw(data, {SCRIPT: 12, "often": 40}, np.arange(52)),
        reports.ReportTable("t", SCRIPT, (title,), ((SCRIPT,),), note=SCRIPT),
        METHODS["svm"],
        ensemble.BoostingRoundsDisplay.from_estimator(model),
        disjuncts.DisjunctCurveDisplay.from_estimator(finder),
        disjuncts.DisjunctMapDisplay.from_estimator(finder, X),
        metrics.DisjunctRecallDisplay(frame),
        model_selection.OperatingPointDisplay(point, y, np.linspace(0, 1, 52)),
    ]


TABLE_TAGS = {"table", "caption", "thead", "tbody", "tr", "th", "td", "br", "h4", "p"}


def test_records_are_short_as_text_and_escaped_as_html(records):
    for record in records:
        assert len(repr(record)) < 700, type(record)
        assert "\x1b" not in repr(record)
        html = record._repr_html_()
        assert SCRIPT not in html, type(record)
        if isinstance(record, kpboost.Audit):  # a page in a frame of its own
            continue
        assert Tags(html).text.strip(), type(record)
        assert set(Tags(html).tags) <= TABLE_TAGS, type(record)


def test_the_first_rows_of_a_table_are_shown(records):
    data = records[0]
    text = Tags(data._repr_html_()).text
    assert data.table.show(data.X[4, 0], 0) in text
    assert data.table.show(data.X[5, 0], 0) not in text
    assert "often" in text
    assert "<i>class" in text


def test_an_audit_prints_as_its_verdict(records):
    audit = next(each for each in records if isinstance(each, kpboost.Audit))
    assert str(audit).splitlines() == [audit.verdict.headline, *audit.verdict.sentences]


def test_hostile_cells_are_escaped():
    table = html_table([SCRIPT], [[SCRIPT], [None], [1.0]], [True, False, False])
    assert "script" not in Tags(table).tags
    assert "<td></td>" in table
    assert "<td>1.0000</td>" in table
    facts = html_facts(SCRIPT, [(SCRIPT, "a\x1b[2J\nb")])
    assert "script" not in Tags(facts).tags
    assert "a\\x1b[2J<br>b" in facts


def test_numbers_of_a_forest_are_left_to_scikit_learn():
    assert fitted_facts(ExtraTreesClassifier()) == []
    assert fitted_facts(tree.C45Classifier()) == []


class Counted:
    """Counts how often its values are written."""

    written = 0

    def __repr__(self):
        Counted.written += 1
        return "one"


def test_only_the_names_that_are_shown_are_written():
    assert names(Counted() for _ in range(1000)).endswith("one and 992 more")
    assert Counted.written == 8
