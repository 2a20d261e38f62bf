"""The Projects widget: my projects, favourites first, and what is next for me."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date
from typing import Any, cast

from textual import on
from textual.app import ComposeResult
from textual.containers import Container

from core.actions.projects.lists import ProjectSummary
from core.domain.model import Health, Id
from core.domain.permissions import Permission
from core.reads.workflows import WaitingGate
from core.text.phrases import count
from tui.screens.framework.controller import Action
from tui.screens.framework.global_actions import TourActions
from tui.screens.framework.list_screen import ListDetail, ListScreen
from tui.screens.framework.previewer import Previewed, Previewer
from tui.screens.framework.row_cache import KeptRows
from tui.screens.previews.kinds import preview_of
from tui.screens.projects.pages import NextItem, PageReader, ProjectPages
from tui.screens.projects.project_actions import ProjectActions
from tui.screens.projects.rows import COLUMNS, HEALTH, NEXT_COLUMNS, LineFacts, next_line, project_line
from tui.widgets.bars import GoalFacts, OwnKey
from tui.widgets.choices import Choice, Choices
from tui.widgets.columns import Line, text_of
from tui.widgets.list_view import ListView
from tui.wording.platform_roles import roles_of

PANEL_FROM = 120
"""Cells from which on the next items stand beside the projects; below, they stand under them where there is room."""

MIN_NEXT = 4
"""Lines that the next items need below the list to be worth their place."""

LATE_FIRST = (Health.OVERDUE, Health.AT_RISK, Health.ON_TRACK, Health.NONE)

SORTS: tuple[tuple[str, Callable[[ProjectSummary], Any]], ...] = (
    ("name", lambda line: line.project.name.casefold()),
    ("health", lambda line: LATE_FIRST.index(line.health)),
    ("next due", lambda line: line.next_due or date.max),
    ("progress", lambda line: -line.tally.progress),
)
"""What S steps through. Equals keep the order by name, favourites first."""

NOT_ADDED = (
    "No projects yet\nYou see the projects that you are a member of. Ask a project's owner to add you: Members, then n."
)

CHOICES = (
    Choice("1", "Show me around", "A sample project and seven small goals, about three minutes."),
    Choice("2", "Start from a template", "Phases, cards and dates for a launch, a campaign, an event …"),
    Choice("3", "Empty project", "Start from scratch: add your own phases and tasks."),
    Choice("4", "Bring in a file", "The plan that you have: Excel, CSV, Trello, Jira …"),
)
KEYS = ("projects.tour", "projects.from_template", "projects.empty_project", "projects.from_file")
"""The keys of the choices, in their order."""
LABELS: tuple[OwnKey, ...] = (
    ("1", "show me around", f"screen.do('{KEYS[0]}')"),
    ("2", "template", f"screen.do('{KEYS[1]}')"),
    ("3", "empty project", f"screen.do('{KEYS[2]}')"),
    ("4", "file", f"screen.do('{KEYS[3]}')"),
    ("g", "go", "screen.do('everywhere.go')"),
    ("?", "help", "screen.do('everywhere.help')"),
)
REDO: OwnKey = ("U", "redo", "screen.do('everywhere.redo')")


class NextStep(TourActions):
    """On the list of projects the goal is the way back to the tour, or the step that comes after it."""

    screen: ProjectsScreen

    def goal(self) -> GoalFacts | None:
        if self.screen.has_class("-begin"):
            return None
        sample = self.screen.pages.lines.get(self.podium.tour.project_id)
        return self.podium.tour.next_step(sample.project.name if sample else "")


class Beginnings(Choices):
    """The choices; while the screen has the class ``-begin``, they take the place of its list."""

    def __init__(self) -> None:
        super().__init__(
            "No projects yet",
            "How do you want to begin? Press a key.",
            CHOICES,
            "Press n to create a project at any time, g to go to another screen, and ? for all keys.",
            LABELS,
            id="begin",
        )

    def offer(self, is_offered: bool) -> None:
        """Show the choices in place of the list, or the list; the one that is shown has the focus."""
        screen = cast(ProjectsScreen, self.screen)
        undone = screen.podium.sending.undone
        self.own_keys = (REDO, *LABELS) if undone else LABELS
        if is_offered != screen.has_class("-begin"):
            screen.set_class(is_offered, "-begin")
            if screen.previewer is not None:
                screen.previewer.lay_out()
            screen.set_focus(self if is_offered else screen.query_one("#lines"))

    @on(Choices.Chosen)
    async def _begin(self, chosen: Choices.Chosen) -> None:
        chosen.stop()
        await cast(ProjectsScreen, self.screen).action_do(KEYS[chosen.index])


class ProjectsScreen(ListScreen[ProjectSummary]):
    """The first screen of Podium."""

    name_in_table = "projects"
    is_level = True
    title_words = "Projects"
    tour_actions_type = NextStep
    columns = COLUMNS
    opens = "projects.open"
    nothing_here = "No project here."
    DEFAULT_CSS = """
    ProjectsScreen {
        #lists { height: 1fr; layout: vertical; }
        #next { display: none; height: auto; }
        &.-below #next { display: block; margin-top: 1; }
        #begin { display: none; }
        &.-begin #begin { display: block; }
        &.-begin #lists { display: none; }
        &.-beside #lists { layout: horizontal; }
        &.-beside #lines { width: 1fr; }
        &.-beside #next { display: block; width: 32%; max-width: 66; height: 1fr; border-left: vkey $border; }
    }
    """

    def __init__(self) -> None:
        super().__init__()
        self._archived = False
        self._sort = 0
        self._waiting = 0
        """The number of gates that wait for the user's decision."""
        self._rows = KeptRows[LineFacts, Line](lambda facts: project_line(*facts))
        self.pages = ProjectPages(lambda query: self.podium.query(query))
        self.read_on = self.add(PageReader(self, self.pages, self.show_lines))
        self.add(ProjectActions(self, self.read_on, lambda: self.next_item))
        self.previewer = self.add(ProjectPreview(self, self.find_record))

    def find_record(self) -> Previewed | None:
        """The project of the line, or the card that is next for me while those have the keyboard."""
        line, project = self.line, self.records.current
        if isinstance(item := self.next_item, WaitingGate):
            return preview_of("PHASE", item.phase_id, item.phase)
        if line is not None and self.listing.id == "next":
            return preview_of("CARD", line.id, text_of(line.cells[0][1:]))
        return preview_of("PROJECT", project.project.id, project.project.name) if project else None

    def body(self) -> ComposeResult:
        yield Beginnings()
        with Container(id="lists"):
            yield ListView(COLUMNS, id="lines")
            yield ListView(NEXT_COLUMNS, heading="Next for me", id="next")
        yield ListDetail()

    @property
    def listing(self) -> ListView:
        """The projects, or what is next for me while that has the keyboard."""
        following = self.query_one("#next", ListView)
        return following if following.has_focus else self.query_one("#lines", ListView)

    @property
    def next_item(self) -> NextItem | None:
        """The card or the gate of the cursor, while what is next for me has the keyboard."""
        line = self.line if self.listing.id == "next" else None
        return self.pages.following.get(line.id) if line else None

    def place(self) -> str:
        facts = [
            "Projects",
            self.podium.me.workspace.name,
            "with archive" if self._archived else "",
            f"by {SORTS[self._sort][0]}" if self._sort else "",
            self.read_on.words(),
            f"{count(self._waiting, 'gate')} for you to decide" if self._waiting else "",
        ]
        return " · ".join(fact for fact in facts if fact)

    # -- reading ---------------------------------------------------------------------------------------------

    async def reload(self) -> None:
        """Read as many projects as the screen has lines, and those in view, before the paint; the others behind it."""
        await self.read_on.begin(self._archived)
        self.access.role_words = roles_of(self.podium.me.user)
        self.show_lines()

    def permissions_changed(self) -> None:
        """An empty list says what to do, which depends on them."""
        if not self.pages.lines:
            self.show_lines()

    def show_lines(self) -> None:
        """Draw the projects that were read by now."""
        if not self.is_alive:
            return
        today = date.today()
        lines = sorted(self.pages.lines.values(), key=_place)
        lines.sort(key=SORTS[self._sort][1] if self._sort else lambda each: (each.project.archived, not each.favourite))
        projects, following = self.query_one("#lines", ListView), self.query_one("#next", ListView)
        projects.empty = NOT_ADDED
        following.empty = "\nNothing is due for you."
        look, me = projects.look, self.podium.me.user.id
        rows = self._rows.of((line.project.id, (line, today, look, me)) for line in lines)
        self.records.show(zip(lines, rows, strict=True))
        items = self.pages.following.values()
        several = len({item.project_id for item in items}) > 1
        self._waiting = len(self.pages.waiting)
        following.show([next_line(item, today, following.look, several) for item in items])
        self._lay_out()
        self.show_titles()
        self.query_one(Beginnings).offer(Permission.PROJECT_CREATE in self.podium.me.held and not lines)

    def on_resize(self) -> None:
        self._lay_out()

    def _lay_out(self) -> None:
        """Put what is next for me beside the list, below it, or away."""
        taken = self.previewer.rows if self.previewer else 0
        free = self.size.height - 5 - taken - len(self.pages.lines)
        beside = self.size.width >= PANEL_FROM and bool(self.pages.lines)
        below = not beside and bool(self.pages.following) and free >= MIN_NEXT
        self.set_class(beside, "-beside")
        self.set_class(below, "-below")
        following = self.query_one("#next", ListView)
        following.styles.height = min(free, len(self.pages.following) + 1) if below else "1fr"
        if following.has_focus and not (beside or below):
            self.query_one("#lines").focus()

    @on(ListView.CellPressed)
    async def _press_cell(self, event: ListView.CellPressed) -> None:
        """A click on the health explains it."""
        if self.listing.id == "lines" and COLUMNS[event.number].title == HEALTH:
            await self.action_do("everywhere.why")

    # -- keys ------------------------------------------------------------------------------------------------

    async def action_do(self, key_id: str) -> None:
        """Under a filter, a key that acts on a project waits until all are read, since the filter can find others."""
        if key_id.startswith("projects.") and self.filter.text:
            await self.read_on.wait()
        await super().action_do(key_id)

    def actions(self) -> Sequence[Action]:
        return (
            Action("other_list", self.do_other_list),
            Action("sort", self.do_sort),
            Action("toggle_archived", self.do_toggle_archived),
        )

    def menu_title(self) -> str:
        return self.records.current.project.name if self.records.current else self.place()

    def do_other_list(self) -> None:
        following = self.query_one("#next", ListView)
        other = following if following.display and not following.has_focus else self.query_one("#lines", ListView)
        other.focus()

    def do_sort(self) -> None:
        self._sort = (self._sort + 1) % len(SORTS)
        self.show_lines()
        self.show_titles()

    async def do_toggle_archived(self) -> None:
        self._archived = not self._archived
        await self.refresh_from_core()
        self.podium.toast("Showing archived projects." if self._archived else "Archived projects hidden.")


def _place(line: ProjectSummary) -> tuple[bool, bool, str, Id]:
    """Favourites first, then by name."""
    return not line.favourite, line.project.archived, line.project.name.casefold(), line.project.id


class ProjectPreview(Previewer):
    """The preview below the list, which the ways to begin leave no room for."""

    screen: ProjectsScreen

    @property
    def is_shown(self) -> bool:
        """False too while the ways to begin take the place of the list."""
        return super().is_shown and not self.screen.has_class("-begin")

    def lay_out(self) -> None:
        super().lay_out()
        self.screen.on_resize()
