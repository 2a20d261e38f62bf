"""The storage of records: the Database protocol, and SQLite behind it.

database.py        the protocol
sqlite.py          connections
transaction.py     one transaction
queue.py           the write lock, and the lock of the server
deadline.py        time limits of transactions
progress.py        progress and cancellation
row_mapper.py      records as rows
values.py          checks every stored value
change_watcher.py  notices commits
backups.py         daily backups
backup_folder.py   the folder of backups
copying.py         copies a database
restoring.py       restores a backup
room.py            free space on the disk, checkpoints of the log
second_names.py    refuses hard links of a database
looking.py         read-only access
opened.py          files replaced while open
faults.py          errors of SQLite as sentences
schema/            tables and migrations
search/            full text search
"""
