"""Whole models by name: preparation of the columns and classifier together."""

from kpboost._public import publish

from ._columns import Columns, columns_of, trainable, trainable_rows
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
    "Columns",
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

# For the other packages of ours; nothing here is promised to users.
# Model files of earlier versions name InnerFolds here.
from kpboost.model_selection import InnerFolds as InnerFolds

from ._columns import (
    FEWEST_MEMBERS as FEWEST_MEMBERS,
    check_magnitude as check_magnitude,
    labelled_rows as labelled_rows,
    read_columns as read_columns,
    take_rows as take_rows,
)
from ._recipe_classifier import check_number_labels as check_number_labels
from ._recipes import (
    capped_rows as capped_rows,
    mean_recall as mean_recall,
    sample_remark as sample_remark,
)

# Searches in saved models name their criterion.
publish(__name__, (*__all__, "mean_recall"))
