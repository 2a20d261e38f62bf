"""The launch context, which ``core.actions.products.launch`` fills in, and the ways to pass it to a product."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from urllib.parse import urlencode, urlsplit, urlunsplit

from core.domain.model import Id
from core.record import Record

CONTEXT_VARIABLE = "PODIUM_LAUNCH_CONTEXT"
"""The environment variable that holds the launch context of a terminal product, as JSON."""

USER_VARIABLE = "PODIUM_USER_ID"
"""The environment variable that holds the id of the user who launched it, for the permission query."""

CODE_SECONDS = 60
"""Seconds for which a launch code is valid."""


class LaunchItem(Record, kw_only=False):
    """The application that is launched, with its phase and its activity."""

    id: Id
    type: str
    phase_id: Id
    activity_id: Id | None


class LinkedNode(Record, kw_only=False):
    """A linked client, market or brand."""

    id: Id
    name: str


class LaunchedProject(Record, kw_only=False):
    """The project from which a product is launched."""

    id: Id
    name: str
    items: tuple[LaunchItem, ...]


class Hierarchy(Record, kw_only=False):
    """The client, market and brand for which a product is launched."""

    client: LinkedNode | None
    market: LinkedNode | None
    brand: LinkedNode | None


class LaunchContext(Record, kw_only=False):
    """The launch context: an object with exactly the keys that products expect.

    ``project`` is null for a launch from the product list, and ``additional`` is empty then. In a project
    ``additional`` holds ``projectAuthId``, the account of the project for the permission query.
    """

    project: LaunchedProject | None
    hierarchy: Hierarchy
    additional: dict[str, str]

    def as_json(self) -> str:
        """The object as JSON text: the same bytes for every way to pass it and in the answers of the API."""
        from core.codec.encoding import text_of

        return text_of(self)


def new_code() -> str:
    """A new launch code, for one use: 256 random bits, URL-safe."""
    import secrets

    return secrets.token_urlsafe(32)


def hash_code(code: str) -> str:
    """The SHA-256 of a launch code. Only this is stored, so that a reader of the database cannot use the code."""
    import hashlib

    return hashlib.sha256(code.encode(errors="surrogatepass")).hexdigest()


def web_url(url: str, context: LaunchContext, user_id: Id, code: str) -> str:
    """The URL at which a web product is opened.

    With ``code``, which needs a server to exchange it, the query gets ``launch=CODE``. Without one the fragment is
    ``context=OBJECT&userId=ID``, with the object in base64url without padding; browsers do not send fragments to
    servers.
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
"""The environment variables that a terminal product receives, and ``LC_…``. Tokens, settings of Podium and sockets of
agents are not among them."""


def environment(context: LaunchContext, user_id: Id, environ: Mapping[str, str]) -> dict[str, str]:
    """The environment of a terminal product: the allowed variables of ``environ``, the context, and the user's id."""
    kept = {name: value for name, value in environ.items() if name in PASSED_ON or name.startswith("LC_")}
    return kept | {CONTEXT_VARIABLE: context.as_json(), USER_VARIABLE: user_id}
