"""Records in the palette: projects, phases, cards, people, products, templates, and view presets."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from functools import partial

from textual.command import Hit, Hits, Provider
from textual.content import Content

from core.actions.personal.presets import ListPresets
from core.actions.personal.search import Search, SearchHit, SearchHitKind
from core.domain.view_settings import ViewPreset
from core.errors import PodiumError
from tui.drawing.cells import plain
from tui.screens.framework.screen import PodiumScreen
from tui.screens.personal.search import open_hit
from tui.screens.shell.command_palette import line_of
from tui.screens.views.preset_menu import activate_preset
from tui.screens.views.project_view import ProjectView
from tui.services.destinations import ToSearch

PAUSE = 0.08
"""Seconds without a key before the database is searched, so that fast typing does not query at each letter."""
MAX_COUNT = 12
"""The most records that are offered; the last line opens the search for all of them."""
LOOKED_AT = 4 * MAX_COUNT
"""The most results of the search that are looked at: archived ones and comments are left out."""
HERE = 1.25
"""The factor on the score of a record of the project that is open."""
EXACT = 2.0
"""The score of a record of which the key is typed."""
LEAST = 0.01
"""The score of a record of which the words are found, but not in their order, and of the last line, half of it."""
_IN_OTHERS = (SearchHitKind.COMMENT, SearchHitKind.DELIVERABLE)
"""Kinds that the palette leaves to the search: they have no name."""


class RecordsProvider(Provider):
    """Records by the beginnings of words, as the search finds them, and presets of the view. Enter goes there."""

    _presets: Sequence[ViewPreset] | None = None

    async def search(self, query: str) -> Hits:
        screen = self.screen
        if not isinstance(screen, PodiumScreen):
            return
        await asyncio.sleep(PAUSE)
        for hit in [*await self._records(screen, query), *await self._presets_of(screen, query)]:
            yield hit
        last = f"Search for “{query}”"
        go = partial(screen.podium.call_later, screen.podium.visit, ToSearch(query))
        yield Hit(LEAST / 2, line_of(screen, plain(last), "\\"), go, text=last)

    async def _records(self, screen: PodiumScreen, query: str) -> list[Hit]:
        try:
            found = (await screen.podium.aside(Search(text=query, most=LOOKED_AT))).found
        except PodiumError:  # the actions are offered all the same, and the last line says what is wrong
            return []
        named = [each for each in found if each.kind not in _IN_OTHERS and not each.out_of_use]
        return [self._hit(screen, query, each) for each in named[:MAX_COUNT]]

    def _hit(self, screen: PodiumScreen, query: str, found: SearchHit) -> Hit:
        is_key = found.key.casefold() == query.strip().casefold() != ""
        score = EXACT if is_key else max(self.matcher(query).match(found.title), LEAST)
        project = found.project if found.project != found.title else ""
        hint = " · ".join(filter(None, (found.key, found.what, project)))
        go = partial(screen.podium.call_later, open_hit, screen.podium, found)
        return Hit(
            score * (HERE if found.project_id == screen.project_id else 1),
            line_of(screen, _emphasised(found), hint),
            go,
            text=found.title,
        )

    async def _presets_of(self, screen: PodiumScreen, query: str) -> list[Hit]:
        """The presets whose names match; they are read once, while the palette is open."""
        if not isinstance(screen, ProjectView):
            return []
        if self._presets is None:
            try:
                self._presets = (await screen.podium.aside(ListPresets(project_id=screen.project_id))).presets
            except PodiumError:
                self._presets = ()
        return [*self._matching(screen, query, self._presets)]

    def _matching(self, screen: ProjectView, query: str, presets: Sequence[ViewPreset]) -> Iterator[Hit]:
        matcher = self.matcher(query)
        for preset in presets:
            if (score := matcher.match(preset.name)) > 0:
                use = partial(screen.podium.begin, partial(_use, screen, preset))
                yield Hit(score, line_of(screen, matcher.highlight(preset.name), "preset"), use, text=preset.name)


async def _use(screen: ProjectView, preset: ViewPreset) -> None:
    try:
        await activate_preset(screen, preset)
    except PodiumError as error:
        screen.podium.show_error(error)


def _emphasised(found: SearchHit) -> Content:
    """The title, with the words that were typed."""
    title = plain(found.title)
    for mark in found.title_marks:
        title = title.stylize("$text-accent", mark.start, mark.end)
    return title
