"""``podium web`` says why it does not start, before anybody could come."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from click.testing import CliRunner

from core.errors import InvalidInput
from tui.cli.operations.web import _origins
from tui.cli.program import podium

SERVER = ("--server", "unix:/run/podium/podium.sock")
PUBLIC = ("--public-url", "https://podium.example.com")


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (("--port", "8000", "--db", "file.db"), "needs a server, which knows each person by a token"),
        (("--port", "8000", *SERVER, "--as", "maya"), "textual serve"),
        (SERVER, "Say what people type to come here"),
        ((*SERVER, *PUBLIC), "Say where to listen"),
        ((*SERVER, *PUBLIC, "--port", "8000", "--socket", "/tmp/s"), "Say where to listen"),
        ((*SERVER, *PUBLIC, "--port", "8000", "--host", "0.0.0.0"), "could read the tokens"),
        ((*SERVER, "--port", "8000", "--tls-cert", "cert.pem"), "a certificate and its key"),
        ((*SERVER, "--port", "8000", "--public-url", "http://podium.example.com"), "it is not encrypted"),
        ((*SERVER, "--port", "8000", "--public-url", "https://example.com/podium"), "without a path"),
        ((*SERVER, *PUBLIC, "--port", "8000", "--proxy-user", "root"), "Only on a Unix socket"),
        ((*SERVER, *PUBLIC, "--socket", "/tmp/s", "--proxy-user", "no-such"), "has no account “no-such”"),
        ((*SERVER, *PUBLIC, "--socket", "/tmp/s", "--proxy-user", "root"), "podium token gateway create"),
    ],
)
def test_what_would_not_be_safe_or_could_not_work_is_refused(
    options: tuple[str, ...], why: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PODIUM_CONFIG", os.devnull)
    monkeypatch.delenv("PODIUM_TOKEN", raising=False)
    result = CliRunner().invoke(podium, ["web", *options])
    assert result.exit_code == InvalidInput.exit_status
    assert why in result.stderr


def test_our_own_pages_come_from_what_people_type() -> None:
    here = frozenset({"http://127.0.0.1:8000", "http://localhost:8000", "http://[::1]:8000"})
    assert _origins(None, "127.0.0.1", 8000, encrypted=False) == here
    assert _origins(None, "Podium.example.com", 443, encrypted=True) == {"https://podium.example.com"}
    for everywhere in ("0.0.0.0", "::"):
        with pytest.raises(InvalidInput, match="Say what people type"):
            _origins(None, everywhere, 8443, encrypted=True)
    assert _origins("https://Podium.example.com/", "127.0.0.1", 8000, encrypted=False) == {"https://podium.example.com"}
