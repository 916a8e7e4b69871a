"""Deploys a plan: every stage on all of its nodes at once, one script per node.

Nodes on which a stage would interrupt other users change one by one, after all other nodes.
"""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

from seatrial.basics import command_log
from seatrial.basics.clock import unix_s
from seatrial.basics.errors import RunError
from seatrial.basics.units import counted
from seatrial.basics.withheld import MASK
from seatrial.plan.plan import Plan, Stage, Step, render
from seatrial.service import kernel_reasons
from seatrial.service.generated import NOT_MADE, generated, learned
from seatrial.transport import Completed, Transport, on_every

STAGE_TIMEOUT_S = 900.0
RESULTS = ("ok", "changed", "pending", "failed")
Mode = Literal["apply", "check"]
"""`check` changes nothing"""


@dataclass(frozen=True)
class StepResult:
    """The result of one step on one node."""

    stage: int
    stage_title: str
    node: str
    step: str
    result: str
    """ok (nothing to do), changed, pending (check mode: would change), failed"""
    took_s: float | None = None
    """seconds since the node's previous step; None for the first step of a stage"""
    index: int = 0
    """number of the step on its node in its stage, from 1; titles may repeat"""

    def to_json(self) -> dict[str, Any]:
        """The stored fields; the index is not stored."""
        fields = asdict(self)
        del fields["index"]
        return fields


@dataclass(frozen=True)
class Outcome:
    """The results of a whole plan."""

    results: tuple[StepResult, ...]

    def count(self, result: str) -> int:
        """The number of steps with this result."""
        return sum(item.result == result for item in self.results)

    def counts(self) -> dict[str, int]:
        """Result -> how many steps ended so."""
        return {result: self.count(result) for result in RESULTS}

    def summary(self) -> str:
        """`12 ok, 3 changed`."""
        return (
            ", ".join(f"{self.count(name)} {name}" for name in RESULTS if self.count(name))
            or "no steps"
        )


def apply_plan(
    plan: Plan,
    transport: Transport,
    *,
    mode: Mode = "apply",
    say: Callable[[str], None] = lambda _: None,
    detail: Callable[[str], None] = lambda _: None,
    timeout_s: float = STAGE_TIMEOUT_S,
) -> Outcome:
    """Pipe every script to its node; RunError names the node, the failed step and its output.

    `mode` is `apply`, or `check`, which changes nothing. `say` gets a line per stage, `detail` one
    per script and per step, from the threads that wait for the nodes. When a node fails, the other
    nodes of the stage finish it, so that no node stops in the middle of a step.
    """
    began_s = unix_s()
    results: list[StepResult] = []
    command_log.hide(plan.secrets)
    values = generated(plan, transport, make=mode == "apply")
    command_log.hide(value for value in values.values() if value != NOT_MADE)
    for number, stage in enumerate(plan.stages, start=1):
        say(f"stage {number} of {len(plan.stages)}: {stage.title}")
        stage_values = values | learned(plan, stage, transport, need=mode == "apply")
        run = _StageRun(
            plan=plan,
            number=number,
            stage=stage,
            values=stage_values,
            transport=transport,
            mode=mode,
            detail=detail,
            timeout_s=timeout_s,
        )
        try:
            answers = run.answers()
        except RunError as error:  # a node exceeded its time limit
            messages = kernel_reasons.reasons(transport, _nodes(plan), began_s)
            raise RunError("\n".join([*messages, str(error)]), error.hint) from error
        failures = []
        for node, done in answers.items():
            node_results = _read_results(number, stage, node, done)
            results += node_results
            failure = _failure(stage, node, done, node_results)
            if failure:
                masks = dict.fromkeys(values.values(), MASK)
                failures.append(_replaced(plan.masked(failure), masks))
        if failures:
            # The cause may be on a node without a step in this stage.
            messages = kernel_reasons.reasons(transport, _nodes(plan), began_s)
            raise RunError("\n".join([*messages, *failures]))
    return Outcome(tuple(results))


