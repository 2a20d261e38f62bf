"""The command line: everything the screens can do, with the same rules and words (spec, section 10).

    program.py    the program: which command is in which file, and what becomes of an error
    session.py    a database and a person, for one command; the options that say which
    finding.py    a project, phase, card or person from what was typed
    output.py     columns, JSON and sentences on stdout and stderr

Every other file is one noun. A file is imported when its command is named, so ``podium open`` loads none of them.
"""
