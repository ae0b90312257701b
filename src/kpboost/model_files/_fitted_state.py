"""What a fitted model from a file must look like before it is used.

Compiled code follows indices without looking: a child of a tree, a column of a table, a row of
support vectors. A file can hold any numbers, so here shapes, types and ranges are checked for every
fitted type that our methods use. Other types, which a user has vouched for, are not looked at.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._archive import DamageError

# Kinds of numpy types, by letters; labels may be text, numbers or Booleans.
FLOAT, WHOLE, SIGNED, TRUTH, LABEL, OBJECT = "f", "iu", "i", "b", "Uiufb", "O"
TREE = "sklearn.tree._tree.Tree"
DECISION_TREE = "sklearn.tree._classes.DecisionTreeClassifier"
EXTRA_TREE = "sklearn.tree._classes.ExtraTreeClassifier"
EXTRA_TREES = "sklearn.ensemble._forest.ExtraTreesClassifier"
ENSEMBLE = "kpboost.ensemble"
# What a classifier may be asked for scores by.
RESPONSES = ("predict_proba", "decision_function")
C45 = "kpboost.tree.C45Classifier"
NETWORK = "sklearn.neural_network._multilayer_perceptron.MLPClassifier"
SVM = "kpboost.svm"
TREE_PREDICTOR = "sklearn.ensemble._hist_gradient_boosting.predictor.TreePredictor"


def check_fitted_state(content: Any) -> None:
    """Refuse objects whose fitted state does not fit together.

    Parameters
    ----------
    content : object
        What was built from a file; all objects in it are looked at.

    Raises
    ------
    DamageError
        If a state is damaged; the message says of which type, and how.
    """
    for part in _parts(content):
        name = full_name(part)
        state = vars(part) if hasattr(part, "__dict__") else {}
        if "classes_" in state:
            _check_classes(part)
        for trigger, check in CHECKS.get(name, {}).items():
            if trigger in state:
                check(part)


# Parameters that files of earlier versions lack, with what those versions did.
LATER_PARAMETERS: Mapping[str, Mapping[str, Any]] = {
    "kpboost.ensemble.AdaBoostSVC": {"voting": "hard"},
    "kpboost.ensemble.KPBoostSVC": {"voting": "hard"},
    "kpboost.model_selection.KPBoostSVCCV": {"voting": "hard"},
}


def add_later_parameters(content: Any) -> None:
    """Give estimators from an earlier version's file the parameters that came after it."""
    for part in _parts(content):
        for name, value in LATER_PARAMETERS.get(full_name(part), {}).items():
            vars(part).setdefault(name, value)


def full_name(value: object) -> str:
    """Return module and name of an object's type."""
    kind = type(value)
    return f"{kind.__module__}.{kind.__qualname__}"


def _parts(value: Any) -> Iterator[Any]:
    """Walk through all objects in an object, itself first; a file holds no rings."""
    if isinstance(value, dict):
        inner: Any = value.values()
    elif isinstance(value, list | tuple | set):
        inner = value
    elif isinstance(value, np.ndarray):
        inner = value.ravel().tolist() if value.dtype == object else ()
    elif hasattr(value, "__dict__") and not isinstance(value, type):
        yield value
        inner = vars(value).values()
    else:
        return
    for each in inner:
        yield from _parts(each)


def _array(owner: Any, name: str, kinds: str, *shape: int | None) -> NDArray[Any]:
    """Return a fitted array if it has a kind and a shape, where None is any length."""
    value = getattr(owner, name, None)
    fits = (
        isinstance(value, np.ndarray)
        and value.dtype.kind in kinds
        and value.dtype.isnative
        and value.ndim == len(shape)
        and all(want in (None, have) for want, have in zip(shape, value.shape, strict=True))
    )
    if not fits:
        _refuse(owner, name)
    return np.asarray(value)


def _finite(owner: Any, name: str, *shape: int | None) -> NDArray[Any]:
    """Return a fitted array of finite floats if it has a shape."""
    values = _array(owner, name, FLOAT, *shape)
    _demand(np.isfinite(values).all(), owner, name)
    return values


def _indices(owner: Any, name: str, stop: int, *shape: int | None) -> NDArray[Any]:
    """Return a fitted array of whole numbers from 0 on and below ``stop`` if it has a shape."""
    values = _array(owner, name, WHOLE, *shape)
    _demand((values >= 0).all() and (values < stop).all(), owner, name)
    return values


