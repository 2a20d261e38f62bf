"""URLs of databases: ``postgresql://ROLE@HOST/DATABASE``, shown without their password."""

from __future__ import annotations

import os
import re
from pathlib import Path

from core.record import Record

SCHEMES = ("postgresql://", "postgres://")
"""The beginnings of a URL of PostgreSQL."""

_FORM = (
    r"(?P<scheme>postgres(?:ql)?://)"
    r"(?:(?P<role>[^:@/?#]*)(?P<password>:[^@/?#]*)?@)?"
    r"(?P<hosts>[^@/?#]*)/(?P<name>[^@/?#]+)"
    r"(?P<options>\?[^@?#]*)?"
)
PARAMETERS = (
    "host", "hostaddr", "port", "dbname", "user", "sslmode", "sslrootcert", "channel_binding", "application_name",
    "connect_timeout", "target_session_attrs",
)  # fmt: skip
"""The parameters that a URL can have, besides a password. None of them reads a file of options, runs statements, or
names a secret key."""

_SHOWN = rf"({'|'.join(PARAMETERS)})="
"""Options of a URL that hold no secret. Others are not shown."""

_LIKE_A_URL = r"(?is)\s*(postgres\w*\s*:|[a-z][a-z0-9+.-]*://|jdbc:)|.*\bpassword\s*="
"""The beginning of a text that is meant as a URL. As the name of a file it would make folders with a password in it."""


class DatabaseUrl(Record, kw_only=False):
    """The URL of a database. Its text shows no password, so that none reaches a screen, a message or a log."""

    secret: str
    """The whole URL, for the driver."""

    @property
    def has_password(self) -> bool:
        """True if the URL contains a password."""
        return str(self) != self.secret

    def __str__(self) -> str:
        found = re.fullmatch(_FORM, self.secret)
        assert found, "it was checked when it was read"
        role = f"{found['role']}@" if found["role"] else ""
        options = [each for each in (found["options"] or "?")[1:].split("&") if re.match(_SHOWN, each)]
        return f"{found['scheme']}{role}{found['hosts']}/{found['name']}{'?' if options else ''}{'&'.join(options)}"

    def __rich_repr__(self) -> list[tuple[str, str]]:
        return [("url", str(self))]


DatabasePlace = Path | DatabaseUrl
"""The place of a workspace: the path of a file of SQLite, or the URL of a database of PostgreSQL."""


def database_place(text: str) -> DatabasePlace:
    """Return the path of a file, or the URL of a database. Raises ValueError for a URL that cannot be read.

    It also raises ValueError for “~name” of an unknown account and for a zero byte. A file whose name looks like a URL
    can be named by its whole path.

    >>> str(database_place("postgresql://app:secret@db.example.com/podium"))
    'postgresql://app@db.example.com/podium'
    """
    if text.startswith(SCHEMES):
        if not re.fullmatch(_FORM, text) or not re.fullmatch(r"[!-~]+", text):
            raise ValueError("it is not a URL of PostgreSQL")
        return DatabaseUrl(text)
    if (":" in text or "=" in text) and re.match(_LIKE_A_URL, text):
        raise ValueError("it is not a URL that begins with postgresql://")
    path = os.path.expanduser(text)
    if not path.strip() or "\0" in path or path.startswith("~"):
        raise ValueError("it is not a path")
    return Path(path)
