"""Strangers who hold as many connections as they can: each that is closed they open again."""

from __future__ import annotations

import contextlib
import select
import socket
import threading
import time

from tests.support.waiting import wait_until

ADDRESSES = ("127.0.0.2", "127.0.0.3", "127.0.0.4")

MANY = 1_200

AT_ONCE = 20
"""Connections that they open before a pause: a machine that runs tests beside it has other work too."""

AGAIN = 5
"""The same once all have come, and those come again that were closed."""

PAUSE = 0.05
"""Seconds."""

KINDS = {
    "nothing": b"",
    "half a head": b"GET / HTTP/1.1\r\nHost: podium\r\nX: ",
    "half a body": b"POST /sign-in HTTP/1.1\r\nHost: podium\r\nContent-Length: 900\r\n\r\ntoken=",
    "a request": b"GET /health HTTP/1.1\r\nHost: podium\r\n\r\n",
    "a wrong token": b"GET /v1/me HTTP/1.1\r\nHost: podium\r\nAuthorization: Bearer x\r\n\r\n",
    "half of a greeting of TLS": bytes.fromhex("160301020001000001fc0303"),
}
"""What they send, and then fall silent."""


class Strangers:
    """A crowd of them, in a thread. Use it as a context."""

    def __init__(self, port: int, said: bytes, many: int = MANY) -> None:
        self._port, self._said, self._many = port, said, many
        self._open: dict[int, socket.socket] = {}
        self._poll = select.poll()
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self.opened = 0
        """Connections in all."""

    def __enter__(self) -> Strangers:
        self._thread.start()
        wait_until(lambda: self.opened >= self._many, "They do not come.")
        return self

    def __exit__(self, *_: object) -> None:
        self._is_over.set()
        self._thread.join()
        for each in self._open.values():
            each.close()

    def _run(self) -> None:
        while not self._is_over.is_set():
            at_once = AT_ONCE if self.opened < self._many else AGAIN
            for _ in range(min(at_once, self._many - len(self._open))):
                self._connect()
            for descriptor, _ in self._poll.poll(0):
                self._look(descriptor)
            time.sleep(PAUSE)

    def _connect(self) -> None:
        made = socket.socket()
        with contextlib.suppress(OSError):
            made.bind((ADDRESSES[self.opened % len(ADDRESSES)], 0))
            made.settimeout(1)
            made.connect(("127.0.0.1", self._port))
            made.sendall(self._said)
        made.setblocking(False)
        self.opened += 1
        self._open[made.fileno()] = made
        self._poll.register(made, select.POLLIN)

    def _look(self, descriptor: int) -> None:
        """Read what came; where the connection is over, forget it."""
        with contextlib.suppress(BlockingIOError):
            try:
                if self._open[descriptor].recv(65536):
                    return
            except OSError:
                pass
            self._poll.unregister(descriptor)
            self._open.pop(descriptor).close()
