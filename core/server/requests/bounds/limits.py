"""Deadlines and sizes, so that a slow or hostile client does not slow down others.

In seconds and bytes; each for one connection, unless its text says otherwise.
"""

from __future__ import annotations

import contextlib
from typing import Final

from core.import_export.files import MAX_SENT
from core.server.requests.bounds.connection_slots import ConnectionLimits

HEAD_SECONDS: Final = 3.0
"""The time from the start of a connection, or the first byte of a later request, to the end of its headers."""

BODY_SECONDS: Final = 30.0
"""The time from the end of the headers to the end of the body, and the longest pause of a longer one."""

SLOWEST: Final = 250_000
"""Bytes per second of a longer body, and of a large answer while another one waits for its room: 2 Mbit/s."""

IDLE_SECONDS: Final = 75.0
"""The time between two requests. Podium's own clients (30 s) and nginx (60 s) keep idle connections for less, so that
they close them first and no request meets a connection that is being closed."""

ANONYMOUS_SECONDS: Final = 5.0
"""The time between two requests on an anonymous connection, which has to send requests to keep its slot."""

WRITE_SECONDS: Final = 60.0
"""The time in which a client has to read on, whatever it is sent: a short answer, an event, or a piece of a
large answer."""

SLOWEST_READER: Final = 16_000
"""Bytes per second of a large answer that nobody waits for, pauses up to WRITE_SECONDS aside: a bad line."""

PAUSE_SECONDS: Final = 4.0
"""The time for which a reader of a large answer may pause before it counts as slower than SLOWEST."""

ROOM_SECONDS: Final = 10.0
"""The time for which a large answer waits for its turn and its room."""

LINGER_SECONDS: Final = 1.0
"""The time in which the body of a refused request is discarded before the response, and its rest afterwards. If TCP
closed at once, the response would be lost."""

WORK_SECONDS: Final = 25.0
"""The time for the work itself, waiting in the queue included. A gateway waits longer (30 s); Podium's own clients send
a request again after 15 s, with the same idempotency key."""

BULKY_SECONDS: Final = 240.0
"""The time for the work of a message with a file: at most 200,000 records, on a slow and busy machine."""

MAX_HEAD: Final = 32 * 1024
"""Bytes of a request line and its headers. A long filter and a token take a tenth of it."""

MAX_BODY: Final = 256 * 1024
"""Bytes of a body: ten times the longest text, in any script."""

MAX_BULK: Final = 2 * 1024 * 1024
"""Bytes of the body of a bulk change: 500 steps of 4 KiB each."""

MAX_BULKY: Final = MAX_SENT
"""Bytes of a body with a file. A larger file is imported on the server's machine, with the database itself."""

MAX_BODIES: Final = 56 * 1024 * 1024
"""Bytes of all bodies that a server holds at one time, on all listeners together. Of one user, or one address of
strangers, it holds half, or else one longer body and MAX_BULK beside it."""

LARGE_ANSWER: Final = 256 * 1024
"""Bytes beyond which an answer is large: it counts against MAX_UNSENT, and is sent in pieces."""

MAX_UNSENT: Final = 64 * 1024 * 1024
"""Bytes of all large answers that a server holds at one time: one about the largest project, or the Canvas of ten."""

LARGE_ANSWERS_PER_USER: Final = 2
"""Large answers to one user at one time, as READS_PER_USER: an export and a screen beside it."""

PIECE: Final = 128 * 1024
"""Bytes of a large answer that are given to its connection at one time."""

WRITE_BUFFER: Final = 64 * 1024
"""Bytes that a connection holds before it takes no more; with TLS, asyncio would take eight times as many."""

KERNEL_BUFFER: Final = 64 * 1024
"""Bytes that the kernel holds of what was not sent over TCP yet. It would take megabytes, and only when a third of them
was read, it would show that a slow reader reads."""

MAX_THROWN: Final = 8 * 1024 * 1024
"""Bytes of a refused request that are read and discarded, so that its client reads the response."""

