"""The kernel messages about a failed step are the first part of its error."""

import pytest

from seatrial.service.kernel_reasons import KernelMessages, decisive, of_node

OOM = (
    (
        "corosync invoked oom-killer:"
        " gfp_mask=0x140dca(GFP_HIGHUSER_MOVABLE|__GFP_COMP|__GFP_ZERO), order=0"
    ),
    (
        "Out of memory: Killed process 613 (corosync) total-vm:177204kB, anon-rss:94208kB,"
        " oom_score_adj:-1000"
    ),
)
OTHERS = {
    "Kernel panic - not syncing: Attempted to kill init! exitcode=0x0000000b": (
        "kernel panic: Attempted"
    ),
    "INFO: task gfs2_logd:811 blocked for more than 122 seconds.": (
        "gfs2_logd hangs: blocked for more than 122 s"
    ),
    "dlm_controld[702]: segfault at 8 ip 00007f2c sp 00007ffd error 4 in libdlm.so": (
        "dlm_controld crashed"
    ),
    "blk_update_request: I/O error, dev sda, sector 2048 op 0x1:(WRITE)": "I/O error, dev sda",
}


def test_a_program_that_was_killed_for_memory_comes_first() -> None:
    """With the memory of the node, which the user can change."""
    printed = KernelMessages("c2", ("sda: I/O error, dev sda", *OOM, *OOM), 224)
    found = decisive(printed)
    assert found[0] == "corosync was killed: out of memory (node c2 has 224 MiB)"
    assert len(found) == 2


@pytest.mark.parametrize("line", OTHERS)
def test_other_reasons(line: str) -> None:
    """In words, with the node."""
    (text,) = decisive(KernelMessages("c2", ("eth0: link up", line), 224))
    assert OTHERS[line] in text
    assert text.endswith("(kernel of c2)")


@pytest.mark.parametrize("lead", ["", "c2 kernel: "])
def test_an_earlier_message_is_no_reason(lead: str) -> None:
    """In dmesg(1) and in the journal."""
    lines = f"[   10.000000] {lead}{OOM[1]}\n[  190.000000] {lead}{OOM[1]}\n"
    printed = of_node("c2", f"200.00\n229376\n{lines}", 120.0)
    assert printed == KernelMessages("c2", (OOM[1],), 224)
    assert of_node("c2", "", 120.0).lines == ()
