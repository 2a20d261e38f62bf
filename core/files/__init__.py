"""Safe opening and writing of files in folders that other accounts can write to.

config_file.py  the files of settings: where they are, and their text as a table
opening.py      opening without waiting for a pipe
own_files.py    files of Podium beside a database
user_folders.py  folders of the user
state_files.py  small files of the user
edited_text.py  texts in the editor of the user
hashing.py      SHA-256 of files that a person names
"""
