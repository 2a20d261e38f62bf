"""``podium serve`` as a process of its own, and ``podium`` as its client."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, BinaryIO

import httpx

from core.net.server_address import listens
from tests.support.postgres_cluster import place_of
from tests.support.warm_start import IS_POSSIBLE, WarmProcess

STARTS_WITHIN = 60.0
"""Seconds."""


def of_process(pid: int, name: str) -> int:
    """A size that Linux tells of a process, in bytes: its memory now ("VmRSS"), or the most that it had ("VmHWM")."""
    return int(Path(f"/proc/{pid}/status").read_text().split(f"{name}:")[1].split()[0]) * 1024


class ServerProgram:
    """The server over a database, a file or a URL, on a Unix socket; the account that runs the tests is sent along."""

    def __init__(
        self, database: Path | str, *options: str, descriptors: int = 0, settings: str = "", warm: bool = False
    ) -> None:
        """``descriptors`` is how many files it may have open, where that is few; ``settings`` are its config.toml.

        ``warm``: it starts as in ``tests.support.warm_start``, and has more memory from its start on.
        """
        self._warm = warm and IS_POSSIBLE and not descriptors
        self._descriptors = descriptors
        self._folder = Path(tempfile.mkdtemp(prefix="p", dir="/tmp"))  # the path of a socket must be short
        self._database = place_of(database) if isinstance(database, Path) else database
        self._options = options
        config = self._folder / ".config" / "podium" / "config.toml"
        config.parent.mkdir(parents=True)
        config.write_text(settings)
        self.socket = self._folder / "s"
        self._log = self._folder / "log"
        self.client = httpx.Client(
            transport=httpx.HTTPTransport(uds=str(self.socket)), base_url="http://podium", timeout=30
        )
        self._process: subprocess.Popen[bytes] | WarmProcess | None = None

    def __enter__(self) -> ServerProgram:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop(signal.SIGKILL)
        self.client.close()
        shutil.rmtree(self._folder)

    @property
    def address(self) -> str:
        """The address for ``--server``."""
        return f"unix:{self.socket}"

    def start(self) -> None:
        """Start it, and wait until it takes requests."""
        words = ["serve", "--db", str(self._database), "--socket", str(self.socket), *self._options]
        with self._log.open("ab") as output:
            self._process = self._started(words, output)
        give_up = time.monotonic() + STARTS_WITHIN
        while time.monotonic() < give_up and self._process.poll() is None:
            try:
                listens(self.socket)
            except OSError:
                time.sleep(0.02)
            else:
                assert self.client.get("/health").status_code == 200
                return
        self._process.kill()
        self._process.wait()
        raise AssertionError(f"The server does not start: {self.written()}")

    def _started(self, words: list[str], output: BinaryIO) -> subprocess.Popen[bytes] | WarmProcess:
        if self._warm:
            with open(os.devnull) as nothing:
                return WarmProcess(words, self._env(), [nothing.fileno(), *[output.fileno()] * 2], terminal=False)
        limited = ["prlimit", f"--nofile={self._descriptors}"] if self._descriptors else []
        command = [*limited, sys.executable, "-m", "tui", *words]
        return subprocess.Popen(command, stdout=output, stderr=output, env=self._env())

    def stop(self, number: int = signal.SIGTERM) -> int:
        """Send it a signal and wait for its end; the status it ends with. Once it has ended, nothing happens."""
        assert self._process is not None
        if self._process.poll() is None:
            self._process.send_signal(number)
        return self._process.wait(60)

    def podium(self, *arguments: str, status: int = 0) -> subprocess.CompletedProcess[str]:
        """``podium ARGUMENTS`` as a client of it, unless a database is named; it must end with this status."""
        result = subprocess.run(
            [sys.executable, "-m", "tui", *arguments],
            env=self._env() | {"PODIUM_SERVER": self.address},
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert result.returncode == status, result.stdout + result.stderr
        return result

    def written(self) -> str:
        """All that it wrote."""
        return self._log.read_text()

    def log(self) -> list[dict[str, Any]]:
        """The lines of its log."""
        return [json.loads(line) for line in self.written().splitlines()]

    def peak(self) -> int:
        """The most memory that it has had, in bytes."""
        assert self._process is not None
        return of_process(self._process.pid, "VmHWM")

    def forget_peak(self) -> None:
        """Have ``peak`` count from now on."""
        assert self._process is not None
        Path(f"/proc/{self._process.pid}/clear_refs").write_text("5")

    def memory(self) -> int:
        """The memory that it has now, in bytes."""
        assert self._process is not None
        return of_process(self._process.pid, "VmRSS")

    def sockets(self) -> int:
        """The number of its open sockets."""
        assert self._process is not None
        return sum("socket:" in target(each) for each in Path(f"/proc/{self._process.pid}/fd").iterdir())

    def processor_seconds(self) -> float:
        """The time of the processor that it has used."""
        assert self._process is not None
        fields = Path(f"/proc/{self._process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def _env(self) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("PODIUM_", "XDG_"))}
        return kept | {"HOME": str(self._folder)}


def target(descriptor: Path) -> str:
    """The target of a file descriptor of a process."""
    try:
        return os.readlink(descriptor)
    except OSError:  # closed meanwhile
        return ""
