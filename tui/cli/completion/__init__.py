"""Completion of command lines in bash, zsh and fish. Names come from the workspace each time; no file keeps them.

command.py   podium completion, which prints the script of a shell
scripts.py   the scripts
answer.py    what stands at the end of a line, without click
bash_line.py lines of bash as words, and names as bash quotes them
table.py     the commands and their options as a table; table.json is this table, made by tests.docs.readme
"""
