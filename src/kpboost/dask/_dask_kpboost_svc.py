"""KPBoost-SVM on a low-rank kernel, on the workers of a dask cluster."""

from collections.abc import Mapping
from copy import deepcopy
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted
from threadpoolctl import threadpool_limits

from kpboost._notebook import NotebookMixin
from kpboost._typing import BaseEstimator, ClassifierMixin
from kpboost._validation import is_on_dask
from kpboost.ensemble import NystroemKPBoostSVC
from kpboost.lowrank import Cluster, as_collections, needs_dask

INSTEAD = "For data in memory or in files there is kpboost.NystroemKPBoostSVC."


class DaskKPBoostSVC(NotebookMixin, ClassifierMixin, BaseEstimator):
    """:class:`~kpboost.NystroemKPBoostSVC` for dask arrays and DataFrames.

    The workers survey their chunks, draw the sample and judge the rounds; the data stay with them.
    What comes to the client is the sample, of about ``max_samples`` rows, on which it solves the
    rounds, and sums. On the same chunks the model is the local one, bit for bit, also when a
    worker dies on the way.

    Parameters
    ----------
    C : float, default=1.0
        Penalty of a margin violation. C_r
    gamma : {"scale", "auto"} or float, default="scale"
        Coefficient of the RBF kernel. sigma
    n_estimators : int, default=10
        Number of boosting rounds at most. T
    perturbation_step : float, default=0.01
        Growth of a row's perturbation parameter k when it is classified correctly. varsigma
    n_landmarks, landmarks, loss_width, max_samples, n_iter_no_change, class_weight, multi_class, \
voting, pos_label, tol, max_iter, batch_size, random_state, verbose
        As in :class:`~kpboost.NystroemKPBoostSVC`. With ``max_samples=None`` the workers solve
        the rounds as well, on all rows.
    client : distributed.Client or None, default=None
        Client of the cluster to use. None takes the current client; where there is none, dask's
        default scheduler works in this process.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Sorted labels.
    n_features_in_ : int
        Number of columns of the training data.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns of a DataFrame.
    n_samples_seen_, n_samples_solved_ : int
        Rows of positive weight, and rows that the machines were solved on. These and all other
        fitted attributes are those of :class:`~kpboost.NystroemKPBoostSVC`.

    See Also
    --------
    kpboost.NystroemKPBoostSVC : The same on one machine.

    Notes
    -----
    Equal bits need workers of one kind: processors with other instructions round otherwise.

    Examples
    --------
    >>> import dask.array as da
    >>> from kpboost.dask import DaskKPBoostSVC
    >>> X = da.random.default_rng(0).normal(size=(2000, 2), chunks=(500, 2))
    >>> y = ((X ** 2).sum(axis=1) < 0.2).astype(int)
    >>> model = DaskKPBoostSVC(C=10, n_landmarks=100, random_state=0).fit(X, y)
    >>> model.predict(X).chunks
    ((500, 500, 500, 500),)
    """

    def __init__(
        self,
        C: float = 1.0,
        *,
        gamma: float | str = "scale",
        n_estimators: int = 10,
        perturbation_step: float = 0.01,
        n_landmarks: int = 500,
        landmarks: str = "class_kmeans",
        loss_width: float = 0.5,
        max_samples: int | str | None = "auto",
        n_iter_no_change: int | None = 3,
        class_weight: Mapping[Any, float] | str | None = "balanced",
        multi_class: str = "one_vs_rest",
        voting: str = "hard",
        pos_label: Any = None,
        tol: float = 1e-4,
        max_iter: int = 40,
        batch_size: int = 8192,
        random_state: Any = None,
        verbose: int = 0,
        client: Any = None,
    ) -> None:
        self.C = C
        self.gamma = gamma
        self.n_estimators = n_estimators
        self.perturbation_step = perturbation_step
        self.n_landmarks = n_landmarks
        self.landmarks = landmarks
        self.loss_width = loss_width
        self.max_samples = max_samples
        self.n_iter_no_change = n_iter_no_change
        self.class_weight = class_weight
        self.multi_class = multi_class
        self.voting = voting
        self.pos_label = pos_label
        self.tol = tol
        self.max_iter = max_iter
        self.batch_size = batch_size
        self.random_state = random_state
        self.verbose = verbose
        self.client = client

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Train the rounds.

        The data are read three times, from wherever their tasks take them; ``X.persist()`` keeps
        them in the memory of the workers, if it is large enough.

        Parameters
        ----------
        X : dask array or DataFrame of shape (n_samples, n_features)
            Training points.
        y : dask array or Series of shape (n_samples,)
            Labels, in the same chunks.
        sample_weight : dask array or Series of shape (n_samples,), optional
            Factors of ``C``, one per sample, in the same chunks; 0 or more.

        Returns
        -------
        self : DaskKPBoostSVC

        Raises
        ------
        ConnectionError
            If the cluster vanishes: its scheduler is gone, or for two minutes all its workers.
        RuntimeError
            If several workers die over one chunk.
        """
        local = self._unfitted()
        local._check_parameters()
        cluster = Cluster(self.client)
        given = as_collections(X, y, sample_weight, cluster, INSTEAD)
        blocks = given.blocks(cluster, local.batch_size)
        if given.feature_names is not None:
            local.feature_names_in_ = np.array(given.feature_names, dtype=object)
        with threadpool_limits(1, "blas"):
            local._fit_prepared(local._prepare_blocks(blocks, may_change=True))
        self._remember(local)
        return self

    def to_local(self) -> NystroemKPBoostSVC:
        """Return the fitted model for data in memory, which needs no cluster.

        Returns
        -------
        NystroemKPBoostSVC
            A copy; it can be saved, exported and asked for stages.
        """
        check_is_fitted(self, "classes_")
        return deepcopy(self._local)

    def predict(self, X: Any) -> Any:
        """Labels, lazily.

        Parameters
        ----------
        X : dask array or DataFrame of shape (n_samples, n_features)

        Returns
        -------
        dask array or Series of shape (n_samples,)
            In the chunks of `X`; nothing is computed yet.
        """
        return self._lazily("predict", X)

    def decision_function(self, X: Any) -> Any:
        """Weighted votes, lazily; see :meth:`kpboost.NystroemKPBoostSVC.decision_function`.

        Parameters
        ----------
        X : dask array or DataFrame of shape (n_samples, n_features)

        Returns
        -------
        dask array, Series or DataFrame of shape (n_samples,) or (n_samples, n_classes)
            In the chunks of `X`; nothing is computed yet.
        """
        return self._lazily("decision_function", X)

    def __getstate__(self) -> dict[str, Any]:
        """Leave the client out: another process has another one."""
        return {**super().__getstate__(), "client": None}

    def __sklearn_clone__(self) -> Self:
        """Clone for the same client, which has no copies."""
        own = self.get_params(deep=False)
        client = own.pop("client")
        copies = {name: clone(value, safe=False) for name, value in own.items()}
        return type(self)(**copies, client=client)

    def _unfitted(self) -> NystroemKPBoostSVC:
        own = self.get_params(deep=False)
        own.pop("client")
        return NystroemKPBoostSVC(**own)

    def _remember(self, local: NystroemKPBoostSVC) -> None:
        for name in [name for name in vars(self) if name.endswith("_")]:
            delattr(self, name)  # of an earlier fit
        for name, value in vars(local).items():
            if name.endswith("_"):
                setattr(self, name, value)
        self._local = local

    def _lazily(self, method: str, X: Any) -> Any:
        """Ask the model about every chunk when the answer is computed."""
        check_is_fitted(self, "classes_")
        if not is_on_dask(X):
            raise ValueError(
                f"X is a {type(X).__name__}; {method} takes a dask array or DataFrame. For data in "
                f"memory there is to_local().{method}."
            )
        model = needs_dask().delayed(self._local, traverse=False)
        if hasattr(X, "map_partitions"):
            meta = self._empty_answer(method, X)
            return X.map_partitions(_answer_frame, model, method, meta=meta)
        return self._answers_of_array(method, X, model)

    def _answers_of_array(self, method: str, X: Any, model: Any) -> Any:
        X = X.rechunk({1: -1})
        if method == "predict":
            how: dict[str, Any] = {"drop_axis": 1, "dtype": self.classes_.dtype}
        elif self.classes_.size == 2:
            how = {"drop_axis": 1, "dtype": np.float64}
        else:
            how = {"chunks": (X.chunks[0], (self.classes_.size,)), "dtype": np.float64}
        empty = np.empty((0,) * (1 if "drop_axis" in how else 2), dtype=how["dtype"])
        return X.map_blocks(_answer, model, method, meta=empty, **how)

    def _empty_answer(self, method: str, X: Any) -> Any:
        """Answer for a frame without rows, by which dask knows the kind of the others."""
        import pandas as pd

        if method == "predict":
            return pd.Series(self.classes_[:0], index=X._meta.index)
        if self.classes_.size == 2:
            return pd.Series(np.empty(0), index=X._meta.index)
        empty = np.empty((0, self.classes_.size))
        return pd.DataFrame(empty, index=X._meta.index, columns=self.classes_)


def _answer(X: Any, model: NystroemKPBoostSVC, method: str, block_id: Any = None) -> NDArray[Any]:
    """Answer for one chunk of an array; an error names it."""
    try:
        return np.asarray(getattr(model, method)(X))
    except ValueError as error:
        raise ValueError(f"In chunk {0 if block_id is None else block_id[0]}: {error}") from None


def _answer_frame(frame: Any, model: NystroemKPBoostSVC, method: str) -> Any:
    """Answer for one chunk of a frame, with its index."""
    import pandas as pd

    if frame.empty:
        shape = (0, model.classes_.size) if method != "predict" and model.classes_.size > 2 else 0
        answer = model.classes_[:0] if method == "predict" else np.empty(shape)
    else:
        answer = getattr(model, method)(frame)
    if answer.ndim == 2:
        return pd.DataFrame(answer, index=frame.index, columns=model.classes_)
    return pd.Series(answer, index=frame.index)