def _number(owner: Any, name: str, *, least: int = 0) -> int:
    value = getattr(owner, name, None)
    _demand(type(value) is int and value >= least, owner, name)
    return int(value or 0)


def _demand(right: Any, owner: Any, name: str) -> None:
    if not right:
        _refuse(owner, name)


def _refuse(owner: Any, name: str) -> None:
    raise DamageError(f"{name} of its {type(owner).__name__} is not what a training leaves")


def _check_classes(owner: Any) -> None:
    classes = _array(owner, "classes_", LABEL, None)
    _demand(classes.size and np.unique(classes).size == classes.size, owner, "classes_")
    if "n_classes_" in vars(owner):
        _demand(np.array_equal(owner.n_classes_, classes.size), owner, "n_classes_")


def _check_kernel_machine(owner: Any) -> tuple[int, int, int]:
    """Check what our estimators over a kernel have alike; return three lengths.

    Returns
    -------
    n_classes, n_problems, n_vectors : int
    """
    _demand(owner.kernel == "rbf", owner, "kernel")
    _check_gamma(owner)
    return (*_check_problems(owner, owner.multi_class), _check_support(owner))


def _check_gamma(owner: Any, name: str = "gamma_") -> None:
    gamma = getattr(owner, name)
    _demand(isinstance(gamma, float) and 0 < gamma < np.inf, owner, name)


def _check_problems(owner: Any, multi_class: Any) -> tuple[int, int]:
    """Return the numbers of classes and of two-class problems."""
    n_classes = _array(owner, "classes_", LABEL, None).size
    _demand(n_classes > 1, owner, "classes_")
    pairs = multi_class == "one_vs_one" or n_classes == 2
    return n_classes, n_classes * (n_classes - 1) // 2 if pairs else n_classes


def _check_support(owner: Any) -> int:
    """Check the support vectors and return their number."""
    vectors = _finite(owner, "support_vectors_", None, _number(owner, "n_features_in_", least=1))
    support = _array(owner, "support_", WHOLE, len(vectors))
    sizes = _array(owner, "n_support_", WHOLE, owner.classes_.size)
    _demand((support >= 0).all(), owner, "support_")
    _demand((sizes >= 0).all() and sizes.sum() == len(vectors), owner, "n_support_")
    return len(vectors)


def _check_kernel_svc(owner: Any) -> None:
    _, n_problems, n_vectors = _check_kernel_machine(owner)
    _finite(owner, "dual_coef_", n_problems, n_vectors)
    _finite(owner, "intercept_", n_problems)


def _check_adaboost_svc(owner: Any) -> None:
    n_classes, n_problems = _check_problems(owner, owner.multi_class)
    n_vectors = _check_support(owner)
    _check_voting(owner)
    axis = () if n_classes == 2 else (n_problems,)
    weights = _finite(owner, "estimator_weights_", *axis, None)
    rounds = *axis, weights.shape[-1]
    _demand(weights.any(axis=-1).all(), owner, "estimator_weights_")
    _finite(owner, "dual_coef_", *rounds, n_vectors)
    _finite(owner, "intercept_", *rounds)
    widths = _array(owner, "length_scales_", FLOAT, *rounds)
    # where a problem has fewer rounds than others, the rest have weight 0 and no width
    used = weights != 0
    _demand((widths[used] > 0).all() and np.isfinite(widths[used]).all(), owner, "length_scales_")
    _check_signs(owner, "_signs", n_problems)


def _check_voting(owner: Any) -> None:
    _demand(owner.voting in ("hard", "soft"), owner, "voting")


def _check_signs(owner: Any, name: str, length: int) -> None:
    _demand((np.abs(_array(owner, name, FLOAT, length)) == 1).all(), owner, name)


def _check_perturbed(owner: Any) -> None:
    """Check a machine on a perturbed kernel: chains of machines, and what leads from each on."""
    machines, n_features = owner._machines, _number(owner, "n_features_in_", least=1)
    _demand(full_name(machines) == f"{SVM}.PerturbedMachines", owner, "_machines")
    n_classes, n_problems = _check_problems(owner, owner._splitting)
    _check_base_kernel(machines.kernel)
    vectors = _finite(machines, "support_vectors", None, n_features)
    _array(machines, "support", WHOLE, len(vectors))
    _check_signs(machines, "signs", n_problems)
    joint = owner._splitting == "joint" and n_classes > 2
    n_chains, width = (1, n_classes) if joint else (n_problems, 1)
    chains = machines.chains
    _demand(isinstance(chains, tuple) and len(chains) == n_chains, machines, "chains")
    for chain in chains:
        _check_chain(chain, width, len(vectors), n_features)


