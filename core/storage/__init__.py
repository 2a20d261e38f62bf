"""Where records live: the Database protocol, and SQLite behind it.

database.py     what the core asks of a database
sqlite.py       SQLite: connections; transaction.py one transaction; queue.py writers one after another
migrations.py   the schema and how it is brought forward; forms.py how a schema is told from another
search.py       the full-text search; search_schema.py its tables
backups.py      the backup of the day; copying.py how a database is copied; restoring.py the way back
own_files.py    how files in folders that others may write are opened and written
second_names.py hard links of a database, which are refused
upkeep.py       the check for damage; writable.py whether the disk takes more
looking.py      what is done where a database cannot be written
"""
