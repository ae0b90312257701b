from kpboost.datasets import Feature
from kpboost.model_files import SavedModel, model_card

HOSTILE = "<script>alert(1)</script> | `x` [a](b)\n# heading"


def card(name="size"):
    saved = SavedModel(
        model=None,
        method="kpboost",
        target=name,
        features=(Feature(name, "number"), Feature("c", "nominal", tuple("abcdefghijklm"))),
        class_sizes={name: 30, "other": 12},
        recalls={name: 0.5, "other": 0.91666},
    )
    return model_card(saved, file="m.skops", data="d")


def test_the_card_tells_what_matters():
    text = card()
    assert "| other | 12 | 0.917 |" in text
    assert "KPBoost, trained by kpboost" in text
    assert "42 rows" in text
    assert "kpboost predict m.skops" in text
    assert "a, b, c, d, e, f, g, h, i, j and 3 more" in text


def test_names_from_data_stay_text():
    text = card(HOSTILE)
    assert "<script>" not in text
    assert "\n# heading" not in text
    rows = [line for line in text.splitlines() if line.startswith("|") and "heading" in line]
    assert all(line.replace("\\|", "").count("|") in (3, 4) for line in rows)
