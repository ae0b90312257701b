"""Decision trees: C4.5, and C4.5 with nearest neighbours in its small leaves."""

from .c45_classifier import C45Classifier
from .c45_ib1_classifier import C45IB1Classifier

__all__ = ["C45Classifier", "C45IB1Classifier"]
