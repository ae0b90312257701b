"""Whole models by name: preparation of the columns and classifier together."""

from kpboost._public import publish

from ._recipe_classifier import RecipeClassifier
from ._recipes import (
    RECIPES,
    Recipe,
    RowCapClassifier,
    available_recipes,
    build,
    preparation,
)

__all__ = [
    "RECIPES",
    "Recipe",
    "RecipeClassifier",
    "RowCapClassifier",
    "available_recipes",
    "build",
    "preparation",
]

# For the other packages of ours; nothing here is promised to users.
# Model files of earlier versions name InnerFolds here.
from kpboost.model_selection import InnerFolds as InnerFolds

from ._recipe_classifier import check_number_labels as check_number_labels
from ._recipes import (
    capped_rows as capped_rows,
    mean_recall as mean_recall,
    sample_remark as sample_remark,
)

# Searches in saved models name their criterion.
publish(__name__, (*__all__, "mean_recall"))
