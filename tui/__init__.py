"""The terminal of Podium: what people see and the keys they press. Everything that happens is a message of the core.

__main__.py      starts the command line, unless limits.py refuses; start.py opens the screens in this terminal
app.py           the application: performs messages, keeps the saved state, opens screens
bindings.py      every key, in one table: footer, help, palette and README come from it
keymap.py        a person's own keys over that table; type_ahead.py, keys that wait for the one before
screens/         one screen a file, one query each; a part of a screen is a file named after it and the part
board/           the Canvas widget
timeline/        the Timeline widget
widgets/         lines, lists and pages that several screens show
dialogs/         questions to the person; each returns a value
cli/             the command line: the same messages without a screen; workspaces.py what it sends them to
web/             the way into a browser: sign-in, and a Podium for each tab

cards.py         a change of cards, one or many, as messages
hierarchy.py     clients, markets and brands as people choose from them
authority.py     who decides on rights, in words; rights_watch.py asks them again and again
inbox_watch.py   what is unread in the inbox, for the title line, and the signal for more
presence.py      who else is on a project, and where the person is
viewer_sight.py  looking at a project as a Viewer does
place_history.py the places one has been at: back and forward
following.py     hearing of what others do, and of the connection
sending.py       sending commands, and asking the person where they must say how to go on
conflicts.py     a change that came too late: both versions, and the choice; conflict_names.py, names for ids
saving.py        saved, saving, not saved, or offline

launching.py     launching from a screen; from there and from the command line by the rules of
handover.py      what may be launched from where, and how a product gets its context
agreements.py    the commands that the person agreed to run; allowed.py, those that the host's administrator allows
foreground.py    running a terminal product in front of this terminal
browser.py       opening a URL in the person's browser; links.py does so from a screen, where they would see it

idle.py          leaving when nobody has touched a key for long
terminal.py      living with a terminal that may be missing, hang up or stop
terminal_app.py  what the applications have in common; fault.py, what becomes of an error that nothing foresaw
driver.py        stopped and continued from outside; pastes.py, a pasted text is one text and never keys
text.py          text made safe and measured in cells; plain_signs.py, the signs of ASCII mode
times.py         moments in words; theme.py, the colours
"""
