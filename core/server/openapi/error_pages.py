"""The pages that the ``link`` of an error leads to: the meaning of each code and what to do, as HTML and as JSON."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from html import escape
from inspect import getdoc

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from core.codec.encoding import camel, text_of
from core.errors import NotFound, PodiumError
from core.record import Record
from core.server.requests.correlation import HEADER, correlation_of
from core.server.requests.responses import IN_FORM_A, json_response
from core.text.sanitize import quote_value
from core.wire.error_bodies import ERROR_PAGES, KINDS

HOW_TO_FIX: Mapping[str, str] = {
    "INVALID_INPUT": "Correct what “details.field” names and send the request again.",
    "INVALID_FILTER": "Correct the filter where “details.at” says, and send the request again.",
    "INVALID_IMPORT": "Correct the document where “details.field” says. Nothing of it was imported.",
    "NOT_FOUND": "Check the address and the ids in it, and that you have access.",
    "UNAUTHENTICATED": "Send a valid token, or connect to the socket with a linked account.",
    "FORBIDDEN": "Ask a person in “details.whoCan” to do it, or to give you the role.",
    "RULE_VIOLATION": "First finish what “details.blockers” lists, or ask a person in “details.whoCan”.",
    "PHASE_LOCKED": "Complete the items in “details.blockers”, or override the lock of the phase “details.phaseId”.",
    "CARD_BLOCKED": "Complete the cards in “details.blockers”, or override what the card “details.cardId” waits for.",
    "BLOCKS_CARDS": "Send it again with “relock” to accept that the cards in “details.blockers” are blocked again.",
    "RELOCKS_PHASES": "Send it again with “relock” to accept that later phases lock.",
    "LAPSES_APPROVAL": "Send it again with the reason in “allowLapse” to end the approvals of the phases in "
    "“details.phaseIds”. Where “details.canAllow” is false, ask a person in “details.whoCan”.",
    "UNDO_TOO_OLD": "Send it again with the “seq” of “details.seq” to undo that change.",
    "QUOTA_REACHED": "Do what the sentence says, or send it again tomorrow. An administrator may raise the quota.",
    "VERSION_CONFLICT": "Look at the record as it is now, in “details.current”, and send its version as “seenVersion”.",
    "NOTHING_TO_UNDO": "Nothing is left to do.",
    "CANNOT_UNDO": "Change it back by hand, if it still should be.",
    "AUTHORIZATION_UNAVAILABLE": "Try again in a moment. If it stays, tell an administrator the correlation id.",
    "AUTHORIZATION_INVALID": "Tell an administrator the correlation id; trying again is of no use until it is fixed.",
    "AUTHORIZATION_TIMED_OUT": "Try again in a moment. If it stays, tell an administrator the correlation id.",
    "CANNOT_LAUNCH": "Do what the sentence says.",
    "TOOK_TOO_LONG": "Ask for less at a time. The same request may be sent again under its Idempotency-Key.",
    "CANCELLED": "Send it again if it should be done after all.",
    "TOO_MANY_STREAMS": "Close one of those streams, or ask now and then instead of following the changes.",
    "STORAGE": "Try again in a moment. If it stays, an administrator finds the cause with “podium doctor”.",
    "DATABASE_MISSING": "An administrator makes the workspace with “podium init”.",
    "DATABASE_LOST": "An administrator puts the moved file back, or restores the newest backup with “podium restore”.",
    "DATABASE_BUSY": "Try again in a moment. If it stays, an administrator finds the cause with “podium doctor”.",
    "DATABASE_AWAY": "Try again in a moment: it comes back by itself. If it does not, ask an administrator.",
    "DATABASE_FULL": "An administrator has to make room on the disk.",
    "DATABASE_READ_ONLY": "An administrator has to let the server write the file and its folder.",
    "DATABASE_DAMAGED": "An administrator restores a backup with “podium restore”.",
    "DATABASE_TOO_NEW": "An administrator has to install the newer Podium.",
    "DATABASE_TOO_OLD": "An administrator brings the database forward with “podium migrate”.",
    "DATABASE_MOVED": "Ask an administrator for the address of the server that has the workspace now.",
    "UNSAFE_FILE": "An administrator looks at the file that the sentence names, and does what it says.",
    "SERVER_UNAVAILABLE": "Try again in a moment. A command that is sent again needs the same Idempotency-Key.",
    "METHOD_NOT_ALLOWED": "Use one of the methods that the header “Allow” of the answer names.",
    "UNSUPPORTED_MEDIA_TYPE": "Send the body as JSON in UTF-8, with “Content-Type: application/json”.",
    "INTERNAL_ERROR": "Tell an administrator the correlation id.",
    "UNAVAILABLE": "Try again in a moment.",
    "TIMED_OUT": "Look whether it was done. A command may be sent again under its Idempotency-Key.",
    "TOO_MANY_REQUESTS": "Wait for as many seconds as the header “Retry-After” says, then go on more slowly.",
    "BAD_GATEWAY": "Try again in a moment. A command that is sent again needs the same Idempotency-Key.",
    "USAGE": "Correct the command line; “podium COMMAND --help” says what it takes.",
    "OUTPUT_NOT_WRITTEN": "Look whether it was done, then make room where the output goes or send it elsewhere.",
    "TOO_LITTLE_MEMORY_OR_FILES": "Raise the limit that the sentence names, or close other programs.",
}
"""The advice for each code."""

OF_THE_GATEWAY = {
    429: ("TOO_MANY_REQUESTS", "The quota of requests is used up. Only a gateway sends this, never Podium itself."),
    502: ("BAD_GATEWAY", "The gateway got no answer from Podium. Only a gateway sends this, never Podium itself."),
}
"""The errors of examples/nginx.conf."""

OF_THE_COMMAND_LINE = {
    2: ("USAGE", "The command line of “podium” cannot be understood. A server never sends this."),
    71: (
        "TOO_LITTLE_MEMORY_OR_FILES",
        "The system allows “podium” too little memory or too few open files. A server never sends this.",
    ),
    74: ("OUTPUT_NOT_WRITTEN", "What “podium” prints cannot be written. A server never sends this."),
}
"""Codes that only the command line prints; each has the command's exit status in the place of the HTTP status."""

