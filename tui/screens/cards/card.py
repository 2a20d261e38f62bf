"""The screen of one task or activity, with the keys that act on it, on its tasks and on its application."""

from __future__ import annotations

from collections.abc import Sequence

from textual.app import ComposeResult

from core.actions.cards.comments import CommentSummary, ListComments
from core.actions.cards.details import CardDetail, GetCard
from core.actions.cards.labels import ListLabels
from core.domain.canvas import Card
from core.domain.model import Id, Item, ItemKind, PhaseState
from core.domain.permissions import Permission
from core.domain.products.products import Application
from core.record import replace
from tui.drawing.markdown.blocks import Link, links_of
from tui.keys.table import Key
from tui.screens.cards.blockers import explain_block
from tui.screens.cards.card_page import CardPage
from tui.screens.cards.controller import CardChanges
from tui.screens.cards.custom_fields import CustomFieldActions
from tui.screens.cards.dependencies import CardDependencies
from tui.screens.cards.editing import CardDescription, CardEditing
from tui.screens.cards.labels import CardLabels
from tui.screens.cards.new_card import ask_new_task
from tui.screens.cards.own_comments import OwnComments
from tui.screens.cards.status import CardStatus
from tui.screens.framework.controller import Action, Controller, PhaseRef, Selection, with_found
from tui.screens.framework.dialogs import asking
from tui.screens.framework.page_screen import PageScreen
from tui.screens.framework.project_record import ProjectRecord
from tui.screens.products.launch_or_open import launch_or_open, launching
from tui.services.destinations import ToCard, ToPhase
from tui.services.host import Location
from tui.widgets.markdown_text import MarkdownText

NO_OLDER = "All comments of this card are shown."
NO_TASKS_IN_TASKS = "A task holds no tasks; activities do."

IN_TASKS = "A task holds no application; activities and phases do."
NO_APPLICATION = "There is no application on this card. Activities can hold one: press + to add it."
NOTHING_TO_OPEN = "There is no application and no link on this card. Press + to add the one, e to add the other."
ONE_ALREADY = "It holds an application already. Remove that first, or add another to the phase: p."


class CardApplication(Controller):
    """Add, launch and inspect the application of a card."""

    screen: CardScreen

    def actions(self) -> Sequence[Action]:
        return (
            Action("add_application", self.screen.with_detail(self.do_add_application), self._not_on_tasks),
            Action("launch", self.screen.with_detail(self.do_launch), self._nothing_to_open, self._to_launch),
            Action("inspect", with_found(self._application, self.do_inspect), self._no_application),
            Action("copy_context", with_found(self._application, self.do_copy_context), self._no_application),
        )

    def _application(self) -> Application | None:
        return self.screen.detail.application if self.screen.detail else None

    @property
    def _links(self) -> Sequence[Link]:
        """The links in the description and in the comments that are drawn, each URL once."""
        detail = self.screen.detail
        found = {each.url: each for each in links_of(detail.item.description)} if detail else {}
        for comments in self.screen.query("#comments").results(MarkdownText):
            for each in comments.links:
                found.setdefault(each.url, each)
        return [*found.values()]

    @property
    def _item(self) -> Item | None:
        return self.screen.detail.item if self.screen.detail else None

    def _not_on_tasks(self, _key: Key) -> str:
        return IN_TASKS if self._item is not None and self._item.kind is ItemKind.TASK else ""

    def _no_application(self, _key: Key) -> str:
        return NO_APPLICATION if self.screen.detail and self.screen.detail.application is None else ""

    def _nothing_to_open(self, _key: Key) -> str:
        detail = self.screen.detail
        has_any = detail is None or detail.application is not None or detail.item.link or self._links
        return "" if has_any else NOTHING_TO_OPEN

    def _to_launch(self, _key: Key) -> Sequence[Permission]:
        """To open a link takes no permission."""
        detail = self.screen.detail
        if detail is None or detail.application is None or detail.item.link or self._links:
            return ()
        return (Permission.APPLICATION_LAUNCH,)

    @asking
    async def do_add_application(self, detail: CardDetail) -> None:
        from tui.screens.products.new_application import ask_new_application

        if detail.application is not None:
            self.podium.toast(ONE_ALREADY)
        else:
            await ask_new_application(self.screen, self.selection.team, activity_id=detail.item.id)

    @launching
    async def do_launch(self, detail: CardDetail) -> None:
        """Launch the application, or open a link."""
        await launch_or_open(self.screen, detail.application, detail.item.link, self._links)

    @asking
    async def do_inspect(self, application: Application) -> None:
        from tui.launch.actions import inspect

        await inspect(self.podium, application.id)

    @asking
    async def do_copy_context(self, application: Application) -> None:
        from tui.launch.actions import copy_context

        await copy_context(self.podium, application.id)


