"""The choice of the terminal for screen readers: that of the browser, in a cookie, or else that of the gateway."""

from __future__ import annotations

from aiohttp import web

from core.record import Record

CHOICE = "reader"
"""The parameter of the first page that makes the choice: 1 or 0."""

COOKIE = "podium-reader"

YEAR_SECONDS = 365 * 24 * 60 * 60


class ReaderChoice(Record):
    """The choice of each browser of a gateway."""

    default: bool
    """That of browsers which have made none."""
    secure: bool
    """True if the pages are at https."""

    def is_on(self, request: web.Request) -> bool:
        """True if this browser gets the terminal for screen readers."""
        return {"0": False, "1": True}.get(request.cookies.get(COOKIE, ""), self.default)

    def link(self, request: web.Request) -> dict[str, str]:
        """Address and words of the link that changes the choice, for a page."""
        is_on = self.is_on(request)
        words = f"Turn screen reader support {'off' if is_on else 'on'}"
        return {"reader_link": f"/?{CHOICE}={int(not is_on)}", "reader_words": words}

    def remember(self, request: web.Request) -> None:
        """Keep the choice that a request makes, if any, and redirect to the page without it."""
        if (choice := request.query.get(CHOICE)) in ("0", "1"):
            response = web.HTTPSeeOther("/")
            response.set_cookie(
                COOKIE, choice, max_age=YEAR_SECONDS, path="/", httponly=True, samesite="Lax", secure=self.secure
            )
            raise response
