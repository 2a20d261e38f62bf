"""The command line: everything that the screens can do, with the same rules and words.

The module of a command is imported when the command is named, so ``podium open`` loads none of the others.

program.py          the program: its options, help and errors
commands.py         which command is in which module and section, and the exit statuses
message_command.py  commands that send messages, as declarations
session_command.py  a command with a session; its project can be left out, and texts come from stdin
groups.py           groups of commands, with suggestions for a mistyped one
option_keys.py      the names of the options that all commands share
list_options.py     --fields, --sort and --limit
options.py          the options that name a workspace, a user and the output
choices.py          statuses and other words of a list, as people type them
records.py          records that users name
session.py          a database and a user for one command
capture.py          tasks as people type them
current_project.py  the project that is meant where none is named
error_output.py     errors as sentences and exit statuses
quick.py            podium, podium open and podium add without click
opening.py          from a command line to the screens
workspace.py        the workspace a command uses: local or remote
dry_run.py          the answer of --dry-run
label_columns.py    the columns of priority and labels
sentences.py        sentences about a result
streams.py          files, stdin and stdout
output.py           columns, JSON and text, and a progress bar
operations/         podium open, demo, init, config, doctor, backup, restore, copy, migrate, run, commands, serve, web
completion/         podium completion, and its answers to a shell
projects/           podium project, use, phase, field, gate, member, history, undo, redo, burn-up, report, template,
                    hierarchy
cards/              podium task, add, label, comment, activity, application
products/           podium product, launch
people/             podium user, meta-role, permission, token, os-account
personal/           podium my-work, inbox, online, search, filter, preset
"""
