"""The Projects widget: my projects, favourites first, and what is next for me."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import TYPE_CHECKING, Any

from textual.app import ComposeResult
from textual.containers import Container

from core.actions.projects.lists import ListOrphanedProjects, ListProjects, ProjectLine, ProjectOverview
from core.actions.projects.projects import ArchiveProject, ClaimProject, DeleteProject, RestoreProject, SetFavourite
from core.domain.model import WORKSPACE, Health, Id, Project
from core.domain.permissions import Permission
from tui.keys.bindings import bindings
from tui.labels.permissions import missing_permission_reason
from tui.labels.platform_roles import roles_of
from tui.screens.framework.dialogs import asking
from tui.screens.framework.list_screen import ListDetail, ListScreen
from tui.screens.projects.rows import COLUMNS, NEXT_COLUMNS, next_line, project_line
from tui.services.destinations import ToCanvas
from tui.widgets.filter_line import FilterLine
from tui.widgets.list_view import ListView

if TYPE_CHECKING:
    from core.actions.permissions.permissions import Rights

PANEL_FROM = 120
"""Cells from which on the next items stand beside the projects; below, they stand under them where there is room."""

TALL_FROM = 36
"""Lines from which on what is said of the project of the cursor gets two of them."""

MIN_NEXT = 4
"""Lines that the next items need below the list to be worth their place."""

LATE_FIRST = (Health.OVERDUE, Health.AT_RISK, Health.ON_TRACK, Health.NONE)

SORTS: tuple[tuple[str, Callable[[ProjectLine], Any]], ...] = (
    ("name", lambda line: line.project.name.casefold()),
    ("health", lambda line: LATE_FIRST.index(line.health)),
    ("next due", lambda line: line.next_due or date.max),
    ("progress", lambda line: -line.tally.progress),
)
"""What S steps through. The query sorts by name, favourites first, and sorting keeps that order among equals."""

NO_PROJECTS = "No projects yet\nn makes the first one, from a template or empty. ? shows all keys, g goes elsewhere."
NOT_ADDED = (
    "No projects yet\nYou see the projects that you are a member of. Ask a project's owner to add you: Members, then n."
)


class ProjectsScreen(ListScreen):
    """The first screen of Podium."""

    name_in_table = "projects"
    is_level = True
    BINDINGS = bindings("projects", "list")
    title_words = "Projects"
    columns = COLUMNS
    opens = "projects.open"
    DEFAULT_CSS = """
    ProjectsScreen {
        #lists { height: 1fr; layout: vertical; }
        #next { display: none; height: auto; }
        &.-below #next { display: block; margin-top: 1; }
        &.-tall ListDetail { height: 2; }
        &.-beside #lists { layout: horizontal; }
        &.-beside #lines { width: 1fr; }
        &.-beside #next { display: block; width: 32%; max-width: 56; height: 1fr; border-left: vkey $border; }
    }
    """

    def __init__(self) -> None:
        super().__init__()
        self._archived = False
        self._sort = 0
        self._widget = ProjectOverview(lines=(), next_items=())
        self._changed: Id = WORKSPACE
        """The project that was changed from here last: undo and redo go there."""

    def body(self) -> ComposeResult:
        with Container(id="lists"):
            yield ListView(COLUMNS, id="lines")
            yield ListView(NEXT_COLUMNS, heading="Next for me", id="next")
        yield ListDetail()
        yield FilterLine()

    @property
    def listing(self) -> ListView:
        """The projects, or what is next for me while that has the keyboard."""
        following = self.query_one("#next", ListView)
        return following if following.has_focus else self.query_one("#lines", ListView)

    @property
    def current(self) -> ProjectLine | None:
        """The project of the cursor."""
        line = self.query_one("#lines", ListView).line
        return next((each for each in self._widget.lines if line and each.project.id == line.id), None)

    def place(self) -> str:
        facts = [
            "Projects",
            self.podium.me.workspace.name,
            "with archive" if self._archived else "",
            f"by {SORTS[self._sort][0]}" if self._sort else "",
        ]
        return " · ".join(fact for fact in facts if fact)

    async def reload(self) -> None:
        self._widget = await self.podium.query(ListProjects(archived=self._archived))
        self.role_words = roles_of(self.podium.me.user)
        self._show()

    def take_rights(self, rights: Rights) -> None:
        """An empty list says what to do, which depends on them."""
        super().take_rights(rights)
        if not self._widget.lines:
            self._show()

    def _show(self) -> None:
        today = date.today()
        lines = sorted(self._widget.lines, key=lambda line: (line.project.archived, not line.favourite))
        if self._sort:
            lines = sorted(self._widget.lines, key=SORTS[self._sort][1])
        projects, following = self.query_one("#lines", ListView), self.query_one("#next", ListView)
        may_create = Permission.PROJECT_CREATE in self.podium.me.held
        projects.empty = NO_PROJECTS if may_create else NOT_ADDED
        following.empty = "\nNothing is due for you."
        projects.show([project_line(line, today, projects.look) for line in lines])
        following.show([next_line(item, today, following.look) for item in self._widget.next_items])
        self._lay_out()

    def on_resize(self) -> None:
        self._lay_out()

    def _lay_out(self) -> None:
        """Put what is next for me beside the list, below it, or away."""
        tall = self.size.height >= TALL_FROM
        free = self.size.height - 5 - tall - len(self._widget.lines)
        beside = self.size.width >= PANEL_FROM and bool(self._widget.lines)
        below = not beside and bool(self._widget.next_items) and free >= MIN_NEXT
        self.set_class(tall, "-tall")
        self.set_class(beside, "-beside")
        self.set_class(below, "-below")
        following = self.query_one("#next", ListView)
        following.styles.height = min(free, len(self._widget.next_items) + 1) if below else "1fr"
        if following.has_focus and not (beside or below):
            self.query_one("#lines").focus()

    # -- keys ------------------------------------------------------------------------------------------------

    async def _may(self, line: ProjectLine, needed: Permission) -> bool:
        """Ask for the rights on one project before its question is put; says why not. Raises PodiumError.

        The list knows no rights: they would be a question to the service for each project of it.
        """
        from core.actions.permissions.permissions import GetMyPermissions

        rights = await self.podium.query(GetMyPermissions(project_id=line.project.id))
        if needed not in rights.held:
            role = rights.role.lower() if rights.role else ""
            self.podium.tell(missing_permission_reason(needed, rights.authority, role), severity="warning")
        return needed in rights.held

    def menu_title(self) -> str:
        return self.current.project.name if self.current else self.place()

    def do_other_list(self) -> None:
        following = self.query_one("#next", ListView)
        other = following if following.display and not following.has_focus else self.query_one("#lines", ListView)
        other.focus()

    async def do_open(self) -> None:
        line = self.line
        if line is None:
            self.podium.tell("There is no project here. n makes one.")
        elif self.listing.id == "next":
            item = next(each for each in self._widget.next_items if each.id == line.id)
            await self.podium.open(ToCanvas(item.project_id, item.id))
        else:
            await self.podium.open(ToCanvas(line.id, in_layout=True))

    @asking
    async def do_new_project(self) -> None:
        """From a template, whose Canvas opens, or an empty one."""
        from tui.screens.projects.form import ask_new_project
        from tui.screens.projects.from_template import ask_template, make_from_template

        template_id = await ask_template(self.podium)
        if template_id:
            await make_from_template(self.podium, template_id)
        project = await ask_new_project(self.podium) if template_id == "" else None
        if project is not None:
            self._changed = project.id
            await self._show_project(project)
            self.podium.tell(f"Made “{project.name}”. enter opens it, N adds its first phase there.")

    @asking
    async def do_edit(self) -> None:
        from tui.screens.projects.form import ask_edit

        line = self._need_one()
        if line is None or not await self._may(line, Permission.PROJECT_UPDATE):
            return
        if await ask_edit(self.podium, line.project):
            self._changed = line.project.id
            await self.refresh_from_core()

    async def do_favourite(self) -> None:
        line = self._need_one()
        if line:
            await self.podium.perform(SetFavourite(project_id=line.project.id, favourite=not line.favourite))

    def do_sort(self) -> None:
        self._sort = (self._sort + 1) % len(SORTS)
        self._show()
        self.show_titles()

    async def do_toggle_archived(self) -> None:
        self._archived = not self._archived
        await self.refresh_from_core()
        self.podium.tell("The archive is shown." if self._archived else "The archive is hidden.")

    async def do_archive(self) -> None:
        line = self._need_one()
        if line is None:
            return
        if line.project.archived:
            self.podium.tell("It is archived already. r restores it; the menu (.) deletes it for good.")
            return
        seen = line.project.version
        if await self.podium.perform(ArchiveProject(project_id=line.project.id, seen_version=seen)):
            self._changed = line.project.id
            self.podium.tell(f"Archived “{line.project.name}”. u takes it back, A shows the archive.")

    async def do_restore(self) -> None:
        line = self._need_one()
        if line and not line.project.archived:
            self.podium.tell("It is not archived. A shows the archive.")
        elif line:
            seen = line.project.version
            if await self.podium.perform(RestoreProject(project_id=line.project.id, seen_version=seen)):
                self._changed = line.project.id

    @asking
    async def do_delete(self) -> None:
        from tui.dialogs.confirm import ConfirmDialog

        line = self._need_one()
        if line is None:
            return
        if not line.project.archived:
            self.podium.tell("Only archived projects can be deleted for good. d archives it.", severity="warning")
            return
        if not await self._may(line, Permission.PROJECT_DELETE):
            return
        words = f"“{line.project.name}”, its cards, comments and history will be gone for everybody, for good."
        if await self.podium.ask(ConfirmDialog("Delete for good", words, "Delete", typed="delete")):
            seen = line.project.version
            self._changed = WORKSPACE
            await self.podium.perform(DeleteProject(project_id=line.project.id, seen_version=seen))

    @asking
    async def do_claim(self) -> None:
        from tui.dialogs.picker import Option, PickDialog

        found = await self.podium.query(ListOrphanedProjects())
        options = [Option(project.id, project.name) for project in found]
        dialog = PickDialog("Take over a project", options, empty="Every project has an active owner.")
        picked = await self.podium.ask(dialog)
        if picked:
            await self.podium.perform(ClaimProject(project_id=picked[0]))
            self.query_one("#lines", ListView).go_to(picked[0])

    @asking
    async def do_export(self) -> None:
        from tui.screens.projects.import_export import ask_export

        line = self._need_one()
        if line:
            await ask_export(self.podium, line.project.id, line.project.name)

    @asking
    async def do_import(self) -> None:
        """A new project from a file, which then opens."""
        from tui.screens.projects.import_export import ask_import

        project = await ask_import(self.podium)
        if project is not None:
            self._changed = project.id
            await self.podium.open(ToCanvas(project.id))
            self.podium.tell(f"Imported “{project.name}”.")

    async def do_undo(self) -> None:
        await self.podium.undo(self._changed)

    async def do_redo(self) -> None:
        await self.podium.redo(self._changed)

    def do_copy(self) -> None:
        line = self._need_one()
        if line:
            self.copy_id(line.project.name, line.project.id)

    def _need_one(self) -> ProjectLine | None:
        if self.current is None:
            self.podium.tell("There is no project here.")
        return self.current

    async def _show_project(self, project: Project) -> None:
        """Put the cursor on a new project, whatever is filtered."""
        await self.refresh_from_core()
        self.show_new(project.id)
