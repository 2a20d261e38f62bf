"""The templates of the workspace: reads their versions, adds templates, checks names and tags."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from core.domain.model import Id
from core.domain.templates import Origin, Template, TemplateBody, TemplateVersion
from core.engine.unit_of_work import Snapshot, UnitOfWork, new_id
from core.errors import InvalidInput, NotFound, RuleViolation
from core.storage.database import placeholders
from core.templates.json_format import WorkflowSummary, from_text
from core.templates.size import MAX_LETTERS, as_kept
from core.templates.template_file import TemplateDocument, workflow_of
from core.text.folding import fold
from core.text.phrases import count
from core.text.sanitize import many_lines, one_line

MAX_TAGS = 20


def newest_bodies(view: Snapshot, templates: Sequence[Template]) -> Iterator[tuple[Template, TemplateBody]]:
    """Yield each template with the workflow of its newest version. Raises LookupError as ``body_of_version`` does.

    The texts are read in parts of MAX_LETTERS, mostly in one, because together they may take much memory.
    """
    if not templates:
        return
    chosen, params = placeholders(each.id for each in templates)
    lengths = dict(
        view.tx.tuples(f"SELECT template.id, length(body) {_NEWEST} WHERE template.id IN {chosen}", **params)
    )
    part: list[Template] = []
    letters = 0
    for template in templates:
        if template.id not in lengths:
            raise _missing(template)
        if part and letters + lengths[template.id] > MAX_LETTERS:
            yield from _bodies(view, part)
            part, letters = [], 0
        part.append(template)
        letters += lengths[template.id]
    yield from _bodies(view, part)


_NEWEST = (
    "FROM template JOIN template_version"
    " ON template_version.template_id = template.id AND template_version.number = template.number"
)


def _bodies(view: Snapshot, templates: Sequence[Template]) -> Iterator[tuple[Template, TemplateBody]]:
    chosen, params = placeholders(each.id for each in templates)
    texts = dict(view.tx.tuples(f"SELECT template.id, body {_NEWEST} WHERE template.id IN {chosen}", **params))
    for template in templates:
        yield template, from_text(texts.pop(template.id))


def _missing(template: Template) -> LookupError:
    """The error for a template without its newest version; the database names the damage."""
    return LookupError(f"no row of template {template.id}, version {template.number}")


def body_of_version(view: Snapshot, template: Template, number: int | None = None) -> tuple[int, TemplateBody]:
    """Return the number and the workflow of a version of a template, by default the newest. Raises NotFound.

    Raises LookupError if the newest version is missing, which only damage can cause.
    """
    number = template.number if number is None else number
    found = view.find(TemplateVersion, template_id=template.id, number=number)
    if found is None:
        if number == template.number:
            raise _missing(template)
        raise NotFound(f"“{template.name}” has no version {number}. Its newest is version {template.number}.")
    return number, from_text(found.body)


def body_of_origin(view: Snapshot, project_id: Id) -> TemplateBody | None:
    """The workflow of the template version that a project was made from or merged last; None if that is unknown."""
    origin = view.find(Origin, project_id=project_id)
    found = origin and view.find(TemplateVersion, template_id=origin.template_id, number=origin.number)
    return from_text(found.body) if found else None


def origin_of(view: Snapshot, project_id: Id, template: Template) -> tuple[int | None, TemplateBody | None]:
    """The version of this template in a project, with its workflow; (None, None) if that is unknown."""
    origin = view.find(Origin, project_id=project_id)
    body = body_of_origin(view, project_id) if origin and origin.template_id == template.id else None
    return (origin.number, body) if origin and body else (None, None)


def set_origin(work: UnitOfWork, template_id: Id, number: int) -> None:
    """Store the template version that the project comes from now."""
    origin = work.find(Origin, project_id=work.scope)
    if origin is None:
        work.insert(Origin(project_id=work.scope, template_id=template_id, number=number))
    else:
        work.update(origin, template_id=template_id, number=number)


def check_version_unused(view: Snapshot, version: TemplateVersion) -> None:
    """Raise RuleViolation if projects come from a version, before its saving is undone.

    A later version with the same number would pass for the one that they were made from. The error does not name the
    projects, because only their members may see them.
    """
    held = view.rows(
        "SELECT count(*) AS n FROM origin WHERE template_id = :id AND number = :number AND project_id <> :here",
        id=version.template_id,
        number=version.number,
        here=view.scope,
    )[0]["n"]
    if held:
        raise RuleViolation(
            f"{count(held, 'other project')} came from version {version.number} of this template by now."
        )


def new_template(work: UnitOfWork, name: str, description: str, tags: Iterable[str]) -> Template:
    """Add a template without a version. Raises InvalidInput."""
    template = Template(
        id=new_id(), name=check_name(work, name), description=check_description(description), tags=check_tags(tags)
    )
    return work.insert(template)


def add_template(work: UnitOfWork, document: TemplateDocument, by_id: Id | None) -> Template:
    """Add a template with the workflow of a file as version 1. Raises InvalidInput and RuleViolation."""
    body = as_kept(workflow_of(document))
    template = new_template(work, document.name, document.description, document.tags)
    work.insert(TemplateVersion(template_id=template.id, number=1, at=work.now, by_id=by_id, note="", body=body))
    return template


def has_words(template: Template, outline: WorkflowSummary, words: Iterable[str]) -> bool:
    """Return True if all words, which are folded, are in the name, description, tags or phase names."""
    text = fold("\n".join((template.name, template.description, *template.tags, *outline.phases)))
    return all(word in text for word in words)


def check_name(view: Snapshot, text: str, but: Id = "") -> str:
    """A checked name for a template. Raises InvalidInput if it is not valid, or if a template other than ``but`` has
    it."""
    name = one_line(text, "name", most=120)
    check_unique_name(view, Template(id=but, name=name))
    return name


def check_unique_name(view: Snapshot, template: Template) -> None:
    """Raise InvalidInput if another template has the same name; upper and lower case are equal."""
    for row in view.rows("SELECT name FROM template WHERE id <> :id", id=template.id):
        if row["name"].casefold() == template.name.casefold():
            raise InvalidInput("name", f"There is a template “{row['name']}” already. Choose another name.")


def check_description(text: str) -> str:
    return many_lines(text, "description", most=4_000)


def check_tags(tags: Iterable[str]) -> tuple[str, ...]:
    """Checked tags in lower case, each once, so that a tag has one spelling. Raises InvalidInput."""
    accepted = tuple(dict.fromkeys(one_line(tag, "tags", most=40).lower() for tag in tags if tag.strip()))
    if len(accepted) > MAX_TAGS:
        raise InvalidInput("tags", f"A template can have at most {MAX_TAGS} tags; these are {len(accepted)}.")
    return accepted
