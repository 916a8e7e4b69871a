"""The views of `seatrial watch`: text, terminal, page and metrics."""

import html
import io
import json
import re
import shutil
import subprocess
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from seatrial.basics.errors import Interrupted
from seatrial.result.live import LiveFile
from seatrial.watch import page, terminal
from seatrial.watch.follow import Follower, newest_running
from seatrial.watch.metrics import CONTENT_TYPE, as_openmetrics
from seatrial.watch.page import Board, Site, served
from seatrial.watch.snapshot import RunStatus, Snapshot
from seatrial.watch.text import HEADINGS
from tests.builders.browser import BROWSER
from tests.builders.commands import in_process
from tests.builders.places import DATA, ROOT
from tests.builders.watching import (
    BEGAN_S,
    agent,
    fault_line,
    run_line,
    saturation_search,
    second_line,
    thousand,
)
from tests.builders.watching import snapshot_of as snapshot

STORED = DATA / "nss-ha-quick"
HOSTILE = '<img src=x onerror="document.body.textContent=1">'


def running() -> Snapshot:
    """A run in progress, with a client that has a hostile name."""
    agents = [agent(), agent(silent_s=12.0)]
    return snapshot(
        run_line(),
        fault_line(BEGAN_S, injected_unix_s=BEGAN_S),
        saturation_search(["c1", HOSTILE], fault="panic"),
        second_line(agents, BEGAN_S + 2),
    )


def polls(*snapshots: Snapshot) -> Callable[[], Snapshot]:
    """Each call gives the next one."""
    left = iter(snapshots)
    return lambda: next(left)


def ended(item: Snapshot) -> Snapshot:
    """The same run after its end."""
    return replace(item, status=RunStatus.COMPLETED, verdict="all 8 passed")


