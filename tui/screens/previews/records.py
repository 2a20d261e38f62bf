"""The previews of people, products and templates."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from core.actions.products.products import GetProduct, ProductDetail
from core.actions.templates.templates import GetTemplate, TemplateDetail
from core.actions.workspace.users import GetUser, UserDetail
from core.domain.model import Id
from core.text.phrases import count, names
from tui.drawing.outline_lines import INDENT, OutlineEntry
from tui.drawing.people import PersonColours
from tui.drawing.preview_rows import PreviewLine, PreviewPage, PreviewPart, markdown
from tui.drawing.styles import Styles, TextRole
from tui.drawing.theme import QUIET
from tui.launch.launch_rules import target_words
from tui.screens.previews.lines import Kind, facts
from tui.wording.platform_roles import roles_of
from tui.wording.templates import in_short, length, tag_words


def _person_page(detail: UserDetail, _look: Styles, me: Id, _team: Mapping[Id, str]) -> PreviewPage:
    user = detail.user
    known = facts(
        user.login, user.email if user.has_email else "", user.city, roles_of(user), "" if user.active else "inactive"
    )
    projects = tuple(
        PreviewLine(project.name, ((project.role.lower(), TextRole.QUIET),)) for project in detail.projects
    )
    none = (PreviewLine("None that you can see.", text_role=TextRole.QUIET),)
    sign = (("@ ", PersonColours(me=me).role(user.id)),)
    return PreviewPage(user.name, sign, known, (PreviewPart("Projects", projects or none),))


def _product_page(detail: ProductDetail, look: Styles, _me: Id, _team: Mapping[Id, str]) -> PreviewPage:
    product = detail.product
    requires = names([level.lower() for level in product.required_context])
    known = facts(
        product.kind.lower(),
        f"requires {requires}" if requires else "for projects without links",
        f"used {count(detail.applications, 'time')}" if detail.applications else "not used yet",
        "retired" if product.retired else "",
    )
    roles = tuple(
        PreviewLine(each.role.name, ((names([role.name for role in each.meta_roles]), TextRole.QUIET),))
        for each in detail.roles
    )
    parts = [markdown("Description", product.description)] if product.description.strip() else []
    parts += [PreviewPart("Starts", (PreviewLine(target_words(product)),)), PreviewPart("Application roles", roles)]
    sign = ((f"{look.signs.application} ", TextRole.QUIET),)
    return PreviewPage(product.name, sign, known, tuple(parts))


def _template_page(detail: TemplateDetail, _look: Styles, _me: Id, _team: Mapping[Id, str]) -> PreviewPage:
    line = detail.line
    asks = f"asks for {names(line.slots)}" if line.slots else ""
    known = facts(length(line.days), tag_words(line.template.tags), asks)
    parts = [markdown("Description", line.template.description)] if line.template.description.strip() else []
    phases = PreviewPart("Phases", tuple(_outline_lines(in_short(detail.body))), str(line.phases))
    return PreviewPage(line.template.name, (), known, (*parts, phases))


def _outline_lines(entries: Iterator[OutlineEntry]) -> Iterator[PreviewLine]:
    for entry in entries:
        lead = " " * (entry.indent * INDENT) + (f"{entry.lead} " if entry.lead else "")
        role = TextRole.QUIET if entry.style == QUIET else TextRole.TITLE
        yield PreviewLine(entry.text, ((entry.hint, TextRole.QUIET),), ((lead, TextRole.QUIET),), role)


RECORDS: dict[str, Kind] = {
    "PERSON": (lambda user_id: GetUser(user_id=user_id), _person_page),
    "PRODUCT": (lambda product_id: GetProduct(product_id=product_id), _product_page),
    "TEMPLATE": (lambda template_id: GetTemplate(template_id=template_id), _template_page),
}
"""By the kind of a record."""
