"""A file on its way in: it is read as the person says, and the core is asked what it would become."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from core.actions.fields.custom_fields import ListFields
from core.actions.projects.imports import ImportPlan, ImportProject, PreviewImport
from core.actions.projects.imports_into import ImportInto, PreviewImportInto
from core.domain.fields import FieldKind
from core.domain.model import WORKSPACE, Id
from core.engine.messages import Command
from core.errors import PodiumError
from core.files.state_files import read_state, state_file, write_state
from core.import_export.files import (
    FileFormat,
    ImportedFile,
    project_name_from,
    read_bytes,
    read_document,
    read_file,
    write_file,
)
from core.import_export.into.plan import ImportIntoPlan, ValueChange
from core.import_export.tables.cell_days import DayOrder
from core.import_export.tables.columns import Undecided
from core.import_export.tables.heads import Use
from core.import_export.tables.mapping import TableMapping, read_mapping, write_mapping
from core.record import Record, replace
from core.text.amounts import DecimalSign
from tui.podium import Podium
from tui.screens.projects.export import may_replace

ANSWERS = "imports.json"
"""The file of what was said at the last import into each project, in the state folder."""

MAX_ANSWERS = 50
"""Projects in it; of more the oldest goes."""


class Said(Record):
    """All that the person has said about a file: what undo takes back step by step."""

    mapping: TableMapping = TableMapping()
    project_id: Id = WORKSPACE
    """The project that it goes into; WORKSPACE for a new one."""
    name: str = ""
    """The name of the new project, where it is not that of the file."""
    theirs: bool | None = None
    """Of values that were changed here and in the file: True for those of the file; None before the answer."""
    values: Mapping[str, bool] = {}
    """Single values, by their ids: True for those of the file that come in, False for those here that stay."""
    invite: tuple[str, ...] = ()
    """The people of the file who become members of the project, by their logins in it."""
    recalled: bool | None = None
    """True if the answers of the last import into the project are used again; None before they were looked for."""

    @property
    def decided(self) -> dict[str, Any]:
        """The word on values and people, as messages take it."""
        take = tuple(value for value, comes_in in self.values.items() if comes_in)
        keep = tuple(value for value, comes_in in self.values.items() if not comes_in)
        return {"theirs": self.theirs, "take": take, "keep": keep, "invite": self.invite}


class IncomingFile:
    """A file, what the person says about it, and what it would become. ``look`` reads it again."""

    read: ImportedFile
    plan: ImportPlan | ImportIntoPlan
    questions: tuple[Undecided, ...] = ()
    """What has two meanings, and must be said before the import; until then the first one is shown."""
    conflicts: tuple[ValueChange, ...] = ()
    """Values that were changed here and in the file, also after the answer which of them stay."""
    changes: tuple[ValueChange, ...] = ()
    """The other values that the file changes, also those that the person has left out."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.said = Said()
        self.before: list[Said] = []
        """What was said before each change, for undo."""

    @property
    def is_table(self) -> bool:
        """True for a file whose columns and words can be mapped."""
        return self.read.format is FileFormat.CSV

    @property
    def name(self) -> str:
        """The name of the project."""
        return self.plan.project if isinstance(self.plan, ImportIntoPlan) else self.said.name or self.plan.name

    async def look(self, app: Podium, said: Said) -> None:
        """Read the file as it is said, and ask what it would become. Raises PodiumError; then all is as it was."""
        with app.saving.question(app.show_titles):
            plan: ImportPlan | ImportIntoPlan
            conflicts: tuple[ValueChange, ...]
            changes: tuple[ValueChange, ...]
            is_new, kinds = said.project_id == WORKSPACE, dict[str, FieldKind]()
            if not is_new:
                fields = await app.aside(ListFields(project_id=said.project_id))
                kinds = {each.field.name: each.field.kind for each in fields}
            recalls = not is_new and said.recalled is None
            said, read, questions = await asyncio.to_thread(_recall if recalls else _read_as, self.path, said, kinds)
            if is_new:
                plan = await app.aside(PreviewImport(document=read.document))
                conflicts, changes = (), ()
            else:
                into = PreviewImportInto(project_id=said.project_id, document=read.document, invite=said.invite)
                undecided = plan = await app.aside(into)
                if said.values or said.theirs is not None:
                    plan = await app.aside(replace(into, **said.decided))
                conflicts, changes = undecided.conflicts, undecided.updates
        self.read, self.questions, self.plan, self.said = read, questions, plan, said
        self.conflicts, self.changes = conflicts, changes

    def command(self) -> Command[Any]:
        """The import as it is shown."""
        document, leaves_out = self.read.document, bool(self.plan.missing)
        if isinstance(self.plan, ImportPlan):
            return ImportProject(document=document, name=self.said.name, leave_out_unknown=leaves_out)
        return ImportInto(
            project_id=self.said.project_id,
            document=document,
            **self.said.decided,
            leave_out_unknown=leaves_out,
            skip_refused=bool(self.plan.refused),
            seen=self.plan.digest,
        )


