"""C4.5 release 8 as a specification reads: recursive, on lists of (row, weight), slow.

What the specification leaves to rounding is settled here as in the library: gains, ratios and sums
of weights within 1e-9 are equal, and then the first one counts.
"""

from dataclasses import dataclass, field
from itertools import pairwise
from math import isnan, log2, sqrt

EPS = 1e-3
TIE = 1e-9
TABLE = [
    (0.0, 4.0),
    (0.001, 3.09),
    (0.005, 2.58),
    (0.01, 2.33),
    (0.05, 1.65),
    (0.10, 1.28),
    (0.20, 0.84),
    (0.40, 0.25),
    (1.0, 0.0),
]


@dataclass
class Node:
    freq: list
    label: int
    attribute: int | None = None
    cut: float = 0.0
    branches: list = field(default_factory=list)

    @property
    def total(self):
        return sum(self.freq)

    def as_tuple(self):
        """Show for comparison: leaves as (label, weights), tests as (attribute, cut, branches)."""
        if self.attribute is None:
            return (self.label, [round(f, 6) for f in self.freq])
        return (self.attribute, self.cut, [b.as_tuple() for b in self.branches])


def add_errs(N, e, CF=0.25):
    for (low, z_low), (high, z_high) in pairwise(TABLE):
        if low <= CF <= high:
            z = z_low + (CF - low) / (high - low) * (z_high - z_low)
    q = z * z
    if e < 1e-6:
        return N * (1 - CF ** (1 / N))
    if e < 0.9999:
        at_zero = add_errs(N, 0, CF)
        return at_zero + e * (add_errs(N, 1, CF) - at_zero)
    if e + 0.5 >= N:
        return 0.67 * (N - e)
    h = e + 0.5
    return N * (h + q / 2 + sqrt(q * (h * (1 - h / N) + q / 4))) / (N + q) - e


def entropy(weights):
    total = sum(weights)
    return -sum(w / total * log2(w / total) for w in weights if w > 0) if total > 0 else 0.0


def heaviest(freq):
    return next(c for c, f in enumerate(freq) if f >= max(freq) - TIE)