LARGE_BODY: Final = 16 * 1024
"""Bytes from which a body counts against MAX_BODIES, and its sender is admitted before it is read. Many connections can
have smaller bodies at one time."""

MAX_VALUES: Final = 20_000
"""Objects, lists and values in a body, counted before it is parsed, because the shortest take fifty times their length
in memory."""

MAX_VALUES_OF_BULK: Final = 100_000
"""Objects, lists and values in a bulk change: 200 for each of its 500 steps."""

MAX_VALUES_OF_FILE: Final = 1_500_000
"""Objects, lists and values in a body with a file: 200,000 records have fewer."""

MAX_BRACKETS_OF_FILE: Final = 300_000
"""Objects and lists in a body with a file; each takes half a kilobyte while it is read."""

MAX_TEXT: Final = 100_000
"""Characters of any text in a body, checked first. Each field has a lower limit and a message of its own."""

MAX_PIPELINED: Final = 16
"""Requests that wait behind another one on the same connection. Browsers and Podium send none in advance."""

MAX_CONNECTIONS: Final = 1000
"""Connections of one listener. Each takes a file descriptor, and a process with two listeners has enough for both."""

RESERVED_FOR_USERS: Final = 300
"""Connections, out of MAX_CONNECTIONS, that are reserved for clients with a valid credential."""

MAX_ANONYMOUS_PER_ORIGIN: Final = 400
"""Anonymous connections of one account or one address: the programs of 100 users behind one proxy or one shared
account, when a server restarts. All addresses of this machine count as one, and so does a /64 of IPv6. Connections of a
known user count for the user alone."""

MAX_PER_OWNER: Final = 100
"""Connections of one user from all accounts and addresses: their streams, and as many other programs."""

MAX_REJECTED: Final = 50
"""Connections beyond the limit that are answered 503. Further ones are closed without a response."""

READS_PER_USER: Final = 2
"""Queries of one user in the threads at one time: half of the threads. Further ones wait, at most WORK_SECONDS. The
server never answers 429, because only a gateway limits the rate of requests."""

WRITES_PER_USER: Final = 1
"""Commands of one user in the common queue at one time, so each waits for at most one command of every other user."""

LARGE_COMMANDS: Final = 2
"""Commands that are written in slices at one time, each of another user; at most one of them has a file."""

STREAMS_PER_USER: Final = 20
"""Event streams of one user, one per open terminal or tab; further ones are refused."""

OTHER_FILES: Final = 200
"""File descriptors for the database and everything else."""


def connection_limits(listeners: int = 1) -> ConnectionLimits:
    """The limits of each of ``listeners`` listeners; lower ones if the process may open only few files."""
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
"""Bytes from which freed memory goes back to the system at once. Otherwise glibc raises this threshold by itself, and
keeps the memory that one long request needed."""

_MMAP_THRESHOLD: Final = -3


def give_back_large_pieces() -> None:
    """Make the C library return large blocks of freed memory at once, if it is glibc."""
    import ctypes

    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).mallopt(_MMAP_THRESHOLD, LARGE_PIECE)


def give_back_the_rest() -> None:
    """Make the C library return all free memory, after a request that took much of it."""
    import ctypes

    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)


def make_room_for_files(wanted: int = 2 * (MAX_CONNECTIONS + MAX_REJECTED) + OTHER_FILES) -> None:
    """Raise this process's limit of open files to ``wanted``, as far as the system permits; 1,024 are usual."""
    import resource

    now, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = wanted if most == resource.RLIM_INFINITY else min(wanted, most)
    if now != resource.RLIM_INFINITY and now < wanted:
        with contextlib.suppress(OSError, ValueError):  # systemd may forbid it
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, most))


def _most_files() -> int:
    import resource

    now, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return 2 * (MAX_CONNECTIONS + MAX_REJECTED) + OTHER_FILES if now == resource.RLIM_INFINITY else now
