"""The engine, which carries out every message: permission, transaction, history, idempotency.

engine.py            carries out one message
messages.py          Command and Query
authorizer.py        the permission that a message needs, and the grant of its sender
unit_of_work.py      reads and writes records, records changes
dry_run.py           what a command would change, from a transaction that is rolled back
change_records.py    the records of a change, for the history; a record changed since it was read
changed_values.py    the old and the new values of a change, in words
grant_counter.py     drops cached grants after changes of any program
counters.py          the numbers of items and of completed ones, kept with the project
idempotency.py       a command sent twice is carried out once
project_guard.py     the owners of a project, and whether it is archived and can be seen
quotas.py            counts and checks quotas
large_projects.py    those written and deleted in short transactions, and the thread that deletes left rows
"""