def _read(path: Path, mapping: TableMapping) -> tuple[ImportedFile, tuple[Undecided, ...]]:
    """Read a file. Where something has two meanings, take the first one, and return the question too."""
    data, questions = read_bytes(path), dict[str, Undecided]()
    while True:
        try:
            return read_document(data, mapping=mapping, name=project_name_from(path)), (*questions.values(),)
        except Undecided as question:
            if question.about in questions or question.about not in _FIRST:
                raise
            questions[question.about] = question
            mapping = _FIRST[question.about](mapping, question)


_FIRST: dict[str, Callable[[TableMapping, Undecided], TableMapping]] = {
    "title": lambda mapping, question: replace(mapping, columns={**mapping.columns, question.shown[0]: Use.TITLE}),
    "dates": lambda mapping, _: replace(mapping, dates=DayOrder.DMY),
    "decimal": lambda mapping, _: replace(mapping, decimal=DecimalSign.COMMA),
}
"""The mapping with the first answer to a question, by what it is about."""


def keep_answers(project_id: Id, file: IncomingFile) -> None:
    """Keep what was said about a table for its next import into the project; a disk that is full only forgets it."""
    kept = {name: each for name, each in read_state(state_file(ANSWERS)).items() if name != project_id}
    if file.said.mapping != TableMapping():
        heads = [column.head for column in file.read.columns]
        kept[project_id] = {"heads": heads, "mapping": write_mapping(file.said.mapping)}
    with suppress(OSError):
        write_state(state_file(ANSWERS), dict([*kept.items()][-MAX_ANSWERS:]))


AsSaid = tuple[Said, ImportedFile, tuple[Undecided, ...]]


def _read_as(path: Path, said: Said, kinds: Mapping[str, FieldKind]) -> AsSaid:
    """Read a file as it is said, for a project with fields of these kinds."""
    return said, *_read(path, replace(said.mapping, kinds=kinds))


def _recall(path: Path, said: Said, kinds: Mapping[str, FieldKind]) -> AsSaid:
    """Read a file with the answers of the last import into its project, if it has all heads of that one."""
    kept: Any = read_state(state_file(ANSWERS)).get(said.project_id)
    with suppress(PodiumError, KeyError, TypeError):
        again = _read_as(path, replace(said, mapping=read_mapping(kept["mapping"]), recalled=True), kinds)
        if {column.head for column in again[1].columns}.issuperset(kept["heads"]):
            return again
    return _read_as(path, replace(said, recalled=False), kinds)


async def keep_mapping(app: Podium, path: Path, mapping: TableMapping) -> bool:
    """Write a mapping to a file; asks before it replaces one, and returns False if it may not."""
    is_there = os.path.lexists(path)
    if is_there and not await may_replace(app, path):
        return False
    write_file(path, write_mapping(mapping), replace=is_there)
    return True


def read_kept_mapping(path: Path) -> TableMapping:
    """Return the mapping in a file. Raises InvalidInput."""
    return read_mapping(read_file(path))
