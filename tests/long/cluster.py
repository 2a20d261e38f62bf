"""A server of PostgreSQL that can be killed, restarted, filled and followed by a replica."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

import psycopg

from tests.support.postgres_cluster import missing
from tests.support.system_programs import free_port, needs
from tests.support.waiting import wait_until

SETTINGS = ("max_connections=100", "max_pred_locks_per_transaction=256", "shared_buffers=64MB", "lc_messages=C")


class LongCluster:
    """One server, on a loopback port and on a Unix socket. Use it as a context."""

    def __init__(self, *settings: str, wal: Path | None = None) -> None:
        """``wal`` is the folder for the write-ahead log, where it has a disk of its own."""
        assert not missing(), missing()
        self.folder = Path(tempfile.mkdtemp(prefix="pg-", dir="/tmp"))
        self.port = free_port()
        self.account = "postgres" if os.getuid() == 0 else None
        self.settings = [*SETTINGS, f"port={self.port}", f"unix_socket_directories={self.folder}", *settings]
        self.own(self.folder)
        self._wal = wal

    def __enter__(self) -> Self:
        words = ["-U", "podium", "--auth=trust", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync"]
        if self._wal:
            self.own(self._wal)
            words += ["--waldir", str(self._wal)]
        self.run(needs("initdb"), "-D", str(self.data), *words)
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()
        shutil.rmtree(self.folder)

    @property
    def data(self) -> Path:
        return self.folder / "data"

    def own(self, path: Path) -> None:
        """Give a path to the account that runs the server."""
        if self.account:
            shutil.chown(path, self.account, self.account)

    def run(self, program: str, *words: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        """Run a program of PostgreSQL as the account of the server."""
        argv = [program, *words]
        with (self.folder / "log").open("ab") as log:
            return subprocess.run(argv, check=check, user=self.account, cwd="/", stdout=log, stderr=log, text=True)

    def start(self) -> None:
        """Start it, and wait until it takes connections."""
        options = " ".join(f"-c {each}" for each in self.settings)
        self.run(needs("pg_ctl"), "-D", str(self.data), "-l", str(self.folder / "server"), "-o", options, "-w", "start")

    def stop(self, mode: str) -> None:
        """Stop it in one of the modes of ``pg_ctl``: smart, fast, immediate."""
        self.run(needs("pg_ctl"), "-D", str(self.data), "-m", mode, "-w", "stop", check=False)

    def kill(self) -> None:
        """End the postmaster at once, and wait until the processes of its connections have ended by themselves."""
        try:
            pid = int((self.data / "postmaster.pid").read_text().split()[0])
            children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
            os.kill(pid, signal.SIGKILL)
        except (OSError, IndexError):
            return
        wait_until(lambda: not any(_lives(each) for each in (str(pid), *children)))
        for path in (self.data / "postmaster.pid", *self.folder.glob(".s.PGSQL.*")):  # a zombie would count as alive
            path.unlink(missing_ok=True)

    def url(self, name: str = "podium", *, hosts: str = "", options: str = "") -> str:
        """The URL of a database, through TCP. ``hosts`` replaces the host and its port."""
        return f"postgresql://podium@{hosts or f'127.0.0.1:{self.port}'}/{name}{options}"

    def execute(self, sql: str, name: str = "postgres") -> list[tuple[Any, ...]]:
        """Run statements as the superuser. Returns the rows of the last."""
        with psycopg.connect(self.url(name), autocommit=True) as connection:
            cursor = connection.execute(sql.encode())
            return cursor.fetchall() if cursor.description else []

    def create(self, words: str = "") -> str:
        """Create the database of a run. Returns its URL."""
        self.execute(f"CREATE DATABASE podium {words}")
        return self.url()

    @contextmanager
    def replica(self) -> Iterator[LongCluster]:
        """A streaming replica. Commits wait for it."""
        replica = LongCluster()
        self.execute("ALTER SYSTEM SET synchronous_standby_names = '*'")
        words = ["-h", "127.0.0.1", "-p", str(self.port), "-U", "podium", "-D", str(replica.data), "-R", "-c", "fast"]
        replica.run(needs("pg_basebackup"), *words)
        replica.start()
        try:
            self.execute("SELECT pg_reload_conf()")
            wait_until(lambda: self.execute("SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'"))
            yield replica
        finally:
            replica.__exit__()


@contextmanager
def small_disk(folder: Path, megabytes: int) -> Iterator[Path]:
    """A disk of its own at a folder."""
    options = f"size={megabytes}m,mode=777"
    subprocess.run([needs("mount"), "-t", "tmpfs", "-o", options, "podium", str(folder)], check=True)
    try:
        yield folder
    finally:
        subprocess.run([needs("umount"), "--lazy", str(folder)], check=True)


def _lives(pid: str) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().split(")")[1].split()[0] != "Z"
    except OSError:
        return False