def _check_chain(chain: Any, width: int, n_vectors: int, n_features: int) -> None:
    _demand(full_name(chain) == f"{SVM}.Chain" and isinstance(chain.steps, tuple), chain, "steps")
    _finite(chain, "coef", len(chain.steps) + 1, width, n_vectors)
    _finite(chain, "intercept", len(chain.steps) + 1, width)
    for step in chain.steps:
        _demand(full_name(step) == f"{SVM}.Step", chain, "steps")
        _demand(isinstance(step.offset, float) and np.isfinite(step.offset), step, "offset")
        check = FACTORS.get(full_name(step.factor))
        _demand(check is not None, step, "factor")
        if check is not None:
            check(step.factor, max(width, 2), n_features)


def _check_base_kernel(kernel: Any) -> None:
    _demand(full_name(kernel) == f"{SVM}.BaseKernel", kernel, "kernel")
    _demand(kernel.name in ("rbf", "laplacian"), kernel, "name")
    _check_gamma(kernel, "gamma")


def _check_decay(factor: Any, n_outcomes: int, n_features: int) -> None:
    _demand((_finite(factor, "decays", n_outcomes) >= 0).all(), factor, "decays")


def _check_bumps(factor: Any, n_outcomes: int, n_features: int) -> None:
    anchors = _finite(factor, "anchors", None, n_features)
    _finite(factor, "log_heights", len(anchors))
    _demand(len(anchors) and (_finite(factor, "widths", len(anchors)) > 0).all(), factor, "widths")
    _demand(factor.distance in ("sqeuclidean", "l1"), factor, "distance")


def _check_boundary_bumps(factor: Any, n_outcomes: int, n_features: int) -> None:
    _check_base_kernel(factor.kernel)
    vectors = _finite(factor, "vectors", None, n_features)
    _finite(factor, "scale", len(vectors))
    n_boundary = _indices(factor, "first", len(vectors), None).size
    _demand(n_boundary, factor, "first")
    _indices(factor, "second", len(vectors), n_boundary)
    _demand(isinstance(factor.beta, float) and 0 <= factor.beta <= 1, factor, "beta")
    _finite(factor, "squared_norms", n_boundary)
    _demand((_finite(factor, "widths", n_boundary) > 0).all(), factor, "widths")


def _check_dissimilarity(owner: Any) -> None:
    _, n_problems = _check_problems(owner, owner.multi_class)
    space, n_features = owner._space, _number(owner, "n_features_in_", least=1)
    _demand(full_name(space) == f"{SVM}.Dissimilarities", owner, "_space")
    n_points = len(_finite(space, "points", None, n_features))
    for name in ("center", "factor", "weight"):
        _finite(space, name, n_points)
    _demand(n_points and (space.weight > 0).all(), space, "weight")
    _finite(owner, "representation_", n_points, n_features)
    _finite(owner, "intercept_", n_problems)
    if "coef_" in vars(owner):
        _finite(owner, "coef_", n_problems, n_points)
        return
    _check_gamma(owner)
    n_vectors = len(_finite(owner, "_support_dissimilarities", None, n_points))
    _array(owner, "support_", WHOLE, n_vectors)
    _finite(owner, "dual_coef_", n_problems, n_vectors)


def _check_kpboost(owner: Any) -> None:
    n_classes, n_problems, n_vectors = _check_kernel_machine(owner)
    _check_voting(owner)
    axis = () if n_classes == 2 else (n_problems,)
    weights = _finite(owner, "estimator_weights_", *axis, None)
    n_rounds = weights.shape[-1]
    kept = _array(owner, "selected_rounds_", TRUTH, *axis, n_rounds)
    _demand(weights.any(axis=-1).all(), owner, "estimator_weights_")
    _demand(n_rounds and kept.any(axis=-1).all(), owner, "selected_rounds_")
    for name in ("intercept_", "estimator_errors_", "estimator_tpr_", "estimator_tnr_"):
        _array(owner, name, FLOAT, *axis, n_rounds)
    _demand(np.isfinite(owner.intercept_[kept]).all(), owner, "intercept_")
    _check_signs(owner, "_signs", n_problems)
    table = _array(owner, "_table", WHOLE, n_problems, n_classes)
    n_slots = int(table.max()) + 1
    # every class takes part in as many problems as there are slots, once in each slot
    slots = np.sort(table, axis=0)[n_problems - n_slots :] if 0 < n_slots <= n_problems else table
    _demand(np.array_equal(slots.T, [np.arange(n_slots)] * n_classes), owner, "_table")
    _finite(owner, "_dual_coef", n_slots, n_rounds, n_vectors)
    if owner._coef is not None:  # files of earlier versions have none
        _finite(owner, "_coef", n_slots, n_rounds, n_vectors)
    _check_training_rows(owner, n_slots, n_rounds)


