"""The permission query by https: the token goes to nobody whose certificate this machine does not trust."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.domain.grants import CacheControl, Grant, PermissionQuery
from tests.support.authorization_service.server import Service
from tests.support.system_programs import needs

QUESTION = PermissionQuery("bob", "7b0c2a52-2c7e-4d1f-9f52-3a0a8f8f1c11", frozenset({"A"}))


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate for localhost that no authority has signed, and its key."""
    path = tmp_path_factory.mktemp("tls") / "both.pem"
    command = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost"
    files: list[str | Path] = [
        "-addext",
        "subjectAltName=DNS:localhost",
        "-keyout",
        path,
        "-out",
        path.with_suffix(".c"),
    ]
    subprocess.run([needs("openssl"), *command.split(), *files], check=True, capture_output=True)
    path.write_text(path.read_text() + path.with_suffix(".c").read_text())
    return path


@pytest.fixture
def secure(certificate: Path) -> Iterator[Service]:
    with Service(certificate=certificate) as service:
        service.grant("bob", QUESTION.account_id, "A")
        yield service


def ask(service: Service, url: str = "") -> Grant:
    source = service.source(url=url)
    try:
        return source.grant(QUESTION, CacheControl.NO_CACHE)
    finally:
        source.close()


def test_a_certificate_that_this_machine_trusts_is_accepted(
    secure: Service, certificate: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    assert ask(secure).held == {"A"}


def test_any_other_certificate_is_refused_before_anything_is_sent(secure: Service) -> None:
    fault = ask(secure).authority.fault
    assert fault is not None
    assert "has a certificate that is not accepted (self" in fault.reason
    assert not fault.away, "another program may be answering, so not even looking is allowed"
    assert secure.requests == []


def test_a_certificate_for_another_name_is_refused(
    secure: Service, certificate: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    fault = ask(secure, f"https://127.0.0.1:{secure.port}").authority.fault
    assert fault is not None
    assert "has a certificate that is not accepted" in fault.reason
    assert secure.requests == []


def test_a_service_that_speaks_no_tls_is_not_spoken_to(service: Service) -> None:
    fault = ask(service, service.url.replace("http:", "https:")).authority.fault
    assert fault is not None
    assert "does not support a secure connection" in fault.reason
    assert service.requests == []
