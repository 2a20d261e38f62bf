"""One task or activity: its fields, its tasks, what blocks it, what was said about it and what became of it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime
from typing import Any

from textual.app import ComposeResult
from textual.content import Content

from core.actions.cards.details import CardDetail, GetCard
from core.actions.cards.tasks import CreateTask
from core.domain.canvas import Card
from core.domain.model import Id, Item, ItemKind, Status
from core.domain.statuses import CLOSED, STATUS_WORDS
from core.errors import RuleViolation
from core.text.dates import format_due
from core.text.phrases import count
from tui.drawing.cells import plain
from tui.drawing.styles import ASCII, UNICODE, Symbols
from tui.drawing.theme import QUIET
from tui.keys.bindings import Key, bindings
from tui.labels.facts import due_words, history_words, people_words, quiet
from tui.labels.times import when
from tui.screens.cards.application import CardApplication
from tui.screens.cards.changes import CardChanges
from tui.screens.cards.editing import CardEditing
from tui.screens.cards.status import CardStatus
from tui.screens.framework.controller import Action, PhaseRef, Selection, with_found
from tui.screens.framework.dialogs import asking, member_options, show_form
from tui.screens.framework.page_screen import PageScreen
from tui.screens.framework.project_record import ProjectRecord
from tui.services.destinations import ToCard, ToPhase
from tui.services.presence import Location
from tui.widgets.detail_page import Banner, Fact, Heading, Page, Pane, TextBlock
from tui.widgets.option_list import Row, Rows

NO_TASKS_IN_TASKS = "A task holds no tasks; activities do."

STATUS_ROLE = {Status.IN_PROGRESS: "$text-primary", Status.COMPLETED: "$text-success", Status.ARCHIVED: QUIET}


class CardScreen(PageScreen):
    """A card in full. Keys act on it, or on the task of the cursor once that is in the list of its tasks."""

    name_in_table = "card"
    BINDINGS = bindings("card")

    def __init__(self, project_id: Id, item_id: Id) -> None:
        super().__init__()
        self.project_id = project_id
        self._item_id = item_id
        self.detail: CardDetail | None = None
        """The card as last read."""
        self._project = ProjectRecord(self)
        changes = CardChanges(self)
        self.add(CardStatus(self, changes))
        self.add(CardEditing(self, changes))
        self.add(CardApplication(self))

    def again(self) -> CardScreen:
        return CardScreen(self.project_id, self._item_id)

    def body(self) -> ComposeResult:
        with Page():
            with Pane(id="main"):
                yield TextBlock(id="title")
                for label in ("Status", "Phase", "Activity", "Assigned", "Due", "Link", "Application"):
                    yield Fact(label, id=label.lower())
                yield Banner()
                yield Heading("Description")
                yield TextBlock(id="description", classes="prose")
                yield Heading("Tasks", id="tasks")
                yield TextBlock(id="no-tasks")
                yield Rows(on_page=True)
            with Pane(id="side"):
                yield Heading("Comments", id="comments-head")
                yield TextBlock(id="comments")
                yield Heading("History")
                yield TextBlock(id="history")

    def place(self) -> str:
        return f"{self.detail.phase.name} · {self.detail.item.title}" if self.detail else "…"

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
        self.detail = await self.podium.query(GetCard(item_id=self._item_id))
        self.access.held = self.detail.held

    def draw(self) -> None:
        detail = self.detail
        assert detail is not None
        self._project.show_title(Content.assemble(self._sign(detail.item), "  ", plain(detail.item.title)))
        self._show_facts(detail)
        self.query_one(Banner).put(detail.blocked.reason if detail.blocked else "")
        self.query_one("#description", TextBlock).put(plain(detail.item.description) or quiet("None yet · e adds one"))
        self._show_tasks(detail)
        self._show_talk(detail)

    # -- drawing ---------------------------------------------------------------------------------------------

    @property
    def _signs(self) -> Symbols:
        return ASCII if self.podium.ascii else UNICODE

    def _sign(self, item: Item) -> str:
        return self._signs.of(item.status, item.kind is ItemKind.ACTIVITY)

    def _show_facts(self, detail: CardDetail) -> None:
        item = detail.item
        state = f"{self._signs.state(detail.state)} {detail.state.lower()}"
        facts = {
            "status": Content.styled(
                f"{self._sign(item)} {STATUS_WORDS[item.status]}", STATUS_ROLE.get(item.status, "")
            ),
            "phase": Content.assemble(plain(detail.phase.name), (f"  {state}", QUIET)),
            "activity": plain(detail.activity.title) if detail.activity else Content(""),
            "assigned": people_words(detail.people) or quiet("nobody · a assigns"),
            "due": due_words(item.due, date.today(), item.status in CLOSED) or quiet("no date · D sets one"),
            "link": self._link(detail),
            "application": self._application(detail),
        }
        for name, words in facts.items():
            self.query_one(f"#{name}", Fact).put(words)

    def _link(self, detail: CardDetail) -> Content:
        link = detail.item.link
        return Content.assemble(plain(link), ("  o opens it", QUIET)) if link else Content("")

    def _application(self, detail: CardDetail) -> Content:
        if detail.application is None:
            return Content("")
        sign, name = self._signs.application, plain(detail.application.name)
        return Content.assemble(f"{sign} ", name, ("  o launches it · O shows its context", QUIET))

    def _show_tasks(self, detail: CardDetail) -> None:
        """The tasks of an activity; a task has no such part."""
        counted = [task for task in detail.tasks if task.status is not Status.ARCHIVED]
        done = sum(task.status is Status.COMPLETED for task in counted)
        heading = self.query_one("#tasks", Heading)
        heading.display = detail.item.kind is ItemKind.ACTIVITY
        heading.put(f"{done}/{len(counted)}" if counted else "")
        none = quiet("No tasks in it yet · n adds one") if heading.display and not detail.tasks else Content("")
        self.query_one("#no-tasks", TextBlock).put(none)
        self.rows.show([self._task_row(task) for task in detail.tasks])

    def _task_row(self, task: Item) -> Row:
        people = {member.user_id: member.name for member in self._project.team}
        facts = [format_due(task.due, date.today()) if task.due else "", people.get(task.assignee_id or "", "")]
        hint = " · ".join(fact for fact in facts if fact)
        return Row(f"{self._sign(task)} {task.title}", hint, dim=task.status in CLOSED)

    def _show_talk(self, detail: CardDetail) -> None:
        now = datetime.now(UTC)
        comments = [
            Content.assemble(plain(line.author), (f"  {when(line.at, now)}\n", QUIET), plain(line.text))
            for line in detail.comments
        ]
        if detail.unreadable_comments:
            damaged = count(detail.unreadable_comments, "comment")
            comments.append(Content.styled(f"{damaged} cannot be read. “podium doctor” says why.", "$text-warning"))
        self.query_one("#comments-head", Heading).put(str(len(detail.comments)) if detail.comments else "")
        none = quiet("Nobody has said anything yet · C comments")
        self.query_one("#comments", TextBlock).put(Content("\n\n").join(comments) if comments else none)
        self.query_one("#history", TextBlock).put(history_words(detail.history, now))

    # -- keys ------------------------------------------------------------------------------------------------

    def actions(self) -> Sequence[Action]:
        return (
            Action("open", self.open_row),
            Action("phase", with_found(lambda: self.detail, self.do_phase)),
            Action("why", self.do_why),
            Action("new_card", with_found(lambda: self.detail, self.do_new_card), self._no_tasks_in_tasks),
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
            card = as_card(detail.item, tuple(user.id for user in detail.people))
        phase = PhaseRef(detail.phase.id, detail.phase.name)
        return Selection(self.project_id, card, (card,), False, phase, self._project.team, self.access.held)

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

    async def do_phase(self, detail: CardDetail) -> None:
        await self.podium.open(ToPhase(self.project_id, detail.phase.id))

    # -- its tasks -------------------------------------------------------------------------------------------

    @asking
    async def do_why(self) -> None:
        blocked = self.detail.blocked if self.detail else None
        if blocked is None:
            self.podium.toast("Nothing blocks this card.")
        else:
            self.podium.show_error(RuleViolation(blocked.reason, blockers=blocked.blockers, who_can=blocked.who_can))

    def _no_tasks_in_tasks(self, _key: Key) -> str:
        return NO_TASKS_IN_TASKS if self.detail and self.detail.item.kind is ItemKind.TASK else ""

    @asking
    async def do_new_card(self, detail: CardDetail) -> None:
        """Add a task to this activity."""
        from tui.dialogs.fields.form_fields import DateField, Field, PeopleField, TextField

        activity = detail.item

        async def save(values: dict[str, Any]) -> object:
            assignee = values.pop("assignee")
            command = CreateTask(
                phase_id=activity.phase_id,
                activity_id=activity.id,
                assignee_id=assignee[0] if assignee else None,
                **values,
            )
            return await self.podium.send_or_ask(command)

        people = member_options(self._project.team)
        fields: list[Field] = [
            TextField("title", "Title"),
            PeopleField("assignee", "Assigned to", people),
            DateField("due", "Due"),
        ]
        created = await show_form(self, f"New task in “{activity.title}”", fields, save, submit="Add")
        if isinstance(created, Item) and self.detail:
            self.rows.move([task.id for task in self.detail.tasks].index(created.id))


def as_card(item: Item, people: tuple[Id, ...]) -> Card:
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
    )