def _check_low_rank(owner: Any) -> None:
    n_classes, n_problems = _check_problems(owner, owner.multi_class)
    _check_gamma(owner)
    _check_voting(owner)
    n_features = _number(owner, "n_features_in_", least=1)
    n_landmarks = len(_finite(owner, "landmarks_", None, n_features))
    axis = () if n_classes == 2 else (n_problems,)
    weights = _finite(owner, "estimator_weights_", *axis, None)
    rounds = *axis, weights.shape[-1]
    _demand(weights.any(axis=-1).all(), owner, "estimator_weights_")
    _demand(n_landmarks, owner, "landmarks_")
    _finite(owner, "coef_", *rounds, n_landmarks)
    _finite(owner, "intercept_", *rounds)
    for name in ("estimator_errors_", "estimator_tpr_", "estimator_tnr_"):
        _array(owner, name, FLOAT, *rounds)
    _array(owner, "selected_rounds_", TRUTH, *rounds)
    _check_signs(owner, "_signs", n_problems)
    _demand(type(owner.batch_size) is int and owner.batch_size > 0, owner, "batch_size")


def _check_low_rank_search(owner: Any) -> None:
    """Check the search against its best candidate, which answers for it."""
    best = owner.best_estimator_
    _demand(full_name(best) == f"{ENSEMBLE}.NystroemKPBoostSVC", owner, "best_estimator_")
    _demand("classes_" in vars(best), owner, "best_estimator_")
    _demand(np.array_equal(best.classes_, owner.classes_), owner, "best_estimator_")
    fits = _number(owner, "n_features_in_", least=1) == best.n_features_in_
    _demand(fits, owner, "n_features_in_")


def _check_training_rows(owner: Any, n_slots: int, n_rounds: int) -> None:
    """Check what KPBoost remembers of every training row."""
    codes = _array(owner, "_codes", WHOLE, None)
    rows = _indices(owner, "_rows", codes.size, None)
    scales = _array(owner, "_log_scale", FLOAT, n_slots, n_rounds, codes.size)
    _demand(codes.max() < owner.classes_.size, owner, "_codes")
    _demand(codes[rows].min() >= 0, owner, "_rows")
    _demand(not np.isnan(scales).any() and scales.max() <= 0, owner, "_log_scale")
    _demand(owner.support_.max(initial=0) < codes.size, owner, "support_")
    if hasattr(owner, "_perturbation"):
        _finite(owner, "_perturbation", n_slots, n_rounds, rows.size)
        _finite(owner, "_training_points", rows.size, owner.n_features_in_)


def _check_encoder(owner: Any) -> None:
    """Check that no category gets an indicator column beyond those that there are."""
    kinds, widths = owner.categories_, owner._n_features_outs
    _demand(isinstance(kinds, list) and isinstance(widths, list), owner, "categories_")
    _demand(len(kinds) == len(widths) == _number(owner, "n_features_in_"), owner, "categories_")
    _demand(owner.drop is None and owner._drop_idx_after_grouping is None, owner, "drop")
    _demand(owner.dtype is np.float64 and owner.sparse_output is False, owner, "dtype")
    grouped = type(owner._infrequent_enabled) is bool and owner._infrequent_enabled
    maps = owner._default_to_infrequent_mappings if grouped else [None] * len(kinds)
    rare = owner._infrequent_indices if grouped else [None] * len(kinds)
    for categories, width, places, indices in zip(kinds, widths, maps, rare, strict=True):
        _check_categories(owner, categories)
        _demand(type(width) is int, owner, "_n_features_outs")
        if places is None:
            _demand(width == len(categories), owner, "_n_features_outs")
            _demand(indices is None, owner, "_infrequent_indices")
        else:
            _check_places(owner, places, len(categories), width)
            _check_places(owner, indices, None, len(categories))


def _check_categories(owner: Any, categories: Any) -> None:
    """Categories are found by bisection, which trusts their order."""
    numbers = isinstance(categories, np.ndarray) and categories.dtype == np.float64
    sane = numbers and categories.ndim == 1 and categories.size and np.isfinite(categories).all()
    _demand(sane and (np.diff(categories) > 0).all(), owner, "categories_")


