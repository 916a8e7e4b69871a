"""The socket on which a lab's supervisor takes requests: whoever sees it is answered."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


async def serve_at(path: Path, serve: Serve) -> asyncio.Server:
    """Listen on a Unix socket that appears at `path` only when it listens.

    asyncio binds, then listens: on a busy machine there is time enough between for somebody to be refused.
    """
    starting = path.with_name(f"{path.name}.starting")
    server = await asyncio.start_unix_server(serve, str(starting))
    starting.rename(path)
    return server
