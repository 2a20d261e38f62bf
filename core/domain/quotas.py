"""The most that one person may have, and may add in a day, as it is configured."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Quotas:
    """The most of one person. Each is the setting ``max_…`` of the configuration."""

    tokens: int = 20
    """Valid tokens that stand for them, whoever made them; the sessions of gateways are not among them."""
    sessions: int = 20
    """Valid sessions that gateways opened for them. All browsers of a person at one gateway share one."""
    projects: int = 1_000
    """Projects that they made and are a member of, archived ones included."""
    projects_a_day: int = 50
    """Projects that they make in a day, imported ones included."""
    imports_a_day: int = 20
    """Projects that they import in a day. Two at one time are none: a server does one command of a person at a time."""
    megabytes_a_day: int = 100
    """Text that their commands write in a day, in 1,000,000 bytes: what records hold before and after, in UTF-8."""
