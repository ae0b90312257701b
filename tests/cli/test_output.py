import json

from kpboost.cli._terminal import print_json


def test_what_is_not_a_number_becomes_null(capsys):
    print_json({"a": [float("nan"), 1.5, (float("inf"), None)], 2: "x"})
    assert json.loads(capsys.readouterr().out) == {"a": [None, 1.5, [None, None]], "2": "x"}
