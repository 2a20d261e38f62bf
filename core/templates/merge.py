"""The plan of merging a template version into a project: every change and every difference that stays, line by line.

If the project is known to come from a version of the same template, three workflows are compared: that version, the new
one, and the project.

- Parts and fields that are the same in both versions are left alone, and get no line.
- A field that has its old version's value in the project is CHANGED; a field that was changed by hand is KEPT.
- A part that is new in the template is ADDED; a part that was removed from the project by hand is NOT_ADDED.
- A part that the new version lacks is REMOVED if it is untouched and To Do, and its id is not in ``keep``: cards are
  archived, not deleted. A phase is never removed.
- Parts that are completed, archived or in a complete phase are not changed, and nothing is added to them, because that
  would reopen them.

Without a known version, only parts that the project lacks are ADDED (or NOT_ADDED, with the reason), and all other
differences are KEPT.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from core.domain.fields import CustomField, FieldValue
from core.domain.gates import Deliverable
from core.domain.model import Gate, Item, Status
from core.domain.templates import (
    ACTIVITY,
    APPLICATION,
    CRITERION,
    PHASE,
    Difference,
    DifferenceKind,
    TemplateBody,
    TemplateField,
    TemplatePolicy,
)
from core.record import Record, replace
from core.templates.diff import make_change, moves
from core.templates.project_tree import LiveNode, ProjectTree, takes
from core.templates.tree import PLACE, Key, Part, by_identity, group_of, place, with_all_in, words
from core.text.label_names import fold_name

GATE = ("gate", "evidence_required", "no_statements")
BOUND = {"gate": (*GATE, "policy"), "evidence_required": GATE, "no_statements": GATE, "policy": ("gate", "policy")}
"""Fields that change only with these, because only a review gate can require evidence and have a policy."""

BY_HAND = "it was changed in this project"
TAKEN_OUT = "it was removed, renamed or moved in this project"
REORDERED = "the order was changed in this project"
CHOSEN = "you keep it"
FOR_GOOD = "a template takes no phase out of a project"


class MergeStep(Record, kw_only=False):
    """A line of the plan; for a change also the part, its container and its place."""

    line: Difference
    live: LiveNode | None = None
    """The part of the project that is changed, moved or removed."""
    part: Part | None = None
    """The part that is added, with its children."""
    within: LiveNode | None = None
    """The phase or activity in which the part is added or moved; None for a phase."""
    after: Part | None = None
    """The part after which it is placed, within its group; None for the first place."""
    field: str = ""
    value: object = None

    @property
    def kind(self) -> DifferenceKind:
        return self.line.kind


class Merge(Record, kw_only=False):
    """A merge: three workflows, and the facts that decide between them."""

    project: ProjectTree
    commented: frozenset[str]
    """The ids of items with comments."""
    unfit: Callable[[Part], str]
    """The reason why the project cannot have an application; "" if it can."""
    keep: frozenset[str] = frozenset()
    """The ids of records that stay although the new version lacks them."""
    fields: Mapping[str, CustomField | TemplateField] = {}
    """The custom fields that the project will have, by key."""

    def steps(self, origin: TemplateBody | None, new: TemplateBody) -> tuple[MergeStep, ...]:
        """All steps; additions to one container are in their order."""
        return tuple(self._within((), None, self.project.parts, origin.phases if origin else (), new.phases))

    def _within(
        self,
        path: tuple[str, ...],
        within: LiveNode | None,
        here: Sequence[LiveNode],
        origin: Sequence[Part],
        new: Sequence[Part],
        gate: object = None,
    ) -> Iterator[MergeStep]:
        """The steps of the parts in one; ``gate`` is the kind of gate that a phase will have."""
        lives, old_parts, new_parts = by_identity(here), by_identity(origin), by_identity(new)
        gone = [
            step
            for key, old in old_parts.items()
            if key in lives and key not in new_parts
            for step in self._remove_part(path, lives[key], old)
        ]
        holds = any(each.what == APPLICATION for each in here) and not any(
            step.kind is DifferenceKind.REMOVED and step.line.what == APPLICATION for step in gone
        )
        moved = _find_moves(lives, old_parts, new_parts)
        last = _last(lives, new_parts, {id(step.live) for step in gone if step.kind is DifferenceKind.REMOVED})
        for key, part in new_parts.items():
            live, old, after = lives.get(key), old_parts.get(key), last.get(group_of(part))
            if live is None:
                added = list(self._missing(path, within, part, old, after, holds, gate))
                yield from added
                if added and added[0].part:
                    last[group_of(part)] = part
                continue
            last[group_of(part)] = live
            whole, olds = (*path, live.name), old.children if old else ()
            changes = [*self._changes(whole, live, old, part)]
            yield from changes
            if key in moved:
                yield _move(path, within, key, lives, new_parts, live.closed or moved[key], after)
            gates = [step.value for step in changes if step.field == "gate" and step.kind is DifferenceKind.CHANGED]
            its_gate = next(iter(gates), live.fields.get("gate"))
            yield from self._within(whole, live, live.children, olds, part.children, its_gate)
        yield from gone

    def _changes(self, path: tuple[str, ...], live: LiveNode, old: Part | None, part: Part) -> Iterator[MergeStep]:
        """The fields that the template has changed, or, without a known version, that differ."""
        has, had = live.fields, old.fields if old else {}
        for name, value in part.fields.items():
            if value == has[name] or (old and value == had[name]) or name == "product":
                continue
            if name == "values":
                value = self._fitting(value, has[name])
                if value == has[name]:
                    continue
            bound = BOUND.get(name, (name,))
            untouched = old is not None and all(self._holds(live, each, had[each]) for each in bound)
            if not untouched and self._holds(live, name, value):
                continue
            reason = live.closed or ("" if untouched else BY_HAND)
            roles = value.roles if isinstance(value, TemplatePolicy) else _slots(value) if name == "slots" else ()
            if not reason and roles and not self.project.team.filling(roles):
                reason = f"nobody in this project is {words('slots', roles)}"
            if not reason and name in ("filter", "field"):
                reason = self.unfit(part)
            yield MergeStep(make_change(path, live, name, value, reason), live, field=name, value=value)

    def _fitting(self, wanted: object, has: object) -> tuple[FieldValue, ...]:
        """The values of custom fields that a card gets: those that the project's fields can have, else those it has."""
        held = {each.key: each for each in _values(has)}
        found = (
            each if (field := self.fields.get(each.key)) and takes(field, each.value) else held.get(each.key)
            for each in _values(wanted)
        )
        return tuple(filter(None, found))

    def _holds(self, live: LiveNode, name: str, value: object) -> bool:
        """Return True if a field of the project has this value; for roles, if no one else is assigned."""
        if name == "slots":
            return self.project.team.are(live.people, _slots(value))
        if name == "policy":
            return self.project.team.policy_as_asked(live, value) == value
        if name == "labels":
            return set(map(fold_name, _slots(live.fields[name]))) == set(map(fold_name, _slots(value)))
        return live.fields[name] == value

    def _missing(
        self,
        path: tuple[str, ...],
        within: LiveNode | None,
        part: Part,
        old: Part | None,
        after: Part | None,
        holds: bool,
        gate: object,
    ) -> Iterator[MergeStep]:
        """A part that the project lacks: added, unless it was removed by hand or its container is closed."""
        if old is not None:
            if old != part:
                yield MergeStep(_line(DifferenceKind.NOT_ADDED, path, part, TAKEN_OUT))
            return
        reason = within.closed if within else ""
        if part.what == CRITERION and not reason:
            reason = self.unfit(part) if gate is Gate.REVIEW else "its gate is automatic in this project"
        if part.what == APPLICATION and not reason:
            taken = within is not None and within.what == ACTIVITY and holds
            reason = "the activity holds an application already" if taken else self.unfit(part)
        if reason:
            yield MergeStep(_line(DifferenceKind.NOT_ADDED, path, part, _inside(within, reason)))
            return
        yield MergeStep(_line(DifferenceKind.ADDED, path, part), part=part, within=within, after=after)
        for names, each in list(with_all_in(part))[1:]:
            why = self.unfit(each) if each.what in (APPLICATION, CRITERION) else ""
            kind = DifferenceKind.NOT_ADDED if why else DifferenceKind.ADDED
            yield MergeStep(_line(kind, (*path, *names[:-1]), each, why))

    def _remove_part(self, path: tuple[str, ...], live: LiveNode, old: Part) -> Iterator[MergeStep]:
        """A part that the new version lacks."""
        chosen = CHOSEN if live.record.id in self.keep else ""
        reason = live.closed or (FOR_GOOD if live.what == PHASE else self._find_touch(live, old)) or chosen
        if reason:
            yield MergeStep(_line(DifferenceKind.KEPT, path, live, reason), live)
            return
        yield MergeStep(replace(_line(DifferenceKind.REMOVED, path, live), id=live.record.id), live)
        for names, each in list(with_all_in(live))[1:]:
            if not each.archived:
                yield MergeStep(_line(DifferenceKind.REMOVED, (*path, *names[:-1]), each))

    def _find_touch(self, live: LiveNode, old: Part | None) -> str:
        """The reason why a part counts as changed since its version; "" if it and its children are unchanged."""
        if old is None:
            return "there is something in it that this project added"
        record = live.record
        if isinstance(record, Item) and record.status is not Status.TO_DO:
            return "it has been started" if record.status is Status.IN_PROGRESS else "some of it is done"
        if record.id in self.commented:
            return "people have commented on it"
        if isinstance(record, Deliverable) and record.evidence:
            return "it has evidence"
        if not all(self._holds(live, name, value) for name, value in old.fields.items()):
            return BY_HAND
        old_parts = by_identity(old.children)
        inside = (
            self._find_touch(each, old_parts.get(key))
            for key, each in by_identity(live.children).items()
            if not each.archived
        )
        return next(filter(None, inside), "")


