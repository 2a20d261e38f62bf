"""The pages, from the files in assets/. Texts are inserted as text, never as HTML."""

from __future__ import annotations

import hashlib
from functools import cache
from html import escape
from importlib.resources import files
from mimetypes import guess_type
from pathlib import Path
from string import Template

import textual_serve
from aiohttp import web
from textual.theme import Theme

from core.record import Record
from tui.drawing.theme import DARK, LIGHT

ASSETS = Path(str(files("tui.web"))) / "assets"
TERMINAL = Path(textual_serve.__file__).parent / "static"

SERVED = {
    "podium.css": ASSETS / "podium.css",
    "podium.js": ASSETS / "podium.js",
    "DejaVuSansMono.woff2": ASSETS / "DejaVuSansMono.woff2",
    "DejaVuSansMono-Bold.woff2": ASSETS / "DejaVuSansMono-Bold.woff2",
    "terminal.js": TERMINAL / "js" / "textual.js",
    "terminal-reader.js": TERMINAL / "js" / "textual.js",
    "terminal.css": TERMINAL / "css" / "xterm.css",
}
"""The public files, by name, so that no path reaches the file system."""

READER_MODE = b"screenReaderMode:!"
"""The option of xterm.js for screen readers where its script has the default: 1 is off, 0 on."""


class Asset(Record, kw_only=False):
    """A public file with its content type."""

    content: bytes
    kind: str
    tag: str
    """The ETag."""


def asset(name: str) -> Asset | None:
    """A public file, or None. Files are cached whole, so that a slow line does not keep one open."""
    return _asset(name) if name in SERVED else None


@cache
def _asset(name: str) -> Asset:
    content, kind = SERVED[name].read_bytes(), guess_type(name)[0]
    if name == "terminal-reader.js":
        content = _for_readers(content)
    return Asset(content, kind or "font/woff2", hashlib.sha256(content).hexdigest()[:32])


def _for_readers(script: bytes) -> bytes:
    """The terminal's script with the option of xterm.js that makes its lines text in the page too, and our reader.js.

    textual-serve has no way to set the option. Raises RuntimeError if its script is not as expected.
    """
    if script.count(READER_MODE + b"1") != 1:
        raise RuntimeError("This version of textual-serve sets the option of xterm.js for screen readers elsewhere.")
    return script.replace(READER_MODE + b"1", READER_MODE + b"0") + b"\n" + (ASSETS / "reader.js").read_bytes()


def page(name: str, status: int = 200, /, **texts: str) -> web.Response:
    """The page assets/NAME.html with these texts, and with the common head."""
    safe = {key: escape(text) for key, text in texts.items()}
    text = _template(name).substitute(safe, head=_template("head").template)
    return web.Response(text=text, content_type="text/html", status=status)


def notice(status: int, title: str, words: str, action: str = "Go to the first page", to: str = "/") -> web.Response:
    """A page with a message and a link to go on."""
    return page("notice", status, title=title, words=words, action=action, to=to)


@cache
def _template(name: str) -> Template:
    return Template((ASSETS / f"{name}.html").read_text())


@cache
def colours() -> str:
    """The colours of both themes as a style sheet. The browser's setting decides, unless a page names a theme."""
    dark, light = _colours(DARK), _colours(LIGHT)
    return (
        f":root {{ {light} color-scheme: light; }}\n"
        f"@media (prefers-color-scheme: dark) {{ :root {{ {dark} color-scheme: dark; }} }}\n"
        f":root[data-theme=dark] {{ {dark} color-scheme: dark; }}\n"
        f":root[data-theme=light] {{ {light} color-scheme: light; }}\n"
    )


def _colours(theme: Theme) -> str:
    named = {
        "background": theme.background,
        "surface": theme.surface,
        "panel": theme.panel,
        "border": theme.variables["border"],
        "text": theme.foreground,
        "accent": theme.primary,
        "error": theme.error,
    }
    return " ".join(f"--{name}: {colour};" for name, colour in named.items())
