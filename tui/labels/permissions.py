"""What a screen says of who decides: the source of permissions in use, and the state it is in."""

from __future__ import annotations

from datetime import UTC, datetime

from core.domain.grants import LOCAL, DecisionSource, Fault, FaultKind
from core.domain.permissions import PERMISSION_PHRASES, Permission, refusal
from core.errors import AuthorizationUnavailable, PodiumError

ASKING = "Podium asks the permission service what you may see and do here."
"""What a screen says until the service has answered for the first time."""

SOURCES = {
    "local": "the database of this workspace",
    "remote": "the permission service",
    "staging": "the permission service, on its staging path",
}


def is_certain(authority: DecisionSource) -> bool:
    """Whether somebody who counts has answered, and can be asked again."""
    return not authority.pending and authority.fault is None


def state(authority: DecisionSource, *, unseen: bool = False) -> str:
    """For the title line: "permissions local", or what is the matter; ``unseen`` where not even looking is allowed."""
    if authority.fault is not None:
        return f"{'no answer' if unseen else 'looking only'} since {since(authority.fault)}"
    return "permissions: asking…" if authority.pending else f"permissions {authority.source}"


def read_only_reason(authority: DecisionSource) -> str:
    """Why nothing can be changed; empty when that is not for want of an answer."""
    if authority.fault is not None:
        fault = authority.fault
        return f"{fault.reason} Since {since(fault)} nothing can be changed; it is asked again by itself."
    if authority.pending:
        return ASKING
    return ""


def missing_permission_reason(needed: Permission, authority: DecisionSource, role: str) -> str:
    """Why somebody with this role, in words, does not hold a code: nobody can say now, or whoever decides says no."""
    if not is_certain(authority):
        return read_only_reason(authority)
    if authority.source != LOCAL.source:
        return f"The permission service does not let you {PERMISSION_PHRASES[needed]} ({needed})."
    return refusal(needed, role or "guest")


def in_full(authority: DecisionSource) -> str:
    """Why nothing can be changed, with all there is to know of it."""
    named = f" Correlation id {authority.fault.correlation_id}." if authority.fault is not None else ""
    return read_only_reason(authority) + named


def who_decides(authority: DecisionSource) -> str:
    """The source, which completes "decided by …", and its state."""
    source = SOURCES.get(authority.source, authority.source)
    if authority.fault is not None:
        return f"{source}. {in_full(authority)}"
    return f"{source}; {'it has not answered yet' if authority.pending else 'it answers'}"


def since(fault: Fault) -> str:
    """When a fault began: the time here, with the day when it was another one."""
    here = fault.since.astimezone()
    day = "" if here.date() == datetime.now().astimezone().date() else f"{here.date().isoformat()} "
    return f"{day}{here.hour:02}:{here.minute:02}"


def refused(before: DecisionSource, error: PodiumError) -> DecisionSource:
    """The state after a question about rights was answered by an error: a "no", or no answer that counts."""
    if not isinstance(error, AuthorizationUnavailable):
        return DecisionSource(before.source)
    began = before.fault.since if before.fault is not None else datetime.now(UTC)
    return DecisionSource(before.source, fault=Fault(str(error), error.correlation_id, began, FaultKind.AWAY))
