"""Podium in a browser: users sign in with a token, and each tab gets its own Podium process.

Page and protocol come from textual-serve. Its server is not used, because it has no sign-in and passes its whole
environment to each process.

run.py                 the process: socket, signals, shutdown
gateway.py             the routes, and the origins and security headers of every request
sign_in.py             the sign-in page
proxy_auth.py          sign-in by a reverse proxy, and the tokens of its users
connection.py          deadlines of one connection
screen_reader.py       the choice of a terminal for screen readers
sessions.py            sessions and their tabs
sign_in_attempts.py    limits of sign-in attempts
tab.py                 one tab
tab_process.py         its Podium process
websocket_messages.py  messages of a browser
pages.py               the pages, from assets
"""
