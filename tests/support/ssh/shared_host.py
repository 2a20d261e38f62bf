"""A shared host set up as core/server/README.md says: two people with SSH, a service account, one server.

Its ``sshd`` and its server run from the very example files, in which only the places of this test are put.
"""

from __future__ import annotations

import configparser
import contextlib
import os
import pwd
import shlex
import shutil
import socket
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from core.server.transport.listeners import unix_socket
from tests.docs.readme import EXAMPLES
from tests.support.prepared import new_world
from tests.support.ssh.accounts import Accounts
from tests.support.ssh.shared_python import shared_python
from tests.support.system_programs import free_port, needs
from tests.support.systemd_socket import taking_over
from tests.support.terminal.session import TerminalSession
from tests.support.waiting import wait_until

SSHD = """
ListenAddress 127.0.0.1
Port {port}
HostKey {folder}/host_key
AuthorizedKeysFile {folder}/keys/%u
PasswordAuthentication no
KbdInteractiveAuthentication no
UsePAM no
StrictModes no
PidFile none
AcceptEnv LANG LC_*
Subsystem sftp internal-sftp
Include {folder}/podium.conf
"""


class _Units(configparser.RawConfigParser):
    """Units of systemd, whose names of options keep their capitals."""

    def optionxform(self, optionstr: str) -> str:
        return optionstr


