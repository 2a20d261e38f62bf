"""The preview of a record by its kind: the query that reads it, and the page that shows it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from core.actions.cards.application_lists import GetApplication
from core.actions.cards.details import GetCard, GetPhase
from core.actions.products.products import GetProduct
from core.actions.projects.digest import GetProjectDigest
from core.actions.templates.templates import GetTemplate
from core.actions.workspace.users import GetUser
from core.domain.model import Id
from core.engine.messages import Query
from core.record import replace
from tui.drawing.preview_rows import PreviewPage, PreviewPart
from tui.drawing.styles import Styles
from tui.screens.framework.previewer import Previewed
from tui.screens.previews.cards import application_page, card_page
from tui.screens.previews.phases import phase_page
from tui.screens.previews.projects import project_page
from tui.screens.previews.records import person_page, product_page, template_page

Kind = tuple[Callable[[Id], Query[Any]], Callable[[Any, Styles, Id, Mapping[Id, str]], PreviewPage]]

CARD: Kind = (lambda item_id: GetCard(item_id=item_id), card_page)
PHASE: Kind = (lambda phase_id: GetPhase(phase_id=phase_id), phase_page)
KINDS: dict[str, Kind] = {
    "PHASE": PHASE,
    "DELIVERABLE": PHASE,
    "APPLICATION": (lambda application_id: GetApplication(application_id=application_id), application_page),
    "PROJECT": (lambda project_id: GetProjectDigest(project_id=project_id), project_page),
    "PERSON": (lambda user_id: GetUser(user_id=user_id), person_page),
    "PRODUCT": (lambda product_id: GetProduct(product_id=product_id), product_page),
    "TEMPLATE": (lambda template_id: GetTemplate(template_id=template_id), template_page),
}
"""By the kind of a record; the others are cards. The preview of a deliverable is that of its phase."""


def preview_of(
    kind: str, record_id: Id, title: str, *before: PreviewPart, team: Mapping[Id, str] | None = None
) -> Previewed:
    """A record, after parts such as what a line of the inbox asks.

    ``team`` are the names of the members of its project, where the screen knows them.
    """
    make_query, make_page = KINDS.get(kind, CARD)

    def draw(answer: Any, look: Styles, me: Id) -> PreviewPage:
        page = make_page(answer, look, me, team or {})
        return replace(page, parts=(*before, *page.parts))

    return Previewed(id=f"{record_id} {before}", title=title, query=make_query(record_id), draw=draw)
