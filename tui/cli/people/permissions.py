"""``podium permission …``: the permission query, the reason for a decision, and who decides at the gates."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click

from core.actions.permissions.gate_review import PermissionReview, ReviewGates
from core.actions.permissions.permissions import ExplainPermission, PermissionExplanation, QueryPermissions
from core.actions.projects.lists import GetProject
from core.authorization.query_pages import MAX_ENTRIES, PermissionPage
from core.errors import AuthorizationUnavailable
from tui.cli.choices import Number
from tui.cli.message_command import MessageGroup
from tui.cli.output import line, moment, print_json, say, table
from tui.cli.records import LISTED_PROJECT, PROJECT, USER
from tui.cli.session import Session

NOT_HELD = 1


permission_ = MessageGroup("permission", "Permissions: who holds which codes, and why; who can decide at gates.")

OF_USER = USER.or_none(click.Option(["--user"], metavar="LOGIN", help="The user (default: you)."))
ON_ACCOUNT_OF = PROJECT.option("--project", "The project whose account is asked about.")
ON_PROJECT = PROJECT.typed_as(click.Option(["--project"], required=True, metavar="PROJECT", help="The project."))


@permission_.runs(
    "query",
    click.Argument(["codes"], nargs=-1, required=True, metavar="CODE..."),
    OF_USER,
    ON_ACCOUNT_OF,
    click.Option(["--account"], metavar="ID", help="The account: of a project, a client, a market or a brand."),
    click.Option(
        ["--limit"], type=Number(), default=MAX_ENTRIES, show_default=True, help="The number of entries on a page."
    ),
    click.Option(["--offset"], type=Number(), default=0, show_default=True, help="The index of the first entry."),
)
def query(session: Session, codes: tuple[str, ...], account: str | None, limit: int, offset: int) -> None:
    """List which of these permission codes a user holds on an account; without one, on every account that there is."""
    project, user = session[ON_ACCOUNT_OF], session[OF_USER]
    if project and account:
        raise click.UsageError("Name a project or an account, not both.")
    if project:
        account = session.query(GetProject(project_id=project.id)).project.auth_id
    page = session.query(
        QueryPermissions(
            account_id=account,
            user_id=user.id if user else None,
            permission_codes=codes,
            limit=limit,
            offset=offset,
        )
    )
    if session.as_json:
        print_json(as_documented(page))
        return
    rows = [(entry.account_id, ", ".join(entry.permissions)) for entry in page.data]
    table(("ACCOUNT", "PERMISSIONS"), rows, "None of these codes is held there.")
    if len(rows) < page.total_count:
        say(f"{len(rows)} of {page.total_count} from {offset} on; --limit and --offset choose the page.")


@permission_.runs("can", USER, click.Argument(["action"]), ON_PROJECT)
def can(session: Session, action: str) -> int:
    """Check whether a person can do something on a project, and why.

    ACTION is a permission code, the name of a message, or a code of a product in the project. Exit status: 0 yes,
    1 no, 5 unknown. Example: podium permission can maya MoveCard --project "Spring campaign"
    """
    project_id = session[ON_PROJECT].id
    answer = session.query(ExplainPermission(project_id=project_id, user_id=session[USER].id, action=action))
    session.print_result(answer, *sentences_of(answer))
    if answer.held:
        return 0
    return AuthorizationUnavailable.exit_status if answer.authority.fault else NOT_HELD


@permission_.runs("review", LISTED_PROJECT)
def review(session: Session) -> None:
    """Review the gates that need a decision: who can decide now, and where that depends on one person.

    Also who could approve their own work, and what the permission source says.
    """
    session.show(session.query(ReviewGates(project_id=session[LISTED_PROJECT].id)), _review_lines)


def _review_lines(answer: PermissionReview) -> Iterator[str]:
    yield line(answer.source)
    if not answer.gates:
        yield "No gate needs a decision."
    for gate in answer.gates:
        yield from ("", f"{gate.number} {line(gate.phase)}: {line('; '.join(filter(None, (gate.policy, gate.votes))))}")
        for each in gate.deciders:
            yield f"  {line(each.name)} {f'cannot decide: {line(each.why_not)}' if each.why_not else 'can decide'}."
        for finding in gate.findings:
            yield f"  ! {line(finding)}"


def as_documented(page: PermissionPage) -> dict[str, Any]:
    """The answer with the keys of the source document (section 4.1)."""
    return {
        "total_count": page.total_count,
        "data": [{"account_id": each.account_id, "permissions": list(each.permissions)} for each in page.data],
        "limit": page.limit,
        "offset": page.offset,
    }


def sentences_of(answer: PermissionExplanation) -> list[str]:
    """The explanation in lines for people."""
    lines = [
        answer.reason,
        f"Role: {answer.role}, on {answer.project}. Meta roles: {', '.join(answer.meta_roles) or 'none'}.",
        f"Decided by: {answer.authority.source}, {moment(answer.decided_at)}.",
    ]
    if fault := answer.authority.fault:
        lines.append(f"Correlation id: {fault.correlation_id}.")
    return lines
