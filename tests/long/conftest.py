"""The long runs are collected only where their length is given."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.long.cluster import LongCluster

collect_ignore_glob = [] if os.environ.get("PODIUM_TEST_LONG") else ["test_*.py"]


@pytest.fixture
def seconds() -> float:
    """The length of a run."""
    return float(os.environ["PODIUM_TEST_LONG"])


@pytest.fixture
def server() -> Iterator[LongCluster]:
    """A server of PostgreSQL with the usual settings for durability."""
    with LongCluster() as server:
        yield server


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that the account of the server can reach."""
    folder = Path(tempfile.mkdtemp(prefix="long-", dir="/tmp"))
    folder.chmod(0o777)
    yield folder
    shutil.rmtree(folder)
