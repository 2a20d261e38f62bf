"""The long runs are collected only where their length is given."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.long.cluster import LongCluster

collect_ignore_glob = [] if os.environ.get("PODIUM_LONG") else ["test_*.py"]


@pytest.fixture
def seconds() -> float:
    """The length of a run."""
    return float(os.environ["PODIUM_LONG"])


@pytest.fixture
def server() -> Iterator[LongCluster]:
    """A server of PostgreSQL with the usual settings for durability."""
    with LongCluster() as server:
        yield server


@pytest.fixture
def disk(tmp_path: Path) -> Path:
    """A folder for a small disk."""
    (tmp_path / "disk").mkdir()
    return tmp_path / "disk"
