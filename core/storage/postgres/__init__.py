"""PostgreSQL behind the Database protocol. Only this package knows the driver, and only ``open_database`` imports it.

Abilities of a server are looked up and never concluded from its name.

database.py       transactions, their retries and commits
tls.py            the check of a server on another machine
connections.py    the pool and the settings of connections
transaction.py    one transaction
statements.py     statements and values in PostgreSQL's form
schema.py         tables, made from those of SQLite
dumps.py          backups by pg_dump and pg_restore
migrating.py      brings older tables forward
references.py     references that a transaction can leave unchecked
copy_store.py     the source or the target of a copy
search.py         full text search
notes.py          texts that programs show each other for a while
commit_listener.py notices commits of other connections
capabilities.py   the abilities of a server
health.py         the state of a server
watchdog.py       ends statements at their deadlines
faults.py         errors in sentences
"""
