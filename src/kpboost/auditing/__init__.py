"""What a classifier misses in a data set, how sure that is, and what would help."""

from .records import Audit
from .whole_audit import audit

__all__ = ["Audit", "audit"]
