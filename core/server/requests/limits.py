"""How long and how much of a client is waited for and kept, so that slow and hostile ones cost nobody else anything.

All decided here. Seconds and bytes; each for one connection of one listener.
"""

from __future__ import annotations

import contextlib
from typing import Final

from core.import_export.files import MAX_SENT
from core.server.requests.places import Bounds

HEAD_SECONDS: Final = 3.0
"""From a connection, or the first byte of a later request, to the end of its headers: they fit in a few packets."""

BODY_SECONDS: Final = 30.0
"""From the headers of a request to the end of its body: MAX_BODY over a line of 2 Mbit/s."""

SLOWEST: Final = 250_000
"""Bytes a second of a larger body, as long as it was announced: the same line."""

IDLE_SECONDS: Final = 75.0
"""Between two requests. Longer than Podium's own clients (30 s) and nginx (60 s) keep a connection, so that it is them
who close it, and no request meets a connection that is just being closed."""

STRANGER_SECONDS: Final = 5.0
"""The same on a connection on which nobody has shown who they are: a place there is held by asking, not by waiting."""

WRITE_SECONDS: Final = 60.0
"""For which a client may leave what it was answered unread, once that is more than the sockets hold."""

LINGER_SECONDS: Final = 1.0
"""For which the rest of a request that was refused is thrown away. Closed at once, TCP would lose the answer."""

WORK_SECONDS: Final = 25.0
"""For the work itself, waiting in the queue included. Less than the gateway waits (30 s); Podium's own clients ask
again after 15 s, with the same key."""

BULKY_SECONDS: Final = 240.0
"""The same for what brings a file: 100,000 records, the most of one, on a slow and busy machine."""

MAX_HEAD: Final = 32 * 1024
"""Of a request line and its headers. A long filter and a token are a tenth of it."""

MAX_BODY: Final = 256 * 1024
"""Of a body: ten times the longest text, in any script."""

MAX_BULK: Final = 2 * 1024 * 1024
"""Of the body of a bulk change: 500 steps of 4 KiB each."""

MAX_BULKY: Final = MAX_SENT
"""Of a body that brings a file. A larger one is imported on the server's machine, with the database itself."""

MAX_BODIES: Final = 56 * 1024 * 1024
"""Of all bodies together that a server holds at one time, whichever its listeners."""

MAX_THROWN: Final = 8 * 1024 * 1024
"""Bytes of a refused request that are thrown away, so that its client hears why; a socket may hold more back."""

LARGE_BODY: Final = 16 * 1024
"""From here on a body counts among them, and its sender and route are authorized before it is read; smaller ones are
what many connections may have."""

MAX_VALUES: Final = 20_000
"""Objects, lists and values in them that a body may have; they are counted before it is parsed, since the shortest take
fifty times their length in memory."""

MAX_VALUES_OF_BULK: Final = 100_000
"""The same of a bulk change: 200 for each of its 500 steps."""

MAX_VALUES_OF_FILE: Final = 1_500_000
"""The same of a body that brings a file: 100,000 records have fewer."""

MAX_BRACKETS_OF_FILE: Final = 300_000
"""The objects and lists among them, of which each takes half a kilobyte while it is read."""

MAX_TEXT: Final = 100_000
"""Characters of any text in a body. Each field takes less, and says so; this is looked at first."""

MAX_PIPELINED: Final = 16
"""Requests that wait behind another one on the same connection. Browsers and Podium send none."""

MAX_CONNECTIONS: Final = 1000
"""Of one listener. Each takes a file descriptor, and a process with two listeners is given room for them."""

KEPT_FOR_PEOPLE: Final = 300
"""Of those: for connections on which a valid proof of somebody was seen. Strangers never have these."""

STRANGERS_OF_ONE: Final = 400
"""Of one account, or of one address, on which nobody has shown who they are yet: the programs of 100 people who come
by one proxy or one shared account, when a server comes back. All addresses of this machine are one, and so is a /64 of
IPv6. What a person has counts for the person alone, whichever account or address they share with others."""

MAX_OF_PERSON: Final = 100
"""Of one person, from wherever: their streams, and as many programs beside them."""

MAX_TURNED_AWAY: Final = 50
"""Beyond those of a listener that is full of people: they are answered that it is busy. Any further are closed without
a word."""

READS_OF_ONE: Final = 2
"""Queries of one person that are in the threads at one time: half of the threads, however much somebody sends at once.
The rest of theirs waits for them, until WORK_SECONDS are over. Nobody is answered 429: that is the gateway's to say
(source document, section 7.1)."""

WRITES_OF_ONE: Final = 1
"""Commands of one person that are in the queue of all at one time: each waits for at most one of everybody else."""

LARGE_COMMANDS: Final = 2
"""Commands that come in slices at one time, each of another person; one of them brings a file."""

STREAMS_OF_ONE: Final = 20
"""Streams of changes of one person, each of a terminal or a tab that they have open; a further one is refused."""

OTHER_FILES: Final = 200
"""File descriptors for the database and the rest."""


def bounds(listeners: int = 1) -> Bounds:
    """How many connections each of so many listeners may have. Fewer where this process may have few descriptors."""
    files = _most_files()
    possible = (files - min(OTHER_FILES, files // 2)) // listeners
    turned_away = min(MAX_TURNED_AWAY, possible // 20)
    room = min(MAX_CONNECTIONS, possible - turned_away)
    return Bounds(
        all=room,
        strangers=max(1, room - KEPT_FOR_PEOPLE * room // MAX_CONNECTIONS) if room > 1 else room,
        strangers_of_address=STRANGERS_OF_ONE,
        strangers_of_account=STRANGERS_OF_ONE,
        of_person=MAX_OF_PERSON,
        turned_away=turned_away,
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


def make_room_for_files(wanted: int = 2 * (MAX_CONNECTIONS + MAX_TURNED_AWAY) + OTHER_FILES) -> None:
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
    return 2 * (MAX_CONNECTIONS + MAX_TURNED_AWAY) + OTHER_FILES if now == resource.RLIM_INFINITY else now
