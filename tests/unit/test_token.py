"""The token for the authorization service: where it is looked for, what is refused, and that nobody gets to see it."""

from __future__ import annotations

import importlib
import os
import types
from pathlib import Path
from typing import Any

import pytest

from core.authorization.token import find_token
from core.errors import InvalidInput

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
    found = find_token(URL, file, {"PODIUM_AUTH_TOKEN": " from-environment "})
    assert (found.value, found.source) == ("from-environment", "PODIUM_AUTH_TOKEN")
    found = find_token(URL, file, {"PODIUM_AUTH_TOKEN": " "})
    assert (found.value, found.source) == ("from-keyring", "the keyring")
    give_keyring(keyring(5, None))
    found = find_token(URL, file, {})
    assert (found.value, found.source) == ("from-file", str(file))


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
    assert find_token(URL, file, {}).value == "from-file"


def test_the_real_library_is_understood() -> None:
    keyring: Any = importlib.import_module("keyring")
    assert isinstance(keyring.get_keyring().priority, int | float)
    assert callable(keyring.get_password)


def test_without_any_it_is_said_how_to_give_one(give_keyring: Any) -> None:
    with pytest.raises(InvalidInput, match=f"PODIUM_AUTH_TOKEN.*keyring set podium {URL}.*auth_token_file"):
        find_token(URL, None, {})


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o644, 0o660, 0o610, 0o601])
def test_a_file_that_others_can_reach_is_refused(mode: int, give_keyring: Any, file: Path) -> None:
    file.chmod(mode)
    with pytest.raises(InvalidInput, match=rf"mode {mode:04o}.*chmod 600") as refused:
        find_token(URL, file, {})
    assert "from-file" not in str(refused.value)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
def test_a_file_of_somebody_else_is_refused(give_keyring: Any, file: Path) -> None:
    os.chown(file, 12345, -1)
    with pytest.raises(InvalidInput, match="belongs to somebody else"):
        find_token(URL, file, {})


def test_what_is_no_file_or_not_there_or_empty_is_said(give_keyring: Any, file: Path, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe", 0o600)
    for path, words in ((tmp_path / "none", "No such file"), (tmp_path / "pipe", "not a file")):
        with pytest.raises(InvalidInput, match=words):
            find_token(URL, path, {})
    file.write_text(" \n")
    with pytest.raises(InvalidInput, match="empty"):
        find_token(URL, file, {})


@pytest.mark.parametrize("secret", ["two words", "line\nX-Evil: 1", "naïve", "\x1b[2Jtoken", "nul\0"])
def test_what_no_header_can_hold_is_refused_without_showing_it(secret: str, give_keyring: Any, file: Path) -> None:
    file.write_text(secret)
    for path, environ in ((None, {"PODIUM_AUTH_TOKEN": secret}), (file, {})):
        with pytest.raises(InvalidInput, match="is no token") as refused:
            find_token(URL, path, environ)
        assert secret not in str(refused.value)
