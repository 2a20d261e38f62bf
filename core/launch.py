"""The launch context, and the ways in which it is handed over (spec, section 4; source document, section 2)."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from typing import Any, NamedTuple
from urllib.parse import urlencode, urlsplit, urlunsplit

from core.model import Id

CONTEXT_VARIABLE = "PODIUM_LAUNCH_CONTEXT"
"""The environment variable in which a terminal product finds its context, as JSON."""

CODE_SECONDS = 60
"""How long a launch code can be exchanged."""


class LaunchItem(NamedTuple):
    """An item associated with the application instance: the instance itself, with its place."""

    id: Id
    type: str
    phase_id: Id
    activity_id: Id | None


class Named(NamedTuple):
    """A linked client, market or brand."""

    id: Id
    name: str


class LaunchedProject(NamedTuple):
    """The project that a product is launched from."""

    id: Id
    name: str
    items: tuple[LaunchItem, ...]
    auth_id: str
    """Travels as ``additional.projectAuthId``."""


class LaunchContext(NamedTuple):
    """What a product is told. ``project`` is None when it is launched from the product list."""

    project: LaunchedProject | None
    client: Named | None
    market: Named | None
    brand: Named | None

    def as_object(self) -> dict[str, Any]:
        """The object with the exact keys of the contract."""
        project = self.project
        return {
            "project": project and {"id": project.id, "name": project.name, "items": _items(project)},
            "hierarchy": {level: _named(getattr(self, level)) for level in ("client", "market", "brand")},
            "additional": {"projectAuthId": project.auth_id} if project else {},
        }

    def as_json(self) -> str:
        return json.dumps(self.as_object(), ensure_ascii=False)


def _items(project: LaunchedProject) -> list[dict[str, Any]]:
    return [
        {"id": item.id, "type": item.type, "phaseId": item.phase_id, "activityId": item.activity_id}
        for item in project.items
    ]


def _named(node: Named | None) -> dict[str, str] | None:
    return node and {"id": node.id, "name": node.name}


def new_code() -> str:
    """A single-use launch code: 256 bits, URL-safe."""
    import secrets

    return secrets.token_urlsafe(32)


def hashed(code: str) -> str:
    """What is kept of a launch code, so that nobody who reads the database can use one."""
    import hashlib

    return hashlib.sha256(code.encode(errors="surrogatepass")).hexdigest()


def web_url(url: str, context: LaunchContext, code: str) -> str:
    """The URL that a web product is opened with.

    With a code, which needs a server to exchange it, the query has ``launch=CODE``; without one the object travels in
    the fragment, base64url without padding, which browsers do not send to servers.
    """
    parts = urlsplit(url)
    if code:
        query = "&".join(part for part in (parts.query, urlencode({"launch": code})) if part)
        return urlunsplit(parts._replace(query=query))
    packed = base64.urlsafe_b64encode(context.as_json().encode()).rstrip(b"=").decode()
    return urlunsplit(parts._replace(fragment=f"context={packed}"))


PASSED_ON = frozenset(
    {"PATH", "HOME", "USER", "LOGNAME", "SHELL", "TERM", "COLORTERM", "NO_COLOR", "LANG", "LANGUAGE", "TZ", "TMPDIR"}
    | {"DISPLAY", "WAYLAND_DISPLAY", "XDG_RUNTIME_DIR"}
)
"""What a terminal product sees of the environment, and ``LC_…``: no token, no setting of Podium, no agent's socket."""


def environment(context: LaunchContext, environ: Mapping[str, str]) -> dict[str, str]:
    """The clean environment that a terminal product runs in, with its context."""
    kept = {name: value for name, value in environ.items() if name in PASSED_ON or name.startswith("LC_")}
    return kept | {CONTEXT_VARIABLE: context.as_json()}
