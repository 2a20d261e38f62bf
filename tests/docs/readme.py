"""The generated chapters of the README: keys, messages, example files. ``python -m tests.docs.readme`` writes them."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from core.actions.catalog import COMMANDS, summary
from tests.support.paths import ROOT
from tui.keys.bindings import KEYS, Key, written

README = ROOT / "README.md"
EXAMPLES = ROOT / "core" / "server" / "examples"

TITLES = {"list": "In every list", "view": "In every view of a project but the Canvas"}
"""What the parts of the table of keys that are no single screen are called here."""


def keys_chapter() -> str:
    """A table of keys for each screen, folded but for the Canvas."""
    parts = []
    for screen in dict.fromkeys(key.screen for key in KEYS):
        title = TITLES.get(screen, screen.replace("_", " ").capitalize())
        keys = [key for key in KEYS if key.screen == screen and key.keys]
        if not keys:
            continue
        rows = "\n".join(f"| {_shown(key)} | {key.words} |" for key in keys if not key.arguments)
        opening = "<details open>" if screen == "canvas" else "<details>"
        parts.append(f"{opening}<summary>{title}</summary>\n\n| Key | What it does |\n|---|---|\n{rows}\n\n</details>")
    return "\n".join(parts)


def messages_chapter() -> str:
    """Every command with its help: what ``podium do`` sends."""
    return "\n".join(
        ["| Message | What it does |", "|---|---|"]
        + [f"| `{command.__name__}` | {summary(command)} |" for command in COMMANDS]
    )


def example_chapter(path: Path) -> str:
    """An example file for administrators, as it is in the package."""
    return f"```\n{path.read_text()}```"


SHOWN = EXAMPLES / "sshd_podium.conf"
"""The one example that is short enough to be read in the middle of a text; the README points to the others."""

CHAPTERS = {
    "keys": keys_chapter,
    "messages": messages_chapter,
    SHOWN.name: partial(example_chapter, SHOWN),
}


def with_chapters(text: str) -> str:
    """The README with every generated chapter as it should be."""
    for name, chapter in CHAPTERS.items():
        start, end = f"<!-- {name} -->\n", f"<!-- /{name} -->"
        before, _, rest = text.partition(start)
        _, _, after = rest.partition(end)
        text = f"{before}{start}{chapter()}\n{end}{after}"
    return text


def _shown(key: Key) -> str:
    return " ".join(f"`{written(each)}`" for each in key.keys.split(","))


if __name__ == "__main__":
    README.write_text(with_chapters(README.read_text()))
