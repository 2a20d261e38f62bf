"""The core of Podium: the domain, the rules and every action; it knows no screen.

Each package has one rule, which its docstring states. They are listed from the bottom up: a package imports only those
above it.

errors.py       everything that can go wrong, as one tree
text/           texts and dates: checked, parsed, formatted
codec/          JSON in and out
domain/         records, enumerations and pure rules
files/          opening and writing files safely
net/            asking other programs
config.py       file, environment and flags; settings.py converts values
storage/        the Database protocol and SQLite
authorization/  the permission query and its two sources
engine/         what surrounds every action: permission, transaction, history
filters/        the filter language
rules/          rules that need the database and that actions share
templates/      what is in a workflow template
import_export/  projects as files
actions/        every command and query
reports/        answers of actions as files
wire/           messages over HTTP, for both ends
backends/       what a front end holds: local or remote
diagnostics/    what ``podium doctor`` checks
server/         the HTTP API
demo/           the demo workspace

This module imports nothing, so that a border test can import it alone.
"""

VERSION = "0.1.0"
