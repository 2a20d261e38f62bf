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
from core.record import Record, fields, replace
from core.rules.notifications import notify
from core.text.phrases import names

ASKED = "You have asked today."


class ConsentAsked(Record):
    """A request that was sent: the names of those who got it, and its sentence."""

    asked: tuple[str, ...]
    words: str


class AskForConsent(Command[ConsentAsked]):
    """Ask whoever can decide at the gate to carry out messages that would end an approval; nothing else is changed.

    ``commands`` are as in a bulk change. Each decider finds one line in their inbox, from each person once a day for
    the same card or phase. The sender needs the permissions of the messages, but not the one to end an approval.
    """

    route = "POST /v1/consent"
    permission = Permission.PROJECT_VIEW
    creates = True
    commands: tuple[Command[Any], ...]

    def __post_init__(self) -> None:
        if not self.commands:
            raise InvalidInput("commands", "Name the messages that are wanted.")

    def scope(self, view: Snapshot) -> Id:
        return self.commands[0].scope(view)

    def run(self, work: UnitOfWork) -> ConsentAsked:
        kind, reverts, writes = work.kind, work.reverts, work.most_writes
        try:
            work.attempt(lambda: self._rehearse(work))
        except LapsesApproval as refused:
            ended = refused
        work.kind, work.reverts, work.most_writes = kind, reverts, writes
        if ended.can_allow:
            raise RuleViolation("You can agree to it yourself: send it with the reason for ending the approval.")
        deciders, words = owners_by_id(work, work.scope), str(ended)
        target = self._card(work) or ended.phase_ids[0]
        mine = "project_id = :p AND by_id = :me AND kind = 'CONSENT' AND target_id = :target"
        sent = work.all(Notification, mine, p=work.scope, me=work.actor.user_id, target=target)
        if any(work.day_of(each.at) == work.today for each in sent):
            raise RuleViolation(ASKED, who_can=tuple(deciders.values()))
        notify(work, NotificationKind.CONSENT, target, deciders, words=words, wanted=self._wanted())
        asked = tuple(deciders.values())
        work.say(f"asked {names(asked)} to agree: {words[:1].lower()}{words[1:].removesuffix('.')}")
        return ConsentAsked(asked=asked, words=words)

    def _rehearse(self, work: UnitOfWork) -> None:
        """Carry the messages out as the sender. Raises LapsesApproval, by which it is rolled back; if not, it refuses.

        All permissions are looked at first, so that a decider who agrees does nothing that the sender could not.
        """
        for command in self.commands:
            if "allow_lapse" not in fields(type(command)) or command.scope(work) != work.scope:
                raise InvalidInput("commands", f"{type(command).__name__} cannot end an approval of this project.")
            work.require(command.needs(work))
        commands = tuple(_without_consent(each) for each in self.commands)
        whole = commands[0] if len(commands) == 1 else BulkUpdate(project_id=work.scope, commands=commands, atomic=True)
        whole.run(work)
        raise RuleViolation("This ends no approval, so nobody has to be asked.")

    def _card(self, work: UnitOfWork) -> Id:
        """Return the id of the card of the first message; "" if it has none yet."""
        item_id = getattr(self.commands[0], "item_id", None)
        return item_id if item_id and work.find(Item, id=item_id) else ""

    def _wanted(self) -> str:
        """The messages as they are kept; an undo or a redo is of the sender's own changes, so nobody else sends it."""
        if any(isinstance(each, RevertCommand) for each in self.commands):
            return ""
        kept = [{"message": type(each).__name__, **brief(_without_consent(each))} for each in self.commands]
        return json.dumps(kept, ensure_ascii=False)


def _without_consent(command: Any) -> Command[Any]:
    """The message without a reason of its own, and without the version that its sender saw."""
    without = {"allow_lapse": "", **({"seen_version": None} if "seen_version" in fields(type(command)) else {})}
    changed: Command[Any] = replace(command, **without)
    return changed
