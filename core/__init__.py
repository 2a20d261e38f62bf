"""The core of Podium: what people can do, and the rules; no screen is known here.

Read in this order:

    model.py        the nouns
    rules.py        the rules of the workflow, pure; rights.py the rules of who may do what
    messages.py     what a Command and a Query are: every action is one class that says how it is done
    actions/        those classes, one file per noun; catalog.py is the one list of them
    work.py         how a message reads and writes records, and how each change is recorded
    application.py  the one place around every message: permission, transaction, history
    authorization/  who decides: the permission query, answered by the database or asked of a service through http.py
    backend.py      what a front end holds: execute, query, changes
    storage/        the database

This module imports nothing, so that a border test can import it alone.
"""

VERSION = "0.1.0"
