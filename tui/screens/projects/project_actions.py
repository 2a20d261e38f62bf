"""The keys that act on the project of the cursor, on the Projects widget."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from core.actions.projects.lists import ListOrphanedProjects, ProjectSummary
from core.actions.projects.projects import ArchiveProject, ClaimProject, DeleteProject, RestoreProject, SetFavourite
from core.domain.model import Id
from core.domain.permissions import Permission
from core.errors import InvalidInput
from core.reads.workflows import WaitingGate
from tui.keys.table import Key
from tui.screens.framework.controller import Action, Controller
from tui.screens.framework.dialogs import ask_reason, asking
from tui.screens.framework.global_actions import copy_id
from tui.screens.framework.list_screen import ListScreen
from tui.screens.projects.pages import NextItem, PageReader
from tui.services.destinations import ToCanvas, ToImport, ToPhase
from tui.widgets.list_view import ListView
from tui.wording.permissions import missing_permission_reason


class ProjectActions(Controller):
    """Make, change, archive, export and import projects."""

    screen: ListScreen[ProjectSummary]

    def __init__(
        self, screen: ListScreen[ProjectSummary], reader: PageReader, next_item: Callable[[], NextItem | None]
    ) -> None:
        """``next_item`` gives the card or the gate of the cursor, while what is next for me has the keyboard."""
        super().__init__(screen)
        self._reader, self._next_item = reader, next_item

    def actions(self) -> Sequence[Action]:
        return (
            Action("open", self.do_open, self._nothing_to_open),
            Action("new_project", self.do_new_project),
            Action("from_template", self.do_from_template),
            Action("empty_project", self.do_empty_project),
            Action("from_file", self.do_from_file),
            self.screen.records.action("edit", self.do_edit),
            self.screen.records.action("favourite", self.do_favourite),
            self.screen.records.action("archive", self.do_archive),
            self.screen.records.action("restore", self.do_restore, _not_archived),
            self.screen.records.action("delete", self.do_delete, _not_deletable),
            Action("claim", self.do_claim),
            self.screen.records.action("export", self.do_export),
            self.screen.records.action("copy", self.do_copy),
            Action("why", self.do_why),
        )

    async def _may(self, line: ProjectSummary, needed: Permission) -> bool:
        """Ask for the rights on one project before its question is put; says why not. Raises PodiumError.

        The list knows no rights: they would be a question to the service for each project of it.
        """
        from core.actions.permissions.permissions import GetMyPermissions

        rights = await self.podium.query(GetMyPermissions(project_id=line.project.id))
        if needed not in rights.held:
            role = rights.role.lower() if rights.role else ""
            self.podium.toast(missing_permission_reason(needed, rights.authority, role), severity="warning")
        return needed in rights.held

    def _nothing_to_open(self, _: Key) -> str:
        return "" if self._next_item() or self.screen.line else self.screen.nothing_here

    async def do_open(self) -> None:
        item = self._next_item()
        if isinstance(item, WaitingGate):
            await self.podium.open(ToPhase(item.project_id, item.phase_id))
        elif item is not None:
            await self.podium.open(ToCanvas(item.project_id, item.id))
        elif line := self.screen.line:
            await self.podium.open(ToCanvas(line.id, in_layout=True))

    @asking
    async def do_new_project(self) -> None:
        """From a template, a file or an empty one, whose Canvas opens."""
        from tui.screens.projects.from_template import FROM_FILE, ask_template

        picked = await ask_template(self.podium)
        if picked == FROM_FILE:
            await self.do_from_file()
        else:
            await self._make(picked)

    @asking
    async def do_from_template(self) -> None:
        from tui.screens.projects.from_template import ask_template

        await self._make(await ask_template(self.podium, or_empty=False))

    @asking
    async def do_empty_project(self) -> None:
        await self._make("")

    async def do_from_file(self) -> None:
        await self.podium.open(ToImport())

    async def _make(self, template_id: Id | None) -> None:
        """Ask for a project from this template, or an empty one for "", and open its Canvas."""
        from tui.screens.projects.form import ask_new_project
        from tui.screens.projects.from_template import make_from_template

        if template_id:
            await make_from_template(self.podium, template_id)
        project = await ask_new_project(self.podium) if template_id == "" else None
        if project is not None:
            await self.screen.refresh_from_core()
            await self._reader.read_one(project.id)
            self.screen.records.go_to_new(project.id)
            self.podium.go_to_new(ToCanvas(project.id))
            self.podium.toast(f"Created “{project.name}”. Press N to add its first phase.")

    @asking
    async def do_edit(self, line: ProjectSummary) -> None:
        from tui.screens.projects.form import ask_edit

        if await self._may(line, Permission.PROJECT_UPDATE) and await ask_edit(self.podium, line.project):
            await self.screen.refresh_from_core()

    async def do_favourite(self, line: ProjectSummary) -> None:
        await self.podium.perform(SetFavourite(project_id=line.project.id, favourite=not line.favourite))

    async def do_archive(self, line: ProjectSummary) -> None:
        """Archive it; an archived one is deleted for good, after a question."""
        if line.project.archived:
            self.do_delete(line)
            return
        seen = line.project.version
        if await self.podium.perform(ArchiveProject(project_id=line.project.id, seen_version=seen)):
            words = f"Archived “{line.project.name}”"
            await self.podium.undoing.report_removed(words, self.screen.undo_scope, "A to show the archive")

    @asking
    async def do_restore(self, line: ProjectSummary) -> None:
        """Restore it; one that was stopped at a gate takes a reason, which is asked for then."""
        make = partial(RestoreProject, project_id=line.project.id, seen_version=line.project.version)
        try:
            restored: Any = await self.podium.send(make())
            await self.screen.refresh_from_core()
        except InvalidInput as asked:
            title, note = f"Restore “{line.project.name}”", str(asked)
            restored = await ask_reason(self.screen, title, make, submit="Restore", note=note)
        if restored:
            self.podium.toast(f"Restored “{line.project.name}”. u to undo.")

    @asking
    async def do_delete(self, line: ProjectSummary) -> None:
        from tui.dialogs.confirm import ConfirmDialog

        if not await self._may(line, Permission.PROJECT_DELETE):
            return
        words = f"“{line.project.name}”, its cards, comments and history will be gone for everybody, for good."
        if await self.podium.ask(ConfirmDialog("Delete for good", words, "Delete", typed="delete")):
            seen = line.project.version
            await self.podium.perform(DeleteProject(project_id=line.project.id, seen_version=seen))

    @asking
    async def do_claim(self) -> None:
        from tui.dialogs.menus.picker import Option, PickDialog

        found = await self.podium.query(ListOrphanedProjects())
        options = [Option(project.id, project.name, ", ".join(project.keys[:1])) for project in found]
        dialog = PickDialog("Take over a project", options, empty="Every project has an active owner.")
        picked = await self.podium.ask(dialog)
        if picked:
            await self.podium.perform(ClaimProject(project_id=picked[0]))
            await self._reader.read_one(picked[0])
            self.screen.query_one("#lines", ListView).go_to(picked[0])

    @asking
    async def do_export(self, line: ProjectSummary) -> None:
        from tui.screens.projects.export import ask_export

        await ask_export(self.podium, line.project.id, line.project.name)

    @asking
    async def do_why(self) -> None:
        """Explain the health of the project, also of that of one of my next cards."""
        from tui.screens.projects.project_health import explain_health

        project, item = self.screen.records.current, self._next_item()
        if item is not None:
            await explain_health(self.podium, item.project_id)
        elif project is None:
            self.podium.toast("There is no project here.")
        elif project.withheld:
            self.podium.toast(project.withheld)
        else:
            await explain_health(self.podium, project.project.id)

    def do_copy(self, line: ProjectSummary) -> None:
        copy_id(self.screen, line.project.name, line.project.key or line.project.id)


def _not_archived(line: ProjectSummary) -> str:
    return "" if line.project.archived else "Not archived. Press A to show archived ones."


def _not_deletable(line: ProjectSummary) -> str:
    archived = line.project.archived
    return "" if archived else "Only archived projects can be deleted for good. Press d to archive it."
