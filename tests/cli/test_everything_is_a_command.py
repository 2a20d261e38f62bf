"""Everything that a screen can change is a command: this compares the messages, no other test does."""

from __future__ import annotations

import re

from core.actions.catalog import MESSAGES
from core.engine.messages import Command
from tests.support.paths import ROOT

OF_SCREENS = {
    "AskForConsent": "an answer to a refusal on a screen; a command takes --allow-lapse, or names who can help",
    "SetFold": "a screen remembers what is folded",
    "SetLastSeen": "a screen remembers what was seen",
    "ReportPresence": "a screen says where its user is",
}
"""Commands that no command line needs, and why."""


def test_every_message_that_changes_something_is_sent_by_a_command_too() -> None:
    source = "\n".join(path.read_text() for path in sorted((ROOT / "tui" / "cli").rglob("*.py")))
    changing = {kind.__name__ for kind in MESSAGES if issubclass(kind, Command)}
    sent = {name for name in changing if re.search(rf"\b{name}\b", source)}
    assert changing - sent == OF_SCREENS.keys() & changing
