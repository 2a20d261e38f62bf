"""Completion of command lines in bash, zsh and fish. Names come from the workspace each time; no file keeps them.

command.py   podium completion, which prints the script of a shell
answer.py    what stands at the end of a line, without click
table.json   the commands and their options, made by tests.docs.readme
"""
