"""What to run after an audit: the recommended model as a command and as Python."""

import json
import shlex
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from kpboost.auditing import Audit
from kpboost.auditing.snippet import choice_arguments, recipe_arguments
from kpboost.auditing.subjects import OWN
from kpboost.datasets import ColumnChoices, Dataset, known_names
from kpboost.reports.csv_table import csv_text


@dataclass(frozen=True, slots=True)
class NextSteps:
    """The audited model and its data, as the user has named them.

    Attributes
    ----------
    data : str
        The file or name of a data set.
    read : Dataset
        What was read.
    seed : int
        Seed of the audit.
    data_dir : Path or None
        Folder with data sets.
    model : Path or None
        The file of the audited model.
    tune : bool
        Whether the audited model's recipe uses the finer grid.
    model_seed : int
        Seed of the audited model's recipe.
    weights : str
        Parameter of the audited classifier with its class weights.
    trusted : tuple of str
        Types that are trusted in the model's file.
    choices : ColumnChoices
        What the user has said about columns.
    """

    data: str
    read: Dataset
    seed: int = 0
    data_dir: Path | None = None
    model: Path | None = None
    tune: bool = False
    model_seed: int = 0
    weights: str = ""
    trusted: tuple[str, ...] = ()
    choices: ColumnChoices = field(default_factory=ColumnChoices)

    def command(self, found: Audit) -> str:
        """Command that trains the recommended recipe; "" if none is recommended."""
        name, tune, seed = self._recipe(found)
        if name.startswith(OWN):
            return ""
        words = ["kpboost", "fit", self.data, "--target", self.read.target_name]
        words += self._choices()
        words += ["--method", name, "--out", f"{self.read.name}.skops"]
        words += ["--tune"] if tune else []
        words += ["--seed", str(seed)] if seed else []
        words += ["--data-dir", str(self.data_dir)] if self.data_dir and self._is_known() else []
        return shlex.join(words)

    def python(self, found: Audit) -> str:
        """Program that does the same."""
        name, tune, seed = self._recipe(found)
        if name == OWN:
            return f"# Keep the model of {self.model}.\n"
        if name.startswith(OWN):
            return self._reweighted()
        function, expression = self._reading()
        return (
            f"from kpboost.datasets import {function}\n"
            "from kpboost.model_files import train\n"
            "\n"
            f"model = train({expression}, {recipe_arguments(name, tune, seed)})\n"
            '# new rows: model.predict(model.read("new.csv"))\n'
        )

    def _recipe(self, found: Audit) -> tuple[str, bool, int]:
        best = found.remedies.recommended if found.remedies is not None else ""
        audited = found.models[0].name
        if best and best != audited:
            return best, False, self.seed
        return audited, self.tune, self.model_seed

    def _reweighted(self) -> str:
        function, expression = self._reading()
        trusted = f", trusted=[{', '.join(map(quoted, self.trusted))}]" if self.trusted else ""
        return (
            f"from kpboost.datasets import {function}\n"
            "from kpboost.model_files import load_estimator, rows_for\n"
            "\n"
            f"model = load_estimator({quoted(str(self.model))}{trusted})\n"
            f'model.set_params({self.weights}="balanced")\n'
            f"model.fit(*rows_for(model, {expression}))\n"
        )

    def _reading(self) -> tuple[str, str]:
        """Return the name of the function that reads the data, and the call."""
        if not self._is_known():
            target = quoted(self.read.target_name)
            more = "".join(f", {word}" for word in choice_arguments(self.choices))
            return "read_dataset", f"read_dataset({quoted(self.data)}, target={target}{more})"
        folder = f", data_dir={quoted(str(self.data_dir))}" if self.data_dir else ""
        return "load", f"load({quoted(self.data)}{folder})"

    def _choices(self) -> list[str]:
        """Options for what the user has said about columns."""
        kept = ["all"] if self.choices.keeps_all else self.choices.keep
        options = {"--drop": self.choices.drop, "--id": self.choices.id_columns, "--keep": kept}
        given = {option: names for option, names in options.items() if names}
        words = [word for option, names in given.items() for word in (option, row(names))]
        return words + (["--many-classes"] if self.choices.many_classes else [])

    def _is_known(self) -> bool:
        return self.data in known_names()


def row(names: Sequence[str]) -> str:
    """Names with commas between; a name with a comma stands in double quotes."""
    return csv_text(names, (), raw=True).rstrip("\n")


def quoted(text: str) -> str:
    """Text as a literal of Python in double quotes, which JSON's happens to be."""
    return json.dumps(text, ensure_ascii=False)
