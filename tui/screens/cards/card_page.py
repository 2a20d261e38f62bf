"""The page of a card: its fields, its tasks, what blocks it, its comments and its history."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime
from functools import partial

from textual.app import ComposeResult
from textual.content import Content

from core.actions.cards.comments import PART
from core.actions.cards.details import CardDetail, ShownField
from core.actions.history.entries import HistoryEntry
from core.domain.canvas import CanvasMember
from core.domain.dependencies import LinkedCard
from core.domain.model import Id, Item, ItemKind, Status
from core.domain.statuses import CLOSED, STATUS_WORDS
from core.text.dates import format_due
from core.text.phrases import count
from tui.drawing.card_facts import priority_content
from tui.drawing.cells import fit, plain
from tui.drawing.labels import label_content
from tui.drawing.people import PersonColours
from tui.drawing.styles import ASCII, UNICODE, Symbols
from tui.drawing.theme import QUIET
from tui.widgets.detail_page import Banner, Fact, Heading, Page, Pane, TextBlock
from tui.widgets.markdown_text import MarkdownText, Passage
from tui.widgets.option_list import Row, Rows
from tui.widgets.outline import Outline
from tui.widgets.styled_widget import is_ascii
from tui.wording.custom_fields import value_words
from tui.wording.facts import due_words, history_entries, people_words, quiet
from tui.wording.times import when

STATUS_ROLE = {Status.IN_PROGRESS: "$text-primary", Status.COMPLETED: "$text-success", Status.ARCHIVED: QUIET}


LABEL = 11
"""Cells of the labels of facts."""

FOLDED = 3
"""The changes of the history that are shown until its pane has the focus."""

FACTS = (
    "Status", "Phase", "Activity", "Assigned", "Due", "Priority", "Labels",
    "Waits for", "Blocks", "Link", "Application",
)  # fmt: skip


class CardPage(Page):
    """Shows one card in full."""

    _history: Sequence[HistoryEntry] = ()

    DEFAULT_CSS = "CardPage #description { margin-bottom: 1; }"

    def compose(self) -> ComposeResult:
        with Pane(id="main"):
            yield TextBlock(id="title")
            yield MarkdownText(id="description")
            for label in FACTS:
                yield Fact(label, id=label.lower().replace(" ", "-"))
            yield TextBlock(id="fields")
            yield Banner()
            yield Heading("Tasks", id="tasks")
            yield TextBlock(id="no-tasks")
            yield Rows(on_page=True)
        with Pane(id="side"):
            yield Heading("Comments", id="comments-head")
            yield MarkdownText(id="comments")
            yield Heading("History", id="history-head")
            yield Outline(id="history")

    def show(self, detail: CardDetail, team: Sequence[CanvasMember], me: Id) -> None:
        """Show a card to the user ``me``, with the names of the members of the team."""
        self._show_facts(detail, PersonColours((each.user_id for each in team), me))
        self.query_one("#fields", TextBlock).put(_field_lines(detail))
        self.query_one(Banner).put(detail.blocked.reason if detail.blocked else "")
        none = quiet("No description yet · e to add one")
        self.query_one("#description", MarkdownText).put_text(detail.item.description, none)
        self._show_tasks(detail, team)
        self._show_comments(detail)

    def on_descendant_focus(self) -> None:
        self.show_history()

    def on_descendant_blur(self) -> None:
        self.show_history()

    def title_of(self, detail: CardDetail) -> Content:
        """The title of a card, with the sign of its status and its key."""
        return Content.assemble(self._sign(detail.item), "  ", plain(detail.item.title), (f"  {detail.key}", QUIET))

    @property
    def _signs(self) -> Symbols:
        return ASCII if is_ascii(self) else UNICODE

    def _sign(self, item: Item) -> str:
        return self._signs.of(item.status, item.kind is ItemKind.ACTIVITY)

    def _show_facts(self, detail: CardDetail, colours: PersonColours) -> None:
        item = detail.item
        state = f"{self._signs.state(detail.state)} {detail.state.lower()}"
        facts = {
            "status": Content.styled(
                f"{self._sign(item)} {STATUS_WORDS[item.status]}", STATUS_ROLE.get(item.status, "")
            ),
            "phase": Content.assemble(plain(detail.phase.name), (f"  {state}", QUIET)),
            "activity": plain(detail.activity.title) if detail.activity else Content(""),
            "assigned": people_words(detail.people, colours) or quiet("nobody · a to assign"),
            "due": due_words(item.due, date.today(), item.status in CLOSED) or quiet("no date · D to set one"),
            "priority": priority_content(item.priority) or quiet("normal · # to change it"),
            "labels": label_content(detail.labels) or quiet("none · # to add some"),
            "waits-for": linked_words(detail.linked.waits_for, detail.linked.waits_for_unseen, self._signs)
            or quiet("nothing · & to choose"),
            "blocks": linked_words(detail.linked.blocks, detail.linked.blocks_unseen, self._signs),
            "link": self._link(detail),
            "application": self._application(detail),
        }
        for name, words in facts.items():
            self.query_one(f"#{name}", Fact).put(words)

    def _link(self, detail: CardDetail) -> Content:
        link = detail.item.link
        return Content.assemble(plain(link), ("  o to open it", QUIET)) if link else Content("")

    def _application(self, detail: CardDetail) -> Content:
        if detail.application is None:
            return Content("")
        sign, name = self._signs.application, plain(detail.application.name)
        return Content.assemble(f"{sign} ", name, ("  o to launch it · O to see its context", QUIET))

    def _show_tasks(self, detail: CardDetail, team: Sequence[CanvasMember]) -> None:
        """The tasks of an activity; a task has no such part."""
        counted = [task for task in detail.tasks if task.status is not Status.ARCHIVED]
        done = sum(task.status is Status.COMPLETED for task in counted)
        heading = self.query_one("#tasks", Heading)
        heading.display = detail.item.kind is ItemKind.ACTIVITY
        heading.put(f"{done}/{len(counted)}" if counted else "")
        none = quiet("No tasks in it yet · n to add one") if heading.display and not detail.tasks else Content("")
        self.query_one("#no-tasks", TextBlock).put(none)
        self.query_one(Rows).show([self._task_row(task, team) for task in detail.tasks])

    def _task_row(self, task: Item, team: Sequence[CanvasMember]) -> Row:
        people = {member.user_id: member.name for member in team}
        is_open = task.status not in CLOSED
        due = format_due(task.due, date.today()) if task.due and is_open else ""
        facts = [due, people.get(task.assignee_id or "", "")]
        hint = " · ".join(fact for fact in facts if fact)
        return Row(f"{self._sign(task)} {task.title}", hint, dim=not is_open)

    def _show_comments(self, detail: CardDetail) -> None:
        """The comments, the newest first, and the number of those that are not read yet."""
        now = datetime.now(UTC)
        comments = [
            Passage(
                line.text,
                Content.assemble(
                    plain(line.author).stylize("bold"),
                    (f"  {when(line.at, now)}{' · edited' if line.edited else ''}", QUIET),
                ),
                line.id,
            )
            for line in reversed(detail.comments)
        ]
        if detail.unreadable_comments:
            damaged = count(detail.unreadable_comments, "comment")
            words = f"{damaged} cannot be read. “podium doctor” says why."
            comments.append(Passage("", Content.styled(words, "$text-warning")))
        in_all = len(detail.comments) + detail.older_comments
        self.query_one("#comments-head", Heading).put(f"{in_all:,}" if in_all else "")
        none = quiet("No comments yet · C to comment")
        self.query_one("#comments", MarkdownText).put(comments, none, partial(_older_words, detail.older_comments))
        self._history = detail.history
        self.show_history()

    def show_history(self) -> None:
        """The last changes; all of them while their pane has the focus."""
        now, history, is_open = datetime.now(UTC), self._history, self.query_one("#side").has_focus
        shown = history if is_open else history[:FOLDED]
        self.query_one("#history", Outline).put(history_entries(shown, now))
        hidden = len(history) - len(shown)
        self.query_one("#history-head", Heading).put(f"{hidden} more · tab" if hidden else "")


def _older_words(older: int, undrawn: int) -> Content:
    """The line below the comments: how many others there are."""
    if undrawn:
        return quiet(f"… {count(undrawn + older, 'older comment')}")
    return quiet(f"… {count(older, 'older comment')} · A shows {min(older, PART)} more") if older else Content("")


def _field_lines(detail: CardDetail) -> Content:
    """The custom fields of the project in lines; for one without a value the key that sets it."""
    return Content("\n").join(
        Content.assemble((fit(each.field.name, LABEL, pad=True), QUIET), " ", _value(each)) for each in detail.fields
    )


def _value(each: ShownField) -> Content:
    if not each.shown:
        return quiet("none · I to set it")
    return plain(value_words(each.field, each.shown, date.today()))


def linked_words(cards: Sequence[LinkedCard], unseen: int, signs: Symbols) -> Content:
    """The cards, one on a line, each with the sign of its status, its key, lag and override; empty for none."""
    lines = [_line(card, signs) for card in cards]
    if unseen:
        lines.append(Content.styled(f"{count(unseen, 'card')} that you cannot see", QUIET))
    return Content("\n").join(lines)


def _line(card: LinkedCard, signs: Symbols) -> Content:
    sign = signs.of(card.status, card.kind is ItemKind.ACTIVITY)
    return Content.assemble(f"{sign} ", plain(f"{card.key} {card.title}"), (linked_facts(card), QUIET))


def linked_facts(card: LinkedCard) -> str:
    """The facts beside the title of a linked card."""
    facts = [
        card.project,
        f"{count(card.lag_days, 'day')} later" if card.lag_days else "",
        "with its activity" if card.through_activity else "",
        f"overridden by {card.overridden_by}: {card.override_reason}" if card.override_reason else "",
    ]
    return "".join(f"  {fact}" for fact in facts if fact)
