"""A person who follows the stream of changes."""

from __future__ import annotations

import threading

import httpx

from tests.support.waiting import PATIENCE


class Listener:
    """Follows the stream of a person in a thread, and notes what it says."""

    def __init__(self, client: httpx.Client) -> None:
        self.heard: list[str] = []
        self._client = client
        self._begun = threading.Event()
        threading.Thread(target=self._follow, daemon=True).start()
        assert self._begun.wait(PATIENCE)

    def _follow(self) -> None:
        try:
            with self._client.stream("GET", "/v1/changes") as stream:
                for line in stream.iter_lines():
                    self.heard.append(line)
                    self._begun.set()
        except httpx.HTTPError:
            return  # the server stopped

    def steps(self) -> int:
        return self.heard.count("event: presence")

    def inboxes(self) -> int:
        return self.heard.count("event: inbox")

    def changes(self) -> int:
        return self.heard.count("event: change")