class SharedHost:
    """``maya`` owns the project “Spring launch”, ``vera`` is Viewer there; all of it is in ``folder``."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.socket = folder / "run" / "podium.sock"
        self.port = free_port()
        self._state = folder / "state"

    def __enter__(self) -> Self:
        with contextlib.ExitStack() as ended:
            self._accounts = ended.enter_context(Accounts(self.folder / "homes"))
            self.python = shared_python(self.folder / "opt")
            self.maya, self.vera = self._accounts.person("maya"), self._accounts.person("vera")
            self.service = self._accounts.service()
            self._make_workspace()
            ended.callback(self.world.database.close)
            self._serve(ended)
            self._let_in(ended)
            self._ended = ended.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ended.close()

    def example(self, name: str) -> str:
        """An example file with the places of this host in it."""
        places = {
            "/opt/podium/bin/python": self.python,
            "/run/podium/podium.sock": self.socket,
            "/var/lib/podium": self._state,
            "/etc/podium": self.folder / "etc",
            "podium-users": self._accounts.group,
            "!sudo": f"!{self._accounts.admins}",
        }
        text = (EXAMPLES / name).read_text()
        for usual, here in places.items():
            text = text.replace(usual, str(here))
        return text

    def unit(self, name: str, section: str) -> configparser.SectionProxy:
        """A section of an example unit of systemd."""
        units = _Units(strict=False)
        units.read_string(self.example(name))
        return units[section]

    def ssh(
        self, person: pwd.struct_passwd, *arguments: str, tty: bool = True, options: Sequence[str] = ()
    ) -> list[str]:
        """The command with which a user comes here."""
        files = f"-oUserKnownHostsFile={self.folder}/known_hosts", f"-oIdentityFile={self.folder}/{person.pw_name}.key"
        place = ["-p", str(self.port), f"{person.pw_name}@127.0.0.1"]
        given = ["-F", "/dev/null", "-tt" if tty else "-T", "-oBatchMode=yes", *files, *options]
        return [needs("ssh"), *given, *place, *arguments]

    def session(
        self, person: pwd.struct_passwd, *arguments: str, options: Sequence[str] = (), **more: Any
    ) -> TerminalSession:
        """A user at their terminal, coming here."""
        return TerminalSession(self.ssh(person, *arguments, options=options), **more)

    def podium(
        self, person: pwd.struct_passwd, *arguments: str, groups: Sequence[int] | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Run a command as an account with a shell on this host, by default as a member of the group."""
        return subprocess.run(
            self.command(*arguments),
            capture_output=True,
            text=True,
            check=False,
            timeout=30,
            cwd="/",
            env={"PATH": os.defpath, "HOME": person.pw_dir, "LANG": "C.UTF-8"},
            **self.account(person, groups),
        )

    def command(self, *arguments: str) -> list[str]:
        """Podium on the server of this host."""
        return [str(self.python), "-I", "-m", "podium", *arguments, "--server", f"unix:{self.socket}"]

    def account(self, person: pwd.struct_passwd, groups: Sequence[int] | None = None) -> dict[str, Any]:
        """Arguments of ``subprocess`` to run a process as an account, by default as a member of the group."""
        extra = [self._accounts.gid] if groups is None else groups
        return {"user": person.pw_uid, "group": person.pw_gid, "extra_groups": extra}

    @contextlib.contextmanager
    def administers(self, person: pwd.struct_passwd) -> Iterator[None]:
        """Make a user an administrator of this host for a while."""
        with self._accounts.among_admins(person.pw_name):
            yield

    def opened(self, person: pwd.struct_passwd, **more: Any) -> TerminalSession:
        """A user who has come here and sees the Canvas of “Spring launch”."""
        session = self.session(person, **more)
        session.wait_for("Spring launch")
        session.send("<enter>")
        session.wait_for("Discover")
        return session

    def _make_workspace(self) -> None:
        self._state.mkdir(mode=0o700)
        self.world = new_world(self._state / "podium.db")
        for path in (self._state, *self._state.iterdir()):
            os.chown(path, self.service.pw_uid, self.service.pw_gid)
        for person, login in ((self.maya, "maya"), (self.vera, "vera")):
            place = ["--db", str(self.world.database.path), "--as", "maya"]
            argv = [str(self.python), "-I", "-m", "podium", "os-account", "link", person.pw_name, login, *place]
            env = {"PATH": os.defpath, "HOME": self.service.pw_dir}
            subprocess.run(argv, check=True, capture_output=True, cwd="/", env=env, **self.account(self.service, []))

    def _serve(self, ended: contextlib.ExitStack) -> None:
        """Start the service as systemd does: root creates the socket, and the service takes it over."""
        unit, service = self.unit("podium.socket", "Socket"), self.unit("podium.service", "Service")
        self.socket.parent.mkdir(mode=int(unit["DirectoryMode"], 8))
        listener = unix_socket(Path(unit["ListenStream"]), group=unit["SocketGroup"])
        self._start(
            ended,
            taking_over(self.python, listener, service["ExecStart"].split()),
            pass_fds=[listener.fileno()],
            env={"PATH": os.defpath} | dict(each.split("=", 1) for each in shlex.split(service["Environment"])),
            **self.account(self.service, []),
            umask=int(service["UMask"], 8),
            cwd="/",
        )
        listener.close()
        answers = self.podium(self.maya, "project", "list")
        assert answers.returncode == 0, answers.stderr + (self.folder / "python.log").read_text()

    def _let_in(self, ended: contextlib.ExitStack) -> None:
        (self.folder / "keys").mkdir()
        for name in (self.maya.pw_name, self.vera.pw_name, "host_key"):
            key = self.folder / (name if name == "host_key" else f"{name}.key")
            subprocess.run([needs("ssh-keygen"), "-q", "-t", "ed25519", "-N", "", "-f", key], check=True)
            if name != "host_key":
                shutil.copy(key.with_suffix(".key.pub"), self.folder / "keys" / name)
        public = (self.folder / "host_key.pub").read_text()
        (self.folder / "known_hosts").write_text(f"[127.0.0.1]:{self.port} {public}")
        (self.folder / "podium.conf").write_text(self.example("sshd_podium.conf"))
        (self.folder / "sshd_config").write_text(SSHD.format(port=self.port, folder=self.folder))
        Path("/run/sshd").mkdir(mode=0o755, exist_ok=True)
        self._start(ended, [needs("sshd"), "-D", "-e", "-f", str(self.folder / "sshd_config")])
        wait_until(lambda: _answers(self.port), "sshd does not answer")

    def _start(self, ended: contextlib.ExitStack, argv: list[str], **options: Any) -> None:
        with (self.folder / f"{Path(argv[0]).name}.log").open("wb") as log:
            process = subprocess.Popen(argv, stdout=log, stderr=log, **options)
        ended.callback(process.wait, 15)
        ended.callback(process.terminate)


def _answers(port: int) -> bool:
    try:
        with socket.create_connection(("127.0.0.1", port), 1) as connection:
            return bool(connection.recv(4))
    except OSError:
        return False
