"""Imports into an existing project: a preview with each change, and the import itself, as one step."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from core.domain.permissions import Permission
from core.engine.messages import ProjectCommand, ProjectQuery
from core.engine.unit_of_work import Snapshot, UnitOfWork
from core.errors import Forbidden, InvalidImport, RuleViolation, VersionConflict
from core.import_export.document import ProjectDocument
from core.import_export.into.plan import MAX_RECORDS_OF_IMPORT, ImportIntoPlan
from core.import_export.resolve_names import NAMED
from core.import_export.validation import accept_document
from core.text.phrases import count, names, some

if TYPE_CHECKING:
    from core.import_export.into.carry_out import PlannedImport


class PreviewImportInto(ProjectQuery[ImportIntoPlan]):
    """Preview an import into a project: each new card and each change, what is in conflict, and what it takes.

    ``theirs``, ``take``, ``keep`` and ``invite`` decide as in the import; other conflicts are listed, and stay as they
    are here.
    """

    route = "POST /v1/projects/{project_id}/import/preview"
    permission = Permission.PROJECT_VIEW
    bulky = True
    document: ProjectDocument
    theirs: bool | None = None
    take: tuple[str, ...] = ()
    keep: tuple[str, ...] = ()
    invite: tuple[str, ...] = ()

    def run(self, view: Snapshot) -> ImportIntoPlan:
        return _make_plan(view, self).plan


class ImportInto(ProjectCommand[ImportIntoPlan]):
    """Import a document into a project as one step: it adds cards, and changes those that came from the same source.

    A value that the document does not have changes nothing, and no card is archived for being absent. It is refused
    for values that were changed on both sides until ``theirs`` is true, for those of the file, or false; for people
    who are no members unless ``invite`` has their logins in the document, which makes people of the workspace members,
    or ``leave_out_unknown`` makes words of them; and for lines that the sender lacks a permission for unless
    ``skip_refused`` leaves them out. ``take`` and ``keep`` go first: the ids, in the preview, of values of the file
    that come in, and of those that stay out. ``seen`` is the ``digest`` of the preview
    that the sender has consented to: it is refused if the plan is another one by now.
    """

    route = "POST /v1/projects/{project_id}/import"
    large = True
    unbounded = True
    permission = Permission.TASK_MOVE
    bulky = True
    document: ProjectDocument
    theirs: bool | None = None
    take: tuple[str, ...] = ()
    keep: tuple[str, ...] = ()
    invite: tuple[str, ...] = ()
    leave_out_unknown: bool = False
    skip_refused: bool = False
    relock: bool = False
    allow_lapse: str = ""
    seen: str = ""

    def prepare(self, read: Callable[[Callable[[Snapshot], Any]], Any]) -> Any:
        """Make the plan before the transaction, which only has to make it again if the project changes meanwhile."""
        return read(lambda view: _make_plan(view, self))

    def run(self, work: UnitOfWork) -> ImportIntoPlan:
        planned: PlannedImport = work.prepared
        if planned is None or planned.seq != work.seq:
            planned = _make_plan(work, self)
        plan = planned.plan
        if self.seen and self.seen != plan.digest:
            changed = "The project has changed since you previewed the import. Preview it again."
            raise VersionConflict(changed, current=plan)
        self._refuse(plan)
        if plan.records > MAX_RECORDS_OF_IMPORT:
            raise RuleViolation(
                f"The import would write about {plan.records:,} records, and one step has room for"
                f" {MAX_RECORDS_OF_IMPORT:,}. Import the file in parts: each adds to what is there."
            )
        if not plan.is_empty or self.theirs is not None or self.keep:
            planned.carry_out(work, self)
            work.say(f"imported into the project: {names(plan.parts) or 'kept what was changed here'}")
        return plan

    def _refuse(self, plan: ImportIntoPlan) -> None:
        """Raise the error for what the sender has not decided on yet."""
        if plan.refused and not self.skip_refused:
            said = []
            for permission, number in Counter(each.permission for each in plan.refused).items():
                titles = [f"“{each.title}” ({each.what})" for each in plan.refused if each.permission is permission]
                what = f"{count(number, 'line')} cannot come in: {some(titles, NAMED)}"
                said.append(f"You cannot {permission.phrase}, so {what}.")
            raise Forbidden(" ".join((*said, "Ask an owner, or leave these lines out.")))
        if plan.missing and not self.leave_out_unknown:
            listed = some([f"“{each.name}”" for each in plan.missing], NAMED)
            way = "Invite them" if any(each.can_invite for each in plan.missing) else "Have them invited first"
            sentence = f"No active members of this project: {listed}. {way}, or leave out who is unknown."
            raise InvalidImport("people", sentence)
        if plan.conflicts:
            titles = [
                f"{each.field} of “{each.title}” ({each.before} here, {each.after} in the file)"
                for each in plan.conflicts
            ]
            raise RuleViolation(
                f"{count(len(titles), 'value')} changed here and in the file: {some(titles, NAMED)}. Say whether to"
                " take those of the file or to keep yours."
            )


def _make_plan(view: Snapshot, asked: PreviewImportInto | ImportInto) -> PlannedImport:
    from core.import_export.into.carry_out import PlannedImport
    from core.import_export.into.matching import Decided

    if asked.invite:
        view.require(Permission.MEMBER_MANAGE)
    take, keep, invite = map(frozenset, (asked.take, asked.keep, asked.invite))
    decided = Decided(take=take, keep=keep, theirs=asked.theirs, invite=invite)
    return PlannedImport(view, asked.project_id, accept_document(asked.document), decided)
