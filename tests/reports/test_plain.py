import json

from kpboost.reports._comparison import compare_outcomes
from kpboost.reports._report import plain_summary
from support.made_outcomes import METHODS, outcome, table_of_outcomes


def test_methods_come_best_first_with_names_for_programs():
    data = plain_summary(compare_outcomes(table_of_outcomes(4), {"svm": "SVM"}))
    assert set(data) == {"verdict", "methods", "results"}
    assert [row["method"] for row in data["methods"]] == list(METHODS)[::-1]
    assert data["methods"][-1]["title"] == "SVM"
    assert len(data["results"]) == 4 * len(METHODS)
    json.dumps(data)


def test_unfinished_results_are_there_with_their_reason():
    made = [*table_of_outcomes(2), outcome("z", "svm", 0, status="failed", error="no")]
    last = plain_summary(compare_outcomes(made, {}))["results"][-1]
    assert (last["dataset"], last["status"], last["error"]) == ("z", "failed", "no")
