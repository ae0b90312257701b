"""RUSBoost of the paper as a vote that becomes NaN.

A learner without error on the training points gets the vote log(1 / 0) = Inf. Votes that are then
divided by their sum are NaN (Inf / Inf), and a comparison with NaN is false: whoever asks "is the
rare class's vote the larger one?" gets the majority for every point. So the easier a set, the worse
the score. The same boosting with the error floored, as ours has it, does not know the slip. What
the slip alone does is the difference between these two.

    python benchmarks/reproduction/nan_vote.py --data-dir FOLDER        half a minute
"""

import numpy as np
from beside import OURS, PAPER, Array, Beside, Scores, Split, options, problems, two_class_sets

from kpboost.metrics import geometric_mean_score, hard_auc_score
from kpboost.tree import C45Classifier

# A tree and its error.
Learner = tuple[C45Classifier, float]
ROUNDS = 10
SHARES = (0.35, 0.5, 0.65)
# What an error of zero counts as, where it is floored.
SMALLEST_ERROR = 1e-10
# On which rows a learner's error is taken, and whether it is floored.
SLIP, NO_SLIP = "error on all", "floored"
READINGS = {
    SLIP: (False, False),
    "on its sample": (True, False),
    NO_SLIP: (False, True),
}


def rounds_of(
    X: Array, y: Array, share: float, random: np.random.Generator, on_sample: bool
) -> list[Learner]:
    """Boost on all rare points and a sample of the others; return learners and their errors."""
    weight = np.full(y.size, 1 / y.size)
    rare, common = np.flatnonzero(y == 1), np.flatnonzero(y == 0)
    size = min(common.size, round(rare.size * (1 - share) / share))
    found = []
    for _ in range(ROUNDS):
        rows = np.concatenate([rare, random.choice(common, size, replace=False)])
        own = weight[rows] * rows.size / weight[rows].sum()
        tree = C45Classifier().fit(X[rows], y[rows], sample_weight=own)
        wrong = tree.predict(X) != y
        error = own[wrong[rows]].sum() / rows.size if on_sample else weight[wrong].sum()
        if error >= 0.5:
            continue
        found.append((tree, float(error)))
        if error == 0:
            continue
        weight = np.where(wrong, weight, weight * error / (1 - error))
        weight /= weight.sum()
    return found


def vote(found: list[Learner], new: Array, floored: bool) -> Array:
    """Weighted vote of the learners; NaN compares as false."""
    if not found:
        return np.zeros(len(new), dtype=int)
    errors = np.array([error for _, error in found])
    errors = np.maximum(errors, SMALLEST_ERROR) if floored else errors
    with np.errstate(divide="ignore", invalid="ignore"):
        votes = np.log((1 - errors) / errors)
        votes = votes / votes.sum()
        answers = np.array([tree.predict(new) for tree, _ in found])
        for_rare = (votes[:, None] * (answers == 1)).sum(axis=0)
        for_common = (votes[:, None] * (answers == 0)).sum(axis=0)
    return np.asarray(for_rare > for_common, dtype=int)


def best_of_shares(
    X: Array, y: Array, folds: list[Split], on_sample: bool, floored: bool
) -> Scores:
    """Mean scores of the share with the best trade-off of the recalls on the test folds."""
    recalls, scores = [], []
    for share in SHARES:
        own = []
        for number, (train, test) in enumerate(folds):
            found = rounds_of(X[train], y[train], share, np.random.default_rng(number), on_sample)
            own.append((y[test], vote(found, X[test], floored)))
        recalls.append([np.mean([(p[t == c] == c).mean() for t, p in own]) for c in (0, 1)])
        scores.append(
            (
                float(np.mean([geometric_mean_score(t, p) for t, p in own])),
                float(np.mean([hard_auc_score(t, p) for t, p in own])),
            )
        )
    return scores[best_tradeoff_of(np.array(recalls))]


def best_tradeoff_of(recalls: Array) -> int:
    """Return the candidate with the largest mu, the paper's sum of rescaled recalls."""
    span = np.ptp(recalls, axis=0)
    return int(
        np.argmax(((recalls - recalls.min(axis=0)) / np.where(span > 0, span, 1)).sum(axis=1))
    )


def print_what_the_slip_does(beside: Beside) -> None:
    """Print which share of the gap between ours and the paper it explains, and on which sets."""
    names = np.array(beside.counted())
    if not names.size:
        return
    gmeans = {words: beside.scores(words)[:, 0] for words in (PAPER, OURS, SLIP, NO_SLIP)}
    paper, ours, slip, without = (own.mean() for own in gmeans.values())
    print(f"\nthe gap between ours and the paper: {ours:.3f} - {paper:.3f} = {ours - paper:.3f}")
    for words, part in (
        ("ours to this boosting without the slip", ours - without),
        ("the slip", without - slip),
        ("left", slip - paper),
    ):
        print(f"  {words:40}{part:6.3f}{share_of(part, ours - paper):>7}")
    off, off_without = (np.abs(gmeans[words] - gmeans[PAPER]) for words in (SLIP, NO_SLIP))
    moved = gmeans[SLIP] != gmeans[NO_SLIP]
    print(f"sets that the slip changes: {moved.sum()} of {names.size}")
    print(f"  nearer to the paper: {listed(names[moved & (off < off_without)])}")
    print(f"  farther from it: {listed(names[moved & (off > off_without)])}")


def share_of(part: float, whole: float) -> str:
    return f"{100 * part / whole:.0f} %" if whole else "-"


def listed(names: Array) -> str:
    return f"{len(names)} ({', '.join(names)})" if len(names) else "0"


def main() -> None:
    beside = Beside("RUSBoost")
    for name, X, y, folds in problems(options(__doc__.splitlines()[0], two_class_sets())):
        rows = {words: best_of_shares(X, y, folds, *own) for words, own in READINGS.items()}
        beside.show(name, rows)
    beside.summary()
    print_what_the_slip_does(beside)


if __name__ == "__main__":
    main()
