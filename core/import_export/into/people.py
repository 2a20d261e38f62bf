"""The people whom the cards of a file name: members, those who become members, and those who are missing."""

from __future__ import annotations

from collections.abc import Collection

from core.domain.fields import FieldKind
from core.domain.model import User
from core.domain.permissions import Permission
from core.import_export.document import PersonEntry, ProjectDocument
from core.import_export.into.here import Here
from core.import_export.resolve_names import MissingReference, describe_person, find_people
from core.record import replace

NO_MEMBER = "no active member of this project"


class PeopleOfFile:
    """The people of a file, by their logins in it. ``invite`` are the logins of those who are to become members.

    Those who are invited count as members in ``here`` too.
    """

    def __init__(self, here: Here, document: ProjectDocument, invite: Collection[str]) -> None:
        self._entries = {person.login: person for person in document.people}
        self.members: dict[str, User] = {}
        """The active members, and those who are invited."""
        self.invited: list[User] = []
        self.missing: list[MissingReference] = []
        view, members = here.view, here.members
        named = _list_named(document)
        found, _ = find_people(view, replace(document, people=named, phases=(), removed_phases=()))
        for each in named:
            user, login = found.get(each.login), each.login
            is_member = user is not None and user.id in members
            if not is_member and view.by_guest:
                user = None  # a guest must not learn that there is such a user
            if user and user.active and (is_member or login in invite):
                self.members[login] = user
                self.invited += [] if is_member else [user]
                continue
            can_invite = user is not None and user.active and Permission.MEMBER_MANAGE in view.held
            name = user.name if user else describe_person(each)
            self.missing.append(MissingReference("person", name, NO_MEMBER, login=login, can_invite=can_invite))
        members |= {user.id: user for user in self.invited}

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
