"""Maximum lengths of texts, in characters, and sizes of changes; the same for typed and imported data."""

from __future__ import annotations

MAX_STEPS = 500
"""Steps of a bulk change: more than users mark by hand, and done within a second on a large project."""

MAX_PHASES = 100
"""Phases of a project and of a template: each change reads and checks all of them."""

MAX_RECORDS_IN_BULK = 2_000
"""Records that a bulk change can write, refused steps included: one step can write all tasks of an activity."""

MAX_RECORDS = 5_000
"""Records that any other command can write, unless its class is ``unbounded``."""

TOO_MANY_RECORDS = (
    "This would write more than {:,} records, the most for one change. Nothing was changed. "
    "Change fewer cards at a time."
)

TOO_MANY_STEPS = f"A bulk change has at most {MAX_STEPS} steps; this one has {{:,}}. Send it in several."


PROJECT_NAME = 120
PHASE_NAME = 80
CARD_TITLE = 200
APPLICATION_NAME = 120
DELIVERABLE_NAME = 200
CRITERION = 200
EVIDENCE = 500
COMMENT = 5_000
SOURCE_ID = 300
"""The id of a card in the program that it came from."""
REASON = 2_000
"""The reason of a decision at a gate."""
SEAL = 1_000_000
"""The seal of a decision in a file. One of 500 cards and 50 deliverables has up to 200,000."""
