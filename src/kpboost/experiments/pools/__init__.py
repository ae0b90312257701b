"""Where jobs run: threads, processes, or a cluster of dask or ray."""

from ._pool import BACKENDS as BACKENDS
