"""Podium in a browser: people sign in with a token of theirs, and each tab gets a Podium of its own.

What draws in the page, and how it talks to a Podium, is textual-serve's; its server is not used, since it lets anybody
in, from any web page, and gives each Podium all that is in its own environment (all three were measured).

serving.py       the process: the socket it listens on, signals, an orderly end
gateway.py       the routes
sign_in.py       the page that asks for a token, and what becomes of it
proxy.py         instead of it, a reverse proxy that says who somebody is
made_tokens.py   the tokens that people get then, and when these end
guard.py         what holds for every request: where it may come from, and what a browser may do with the answer
connection.py    one connection: its deadlines, and its place among all
sessions.py      who is signed in; how many tabs there may be
tries.py         how often one may try to sign in
tab.py           one tab: what the browser sends to its Podium, and when it ends
frames.py        what a browser may send
child.py         the Podium of a tab, a process
pages.py         the pages, from assets/
"""
