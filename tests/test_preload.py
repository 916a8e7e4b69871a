"""The library that repairs User-Mode Linux: tests without a kernel."""

import contextlib
import os
import signal
import subprocess
from pathlib import Path

import pytest

from seatrial.labs.emulation.image import FILES

ALARMS = r"""
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <time.h>
static volatile int alarms;
static void noted(int number) { (void)number; alarms++; }
static void rest(int until)
{
    struct timespec pause = {0, 10000000};
    for (int turn = 0; turn < 500 && alarms < until; turn++)
        nanosleep(&pause, 0);
}
int main(int count, char **words)
{
    timer_t timer;
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM};
    struct itimerspec given = {.it_value = {0, 50000000}}, left;
    (void)words;
    signal(SIGALRM, noted);
    timer_create(CLOCK_MONOTONIC, &event, &timer);
    timer_settime(timer, 0, &given, 0);
    timer_gettime(timer, &left);
    printf("%d %ld", left.it_value.tv_nsec > 0, left.it_interval.tv_nsec);
    rest(count > 1 ? 1 : 3);
    timer_gettime(timer, &left);
    given.it_value.tv_nsec = 0;
    timer_settime(timer, 0, &given, 0);
    int before = alarms;
    struct timespec pause = {0, 100000000};
    nanosleep(&pause, 0);
    printf(" %d %ld %d\n", before >= 3, left.it_value.tv_nsec, alarms - before);
    return 0;
}
"""

REBOOT = r"""
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <signal.h>
#include <unistd.h>
static char stack[65536];
static int program(void *nothing) { (void)nothing; for (;;) pause(); }
int main(int count, char **words)
{
    struct flock lock = {.l_type = F_WRLCK};
    int disk = open(words[1], O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    char *again[] = {words[0], words[1], "again", 0};
    int is_locked = fcntl(disk, F_SETLK, &lock) < 0;
    if (count > 2) {
        puts(is_locked ? "locked" : "free");
        return 0;
    }
    clone(program, stack + sizeof stack, CLONE_FILES | SIGCHLD, 0);
    execvp(again[0], again);
    return 1;
}
"""
"""a kernel's first process, a program of its guest that shares its files, and the reboot"""

CARD = r"""
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
int main(void)
{
    struct sockaddr_ll card = {.sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_ALL)};
    struct sockaddr_ll from;
    socklen_t size = sizeof from;
    unsigned char frame[64] = {2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 0x88, 0xb5, 42};
    unsigned char heard[2048];
    int own = 0, others = 0, turns = 0;
    card.sll_ifindex = if_nametoindex("here");
    int in = socket(AF_PACKET, SOCK_RAW, htons(ETH_P_ALL));
    int out = socket(AF_PACKET, SOCK_RAW, 0);
    if (in < 0 || out < 0 || bind(in, (void *)&card, sizeof card))
        return 1;
    card.sll_ifindex = if_nametoindex("there");
    int peer = socket(AF_PACKET, SOCK_RAW, 0);
    struct sockaddr_ll to[2] = {
        {.sll_family = AF_PACKET, .sll_ifindex = if_nametoindex("here")}, card};
    sendto(out, frame, sizeof frame, 0, (void *)&to[0], sizeof to[0]);
    frame[14] = 43;
    sendto(peer, frame, sizeof frame, 0, (void *)&to[1], sizeof to[1]);
    struct pollfd waiting = {in, POLLIN, 0};
    while (!others && turns++ < 100 && poll(&waiting, 1, 10000) > 0)
        if (recvfrom(in, heard, sizeof heard, 0, (void *)&from, &size) == sizeof frame
            && heard[12] == 0x88) {
            own += heard[14] == 42;
            others += heard[14] == 43;
        }
    printf("%d %d\n", own, others);
    return 0;
}
"""
"""a card of a node: one socket to send, one to receive; and a frame that its peer sends after its
own
"""


