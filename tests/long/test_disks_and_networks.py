"""Full disks, cut networks, a pooler between, and other collations."""

from __future__ import annotations

import shutil
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from core.storage.postgres.database import PostgresDatabase
from tests.long.cluster import LongCluster, small_disk
from tests.long.load import Load
from tests.support.system_programs import free_port, listens, needs
from tests.support.waiting import wait_until


def test_a_full_disk_of_the_data(server: LongCluster, open_folder: Path) -> None:
    with small_disk(open_folder, 24) as disk:
        server.own(disk)
        server.execute(f"CREATE TABLESPACE small LOCATION '{disk}'")
        load = Load(server.create("TABLESPACE small"))
        with load.running():
            load.wait_for()
            filler = disk / "filler"
            filler.write_bytes(b"\0" * (shutil.disk_usage(disk).free - 64 * 1024))
            wait_until(lambda: len(load.refused) > 8, seconds=120)
            assert load.world.rows("SELECT title FROM item LIMIT 1")
            filler.unlink()
            load.wait_for()
        load.check("disk of the data full")
        assert any("No room is left" in each for each in load.refused.values())
        server.stop("immediate")


def test_a_full_disk_of_the_write_ahead_log(open_folder: Path) -> None:
    with small_disk(open_folder, 128) as disk:
        wal = disk / "wal"
        wal.mkdir()
        with LongCluster("max_wal_size=64MB", wal=wal) as server:
            load = Load(server.create())
            with load.running():
                load.wait_for()
                filler = disk / "filler"
                filler.write_bytes(b"\0" * shutil.disk_usage(disk).free)
                wait_until(lambda: len(load.refused) + len(load.unknown) > 8, seconds=240)
                filler.unlink()
                server.kill()
                server.start()
                load.wait_for()
            load.check("disk of the write-ahead log full")


class Network:
    """A network between the program and the server, which can be cut: nothing arrives, and nothing is said of it."""

    def __init__(self, port: int) -> None:
        self._to = port
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self.passes = threading.Event()
        self.passes.set()
        self._sockets: list[socket.socket] = []
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                here, _ = self._listener.accept()
            except OSError:
                return
            there = socket.create_connection(("127.0.0.1", self._to))
            self._sockets += [here, there]
            for pair in ((here, there), (there, here)):
                threading.Thread(target=self._pump, args=pair, daemon=True).start()

    def _pump(self, source: socket.socket, target: socket.socket) -> None:
        try:
            while data := source.recv(65536):
                self.passes.wait()
                target.sendall(data)
        except OSError:
            pass
        for each in (source, target):
            each.close()

    def close(self) -> None:
        for each in (self._listener, *self._sockets):
            each.close()


def test_a_network_that_is_cut(server: LongCluster, seconds: float) -> None:
    server.create()
    with closing(Network(server.port)) as network:
        load = Load(server.url(hosts=f"127.0.0.1:{network.port}"))
        with load.running():
            load.wait_for()
            network.passes.clear()
            time.sleep(max(10.0, seconds / 3))
            network.passes.set()
            load.wait_for()
            network.passes.clear()
            time.sleep(40)
            network.passes.set()
            load.wait_for()
        load.check("network cut", longest=60)


@contextmanager
def pgbouncer(server: LongCluster, folder: Path) -> Iterator[int]:
    """The port of a PgBouncer in transaction mode."""
    port = free_port()
    (folder / "users.txt").write_text('"podium" ""\n')
    (folder / "pgbouncer.ini").write_text(
        f"[databases]\n* = host=127.0.0.1 port={server.port} user=podium\n"
        f"[pgbouncer]\nlisten_addr=127.0.0.1\nlisten_port={port}\n"
        f"auth_type=any\npool_mode=transaction\ndefault_pool_size=5\nunix_socket_dir=\nlogfile={folder}/bouncer.log\n"
        "ignore_startup_parameters=extra_float_digits,options\n"
    )
    for path in (folder, folder / "pgbouncer.ini", folder / "users.txt"):
        server.own(path)
    ini = str(folder / "pgbouncer.ini")
    process = subprocess.Popen([needs("pgbouncer"), "-q", ini], user=server.account, stderr=subprocess.DEVNULL)
    try:
        assert listens(port, process)
        yield port
    finally:
        process.kill()
        process.wait()


def test_pgbouncer_in_transaction_mode(server: LongCluster, open_folder: Path, seconds: float) -> None:
    server.create()
    PostgresDatabase(server.url(), create=True).close()
    with pgbouncer(server, open_folder) as port:
        load = Load(server.url(hosts=f"127.0.0.1:{port}"))
        assert not load.database.capabilities.session
        with load.running():
            time.sleep(seconds / 3)
            load.wait_for()
        load.check("PgBouncer in transaction mode")


@pytest.mark.parametrize("collation", ["de-DE", "tr-TR", "und-u-ks-level1"])
def test_a_database_with_another_collation(server: LongCluster, collation: str) -> None:
    load = Load(server.create(f"LOCALE_PROVIDER icu ICU_LOCALE '{collation}' TEMPLATE template0"))
    with load.running():
        load.wait_for(100)
    load.check(f"collation {collation}")
