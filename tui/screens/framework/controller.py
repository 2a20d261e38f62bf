"""Controllers: a screen owns a list of them, and each holds a few related actions.

They know their screen as an ``OwnerScreen``. An action has its handler and its reason for being disabled side by side.
The table of keys (tui/keys/table.py) names the action of each key by its verb, and the user may change the key.

Example: a controller of two actions, on a screen that has cards::

    class StatusSteps(Controller):
        def actions(self) -> Sequence[Action]:
            return (
                Action("next_status", self.do_next_status, self.no_status),
                Action("previous_status", self.do_previous_status, self.no_status),
            )
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from typing import Any, Protocol, TypeVar

from textual.css.query import DOMQuery, NoMatches
from textual.widget import Widget

from core.domain.canvas import CanvasMember
from core.domain.model import WORKSPACE, Id, ItemKind, PhaseState, Status
from core.domain.permissions import CHANGING_CARDS, Permission
from core.record import Record
from tui.keys.table import Key
from tui.podium import Podium
from tui.services.cards import Target
from tui.services.destinations import ToCanvas, ToPhase
from tui.services.host import OpenScreen
from tui.terminal.workers import TimerOwner
from tui.widgets.bars import ScreenKeys

R = TypeVar("R")
A = TypeVar("A")


class PhaseRef(Record, kw_only=False):
    """A phase by id and name, with its state where that is known."""

    id: Id
    name: str
    state: PhaseState | None = None
    is_ready: bool = False
    """Whether only the approval of the user is missing, or their vote."""
    takes_votes: bool = False
    """Whether it is decided by votes."""
    on_hold: bool = False
    missing: str = ""
    """What else is missing at its gate, in words, where that is known."""


class Selection(Record, kw_only=False):
    """The project, cards and phase that a key acts on, with the user's permissions there."""

    project_id: Id = WORKSPACE
    card: Target | None = None
    """The card under the cursor."""
    cards: Sequence[Target] = ()
    """The marked cards, else the one under the cursor."""
    marked: bool = False
    """Whether any card is marked."""
    phase: PhaseRef | None = None
    """The phase under the cursor."""
    team: Sequence[CanvasMember] = ()
    """The members of the project."""
    permissions: frozenset[Permission] = frozenset()
    project_key: str = ""
    """The key of the project, where the screen knows it."""
    nothing: str = "There is no card here."
    """The reason why the keys of cards do nothing where there is no card."""

    @property
    def kind(self) -> ItemKind | None:
        """The kind of the one card under the cursor; None without one and while cards are marked."""
        return self.card.kind if self.card is not None and not self.marked else None

    @property
    def key_facts(self) -> object:
        """All that the line of keys can depend on here, as plain data: another card with the same has the same line."""
        card, phase = self.card, self.phase
        return (
            card and (card.kind is ItemKind.APPLICATION, CHANGING_CARDS[card.kind] in self.permissions),
            bool(getattr(card, "waits_for", 0)),
            (self.marked, len(self.cards), {each.status is Status.ARCHIVED for each in self.cards}),
            phase and (phase.state, phase.is_ready, phase.takes_votes, phase.on_hold, phase.missing),
            (self.permissions, self.nothing),
        )

    @property
    def title(self) -> str:
        """The card in quotation marks, or the number of cards."""
        return f"“{self.cards[0].title}”" if len(self.cards) == 1 else f"{len(self.cards)} cards"


class Action(Record, kw_only=False):
    """One thing that a key does."""

    verb: str
    """The last part of the key's id: ``next_status`` of ``canvas.next_status``."""
    run: Callable[..., Any]
    """The handler. A key such as ``canvas.go_to_phase/3`` hands it what follows the slash."""
    disabled: Callable[[Key], str] | None = None
    """Gives the reason why the key does nothing now, or ""; None for an action that is never disabled."""
    permissions: Callable[[Key], Sequence[Permission]] | None = None
    """Gives the permissions of which one is enough, in place of the key's own; an empty set allows everyone."""
    offer: Callable[[], str] | None = None
    """Gives a label, or "", for the line of keys: with one, what is under the cursor asks for this action, so that its
    key comes first and in colour. In a view of a project ``key_facts`` has all that it depends on, as for ``disabled``.
    """


def with_found(find: Callable[[], R | None], handler: Callable[[R], A]) -> Callable[[], A | None]:
    """The handler of a key, which gets what ``find`` returns, and does nothing without it.

    Example::

        Action("edit", with_found(lambda: self.screen.detail, self.do_edit))
    """

    def run() -> A | None:
        found = find()
        return handler(found) if found is not None else None

    return run


