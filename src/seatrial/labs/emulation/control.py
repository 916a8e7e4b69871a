"""The Unix socket on which a lab's supervisor accepts requests."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


async def serve_at(path: Path, serve: Serve) -> asyncio.Server:
    """Listen on a Unix socket that appears at `path` only when it listens.

    asyncio binds and then listens: on a busy machine a client could be refused in between.
    """
    starting = path.with_name(f"{path.name}.starting")
    server = await asyncio.start_unix_server(serve, str(starting))
    starting.rename(path)
    return server
