"""Which TLS is spoken, whatever the Python: some are built to take any suite that their OpenSSL knows."""

from __future__ import annotations

import ssl

SUITES = "ECDHE+AESGCM:ECDHE+CHACHA20"
"""For TLS 1.2: a key of each connection's own, so that one that is stolen later opens nothing that was recorded, and
ciphers that authenticate what they hide. All suites of TLS 1.3 are so."""


def forward_secret(context: ssl.SSLContext) -> ssl.SSLContext:
    """Have a context take TLS 1.2 and 1.3 alone, and the suites above."""
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.set_ciphers(SUITES)
    return context
