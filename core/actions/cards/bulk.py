"""Bulk changes: many changes as one transaction, one line in the history and one undo."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from core.actions.cards.applications import ApplicationCommand
from core.actions.cards.cards import CreateCommand
from core.domain.gates import GateRecord
from core.domain.max_lengths import MAX_RECORDS_IN_BULK, MAX_STEPS, TOO_MANY_STEPS
from core.domain.model import Id
from core.domain.permissions import Permission
from core.domain.products.products import Application
from core.engine.messages import Command, ProjectCommand, RefusedStep
from core.engine.unit_of_work import Snapshot, UnitOfWork
from core.errors import Forbidden, InvalidInput, LapsesApproval, NotFound, PhaseLocked, PodiumError, RuleViolation
from core.record import Record, fields, replace
from core.rules.approvals import CHANGES_NAMED, bound_changes
from core.rules.items import REORDERED, ItemCommand
from core.rules.phases import PHASES_IN_ORDER
from core.rules.visibility import scope_of_step
from core.storage.database import placeholders
from core.text.phrases import count, names, some

STEPS = (ItemCommand, ApplicationCommand, CreateCommand)
"""The messages that a bulk change can consist of: those about cards."""


class BulkResult(Record):
    """The number of steps done, and the refused steps."""

    done: int
    refused: tuple[RefusedStep, ...]


class BulkUpdate(ProjectCommand[BulkResult]):
    """Carry out up to 500 messages about cards of one project as one step, and list those that are refused.

    They are carried out in the order of the phases of their cards, so that those that complete a phase come before
    those in the phase that they open. Each message needs its own permission, and is carried out as a whole or not at
    all. Together they write at most 2,000 records. One that would end an approval refuses the whole change, until
    ``allow_lapse`` has the reason, which holds for all of them.
    """

    route = "POST /v1/projects/{project_id}/bulk"
    permission = Permission.TASK_MOVE
    commands: tuple[Command[Any], ...]
    atomic: bool = False
    """Refuse the whole change where one message is refused, for its reason."""
    allow_lapse: str = ""

    def __post_init__(self) -> None:
        if len(self.commands) > MAX_STEPS:
            raise InvalidInput("commands", TOO_MANY_STEPS.format(len(self.commands)))

    @property
    def deletes(self) -> bool:
        return any(command.deletes for command in self.commands)

    def run(self, work: UnitOfWork) -> BulkResult:
        work.most_writes = MAX_RECORDS_IN_BULK
        done, refused, ending = 0, list[RefusedStep](), list[LapsesApproval]()
        said: list[tuple[Command[Any], str]] = []
        for step, command in in_phase_order(work, self.commands):
            try:
                before = len(work.changes)
                work.attempt(lambda command=command: self._step(work, command))  # type: ignore[misc]
                done += 1
                if len(work.changes) > before:
                    said.append((command, work.summary))
            except PodiumError as error:
                work.check_count()  # too many records refuse the whole change, not only this step
                if self.atomic:
                    raise
                if isinstance(error, LapsesApproval):
                    ending.append(error)
                refused.append(_refusal(work, step, command, error))
        if ending:
            raise _together(ending)
        if said:
            _complete_lapses(work)
            work.say(_summary(said))
        return BulkResult(done=done, refused=tuple(sorted(refused, key=lambda refusal: refusal.step)))

    def refused_steps(self, result: BulkResult) -> tuple[RefusedStep, ...]:
        return result.refused

    def _step(self, work: UnitOfWork, command: Command[Any]) -> None:
        if not (command.undoable and isinstance(command, STEPS)):
            raise InvalidInput("commands", f"{type(command).__name__} cannot be part of a bulk change.")
        if scope_of_step(work, command) != self.project_id:
            raise InvalidInput("commands", "A bulk change stays within one project.")
        work.require(command.needs(work))
        if self.allow_lapse and "allow_lapse" in fields(type(command)):
            command = cast(Command[Any], replace(cast(Any, command), allow_lapse=self.allow_lapse))
        command.run(work)


def in_phase_order(view: Snapshot, commands: Sequence[Command[Any]]) -> list[tuple[int, Command[Any]]]:
    """Return commands with their numbers, ordered by the phases of their cards; those of one phase stay as they are."""
    if len(commands) == 1:
        return [(0, commands[0])]
    chosen, params = placeholders({_card_id(command) for command in commands})
    rows = view.tx.tuples(
        f"SELECT id, phase_id FROM item WHERE project_id = :scope AND id IN {chosen}", scope=view.scope, **params
    )
    phase_of: dict[Id, Id] = dict(rows)
    phases = view.tx.tuples(f"SELECT id FROM phase WHERE {PHASES_IN_ORDER}", project_id=view.scope)
    numbers = {phase_id: number for number, (phase_id,) in enumerate(phases, 1)}

    def number(command: Command[Any]) -> int:
        created = command.phase_id if isinstance(command, CreateCommand) else ""
        return numbers.get(created or phase_of.get(_card_id(command), ""), 0)

    return sorted(enumerate(commands), key=lambda each: number(each[1]))


def _together(ending: Sequence[LapsesApproval]) -> LapsesApproval:
    """Return the refusal of all steps that would end approvals, which names each of these once."""
    first = {error.phase_ids: error for error in reversed(ending)}
    more = len(ending) - len(first)
    said = [*map(str, reversed(first.values())), *([f"The same goes for {count(more, 'more card')}."] if more else [])]
    return LapsesApproval(
        " ".join(said),
        phase_ids=tuple(dict.fromkeys(phase_id for error in ending for phase_id in error.phase_ids)),
        can_allow=ending[0].can_allow,
        blockers=tuple(dict.fromkeys(blocker for error in ending for blocker in error.blockers)),
        who_can=ending[0].who_can,
    )


def _complete_lapses(work: UnitOfWork) -> None:
    """Let the lapses that steps of this change left name the changes of all of its steps."""
    entries = [each.key["id"] for each in work.changes if each.entity == "gate_record" and each.before is None]
    what = bound_changes(work.changes) if entries else {}
    for entry_id in entries:
        entry = work.get(GateRecord, project_id=work.scope, id=entry_id)
        if entry.phase_id in what:
            work.update(entry, detail=some(what[entry.phase_id], CHANGES_NAMED, "more changes"))


def _card_id(command: Command[Any]) -> Id:
    """Return the id of the card that a step is about; "" for a step that creates one."""
    match command:
        case ItemCommand():
            return command.item_id
        case ApplicationCommand():
            return command.application_id
    return ""


def _summary(said: Sequence[tuple[Command[Any], str]]) -> str:
    """Return one sentence for the steps that changed something.

    Steps of one card are told together, its place only where nothing else was.
    """
    cards: dict[Id, list[str]] = {}
    for number, (command, summary) in enumerate(said):
        cards.setdefault(_card_id(command) or str(number), []).append(summary)
    first, *others = cards.values()
    kept = [summary for summary in first if not summary.startswith(REORDERED)] or first
    return names(kept) if not others else f"{names(kept)} and {len(others)} more"


def _refusal(work: UnitOfWork, step: int, command: Command[Any], error: PodiumError) -> RefusedStep:
    title = _title(work, command)
    return RefusedStep(
        step=step,
        title=title,
        reason=str(error),
        rule=_rule(error, title),
        card_id=_card_id(command),
        code=error.code,
        who_can=error.who_can if isinstance(error, Forbidden | RuleViolation) else (),
    )


def _rule(error: PodiumError, title: str) -> str:
    """Return the reason for a refusal without the title of its card."""
    if isinstance(error, PhaseLocked):
        return error.until
    reason = str(error)
    return f"It {reason.removeprefix(f'“{title}” ')}" if reason.startswith(f"“{title}” ") else reason


def _title(work: UnitOfWork, command: Command[Any]) -> str:
    """Return the title of a step's card; "" for a deleted card, and for one of another project, which stays secret."""
    if isinstance(command, CreateCommand):
        return command.title
    try:
        if command.scope(work) != work.scope:
            return ""
    except NotFound:
        return ""
    if isinstance(command, ApplicationCommand):
        return work.get(Application, id=command.application_id).name
    return command.find_card(work).title if isinstance(command, ItemCommand) else ""
