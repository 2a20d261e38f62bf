"""The keys that lead to each screen, the keys that are not measured with the reason, and the goals of the others."""

from __future__ import annotations

from dataclasses import dataclass

from tui.keys.table import EVERYWHERE, LIST, SCREENS, VIEW, Key, keys_on

WAYS = {
    "canvas": "",
    "card": "<enter>",
    "application": "<home><enter>",
    "phase": "p",
    "gate_record": "gG",
    "members": "gM",
    "people": "gw",
    "access": "ga",
    "hierarchy": "gy",
    "products": "go",
    "product": "go<enter>",
    "meta_roles": "gr",
    "templates": "ge",
    "template": "ge<enter>",
    "timeline": "gt",
    "status_board": "gb",
    "table": "gl",
    "calendar": "gC",
    "charts": "gB",
    "my_work": "T",
    "portfolio": "gP",
    "workload": "gW",
    "person_workload": "gW<enter>",
    "inbox": "gi",
    "history": "gh",
    "search": "gfbrief<down>",
    "settings": "gs",
    "doctor": "gd",
    "projects": "gp",
    "import": ":import a project<enter>tests/unit/import_export/cases/m1-planner.csv<enter>",
}
"""From the Canvas, on a task, in a program that was started in the checkout."""

AROUND = {"canvas.why": ("l", "h")}
"""The keys that are pressed before and after another one, so that it opens something."""

PARTS = (EVERYWHERE, LIST, VIEW)
"""Names in the table whose keys are those of screens."""

NO_KEY = "It has no key: palette and menu only."

NOT_MEASURED = {
    "suspend": "The shell has the terminal then.",
    "edit_text": "It starts an editor, which has the terminal then.",
    "launch": "It starts another program.",
    "canvas.close": "It ends the program, which began here.",
    "projects.close": "It ends the program.",
    "bring_in": "It imports the file, which ends the screen.",
}
"""Verbs, on all screens or on one, with the reason."""

PALETTE = "palette"
DRAWN = ("help", "go", "why")
CHOICES = ("assign", "labels", "waits_for", "move_to", "menu", "status", "role", "roles", "meta_roles", "sources")
"""Dialogs in which one is chosen of what is there. Those that are in no list are forms."""

FIRST = (PALETTE, *DRAWN, *CHOICES, "new_card", "due", "open", "next_view", "previous_view", "phase", "my_work")
"""The verbs that are measured before those that change what they act on."""

WHOLE_SCREENS = 24_000
MODAL, INPUT, SCREEN = "drawn modal", "Input and list", "drawn screen"


@dataclass(frozen=True, slots=True)
class Goal:
    """The most that a key may take: times what a bare program takes, and bytes at 120×40 to open and to close."""

    times: float
    bare: str
    bytes: int


def goal_of(verb: str, opened: str, cards: int) -> Goal | None:
    """The goal of a key that has opened a "dialog" or a "screen"; None for one that acts in its "place"."""
    if opened == "screen":
        return Goal(2 if cards <= 100 else 3, SCREEN, WHOLE_SCREENS)
    if opened != "dialog":
        return None
    if verb == PALETTE:
        return Goal(1.15, INPUT, 10_000)
    if verb in DRAWN:
        return Goal(1.15, MODAL, WHOLE_SCREENS if verb == "help" else 6_000)
    return Goal(1.5, MODAL, 6_000) if verb in CHOICES else Goal(2, INPUT, 6_000)


def why_not_measured(screen: str, key: Key) -> str:
    """The reason why a key of a screen is not measured; empty if it is."""
    if not key.keys:
        return NO_KEY
    return NOT_MEASURED.get(f"{screen}.{key.verb}") or NOT_MEASURED.get(key.verb, "")


def measured_keys(screen: str) -> list[Key]:
    """The keys of a screen that are measured, those in FIRST before the others."""
    rank = {verb: at for at, verb in enumerate(FIRST)}
    keys = (key for key in keys_on(screen) if not why_not_measured(screen, key))
    return sorted(keys, key=lambda key: rank.get(key.verb, len(rank)))


def screens() -> list[str]:
    """The screens of the table of keys."""
    return [name for name in SCREENS if name not in PARTS]


def typed(key: Key) -> str:
    """A key as ``tests.support.terminal.keys`` has it."""
    names = {"<": "<lt>", "PgDn": "<pagedown>", "PgUp": "<pageup>"}
    return names.get(key.shown) or (key.shown if len(key.shown) == 1 else f"<{key.shown.lower()}>")
