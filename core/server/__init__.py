"""The HTTP API: the catalog of messages behind routes, for many people at once (spec, section 8).

serving.py     the process: sockets, one uvicorn for each, signals, an orderly end
listening.py   the sockets it listens on; tls.py when they must be encrypted
accepting.py   taking connections from them; places.py how many there may be, and whose
peer.py        who is at the other end of a Unix socket
protocol.py    what uvicorn does not do itself: deadlines and bounds, refusals in JSON, and telling who the peer is
limits.py      how long is waited for clients, and how much is read of them

app.py         the routes, made of the catalog, and what is around all of them
directory.py   the route of a request, found by the parts of its path
messages.py    one request that carries a message, from its bytes to the bytes of the answer
turns.py       whose turn it is in the threads, so that nobody who sends much at once keeps others waiting
steps.py       how far the commands are that take long
kept.py        answers that are given again while nothing has changed
reading.py     the body of a request, and what it must be declared as
answers.py     answers in JSON: results, and errors in their forms
correlation.py the id that ties a request, its answer and the log together
plain_routes.py      routes that are no messages: launch codes, the document, and error_pages.py
permission_query.py  the permission query as products put it
openapi.py     the document of it all; openapi_answers.py what its operations share, openapi_others.py those that are
               no messages, schemas.py types as JSON Schema
health.py      whether the server lives and can work
log.py         lines of JSON for whoever keeps it running; upkeep.py the backup of the day
identity.py    who sends a request: a token, or the account at the other end of a Unix socket
feed.py        the stream of changes
"""
