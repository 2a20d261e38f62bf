"""The user's recent searches: those that led to a result, the newest first. They are a setting of the user."""

from __future__ import annotations

from core.errors import PodiumError
from core.record import Record
from tui.services.host import Host

SETTING = "recent_searches"
"""The setting: one search per line."""
MAX_COUNT = 8


class RecentSearch(Record):
    """A search that can be repeated."""

    text: str


def recent(podium: Host) -> tuple[RecentSearch, ...]:
    """The recent searches, the newest first."""
    return tuple(RecentSearch(text=text) for text in _kept(podium))


async def remember(podium: Host, text: str) -> None:
    """Put a search first. Without an answer the search is not kept, which is no reason to disturb the user."""
    text = " ".join(text.split())
    try:
        if text and _kept(podium)[:1] != [text]:
            await _keep(podium, [text, *_without(podium, text)])
    except PodiumError:
        return


async def forget(podium: Host, text: str) -> None:
    """Remove a search from the list. Raises PodiumError."""
    await _keep(podium, _without(podium, text))


def _kept(podium: Host) -> list[str]:
    return podium.me.preferences.get(SETTING, "").splitlines()


def _without(podium: Host, text: str) -> list[str]:
    return [other for other in _kept(podium) if other.casefold() != text.casefold()]


async def _keep(podium: Host, texts: list[str]) -> None:
    await podium.keep(SETTING, "\n".join(texts[:MAX_COUNT]))
