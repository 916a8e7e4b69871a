"""Whether a node answers ssh, tested at the lowest cost for the node."""

import asyncio

CONNECT_TIMEOUT_S = 5.0
BANNER_TIMEOUT_S = 30.0
"""seconds to wait for the banner of an accepted connection; then the node may have died"""


async def answers_ssh(address: str, port: int = 22) -> bool:
    """Whether sshd sends its banner.

    Without a listener a test costs the node one packet. An accepted connection is awaited: sshd
    starts a process per connection, and more connections would slow a slow node further.
    """
    try:
        async with asyncio.timeout(CONNECT_TIMEOUT_S):
            reader, writer = await asyncio.open_connection(address, port)
    except (OSError, TimeoutError):
        return False
    try:
        async with asyncio.timeout(BANNER_TIMEOUT_S):
            return (await reader.readline()).startswith(b"SSH-")
    except (OSError, TimeoutError):
        return False
    finally:
        writer.close()
