"""The engine, which carries out every message: permission, transaction, history, idempotency.

engine.py            carries out one message
messages.py          Command and Query
authorizer.py        the permission that a message needs, and the grant of its sender
unit_of_work.py      reads and writes records, records changes
dry_run.py           what a command would change, from a transaction that is rolled back
change_records.py    the records of a change, for the history
changed_values.py    the old and the new values of a change, in words
short_keys.py        ids in the place of keys
conflicts.py         a record changed since it was read
grant_counter.py     drops cached grants after changes of any program
item_counts.py       the number of items of each phase, kept with the project
completions.py       the number of items completed on each of the last days, kept with the project
idempotency.py       a command sent twice is carried out once
refusals.py          the refusal without a permission, and who can help
project_guard.py     the owners of a project, and whether it is archived and can be seen
quotas.py            counts and checks quotas
slices.py            large projects in short transactions
sweeper.py           the thread that deletes left rows
"""
