"""The installations are tried only where the wheels are given."""

from __future__ import annotations

import os

collect_ignore_glob = [] if os.environ.get("PODIUM_TEST_WHEELS") else ["test_*.py"]
