"""Podium under a real pseudo-terminal, as a person's terminal would run it.

Read in this order:

    keys.py      how keys and mouse events are written
    process.py   a program under a pty: its bytes with their arrival times, answers to what it asks the terminal
    screen.py    what a person would see after those bytes
    session.py   TerminalSession: what tests talk to
"""
