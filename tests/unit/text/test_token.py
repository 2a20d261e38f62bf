"""The token that is sent to a service or a server: where it is found, what is refused, and that nobody sees it."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
import types
from pathlib import Path
from typing import Any

import pytest

from core.domain.credentials import new_secret
from core.errors import InvalidInput
from core.net import bearer_tokens
from core.net.bearer_tokens import PERMISSIONS, BearerToken, find_token, read_token_from_pipe, server_token
from core.net.server_address import server_address

URL = "https://auth.example.com"


def keyring(priority: float, password: Any) -> types.SimpleNamespace:
    """A keyring as the library shows it; ``password`` may be an exception."""

    def get_password(service: str, user: str) -> Any:
        if isinstance(password, Exception):
            raise password
        return password if (service, user) == ("podium", URL) else None

    backend = types.SimpleNamespace(priority=priority)
    return types.SimpleNamespace(get_keyring=lambda: backend, get_password=get_password)


@pytest.fixture
def give_keyring(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Put a keyring where the real one would be; none at first, whatever this machine has."""
    real = importlib.import_module
    given: list[Any] = [ImportError("no keyring")]

    def import_module(name: str, package: str | None = None) -> Any:
        if name != "keyring":
            return real(name, package)
        if isinstance(given[-1], Exception):
            raise given[-1]
        return given[-1]

    monkeypatch.setattr(importlib, "import_module", import_module)
    return given.append


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "token"
    path.write_text("  from-file\n")
    path.chmod(0o600)
    return path


def test_the_environment_comes_before_the_keyring_and_that_before_the_file(give_keyring: Any, file: Path) -> None:
    give_keyring(keyring(5, "from-keyring"))
    found = find_token(PERMISSIONS, URL, file, {"PODIUM_AUTH_TOKEN": " from-environment "})
    assert (found.secret, found.source) == ("from-environment", "PODIUM_AUTH_TOKEN")
    found = find_token(PERMISSIONS, URL, file, {"PODIUM_AUTH_TOKEN": " "})
    assert (found.secret, found.source) == ("from-keyring", "the keyring")
    give_keyring(keyring(5, None))
    found = find_token(PERMISSIONS, URL, file, {})
    assert (found.secret, found.source) == ("from-file", str(file))


def test_the_keyring_is_not_imported_for_a_token_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    imported: list[str] = []
    monkeypatch.setattr(importlib, "import_module", imported.append)
    assert find_token(PERMISSIONS, URL, None, {"PODIUM_AUTH_TOKEN": "from-environment"}).secret == "from-environment"
    assert imported == []


@pytest.mark.parametrize(
    "broken",
    [
        keyring(0, "from-nowhere"),
        keyring(0.5, "in-plain-text"),
        keyring(5, RuntimeError("locked")),
        keyring(5, ""),
        types.SimpleNamespace(),
        ImportError("none"),
    ],
)
def test_a_keyring_that_is_none_is_passed_over(broken: Any, give_keyring: Any, file: Path) -> None:
    give_keyring(broken)
    assert find_token(PERMISSIONS, URL, file, {}).secret == "from-file"


def test_the_real_library_is_understood() -> None:
    keyring: Any = importlib.import_module("keyring")
    assert isinstance(keyring.get_keyring().priority, int | float)
    assert callable(keyring.get_password)


def test_without_any_it_is_said_how_to_give_one(give_keyring: Any) -> None:
    with pytest.raises(InvalidInput, match=f"PODIUM_AUTH_TOKEN.*keyring set podium {URL}.*auth_token_file"):
        find_token(PERMISSIONS, URL, None, {})


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o644, 0o660, 0o610, 0o601])
def test_a_file_that_others_can_reach_is_refused(mode: int, give_keyring: Any, file: Path) -> None:
    file.chmod(mode)
    with pytest.raises(InvalidInput, match=rf"mode {mode:04o}.*chmod 600") as refused:
        find_token(PERMISSIONS, URL, file, {})
    assert "from-file" not in str(refused.value)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
def test_a_file_of_another_account_is_refused(give_keyring: Any, file: Path) -> None:
    os.chown(file, 12345, -1)
    with pytest.raises(InvalidInput, match="belongs to another account"):
        find_token(PERMISSIONS, URL, file, {})