def _check_places(owner: Any, places: Any, length: int | None, stop: int) -> None:
    whole = isinstance(places, np.ndarray) and places.dtype.kind in WHOLE and places.ndim == 1
    fits = whole and places.size and (length is None or places.size == length)
    _demand(fits and places.min() >= 0 and places.max() < stop, owner, "categories_")


def _check_boosted_trees(owner: Any) -> None:
    """Check the trees of gradient boosting, without columns of categories."""
    n_features = _number(owner, "n_features_in_", least=1)
    width = _number(owner, "n_trees_per_iteration_", least=1)
    _demand(owner._preprocessor is None, owner, "_preprocessor")
    _demand(width == (1 if owner.classes_.size == 2 else owner.classes_.size), owner, "classes_")
    _array(owner, "_baseline_prediction", FLOAT, 1, width)
    _demand(not np.any(owner._bin_mapper.is_categorical_), owner, "_bin_mapper")
    _demand(isinstance(owner._predictors, list), owner, "_predictors")
    for of_round in owner._predictors:
        _demand(isinstance(of_round, list) and len(of_round) == width, owner, "_predictors")
        for tree in of_round:
            _demand(full_name(tree) == TREE_PREDICTOR, owner, "_predictors")
            _check_predictor(tree, n_features)


def _check_predictor(tree: Any, n_features: int) -> None:
    nodes = _array(tree, "nodes", "V", None)
    inner = nodes["is_leaf"] == 0
    _demand(not nodes["is_categorical"][inner].any(), tree, "nodes")
    for name in ("raw_left_cat_bitsets", "binned_left_cat_bitsets"):
        _array(tree, name, WHOLE, None, None)
    _check_nodes(tree, inner, nodes["left"], nodes["right"], nodes["feature_idx"], n_features)


def _check_nodes(
    owner: Any,
    inner: NDArray[np.bool_],
    left: NDArray[Any],
    right: NDArray[Any],
    feature: NDArray[Any],
    n_features: int,
) -> None:
    """Children stand behind their parent, so that every path ends; columns are there."""
    numbers = np.flatnonzero(inner)
    for child in (left[inner].astype(np.int64), right[inner].astype(np.int64)):
        _demand((child > numbers).all() and (child < inner.size).all(), owner, "nodes")
    columns = feature[inner].astype(np.int64)
    _demand(inner.size and (columns >= 0).all() and (columns < n_features).all(), owner, "nodes")


def _check_decision_tree(owner: Any) -> None:
    tree, n_features = owner.tree_, _number(owner, "n_features_in_", least=1)
    _demand(full_name(tree) == TREE and tree.n_features == n_features, owner, "tree_")
    _demand(tree.n_outputs == 1 and owner.n_outputs_ == 1, owner, "n_outputs_")
    _demand(tree.max_n_classes == owner.classes_.size, owner, "n_classes_")
    left, right = tree.children_left, tree.children_right
    inner = left != -1  # how scikit-learn marks a leaf
    _check_nodes(owner, inner, left, right, tree.feature, n_features)


def _check_forest(kind: str) -> Callable[[Any], None]:
    """Return the check of trees of one type that get rows which they do not measure again."""

    def check(owner: Any) -> None:
        n_features, n_classes = _number(owner, "n_features_in_", least=1), owner.classes_.size
        _demand(isinstance(owner.estimators_, list) and owner.estimators_, owner, "estimators_")
        _demand(owner.n_outputs_ == 1, owner, "n_outputs_")
        for tree in owner.estimators_:
            fits = full_name(tree) == kind and tree.n_features_in_ == n_features
            _demand(fits and tree.classes_.size == n_classes, owner, "estimators_")

    return check


def _fill_earlier_state(owner: Any) -> None:
    """Fill in what a file of before there were draws and landmarks does not say."""
    state = vars(owner)
    state.setdefault("max_samples", None)
    state.setdefault("class_sizes", None)
    state.setdefault("_drawn_shares", owner._shares)
    if state.setdefault("_bank", None) is not None:
        vars(owner._bank).setdefault("kernel", "laplacian")