def _last(lives: Mapping[Key, LiveNode], new_parts: Mapping[Key, Part], leaving: set[int]) -> dict[str, Part]:
    """The part after which the first addition to a group is placed: the last part of a group that shares none with the
    new version; otherwise the addition comes first."""
    shared = {group_of(part) for key, part in new_parts.items() if key in lives}
    staying = (live for live in lives.values() if not live.archived and id(live) not in leaving)
    return {group_of(live): live for live in staying if group_of(live) not in shared}


def _find_moves(
    lives: Mapping[Key, LiveNode], old_parts: Mapping[Key, Part], new_parts: Mapping[Key, Part]
) -> dict[Key, str]:
    """The parts that the new version moves, each with the reason to leave it in its place, or ""."""
    shared = {key for key, live in lives.items() if key in old_parts and key in new_parts and not live.archived}
    old, new, live = ({key: each[key] for key in each if key in shared} for each in (old_parts, new_parts, lives))
    reordered = moves(live, new) if moves(old, new) else set()
    by_hand = {group_of(old[key]) for key in moves(old, live)}
    return {key: REORDERED if group_of(old[key]) in by_hand else "" for key in reordered}


def _move(
    path: tuple[str, ...],
    within: LiveNode | None,
    key: Key,
    lives: Mapping[Key, LiveNode],
    new_parts: Mapping[Key, Part],
    reason: str,
    after: Part | None,
) -> MergeStep:
    live = lives[key]
    line = Difference(
        kind=DifferenceKind.KEPT if reason else DifferenceKind.CHANGED,
        what=live.what,
        path=(*path, live.name),
        field=PLACE,
        before=place(key, lives),
        after=place(key, new_parts),
        reason=reason,
    )
    return MergeStep(line, live, within=within, after=after, field=PLACE)


def _line(kind: DifferenceKind, path: tuple[str, ...], part: Part, reason: str = "") -> Difference:
    return Difference(kind=kind, what=part.what, path=(*path, part.name), reason=reason)


def _inside(within: LiveNode | None, reason: str) -> str:
    """The reason why nothing is added to a part, worded for the part that would be added."""
    if within is None or reason != within.closed or within.what == PHASE:
        return reason
    return f"“{within.name}” {reason.removeprefix('it ')}" if reason.startswith("it ") else reason


def _values(value: object) -> tuple[FieldValue, ...]:
    return value if isinstance(value, tuple) else ()


def _slots(value: object) -> tuple[str, ...]:
    return value if isinstance(value, tuple) else ()