@dataclass(frozen=True)
class _StageRun:
    """One stage of a plan on its nodes."""

    plan: Plan
    number: int
    """of the stage, from 1"""
    stage: Stage
    values: Mapping[str, str]
    """placeholder in the scripts -> its value"""
    transport: Transport
    mode: Mode
    detail: Callable[[str], None]
    timeout_s: float

    def answers(self) -> dict[str, Completed]:
        """The output of the script of each node."""
        steps = (step for of_node in self.stage.steps.values() for step in of_node)
        if self.mode == "apply" and any(step.interrupts for step in steps):
            return self._in_turns()
        return on_every(self.stage.steps, lambda node: self._pipe(node, self.mode))

    def _in_turns(self) -> dict[str, Completed]:
        """Apply the stage: at once where nothing is interrupted, then node by node until one
        fails.
        """
        answers = on_every(self.stage.steps, lambda node: self._pipe(node, "check"))
        lines = {node: done.stdout.splitlines() for node, done in answers.items()}
        serving = [node for node in lines if _interrupts(lines[node])]
        changing = [
            node for node in lines if node not in serving and not _nothing_to_do(lines[node])
        ]
        results = {node: answers[node] for node in answers if node not in (*serving, *changing)}
        results |= on_every(changing, lambda node: self._pipe(node, "apply"))
        for node in serving:
            if any(done.exit_code for done in results.values()):
                break
            results[node] = self._pipe(node, "apply")
        return results

    def _pipe(self, node: str, mode: Mode) -> Completed:
        """Run the script of a node."""
        steps = self.stage.steps[node]
        script = _replaced(render(self.plan, self.number, steps), self.values)
        command = f"sh -s {mode} {node}"
        step_count = counted(len(steps), "step")
        self.detail(f"{node}: stage {self.number}: {command} ({step_count})")
        with command_log.doing(f"{self.plan.title}: stage {self.number} {self.stage.title}"):
            done = self.transport.run(
                node, command, stdin=script.encode(), timeout_s=self.timeout_s
            )
            for item in _read_results(self.number, self.stage, node, done):
                self.detail(f"{node}: {item.result}: {item.step}")
                command_log.log_step(node, item.step, item.result, item.took_s)
        return done


def _nodes(plan: Plan) -> tuple[str, ...]:
    """Every node that has a step in some stage."""
    return tuple(dict.fromkeys(node for stage in plan.stages for node in stage.steps))


def _interrupts(lines: list[str]) -> bool:
    return any(line.startswith("interrupts ") for line in lines)


def _nothing_to_do(lines: list[str]) -> bool:
    return lines[-1:] == ["done"] and not any(line.startswith("pending ") for line in lines)


def _replaced(text: str, values: Mapping[str, str]) -> str:
    for before, after in values.items():
        text = text.replace(before, after)
    return text


def _read_results(number: int, stage: Stage, node: str, done: Completed) -> list[StepResult]:
    """The results in a script's output; each line of them is `RESULT STEP UPTIME`."""
    steps = stage.steps[node]
    results: list[StepResult] = []
    before_s: float | None = None
    for fields in map(str.split, done.stdout.splitlines()):
        if len(fields) != 3 or fields[0] not in RESULTS or not fields[1].isdigit():
            continue
        result = fields[0]
        index = int(fields[1])
        uptime_s = float(fields[2])
        if index <= len(steps):
            took_s = None if before_s is None else round(uptime_s - before_s, 2)
            title = steps[index - 1].title
            results.append(StepResult(number, stage.title, node, title, result, took_s, index))
            before_s = uptime_s
    return results


def _failure(stage: Stage, node: str, done: Completed, results: list[StepResult]) -> str | None:
    steps: tuple[Step, ...] = stage.steps[node]
    finished = done.stdout.rstrip().endswith("done") and len(results) == len(steps)
    if done.exit_code == 0 and finished:
        return None
    failed = [item.step for item in results if item.result == "failed"]
    reached = steps[min(len(results), len(steps) - 1)].title
    what = (
        f"step {failed[0]!r} failed"
        if failed
        else f"the script ended at step {reached!r} (exit {done.exit_code})"
    )
    output = "\n".join(f"    {line}" for line in _shortened(done.stderr.strip().splitlines()))
    return f"{node}: stage {stage.title!r}: {what}:\n{output}"


def _shortened(lines: list[str], first: int = 6, last: int = 10) -> list[str]:
    """The first and last lines of long output: some tools print the reason first, some last."""
    if len(lines) <= first + last:
        return lines
    return [*lines[:first], f"... {len(lines) - first - last} lines ...", *lines[-last:]]
