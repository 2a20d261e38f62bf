"""The base of all views of a project, the Canvas among them: the same filter, presets, marks, news and keys.

A view draws the cards that its preset and its filter leave, and has a cursor on one of them.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence, Set
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.widgets import Input

from core.actions.workflow.canvas import GetCanvas
from core.domain.canvas import Canvas, CanvasHeader, Card, PhaseColumn
from core.domain.model import Id
from core.domain.statuses import CLOSED, STATUS_WORDS
from core.domain.view_settings import PhaseSection, ViewPreset
from core.errors import Blocker
from core.record import replace
from core.text.dates import format_due
from tui.board.model import NOTHING
from tui.drawing.rows import one_line
from tui.keys.keymap import VIEW as VIEW
from tui.screens.cards.blockers import BlockerKeys
from tui.screens.cards.changes import CardChanges
from tui.screens.cards.editing import CardEditing
from tui.screens.cards.status import CardStatus
from tui.screens.framework.controller import PhaseRef, Selection
from tui.screens.framework.marking import CardMarks, MarkKeys
from tui.screens.framework.screen import PodiumScreen
from tui.screens.views.cursor_line import CursorLine
from tui.screens.views.cycling import ViewSteps
from tui.screens.views.filtering import CardFilter
from tui.screens.views.view_keys import ViewKeys, preset_words
from tui.services.presence import Location, PresenceTracker
from tui.widgets.change_highlight import ChangeHighlight

if TYPE_CHECKING:
    pass


class ProjectView(PodiumScreen):
    """One view of a project. A subclass gives ``body`` and the methods that are abstract here."""

    view_words: ClassVar[str]
    """The name of the view in the title line."""
    canvas: Canvas = NOTHING
    """The project as last read."""
    preview: ViewPreset | None = None
    """The preset under the cursor of the menu of presets, which news must not replace; None while it is closed."""

    def __init__(self, project_id: Id, focus_id: Id | None = None) -> None:
        super().__init__()
        self.project_id = project_id
        self.show_archived = False
        self._focus_id = focus_id
        self._highlight = ChangeHighlight(self, self.show_highlight)
        self.changes = CardChanges(self)
        self.cursor_line = self.add(CursorLine(self))
        self.filter = self.add(CardFilter(self))
        self.marks = self.add(self.make_marks())
        self.add(CardStatus(self, self.changes))
        self.editing = self.add(CardEditing(self, self.changes))
        self.view_keys = self.add(ViewKeys(self))
        self.add(ViewSteps(self))
        self.add(BlockerKeys(self))

    def make_marks(self) -> MarkKeys:
        """The marks of this view."""
        return CardMarks(self, shown=self.shown, changed=self._marks_changed, go_on=self.go_on)

    def again(self) -> ProjectView:
        return type(self)(self.project_id, self.card.id if self.card else None)

    def key_tables(self) -> Sequence[str]:
        return (self.name_in_table, VIEW)

    def place(self) -> str:
        name = self.head.name
        return " · ".join([self.view_words, name, *preset_words(self.preset)]) if name else "…"

    # -- the abstract part -----------------------------------------------------------------------------------

    @abstractmethod
    def draw(self) -> None:
        """Draw ``cards()`` as they are now, the cursor staying on its card."""

    @abstractmethod
    def shown(self) -> Sequence[Card]:
        """The cards that can be seen, in the order in which the cursor meets them."""

    @property
    @abstractmethod
    def card(self) -> Card | None:
        """The card of the cursor."""

    @abstractmethod
    def go_to(self, card_id: Id) -> None:
        """Put the cursor on a card, if it can be seen."""

    @abstractmethod
    def go_on(self) -> None:
        """Put the cursor on the next card, after one was marked."""

    @abstractmethod
    def show_marks(self) -> None:
        """Draw the marks, which have changed."""

    @abstractmethod
    def show_highlight(self, highlighted: Set[Id]) -> None:
        """Draw the cards that others have just changed as lit, and nothing else of them."""

    @abstractmethod
    def show_online(self, presence: PresenceTracker) -> None:
        """Draw the initials of other users beside the cards that they are on."""

    # -- reading ---------------------------------------------------------------------------------------------

    @property
    def head(self) -> CanvasHeader:
        """The project without its cards, as last read."""
        return self.canvas.head

    @property
    def preset(self) -> ViewPreset:
        """The preset that the view is drawn with."""
        return self.canvas.preset

    async def reload(self) -> None:
        before, since = self.preset.viewing, self.head.seq
        canvas = await self.podium.query(GetCanvas(project_id=self.project_id))
        preset = self.preview or self.podium.view_as.preset(self.project_id, canvas.preset)
        self.canvas = replace(canvas, preset=preset)
        if self.preset.viewing != before:
            self.show_archived = PhaseSection.ARCHIVED in self.preset.viewing.sections
        self.take_head(self.head)
        self.filter.read()
        if isinstance(self.marks, CardMarks):
            self.marks.keep({card.id for card in self.canvas.cards})
        self.redraw()
        if self._focus_id:
            self.go_to(self._focus_id)
            self._focus_id = None
        if since not in (0, self.head.seq):
            self._highlight.light(await self.cursor_line.read_changes_since(since))

    def take_head(self, head: CanvasHeader) -> None:
        """Keep the name of the project and the user's permissions there."""
        self.project_name = head.name
        self.access.held, self.access.authority = head.held, head.authority
        self.access.role_words = head.my_role.lower() if head.my_role else ""

    def data_hidden(self) -> None:
        self._focus_id = self.card.id if self.card else self._focus_id
        self.canvas = NOTHING
        self.redraw()

    # -- drawing ---------------------------------------------------------------------------------------------

    def redraw(self) -> None:
        """Draw the cards and the line of the cursor."""
        self.draw()
        self.cursor_line.cursor_moved()

    def cards(self) -> list[Card]:
        """The cards that the preset, the filter and the archive leave, in the order of the Canvas."""
        return [card for card in self.canvas.cards if self.filter.leaves(card)]

    def apply_preset(self, preset: ViewPreset) -> None:
        self.canvas = replace(self.canvas, preset=preset)
        self.show_archived = PhaseSection.ARCHIVED in preset.viewing.sections
        self.filter.read()
        self.redraw()
        self.show_titles()

    @property
    def description(self) -> str:
        """The card of the cursor in a sentence."""
        return card_sentence(self.card, self.column, self.head)

    @property
    def location(self) -> Location:
        return Location(self.project_id, self.card.id if self.is_alive and self.card else None)

    def show_people(self) -> None:
        super().show_people()
        self.cursor_line.show()
        self.show_online(self.podium.presence)

    # -- the keys --------------------------------------------------------------------------------------------

    @property
    def column(self) -> PhaseColumn | None:
        """The phase of the cursor."""
        card = self.card
        return next((column for column in self.head.columns if card and column.id == card.phase_id), None)

    def find(self, card_id: Id) -> Card | None:
        """A card of the project by its id."""
        return next((card for card in self.canvas.cards if card.id == card_id), None)

    def selection(self) -> Selection:
        card, column, marked = self.card, self.column, self.marks.ids
        cards = [each for each in self.shown() if each.id in marked] if marked else []
        phase = PhaseRef(column.id, column.name) if column else None
        return Selection(
            self.project_id,
            card,
            cards or ((card,) if card else ()),
            bool(marked),
            phase,
            self.head.members,
            self.access.held,
        )

    async def jump_to(self, blocker: Blocker) -> None:
        """Put the cursor on a blocker, or open it where it is not shown."""
        if any(card.id == blocker.id for card in self.shown()):
            self.go_to(blocker.id)
        else:
            await super().jump_to(blocker)

    @on(Input.Changed, "FilterLine")
    def _filter_as_typed(self) -> None:
        self.filter.apply()

    def _marks_changed(self) -> None:
        self.show_marks()
        self.cursor_line.cursor_moved()
        self.show_titles()


def card_sentence(card: Card | None, column: PhaseColumn | None, head: CanvasHeader) -> str:
    """A card in a sentence, such as "Write the brief, task, To Do, in Discover, due tomorrow, Ann Lee"."""
    if card is None:
        return ""
    facts = [card.title, card.kind.lower(), STATUS_WORDS[card.status] if card.status else ""]
    facts.append(f"in {column.name}" if column else "")
    if card.due and card.status not in CLOSED:
        shown = format_due(card.due, head.today)
        facts.append(shown if shown.endswith("late") else f"due {shown}")
    names = [member.name for member in head.members if member.user_id in card.assignee_ids]
    return one_line(", ".join([fact for fact in facts if fact] + (names or ["nobody assigned"])))