def test_what_is_no_file_or_not_there_or_empty_is_said(give_keyring: Any, file: Path, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe", 0o600)
    for path, words in ((tmp_path / "none", "No such file"), (tmp_path / "pipe", "not a file")):
        with pytest.raises(InvalidInput, match=words):
            find_token(PERMISSIONS, URL, path, {})
    file.write_text(" \n")
    with pytest.raises(InvalidInput, match="empty"):
        find_token(PERMISSIONS, URL, file, {})


@pytest.mark.parametrize("secret", ["two words", "line\nX-Evil: 1", "naïve", "\x1b[2Jtoken", "nul\0"])
def test_what_no_header_can_hold_is_refused_without_showing_it(secret: str, give_keyring: Any, file: Path) -> None:
    file.write_text(secret)
    for path, environ in ((None, {"PODIUM_AUTH_TOKEN": secret}), (file, {})):
        with pytest.raises(InvalidInput, match="is malformed") as refused:
            find_token(PERMISSIONS, URL, path, environ)
        assert secret not in str(refused.value)


HTTPS = server_address("https://podium.example.com")
SOCKET = server_address("unix:/run/podium/podium.sock")


def test_the_token_for_a_server_is_another_than_that_for_the_permission_service(give_keyring: Any, file: Path) -> None:
    environ = {"PODIUM_AUTH_TOKEN": "for-permissions", "PODIUM_TOKEN": "for-the-server"}
    assert server_token(HTTPS, file, environ) == BearerToken("for-the-server", "PODIUM_TOKEN")
    assert server_token(HTTPS, file, {}) == BearerToken("from-file", str(file))
    with pytest.raises(InvalidInput, match=r"token for the server\. Set PODIUM_TOKEN.*“token_file”"):
        server_token(HTTPS, None, {"PODIUM_AUTH_TOKEN": "for-permissions"})


def test_a_token_of_podium_that_is_not_whole_is_noticed_before_it_is_sent(give_keyring: Any) -> None:
    secret = new_secret()
    assert server_token(HTTPS, None, {"PODIUM_TOKEN": f" {secret} "}) == BearerToken(secret, "PODIUM_TOKEN")
    with pytest.raises(InvalidInput, match="token from PODIUM_TOKEN is incomplete") as refused:
        server_token(HTTPS, None, {"PODIUM_TOKEN": secret[:-1]})
    assert secret[:-1] not in str(refused.value)


def test_a_socket_needs_no_token_but_one_that_is_given_is_sent(give_keyring: Any, file: Path) -> None:
    give_keyring(RuntimeError("nobody looks here for a socket"))
    assert server_token(SOCKET, None, {}) is None
    assert server_token(SOCKET, None, {"PODIUM_TOKEN": "given"}) == BearerToken("given", "PODIUM_TOKEN")
    assert server_token(SOCKET, file, {}) == BearerToken("from-file", str(file))


SHOWS_ITS_TOKEN = """
import os
from core.net.bearer_tokens import server_token, read_token_from_pipe
from core.net.server_address import server_address
number = int(os.environ["PODIUM_TOKEN_FD"])
read_token_from_pipe()
read_token_from_pipe()  # a second time there is nothing to take
assert "PODIUM_TOKEN_FD" not in os.environ
try:
    os.fstat(number)
    raise SystemExit("the pipe is open still")
except OSError:
    pass
token = server_token(server_address("unix:/nowhere"), None, {"PODIUM_TOKEN": "another"})
assert "handed-over" not in repr(token)
print(token.secret, token.source)
"""


@pytest.mark.parametrize("written", [b"handed-over", b"handed-over\n"])
def test_a_token_that_a_parent_hands_over_by_a_pipe_is_read_once_and_comes_before_all_others(written: bytes) -> None:
    reading, writing = os.pipe()
    try:
        os.write(writing, written)
        if not written.endswith(b"\n"):  # the end of the pipe or of the line, whichever comes first
            os.close(writing)
        environ = os.environ | {"PODIUM_TOKEN_FD": str(reading)}
        done = subprocess.run(
            [sys.executable, "-c", SHOWS_ITS_TOKEN], pass_fds=(reading,), env=environ, capture_output=True, text=True
        )
    finally:
        os.close(reading)
        if written.endswith(b"\n"):
            os.close(writing)
    assert (done.stdout, done.stderr) == ("handed-over PODIUM_TOKEN_FD\n", "")


@pytest.mark.parametrize("number", ["", "x", "-1", "0x3", "99999999999999999999", "987"])
def test_what_is_no_open_pipe_is_refused_and_nothing_is_sent_instead(
    number: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PODIUM_TOKEN_FD", number)
    with pytest.raises(InvalidInput, match="PODIUM_TOKEN_FD does not name an open pipe"):
        read_token_from_pipe()


def test_a_file_behind_the_number_is_no_pipe(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with file.open() as opened:
        monkeypatch.setenv("PODIUM_TOKEN_FD", str(opened.fileno()))
        with pytest.raises(InvalidInput, match="does not name an open pipe"):
            read_token_from_pipe()


def test_a_pipe_with_nothing_in_it_is_not_waited_for_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    reading, writing = os.pipe()
    try:
        monkeypatch.setenv("PODIUM_TOKEN_FD", str(reading))
        monkeypatch.setattr(bearer_tokens, "PIPE_SECONDS", 0.1)
        with pytest.raises(InvalidInput, match="No token came through"):
            read_token_from_pipe()
        with pytest.raises(OSError, match="Bad file descriptor"):
            os.fstat(reading)
    finally:
        os.close(writing)


def test_an_empty_pipe_is_no_token(monkeypatch: pytest.MonkeyPatch) -> None:
    reading, writing = os.pipe()
    os.close(writing)
    monkeypatch.setenv("PODIUM_TOKEN_FD", str(reading))
    with pytest.raises(InvalidInput, match="is malformed"):
        read_token_from_pipe()
