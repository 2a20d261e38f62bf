"""The command line, one file per command group: everything that the screens can do, with the same rules and words.

A file is imported when its command is named, so ``podium open`` loads none of them.

program.py         the program: which command is in which file, and errors
session.py         a database and a user for one command
workspace.py       the workspace a command uses: local or remote
resolve.py         a record from its name or id
output.py          columns, JSON and sentences
listen_options.py  options of serve and web
activities.py      podium activity
applications.py    podium application
backup.py          podium backup, restore
burn_up.py         podium burn-up
config.py          podium config
doctor.py          podium doctor
filters.py         podium filter
gates.py           podium gate
gateway_tokens.py  podium token gateway
hierarchy.py       podium hierarchy
history.py         podium history, undo, redo
import_export.py   podium project import, export, report
init.py            podium init
launch.py          podium launch
members.py         podium member
meta_roles.py      podium meta-role
open.py            podium open, demo
os_accounts.py     podium os-account
permissions.py     podium permission
personal.py        podium my-work, inbox, online
phases.py          podium phase
presets.py         podium preset
product_roles.py   podium product role
product_tokens.py  podium product token
products.py        podium product
projects.py        podium project
run.py             podium run, commands
search.py          podium search
serve.py           podium serve
tasks.py           podium task
templates.py       podium template
tokens.py          podium token
users.py           podium user
web.py             podium web
"""
