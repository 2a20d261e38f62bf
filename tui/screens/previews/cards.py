"""The preview of a card: what blocks it, its description, its tasks and its last comment; and of an application."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime

from core.actions.cards.application_lists import ApplicationDetail
from core.actions.cards.details import Blockers, CardDetail, ShownField
from core.domain.model import Id, ItemKind, Status
from core.domain.statuses import CLOSED, STATUS_WORDS
from core.text.phrases import names
from tui.drawing.card_facts import PRIORITY_ROLES, priority_in_full
from tui.drawing.labels import label_role
from tui.drawing.people import Team
from tui.drawing.preview_rows import PreviewLine, PreviewPage, PreviewPart, markdown, prose
from tui.drawing.rows import one_line
from tui.drawing.styles import Styles, TextRole
from tui.screens.previews.lines import WHO, card_line, change_lines, due_fact, facts, people_facts
from tui.wording.custom_fields import value_words
from tui.wording.times import format_day

BLOCKERS = 3
"""The most blockers that are listed; the key lists all of them."""

CHANGES = 3
"""The most changes that are listed."""

NOTHING = "No description, tasks or comments yet."


def card_page(detail: CardDetail, look: Styles, me: Id, team: Mapping[Id, str]) -> PreviewPage:
    item, is_activity = detail.item, detail.item.kind is ItemKind.ACTIVITY
    sign = ((f"{look.signs.of(item.status, is_activity)} ", TextRole.QUIET),)
    known = (
        *facts(detail.key, STATUS_WORDS[item.status]),
        *due_fact(item.due, item.status in CLOSED),
        *((priority_in_full(each), PRIORITY_ROLES[each]) for each in (item.priority,) if each.shown),
        *((f"#{one_line(label.name)}", label_role(label.colour)) for label in detail.labels),
        *(people_facts([(user.id, user.name) for user in detail.people], me) or facts("nobody assigned")),
        *facts(f"{look.signs.state(detail.state)} {detail.phase.name}"),
        *facts(f"in “{detail.activity.title}”" if detail.activity else ""),
        *facts(*(f"{each.field.name}: {_value(each)}" for each in detail.fields if each.shown)),
    )
    parts = tuple(_card_parts(detail, look, me, team))
    if not any(part.heading != "Last changes" for part in parts):
        parts = (prose("", NOTHING, text_role=TextRole.QUIET), *parts)
    return PreviewPage(item.title, sign, known, parts)


def _card_parts(detail: CardDetail, look: Styles, me: Id, team: Mapping[Id, str]) -> Iterator[PreviewPart]:
    if detail.blocked is not None:
        yield _describe_blocked(detail.blocked, look)
    for heading, cards in (("Waits for", detail.linked.waits_for), ("Blocks", detail.linked.blocks)):
        if cards:
            lines = (card_line(look, f"{each.key} {each.title}", each.status, None, ()) for each in cards)
            yield PreviewPart(heading, tuple(lines), str(len(cards)))
    if detail.item.description.strip():
        yield markdown("Description", detail.item.description)
    tasks = [task for task in detail.tasks if task.status is not Status.ARCHIVED]
    if tasks:
        people = Team(team, me)
        lines = (
            card_line(
                look,
                task.title,
                task.status,
                task.due,
                people.words([task.assignee_id], WHO) if task.assignee_id else (),
            )
            for task in tasks
        )
        done = sum(task.status is Status.COMPLETED for task in tasks)
        yield PreviewPart("Tasks", tuple(lines), f"{done}/{len(tasks)}")
    if detail.comments:
        last, count = detail.comments[-1], len(detail.comments) + detail.older_comments
        said = format_day(last.at, datetime.now(UTC)) + (" · edited" if last.edited else "")
        by = PreviewLine(last.author, ((said, TextRole.QUIET),), text_role=TextRole.NAME)
        yield markdown("Last comment", last.text, f"of {count}" if count > 1 else "", by)
    links = [(look.signs.link, detail.item.link)] if detail.item.link else []
    links += [(look.signs.application, detail.application.name)] if detail.application else []
    if links:
        lines = (PreviewLine(words, lead=((f"{sign} ", TextRole.QUIET),)) for sign, words in links)
        yield PreviewPart("Link" if detail.application is None else "Application", tuple(lines))
    yield PreviewPart("Last changes", change_lines(detail.history[:CHANGES]))


def _value(each: ShownField) -> str:
    return one_line(value_words(each.field, each.shown, date.today()))


def _describe_blocked(blocked: Blockers, look: Styles) -> PreviewPart:
    sign = ((f"{look.signs.locked} ", TextRole.SOON),)
    reason = PreviewLine(blocked.reason, lead=sign, text_role=TextRole.SOON, most=4)
    signs = look.signs
    listed = [
        PreviewLine(each.title, lead=((f"{signs.of_blocker(each) or signs.dot} ", TextRole.QUIET),))
        for each in blocked.blockers
    ]
    more = len(listed) - BLOCKERS
    others = [PreviewLine(f"{more} more", text_role=TextRole.QUIET)] if more > 0 else []
    return PreviewPart("Why it cannot go on", (reason, *listed[:BLOCKERS], *others), "w")


def application_page(detail: ApplicationDetail, look: Styles, me: Id, _team: Mapping[Id, str]) -> PreviewPage:
    application, product = detail.application, detail.product
    known = (
        *facts(product.name if product.name != application.name else "application"),
        *due_fact(application.due, closed=False),
        *(people_facts([(user.id, user.name) for user in detail.people], me) or facts("nobody assigned")),
        *facts(detail.phase.name, f"on “{detail.activity.title}”" if detail.activity else ""),
    )
    parts = [markdown("What it is", product.description)] if product.description else []
    roles = names(detail.my_roles) or "none"
    parts += [
        PreviewPart("My roles", (PreviewLine(roles),)),
        PreviewPart("Last changes", change_lines(detail.history[:CHANGES])),
    ]
    sign = ((f"{look.signs.application} ", TextRole.QUIET),)
    return PreviewPage(application.name, sign, known, tuple(parts))
