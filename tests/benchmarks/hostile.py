"""One person, or a stranger, on many connections at once, each of which sends the next request when one is answered.

    python -m tests.benchmarks.hostile SOCKET TOKEN KIND PROJECT

Runs until it is ended. It reads the statuses and throws the rest of each answer away.
"""

from __future__ import annotations

import asyncio
import contextlib
import sys

CONNECTIONS = {"reads": 50, "writes": 50, "wrong tokens": 100}
"""How many, by what they send."""


async def main(socket: str, token: str, kind: str, project: str) -> None:
    async with asyncio.TaskGroup() as group:
        for number in range(CONNECTIONS[kind]):
            group.create_task(flood(socket, token, kind, project, number))


async def flood(socket: str, token: str, kind: str, project: str, number: int) -> None:
    """Keep one connection at work; one that is closed is opened again."""
    sent = 0
    while True:
        with contextlib.suppress(OSError, EOFError):
            reader, writer = await asyncio.open_unix_connection(socket)
            while True:
                sent += 1
                writer.write(request(token, kind, project, f"{number}-{sent}"))
                head = await reader.readuntil(b"\r\n\r\n")
                await body(reader, head)
        await asyncio.sleep(0.05)


def request(token: str, kind: str, project: str, name: str) -> bytes:
    """The next request, of which each is another one."""
    if kind == "wrong tokens":
        token = f"no-token-of-ours-{name}"
    head = f"Host: podium\r\nAuthorization: Bearer {token}\r\n"
    if kind != "writes":
        return f"GET /v1/projects/{project}/canvas HTTP/1.1\r\n{head}\r\n".encode()
    value = f'{{"value": "{name}"}}'
    typed = f"Content-Type: application/json\r\nContent-Length: {len(value)}\r\n"
    return f"PUT /v1/me/preferences/theme HTTP/1.1\r\n{head}{typed}\r\n{value}".encode()


async def body(reader: asyncio.StreamReader, head: bytes) -> None:
    """Read the rest of an answer."""
    headers = dict(line.lower().split(b": ", 1) for line in head.split(b"\r\n")[1:] if line)
    if headers.get(b"transfer-encoding") == b"chunked":
        while size := int(await reader.readline(), 16):
            await reader.readexactly(size + 2)
        await reader.readline()
    else:
        await reader.readexactly(int(headers.get(b"content-length", 0)))


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