_STYLE = "body{font:1rem/1.5 system-ui,sans-serif;max-width:40rem;margin:2rem auto;padding:0 1rem}"


class ErrorPage(Record, kw_only=False):
    """The page of one error code."""

    code: str
    title: str
    meaning: str
    status: int
    what_to_do: str


@cache
def pages() -> Mapping[str, ErrorPage]:
    """The page of every error code, by code."""
    own = {
        code: ErrorPage(code, kind.title, _meaning(kind), kind.http_status, HOW_TO_FIX[code])
        for code, kind in KINDS.items()
    }
    plain = {
        code: ErrorPage(code, code.capitalize().replace("_", " "), sentence, status, HOW_TO_FIX[code])
        for status, (code, sentence) in (IN_FORM_A | OF_THE_GATEWAY | OF_THE_COMMAND_LINE).items()
    }
    return dict(sorted((plain | own).items()))


def _meaning(kind: type[PodiumError]) -> str:
    """The first paragraph of the error's docstring, with its attributes named as they are in ``details``."""
    words = " ".join((getdoc(kind) or "").split("\n\n")[0].split())
    return re.sub("``(.+?)``", lambda name: f"“{camel(name[1])}”", words)


def error_page_routes() -> list[Route]:
    """``GET /v1/errors`` and ``GET /v1/errors/{code}``, without authentication."""

    async def every(request: Request) -> Response:
        return _page(request, "Error codes", tuple(pages().values()))

    async def one(request: Request) -> Response:
        code = request.path_params["code"]
        if code not in pages():
            raise NotFound(f"There is no error code “{quote_value(code)}”. {ERROR_PAGES[:-1]} lists them.")
        return _page(request, code, pages()[code])

    return [Route(ERROR_PAGES[:-1], every, methods=["GET"]), Route(ERROR_PAGES + "{code}", one, methods=["GET"])]


def _page(request: Request, title: str, shown: ErrorPage | tuple[ErrorPage, ...]) -> Response:
    """HTML for a browser, JSON for all other clients."""
    varies = {"Vary": "Accept"}
    if "text/html" not in request.headers.get("accept", ""):
        return json_response(text_of(shown), request, headers=varies)
    body = (
        _page_body(shown)
        if isinstance(shown, ErrorPage)
        else "".join(_heading(each) + _page_body(each) for each in shown)
    )
    body = f"<h1>{escape(title)}</h1>{body}"
    head = f'<meta charset="utf-8"><title>{escape(title)} - Podium</title><style>{_STYLE}</style>'
    html = f'<!doctype html><html lang="en"><head>{head}</head><body>{body}</body></html>'
    return Response(html, headers=varies | {HEADER: correlation_of(request)}, media_type="text/html")


def _heading(page: ErrorPage) -> str:
    code = escape(page.code)
    return f'<h2 id="{code}"><a href="{ERROR_PAGES}{code}">{code}</a></h2>'


def _page_body(page: ErrorPage) -> str:
    title, meaning, what_to_do = map(escape, (page.title, page.meaning, page.what_to_do))
    return f"<p><strong>{title}</strong> ({page.status}). {meaning}</p><p>{what_to_do}</p>"
