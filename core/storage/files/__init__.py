"""The files of a database: locks, links, room on the disk, copies and backups.

queue.py          the write lock, and the lock of the server
room.py           free space on the disk, checkpoints of the log
opened.py         files replaced while open
read_only.py      read-only access
second_names.py   refuses hard links of a database
copying.py        copies a database
move_marks.py     marks of moved files
backup_folder.py  the folder of backups
faults.py         errors of SQLite as sentences
"""
