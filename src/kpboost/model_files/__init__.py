"""Trained models as files: saved with their columns, loaded without trusting the file."""

from kpboost._public import publish

from ._archive import ModelFileError
from ._card import is_card, model_card
from ._model_file import (
    is_model_file,
    load_estimator,
    load_model,
    save_model,
    types_to_trust,
)
from ._rows import rows_for
from ._saved_model import SavedModel
from ._training import train

__all__ = [
    "ModelFileError",
    "SavedModel",
    "is_card",
    "is_model_file",
    "load_estimator",
    "load_model",
    "model_card",
    "rows_for",
    "save_model",
    "train",
    "types_to_trust",
]

# For the other packages of ours; nothing here is promised to users.
from ._card import (
    figures as figures,
    low_rank_sentence as low_rank_sentence,
    predict_command as predict_command,
    summary as summary,
)

publish(__name__, __all__)
