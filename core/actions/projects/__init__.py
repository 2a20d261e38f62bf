"""Messages about projects as a whole.

digest.py          a project in short
exports.py         a project as a document; its due dates and its status report
find.py            find a project by name
imports.py         preview and run an import
imports_into.py    the same into an existing project
last_visit.py      changes since the last visit
lists.py           lists of projects
members.py         members and their roles
presence.py        who is online, and where
project_health.py  why a project is overdue or at risk
projects.py        create, edit, archive, delete
"""