def _check_rare_class(owner: Any) -> None:
    """Check forest, metric and bank against each other, and the lines that join them."""
    n_classes = owner.classes_.size
    n_problems = 1 if n_classes == 2 else n_classes
    _check_numbers(owner, "_problems", n_problems, n_classes)
    shares = _finite(owner, "_shares", n_problems)
    _demand(((shares > 0) & (shares < 1)).all(), owner, "_shares")
    _fill_earlier_state(owner)
    drawn = _finite(owner, "_drawn_shares", n_problems)
    _demand(((drawn > 0) & (drawn < 1)).all(), owner, "_drawn_shares")
    origins = _indices(owner, "_origins", owner.n_features_in_, None)
    _demand(origins.size, owner, "_origins")
    forest = owner.forest_
    fits = full_name(forest) == EXTRA_TREES and forest.n_features_in_ == origins.size
    _demand(fits and np.array_equal(forest.classes_, np.arange(n_classes)), owner, "forest_")
    _demand(isinstance(owner.members_, list) and len(owner.members_) == 2, owner, "members_")
    for line in (*owner.members_, owner._pooled):
        _demand(full_name(line) == f"{ENSEMBLE}.CalibratedMember", owner, "members_")
        _demand((_finite(line, "slope", n_problems) >= 0).all(), line, "slope")
        _finite(line, "intercept", n_problems)
    _demand(owner._encoder is None, owner, "_encoder")  # a pipeline prepares the samples first
    _check_metric(owner._metric, origins.size)
    _check_numbers(owner, "_banked", None, n_problems)
    _demand((owner._bank is None) == (not owner._banked), owner, "_bank")
    if owner._banked:
        _check_bank(owner._bank, len(owner._banked), origins.size)


def _check_operating_point(owner: Any) -> None:
    """Check the estimator's answers against the point at which they are cut."""
    point, n_classes = owner.operating_point_, owner.classes_.size
    _demand(list(point.classes) == owner.classes_.tolist(), owner, "_point")
    _demand(np.array_equal(owner.estimator_.classes_, owner.classes_), owner, "estimator_")
    _demand(owner.response_method_ in RESPONSES, owner, "response_method_")
    are_shares = owner.response_method_ == "predict_proba"
    _demand(point.decision.probabilities is are_shares, owner, "_point")
    calibration = owner.calibration_
    n_problems = 1 if n_classes == 2 else n_classes
    _demand(calibration is None or len(calibration.lines) == n_problems, owner, "_lines")


def _check_coded_labels(owner: Any) -> None:
    """Check that the estimator knows the classes by their numbers, and all of them."""
    own, n_features = owner.estimator_, _number(owner, "n_features_in_", least=1)
    _demand(np.array_equal(own.classes_, np.arange(owner.classes_.size)), owner, "estimator_")
    _demand(own.n_features_in_ == n_features, owner, "n_features_in_")


def _check_numbers(owner: Any, name: str, length: int | None, stop: int) -> None:
    """Check a list of different whole numbers."""
    numbers = getattr(owner, name)
    _demand(isinstance(numbers, list) and all(type(each) is int for each in numbers), owner, name)
    fits = len(set(numbers)) == len(numbers) and all(0 <= each < stop for each in numbers)
    _demand(fits and length in (None, len(numbers)), owner, name)


def _check_metric(metric: Any, n_columns: int) -> None:
    _demand(full_name(metric) == f"{ENSEMBLE}.RankMetric", metric, "_metric")
    for name in ("mean", "factor"):
        _finite(metric, name, n_columns)
    for name, more in (("values", 0), ("shares", 1)):
        columns = getattr(metric, name)
        _demand(isinstance(columns, list) and len(columns) == n_columns, metric, name)
        for values, known in zip(columns, metric.values, strict=True):
            fits = isinstance(values, np.ndarray) and values.dtype == np.float64
            _demand(fits and values.shape == (len(known) + more,), metric, name)
            _demand(np.isfinite(values).all() and (np.diff(values) > 0).all(), metric, name)


def _check_bank(bank: Any, n_problems: int, n_columns: int) -> None:
    _demand(full_name(bank) == f"{ENSEMBLE}.KernelBank", bank, "_bank")
    _demand(bank.kernel in ("laplacian", "gaussian"), bank, "kernel")
    n_vectors = len(_finite(bank, "vectors", None, n_columns))
    _finite(bank, "coef", n_vectors, n_problems)
    scale = _finite(bank, "scale", None)
    _demand(scale.size and (scale > 0).all(), bank, "scale")
    _finite(bank, "intercept", scale.size, n_problems)
    starts = _array(bank, "starts", SIGNED, scale.size + 1)  # others have no negative differences
    fits = starts[0] == 0 and starts[-1] == n_vectors and (np.diff(starts) >= 0).all()
    _demand(fits, bank, "starts")


