"""What the views of a project beside the Canvas have in common: the same query, the same filter, the same keys.

A view draws the cards that its preset and its filter leave, has a cursor on one of them, and marks.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from typing import ClassVar

from core.actions.workflow.canvas import GetCanvas, GetCanvasChanges
from core.domain.canvas import Canvas, CanvasHeader, CanvasMember, Card, PhaseColumn
from core.domain.model import Id, ItemKind, Status
from core.domain.view_settings import PART_OF, PhaseSection, ViewPreset
from core.domain.workflow import CLOSED, STATUS_WORDS
from core.errors import Blocker, PodiumError
from core.record import replace
from core.text.dates import format_due
from tui.board.model import NOTHING
from tui.drawing.rows import one_line
from tui.keys.bindings import EVERYWHERE
from tui.keys.keymap import VIEW as VIEW
from tui.screens.cards.status import CardStatus
from tui.screens.framework.dialogs import asking
from tui.screens.framework.marking import SelectionMixin
from tui.screens.views.cycling import ViewSteps
from tui.screens.views.filtering import FilterMixin
from tui.screens.views.live_updates import LiveUpdatesMixin
from tui.services.presence import PresenceTracker
from tui.widgets.change_highlight import ChangeHighlight
from tui.widgets.filter_line import FilterLine


class ProjectView(LiveUpdatesMixin, SelectionMixin, CardStatus, ViewSteps, FilterMixin):
    """One view of a project. A subclass gives ``body`` and what stands under "what a subclass gives"."""

    view_words: ClassVar[str]
    """What the view is called in the title line."""

    def __init__(self, project_id: Id, focus_id: Id | None = None) -> None:
        super().__init__()
        self.project_id = project_id
        self._focus_id = focus_id
        self.canvas: Canvas = NOTHING
        self.show_archived = False
        self.marks: set[Id] = set()
        self._glow = ChangeHighlight(self, self.show_glow)

    def again(self) -> ProjectView:
        return type(self)(self.project_id, self.card.id if self.card else None)

    def tables(self) -> tuple[str, ...]:
        return (self.name_in_table, VIEW, EVERYWHERE)

    def place(self) -> str:
        name = self.canvas.head.name
        return " · ".join([self.view_words, name, *self.preset_words]) if name else "…"

    # -- what a subclass gives -------------------------------------------------------------------------------

    def draw(self) -> None:
        """Draw ``cards()`` as they are now, the cursor staying on its card."""
        raise NotImplementedError

    def shown(self) -> Sequence[Card]:
        """The cards that can be seen, in the order in which the cursor meets them."""
        raise NotImplementedError

    @property
    def card(self) -> Card | None:
        """The card of the cursor."""
        raise NotImplementedError

    def go_to(self, card_id: Id) -> None:
        """Put the cursor on a card, if it can be seen."""
        raise NotImplementedError

    def show_marks(self) -> None:
        """Draw ``marks``, which have changed."""
        raise NotImplementedError

    def show_glow(self, glowing: Set[Id]) -> None:
        """Draw what others have just changed, and nothing else of it, as lit."""
        raise NotImplementedError

    def show_guests(self, presence: PresenceTracker) -> None:
        """Draw the initials of those who are on a card too beside its title, and nothing else anew."""
        raise NotImplementedError

    def show_people(self) -> None:
        super().show_people()
        self.show_guests(self.podium.presence)

    @property
    def card_id(self) -> Id | None:
        return self.card.id if self.card else None

    @property
    def detail(self) -> str:
        return (f"{len(self.marks)} marked · " if self.marks else "") + super().detail

    @property
    def description(self) -> str:
        """What the cursor is on, in a sentence, as the Canvas says it."""
        card = self.card
        if card is None:
            return ""
        facts = [card.title, card.kind.lower(), STATUS_WORDS[card.status] if card.status else ""]
        facts.append(f"in {self.column.name}" if self.column else "")
        if card.due and card.status not in CLOSED:
            shown = format_due(card.due, self.canvas.head.today)
            facts.append(shown if shown.endswith("late") else f"due {shown}")
        names = [member.name for member in self.team() if member.user_id in card.assignee_ids]
        return one_line(", ".join([fact for fact in facts if fact] + (names or ["nobody assigned"])))

    # -- reading ---------------------------------------------------------------------------------------------

    async def reload(self) -> None:
        before, since = self.preset.viewing, self.canvas.head.seq
        canvas = await self.podium.query(GetCanvas(project_id=self.project_id))
        self.canvas = replace(canvas, preset=self.podium.viewer_sight.preset(self.project_id, canvas.preset))
        if self.preset.viewing != before:
            self.show_archived = PhaseSection.ARCHIVED in self.preset.viewing.sections
        head = self.canvas.head
        self.project_name = head.name
        self.held, self.authority = head.held, head.authority
        self.role_words = head.my_role.lower() if head.my_role else ""
        self.read_filter()
        here = {card.id for card in self.canvas.cards}
        self.marks &= here
        self._draw()
        if self._focus_id:
            self.go_to(self._focus_id)
            self._focus_id = None
        if since not in (0, head.seq):
            await self._tell_of_others(since)

    async def _tell_of_others(self, since: int) -> None:
        """Light what others changed since a seq, and say what they did."""
        changes = await self.podium.query(GetCanvasChanges(project_id=self.project_id, since=since))
        if changes is not None and self.stands:
            self._glow.light(changes.by_others)
            self.say_doings(changes.others)

    def lose_sight(self, error: PodiumError) -> None:
        self._focus_id = self.card.id if self.card else self._focus_id
        self.canvas = NOTHING
        self._draw()
        super().lose_sight(error)

    def _draw(self) -> None:
        self.draw()
        self.show_cursor()

    @property
    def canvas_head(self) -> CanvasHeader:
        return self.canvas.head

    def leave_cards(self) -> None:
        self._draw()

    def cards(self) -> list[Card]:
        """The cards that the preset, the filter and the archive leave, in the order of the Canvas."""
        return [card for card in self.canvas.cards if self._is_left(card)]

    def _is_left(self, card: Card) -> bool:
        if PART_OF[card.kind] not in self.canvas.preset.viewing.sections:
            return False
        only = self.card_filter
        if card.status is Status.ARCHIVED and not (self.show_archived or (only and only.shows_archived)):
            return False
        return only is None or only.matches(card)

    # -- presets ---------------------------------------------------------------------------------------------

    @property
    def preset(self) -> ViewPreset:
        return self.canvas.preset

    @property
    def shows_archive(self) -> bool:
        return self.show_archived

    def look_with(self, preset: ViewPreset) -> None:
        self.canvas = replace(self.canvas, preset=preset)
        self.show_archived = PhaseSection.ARCHIVED in preset.viewing.sections
        self.read_filter()
        self._draw()
        self.show_titles()

    # -- what the keys act on --------------------------------------------------------------------------------

    def targets(self) -> Sequence[Card]:
        if self.marks:
            return [card for card in self.shown() if card.id in self.marks]
        return [self.card] if self.card else []

    def kind_in_focus(self) -> ItemKind | None:
        """Without looking at the marked cards: it is asked for every key in the line of keys."""
        return self.card.kind if self.card and not self.marks else None

    @property
    def phase_id(self) -> Id | None:
        return self.card.phase_id if self.card else None

    @property
    def column(self) -> PhaseColumn | None:
        """The phase of the cursor, as the Canvas has it."""
        return next((column for column in self.canvas.head.columns if column.id == self.phase_id), None)

    def team(self) -> Sequence[CanvasMember]:
        return self.canvas.head.members

    def menu_title(self) -> str:
        return self._named(self.targets()) if self.targets() else self.place()

    # -- marks -----------------------------------------------------------------------------------------------

    def ids_shown(self) -> Sequence[Id]:
        return [card.id for card in self.shown()]

    def id_here(self) -> Id | None:
        return self.card.id if self.card else None

    def take_marks(self) -> None:
        self.show_marks()
        self.show_cursor()
        self.show_titles()

    def go_on(self) -> None:
        self.do_down()

    def do_down(self) -> None:
        raise NotImplementedError

    # -- filter and archive ----------------------------------------------------------------------------------

    def do_toggle_archived(self) -> None:
        self.show_archived = not self.show_archived
        self._draw()
        self.podium.tell("The archive is shown." if self.show_archived else "The archive is hidden.")

    def do_back(self) -> None:
        """First the marks go, then the filter, then looking as a Viewer, then one level up."""
        if self.marks:
            self.mark(())
        elif self.query_one(FilterLine).text:
            self.query_one(FilterLine).clear()
        else:
            super().do_back()

    # -- going on --------------------------------------------------------------------------------------------

    async def do_open(self) -> None:
        if self.card is None:
            self.podium.tell("There is no card here.")
        else:
            await self.open_card(self.card)

    @asking
    async def do_new_card(self) -> None:
        """In the phase of the cursor; where that is on none, in the first one."""
        from tui.screens.cards.new_card import NO_PHASES, activity_around, ask_new_card

        phase = self.column or next(iter(self.canvas.head.columns), None)
        if phase is None:
            self.podium.tell(NO_PHASES)
            return
        cards = {card.id: card for card in self.canvas.cards}
        item = await ask_new_card(self, phase, activity_around(self.card, cards.get), self.team())
        if item is not None:
            self.go_to(item.id)

    async def jump_to(self, blocker: Blocker) -> None:
        """Put the cursor on what stands in the way, or open it where it is not shown."""
        if any(card.id == blocker.id for card in self.shown()):
            self.go_to(blocker.id)
        else:
            await super().jump_to(blocker)
