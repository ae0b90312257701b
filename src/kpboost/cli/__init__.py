"""The `kpboost` command: one file per command; errors are one sentence."""
