"""A real cluster: two worker processes that die, data that stay there, clusters that vanish."""

import os
import signal
import subprocess
import sys

import numpy as np
import pytest

from kpboost import NystroemKPBoostSVC
from kpboost.dask import DaskKPBoostSVC
from kpboost.lowrank import DaskBlocks, _dask_engine
from support.dask_data import blocks, collections
from support.patience import HANG, wait_until, with_support

distributed = pytest.importorskip("distributed")

pytestmark = [
    pytest.mark.filterwarnings("ignore::kpboost.ensemble.NoVotingRoundWarning"),
    pytest.mark.filterwarnings("ignore:Sending large graph"),
]
SMALL = {"n_landmarks": 40, "n_estimators": 2, "random_state": 0, "batch_size": 200}
N_WORKERS = 2


@pytest.fixture(scope="module")
def client():
    with (
        distributed.LocalCluster(
            n_workers=N_WORKERS, threads_per_worker=1, processes=True, dashboard_address=":0"
        ) as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
    ):
        yield client


def assert_same(one, other):
    for name in [name for name in vars(other) if name.endswith("_")]:
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name), err_msg=name)


def fit(client, *data, **parameters):
    return DaskKPBoostSVC(**{**SMALL, **parameters}, client=client).fit(*data)


def fit_local(given, **parameters):
    return NystroemKPBoostSVC(**{**SMALL, **parameters}).fit(given)


def process_ids(client):
    """Worker processes, as their nannies know them: a broadcast could wait for a dead one."""
    return {nanny.pid for nanny in client.cluster.workers.values() if nanny.pid}


@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_cluster_gives_the_local_model_bit_for_bit(client, n_classes):
    X, y, weight = collections(6, n_classes=n_classes)
    assert len(process_ids(client)) == N_WORKERS
    model = fit(client, X, y, weight, max_samples=1000)
    given = blocks(6, with_weights=True, n_classes=n_classes)
    assert_same(model, fit_local(given, max_samples=1000))
    answers = client.compute(model.predict(X)).result(timeout=HANG)
    points = np.concatenate([X for X, _ in blocks(6, n_classes=n_classes)])
    np.testing.assert_array_equal(answers, model.to_local().predict(points))


def sent_to_the_client(client):
    """Bytes that the workers have sent to anybody but workers."""
    workers = set(client.nthreads())
    transfers = [each for log in client.run(_transfers).values() for each in log]
    return sum(n_bytes for who, n_bytes in transfers if who not in workers)


def _transfers(dask_worker):
    return [(each["who"], each["total"]) for each in dask_worker.transfer_outgoing_log]


def test_the_data_stay_with_the_workers(client):
    X, y, _ = collections(10, n=20_000, n_columns=10)
    before = sent_to_the_client(client)
    model = fit(client, X, y, max_samples=1000, batch_size=8192)
    sent = sent_to_the_client(client) - before
    sample = model.n_samples_solved_ * X.shape[1] * 8
    assert sample < sent < 3 * sample < 0.02 * X.nbytes
    client.compute(X).result(timeout=HANG)  # the log sees data that do travel
    assert sent_to_the_client(client) - before > X.nbytes


def test_a_task_that_fails_is_no_vanished_cluster(client):
    X, y, _ = collections(3)
    hole = X.map_blocks(lambda part: np.where(part > 2.5, np.nan, part), dtype=float)
    with pytest.raises(ValueError, match=r"X of block \d contains NaN or infinity in row"):
        fit(client, hole, y)

    def late(part):
        raise TimeoutError("the disk is slow")

    with pytest.raises(TimeoutError, match="the disk is slow"):
        fit(client, X.map_blocks(late, dtype=float, meta=np.empty((0, 0))), y)


def test_a_worker_that_dies_in_the_middle_changes_nothing(client, tmp_path):
    before = process_ids(client)
    X, y, _ = collections(6, fatal=(str(tmp_path), 3, 2))
    model = fit(client, X, y, max_samples=1000)
    assert len(list(tmp_path.iterdir())) == 4, "three passes, and the second of them twice"
    assert_same(model, fit_local(blocks(6), max_samples=1000))
    wait_until(lambda: len(process_ids(client)) == N_WORKERS)
    assert len(before & process_ids(client)) == N_WORKERS - 1


def test_kept_results_of_a_dead_worker_are_made_again(client, monkeypatch):
    """All rows are solved on by the workers; the features of half of them are lost in between."""
    monkeypatch.setattr("kpboost.ensemble._nystroem_kpboost_svc.SAMPLE_ROWS", 800)
    victim, totals, total = min(process_ids(client)), [], DaskBlocks.total

    def deadly(self, *arguments, **options):
        totals.append(1)
        if len(totals) == 10:
            os.kill(victim, signal.SIGKILL)
        return total(self, *arguments, **options)

    monkeypatch.setattr(DaskBlocks, "total", deadly)
    how = {"max_samples": None, "tol": 1e-1, "n_estimators": 1}
    model = fit(client, *collections(3)[:2], **how)
    assert len(totals) > 15
    assert victim not in process_ids(client)
    assert_same(model, fit_local(blocks(3), **how))


def test_a_chunk_that_kills_its_workers_is_a_sentence(client, tmp_path, monkeypatch):
    monkeypatch.setattr(client.cluster.scheduler, "allowed_failures", 0)
    X, y, _ = collections(2, fatal=(str(tmp_path), 1, 1))
    with pytest.raises(RuntimeError, match=r"Several workers died over one task .* smaller chunks"):
        fit(client, X, y)


def test_a_cluster_without_workers_is_a_sentence(monkeypatch):
    monkeypatch.setattr(_dask_engine, "LOOK_SECONDS", 0.05)
    monkeypatch.setattr(_dask_engine, "NO_WORKER_SECONDS", 0.3)
    with (
        distributed.LocalCluster(n_workers=0, dashboard_address=":0") as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
        pytest.raises(ConnectionError, match=r"vanished .* no worker for 0.3 sec.* fit again"),
    ):
        fit(client, *collections(2)[:2])


CLUSTER = """
import time, distributed
cluster = distributed.LocalCluster(n_workers=1, processes=False, dashboard_address=":0",
                                   host="127.0.0.1", protocol="tcp")
print(cluster.scheduler_address, flush=True)
time.sleep(600)
"""


def test_a_cluster_that_vanishes_is_a_sentence(tmp_path):
    """Scheduler and worker are one process, which the second pass over the data kills."""
    owner = subprocess.Popen(
        [sys.executable, "-c", CLUSTER], stdout=subprocess.PIPE, text=True, env=with_support()
    )
    try:
        address = owner.stdout.readline().strip()
        with distributed.Client(address, set_as_default=False, timeout=HANG) as client:
            X, y, _ = collections(3, fatal=(str(tmp_path), 1, 2))
            with pytest.raises(ConnectionError, match=r"The cluster vanished during the fit: .*"):
                fit(client, X, y, max_samples=1000)
            assert len(list(tmp_path.iterdir())) == 2
            with pytest.raises(ConnectionError, match="the client is"):
                fit(client, X, y)
            client.close(timeout=1)
    finally:
        owner.kill()
        owner.communicate()
    wait_until(lambda: owner.poll() is not None)
