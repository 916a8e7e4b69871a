"""The live view as a page on this machine's loopback interface.

Every request needs the random token of the URL. The page is one file without outside resources, and
asks for the snapshot once a second. `/metrics` has the same figures as OpenMetrics.
"""

import contextlib
import json
import secrets
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from seatrial.basics.errors import InputError
from seatrial.basics.finite import json_text
from seatrial.watch.metrics import CONTENT_TYPE, as_openmetrics
from seatrial.watch.snapshot import Snapshot
from seatrial.watch.text import HEADINGS, cells, fault_lines, folded, head

LOOPBACK = "127.0.0.1"
HOSTS = ("127.0.0.1", "localhost")
"""names of this machine in a request; another one comes from a page that redirects its own name"""
ROWS_MAX = 200
"""rows of the table of clients; the remaining clients are one line"""
SECURITY = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; "
    "script-src 'unsafe-inline'; connect-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
REQUEST_TIMEOUT_S = 10.0
INTERVAL_S = 1.0
LAST_S = 5.0
"""time in s for which the page of a run is still served after its end: a page in a browser gets the
last state
"""


@dataclass(frozen=True)
class Answer:
    """The answer to a request."""

    status: int
    content_type: str
    text: str


FORBIDDEN = Answer(403, "text/plain; charset=utf-8", "the token is missing or wrong\n")
NOT_FOUND = Answer(404, "text/plain; charset=utf-8", "there is no such page\n")


class Board:
    """The newest snapshot, for the threads that answer requests."""

    def __init__(self, token: str) -> None:
        self._token = token
        self._lock = threading.Lock()
        self._snapshot: Snapshot | None = None

    def show(self, snapshot: Snapshot) -> None:
        """Replace the snapshot."""
        with self._lock:
            self._snapshot = snapshot

    def answer(self, target: str, host: str, authorization: str) -> Answer:
        """The answer to a GET request: its target, and the values of two headers (empty: none)."""
        try:
            parts = urlsplit(target)
        except ValueError:  # such as http://[x/
            return FORBIDDEN
        token = parse_qs(parts.query).get("token", [""])[0]
        if authorization.startswith("Bearer "):
            token = authorization.removeprefix("Bearer ").strip()
        is_known = secrets.compare_digest(token.encode(), self._token.encode())
        if not is_known or host.partition(":")[0] not in HOSTS:
            return FORBIDDEN
        with self._lock:
            snapshot = self._snapshot
        if parts.path == "/":
            return Answer(200, "text/html; charset=utf-8", page())
        if snapshot is None:
            return NOT_FOUND
        match parts.path:
            case "/view":
                return Answer(200, "application/json", view(snapshot))
            case "/snapshot":
                return Answer(200, "application/json", json_text(snapshot.to_json()))
            case "/metrics":
                return Answer(200, CONTENT_TYPE, as_openmetrics(snapshot))
        return NOT_FOUND


def view(snapshot: Snapshot) -> str:
    """The texts of the page, as JSON; the page adds no words to them."""
    clients = folded(snapshot.clients, ROWS_MAX)
    texts = {
        "head": head(snapshot),
        "faults": fault_lines(snapshot.faults),
        "headings": HEADINGS,
        "rows": [{"state": client.state, "cells": cells(client)} for client in clients.shown],
        "rest": clients.rest,
        "verdict": snapshot.verdict or "",
        "running": snapshot.is_running,
    }
    return json.dumps(texts)


@lru_cache(maxsize=1)
def page() -> str:
    """The HTML file."""
    return (Path(__file__).parent / "page.html").read_text(encoding="utf-8")


@dataclass(frozen=True)
class Site:
    """A page that is being served."""

    url: str
    """with the token"""
    board: Board


@contextlib.contextmanager
def served(port: int) -> Iterator[Site]:
    """For the body: the page on a port of the loopback interface; 0: any free port.

    InputError where the port cannot be used.
    """
    token = secrets.token_urlsafe(24)
    board = Board(token)

    class Handler(BaseHTTPRequestHandler):
        timeout = REQUEST_TIMEOUT_S

        def do_GET(self) -> None:
            headers = self.headers
            authorization = headers.get("Authorization", "")
            answer = board.answer(self.path, headers.get("Host", ""), authorization)
            data = answer.text.encode()
            self.send_response(answer.status)
            more = {"Content-Type": answer.content_type, "Content-Length": str(len(data))}
            for name, value in (SECURITY | more).items():
                self.send_header(name, value)
            self.end_headers()
            with contextlib.suppress(OSError):  # the browser has left
                self.wfile.write(data)

        def log_message(self, *_: object) -> None:
            """Print no line for each request: its target has the token."""

    try:
        server = ThreadingHTTPServer((LOOPBACK, port), Handler)
    except (OSError, OverflowError) as error:
        raise InputError(f"--port {port}: {error}", "give another port, or 0 for any") from None
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.1,), daemon=True)
    thread.start()
    try:
        yield Site(f"http://{LOOPBACK}:{server.server_address[1]}/?token={token}", board)
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def follow(
    poll: Callable[[], Snapshot],
    port: int,
    announce: Callable[[str], None],
    pause: Callable[[float], None] = time.sleep,
) -> Snapshot:
    """Serve the page of a run until the run has ended; returns the last snapshot.

    `announce` gets the URL. The page of a run that has ended before is served until a signal ends
    the program.
    """
    with served(port) as site:
        snapshot = poll()
        site.board.show(snapshot)
        announce(site.url)
        had_ended = not snapshot.is_running
        while snapshot.is_running or had_ended:
            pause(INTERVAL_S)
            snapshot = poll()
            site.board.show(snapshot)
        pause(LAST_S)
    return snapshot
