"""Between labelled data and the solver: checks, weights, two-class problems, votes."""
