"""Decision trees: C4.5, and C4.5 with nearest neighbours in its small leaves."""

from kpboost._public import publish

from ._c45 import C45Classifier
from ._c45_ib1 import C45IB1Classifier

__all__ = ["C45Classifier", "C45IB1Classifier"]

publish(__name__, __all__)
