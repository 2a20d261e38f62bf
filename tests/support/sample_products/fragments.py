"""A web product that reads the fragment of its URL."""

from __future__ import annotations

import base64


def unpacked(packed: str) -> str:
    """The text of base64url without padding."""
    return base64.urlsafe_b64decode(packed + "=" * (-len(packed) % 4)).decode()
