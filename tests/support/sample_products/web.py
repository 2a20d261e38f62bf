"""A web product on loopback, and the endpoint of a workspace at which it exchanges its launch code."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self
from urllib.error import HTTPError
from urllib.parse import parse_qs, urlsplit
from urllib.request import urlopen

from core.engine.engine import Engine
from core.errors import NotFound
from core.server.endpoints.routes import exchange_code
from tests.support.sample_products.fragments import unpacked

PAGE = b"""<!doctype html><title>Web product</title>
<script>if (location.hash) fetch(location.pathname, {method: "POST", body: location.hash.slice(1)})</script>
"""

Answer = tuple[int, bytes]


class Served:
    """A server on loopback for the time of a test."""

    def __init__(self) -> None:
        served = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self.reply(served.get(self.path))

            def do_POST(self) -> None:
                self.reply(served.post(self.rfile.read(int(self.headers["Content-Length"]))))

            def reply(self, answer: Answer) -> None:
                self.send_response(answer[0])
                self.send_header("Content-Length", str(len(answer[1])))
                self.end_headers()
                self.wfile.write(answer[1])

            def log_message(self, format: str, *args: Any) -> None:
                """Say nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    def get(self, path: str) -> Answer:
        raise NotImplementedError

    def post(self, body: bytes) -> Answer:
        return 405, b""

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()


class Exchange(Served):
    """``GET /v1/launches/{code}``."""

    def __init__(self, engine: Engine) -> None:
        super().__init__()
        self._engine = engine

    def get(self, path: str) -> Answer:
        try:
            return 200, json.dumps(exchange_code(self._engine, path.removeprefix("/v1/launches/"))).encode()
        except NotFound as error:
            return 404, str(error).encode()


class WebProduct(Served):
    """It keeps the paths it was asked for, and the contexts it got: by a code, or from the script of its page."""

    def __init__(self, public_url: Callable[[], str] = str) -> None:
        super().__init__()
        self._api_url = public_url
        self.asked: list[str] = []
        self.contexts: list[dict[str, Any]] = []

    def get(self, path: str) -> Answer:
        self.asked.append(path)
        for code in parse_qs(urlsplit(path).query).get("launch", ()):
            try:
                with urlopen(f"{self._api_url()}/v1/launches/{code}") as answer:
                    self.contexts.append(json.load(answer))
            except HTTPError as error:
                error.close()
                return 403, b"This launch is over."
        return 200, PAGE

    def post(self, body: bytes) -> Answer:
        self.contexts.append(json.loads(unpacked(parse_qs(body.decode())["context"][0])))
        return 200, b""
