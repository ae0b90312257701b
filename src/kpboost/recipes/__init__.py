"""Whole models by name: preparation of the columns and classifier together."""

from .preparation import preparation
from .recipes import RECIPES, Recipe, available_recipes, build
from .row_cap import RowCapClassifier

__all__ = [
    "RECIPES",
    "Recipe",
    "RowCapClassifier",
    "available_recipes",
    "build",
    "preparation",
]
