"""Launching products and opening links.

actions.py             launches from a screen, one at a time
launch_rules.py        rules for a launch: from where it is possible, what the host allows, and the context
agreements.py          commands the user agreed to run
foreground_process.py  runs a terminal product in the foreground
browser.py             the user's browser
links.py               links of cards
editor.py              the editor of the person, for long texts
"""
