"""The panel of a gate: who can decide there now, how they voted, and what is missing for a decision.

To decide takes three things: the permission GATE_DECIDE on the project, membership of the panel of this gate, and no
refusal by four eyes. The first is that of the sender (``core.engine.authorizer``), the others are here, for every
screen, list, command and refusal. A gate without a policy is decided by one owner; where an authorization service
decides, by all whom it permits.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime
from typing import Any

from core.authorization.held_permissions import HAS_META_ROLE
from core.domain.gate_policy import ABSENT, ENDINGS, NO_VOTE, ROUNDS, VOTE_WORDS, VOTES, Deciding, GatePolicy, Vote
from core.domain.gates import Decision, GateRecord
from core.domain.grants import LOCAL
from core.domain.model import Id, Phase, ProjectRole
from core.domain.permissions import Permission
from core.domain.readiness import TO_STOP_SENTENCE
from core.engine.project_guard import names_of
from core.engine.unit_of_work import Snapshot, UnitOfWork, select
from core.errors import RuleViolation
from core.record import Record
from core.rules.gate_entries import OLDEST_FIRST
from core.storage.database import placeholders
from core.text.dates import in_full
from core.text.phrases import UNKNOWN, count, credit_author, full_name, names


class PanelMember(Record, kw_only=False):
    """A person who decides at a gate, or was named to and cannot."""

    user_id: Id
    name: str
    is_present: bool
    """True if they are an active owner or contributor: the number of votes is counted on these."""
    why_not: str
    """Why they cannot decide: "left the project", "completed a card of it in this round"; else empty."""
    worked: str
    """What they did last in this round, of cards and deliverables: "completed a card"; else empty."""
    vote: GateRecord | None = None
    """Their last vote since the votes before were ended."""

    @property
    def can_decide(self) -> bool:
        """True if panel and four eyes let them; the permission is asked for when they do."""
        return not self.why_not

    @property
    def counts(self) -> Vote | None:
        """The vote that counts now."""
        return VOTES[self.vote.decision] if self.vote and self.can_decide else None

    @property
    def words(self) -> str:
        """The vote in words: "go", "no", "–"."""
        return self.words_at(None)

    def words_at(self, meeting: date | None) -> str:
        """Return the vote in words as a decision has it; without one at a meeting it is "absent"."""
        if self.vote is None:
            return ABSENT if meeting else NO_VOTE
        return VOTE_WORDS[VOTES[self.vote.decision]]

    @property
    def line(self) -> str:
        """The person with the vote, and why it does not count: "Bob Lind: go, left the project"."""
        return f"{self.name}: {', '.join(filter(None, (self.words, self.why_not)))}"


class Panel(Record, kw_only=False):
    """The people who decide at the gate of a phase, with their votes."""

    phase_id: Id
    policy: GatePolicy | None
    who: str
    """The policy in words: "2 of the 3 owners, four eyes"; "an owner" without one."""
    members: tuple[PanelMember, ...]
    earlier: tuple[GateRecord, ...] = ()
    """The last vote of each person on an earlier state, which does not count any more."""
    unknown: int = 0
    """With four eyes: completed cards and deliverables of which it is not known who completed or delivered them."""
    secretary: str = ""

    @property
    def size(self) -> int:
        return sum(each.is_present for each in self.members)

    @property
    def needed(self) -> int:
        """The number of votes for a decision; 0 where the panel is empty, which nothing meets."""
        if self.policy is None or not self.size:
            return min(self.size, 1)
        return self.policy.needed or self.size

    @property
    def able(self) -> tuple[PanelMember, ...]:
        """Those who can decide now."""
        return tuple(each for each in self.members if each.can_decide)

    def member(self, user_id: Id) -> PanelMember | None:
        return next((each for each in self.members if each.user_id == user_id), None)

    def number_of(self, *votes: Vote) -> int:
        """Return how many of these votes count now."""
        return sum(each.counts in votes for each in self.members if each.counts)

    @property
    def goes(self) -> int:
        return self.number_of(Vote.GO, Vote.GO_IF)

    def decides(self, *votes: Vote) -> bool:
        """Return whether these votes are as many as it takes."""
        return 0 < self.needed <= self.number_of(*votes)

    @property
    def tally(self) -> str:
        """The votes in words: "1 of 2 votes go, 1 no"; "" without a policy."""
        if self.policy is None:
            return ""
        if not self.size:
            return self.vacancy
        noes, stops = self.number_of(Vote.NO), self.number_of(Vote.STOP)
        more = [*([f"{noes} no"] if noes else []), *([f"{stops} to stop"] if stops else [])]
        return ", ".join([f"{self.goes} of {count(self.needed, 'vote')} go", *more])

    @property
    def vacancy(self) -> str:
        """The reason why an empty panel has no one to vote."""
        return "no one is on its panel" if self.members else "no one is named yet"

    @property
    def lines(self) -> Iterator[str]:
        """The policy, each person of the panel with the vote, and the votes that do not count any more."""
        if self.policy is None:
            return
        yield f"Who decides: {self.who}."
        for each in self.members:
            reason = each.vote.reason if each.vote else ""
            yield f"{each.line}: {reason}" if reason else each.line
        for record in self.earlier:
            voter = self.member(record.by_id)
            name = voter.name if voter else "A person who has left the panel"
            yield f"{name}: {VOTE_WORDS[VOTES[record.decision]]}, on an earlier state"
        if self.decides(Vote.STOP):
            yield TO_STOP_SENTENCE
        if self.unknown:
            yield f"It is not known who did {self.unknown} of its cards and deliverables; that bars no decider."

    @property
    def stuck(self) -> str:
        """The reason why no decision can fall, with the ways out; "" where one can."""
        if len(self.able) >= max(self.needed, 1):
            return ""
        if self.policy is None:
            return "none of its owners is active"
        why = f"{len(self.able)} of {count(self.size, 'decider')} can decide, and it takes {max(self.needed, 1)}"
        if not self.size:
            why = "nobody is left who can decide" if self.members else self.vacancy
        return f"{why}: name another decider, set another policy, or override the next phase with a reason"

    @property
    def waiting(self) -> tuple[PanelMember, ...]:
        """Those whose vote would count now and is not in; where enough are in, since the panel is smaller than it was,
        all who can decide: the next go is the deciding vote."""
        return tuple(each for each in self.able if each.counts is None or self.decides(Vote.GO, Vote.GO_IF))

    def is_on_panel(self, view: Snapshot) -> bool:
        """Return whether the sender is on this panel; without a policy, whether they are an owner or another source of
        permissions lets them decide."""
        me = self.member(view.actor.user_id)
        by_service = self.policy is None and view.grant.authority.source != LOCAL.source
        return by_service or (me is not None and me.is_present)

    def refusal_for(self, view: Snapshot) -> str:
        """Return why the sender cannot decide here, as a sentence; "" if they can.

        The permission itself was checked before, with the message.
        """
        me = view.actor.user_id
        if self.policy is not None:
            return self.refusal_of(me)
        if self.member(me) is not None or view.grant.authority.source != LOCAL.source:
            return ""
        return "This gate has no policy that names you: its owners decide."

    def refusal_of(self, user_id: Id) -> str:
        """Return why a person cannot decide at this gate, which has a policy, as a sentence to them; "" if they can."""
        found = self.member(user_id)
        if found is None:
            return f"You are not on the panel of this gate: {self.who}."
        why = f"you {found.why_not}".replace("you is ", "you are ")
        return f"You cannot decide at this gate: {why}." if found.why_not else ""


def read_panel(view: Snapshot, phase: Phase) -> Panel:
    """Return the panel of one phase."""
    return read_panels(view, {phase.id: phase.project_id})[phase.id]


def check_can_decide(view: Snapshot, panel: Panel) -> None:
    """Raise RuleViolation if the sender is not on this panel, or refused by four eyes; it names who can."""
    if why := panel.refusal_for(view):
        raise RuleViolation(why, who_can=tuple(each.name for each in panel.able))


def store_policy(work: UnitOfWork, phase: Phase, policy: GatePolicy | None) -> None:
    """Give a gate another policy, or none."""
    before = work.find(GatePolicy, project_id=phase.project_id, phase_id=phase.id)
    if before and policy:
        work.update(before, **policy.chosen)
    elif before:
        work.delete(before)
    elif policy:
        work.insert(policy)


_OF_PROJECTS = "project_id IN {projects}"
_OF_PHASES = f"{_OF_PROJECTS} AND phase_id IN {{chosen}}"
_MEMBERS = (
    "SELECT member.project_id, user_id, role, active, first_name, last_name, change.at FROM member"
    " JOIN app_user ON app_user.id = member.user_id"
    # when the history begins: what was done before came by import, and of whom is known from a file alone
    " LEFT JOIN change ON change.project_id = member.project_id AND change.seq = 1"
    " WHERE member.project_id IN {projects}"
    " ORDER BY first_name, last_name, user_id"
)
_HOLDERS = (
    "SELECT phase_id, user_id FROM member JOIN gate_policy AS policy ON policy.project_id = member.project_id"
    f" WHERE policy.{_OF_PHASES} AND {HAS_META_ROLE}"
)
_NAMES = "SELECT id, name FROM meta_role"
_ENTRIES = (
    f"{_OF_PHASES} AND withdrawn = 0 AND imported_by IS NULL AND (decision LIKE 'VOTE%' OR decision IN"
    f" ({', '.join(repr(each.value) for each in ENDINGS)})) ORDER BY {OLDEST_FIRST}"
)
_WORK = (
    "SELECT phase_id, completed_by, max(completed_at), count(*), 'completed a card' FROM item"
    f" WHERE {_OF_PHASES} AND (status = 'COMPLETED' OR archived_from = 'COMPLETED')"
    " GROUP BY phase_id, completed_by"
    " UNION ALL SELECT phase_id, delivered_by, max(delivered_at), count(*), 'delivered a deliverable' FROM deliverable"
    f" WHERE {_OF_PHASES} AND done = 1 GROUP BY phase_id, delivered_by"
)


def read_panels(view: Snapshot, places: Mapping[Id, Id], *, ignoring: Id = "") -> dict[Id, Panel]:
    """Return the panels of phases, in one round trip; ``places`` has the project of each phase.

    ``ignoring`` is an entry of the record that counts as if it was not there.
    """
    chosen, params = placeholders(places)
    projects, of_projects = placeholders(dict.fromkeys(places.values()), "project")
    every, lists = params | of_projects, {"chosen": chosen, "projects": projects}
    policies, members, holders, roles, entries, work = view.tx.tuples_all(
        [
            (select(GatePolicy, _OF_PHASES.format(**lists)), every),
            (_MEMBERS.format(**lists), of_projects),
            (_HOLDERS.format(**lists), every),
            (_NAMES, {}),
            (select(GateRecord, _ENTRIES.format(**lists)), every),
            (_WORK.format(**lists), every),
        ]
    )
    begun = {row[0]: row[6] or "" for row in members}
    policy_of = {each.phase_id: each for each in view.load_records(GatePolicy, policies)}
    people = {named for each in policy_of.values() for named in (*each.people, each.secretary_id) if named}
    away = people - {row[1] for row in members}
    gone = names_of(view, away) if away else {}
    known = {row[1]: full_name(*row[4:6]) for row in members} | gone
    records = view.load_records(GateRecord, entries)
    return {
        phase_id: _make_panel(
            phase_id,
            policy_of.get(phase_id),
            [row[1:] for row in members if row[0] == project_id],
            {row[1] for row in holders if row[0] == phase_id},
            [each for each in records if each.phase_id == phase_id and each.id != ignoring],
            [_as_known(row, begun.get(project_id, "")) for row in work if row[0] == phase_id],
            known,
            dict(roles),
        )
        for phase_id, project_id in places.items()
    }


def _as_known(row: Sequence[Any], begun: str) -> tuple[Any, ...]:
    """A row of ``_WORK`` without its phase, and without the person where it came by import."""
    _, person, at, number, words = row
    return None if at and at < begun else person, at, number, words


def _make_panel(
    phase_id: Id,
    policy: GatePolicy | None,
    members: Sequence[tuple[Any, ...]],
    holders: Collection[Id],
    entries: Sequence[GateRecord],
    work: Sequence[tuple[Any, ...]],
    known: Mapping[Id, str],
    meta_roles: Mapping[Id, str],
) -> Panel:
    """The panel from its rows: members as (id, role, active, …), work as (person, last time, number, words)."""
    votes, earlier = votes_among(entries)
    begin = next((each for each in reversed(entries) if each.decision in ROUNDS), None)
    worked = {
        person: words
        for person, at, _, words in sorted(work, key=lambda row: row[1] or "")
        if person and at and (begin is None or _is_within(begin, datetime.fromisoformat(at)))
    }
    here = {row[0]: (ProjectRole(row[1]), bool(row[2])) for row in members}
    found = []
    for user_id in _on_panel(policy, here, holders):
        role, active = here.get(user_id, (None, False))
        why = _absence(role, active)
        did = worked.get(user_id, "")
        barred = f"{did} of it in this round, and this gate takes four eyes" if did else ""
        if not why and policy and policy.four_eyes:
            why = barred
        is_present = role in (ProjectRole.OWNER, ProjectRole.CONTRIBUTOR) and active
        found.append(PanelMember(user_id, known.get(user_id, UNKNOWN), is_present, why, did, votes.get(user_id)))
    unknown = sum(row[2] for row in work if not row[0]) if policy and policy.four_eyes else 0
    secretary = known.get(policy.secretary_id, UNKNOWN) if policy and policy.secretary_id else ""
    size = sum(each.is_present for each in found)
    who = describe_policy(policy, meta_roles, known, size) if policy else "an owner"
    return Panel(phase_id, policy, who, tuple(found), tuple(earlier), unknown, secretary)


def _is_within(begin: GateRecord, at: datetime) -> bool:
    """Return whether work was done in the round that an entry began. The work that ends an approval is."""
    return at > begin.at or (at == begin.at and begin.decision is Decision.LAPSE)


def _on_panel(
    policy: GatePolicy | None, here: Mapping[Id, tuple[ProjectRole, bool]], holders: Collection[Id]
) -> Iterable[Id]:
    """The people of a panel, in the order of their names; those who are named in the order of the policy."""
    if policy is None or policy.deciders is Deciding.OWNERS:
        return [user_id for user_id, (role, active) in here.items() if role is ProjectRole.OWNER and active]
    if policy.deciders is Deciding.PEOPLE:
        return policy.people
    return [user_id for user_id, (role, _) in here.items() if user_id in holders and role is not ProjectRole.VIEWER]


def _absence(role: ProjectRole | None, active: bool) -> str:
    if role is None:
        return "left the project"
    if not active:
        return "is not active any more"
    return "is a viewer, and viewers decide nothing" if role is ProjectRole.VIEWER else ""


def votes_among(entries: Iterable[GateRecord]) -> tuple[dict[Id, GateRecord], list[GateRecord]]:
    """Return the votes that stand, by person, and of the others the last on an earlier state, from entries in order.

    A decision or a lapse ends the votes of its round for good: those are no earlier state of the present one.
    """
    votes: dict[Id, GateRecord] = {}
    earlier: dict[Id, GateRecord] = {}
    for each in entries:
        if each.decision in VOTES:
            votes[each.by_id] = each
        elif each.decision in ROUNDS:
            votes, earlier = {}, {}
        else:
            earlier |= votes
            votes = {}
    return votes, [each for each in earlier.values() if each.by_id not in votes]


def read_votes(view: Snapshot, project_id: Id, phase_ids: Collection[Id]) -> dict[Id, list[GateRecord]]:
    """Return the votes that no entry has ended at those of these gates that have some, also of people who left the
    panel; no statement for no gate."""
    chosen, params = placeholders(phase_ids)
    where = _ENTRIES.format(projects="(:project_id)", chosen=chosen)
    entries = view.all(GateRecord, where, project_id=project_id, **params) if phase_ids else []
    of_phase = {each: [entry for entry in entries if entry.phase_id == each] for each in phase_ids}
    return {each: [*votes.values()] for each, found in of_phase.items() if (votes := votes_among(found)[0])}


def describe_policy(
    policy: GatePolicy, meta_roles: Mapping[Id, str], people: Mapping[Id, str], size: int | None = None
) -> str:
    """Return a policy in words: "2 of the 3 with the meta role “Lead”, four eyes, by 12 Dec, secretary Cleo Ek"."""
    number, those = policy.needed or "all", "those" if size is None else f"the {size}"
    match policy.deciders:
        case Deciding.OWNERS:
            whom = f"{'the' if size is None else those} owners"
        case Deciding.META_ROLE:
            role = meta_roles.get(policy.meta_role_id or "", "a meta role that was removed")
            whom = f"{those} with the meta role “{role}”"
        case Deciding.PEOPLE:
            whom = names([people.get(each, UNKNOWN) for each in policy.people])
    more = [
        *(["four eyes"] if policy.four_eyes else []),
        *([f"by {policy.decide_by:%-d %b %Y}"] if policy.decide_by else []),
        *([f"secretary {people.get(policy.secretary_id, UNKNOWN)}"] if policy.secretary_id else []),
    ]
    open_places = f"{'1 person' if policy.needed == 1 else f'{number} people'}, to be named"
    return ", ".join([f"{number} of {whom}" if whom else open_places, *more])


def describe_votes(panel: Panel, deciding: Sequence[Vote], meeting: date | None) -> str:
    """Return the votes of a decision in words: "2 of 2 votes go (Anna Berg, Bob Lind go if); Cleo Ek no, Dan Ito –"."""
    counting = [each for each in panel.members if each.counts in deciding]
    voters = [each.name + (f" {each.words}" if each.counts is not deciding[0] else "") for each in counting]
    others = []
    for each in (member for member in panel.members if member not in counting):
        is_lost = each.vote and each.counts is None
        others.append(f"{each.name} {each.words_at(meeting)}" + (", which did not count" if is_lost else ""))
    needed = count(panel.needed, "vote")
    said = f"{len(counting)} of {needed} {VOTE_WORDS[deciding[0]]} ({', '.join(voters)})"
    return "; ".join(filter(None, (said, ", ".join(others))))


def credit_entry(record: GateRecord, name: str) -> str:
    """Return who made an entry of the record: a person, a meeting with its secretary, or the votes that decided.

    ``name`` is that of the person ``by_id``, who imported it where it came by import.
    """
    who, how = record.original_name if record.imported_by else name, record.through
    if record.meeting:
        of_meeting = f"the meeting of {in_full(record.meeting)}"
        who = f"{who}, in {of_meeting}" if record.decision in VOTES else f"{of_meeting}, recorded by {who}"
    elif record.decision in (Decision.PASS, Decision.STOP) and record.detail:  # without a policy it has none
        carried = f", carried out by {who}" if record.decision is Decision.STOP else ""
        how = f"the last {how}" if how and not carried else how
        who = record.detail.partition("; ")[0] + carried
    return credit_author(credit_author(who, f"imported by {name}" if record.imported_by else ""), how)


def may_decide(view: Snapshot, panel: Panel) -> bool:
    """Return whether a decision of the sender would be taken: permission, panel and four eyes together."""
    return Permission.GATE_DECIDE in view.held and not panel.refusal_for(view)
