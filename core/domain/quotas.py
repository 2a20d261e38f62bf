"""The quotas of one user: how much they can have and add."""

from __future__ import annotations

from core.record import Record


class Quotas(Record):
    """The quotas of one user. Each is the setting ``max_…`` of the configuration."""

    tokens: int = 20
    """Valid tokens that sign in as this user, made by anyone; sessions of gateways do not count."""
    sessions: int = 20
    """Valid sessions that gateways opened for this user. All browsers of a user at one gateway share one."""
    projects: int = 1_000
    """Projects that this user created and is a member of, archived ones included."""
    projects_a_day: int = 50
    """Projects that this user creates in a day, imports included."""
    imports_a_day: int = 20
    """Projects that this user imports in a day."""
    megabytes_a_day: int = 100
    """Text that this user's commands write in a day, in 1,000,000 bytes: the records before and after, in UTF-8."""
