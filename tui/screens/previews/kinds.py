"""The preview of a record by its kind: the query that reads it, and the page that shows it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from core.actions.cards.application_lists import GetApplication
from core.actions.cards.details import GetCard, GetPhase
from core.actions.projects.digest import GetProjectDigest
from core.domain.model import Id
from core.record import replace
from tui.drawing.preview_rows import PreviewPage, PreviewPart
from tui.drawing.styles import Styles
from tui.screens.framework.previewer import Previewed
from tui.screens.previews.cards import application_page, card_page
from tui.screens.previews.lines import Kind
from tui.screens.previews.projects import phase_page, project_page

CARD: Kind = (lambda item_id: GetCard(item_id=item_id), card_page)
PHASE: Kind = (lambda phase_id: GetPhase(phase_id=phase_id), phase_page)
KINDS: dict[str, Kind] = {
    "PHASE": PHASE,
    "DELIVERABLE": PHASE,
    "APPLICATION": (lambda application_id: GetApplication(application_id=application_id), application_page),
    "PROJECT": (lambda project_id: GetProjectDigest(project_id=project_id), project_page),
}
"""By the kind of a record; others are cards, or of the workspace. The preview of a deliverable is that of its phase."""

OF_WORKSPACE = ("PERSON", "PRODUCT", "TEMPLATE")


def preview_of(
    kind: str, record_id: Id, title: str, *before: PreviewPart, team: Mapping[Id, str] | None = None
) -> Previewed:
    """A record, after parts such as what a line of the inbox asks.

    ``team`` are the names of the members of its project, where the screen knows them.
    """
    if kind in OF_WORKSPACE:
        from tui.screens.previews.records import RECORDS  # the first screen shows none of them

        make_query, make_page = RECORDS[kind]
    else:
        make_query, make_page = KINDS.get(kind, CARD)

    def draw(answer: Any, look: Styles, me: Id) -> PreviewPage:
        page = make_page(answer, look, me, team or {})
        return replace(page, parts=(*before, *page.parts))

    return Previewed(id=f"{record_id} {before}", title=title, query=make_query(record_id), draw=draw)