def _check_votes(owner: Any) -> None:
    """Check an ensemble that counts the votes of its estimators."""
    _demand(isinstance(owner.estimators_, list) and owner.estimators_, owner, "estimators_")
    if hasattr(owner, "estimator_weights_"):
        weights = _finite(owner, "estimator_weights_", None)
        _demand(len(weights) >= len(owner.estimators_), owner, "estimator_weights_")


def _check_c45(owner: Any) -> None:
    """Check a tree whose nodes have any number of children, which stand together behind it."""
    n_features = _number(owner, "n_features_in_", least=1)
    feature = _array(owner, "node_feature_", "i", None)
    n_nodes, numbers = feature.size, np.arange(feature.size)
    nominal = _array(owner, "is_categorical_", TRUTH, n_features)
    first, count, label = (
        _array(owner, f"node_{name}_", "i", n_nodes)
        for name in ("first_child", "n_children", "class")
    )
    for name in ("feature", "first_child", "n_children", "class"):
        _demand(getattr(owner, f"node_{name}_").dtype == np.int32, owner, f"node_{name}_")
    _finite(owner, "node_threshold_", n_nodes)
    weights = _finite(owner, "node_class_weights_", n_nodes, owner.classes_.size)
    _demand(n_nodes and (weights >= 0).all(), owner, "node_class_weights_")
    _demand((label >= 0).all() and (label < owner.classes_.size).all(), owner, "node_class_")
    inner = feature != -1  # how our trees mark a leaf
    _demand(((feature >= -1) & (feature < n_features)).all(), owner, "node_feature_")
    _demand((count[~inner] == 0).all() and (count[inner] > 0).all(), owner, "node_n_children_")
    behind = (first > numbers) & (first <= n_nodes - count)
    _demand(behind[inner].all(), owner, "node_first_child_")
    _check_c45_categories(owner, nominal)
    n_values = np.array([2 if each is None else len(each) for each in owner.categories_])
    _demand((count[inner] == n_values[feature[inner]]).all(), owner, "node_n_children_")


def _check_c45_categories(owner: Any, nominal: NDArray[np.bool_]) -> None:
    known = owner.categories_
    _demand(isinstance(known, list) and len(known) == nominal.size, owner, "categories_")
    for values, is_nominal in zip(known, nominal, strict=True):
        if is_nominal:
            _check_categories(owner, values)
        else:
            _demand(values is None, owner, "categories_")


def _check_c45_ib1(owner: Any) -> None:
    tree, n_features = owner.tree_, _number(owner, "n_features_in_", least=1)
    fits = full_name(tree) == C45 and tree.n_features_in_ == n_features
    _demand(fits and np.array_equal(tree.classes_, owner.classes_), owner, "tree_")
    _demand(owner.search in ("all", "small", "leaf"), owner, "search")
    for name in ("_low", "_high"):
        _demand(not np.isnan(_array(owner, name, FLOAT, n_features)).any(), owner, name)
    examples = _finite(owner, "_examples", None, n_features)
    _indices(owner, "_example_codes", owner.classes_.size, len(examples))
    _array(owner, "_example_leaves", WHOLE, len(examples))
    _array(owner, "small_leaves_", WHOLE, None)


def _check_m2(kind: str) -> Callable[[Any], None]:
    """Return the check of a vote of learners of one type, trained on numbers of classes."""

    def check(owner: Any) -> None:
        _check_votes(owner)
        n_features, n_classes = _number(owner, "n_features_in_", least=1), owner.classes_.size
        _demand(owner.estimator_weights_.any(), owner, "estimator_weights_")
        for learner in owner.estimators_:
            fits = full_name(learner) == kind and learner.n_features_in_ == n_features
            _demand(fits, owner, "estimators_")
            known = _array(learner, "classes_", WHOLE, None)
            _demand((known >= 0).all() and (known < n_classes).all(), owner, "estimators_")

    return check


def _check_network(owner: Any) -> None:
    """Check a network with one layer after the other."""
    n_inputs, n_classes = _number(owner, "n_features_in_", least=1), owner.classes_.size
    coefs, shifts = owner.coefs_, owner.intercepts_
    _demand(isinstance(coefs, list) and isinstance(shifts, list), owner, "coefs_")
    _demand(coefs and len(coefs) == len(shifts) == owner.n_layers_ - 1, owner, "n_layers_")
    for matrix, shift in zip(coefs, shifts, strict=True):
        arrays = isinstance(matrix, np.ndarray) and isinstance(shift, np.ndarray)
        fits = arrays and matrix.dtype.kind == shift.dtype.kind == FLOAT and matrix.ndim == 2
        _demand(fits and matrix.shape == (n_inputs, shift.size), owner, "coefs_")
        _demand(np.isfinite(matrix).all() and np.isfinite(shift).all(), owner, "coefs_")
        n_inputs = shift.size
    _demand(n_inputs == (1 if n_classes == 2 else n_classes), owner, "coefs_")


