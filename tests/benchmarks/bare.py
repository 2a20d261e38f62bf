"""The bare Starlette route that the server is compared with: it answers with the same bytes each time.

    python -m tests.benchmarks.bare SOCKET FILE

The settings of uvicorn are those of ``podium serve``.
"""

from __future__ import annotations

import sys
from pathlib import Path

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route


def main(socket: str, file: str) -> None:
    content = Path(file).read_bytes()

    async def answer(_: Request) -> Response:
        return Response(content, media_type="application/json")

    uvicorn.run(
        Starlette(routes=[Route("/{path:path}", answer)]),
        uds=socket,
        http="httptools",
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        date_header=False,
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