def why_if_locked(selection: Selection) -> str:
    """The offer of the key that explains a lock, what the card waits for, or what is missing at the gate."""
    phase = selection.phase
    if getattr(selection.card, "waits_for", 0) or (phase and phase.state is PhaseState.LOCKED):
        return "why"
    return phase.missing if phase else ""


class KeysHere(ScreenKeys, Protocol):
    """The keys of a screen as its parts know them; ``KeyDispatcher`` describes each."""

    answered: list[Callable[[], None]]
    before_key: list[Callable[[], None]]
    being_answered: int
    facts_of_screen: Callable[[], object] | None
    renamed: list[Callable[[Sequence[Key]], Sequence[Key]]]

    @property
    def actions(self) -> Mapping[str, Action]: ...
    @property
    def selection(self) -> Selection: ...
    def live(self) -> Sequence[Key]: ...
    def why_not(self, key: Key) -> str: ...


class ReadAgain(Protocol):
    """The reads of a screen as its parts know them; ``Reading`` describes each."""

    done: list[Callable[[], None]]

    async def read_again(self) -> None: ...


class PhaseDisplay:
    """The phases on a screen. A screen that shows phases has a subclass in ``PodiumScreen.phase_display``."""

    def __init__(self, screen: OwnerScreen) -> None:
        self.screen: Any = screen

    async def go_to(self, project_id: Id, phase_id: Id, card_id: Id | None) -> None:
        """Go to a card of a phase; without one, to the phase."""
        to = ToCanvas(project_id, card_id) if card_id else ToPhase(project_id, phase_id)
        await self.screen.podium.open(to)

    def may_be_complete(self, phase_id: Id) -> bool:
        """False if the screen knows that a phase is neither complete nor ready for approval."""
        return True

    def light(self, phase_id: Id) -> None:
        """Highlight a phase for a moment, if the screen shows it."""


class OwnerScreen(OpenScreen, TimerOwner, Protocol):
    """A screen as its parts know it; ``PodiumScreen`` describes each."""

    @property
    def podium(self) -> Podium: ...
    @property
    def keys(self) -> KeysHere: ...
    @property
    def reading(self) -> ReadAgain: ...
    @property
    def controllers(self) -> Sequence[Controller]: ...
    @property
    def phase_display(self) -> PhaseDisplay: ...
    @property
    def undo_scope(self) -> Id: ...
    def selection(self) -> Selection: ...
    def menu_title(self) -> str: ...
    def query(self, selector: str | type[Widget]) -> DOMQuery[Any]: ...
    def mount(self, *widgets: Widget, after: int | None = None) -> object: ...
    def set_class(self, add: bool, *class_names: str) -> object: ...

    # -- for its permissions, its keys and its reads alone ---------------------------------------------------

    @property
    def spans_projects(self) -> bool: ...
    @property
    def shows_data(self) -> bool: ...
    @property
    def name_in_table(self) -> str: ...
    @property
    def title_words(self) -> str: ...
    def place(self) -> str: ...
    def actions(self) -> Sequence[Action]: ...
    def permissions_changed(self) -> None: ...
    def data_hidden(self) -> None: ...
    async def reload(self) -> None: ...


@contextmanager
def while_open(screen: OwnerScreen) -> Iterator[None]:
    """Around code that waits for an answer and then draws it: on a screen that was closed meanwhile it ends there."""
    try:
        yield
    except NoMatches:
        if screen.is_alive:
            raise


class Controller(ABC):
    """A few related actions of a screen. It reads the screen's ``Selection`` and sends messages to the core."""

    screen: OwnerScreen
    """The screen that owns it. A controller of one kind of screen names that kind."""

    def __init__(self, screen: OwnerScreen) -> None:
        self.screen = screen

    @abstractmethod
    def actions(self) -> Sequence[Action]:
        """The actions, in no particular order."""

    @property
    def podium(self) -> Podium:
        """The application."""
        return self.screen.podium

    @property
    def selection(self) -> Selection:
        """The cards, phase and project that a key acts on now."""
        return self.screen.keys.selection

    def step_back(self) -> bool:
        """Take away one layer, such as the marks; whether there was one. ``esc`` asks each controller in turn."""
        return False

    def bulk_done(self, refused: Set[Id]) -> None:  # noqa: B027 (a hook)
        """Called when a change of several cards was carried out, except for the ``refused`` ones."""

    def data_hidden(self) -> None:  # noqa: B027 (a hook)
        """Called when the data of the screen must not be shown any more."""
