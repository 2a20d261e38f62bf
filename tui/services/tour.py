"""The tour: a sample project of the user's own, and seven goals that are ticked when they have been done there.

A goal is ticked by the command that was carried out, or the reason that was shown, and never by a key. What the user
did in another terminal is read from the history of the sample project. The goals that are done are kept with the user,
so that a later tour goes on with them.
"""

from __future__ import annotations

import contextlib
from datetime import date
from functools import cache
from typing import TYPE_CHECKING, Any

from core.domain.gates import DECISION_WORDS, Decision
from core.domain.model import Id, PhaseState
from core.engine.messages import Command
from core.errors import Forbidden, NotFound, PodiumError
from core.record import Record, replace
from tui.keys.keymap import remap_keys
from tui.keys.table import BY_ID
from tui.services.destinations import ToCanvas
from tui.terminal.workers import start_worker
from tui.widgets.bars import GoalFacts

if TYPE_CHECKING:
    from core.actions.history.entries import HistoryEntry
    from tui.services.host import Host, OpenScreen

SETTING = "tour"
"""The setting of the user with the id of the sample project and the names of the goals that are done."""


class Goal(Record, kw_only=False):
    """One goal of the tour."""

    name: str
    key_id: str
    """The key that does it, in the table of keys."""
    words: str
    short: str
    """The words for a narrow terminal."""
    sets: tuple[str, ...] = ()
    """Fields of which its message gives one a value, where the same message can take it away."""
    to: Decision | None = None
    """The value, if not any does."""


GOALS = (
    Goal("add", "canvas.new_card", "Add a card: type a title, then press enter", "Add a card"),
    Goal("move", "canvas.next_status", "Move it to In Progress; H moves it back", "Move it to In Progress"),
    Goal(
        "assign",
        "canvas.assign",
        "Assign it to yourself: enter chooses you",
        "Assign it to yourself",
        ("assignee_id", "member_ids"),
    ),
    Goal("date", "canvas.due", "Set its due date: type fri, +2w or 3 dec", "Set its due date: fri", ("due",)),
    Goal(
        "why", "everywhere.why", "Ask why “Launch” is locked; go right to it first (l)", "In “Launch” (l): why locked?"
    ),
    Goal(
        "approve",
        "canvas.approve_gate",
        "Complete the cards of “Prepare” (c), then approve its gate",
        "Complete “Prepare” (c), approve",
        ("decision",),
        Decision.PASS,
    ),
    Goal("undo", "everywhere.undo", "Undo your last change; U redoes it", "Undo your last change"),
)


@cache
def messages_of(goal: Goal) -> tuple[type[Command[Any]], ...]:
    """The messages that do a goal, imported only for a tour. None does "why": that is a reason that was shown."""
    from core.actions.cards.activities import AssignActivity, CreateActivity
    from core.actions.cards.cards import MoveCard, SetCardDueDate
    from core.actions.cards.tasks import AssignTask, CreateTask
    from core.actions.history.history import Undo
    from core.actions.workflow.gates import DecideGate

    messages: dict[str, tuple[type[Command[Any]], ...]] = {
        "add": (CreateTask, CreateActivity),
        "move": (MoveCard,),
        "assign": (AssignTask, AssignActivity),
        "date": (SetCardDueDate,),
        "why": (),
        "approve": (DecideGate,),
        "undo": (Undo,),
    }
    return messages[goal.name]


def is_done_by(goal: Goal, command: Command[Any]) -> bool:
    """True if a command that was carried out here does a goal; a new card can have an assignee and a due date."""
    if not goal.sets:
        return isinstance(command, messages_of(goal))
    values = [getattr(command, each, None) for each in goal.sets]
    is_set = goal.to in values if goal.to else any(values)
    return is_set and isinstance(command, messages_of(goal) + messages_of(GOALS[0]))


