"""Deadlines and sizes, so that a slow or hostile client costs other clients nothing.

In seconds and bytes, each for one connection of one listener where it does not say otherwise.
"""

from __future__ import annotations

import contextlib
from typing import Final

from core.import_export.files import MAX_SENT
from core.server.requests.connection_slots import ConnectionLimits

HEAD_SECONDS: Final = 3.0
"""From a connection, or the first byte of a later request, to the end of its headers: they fit in a few packets."""

BODY_SECONDS: Final = 30.0
"""From the headers of a request to the end of its body: MAX_BODY over a line of 2 Mbit/s."""

SLOWEST: Final = 250_000
"""Bytes a second of a larger body, as long as it was announced: the same line."""

IDLE_SECONDS: Final = 75.0
"""Between two requests. Podium's own clients (30 s) and nginx (60 s) keep a connection for less, so that they close it,
and no request meets a connection that is just being closed."""

ANONYMOUS_SECONDS: Final = 5.0
"""The same on an anonymous connection, whose slot is kept by sending requests, not by waiting."""

WRITE_SECONDS: Final = 60.0
"""For which a client can leave a response unread that is more than the sockets hold."""

LINGER_SECONDS: Final = 1.0
"""For which the rest of a refused request is discarded. Closed at once, TCP would lose the response."""

WORK_SECONDS: Final = 25.0
"""For the work itself, waiting in the queue included. Less than the gateway waits (30 s); Podium's own clients send a
request again after 15 s, with the same idempotency key."""

BULKY_SECONDS: Final = 240.0
"""The same for a message with a file: 100,000 records, the most of one, on a slow and busy machine."""

MAX_HEAD: Final = 32 * 1024
"""Bytes of a request line and its headers. A long filter and a token are a tenth of it."""

MAX_BODY: Final = 256 * 1024
"""Bytes of a body: ten times the longest text, in any script."""

MAX_BULK: Final = 2 * 1024 * 1024
"""Bytes of the body of a bulk change: 500 steps of 4 KiB each."""

MAX_BULKY: Final = MAX_SENT
"""Bytes of a body with a file. A larger file is imported on the server's machine, with the database itself."""

MAX_BODIES: Final = 56 * 1024 * 1024
"""Bytes of all bodies that a server holds at one time, over all listeners."""

MAX_THROWN: Final = 8 * 1024 * 1024
"""Bytes of a refused request that are discarded, so that its client reads the response."""

LARGE_BODY: Final = 16 * 1024
"""From here on a body counts among them, and its sender is admitted before it is read; many connections can have
smaller ones at one time."""

MAX_VALUES: Final = 20_000
"""Objects, lists and values in a body, counted before it is parsed: the shortest take fifty times their length in
memory."""

MAX_VALUES_OF_BULK: Final = 100_000
"""The same of a bulk change: 200 for each of its 500 steps."""

MAX_VALUES_OF_FILE: Final = 1_500_000
"""The same of a body with a file: 100,000 records have fewer."""

MAX_BRACKETS_OF_FILE: Final = 300_000
"""The objects and lists among them, of which each takes half a kilobyte while it is read."""

MAX_TEXT: Final = 100_000
"""Characters of any text in a body, checked first. Each field takes fewer, and says so."""

MAX_PIPELINED: Final = 16
"""Requests that wait behind another one on the same connection. Browsers and Podium pipeline none."""

MAX_CONNECTIONS: Final = 1000
"""Connections of one listener. Each takes a file descriptor, and a process with two listeners gets enough for both."""

RESERVED_FOR_USERS: Final = 300
"""Connections, of those, on which a valid credential was seen. Anonymous ones never have these slots."""

MAX_ANONYMOUS_PER_ORIGIN: Final = 400
"""Anonymous connections of one account or one address: the programs of 100 users of one proxy or one shared account,
when a server comes back. All addresses of this machine are one, and so is a /64 of IPv6. The connections of a user
count for the user alone, whichever account or address they share with others."""

MAX_PER_OWNER: Final = 100
"""Connections of one user from all accounts and addresses: their streams, and as many programs beside them."""

MAX_REJECTED: Final = 50
"""Connections beyond those of a full listener that are answered 503. Further ones are closed without a response."""

READS_PER_USER: Final = 2
"""Queries of one user in the threads at one time: half of the threads. The others of the same user wait, until
WORK_SECONDS are over. The server never answers 429, which belongs to the gateway (source document, section 7.1)."""

WRITES_PER_USER: Final = 1
"""Commands of one user in the common queue at one time: each waits for at most one command of every other user."""

LARGE_COMMANDS: Final = 2
"""Commands in slices at one time, each of another user; one of them has a file."""

STREAMS_PER_USER: Final = 20
"""Event streams of one user, one for each open terminal or tab; a further one is refused."""

OTHER_FILES: Final = 200
"""File descriptors for the database and the rest."""


def connection_limits(listeners: int = 1) -> ConnectionLimits:
    """The limits of each of so many listeners, which are lower where this process can have few file descriptors."""
    files = _most_files()
    possible = (files - min(OTHER_FILES, files // 2)) // listeners
    rejected = min(MAX_REJECTED, possible // 20)
    room = min(MAX_CONNECTIONS, possible - rejected)
    return ConnectionLimits(
        all=room,
        anonymous=max(1, room - RESERVED_FOR_USERS * room // MAX_CONNECTIONS) if room > 1 else room,
        anonymous_per_address=MAX_ANONYMOUS_PER_ORIGIN,
        anonymous_per_account=MAX_ANONYMOUS_PER_ORIGIN,
        per_owner=MAX_PER_OWNER,
        rejected=rejected,
    )


LARGE_PIECE: Final = 128 * 1024
"""Bytes from which on memory is the system's again as soon as it is free. Otherwise glibc takes larger pieces for small
ones once it has seen them, and keeps what one long request needed for good."""

_MMAP_THRESHOLD: Final = -3


def give_back_large_pieces() -> None:
    """Have the C library give back large pieces of memory, where it is glibc."""
    import ctypes

    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).mallopt(_MMAP_THRESHOLD, LARGE_PIECE)


def give_back_the_rest() -> None:
    """Have the C library give back all memory that is free now, after a request that took much."""
    import ctypes

    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)


def make_room_for_files(wanted: int = 2 * (MAX_CONNECTIONS + MAX_REJECTED) + OTHER_FILES) -> None:
    """Let this process have as many file descriptors as it has use for, as far as it may; 1,024 are usual."""
    import resource

    now, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = wanted if most == resource.RLIM_INFINITY else min(wanted, most)
    if now != resource.RLIM_INFINITY and now < wanted:
        with contextlib.suppress(OSError, ValueError):  # a unit of systemd may keep that to itself
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, most))


def _most_files() -> int:
    import resource

    now, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return 2 * (MAX_CONNECTIONS + MAX_REJECTED) + OTHER_FILES if now == resource.RLIM_INFINITY else now