def _check_columns(*names: str) -> Callable[[Any], None]:
    """Return the check of a transformer that has one finite number per column."""

    def check(owner: Any) -> None:
        for name in names:
            if getattr(owner, name) is not None:
                values = _array(owner, name, FLOAT + OBJECT, _number(owner, "n_features_in_"))
                is_number = values.dtype.kind in FLOAT
                _demand(not is_number or np.isfinite(values).all(), owner, name)

    return check


# Of a step from one machine to the next, what makes the factor: by outcomes and features.
FACTORS: Mapping[str, Callable[[Any, int, int], None]] = {
    f"{SVM}.BoundaryBumps": _check_boundary_bumps,
    f"{SVM}.Bumps": _check_bumps,
    f"{SVM}.Decay": _check_decay,
}
# By the full name of a type: the attribute whose presence says that it is fitted, and the check.
CHECKS: Mapping[str, Mapping[str, Callable[[Any], None]]] = {
    "imblearn.ensemble._easy_ensemble.EasyEnsembleClassifier": {"estimators_": _check_votes},
    "imblearn.ensemble._forest.BalancedRandomForestClassifier": {
        "estimators_": _check_forest(DECISION_TREE)
    },
    "imblearn.ensemble._weight_boosting.RUSBoostClassifier": {"estimators_": _check_votes},
    "kpboost.ensemble.AdaBoostMLPClassifier": {"estimators_": _check_m2(NETWORK)},
    "kpboost.ensemble.AdaBoostSVC": {"classes_": _check_adaboost_svc},
    "kpboost.ensemble.KPBoostSVC": {"classes_": _check_kpboost},
    "kpboost.ensemble.RUSBoostM2Classifier": {"estimators_": _check_m2(C45)},
    "kpboost.ensemble.RareClassClassifier": {"members_": _check_rare_class},
    "kpboost.ensemble.NystroemKPBoostSVC": {"classes_": _check_low_rank},
    "kpboost.model_selection.NystroemKPBoostSVCCV": {"best_estimator_": _check_low_rank_search},
    "kpboost.methods.CodedLabelsClassifier": {"classes_": _check_coded_labels},
    "kpboost.model_selection.OperatingPointClassifier": {"classes_": _check_operating_point},
    "kpboost.svm.AsymmetricKernelScalingSVC": {"classes_": _check_perturbed},
    "kpboost.svm.BoundaryAlignmentSVC": {"classes_": _check_perturbed},
    "kpboost.svm.ChiSquareKernelScalingSVC": {"classes_": _check_perturbed},
    "kpboost.svm.ConformalSVC": {"classes_": _check_perturbed},
    "kpboost.svm.DissimilaritySVC": {"classes_": _check_dissimilarity},
    "kpboost.svm.KernelSVC": {"classes_": _check_kernel_svc},
    "kpboost.svm.KernelScalingSVC": {"classes_": _check_perturbed},
    C45: {"classes_": _check_c45},
    "kpboost.tree.C45IB1Classifier": {"classes_": _check_c45_ib1},
    EXTRA_TREES: {"estimators_": _check_forest(EXTRA_TREE)},
    "sklearn.ensemble._forest.RandomForestClassifier": {
        "estimators_": _check_forest(DECISION_TREE)
    },
    "sklearn.ensemble._hist_gradient_boosting.gradient_boosting.HistGradientBoostingClassifier": {
        "_predictors": _check_boosted_trees
    },
    "sklearn.ensemble._weight_boosting.AdaBoostClassifier": {"estimators_": _check_votes},
    "sklearn.impute._base.SimpleImputer": {"statistics_": _check_columns("statistics_")},
    NETWORK: {"coefs_": _check_network},
    "sklearn.preprocessing._data.StandardScaler": {
        "scale_": _check_columns("scale_", "mean_", "var_")
    },
    "sklearn.preprocessing._encoders.OneHotEncoder": {"categories_": _check_encoder},
    DECISION_TREE: {"tree_": _check_decision_tree},
    EXTRA_TREE: {"tree_": _check_decision_tree},
}
