"""Asking for consent: a request to those who can decide at a gate, where a change would end an approval."""

from __future__ import annotations

import json
from typing import Any

from core.actions.cards.bulk import BulkUpdate
from core.actions.history.history import RevertCommand
from core.codec.encoding import brief
from core.domain.model import Id, Item
from core.domain.notifications import Notification, NotificationKind
from core.domain.permissions import Permission
from core.engine.messages import Command
from core.engine.project_guard import owners_by_id
from core.engine.unit_of_work import Snapshot, UnitOfWork
from core.errors import InvalidInput, LapsesApproval, RuleViolation
from core.record import fields, replace
from core.rules.notifications import notify
from core.rules.visibility import scope_of_step
from core.text.phrases import names


class AskForConsent(Command[None]):
    """Ask those who can decide at the gate to carry out messages that would end an approval; nothing else is changed.

    ``commands`` are as in a bulk change. Each decider finds one line in their inbox, from each person once a day for
    the same card or phase. The sender needs the permissions of the messages, but not the one to end an approval.
    """

    route = "POST /v1/consent"
    permission = Permission.PROJECT_VIEW
    commands: tuple[Command[Any], ...]

    def __post_init__(self) -> None:
        if not self.commands:
            raise InvalidInput("commands", "Name the messages that are wanted.")

    def scope(self, view: Snapshot) -> Id:
        return self.commands[0].scope(view)

    def run(self, work: UnitOfWork) -> None:
        for command in self.commands:  # a decider who agrees does nothing that the sender could not
            if "allow_lapse" not in fields(type(command)) or scope_of_step(work, command) != work.scope:
                raise InvalidInput("commands", f"{type(command).__name__} cannot end an approval of this project.")
            work.require(command.needs(work))
        refused = self._refusal(work)
        words, item_id, me = str(refused), getattr(self.commands[0], "item_id", None), work.actor.user_id
        target = item_id if item_id and work.find(Item, id=item_id) else refused.phase_ids[0]
        deciders = {user_id: name for user_id, name in owners_by_id(work, work.scope).items() if user_id != me}
        if not deciders:
            raise RuleViolation("Nobody else can decide at this gate.")
        mine = "project_id = :p AND by_id = :me AND kind = 'CONSENT' AND target_id = :target"
        sent = work.all(Notification, mine, p=work.scope, me=me, target=target)
        if any(work.day_of(each.at) == work.today for each in sent):
            raise RuleViolation("You have asked today.", who_can=tuple(deciders.values()))
        notify(work, NotificationKind.CONSENT, target, deciders, words=words, wanted=self._encode_messages())
        work.say(f"asked {names([*deciders.values()])} to agree: {words[:1].lower()}{words[1:].removesuffix('.')}")

    def _refusal(self, work: UnitOfWork) -> LapsesApproval:
        """Carry the messages out as the sender, which is refused and rolled back. Raises any other refusal."""
        commands = tuple(_without_consent(each) for each in self.commands)
        whole = commands[0] if len(commands) == 1 else BulkUpdate(project_id=work.scope, commands=commands)
        kind, reverts, writes = work.kind, work.reverts, work.most_writes
        try:
            work.attempt(lambda: whole.run(work))
        except LapsesApproval as refused:
            work.kind, work.reverts, work.most_writes = kind, reverts, writes
            return refused
        raise RuleViolation("This ends no approval, so nobody has to be asked.")

    def _encode_messages(self) -> str:
        """The messages as they are kept; an undo or a redo is of the sender's own changes, so nobody else sends it."""
        if any(isinstance(each, RevertCommand) for each in self.commands):
            return ""
        kept = [{"message": type(each).__name__, **brief(_without_consent(each))} for each in self.commands]
        return json.dumps(kept, ensure_ascii=False)


def _without_consent(command: Any) -> Command[Any]:
    """The message without a reason of its own, and without the version that its sender saw."""
    has_version = "seen_version" in fields(type(command))
    changed: Command[Any] = replace(command, allow_lapse="", **({"seen_version": None} if has_version else {}))
    return changed
