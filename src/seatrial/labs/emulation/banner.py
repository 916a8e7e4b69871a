"""Whether a node answers ssh, asked at the lowest cost to it."""

import asyncio

CONNECT_TIMEOUT_S = 5.0
BANNER_TIMEOUT_S = 30.0
"""a node that has taken a connection, and has not said anything for so long, is looked at anew: it may have died"""


async def answers_ssh(address: str, port: int = 22) -> bool:
    """Whether sshd says its banner.

    While nobody listens, a look costs the node one packet. A connection that was taken is waited for: sshd starts a
    process for each, and a node that is slow to answer would be given ever more of them.
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