def is_done_in(goal: Goal, entry: HistoryEntry) -> bool:
    """True if a change in the history does a goal."""
    values = [each.after for each in entry.values]
    is_set = DECISION_WORDS[goal.to] in values if goal.to else not goal.sets or any(values)
    return is_set and entry.message in [each.__name__ for each in messages_of(goal)]


DONE = GoalFacts(
    key="Q",
    words="Remove this sample. Make your own project: q to Projects, then n",
    short="Remove it. Your own: q, then n",
)
MAKE_YOUR_OWN = GoalFacts(key="n", words="Make your own project", short="Make your own project")
GO_ON = GoalFacts(key="enter", words="on {} goes on with the tour", short="on {}: the tour")
"""``{}`` is the sample project."""
DEMO = GoalFacts(
    key="enter",
    words="Try first: open a project, L moves a card, w says why not, u undoes",
    short="Open it. L moves, w says why, u undoes",
)
"""The first things to try in the demo workspace."""
ENDING = GoalFacts(
    key="esc", words="End the tour? Press esc again. Any other key goes on", short="esc again ends the tour"
)


class Tour:
    """The tour of one user. ``is_on`` while its goals are shown, on the screens of the sample project."""

    def __init__(self, app: Host) -> None:
        self._app = app
        self.project_id: Id = ""
        """The sample project, once it is known."""
        self.is_on = False
        self.hint: GoalFacts | None = None
        """Facts for the Projects screen while there is no tour: the first things to try."""
        self._done: set[str] = set()
        self._is_ending = False
        """True after the first esc, until another key."""
        self._was_ending = False

    # -- the goals -------------------------------------------------------------------------------------------

    @property
    def goal(self) -> Goal | None:
        """The first goal that is not done."""
        return next((goal for goal in GOALS if goal.name not in self._done), None)

    def carried_out(self, command: Command[Any], result: object) -> None:
        """Called after each command while the tour is on: tick the goals that it, or a step of it, has done."""
        if not self._is_in_sample(command, result):
            return
        refused = {each.step for each in getattr(result, "refused", ())}
        steps = [step for at, step in enumerate(getattr(command, "commands", (command,))) if at not in refused]
        self._tick({goal.name for goal in GOALS for step in steps if is_done_by(goal, step)})

    async def hear(self) -> None:
        """Tick the goals that the user's changes elsewhere have done: by a command line, or in another terminal.

        Called while the tour is on when something was changed elsewhere. Without a connection it is done at the next
        change.
        """
        if self.goal is not None:
            from core.actions.history.history import ListHistory

            with contextlib.suppress(PodiumError):
                lines = await self._app.query(ListHistory(project_id=self.project_id))
                mine = [line for line in lines if line.actor_id == self._app.me.user.id]
                self._tick({goal.name for goal in GOALS for line in mine if is_done_in(goal, line)})

    def after_reason_shown(self, state: PhaseState) -> None:
        """Called when the reason is shown why a card or a phase is blocked; ``state`` is that of the phase."""
        if self.is_on and state is PhaseState.LOCKED and self._is_in_sample():
            self._tick({"why"})

    def _is_in_sample(self, *parts: object) -> bool:
        """True if a command or its result is about the sample project; one that names none is about the screen's."""
        named = next(filter(None, (getattr(part, "project_id", None) for part in parts)), None)
        screen = self._app.visible_screen
        return (named or (screen.project_id if screen else None)) == self.project_id

    def _tick(self, names: set[str]) -> None:
        if names - self._done:
            self._done |= names
            self._app.show_titles()
            start_worker(self._app, self._keep, group="tour", exclusive=True)

    async def _keep(self) -> None:
        """Keep the goals with the user. Without a connection they are known until Podium quits."""
        value = " ".join([self.project_id, *sorted(self._done)]) if self.project_id else ""
        self._app.use(SETTING, value)
        with contextlib.suppress(PodiumError):
            await self._app.keep(SETTING, value)

    # -- the line of the goal --------------------------------------------------------------------------------

    def next_step(self, sample: str) -> GoalFacts | None:
        """The facts for the Projects screen: the way back to the tour, or the step that comes after it.

        ``sample`` is the name of the sample project; "" if the screen has not read it yet.
        """
        if not self.is_on:
            return self.hint
        if self.goal is None:
            return MAKE_YOUR_OWN
        name = f"“{sample}”" if sample else "the sample project"
        return replace(GO_ON, words=GO_ON.words.format(name), short=GO_ON.short.format(name))

    def facts(self, screen: OpenScreen) -> GoalFacts | None:
        """The facts for a screen of the sample project; None for no line."""
        if not self.is_on or screen.project_id != self.project_id:
            return None
        if self._is_ending:
            return ENDING
        goal = self.goal
        if goal is None:
            return replace(DONE, ticks=(True,) * len(GOALS), number=len(GOALS))
        (key,) = remap_keys([BY_ID[goal.key_id]], self._app.preferences.find_keymap())
        ticks = tuple(each.name in self._done for each in GOALS)
        return GoalFacts(
            key=key.shown,
            words=goal.words,
            short=goal.short,
            ticks=ticks,
            number=GOALS.index(goal) + 1,
            way_out="esc ends the tour",
        )

    # -- beginning and ending --------------------------------------------------------------------------------

    async def start(self) -> None:
        """Go on with the tour that the user began, or begin one with a new sample project. Raises PodiumError."""
        from core.actions.projects.imports import ImportProject
        from core.demo.sample_project import sample_project

        self._recall()
        if not self.project_id or self.goal is None or not await self._is_there():
            document = sample_project(self._app.me.user, date.today())
            project = await self._app.send(ImportProject(document=document, leave_out_unknown=True))
            self.project_id, self._done = project.id, set()
            await self._keep()
        self.is_on, self._is_ending = True, False
        await self.hear()
        self._app.show_titles()
        self._app.go_to_new(ToCanvas(self.project_id))

    def _recall(self) -> None:
        kept = self._app.me.preferences.get(SETTING, "").split()
        if kept and not self.project_id:
            self.project_id, self._done = kept[0], set(kept[1:])

    async def _is_there(self) -> bool:
        """True if the sample project can still be worked in."""
        from core.actions.workflow.canvas import GetCanvas

        try:
            return not (await self._app.query(GetCanvas(project_id=self.project_id))).head.archived
        except (NotFound, Forbidden):
            return False

    def is_sample(self, screen: OpenScreen) -> bool:
        """True on the screens of the sample project."""
        self._recall()
        return bool(self.project_id) and screen.project_id == self.project_id

    def _go_on(self) -> None:
        """Called before the two keys after an esc: any key but a second esc goes on with the tour."""
        self._was_ending, self._is_ending = self._is_ending, False
        if self._was_ending:
            self._app.before_key.append(self._go_on)
            self._app.show_titles()

    def step_back(self) -> bool:
        """End the tour by the second esc, or by the first when all is done. Return False if there is no tour."""
        if not self.is_on:
            return False
        if self._was_ending or self.goal is None:
            self.is_on = False
            self._app.toast("The tour has ended. “Show me around” (:) goes on with it, Q removes its sample project.")
        else:
            self._is_ending = True
            self._app.before_key.append(self._go_on)
        self._app.show_titles()
        return True

    async def remove(self) -> None:
        """Delete the sample project, and forget the tour. Raises PodiumError."""
        from core.actions.projects.projects import ArchiveProject, DeleteProject
        from core.actions.workflow.canvas import GetCanvas

        head = (await self._app.query(GetCanvas(project_id=self.project_id))).head
        if not head.archived:
            await self._app.send(ArchiveProject(project_id=self.project_id))
        await self._app.send(DeleteProject(project_id=self.project_id))
        self.project_id, self._done, self.is_on = "", set(), False
        await self._keep()