class C45:
    """Nominal columns hold 0, 1, ..., n_values - 1; n_values is 0 for numeric columns."""

    def __init__(
        self, n_values, n_classes, *, m=2, CF=0.25, collapse=True, prune=True, raising=True
    ):
        self.n_values, self.n_classes, self.m, self.CF = n_values, n_classes, m, CF
        self.collapse, self.prune, self.raising = collapse, prune, raising

    def fit(self, X, y, w):
        self.X, self.y = X, y
        self.n = sum(w)
        cases = [(i, w[i]) for i in range(len(y))]
        self.root = self.grow(cases, frozenset())[0]
        if self.prune:
            self.root = self.pruned(self.root, cases)[0]
        return self

    def freq(self, cases):
        freq = [0.0] * self.n_classes
        for i, w in cases:
            freq[self.y[i]] += w
        return freq

    # ----------------------------------------------------------------- grow
    def grow(self, cases, used):
        """Give the node and its errors on the training cases."""
        freq = self.freq(cases)
        N, label = sum(freq), heaviest(freq)
        node = Node(freq, label)
        if N - freq[label] < TIE or 2 * self.m - TIE > N:
            return node, N - freq[label]
        test = self.choose(cases, used)
        if test is None:
            return node, N - freq[label]
        node.attribute, node.cut = test
        if self.n_values[node.attribute]:
            used = used | {node.attribute}
        errors = 0.0
        for branch in self.divide(node, cases):
            if branch:
                child, child_errors = self.grow(branch, used)
                errors += child_errors
            else:
                child = Node([0.0] * self.n_classes, label)
            node.branches.append(child)
        if self.collapse and errors >= N - freq[label] - EPS:
            return Node(freq, label), N - freq[label]
        return node, errors

    def divide(self, node, cases):
        """Cases of each branch, the missing ones in every non-empty branch."""
        a = node.attribute
        known = [(i, w) for i, w in cases if not isnan(self.X[i][a])]
        missing = [(i, w) for i, w in cases if isnan(self.X[i][a])]
        parts = [[] for _ in range(self.n_values[a] or 2)]
        for i, w in known:
            x = self.X[i][a]
            parts[int(x) if self.n_values[a] else int(x > node.cut)].append((i, w))
        N_k = sum(w for _, w in known)
        for part in parts:
            if part:
                share = sum(w for _, w in part) / N_k
                part.extend((i, w * share) for i, w in missing)
        return parts

    def choose(self, cases, used):
        valid = []
        for a in range(len(self.n_values)):
            if self.n_values[a] and a in used:
                continue
            found = self.discrete(a, cases) if self.n_values[a] else self.continuous(a, cases)
            if found:
                valid.append((a, *found))
        many = [v and v >= 0.3 * self.n for v in self.n_values]
        averaged = [gain for a, gain, _, _ in valid if all(many) or not many[a]]
        if not averaged:
            return None
        average = sum(averaged) / len(averaged)
        best, best_ratio = None, -EPS
        for a, gain, info, cut in valid:
            if gain >= average - EPS and info > EPS and gain / info > best_ratio + TIE:
                best, best_ratio = (a, cut), gain / info
        return best

    def measure(self, parts, missing):
        """Gain and split information; the missing cases are branch 0 of the latter."""
        sizes = [sum(part) for part in parts]
        N_k, N_u = sum(sizes), sum(missing)
        N = N_k + N_u
        all_known = [sum(column) for column in zip(*parts, strict=True)]
        inside = sum(size / N_k * entropy(part) for size, part in zip(sizes, parts, strict=True))
        return N_k / N * (entropy(all_known) - inside), entropy([N_u, *sizes])

    def discrete(self, a, cases):
        parts = [[0.0] * self.n_classes for _ in range(self.n_values[a])]
        missing = [0.0] * self.n_classes
        for i, w in cases:
            x = self.X[i][a]
            (missing if isnan(x) else parts[int(x)])[self.y[i]] += w
        if sum(sum(part) >= self.m - TIE for part in parts) < 2:
            return None
        return *self.measure(parts, missing), 0.0

    def continuous(self, a, cases):
        known = sorted((self.X[i][a], i, w) for i, w in cases if not isnan(self.X[i][a]))
        missing = self.freq([(i, w) for i, w in cases if isnan(self.X[i][a])])
        N_k = sum(w for _, _, w in known)
        N = N_k + sum(missing)
        if N_k < 2 * self.m - TIE:
            return None
        minsplit = 0.1 * N_k / self.n_classes
        if minsplit <= self.m:
            minsplit = self.m
        elif minsplit > 25:
            minsplit = 25
        cuts = []
        left, right = [0.0] * self.n_classes, self.freq([(i, w) for _, i, w in known])
        for (x, i, w), (x_next, _, _) in pairwise(known):
            left[self.y[i]] += w
            right[self.y[i]] -= w
            low, high = sum(left), N_k - sum(left)
            if x_next - x > 1e-5 and min(low, high) >= minsplit - TIE:
                gain, info = self.measure([left, [max(f, 0.0) for f in right]], missing)
                cuts.append((gain if min(low, high) >= self.m - TIE else -1, info, x, x_next))
        if not cuts:
            return None
        best = None
        for cut in cuts:
            if cut[0] - log2(len(cuts)) / N > TIE and (best is None or cut[0] > best[0] + TIE):
                best = cut
        if best is None:
            return None
        gain, info, x, x_next = best
        whole = [row[a] for row in self.X if not isnan(row[a])]
        return gain - log2(len(cuts)) / N, info, max(v for v in whole if v <= (x + x_next) / 2)

    # ---------------------------------------------------------------- prune
    def leaf_estimate(self, cases):
        freq = self.freq(cases)
        E = sum(freq) - max(freq)
        return E + add_errs(sum(freq), E, self.CF)

    def estimate(self, node, cases):
        """Estimate the tree as it is, its leaves relabelled for these cases."""
        if node.attribute is None:
            return self.leaf_estimate(cases)
        parts = self.divide(node, cases)
        return sum(
            self.estimate(b, part) for b, part in zip(node.branches, parts, strict=True) if part
        )

    def pruned(self, node, cases):
        """Give the node pruned for these cases, and its estimate."""
        freq = self.freq(cases)
        leaf, as_leaf = Node(freq, heaviest(freq)), self.leaf_estimate(cases)
        if node.attribute is None:
            return leaf, as_leaf
        here = Node(leaf.freq, leaf.label, node.attribute, node.cut)
        as_tree, largest, weight = 0.0, None, -1.0
        for branch, part in zip(node.branches, self.divide(node, cases), strict=True):
            if part:
                branch, estimate = self.pruned(branch, part)
                as_tree += estimate
            here.branches.append(branch)
            if weight - TIE <= branch.total:
                largest, weight = branch, branch.total
        as_branch = self.estimate(largest, cases) if self.raising else float("inf")
        if as_leaf <= as_tree + 0.1 and as_leaf <= as_branch + 0.1:
            return leaf, as_leaf
        if as_branch <= as_tree + 0.1:
            return self.pruned(largest, cases)
        return here, as_tree

    # ------------------------------------------------------------- classify
    def shares(self, x):
        """Sum of weight times class distribution over the leaves reached."""
        total = [0.0] * self.n_classes
        self.send(self.root, x, 1.0, total)
        return total

    def send(self, node, x, weight, total):
        if node.attribute is None:
            if node.total == 0:
                total[node.label] += weight
            else:
                for c in range(self.n_classes):
                    total[c] += weight * node.freq[c] / node.total
            return
        value = x[node.attribute]
        if isnan(value):
            for branch in node.branches:
                self.send(branch, x, weight * branch.total / node.total, total)
        else:
            nominal = self.n_values[node.attribute]
            branch = int(value) if nominal else int(value > node.cut)
            self.send(node.branches[branch], x, weight, total)
