import pytest

from kpboost.datasets import find_dataset


def test_a_name_comes_before_a_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "planted-two").write_text("a,class\n1,x\n2,y\n")
    assert find_dataset("planted-two").n_samples == 408


def test_a_file_with_its_class_column(tmp_path):
    (tmp_path / "own.csv").write_text("kind,a\nx,1\ny,2\nx,3\n")
    data = find_dataset(str(tmp_path / "own.csv"), target="kind")
    assert (data.name, data.target_name, data.y.tolist()) == ("own", "kind", ["x", "y", "x"])


@pytest.mark.parametrize(
    ("given", "hint"), [("planted-to", "did you mean 'planted-two'"), ("q", "`kpboost datasets`")]
)
def test_neither_a_name_nor_a_file(given, hint):
    with pytest.raises(ValueError, match=f"no data set and no file '{given}'; {hint}"):
        find_dataset(given)


def test_columns_are_chosen_for_files_and_not_for_known_sets(tmp_path):
    (tmp_path / "own.csv").write_text("x,z,kind\n1,2,a\n3,4,b\n")
    data = find_dataset(str(tmp_path / "own.csv"), drop=["z"])
    assert data.feature_names == ("x",)
    with pytest.raises(ValueError, match="'planted-two' is a known data set"):
        find_dataset("planted-two", drop=["x0"])
