"""``podium label …``: the labels of a project and those of the workspace; and the labels and priority of cards."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from core.actions.cards.cards import SetPriority
from core.actions.cards.labels import (
    AddLabel,
    AddWorkspaceLabel,
    EditLabel,
    LabelSummary,
    ListLabels,
    ListWorkspaceLabels,
    MergeLabels,
    RemoveLabel,
    SetLabels,
)
from core.domain.labels import Label, LabelColour
from core.domain.model import Id, Priority
from core.engine.messages import Command
from core.engine.unit_of_work import in_workspace
from core.rules.labels import pick_label
from core.text.phrases import in_words
from tui.cli.choices import EnumChoice
from tui.cli.message_command import Field, MessageGroup, flag
from tui.cli.records import IN_PROJECT, RecordParameter, names
from tui.cli.session import Parameter, Session

WORKSPACE: Parameter[bool] = Parameter(
    flag("--workspace", "Labels of the workspace, which every project can use."), lambda _, on: on
)
PROJECT: Parameter[Id | None] = Parameter(
    IN_PROJECT.form,
    lambda session, name: None if session[WORKSPACE] else IN_PROJECT.read(session, name).id,
    "project_id",
)
"""The project whose labels are named; None with --workspace."""

SCOPE: tuple[Parameter[Any], ...] = (WORKSPACE, PROJECT)

LABELS_OF_NEW = Field("labels", "A label by its name, which is created where there is none; repeat it for several.",
                      option="--label", metavar="NAME")  # fmt: skip
PRIORITY_OF_NEW = Field("priority", "Its priority; the usual one is normal.")


def _labels(session: Session, _: str = "") -> list[Label]:
    """The labels that can be named: those of the workspace, or all that the project can use."""
    return [each.label for each in _summaries(session)]


def _summaries(session: Session) -> Sequence[LabelSummary]:
    project_id = session[PROJECT]
    return session.query(ListLabels(project_id=project_id) if project_id else ListWorkspaceLabels())


class _Labels(RecordParameter[Label]):
    def find(self, session: Session, name: str) -> Label:
        """A label of the scope. Of two of one name the project's comes first."""
        return pick_label(_labels(session), name) or super().find(session, name)


def _into(session: Session, name: str) -> Label:
    """Another label than the one that is merged, if one has this name."""
    others = [each for each in _labels(session) if each != session[LABEL]]
    return pick_label(others, name) or LABEL.find(session, name)


LABEL = _Labels("label", _labels, names)
INTO = Parameter(click.Argument(["into"]), _into, LABEL.field, LABEL.sent, LABEL.noun)
COLOUR = click.Option(["--colour"], type=EnumChoice(LabelColour), help="Its colour.")
SIGN = click.Option(["--sign"], metavar="LETTERS", help="One or two letters or digits, where its name has no room.")

label_ = MessageGroup("label", "Labels of a project or of the workspace: list, add, edit, merge, remove.")


@label_.runs("list", *SCOPE, ids=True, lists=True)
def list_(session: Session) -> None:
    """List labels with the number of their cards."""
    session.list(
        _summaries(session),
        ("LABEL", "SIGN", "COLOUR", "CARDS", "OF", "ID"),
        lambda each: (
            each.label.name,
            each.label.sign,
            in_words(each.label.colour),
            each.cards,
            "workspace" if in_workspace(each.label.project_id) else "project",
            each.label.id,
        ),
        "No labels yet. Add one with “podium label add”, or give one to a card: “podium add Print it #print”.",
    )


@label_.runs("add", click.Argument(["name"]), *SCOPE, COLOUR, SIGN, ids=True, changes=True)
def add(session: Session, name: str, colour: str | None, sign: str | None) -> None:
    """Add a label; a colour and a sign are chosen where they are not given."""
    chosen: dict[str, Any] = {"name": name, "colour": LabelColour(colour) if colour else None, "sign": sign or ""}
    project_id = session[PROJECT]
    command: Command[Label] = AddLabel(project_id=project_id, **chosen) if project_id else AddWorkspaceLabel(**chosen)
    made = session.execute(command)
    session.print_result(made, f"Added the label “{made.name}” ({in_words(made.colour)}, {made.sign}).")


@label_.runs(
    "edit", *SCOPE, LABEL, click.Option(["--name"], help="Another name."), COLOUR, SIGN, ids=True, changes=True
)
def edit(session: Session, name: str | None, colour: str | None, sign: str | None) -> None:
    """Change the name, the colour or the sign of a label."""
    chosen = LabelColour(colour) if colour else None
    made = session.execute(EditLabel(label_id=session[LABEL].id, name=name, colour=chosen, sign=sign))
    session.print_result(made, f"Changed the label “{made.name}” ({in_words(made.colour)}, {made.sign}).")


@label_.runs("merge", *SCOPE, LABEL, INTO, ids=True, changes=True)
def merge(session: Session) -> None:
    """Merge a label into another one: its cards get that, and it is removed."""
    made = session.execute(MergeLabels(label_id=session[LABEL].id, into_id=session[INTO].id))
    session.print_result(made, f"Merged the label “{session[LABEL].name}” into “{made.name}”.")


@label_.runs("remove", *SCOPE, LABEL, ids=True, changes=True)
def remove(session: Session) -> None:
    """Remove a label from a project or the workspace, and from all cards that have it."""
    session.execute(RemoveLabel(label_id=session[LABEL].id))
    session.print_result(session[LABEL], f"Removed the label “{session[LABEL].name}” from all cards.")


# -- of cards ------------------------------------------------------------------------------------------------------

PRIORITY = click.Option(["--priority"], type=EnumChoice(Priority), help="Its priority.")
LABELLED = click.Option(
    ["--label"], metavar="NAME", multiple=True, help="Add a label by its name; repeat it for several."
)
UNLABELLED = click.Option(["--unlabel"], metavar="NAME", multiple=True, help="Take a label off; repeat it for several.")
OF_CARDS = (PRIORITY, LABELLED, UNLABELLED)
"""The options of an edit that change the labels and the priority of a card."""


def changes(card_id: Id, priority: str | None, label: Sequence[str], unlabel: Sequence[str]) -> list[Command[Any]]:
    """Return the commands of the options ``OF_CARDS``."""
    commands: list[Command[Any]] = []
    if label or unlabel:
        commands.append(SetLabels(card_id=card_id, add=tuple(label), remove=tuple(unlabel)))
    if priority:
        commands.append(SetPriority(card_id=card_id, priority=Priority(priority)))
    return commands
