"""The shared host of these tests, made once in each process that runs some of them."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.ssh.shared_host import SharedHost
from tests.support.system_programs import needs, needs_root


@pytest.fixture(scope="session")
def host() -> Iterator[SharedHost]:
    """Two people, an sshd and a server, set up as core/server/README.md says."""
    needs_root()
    for program in ("sshd", "ssh", "ssh-keygen", "useradd", "groupadd", "gpasswd"):
        needs(program)
    folder = Path(tempfile.mkdtemp(prefix="podium-ssh-", dir="/tmp"))  # where every account may go
    folder.chmod(0o755)
    try:
        with SharedHost(folder) as host:
            yield host
    finally:
        shutil.rmtree(folder)
