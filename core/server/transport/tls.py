"""When a server has to speak TLS, and the certificate it does so with."""

from __future__ import annotations

import logging
import ssl
import stat
from pathlib import Path
from typing import NamedTuple

from core.errors import InvalidInput
from core.net.tls import forward_secret
from core.server.requests.json_log import log_event
from core.text.phrases import shell_command
from core.text.urls import is_loopback

STRICT = ("Strict-Transport-Security", "max-age=31536000")
"""What is said with each answer over https: come back by https alone, for a year (RFC 6797)."""


class Tls(NamedTuple):
    """The certificate of a server, and its key."""

    certificate: Path
    key: Path

    def context(self) -> ssl.SSLContext:
        """How the server speaks TLS. Raises OSError, of which that of TLS is one."""
        context = forward_secret(ssl.create_default_context(ssl.Purpose.CLIENT_AUTH))
        context.load_cert_chain(self.certificate, self.key)
        return context


def tls_of(certificate: Path | None, key: Path | None) -> Tls | None:
    """What a server needs for TLS, looked at before anybody connects; None for neither. Raises InvalidInput."""
    if certificate is None and key is None:
        return None
    if certificate is None or key is None:
        raise InvalidInput("tls-cert", "TLS takes a certificate and its key: give both --tls-cert and --tls-key.")
    try:
        for each in (certificate, key):
            if not stat.S_ISREG(each.stat().st_mode):  # a pipe would be waited for
                raise InvalidInput("tls-cert", f"{each} is not a file. Name the certificate and its key in PEM.")
        if key.stat().st_mode & stat.S_IRWXO:
            ends = f"{shell_command('chmod', 'o=', str(key))} ends"
            raise InvalidInput("tls-key", f"Everybody on this machine may read {key}. {ends} that.")
        tls = Tls(certificate, key)
        tls.context()
    except ssl.SSLError as error:
        raise InvalidInput("tls-cert", f"{certificate} and {key} are no certificate with its key in PEM.") from error
    except OSError as error:
        raise InvalidInput("tls-cert", f"{error.filename or certificate} cannot be read: {error.strerror}.") from error
    return tls


def warn_of_http(host: str) -> None:
    """Note that a port of this machine is no safe place for tokens, though they leave it nowhere."""
    log_event(
        "not encrypted",
        logging.WARNING,
        on=host,
        said="Any account of this machine may listen on this port while Podium is away, and would get the tokens that "
        "people send. Listen on a Unix socket, “--socket PATH”, or give --tls-cert and --tls-key.",
    )


def check_tls_required(host: str, tls: Tls | None) -> None:
    """Tokens go over no network that others can read. Raises InvalidInput."""
    if tls is None and not is_loopback(host):
        raise InvalidInput(
            "host",
            f"Whoever is on the way to {host} could read the tokens. Give --tls-cert and --tls-key, or listen on "
            "127.0.0.1 and put a gateway with TLS before it.",
        )
