"""The workflow templates of the workspace: found by words and tags, looked into, and used."""

from __future__ import annotations

from collections.abc import Sequence

from core.actions.templates.templates import ListTemplates, RemoveTemplate, TemplateSummary
from core.domain.templates import Template
from core.text.phrases import names
from tui.drawing.styles import TextRole
from tui.screens.framework.controller import Action
from tui.screens.framework.dialogs import asking
from tui.screens.framework.global_actions import copy_id
from tui.screens.framework.list_screen import ListScreen
from tui.screens.framework.previewer import Previewed, Previewer, PreviewPlace
from tui.screens.previews.kinds import preview_of
from tui.screens.projects.from_template import make_from_template
from tui.screens.templates.form import ask_edit_template
from tui.services.destinations import ToTemplate
from tui.widgets.columns import Column, Line, cell
from tui.wording.platform_roles import roles_of, why_empty
from tui.wording.templates import length, tag_words

COLUMNS = (
    Column("Name", 16, 36),
    Column("Tags", 12, 30, rank=3),
    Column("Phases", 6, 6, rank=1, right=True),
    Column("Items", 5, 5, rank=2, right=True),
    Column("Length", 8, 8, rank=1),
    Column("Version", 7, 7, rank=4, right=True),
)

NO_TEMPLATES = "No templates yet\nThe workflow of a project becomes one on its Canvas: : and then “template”."


class TemplatesScreen(ListScreen[Template]):
    """The templates; workspace admins rename and remove them here."""

    name_in_table = "templates"
    title_words = "Templates"
    is_of_workspace = True
    columns = COLUMNS
    opens = "templates.open"
    nothing_here = "No template here."

    def __init__(self) -> None:
        super().__init__()
        self.previewer = self.add(Previewer(self, self.find_record, PreviewPlace(is_beside=True, least=120)))

    def find_record(self) -> Previewed | None:
        template = self.records.current
        return preview_of("TEMPLATE", template.id, template.name) if template else None

    async def reload(self) -> None:
        self.access.role_words = roles_of(self.podium.me.user)
        lines = await self.podium.query(ListTemplates())
        self.listing.empty = why_empty(self.podium.me, "templates", NO_TEMPLATES)
        self.records.show((each.template, _line(each)) for each in lines)

    # -- keys ------------------------------------------------------------------------------------------------

    def actions(self) -> Sequence[Action]:
        return (
            self.records.action("open", self.do_open),
            self.records.action("new_project", self.do_new_project),
            self.records.action("edit", self.do_edit),
            self.records.action("remove", self.do_remove),
            self.records.action("copy", self.do_copy),
        )

    async def do_open(self, template: Template) -> None:
        await self.podium.open(ToTemplate(template.id))

    @asking
    async def do_new_project(self, template: Template) -> None:
        await make_from_template(self.podium, template.id)

    @asking
    async def do_edit(self, template: Template) -> None:
        await ask_edit_template(self, template)

    async def do_remove(self, template: Template) -> None:
        """Remove it without a question, because undo restores it with its versions."""
        command = RemoveTemplate(template_id=template.id, seen_version=template.version)
        await self.records.remove(command, template.id, f"Removed “{template.name}”")

    def do_copy(self, template: Template) -> None:
        copy_id(self, template.name, template.id)


def _line(line: TemplateSummary) -> Line:
    template = line.template
    asks = f"roles: {names(line.slots)}" if line.slots else ""
    return Line(
        template.id,
        (
            cell(template.name, TextRole.TITLE),
            cell(tag_words(template.tags)),
            cell(line.phases or "", TextRole.TITLE),
            cell(line.items or "", TextRole.TITLE),
            cell(length(line.days), TextRole.TITLE),
            cell(f"v{template.number}"),
        ),
        detail=" · ".join(fact for fact in (template.description, asks) if fact),
    )
