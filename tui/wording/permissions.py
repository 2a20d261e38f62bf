"""The permission source and its state in words, and the reasons for missing permissions."""

from __future__ import annotations

from datetime import UTC, datetime

from core.domain.grants import LOCAL, DecisionSource, FaultKind, ServiceFailure
from core.domain.permissions import Permission, decided_in_place, refusal, refusal_of_service
from core.errors import AuthorizationUnavailable, PodiumError
from core.record import replace

LOCAL_TERMINAL = "local"
"""The connection of a terminal on this machine."""

ASKING = "Podium is asking the permission service what you can see and do here."
"""Text of a screen before the first answer of the service."""

SOURCES = {
    "local": "the database of this workspace",
    "remote": "the permission service",
    "staging": "the permission service, on its staging path",
}


def is_certain(authority: DecisionSource) -> bool:
    """True when the source has answered and can be reached."""
    return not authority.pending and authority.fault is None


def state(authority: DecisionSource, *, unseen: bool = False) -> str:
    """Text of the title line: "permissions local", or the fault. ``unseen``: the user cannot read the screen either."""
    if authority.fault is not None:
        return f"{'no answer' if unseen else 'read only'} since {since(authority.fault)}"
    return "permissions: asking…" if authority.pending else f"permissions {authority.source}"


def unusual(via: str, authority: DecisionSource) -> tuple[str, ...]:
    """The connection and the permission source for the title line, where they are not the ordinary ones."""
    source = state(authority) if is_certain(authority) and authority.source != LOCAL.source else ""
    return tuple(filter(None, ("" if via == LOCAL_TERMINAL else via, source)))


def read_only_reason(authority: DecisionSource) -> str:
    """The reason for read-only mode if the source did not answer, else an empty text."""
    if authority.fault is not None:
        fault = authority.fault
        return f"{fault.reason} Nothing can be changed since {since(fault)}. Podium asks again automatically."
    if authority.pending:
        return ASKING
    return ""


def missing_permission_reason(needed: Permission, authority: DecisionSource, role: str) -> str:
    """The reason for a missing permission: a source that does not answer, or its refusal of ``role`` (in words)."""
    if not is_certain(authority):
        return read_only_reason(authority)
    if authority.source != LOCAL.source:
        return refusal_of_service(needed, authority.unnamed)
    return refusal(needed, role or "guest")


def in_full(authority: DecisionSource) -> str:
    """The reason for read-only mode, with the correlation id."""
    named = f" Correlation id {authority.fault.correlation_id}." if authority.fault is not None else ""
    return read_only_reason(authority) + named


def who_decides(authority: DecisionSource) -> str:
    """The permission source, to complete "decided by …", and its state."""
    source = SOURCES.get(authority.source, authority.source)
    if authority.fault is not None:
        return f"{source}. {in_full(authority)}"
    state = "it has not answered yet" if authority.pending else "it answers"
    return ". ".join(filter(None, (f"{source}; {state}", decided_in_place(authority.unnamed).removesuffix("."))))


def since(fault: ServiceFailure) -> str:
    """The local time at which a fault began, with the date if that is not today."""
    here = fault.since.astimezone()
    day = "" if here.date() == datetime.now().astimezone().date() else f"{here.date().isoformat()} "
    return f"{day}{here.hour:02}:{here.minute:02}"


def state_after_refusal(before: DecisionSource, error: PodiumError) -> DecisionSource:
    """The state of the source after a permission query failed: a refusal is an answer, other errors are a fault."""
    if not isinstance(error, AuthorizationUnavailable):
        return replace(before, pending=False, fault=None)
    began = before.fault.since if before.fault is not None else datetime.now(UTC)
    fault = ServiceFailure(str(error), error.correlation_id, began, FaultKind.AWAY)
    return replace(before, pending=False, fault=fault)
