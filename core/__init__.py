"""The core of Podium: the domain, its rules, and every command and query. It imports no user interface.

Each package has one rule, which its docstring states. They are listed from the bottom up: a package imports only those
above it.

record.py       the base of messages, results and rows
errors.py       every error, as one tree
text/           checking, parsing and formatting of texts and dates
codec/          reading and writing of JSON and TOML
domain/         records, enumerations and pure rules
files/          safe opening and writing of files
net/            HTTP clients and bearer tokens
config.py       the configuration
storage/        the Database protocol, SQLite and PostgreSQL
authorization/  the two sources of permission queries
presence/       the people online
engine/         permission, transaction and history of every message
filters/        the filter language
sign_in/        the user of a process or a session
rules/          rules that need the database and that several actions share
reads/          facts that several queries share
templates/      the contents of workflow templates
import_export/  projects as files
actions/        every command and query
reports/        results of queries as files
wire/           messages over HTTP, for client and server
backends/       access of a front end to the core: local or remote
diagnostics/    the checks of ``podium doctor``
server/         the HTTP API
demo/           the demo workspace

This module imports nothing, so that a border test can import it alone.
"""

VERSION = "0.1.0rc1"
