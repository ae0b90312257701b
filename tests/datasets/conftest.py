"""No test here depends on the machine's own data, and none uses the network."""

import socket

import pytest

from kpboost.datasets._sources import ENVIRONMENT


@pytest.fixture(autouse=True)
def alone(monkeypatch):
    def refuse(*_, **__):
        raise OSError("tests use no network")

    monkeypatch.delenv(ENVIRONMENT, raising=False)
    monkeypatch.setattr(socket, "create_connection", refuse)
