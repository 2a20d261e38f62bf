"""The launch context, and the ways in which it is handed over."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlencode, urlsplit, urlunsplit

from core.domain.model import Id

CONTEXT_VARIABLE = "PODIUM_LAUNCH_CONTEXT"
"""The environment variable in which a terminal product finds its context, as JSON."""

USER_VARIABLE = "PODIUM_USER_ID"
"""The environment variable in which it finds the id of the person who launched it, for the permission query."""

CODE_SECONDS = 60
"""How long a launch code can be exchanged."""


@dataclass(frozen=True, slots=True)
class LaunchItem:
    """An item associated with the application instance: the instance itself, with its place."""

    id: Id
    type: str
    phase_id: Id
    activity_id: Id | None


@dataclass(frozen=True, slots=True)
class Named:
    """A linked client, market or brand."""

    id: Id
    name: str


@dataclass(frozen=True, slots=True)
class LaunchedProject:
    """The project that a product is launched from."""

    id: Id
    name: str
    items: tuple[LaunchItem, ...]


@dataclass(frozen=True, slots=True)
class Hierarchy:
    """The client, market and brand that a product is launched for."""

    client: Named | None
    market: Named | None
    brand: Named | None


@dataclass(frozen=True, slots=True)
class LaunchContext:
    """The launch context object (source document, section 2), with exactly the keys of the contract.

    `project` is null outside of a project. `additional` then is empty; otherwise it holds `projectAuthId`, the
    account of the project for the permission query.
    """

    project: LaunchedProject | None
    hierarchy: Hierarchy
    additional: dict[str, str]

    def as_json(self) -> str:
        """The object as JSON text: the same bytes in every way of handing it over, and in the answers of the API."""
        from core.codec.encoding import text_of

        return text_of(self)


def new_code() -> str:
    """A single-use launch code: 256 bits, URL-safe."""
    import secrets

    return secrets.token_urlsafe(32)


def hashed(code: str) -> str:
    """What is kept of a launch code, so that nobody who reads the database can use one."""
    import hashlib

    return hashlib.sha256(code.encode(errors="surrogatepass")).hexdigest()


def web_url(url: str, context: LaunchContext, user_id: Id, code: str) -> str:
    """The URL that a web product is opened with.

    With a code, which needs a server to exchange it, the query has ``launch=CODE``. Without one the fragment has
    ``context=OBJECT&userId=ID``, the object in base64url without padding; browsers do not send it to servers.
    """
    parts = urlsplit(url)
    if code:
        query = "&".join(part for part in (parts.query, urlencode({"launch": code})) if part)
        return urlunsplit(parts._replace(query=query))
    packed = base64.urlsafe_b64encode(context.as_json().encode()).rstrip(b"=").decode()
    return urlunsplit(parts._replace(fragment=urlencode({"context": packed, "userId": user_id})))


PASSED_ON = frozenset(
    {"PATH", "HOME", "USER", "LOGNAME", "SHELL", "TERM", "COLORTERM", "NO_COLOR", "LANG", "LANGUAGE", "TZ", "TMPDIR"}
    | {"DISPLAY", "WAYLAND_DISPLAY", "XDG_RUNTIME_DIR"}
)
"""What a terminal product sees of the environment, and ``LC_…``: no token, no setting of Podium, no agent's socket."""


def environment(context: LaunchContext, user_id: Id, environ: Mapping[str, str]) -> dict[str, str]:
    """The clean environment that a terminal product runs in, with its context and who launched it."""
    kept = {name: value for name, value in environ.items() if name in PASSED_ON or name.startswith("LC_")}
    return kept | {CONTEXT_VARIABLE: context.as_json(), USER_VARIABLE: user_id}
