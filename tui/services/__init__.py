"""One instance of each per app: what goes on beside the screens.

host.py                the app as services and screens know it
destinations.py        the places that a screen can open
command_sender.py      sends commands, and asks for confirmation
card_commands.py       the command for a card of any kind
conflict_resolver.py   resolves a version conflict with the user
conflict_labels.py     labels for ids in a conflict
change_listener.py     listens for changes
presence.py            other users on the project
unread_badge.py        unread notifications in the title line
permission_refresh.py  asks for permissions again
view_as.py             viewing a project as a Viewer
navigation_history.py  back and forward
save_status.py         saved, saving, failed, offline
idle_timeout.py        leaves when idle
"""
