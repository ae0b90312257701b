"""All contenders by name."""

from boosters import BOOSTERS
from contenders import MACHINES

CONTENDERS = {**MACHINES, **BOOSTERS}
