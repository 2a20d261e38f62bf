"""The TLS versions and cipher suites that Podium accepts, the same in every build of Python."""

from __future__ import annotations

import ssl

SUITES = "ECDHE+AESGCM:ECDHE+CHACHA20"
"""The suites for TLS 1.2: ephemeral keys, so that a key that is stolen later cannot decrypt recorded traffic, and
authenticated ciphers. All suites of TLS 1.3 have both."""


def forward_secret(context: ssl.SSLContext) -> ssl.SSLContext:
    """Restrict a context to TLS 1.2 and 1.3 and to ``SUITES``, and return it."""
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.set_ciphers(SUITES)
    return context
