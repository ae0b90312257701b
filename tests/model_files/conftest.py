from support.small_training import few_trees  # noqa: F401
