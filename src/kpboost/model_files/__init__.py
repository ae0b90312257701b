"""Trained models as files: saved with their columns, loaded without trusting the file."""

from .model_card import model_card
from .saved_model import ModelFileError, SavedModel, load_model, save_model
from .train import train

__all__ = ["ModelFileError", "SavedModel", "load_model", "model_card", "save_model", "train"]
