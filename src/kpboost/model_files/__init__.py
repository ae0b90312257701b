"""Trained models as files: saved with their columns, loaded without trusting the file."""

from .archive import ModelFileError
from .load_estimator import load_estimator
from .model_card import is_card, model_card
from .rows_for import rows_for
from .saved_model import SavedModel, is_model_file, load_model, save_model, types_to_trust
from .train import train

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
