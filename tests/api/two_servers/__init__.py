"""Two servers on one database of PostgreSQL. Without PostgreSQL these tests are skipped; with CI=true they fail."""

import os

import pytest

from tests.support.postgres_cluster import missing

if (reason := missing()) and os.environ.get("CI", "").lower() != "true":
    pytest.skip(reason, allow_module_level=True)
