"""The people whom the cards of a file name: members, those who become members, and those who are missing."""

from __future__ import annotations

from collections.abc import Collection

from core.domain.fields import FieldKind
from core.domain.permissions import Permission
from core.import_export.document import PersonEntry, ProjectDocument
from core.import_export.into.here import Here
from core.import_export.into.plan import Invitation
from core.import_export.resolve_names import MissingReference, describe_person, find_people
from core.record import replace

NO_MEMBER = "no active member of this project"


class PeopleOfFile:
    """The people of a file, by their logins in it. ``invite`` are the logins of those who are to become members.

    Those who are invited count as members in ``here`` too.
    """

    def __init__(self, here: Here, document: ProjectDocument, invite: Collection[str]) -> None:
        self._entries = {person.login: person for person in document.people}
        view, members = here.view, here.members
        named = _list_named(document)
        found, _ = find_people(view, replace(document, people=named, phases=(), removed_phases=()))
        if view.by_guest:  # a guest must not learn of users who are no members
            found = {login: user for login, user in found.items() if user.id in members}
        active = {login: user for login, user in found.items() if user.active}
        invited = {user.id: user for login, user in active.items() if login in invite and user.id not in members}
        members |= invited
        self.invited = tuple(
            Invitation(login=login, user_id=user.id, name=user.name)
            for login, user in active.items()
            if user.id in invited
        )
        self.members = {login: user for login, user in active.items() if user.id in members}
        """The active members, and those who are invited."""
        self.missing: list[MissingReference] = []
        may_invite = Permission.MEMBER_MANAGE in view.held
        for each in (each for each in named if each.login not in self.members):
            user, login = found.get(each.login), each.login
            can_invite = may_invite and login in active
            name = user.name if user else describe_person(each)
            self.missing.append(MissingReference("person", name, NO_MEMBER, login=login, can_invite=can_invite))

    def name_of(self, login: str) -> str:
        """Return the name of a person as the file has it."""
        return self._entries.get(login, PersonEntry(login=login)).words


def _list_named(document: ProjectDocument) -> tuple[PersonEntry, ...]:
    """The people whom cards name: who is assigned, or in a field."""
    persons = {field.key for field in document.fields if field.kind is FieldKind.PERSON}
    items = document.items
    logins = {login for item in items for login in item.assigned}
    logins |= {each.value for item in items for each in item.fields if each.field in persons}
    return tuple(each for each in document.people if each.login in logins)
