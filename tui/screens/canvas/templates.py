"""Templates on the Canvas: save the workflow as a template, and merge a version into the project."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from core.domain.model import Id
from core.domain.templates import STAYS
from core.errors import VersionConflict
from core.text.phrases import in_words
from tui.screens.framework.controller import Action, Controller
from tui.screens.framework.dialogs import asking, show_form

if TYPE_CHECKING:
    from core.actions.templates.apply import TemplateMerge
    from core.actions.templates.templates import TemplateSummary
    from core.domain.templates import Difference, Origin, Template

NO_TEMPLATES = "No templates yet. “Save this project as a template” creates one."
NOTHING_TO_MERGE = "Nothing would change: the project keeps its own."
CHANGED = "The project has changed meanwhile: this is what would happen now."


class CanvasTemplates(Controller):
    """Save the workflow as a template, and merge a version of a template into the project."""

    def actions(self) -> Sequence[Action]:
        return (
            Action("save_template", self.do_save_template),
            Action("merge_template", self.do_merge_template),
        )

    # -- saving ----------------------------------------------------------------------------------------------

    @asking
    async def do_save_template(self) -> None:
        """As a new one, or as the next version of one after a look at what differs."""
        from tui.dialogs.menus.picker import Option, PickDialog

        lines, origin = await self._templates()
        about = "People become roles, dates become days after the start; cards that are conditions stay out."
        new = Option("", "A new template", about=about)
        options = [new, *(self._next_version(line.template, origin) for line in lines)]
        dialog = PickDialog("Save this project as", options, chosen=[origin.template_id] if origin else ())
        picked = await self.podium.ask(dialog)
        if picked is None:
            return
        found = next((line.template for line in lines if line.template.id == picked[0]), None)
        await (self._save_new() if found is None else self._save_next(found))

    async def _save_new(self) -> None:
        from core.actions.projects.members import ListMembers, describe_template_roles
        from core.actions.templates.apply import SaveTemplate
        from tui.screens.templates.form import fields_of, words_of

        async def save(values: dict[str, Any]) -> Template:
            return await self.podium.send(SaveTemplate(project_id=self.screen.project_id, **words_of(values)))

        title, about = "Save this project as a template", f"template of {self.screen.project_id}"
        note = describe_template_roles(await self.podium.query(ListMembers(project_id=self.screen.project_id)))
        saved = await show_form(self.screen, title, fields_of(), save, note=note, about=about)
        if saved is not None:
            self.podium.toast(
                f"Saved the template “{saved.name}”. Press g e to see the templates, n on Projects to start from it."
            )

    async def _save_next(self, template: Template) -> None:
        """Show the difference first, so that a version that someone else has saved is not overwritten."""
        from core.actions.templates.apply import DiffAgainstTemplate, SaveTemplate
        from tui.dialogs.diff import DifferenceDialog
        from tui.dialogs.fields.form_fields import TextField

        number = template.number + 1
        differences = await self.podium.query(
            DiffAgainstTemplate(project_id=self.screen.project_id, template_id=template.id)
        )
        if not differences:
            self.podium.toast(f"No differences from version {template.number} of “{template.name}”.")
            return
        title = f"Version {number} of “{template.name}”"
        if not await self.podium.ask(DifferenceDialog(title, differences, submit="save")):
            return

        async def save(values: dict[str, Any]) -> Template:
            command = SaveTemplate(
                project_id=self.screen.project_id, template_id=template.id, seen_number=template.number, **values
            )
            return await self.podium.send(command)

        fields = [TextField("note", "What is new", "", "what changed in this version")]
        heading = f"Save version {number} of “{template.name}”"
        saved = await show_form(self.screen, heading, fields, save, about=template.id)
        if saved is not None:
            self.podium.toast(f"Saved version {saved.number} of “{saved.name}”. u to undo.")

    # -- bringing --------------------------------------------------------------------------------------------

    @asking
    async def do_merge_template(self) -> None:
        """Ask which version of which template, show what would change, and do it as one step."""
        from tui.dialogs.menus.picker import Option, PickDialog

        lines, origin = await self._templates()
        options = [Option(line.template.id, line.template.name, _made_from(line.template, origin)) for line in lines]
        picked = await self.podium.ask(
            PickDialog("Merge which template into the project?", options, empty=NO_TEMPLATES)
        )
        number = await self._ask_version(picked[0]) if picked else None
        if picked and number:
            await self._merge(picked[0], number)

    async def _ask_version(self, template_id: Id) -> int | None:
        """The newest first; not asked where there is one only. None when the person gives up."""
        from core.actions.templates.templates import GetTemplate
        from tui.dialogs.menus.picker import Option, PickDialog

        notes = (await self.podium.query(GetTemplate(template_id=template_id))).versions
        if len(notes) == 1:
            return notes[0].number
        options = [Option(str(note.number), f"Version {note.number}", note.by, about=note.note) for note in notes]
        picked = await self.podium.ask(PickDialog("Which version?", options))
        return int(picked[0]) if picked else None

    async def _merge(self, template_id: Id, number: int) -> None:
        """Show the plan until it is still true when the person agrees to it, and to what it removes."""
        from core.actions.templates.apply import MergeTemplate, PreviewTemplateMerge
        from tui.dialogs.diff import CHOOSE

        which: dict[str, Any] = {"project_id": self.screen.project_id, "template_id": template_id, "number": number}
        removed: dict[Id, Difference] = {}
        keep: Sequence[Id] = ()
        note = ""
        while True:
            plan = await self.podium.query(PreviewTemplateMerge(**which, keep=tuple(keep)))
            removed |= {line.id: line for line in plan.differences if line.id}
            answer = await self._ask_consent(plan, note, can_choose=bool(removed))
            if not answer:
                return
            note = ""
            if answer == CHOOSE:
                keep = await self._ask_what_stays(removed, keep)
                continue
            try:
                command = MergeTemplate(**which, keep=tuple(keep), seen_seq=plan.seq)
                merged = await self.podium.send_or_ask(command)
            except VersionConflict:
                note = CHANGED
                continue
            if merged is not None:
                await self.screen.refresh_from_core()
                self._report_merge(plan)
            return

    async def _ask_consent(self, plan: TemplateMerge, note: str, *, can_choose: bool) -> str:
        """Ask the user for their consent; a plan that changes nothing is only shown."""
        from tui.dialogs.diff import DifferenceDialog

        name = f"version {plan.number} of “{plan.template.name}”"
        if not plan.differences:
            self.podium.toast(f"The project already matches {name}; there is nothing to merge.")
            return ""
        changes = any(each.kind not in STAYS for each in plan.differences)
        return await self.podium.ask(
            DifferenceDialog(
                f"Merge {name} into the project",
                plan.differences,
                submit="merge" if changes else "",
                note=note if changes else NOTHING_TO_MERGE,
                can_choose=can_choose,
            )
        )

    async def _ask_what_stays(self, removed: Mapping[Id, Difference], keep: Sequence[Id]) -> Sequence[Id]:
        """Ask line by line which parts stay although the version lacks them."""
        from tui.dialogs.menus.picker import Option, PickDialog

        options = [
            Option(each.id, each.path[-1], f"{in_words(each.what)} in {each.path[-2]}") for each in removed.values()
        ]
        title = "Which of these stay in the project?"
        picked = await self.podium.ask(PickDialog(title, options, multiple=True, only_marked=True, chosen=keep))
        return keep if picked is None else picked

    def _report_merge(self, plan: TemplateMerge) -> None:
        from tui.dialogs.diff import count_differences

        name = f"version {plan.number} of “{plan.template.name}”"
        self.podium.toast(f"Merged {name}: {count_differences(plan.differences)}. u to undo.")

    # -- both ------------------------------------------------------------------------------------------------

    async def _templates(self) -> tuple[list[TemplateSummary], Origin | None]:
        """All templates, that of the project first, and which that is."""
        from core.actions.templates.templates import GetTemplateOrigin, ListTemplates

        origin = await self.podium.query(GetTemplateOrigin(project_id=self.screen.project_id))
        lines = await self.podium.query(ListTemplates())
        return _first(lines, origin), origin

    def _next_version(self, template: Template, origin: Origin | None) -> Any:
        from tui.dialogs.menus.picker import Option

        label = f"Version {template.number + 1} of “{template.name}”"
        return Option(template.id, label, _made_from(template, origin), about=template.description)


def _first(lines: Iterable[TemplateSummary], origin: Origin | None) -> list[TemplateSummary]:
    return sorted(lines, key=lambda line: origin is None or line.template.id != origin.template_id)


def _made_from(template: Template, origin: Origin | None) -> str:
    is_origin = origin is not None and origin.template_id == template.id
    return f"this project has version {origin.number}" if origin and is_origin else ""
