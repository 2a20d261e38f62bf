"""The certificate of a server, and the addresses on which it needs one."""

from __future__ import annotations

import logging
import ssl
import stat
from pathlib import Path

from core.errors import InvalidInput
from core.net.tls import forward_secret
from core.record import Record
from core.server.requests.json_log import log_event
from core.text.phrases import shell_command
from core.text.urls import is_loopback

STRICT = ("Strict-Transport-Security", "max-age=31536000")
"""The header of each response over https, by which browsers use https alone for a year (RFC 6797)."""


class Tls(Record, kw_only=False):
    """The certificate of a server, and its key."""

    certificate: Path
    key: Path

    def context(self) -> ssl.SSLContext:
        """The context of ``ssl`` for a server. Raises OSError, which includes errors of TLS."""
        context = forward_secret(ssl.create_default_context(ssl.Purpose.CLIENT_AUTH))
        context.load_cert_chain(self.certificate, self.key)
        return context


def tls_of(certificate: Path | None, key: Path | None) -> Tls | None:
    """Check the certificate and key of a server before it starts; None without either. Raises InvalidInput."""
    if certificate is None and key is None:
        return None
    if certificate is None or key is None:
        raise InvalidInput("tls-cert", "TLS takes a certificate and its key: give both --tls-cert and --tls-key.")
    try:
        for each in (certificate, key):
            if not stat.S_ISREG(each.stat().st_mode):  # reading a pipe would wait
                raise InvalidInput("tls-cert", f"{each} is not a file. Name the certificate and its key in PEM.")
        if key.stat().st_mode & stat.S_IRWXO:
            ends = f"{shell_command('chmod', 'o=', str(key))} ends"
            raise InvalidInput("tls-key", f"Every account of this machine can read {key}. {ends} that.")
        tls = Tls(certificate, key)
        tls.context()
    except ssl.SSLError as error:
        raise InvalidInput("tls-cert", f"{certificate} and {key} are not a certificate and its key in PEM.") from error
    except OSError as error:
        raise InvalidInput("tls-cert", f"{error.filename or certificate} cannot be read: {error.strerror}.") from error
    return tls


def warn_of_http(host: str) -> None:
    """Log a warning that another account could take over this port and get the tokens, if Podium is not running."""
    log_event(
        "not encrypted",
        logging.WARNING,
        on=host,
        said="Any account of this machine can listen on this port while Podium is not running, and would get the "
        "tokens that people send. Listen on a Unix socket, “--socket PATH”, or give --tls-cert and --tls-key.",
    )


def check_tls_required(host: str, tls: Tls | None) -> None:
    """Raise InvalidInput for an address that others can reach without TLS, because they could read tokens."""
    if tls is None and not is_loopback(host):
        raise InvalidInput(
            "host",
            f"Anyone on the network to {host} could read the tokens. Give --tls-cert and --tls-key, or listen on "
            "127.0.0.1 and put a gateway with TLS before it.",
        )