TICKS = r"""
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <time.h>
int main(void)
{
    timer_t timer;
    struct sigevent event = {.sigev_notify = SIGEV_NONE};
    struct itimerspec given = {.it_value = {0, 10000000}, .it_interval = {0, 10000000}}, set;
    timer_create(CLOCK_MONOTONIC, &event, &timer);
    timer_settime(timer, 0, &given, 0);
    timer_gettime(timer, &set);
    printf("%ld\n", set.it_interval.tv_nsec);
    return 0;
}
"""
"""a kernel that boots, with a hundred ticks a second"""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The library and the programs that use it."""
    folder = tmp_path_factory.mktemp("preload")
    library = [
        "-Wall",
        "-Wextra",
        "-Werror",
        "-shared",
        "-fPIC",
        "-O2",
        "-o",
        str(folder / "preload.so"),
    ]
    subprocess.run(["cc", *library, str(FILES / "uml_preload.c")], check=True)
    for name, text in {"alarms": ALARMS, "reboot": REBOOT, "card": CARD, "ticks": TICKS}.items():
        (folder / f"{name}.c").write_text(text)
        subprocess.run(["cc", "-o", str(folder / name), str(folder / f"{name}.c")], check=True)
    return folder


def alarms(folder: Path, *words: str, **environment: str) -> list[int]:
    """Whether time was left at first, and the interval; whether three alarms came, the time
    left, alarms after it.
    """
    done = subprocess.run(
        [str(folder / "alarms"), *words],
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    return [int(word) for word in done.stdout.split()]


def test_an_unanswered_alarm_comes_again(built: Path) -> None:
    """Until the timer is set again or stopped; a query shows an expired timer."""
    assert alarms(built, LD_PRELOAD=str(built / "preload.so")) == [1, 0, 1, 0, 0]


def test_without_the_option_one_exists(built: Path) -> None:
    """The guarantee that the kernel relies on, and loses."""
    assert alarms(built, "once") == [1, 0, 0, 0, 0]


def reboot(folder: Path, **environment: str) -> str:
    """Whether the kernel that is started in place of another may lock its disk."""
    with subprocess.Popen(
        [str(folder / "reboot"), str(folder / "disk")],
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        assert process.stdout is not None
        reported = process.stdout.readline().strip()
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    return reported


def test_a_kernel_that_starts_again_finds_its_disks_free(built: Path) -> None:
    """A program of its last life shares its files, and so its locks: that one is ended first."""
    assert reboot(built, LD_PRELOAD=str(built / "preload.so")) == "free"


def test_without_it_they_are_locked(built: Path) -> None:
    """By a process that the new kernel does not know and cannot end."""
    assert reboot(built) == "locked"


def received(folder: Path, **environment: str) -> str:
    """The numbers of own frames and of the peer's frames that a card receives, in a separate
    network.
    """
    pair = "ip link add here type veth peer name there; ip link set here up; ip link set there up"
    done = subprocess.run(
        ["unshare", "--map-root-user", "--net", "sh", "-c", f"{pair}; exec {folder / 'card'}"],
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    return done.stdout.strip()


def test_a_card_receives_the_peers_frames_alone(built: Path) -> None:
    """It sends by one socket, and receives its peer's frames by another."""
    assert received(built, LD_PRELOAD=str(built / "preload.so")) == "0 1"


def test_without_it_a_card_receives_its_own_frames_as_well(built: Path) -> None:
    """Each packet that a node sends would interrupt it once more, and be counted as received."""
    assert received(built) == "1 1"


def ticks(folder: Path, **environment: str) -> int:
    """How often a kernel that asks for a tick each 10 ms gets one, in nanoseconds."""
    done = subprocess.run(
        [str(folder / "ticks")],
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    return int(done.stdout)


def test_a_kernel_that_boots_has_ticks_more_often(built: Path) -> None:
    """Time-outs that depend on them end earlier."""
    assert ticks(built, LD_PRELOAD=str(built / "preload.so")) == 625_000


def test_without_it_as_often_as_it_asks_for(built: Path) -> None:
    """A second of each boot goes by in them."""
    assert ticks(built) == 10_000_000
