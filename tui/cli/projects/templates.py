"""``podium template …``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import click

from core.actions.projects.members import ListMembers, describe_template_roles
from core.actions.templates.apply import DiffAgainstTemplate, MergeTemplate, PreviewTemplateMerge, SaveTemplate
from core.actions.templates.templates import (
    CompareTemplateVersions,
    EditTemplate,
    GetTemplate,
    ImportTemplate,
    ListTemplates,
    RemoveTemplate,
    TemplateDetail,
)
from core.actions.workflow.gate_conditions import ListConditions
from core.domain.model import Id
from core.domain.templates import Difference, TemplateApplication, TemplateItem
from core.errors import InvalidInput
from core.record import replace
from core.templates.template_file import MAX_BYTES, template_in, template_text
from core.templates.tree import criterion_words, policy_words
from core.text.phrases import count, in_words, names
from core.text.sanitize import quote_value
from tui.cli import streams
from tui.cli.choices import Number
from tui.cli.message_command import ALLOW_LAPSE, RELOCK, Field, MessageGroup, emptying_option
from tui.cli.output import line, say
from tui.cli.records import LISTED_PROJECT, PROJECT, TEMPLATE
from tui.cli.sentences import Columns
from tui.cli.session import Session

template_ = MessageGroup(
    "template", "Templates: list, show, versions, compare, save, merge, edit, remove, export, import."
)

VERSION = click.Option(["--version", "number"], type=Number(), help="The version (default: the newest).")
UPDATED = TEMPLATE.option("--update", "Save as the next version of this template.")

NOTHING_DIFFERS = "Nothing differs."
DIFFERENCE = ("", "WHAT", "WHERE", "FIELD", "BEFORE", "AFTER", "WHY NOT")


@template_.runs(
    "list",
    click.Argument(["words"], nargs=-1),
    click.Option(["--tag", "tags"], multiple=True, help="Only templates with this tag (repeatable)."),
    ids=True,
    lists=True,
)
def list_(session: Session, words: tuple[str, ...], tags: tuple[str, ...]) -> None:
    """List the templates with all these words in name, description, tags or phases."""
    session.list(
        session.query(ListTemplates(text=" ".join(words), tags=tags)),
        ("NAME", "VERSION", "PHASES", "ITEMS", "DAYS", "TAGS", "ROLES", "ID"),
        Columns("template.name template.number phases items days template.tags slots template.id"),
        "No matching templates. Create one with “podium template save PROJECT --name NAME”.",
    )


def _lines(detail: TemplateDetail) -> Iterator[str]:
    template = detail.line.template
    yield f"{template.name}, version {detail.number}"
    if template.description:
        yield template.description
    if template.tags:
        yield f"Tags: {', '.join(template.tags)}"
    yield f"Roles: {', '.join(detail.line.slots) or 'none'}"
    if detail.missing_products:
        yield f"Left out, because the product is missing: {', '.join(detail.missing_products)}"
    for number, phase in enumerate(detail.body.phases, 1):
        gate = f", {in_words(phase.gate)} gate" + (" with evidence" if phase.evidence_required else "")
        yield f"\n{number} {line(phase.name)}{_facts(phase.due_days, phase.slots)}{gate}"
        if phase.policy:
            yield f"  Decides: {line(policy_words(phase.policy))}"
        for name in phase.deliverables:
            yield f"  [ ] {line(name)}"
        for criterion in phase.criteria:
            yield f"  Criterion: {line(criterion.text)}  ({line(criterion_words(criterion))})"
        for item in phase.items:
            yield from _lines_of_item(item, "  ")
        for application in phase.applications:
            yield from _lines_of_application(application, "  ")


def _lines_of_item(item: TemplateItem, indent: str) -> Iterator[str]:
    yield f"{indent}- {line(item.title)}{_facts(item.due_days, item.slots)}"
    for task in item.tasks:
        yield from _lines_of_item(task, indent + "  ")
    if item.application:
        yield from _lines_of_application(item.application, indent + "  ")


def _lines_of_application(each: TemplateApplication, indent: str) -> Iterator[str]:
    yield f"{indent}> {line(each.name)} ({line(each.product)}){_facts(each.due_days, each.slots)}"


def _facts(days: int | None, slots: tuple[str, ...]) -> str:
    facts = [*([f"day {days}"] if days is not None else []), *([names(slots)] if slots else [])]
    return f"  ({', '.join(map(line, facts))})" if facts else ""


template_.shows(
    "show",
    GetTemplate,
    [TEMPLATE, Field("number", "The version (default: the newest).", option="--version")],
    lines=_lines,
    help="Show a template with everything in it.",
)


@template_.runs("versions", TEMPLATE, lists=True)
def versions(session: Session) -> None:
    """List the versions of a template, newest first."""
    session.list(
        session.query(GetTemplate(template_id=session[TEMPLATE].id)).versions,
        ("VERSION", "WHEN", "BY", "NOTE"),
        Columns("number at by note"),
        "It has no versions.",
    )


def _difference(each: Difference) -> tuple[object, ...]:
    where = " / ".join(each.path)
    return in_words(each.kind), in_words(each.what), where, each.field, each.before, each.after, each.reason


def _list_differences(session: Session, found: Iterable[Difference]) -> None:
    session.list(found, DIFFERENCE, _difference, NOTHING_DIFFERS)


template_.lists(
    "compare",
    CompareTemplateVersions,
    [TEMPLATE, "before after"],
    heads=DIFFERENCE,
    ids=False,
    row=_difference,
    empty=NOTHING_DIFFERS,
)


@template_.runs(
    "save",
    LISTED_PROJECT,
    click.Option(["--name"], default="", help="The name of a new template."),
    UPDATED,
    click.Option(["--description"], help="The description of the template."),
    click.Option(["--tag", "tags"], multiple=True, help="A tag (repeatable)."),
    click.Option(["--note"], default="", help="A note on what is new in this version."),
    ids=True,
    changes=True,
)
def save(session: Session, name: str, description: str | None, tags: tuple[str, ...], note: str) -> None:
    """Save the workflow of a project as a template, a new one or the next version of one."""
    project_id, updated = session[LISTED_PROJECT].id, session[UPDATED]

    def preview() -> None:
        if updated:
            differences = DiffAgainstTemplate(project_id=project_id, template_id=updated.id)
            _list_differences(session, session.query(differences))

    saved = session.execute(
        SaveTemplate(
            project_id=project_id,
            template_id=updated.id if updated else None,
            seen_number=updated.number if updated else None,
            name=name,
            description=description,
            tags=tags or None,
            note=note,
        ),
        preview=preview if updated else None,
    )
    made = sum(each.card is not None for each in session.query(ListConditions(project_id=project_id)))
    left_out = f" Left out, as conditions of its gates: {count(made, 'card')}." if made else ""
    roles = describe_template_roles(session.query(ListMembers(project_id=project_id)))
    session.print_result(saved, f"Saved version {saved.number} of “{saved.name}” ({saved.id}).{left_out}", roles)


@template_.runs(
    "merge",
    TEMPLATE,
    PROJECT,
    VERSION,
    click.Option(
        ["--keep"], multiple=True, metavar="NAME", help="A part that stays although the version lacks it (repeatable)."
    ),
    click.Option(["--allow-relock", "relock"], is_flag=True, help=RELOCK.help),
    ALLOW_LAPSE,
    changes=True,
)
def merge(session: Session, number: int | None, keep: tuple[str, ...], relock: bool) -> None:
    """Merge a version of a template into a project; completed work is not changed."""
    preview = PreviewTemplateMerge(project_id=session[PROJECT].id, template_id=session[TEMPLATE].id, number=number)
    if keep:
        preview = replace(preview, keep=_find_kept(session.query(preview).differences, keep))
    done = session.execute(
        MergeTemplate(
            project_id=preview.project_id,
            template_id=preview.template_id,
            number=number,
            keep=preview.keep,
            relock=relock,
            allow_lapse=session[ALLOW_LAPSE],
        ),
        preview=lambda: _list_differences(session, session.query(preview).differences),
    )
    if session.as_json:
        session.print_result(done)
        return
    _list_differences(session, done.differences)
    say(f"The project now has version {done.number} of “{done.template.name}”. Undo with “podium undo PROJECT”.")


def _find_kept(differences: Sequence[Difference], keep: Sequence[str]) -> tuple[Id, ...]:
    """Return the ids of removed parts with these names. Raises InvalidInput for a name that no removed part has."""
    removed = [each for each in differences if each.id]
    for name in keep:
        if all(each.path[-1] != name for each in removed):
            raise InvalidInput(
                "keep", f"The version does not remove “{quote_value(name)}”. “--dry-run” lists what it removes."
            )
    return tuple(each.id for each in removed if each.path[-1] in keep)


template_.sends(
    "edit",
    EditTemplate,
    [
        TEMPLATE,
        "name description",
        Field("tags", "The new tags (repeatable).", option="--tag"),
        emptying_option("--no-tags", "tags", "Take all tags away."),
    ],
    done="Changed “{name}”.",
)
template_.sends("remove", RemoveTemplate, [TEMPLATE], done="Removed “{template}”. Undo with “podium undo”.")


@template_.runs("export", TEMPLATE, streams.OUTPUT[0], VERSION, streams.OUTPUT[1])
def export(session: Session, file: str, number: int | None, force: bool) -> None:
    """Write a template to a TOML file, which you can edit and import."""
    found = session[TEMPLATE]
    text = template_text(found, session.query(GetTemplate(template_id=found.id, number=number)).body)
    if streams.write(text, file, force=force):
        session.print_result({"file": file}, f"Exported “{found.name}” to {file}.")


@template_.runs(
    "import",
    click.Argument(["file"], metavar="FILE"),
    click.Option(["--name"], default="", help="Another name for the template."),
    ids=True,
    changes=True,
)
def import_(session: Session, file: str, name: str) -> None:
    """Add a template from a TOML file (admins). “-” is stdin."""
    document = template_in(streams.read(file, MAX_BYTES))
    added = session.execute(ImportTemplate(document=document, name=name))
    session.print_result(added, f"Imported the template “{added.name}” ({added.id}).")
