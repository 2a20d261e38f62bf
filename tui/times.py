"""Moments as people read them, in the time zone of the reader."""

from __future__ import annotations

from datetime import datetime

from core.dates import in_full


def when(at: datetime, now: datetime) -> str:
    """``today 14:05``, ``yesterday 14:05``, else with the day in full: ``Mon 2 Mar 2026 14:05``."""
    here = at.astimezone()
    days = (now.astimezone().date() - here.date()).days
    day = {0: "today", 1: "yesterday"}.get(days) or in_full(here.date())
    return f"{day} {here.hour:02}:{here.minute:02}"
