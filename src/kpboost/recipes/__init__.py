"""Whole models by name: preparation of the columns and classifier together."""

from .columns import Columns, columns_of
from .inner_folds import InnerFolds
from .preparation import preparation
from .recipe_classifier import RecipeClassifier
from .recipes import RECIPES, Recipe, available_recipes, build
from .row_cap import RowCapClassifier
from .trainable import trainable, trainable_rows

__all__ = [
    "RECIPES",
    "Columns",
    "InnerFolds",
    "Recipe",
    "RecipeClassifier",
    "RowCapClassifier",
    "available_recipes",
    "build",
    "columns_of",
    "preparation",
    "trainable",
    "trainable_rows",
]
