"""All contenders by name."""

from boosters import BOOSTERS
from contenders import MACHINES
from searches import SEARCHES

CONTENDERS = {**MACHINES, **BOOSTERS, **SEARCHES}