def fetched(url: str, **headers: str) -> tuple[int, str, str]:
    """Status, content type and text of a page; no proxy is asked."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    request = urllib.request.Request(url, headers=headers)
    try:
        with opener.open(request, timeout=60) as answer:
            return answer.status, answer.headers["Content-Type"], answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.headers["Content-Type"], error.read().decode()


@pytest.fixture
def site() -> Iterator[Site]:
    """The page of a stored result, on a free port."""
    follower = Follower(STORED)
    with served(0) as found:
        found.board.show(follower.poll())
        yield found
    follower.close()


@pytest.mark.skipif(not BROWSER, reason="no Chromium on this machine")
def test_a_browser_shows_the_table_of_a_stored_result(site: Site, tmp_path: Path) -> None:
    """Headless; nothing from outside is loaded, because the page has no other source."""
    command = [BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--no-proxy-server"]
    command += [f"--user-data-dir={tmp_path / 'profile'}", "--virtual-time-budget=10000"]
    command += ["--dump-dom", site.url]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    rows = re.findall(r"<tr[^>]*>(.*?)</tr>", done.stdout, re.DOTALL)
    cells = [re.findall(r"<t[hd]>(.*?)</t[hd]>", row) for row in rows]
    assert cells, done.stderr[-2000:]
    assert tuple(cells[0]) == HEADINGS
    names = [html.unescape(row[0]) for row in cells[1:]]
    assert len(names) == 21
    assert "c1 close-to-open" in names
    assert "all 8 acceptance criteria passed" in done.stdout
    assert "fault panic" in done.stdout


@pytest.mark.skipif(not BROWSER, reason="no Chromium on this machine")
def test_a_name_runs_nothing_in_a_browser(tmp_path: Path) -> None:
    """It is shown as it is."""
    with served(0) as found:
        found.board.show(ended(running()))
        command = [BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--no-proxy-server"]
        command += [f"--user-data-dir={tmp_path / 'profile'}", "--virtual-time-budget=10000"]
        command += ["--dump-dom", found.url]
        done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert "<img" not in done.stdout
    assert "&lt;img src=x" in done.stdout


@pytest.mark.parametrize("path", ["/", "/view", "/snapshot", "/metrics", "/missing"])
def test_nothing_is_answered_without_the_token(site: Site, path: str) -> None:
    """403, whatever the path; nothing about the run is in the answer."""
    base, _, token = site.url.partition("/?token=")
    for query in ("", "?token=", "?token=wrong", f"?token={token}x", f"?other={token}"):
        status, _, text = fetched(f"{base}{path}{query}")
        assert (status, "nss-ha" in text) == (403, False)
    assert fetched(f"{base}{path}", Authorization="Bearer wrong")[0] == 403
    allowed = fetched(f"{base}{path}", Authorization=f"Bearer {token}")[0]
    assert allowed == (404 if path == "/missing" else 200)


def test_another_name_of_the_host_is_refused(site: Site) -> None:
    """A page of another site that resolves its own name to 127.0.0.1 gets nothing."""
    assert fetched(site.url, Host="attacker.example")[0] == 403
    assert fetched(site.url, Host="localhost:80")[0] == 200


def test_the_page_refers_to_nothing_outside() -> None:
    """One file; the browser is also forbidden to load anything else."""
    text = page.page()
    assert not re.search(r"https?:|//[a-z]|<link|<img|src=|@import|url\(", text)
    assert "default-src 'none'" in page.SECURITY["Content-Security-Policy"]


def test_the_page_is_on_loopback_only(site: Site) -> None:
    """No other address of this machine."""
    assert site.url.startswith("http://127.0.0.1:")


def test_each_page_has_its_own_token() -> None:
    """Of at least 128 bits."""
    with served(0) as first, served(0) as second:
        tokens = {found.url.partition("token=")[2] for found in (first, second)}
    assert len(tokens) == 2
    assert min(map(len, tokens)) >= 22


def test_the_snapshot_of_the_page_is_that_of_json() -> None:
    """The same object."""
    board = Board("token")
    item = running()
    board.show(item)
    answer = board.answer("/snapshot?token=token", "localhost:1", "")
    assert json.loads(answer.text) == json.loads(json.dumps(item.to_json()))


def test_a_page_without_a_snapshot_does_not_exist() -> None:
    """Before the first poll."""
    assert Board("token").answer("/metrics?token=token", "localhost:1", "").status == 404


def test_a_target_that_is_no_address_is_refused() -> None:
    """Before its token is read."""
    assert Board("token").answer("http://[x/?token=token", "localhost:1", "").status == 403


def test_the_page_ends_with_the_run() -> None:
    """It is served for a moment longer, so that a browser gets the last state."""
    urls: list[str] = []
    pauses: list[float] = []
    item = running()
    last = page.follow(polls(item, item, ended(item)), 0, urls.append, pauses.append)
    assert last.verdict == "all 8 passed"
    assert pauses == [page.INTERVAL_S, page.INTERVAL_S, page.LAST_S]
    with pytest.raises(urllib.error.URLError):
        fetched(urls[0])


def test_an_interrupt_closes_the_page() -> None:
    """Nothing listens any more; a run that had ended before makes no difference."""
    urls: list[str] = []

    def interrupt(_seconds: float) -> None:
        raise Interrupted("ended by SIGINT")

    with pytest.raises(Interrupted):
        page.follow(lambda: ended(running()), 0, urls.append, interrupt)
    with pytest.raises(urllib.error.URLError):
        fetched(urls[0])


def test_the_metrics_are_openmetrics(site: Site) -> None:
    """Each family has its type once, the samples follow it, and the text has its end."""
    status, kind, text = fetched(site.url.replace("/?", "/metrics?"))
    assert (status, kind) == (200, CONTENT_TYPE)
    lines = text.splitlines()
    assert lines[-1] == "# EOF"
    family = ""
    families = []
    for item in lines[:-1]:
        if item.startswith("# TYPE "):
            family = item.split()[2]
            families.append(family)
        elif not item.startswith("# HELP "):
            assert re.fullmatch(rf'{family}{{(\w+="[^"]*",?)*}} [-0-9.e+]+', item), item
    assert len(families) == len(set(families))
    assert 'seatrial_watch_steps_done{study="nss-ha",kind="faults"} 4' in lines


def test_the_metrics_escape_names() -> None:
    """A quote, a backslash and a line feed; the figures of a silent client."""
    item = running()
    strange = replace(item.clients[0], client='a"b\\c\nd')
    text = as_openmetrics(replace(item, clients=(strange,)))
    labels = '{study="small",client="a\\"b\\\\c\\nd",stream=""}'
    assert f"seatrial_watch_client_silent_seconds{labels} 12.0" in text.splitlines()
    outage = 'seatrial_watch_outage_seconds{study="small",fault="panic",state="injected"} 12.0'
    assert outage in text.splitlines()


def drawn(item: Snapshot, height: int, width: int = 100) -> list[str]:
    """The lines that a terminal of this size gets."""
    console = Console(file=io.StringIO(), width=width, height=height, force_terminal=False)
    with console.capture() as capture:
        console.print(terminal.drawn(item, height, width))
    return capture.get().rstrip("\n").splitlines()


@pytest.mark.parametrize(("height", "width"), [(12, 60), (24, 80), (60, 200)])
def test_a_terminal_is_never_overfull(height: int, width: int) -> None:
    """A thousand clients fit in, the silent one first and the rest in one line."""
    lines = drawn(snapshot(*thousand(1)), height, width)
    assert len(lines) <= height
    assert max(map(len, lines)) <= width
    text = "\n".join(lines)
    assert text.index("node0500") < text.index("node0001")
    assert "each" in lines[-1]


def test_a_pipe_gets_each_event_once() -> None:
    """Not the figures, which change each second."""
    item = running()
    worse = replace(item, faults=(replace(item.faults[0], outage_s=99.0),))
    out = io.StringIO()
    console = Console(file=out, width=200)
    terminal.follow(polls(item, item, worse, ended(worse)), console, lambda _seconds: None)
    assert out.getvalue().count("fault panic") == 1


def test_the_terminal_view_ends_with_the_run_and_shows_the_cursor() -> None:
    """Also after an interrupt."""

    def interrupt(_seconds: float) -> None:
        raise Interrupted("ended by SIGINT")

    out = io.StringIO()
    console = Console(
        file=out,
        width=80,
        height=24,
        force_terminal=True,
        _environ={"TERM": "xterm"},
    )
    item = running()
    terminal.follow(polls(item, ended(item)), console, lambda _seconds: None)
    assert "small (quick): completed" in out.getvalue()
    with pytest.raises(Interrupted):
        terminal.follow(polls(item), console, interrupt)
    assert out.getvalue().rindex("\x1b[?25h") > out.getvalue().rindex("\x1b[?25l")


def test_once_prints_a_snapshot_as_text() -> None:
    """A finished result is shown as it is, with its verdict line."""
    done = in_process("watch", str(STORED), "--once")
    assert done.returncode == 0
    lines = done.stdout.splitlines()
    assert lines[0] == "nss-ha (quick): completed"
    assert lines[-1] == "all 8 acceptance criteria passed"


def test_a_finished_result_ends_at_once() -> None:
    """With the verdict as its last line."""
    done = in_process("watch", str(STORED))
    assert (done.returncode, done.stdout.splitlines()[-1]) == (
        0,
        "all 8 acceptance criteria passed",
    )


def test_json_is_one_snapshot() -> None:
    """Its keys are those of the documents."""
    done = in_process("watch", str(STORED), "--json")
    found = json.loads(done.stdout)
    assert (found["status"], found["faults_done"]) == ("completed", {"done": 4, "planned": 4})
    documented = (ROOT / "docs" / "watch.md").read_text()
    keys = [*found, *found["load"], *found["clients"][0], *found["faults"][0]]
    assert [key for key in keys if f"`{key}`" not in documented] == []


def copied(folder: Path) -> Path:
    """A result that is not sealed, as one of a run in progress."""
    folder.mkdir(parents=True)
    for name in ("result.jsonl", "study.yaml", "published.yaml"):
        shutil.copy(STORED / name, folder / name)
    return folder


def test_a_killed_run_is_shown_as_killed(tmp_path: Path) -> None:
    """Its torn last line is counted; the exit code is that of a view."""
    folder = copied(tmp_path / "run")
    path = folder / "result.jsonl"
    path.write_bytes(path.read_bytes()[:-100])
    done = in_process("watch", str(folder), "--once")
    assert (done.returncode, done.stdout.splitlines()[0]) == (0, "nss-ha (quick): killed")
    assert "the run did not complete" in done.stdout


def test_without_a_result_the_newest_run_in_progress_is_shown(tmp_path: Path) -> None:
    """Not one that was killed, and not one that has ended."""
    for name in ("a", "b", "c"):
        copied(tmp_path / name)
    first = (tmp_path / "b" / "result.jsonl").read_text().splitlines()[0]
    later = json.loads(first) | {"unix_s": 9e9}
    (tmp_path / "b" / "result.jsonl").write_text(json.dumps(later) + "\n")
    (tmp_path / "c" / "live.jsonl").write_text("{}\n")
    files = [LiveFile(tmp_path / name) for name in ("a", "b")]
    assert newest_running(tmp_path) == tmp_path / "b"
    done = in_process("watch", "--out", str(tmp_path), "--json")
    assert json.loads(done.stdout)["result"] == str(tmp_path / "b")
    for file in files:
        file.close()
    done = in_process("watch", "--out", str(tmp_path))
    assert (done.returncode, "no run is in progress" in done.stderr) == (2, True)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("missing",), "missing: there is no result in this folder"),
        ((str(STORED), "--web", "--once"), "--web excludes --once and --json"),
        ((str(STORED), "--web", "--json"), "--web excludes --once and --json"),
        ((str(STORED), "--port", "80"), "--port is the port of --web"),
        ((str(STORED), "--web", "--port", "65536"), "--port"),
    ],
)
def test_wrong_use_exits_2(words: tuple[str, ...], message: str) -> None:
    """With the reason."""
    done = in_process("watch", *words)
    assert (done.returncode, message in done.stderr) == (2, True)


def test_a_port_in_use_is_a_mistake() -> None:
    """The message has the port."""
    with served(0) as found:
        port = re.findall(r":(\d+)/", found.url)[0]
        done = in_process("watch", str(STORED), "--web", "--port", port)
    assert (done.returncode, f"--port {port}" in done.stderr) == (2, True)
