"""From a key to its action: which keys work on a screen, why one is disabled, and carrying it out."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property, partial

from core.domain.grants import LOCAL
from core.errors import PodiumError
from tui.keys.keymap import remap_keys
from tui.keys.names import spell_key
from tui.keys.table import BY_ID, EVERYWHERE, IDEAS, PHASE, Key, idea_of, keys_on
from tui.screens.framework.access import Access
from tui.screens.framework.controller import Action, OwnerScreen, Selection, while_open
from tui.screens.framework.reading import Reading
from tui.services.view_as import ENDS
from tui.widgets.bars import LineKey
from tui.wording.permissions import in_full, is_certain

WHY = "everywhere.why"
"""While the permissions are uncertain, this key says so first: they disable everything else."""


LAST = ("everywhere.go", "everywhere.undo", "everywhere.help")
"""The keys at the right end of the line of keys, whatever else is in it."""

STEPS = frozenset({"up", "down", "left", "right"})
"""The verbs that need only the cards in view, and so work while the others are being read."""


class KeyDispatcher:
    """The keys of one screen."""

    def __init__(self, screen: OwnerScreen, access: Access, reading: Reading) -> None:
        self._screen, self._access, self._reading = screen, access, reading
        self.before_key: list[Callable[[], None]] = []
        """Called once, before the next key of this screen is carried out."""
        self.being_answered = 0
        """Number of keys that are being carried out."""
        self.answered: list[Callable[[], None]] = []
        """Called after each key was carried out, or refused."""
        self.renamed: list[Callable[[Sequence[Key]], Sequence[Key]]] = []
        """Return the keys under the names that fit the selection."""
        self.facts_of_screen: Callable[[], object] | None = None
        """Returns all but the selection that the line of keys can depend on here, as plain data; None where that is not
        known, so that each action is asked whenever the line is shown."""
        self._line: tuple[Sequence[LineKey], Sequence[LineKey]] = (), ()
        self._line_facts: object = None
        """The facts of which the line of keys was made; None before, and where they are not known."""
        self._selection: Selection | None = None
        self._keeps_selection = False
        """Whether the selection is kept: while keys are asked why they do nothing, which does not change it."""

    @property
    def selection(self) -> Selection:
        """The cards, phase and project that a key acts on now."""
        if not self._keeps_selection:
            return self._screen.selection()
        self._selection = self._selection or self._screen.selection()
        return self._selection

    @cached_property
    def actions(self) -> dict[str, Action]:
        """The actions by verb: the controllers', a later one replacing an earlier one, then the screen's own."""
        given = [controller.actions() for controller in self._screen.controllers]
        return {action.verb: action for actions in (*given, self._screen.actions()) for action in actions}

    def live(self) -> Sequence[Key]:
        """The keys that work here, with the user's own keymap, the screen's own first."""
        screen = self._screen
        live: Sequence[Key] = remap_keys(keys_on(screen.name_in_table), screen.podium.preferences.find_keymap())
        for rename in self.renamed:
            live = rename(live)
        return live

    @contextmanager
    def one_selection(self) -> Iterator[None]:
        """Within it the selection is made once, for all keys that ask for it."""
        before, self._keeps_selection = self._keeps_selection, True
        try:
            yield
        finally:
            self._keeps_selection = before
            if not before:
                self._selection = None

    def why_not(self, key: Key) -> str:
        """The reason why a key does nothing now; empty when it works."""
        with self.one_selection():
            access = self._access
            if access.unseen is not None and key.screen != EVERYWHERE:
                return str(access.unseen)
            if access.as_viewer and key.verb in ("undo", "redo", "undo_list"):
                return ENDS  # the change to undo is the user's own, also while they look as a Viewer
            action = self.actions.get(key.verb)
            if action is not None and action.disabled is not None and (reason := action.disabled(key)):
                return reason
            if action is not None and action.permissions is not None:
                reasons = [access.reason(permission) for permission in action.permissions(key)]
            else:
                reasons = [access.reason(key.needs)] if key.needs is not None else []
            return "" if "" in reasons or not reasons else reasons[0]

    def line(self) -> tuple[Sequence[LineKey], Sequence[LineKey]]:
        """The keys for the line of keys. The actions are asked only when a fact that they can depend on has changed."""
        with self.one_selection():
            facts = self._find_facts()
            if facts is None or facts != self._line_facts:
                self._line, self._line_facts = self.make_line(), facts
        return self._line

    def _find_facts(self) -> object:
        """All that the line of keys can depend on; None where it is not known."""
        if self.facts_of_screen is None:
            return None
        access, podium = self._access, self._screen.podium
        rights = (access.unseen, access.authority, access.held, access.as_viewer, podium.me.held)
        of_user = podium.me.preferences.get("keymap"), podium.sending.undone
        return self.facts_of_screen(), self.selection.key_facts, rights, of_user

    def make_line(self) -> tuple[Sequence[LineKey], Sequence[LineKey]]:
        """Ask each action for the keys that do something now: those for the beginning of the line, and for its end.

        What is under the cursor asks for some: they come first, the gate of its phase before all others. Until the
        permissions are certain, keys without one keep their place.
        """
        offered, others, last = [], [], []
        stay = not is_certain(self._access.authority)
        with self.one_selection():
            for key in self.live():
                action = self.actions.get(key.verb)
                offer = action.offer() if key.keys and action is not None and action.offer is not None else ""
                works = bool(offer or key.label) and not self.why_not(key)
                if key.id in LAST:
                    last.append(LineKey(key, key.shown, key.label, works=works))
                elif offer and works:
                    offered.append(LineKey(key, key.shown, offer, is_offered=True))
                elif key.label and key.keys and (works or stay):
                    pair, _, word = key.label.partition(" ")
                    is_pair = "/" in pair  # one label for a pair of keys: "H/L move"
                    shown, label = (pair, word) if is_pair else (key.shown, key.label)
                    others.append(LineKey(key, shown, label, works=works))
        offered.sort(key=lambda each: idea_of(each.key).group != PHASE)
        return (*offered, *others), sorted(last, key=lambda each: LAST.index(each.key.id))

    def may(self, key_id: str) -> bool:
        """True if the mouse may do the same as a key; the reason against it is shown."""
        reason = self.why_not(BY_ID[key_id])
        if reason:
            self._screen.podium.toast(reason, severity="warning")
        return not reason

    def answer_unbound(self, key: str) -> None:
        """Say that a letter means nothing here: unnoticed, what is typed after it would act as keys."""
        sign = spell_key(key)
        if len(sign) == 1 and sign.isprintable():
            idea = next((each for each in IDEAS if key in each.keys.split(",")), None)
            elsewhere = f" Elsewhere: {idea.words}." if idea else ""
            words = f"{sign} does nothing on this screen.{elsewhere} ? lists its keys."
            self._screen.podium.toast(words, severity="warning")

    async def run(self, key: Key) -> None:
        """Do what a key says, or say why not."""
        podium = self._screen.podium
        waiting = (*podium.before_key, *self.before_key)
        podium.before_key, self.before_key = [], []
        for heard in waiting:
            heard()
        self.being_answered += 1
        try:
            await self._answer(key)
        finally:
            self.being_answered -= 1
            for heard in self.answered:
                heard()

    async def _answer(self, key: Key) -> None:
        screen = self._screen
        reason = self.why_not(key)
        if key.id == WHY and not is_certain(self._access.authority):
            reason = in_full(self._access.authority)
        elif key.id == WHY and self._access.unseen is not None:
            reason = str(self._access.unseen)
        if self._reading.is_partial and key.screen != EVERYWHERE and key.verb not in STEPS:
            screen.podium.begin(partial(self._read_rest_and_run, key))
        elif reason and self._may_be_granted_by_now(key):
            screen.podium.begin(partial(self._ask_and_run, key))
        elif reason:
            screen.podium.toast(reason, severity="warning")
        else:
            await self._run(key)

    async def _read_rest_and_run(self, key: Key) -> None:
        """Carry out a key that is about all cards when they are read; later keys wait for it."""
        if await self._reading.read_rest() and self._screen.is_alive:
            await self._answer(key)

    def _may_be_granted_by_now(self, key: Key) -> bool:
        """True if the authorization service is to be asked again before a refusal: it does not announce a new grant."""
        access = self._access
        is_asked = is_certain(access.authority) and access.authority.source != LOCAL.source
        return is_asked and key.needs is not None and access.unseen is None and not access.as_viewer

    async def _ask_and_run(self, key: Key) -> None:
        await self._screen.podium.rights.ask_for(self._screen)
        if not self._screen.is_alive:
            return
        if reason := self.why_not(key):
            self._screen.podium.toast(reason, severity="warning")
        else:
            await self._run(key)

    async def _run(self, key: Key) -> None:
        """Call the handler; a refusal of the core is shown."""
        try:
            with while_open(self._screen):
                result = self.actions[key.verb].run(*key.arguments)
                if isinstance(result, Awaitable):
                    await result
        except PodiumError as error:
            self._screen.podium.show_error(error)
