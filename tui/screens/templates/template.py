"""One template: what it is for, the workflow in it, and its versions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime

from textual.app import ComposeResult
from textual.content import Content

from core.actions.templates.templates import (
    CompareTemplateVersions,
    GetTemplate,
    TemplateDetail,
    TemplateVersionSummary,
)
from core.domain.model import Id
from core.text.phrases import count, names
from tui.dialogs.diff import DifferenceDialog
from tui.drawing.cells import plain
from tui.drawing.outline_lines import OutlineEntry
from tui.drawing.styles import ASCII, UNICODE
from tui.screens.framework.controller import Action
from tui.screens.framework.dialogs import asking
from tui.screens.framework.global_actions import copy_id
from tui.screens.framework.page_screen import PageScreen
from tui.screens.projects.from_template import make_from_template
from tui.screens.templates.form import ask_edit_template
from tui.widgets.detail_page import Fact, Heading, Page, Pane, TextBlock
from tui.widgets.markdown_text import MarkdownText
from tui.widgets.outline import Outline
from tui.wording.facts import quiet
from tui.wording.platform_roles import roles_of
from tui.wording.templates import in_full, legend, length, tag_words
from tui.wording.times import when


class TemplateScreen(PageScreen[TemplateDetail]):
    """A template in full, in one of its versions."""

    name_in_table = "template"
    DEFAULT_CSS = """
    TemplateScreen #description { margin-bottom: 1; }
    """

    def __init__(self, template_id: Id, number: int | None = None) -> None:
        """``number`` is the version that is shown; None for the newest, also when a newer one comes."""
        super().__init__()
        self._template_id = template_id
        self._number = number

    def again(self) -> TemplateScreen:
        return TemplateScreen(self._template_id, self._number)

    def body(self) -> ComposeResult:
        with Page():
            with Pane(id="main"):
                yield TextBlock(id="title")
                yield MarkdownText(id="description")
                for label in ("Tags", "Contents", "Roles", "Version", "Left out"):
                    yield Fact(label, id=label.lower().replace(" ", "-"))
                yield Heading("Workflow", id="workflow-heading")
                yield Outline(id="workflow")
            with Pane(id="side"):
                yield Heading("Versions", id="versions-heading")
                yield Outline(id="versions")

    def place(self) -> str:
        return f"Templates · {self.name_of_record}" if self.detail else "…"

    @property
    def name_of_record(self) -> str:
        return self.detail.line.template.name if self.detail else ""

    async def read(self) -> None:
        self.access.role_words = roles_of(self.podium.me.user)
        self.detail = await self.podium.query(GetTemplate(template_id=self._template_id, number=self._number))

    def draw(self) -> None:
        detail = self.detail
        assert detail is not None
        signs = ASCII if self.podium.ascii else UNICODE
        template, now = detail.line.template, datetime.now().astimezone()
        self.query_one("#title", TextBlock).put(plain(template.name))
        self.query_one("#description", MarkdownText).put_text(
            template.description, quiet("No description · e to add one")
        )
        self.query_one("#tags", Fact).put(plain(tag_words(template.tags)))
        self.query_one("#contents", Fact).put(_contents(detail))
        self.query_one("#roles", Fact).put(plain(names(detail.line.slots)))
        self.query_one("#version", Fact).put(_version(detail))
        self.query_one("#left-out", Fact).put(_left_out(detail))
        self.query_one("#workflow-heading", Heading).put(legend(signs))
        self.query_one("#workflow", Outline).put(list(in_full(detail.body, signs)))
        self.query_one("#versions-heading", Heading).put("h/l step" if len(detail.versions) > 1 else "")
        self.query_one("#versions", Outline).put(list(_versions(detail, signs.bar, now)))

    # -- keys ------------------------------------------------------------------------------------------------

    def actions(self) -> Sequence[Action]:
        return (
            Action("down", lambda: self.cursor_actions.scroll(+1)),
            Action("up", lambda: self.cursor_actions.scroll(-1)),
            Action("older", lambda: self._step(-1)),
            Action("newer", lambda: self._step(+1)),
            Action("compare", self.with_detail(self.do_compare)),
            Action("new_project", self.with_detail(self.do_new_project)),
            Action("edit", self.with_detail(self.do_edit)),
            Action("copy", self.do_copy),
        )

    async def _step(self, step: int) -> None:
        """Show the version before or after, if there is one."""
        if self.detail is None:
            return
        numbers = sorted(note.number for note in self.detail.versions)
        place = numbers.index(self.detail.number) + step
        if 0 <= place < len(numbers):
            self._number = numbers[place]
            await self.refresh_from_core()
        else:
            self.podium.toast(f"This is the {'newest' if step > 0 else 'first'} version.")

    @asking
    async def do_compare(self, detail: TemplateDetail) -> None:
        """Show what this version has that the one before had not."""
        before = max((note.number for note in detail.versions if note.number < detail.number), default=None)
        if before is None:
            self.podium.toast("This is the first version; there is nothing to compare it with.")
            return
        query = CompareTemplateVersions(template_id=self._template_id, before=before, after=detail.number)
        differences = await self.podium.query(query)
        title = f"Version {detail.number} of “{self.name_of_record}” after version {before}"
        await self.podium.ask(DifferenceDialog(title, differences))

    @asking
    async def do_new_project(self, detail: TemplateDetail) -> None:
        await make_from_template(self.podium, self._template_id, detail.number)

    @asking
    async def do_edit(self, detail: TemplateDetail) -> None:
        await ask_edit_template(self, detail.line.template)

    def do_copy(self) -> None:
        copy_id(self, self.name_of_record, self._template_id)


def _contents(detail: TemplateDetail) -> Content:
    """The numbers of its phases and cards."""
    line = detail.line
    facts = [count(line.phases, "phase"), count(line.items, "item"), length(line.days)]
    return Content(", ".join(fact for fact in facts if fact))


def _version(detail: TemplateDetail) -> Content:
    newest = detail.line.template.number
    if detail.number == newest:
        return Content(f"{newest}, the newest" if newest > 1 else "1")
    return Content.assemble(f"{detail.number} of {newest}", ("  there is a newer one", "$text-warning"))


def _left_out(detail: TemplateDetail) -> Content:
    if not detail.missing_products:
        return Content("")
    gone = f"{names(detail.missing_products)}: no product of that name in the registry"
    return Content.styled(plain(gone).plain, "$text-warning")


def _versions(detail: TemplateDetail, bar: str, now: datetime) -> Iterator[OutlineEntry]:
    for note in detail.versions:
        here = note.number == detail.number
        lead = bar if here else " "
        yield OutlineEntry(_heading(note, now), "", lead, style="bold" if here else "", lead_style="bold $text-primary")
        if note.note:
            yield OutlineEntry(note.note, indent=1)


def _heading(note: TemplateVersionSummary, now: datetime) -> str:
    return f"{note.number}  {f'{note.by}, ' if note.by else ''}{when(note.at, now)}"