class CardScreen(PageScreen[CardDetail]):
    """A card in full. Keys act on it, or on the task of the cursor once that is in the list of its tasks."""

    name_in_table = "card"

    def __init__(self, project_id: Id, item_id: Id) -> None:
        super().__init__()
        self.project_id = project_id
        self._item_id = item_id
        self._project = ProjectRecord(self)
        changes = CardChanges(self)
        self.add(CardStatus(self, changes))
        self.add(CardEditing(self, changes))
        self.add(CardLabels(self, changes))
        self.add(CardDescription(self, changes))
        self.add(CardDependencies(self, changes))
        self.add(CardApplication(self))
        self.add(OwnComments(self, lambda: self.detail))
        self.add(CustomFieldActions(self))

    def again(self) -> CardScreen:
        return CardScreen(self.project_id, self._item_id)

    def body(self) -> ComposeResult:
        yield CardPage()

    def place(self) -> str:
        detail = self.detail
        return f"{self.project_name} · {detail.phase.name} · {detail.item.title}" if detail else "…"

    @property
    def name_of_record(self) -> str:
        return self.detail.item.title if self.detail else ""

    @property
    def location(self) -> Location:
        return Location(self.project_id, card_id=self._item_id)

    def show_people(self) -> None:
        super().show_people()
        self._project.show_title()

    async def read(self) -> None:
        await self._project.read()
        self.detail = with_older(await self.podium.query(GetCard(item_id=self._item_id)), self.detail)
        self.access.held = self.detail.held

    def draw(self) -> None:
        assert self.detail is not None
        page = self.query_one(CardPage)
        page.show(self.detail, self._project.team, self.podium.me.user.id)
        self._project.show_title(page.title_of(self.detail))

    # -- keys ------------------------------------------------------------------------------------------------

    def actions(self) -> Sequence[Action]:
        return (
            Action("open", self.open_row, lambda _: "" if self._task_of_cursor else "There is no task to open here."),
            Action("phase", self.with_detail(lambda it: self.podium.open(ToPhase(self.project_id, it.phase.id)))),
            Action("why", self.do_why, offer=self._why_blocked),
            Action("older_comments", self.with_detail(self.do_older_comments)),
            Action("new_card", self.with_detail(self.do_new_card), self._no_tasks_in_tasks),
        )

    def selection(self) -> Selection:
        """The task of the cursor once that is in the list of tasks, else the card."""
        detail = self.detail
        if detail is None:
            return super().selection()
        task = self._task_of_cursor
        if task is not None:
            card = as_card(task, (task.assignee_id,) if task.assignee_id else ())
        else:
            card = as_card(
                detail.item, tuple(user.id for user in detail.people), tuple(each.id for each in detail.labels)
            )
        phase = PhaseRef(detail.phase.id, detail.phase.name)
        key = detail.key.partition("-")[0]
        return Selection(self.project_id, card, (card,), False, phase, self._project.team, self.access.held, key)

    @property
    def _task_of_cursor(self) -> Item | None:
        """The task that the cursor is on, if it is in the list."""
        if self.detail is None or not 0 <= self.rows.cursor < len(self.detail.tasks):
            return None
        return self.detail.tasks[self.rows.cursor]

    async def open_row(self) -> None:
        """Open the task of the cursor."""
        if self._task_of_cursor is not None:
            await self.podium.open(ToCard(self.project_id, self._task_of_cursor.id))

    async def do_older_comments(self, detail: CardDetail) -> None:
        """Read the next part of the comments, which the page draws below the others."""
        if not detail.older_comments:
            self.podium.toast(NO_OLDER)
            return
        oldest = next((each.id for each in detail.comments), None)
        page = await self.podium.query(ListComments(item_id=detail.item.id, before=oldest))
        if self.is_alive and self.detail is detail:
            self.detail = add_older(detail, page.comments, page.older, page.unreadable)
            self.draw()

    # -- its tasks -------------------------------------------------------------------------------------------

    def _why_blocked(self) -> str:
        return "why" if (detail := self.detail) and (detail.blocked or detail.state is PhaseState.LOCKED) else ""

    @asking
    async def do_why(self) -> None:
        detail = self.detail
        if detail is not None:
            await explain_block(self, detail.item, detail.phase.id)

    def _no_tasks_in_tasks(self, _key: Key) -> str:
        return NO_TASKS_IN_TASKS if self.detail and self.detail.item.kind is ItemKind.TASK else ""

    @asking
    async def do_new_card(self, detail: CardDetail) -> None:
        """Add tasks to this activity."""
        labels = await self.podium.query(ListLabels(project_id=self.project_id))
        added = await ask_new_task(self, detail.item, self._project.team, [each.label for each in labels])
        tasks = [task.id for task in self.detail.tasks] if self.detail else []
        if added in tasks:
            self.rows.move(tasks.index(added))


def add_older(detail: CardDetail, comments: tuple[CommentSummary, ...], older: int, unreadable: int = 0) -> CardDetail:
    """A card with comments before its own, of which ``older`` are not read yet."""
    unreadable += detail.unreadable_comments
    return replace(detail, comments=comments + detail.comments, older_comments=older, unreadable_comments=unreadable)


def with_older(detail: CardDetail, before: CardDetail | None) -> CardDetail:
    """A card as read again, with the older comments that were read before, if the two parts meet: none changes."""
    oldest = detail.comments[0].id if before and detail.comments else ""
    place = next((at for at, each in enumerate(before.comments) if each.id == oldest), 0) if before else 0
    if before is None or not 0 < place <= detail.older_comments:
        return detail
    return add_older(detail, before.comments[:place], detail.older_comments - place)


def as_card(item: Item, people: tuple[Id, ...], labels: tuple[Id, ...] = ()) -> Card:
    """An item as the keys of cards want it."""
    return Card(
        id=item.id,
        kind=item.kind,
        phase_id=item.phase_id,
        rank=item.rank,
        title=item.title,
        status=item.status,
        due=item.due,
        activity_id=item.activity_id,
        assignee_ids=people,
        has_link=bool(item.link),
        holds="",
        comments=0,
        tasks_done=0,
        tasks=0,
        version=item.version,
        number=item.number,
        priority=item.priority,
        labels=labels,
    )
