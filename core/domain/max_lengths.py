"""How long the texts of people may be, in characters: for what is typed and what is imported alike."""

from __future__ import annotations

MAX_STEPS = 500
"""Of a bulk change: more than anybody marks on purpose, and done in well under a second on a large project."""

MAX_RECORDS_IN_BULK = 2_000
"""That a bulk change writes, those of its refused steps included: one step may write every task of an activity."""

MAX_RECORDS = 5_000
"""That any other command writes which is not declared ``unbounded``."""

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
EVIDENCE = 500
COMMENT = 5_000
REASON = 2_000
"""Of a decision at a gate."""
