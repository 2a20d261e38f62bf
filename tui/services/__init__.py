"""Services beside the screens, one instance of each per app.

host.py                the app and its screens as services know them
destinations.py        the places that a screen can open
command_sender.py      sends commands, and asks for confirmation
cards.py               cards as keys know them
card_commands.py       commands for cards of any kind
undo_sender.py         undo and redo
conflict_resolver.py   resolves a version conflict with the user
change_listener.py     listens for changes
form_watcher.py        changes of the record of an open form
presence.py            other users on the project
unread_badge.py        unread notifications in the title line
preferences.py         the settings of the user that the screens draw by
permission_refresh.py  asks for permissions again and again
view_as.py             viewing a project as a Viewer
navigation_history.py  back and forward
messages.py            the message to the user
save_status.py         saved, saving, not saved, offline
tour.py                the goals of the tour, and its sample project
idle_timeout.py        quits when the user is idle
"""
