"""Opening and writing files that other accounts could have put there.

opening.py    open without waiting for a pipe
own_files.py  files of Podium beside a database
"""
