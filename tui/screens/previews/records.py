"""The previews of people, products and templates."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from core.actions.products.products import GetProduct, ProductDetail
from core.actions.templates.templates import GetTemplate, TemplateDetail
from core.actions.workspace.users import GetUser, UserDetail
from core.domain.model import Id
from core.text.phrases import count, names
from tui.drawing.outline_lines import INDENT, OutlineEntry
from tui.drawing.people import person_role
from tui.drawing.preview_rows import PreviewLine, PreviewPage, PreviewPart, markdown
from tui.drawing.styles import Styles, TextRole
from tui.drawing.theme import QUIET
from tui.launch.launch_rules import target_words
from tui.screens.framework.previewer import Previewed
from tui.screens.previews.lines import facts
from tui.wording.platform_roles import roles_of
from tui.wording.templates import in_short, length, tag_words


def person_previewed(user_id: Id, name: str, me: Id, *more: PreviewPart) -> Previewed:
    """A person. ``more`` are parts that the screen knows about them."""
    return Previewed(
        id=f"{user_id} {more}",
        title=name,
        query=GetUser(user_id=user_id),
        draw=lambda detail, _: _person_page(detail, me, more),
    )


def product_previewed(product_id: Id, name: str) -> Previewed:
    """A product of the registry."""
    return Previewed(id=product_id, title=name, query=GetProduct(product_id=product_id), draw=_product_page)


def template_previewed(template_id: Id, name: str) -> Previewed:
    """A workflow template, with its phases."""
    return Previewed(id=template_id, title=name, query=GetTemplate(template_id=template_id), draw=_template_page)


def _person_page(detail: UserDetail, me: Id, more: Sequence[PreviewPart]) -> PreviewPage:
    user = detail.user
    known = facts(
        user.login, user.email if user.has_email else "", user.city, roles_of(user), "" if user.active else "inactive"
    )
    projects = tuple(
        PreviewLine(project.name, ((project.role.lower(), TextRole.QUIET),)) for project in detail.projects
    )
    none = (PreviewLine("None that you can see.", text_role=TextRole.QUIET),)
    sign = (("@ ", person_role(user.id, me)),)
    return PreviewPage(user.name, sign, known, (*more, PreviewPart("Projects", projects or none)))


def _product_page(detail: ProductDetail, look: Styles) -> PreviewPage:
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


def _template_page(detail: TemplateDetail, _: Styles) -> PreviewPage:
    line = detail.line
    asks = f"asks for {names(line.slots)}" if line.slots else ""
    known = facts(length(line.days), tag_words(line.template.tags), asks)
    parts = [markdown("Description", line.template.description)] if line.template.description.strip() else []
    phases = PreviewPart("Phases", tuple(_outlined(in_short(detail.body))), str(line.phases))
    return PreviewPage(line.template.name, (), known, (*parts, phases))


def _outlined(entries: Iterator[OutlineEntry]) -> Iterator[PreviewLine]:
    for entry in entries:
        lead = " " * (entry.indent * INDENT) + (f"{entry.lead} " if entry.lead else "")
        role = TextRole.QUIET if entry.style == QUIET else TextRole.TITLE
        yield PreviewLine(entry.text, ((entry.hint, TextRole.QUIET),), ((lead, TextRole.QUIET),), role)
