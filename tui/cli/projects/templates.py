"""``podium template …``."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path

import click

from core.actions.templates.apply import (
    DiffAgainstTemplate,
    MergeTemplate,
    PreviewTemplateMerge,
    SaveTemplate,
)
from core.actions.templates.import_template import ImportTemplate
from core.actions.templates.templates import (
    CompareTemplateVersions,
    EditTemplate,
    GetTemplate,
    ListTemplates,
    RemoveTemplate,
    TemplateDetail,
    TemplateLine,
)
from core.domain.templates import Difference, TemplateApplication, TemplateItem
from core.errors import InvalidInput
from core.import_export.files import read_file, read_stream, write_file
from core.templates.template_file import MAX_BYTES, template_in, template_text
from core.text.phrases import in_words, names
from tui.cli import resolve
from tui.cli.output import OR_FORCE, line, moment, print_json, put, say
from tui.cli.session import Session, in_workspace, relock_option

STREAM = "-"
"""Stands for stdin or stdout where a file is named."""

NOTHING_DIFFERS = "Nothing differs."
DRY_RUN = click.option("--dry-run", is_flag=True, help="Only say what would change.")


@click.group("template")
def template_() -> None:
    """Templates: list, show, versions, compare, use, save, bring, edit, remove, export, import."""


@template_.command("list")
@click.argument("words", nargs=-1)
@click.option("--tag", "tags", multiple=True, help="Only those with this tag; may be given more than once.")
@in_workspace
def list_(session: Session, words: tuple[str, ...], tags: tuple[str, ...]) -> None:
    """The templates with all these words in name, description, tags or phases."""
    session.list(
        session.query(ListTemplates(text=" ".join(words), tags=tags)),
        ("NAME", "VERSION", "PHASES", "ITEMS", "DAYS", "TAGS", "ROLES", "ID"),
        _row,
        "No template is like that. “podium template save PROJECT --name NAME” makes one.",
    )


def _row(each: TemplateLine) -> tuple[object, ...]:
    template = each.template
    counts = (template.number, each.phases, each.items, each.days)
    return (template.name, *counts, ", ".join(template.tags), ", ".join(each.slots), template.id)


@template_.command("show")
@click.argument("template")
@click.option("--version", "number", type=int, help="The newest unless told.")
@in_workspace
def show(session: Session, template: str, number: int | None) -> None:
    """A template with everything in it."""
    from core.codec.encoding import to_json

    found = resolve.template(session, template)
    detail = session.query(GetTemplate(template_id=found.id, number=number))
    if session.as_json:
        print_json(to_json(detail))
    else:
        _print(detail)


def _print(detail: TemplateDetail) -> None:
    template = detail.line.template
    say(f"{template.name}, version {detail.number}")
    if template.description:
        say(template.description)
    if template.tags:
        say(f"Tags: {', '.join(template.tags)}")
    say(f"Roles: {', '.join(detail.line.slots) or 'none'}")
    if detail.missing_products:
        say(f"Left out on use, for want of the product: {', '.join(detail.missing_products)}")
    for number, phase in enumerate(detail.body.phases, 1):
        gate = f", {in_words(phase.gate)} gate" + (" with evidence" if phase.evidence_required else "")
        say(f"\n{number} {line(phase.name)}{_facts(phase.due_days, phase.slots)}{gate}")
        for name in phase.deliverables:
            say(f"  [ ] {line(name)}")
        for item in phase.items:
            _print_item(item, "  ")
        for application in phase.applications:
            _print_application(application, "  ")


def _print_item(item: TemplateItem, indent: str) -> None:
    say(f"{indent}- {line(item.title)}{_facts(item.due_days, item.slots)}")
    for task in item.tasks:
        _print_item(task, indent + "  ")
    if item.application:
        _print_application(item.application, indent + "  ")


def _print_application(each: TemplateApplication, indent: str) -> None:
    say(f"{indent}> {line(each.name)} ({line(each.product)}){_facts(each.due_days, each.slots)}")


def _facts(days: int | None, slots: tuple[str, ...]) -> str:
    facts = [*([f"day {days}"] if days is not None else []), *([names(slots)] if slots else [])]
    return f"  ({', '.join(map(line, facts))})" if facts else ""


@template_.command("versions")
@click.argument("template")
@in_workspace
def versions(session: Session, template: str) -> None:
    """The versions of a template, the newest first."""
    detail = session.query(GetTemplate(template_id=resolve.template(session, template).id))
    session.list(
        detail.versions,
        ("VERSION", "WHEN", "BY", "NOTE"),
        lambda each: (each.number, moment(each.at), each.by, each.note),
        "It has no versions.",
    )


@template_.command("compare")
@click.argument("template")
@click.argument("before", type=int)
@click.argument("after", type=int)
@in_workspace
def compare(session: Session, template: str, before: int, after: int) -> None:
    """What differs between two versions of a template."""
    found = resolve.template(session, template)
    _differences(session, session.query(CompareTemplateVersions(template_id=found.id, before=before, after=after)))


def _differences(session: Session, found: Iterable[Difference]) -> None:
    session.list(
        found,
        ("", "WHAT", "WHERE", "FIELD", "BEFORE", "AFTER", "WHY NOT"),
        lambda each: (
            in_words(each.kind),
            in_words(each.what),
            " / ".join(each.path),
            each.field,
            each.before,
            each.after,
            each.reason,
        ),
        NOTHING_DIFFERS,
    )


@template_.command("save")
@click.argument("project")
@click.option("--name", default="", help="Of a new template.")
@click.option("--update", "template", metavar="TEMPLATE", help="Save as the next version of this template.")
@click.option("--description")
@click.option("--tag", "tags", multiple=True, help="May be given more than once.")
@click.option("--note", default="", help="What is new in this version.")
@DRY_RUN
@in_workspace
def save(
    session: Session,
    project: str,
    name: str,
    template: str | None,
    description: str | None,
    tags: tuple[str, ...],
    note: str,
    dry_run: bool,
) -> None:
    """Save the workflow of a project as a template, a new one or the next version of one."""
    project_id = resolve.project_id(session, project)
    found = resolve.template(session, template) if template else None
    if dry_run:
        if found is None:
            raise InvalidInput("as-next-of", "Only a next version differs from something. Add --update TEMPLATE.")
        _differences(session, session.query(DiffAgainstTemplate(project_id=project_id, template_id=found.id)))
        return
    saved = session.execute(
        SaveTemplate(
            project_id=project_id,
            template_id=found.id if found else None,
            seen_number=found.number if found else None,
            name=name,
            description=description,
            tags=tags or None,
            note=note,
        )
    )
    session.done(saved, f"Saved version {saved.number} of “{saved.name}” ({saved.id}).")


@template_.command("merge")
@click.argument("template")
@click.argument("project")
@click.option("--version", "number", type=int, help="The newest unless told.")
@DRY_RUN
@relock_option
@in_workspace
def bring(session: Session, template: str, project: str, number: int | None, dry_run: bool, relock: bool) -> None:
    """Bring a version of a template into a project; nothing that is done is touched."""
    where = (resolve.project_id(session, project), resolve.template(session, template).id)
    plan = PreviewTemplateMerge(project_id=where[0], template_id=where[1], number=number)
    if dry_run:
        _differences(session, session.query(plan).differences)
        return
    done = session.execute(MergeTemplate(project_id=where[0], template_id=where[1], number=number, relock=relock))
    if session.as_json:
        session.done(done, "")
        return
    _differences(session, done.differences)
    say(f"The project holds version {done.number} of “{done.template.name}” now. “podium undo PROJECT” takes it back.")


@template_.command("edit")
@click.argument("template")
@click.option("--name")
@click.option("--description")
@click.option("--tag", "tags", multiple=True, help="Its tags from now on; may be given more than once.")
@click.option("--no-tags", is_flag=True, help="Take all tags away.")
@in_workspace
def edit(
    session: Session,
    template: str,
    name: str | None,
    description: str | None,
    tags: tuple[str, ...],
    no_tags: bool,
) -> None:
    """Change the name, the description or the tags of a template (admins)."""
    found = resolve.template(session, template)
    kept = () if no_tags else tags or None
    edited = session.execute(EditTemplate(template_id=found.id, name=name, description=description, tags=kept))
    session.done(edited, f"Changed “{edited.name}”.")


@template_.command("remove")
@click.argument("template")
@in_workspace
def remove(session: Session, template: str) -> None:
    """Remove a template with all its versions (admins); projects made from it stay as they are."""
    found = resolve.template(session, template)
    session.execute(RemoveTemplate(template_id=found.id))
    session.done(None, f"Removed “{found.name}”. “podium undo” brings it back.")


@template_.command("export")
@click.argument("template")
@click.option("-o", "--output", "file", default=STREAM, metavar="FILE", help="Where to; “-”, the default, is stdout.")
@click.option("--version", "number", type=int, help="The newest unless told.")
@click.option("--force", is_flag=True, help="Replace the file when it is there.")
@in_workspace
def export(session: Session, template: str, file: str, number: int | None, force: bool) -> None:
    """Write a template to a TOML file, which you can edit and import."""
    found = resolve.template(session, template)
    text = template_text(found, session.query(GetTemplate(template_id=found.id, number=number)).body)
    if file == STREAM:
        put(text)
        return
    write_file(Path(file), text, replace=force, way_out=OR_FORCE)
    session.done({"file": file}, f"Exported “{found.name}” to {file}.")


@template_.command("import")
@click.argument("file", metavar="FILE")
@click.option("--name", default="", help="Another name for the template.")
@in_workspace
def import_(session: Session, file: str, name: str) -> None:
    """Add a template from a TOML file (admins). “-” is stdin."""
    text = read_stream(sys.stdin.buffer, MAX_BYTES) if file == STREAM else read_file(Path(file), MAX_BYTES)
    added = session.execute(ImportTemplate(document=template_in(text), name=name))
    session.done(added, f"Imported the template “{added.name}” ({added.id}).")
