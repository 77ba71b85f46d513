# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
"""Runs the steps of `make check` in their order, judges what they printed, and counts."""

import os
import re
import resource
import select
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from allowance import Allowance
from judges import Result, judge_plain


@dataclass(eq=False)
class Step:
    name: str
    command: list[str]
    judge: Callable[[str, int, str], Result] = judge_plain
    env: dict[str, str] = field(default_factory=dict)
    cwd: Path | None = None
    seconds: int = 120  # on an idle machine; see allowance.py
    as_nobody: bool = False
    beside: bool = False  # may run at the same time as others of which this is said
    makes: str | None = None  # the build folder that it fills
    needs: str = ""  # the build folders that it uses, and waits for, with blanks between
    # Is called just before the step; a text means that the step can't run, for this reason.
    unavailable: Callable[[], str | None] = lambda: None


NOBODY = 65534
ORDINARY_MEMLOCK = 8 << 20  # Linux' default for users


def become_nobody() -> None:
    resource.setrlimit(resource.RLIMIT_MEMLOCK, (ORDINARY_MEMLOCK, ORDINARY_MEMLOCK))
    os.setgroups([])
    os.setgid(NOBODY)
    os.setuid(NOBODY)


def before_exec(step: Step) -> None:
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if step.as_nobody:
        become_nobody()


class Run:
    """A step under way. end() leaves no process behind."""

    def __init__(self, step: Step, log: Path) -> None:
        self.step = step
        self.log = log
        self.start = time.monotonic()
        self.result: Result | None = None  # when it is done
        self.seconds = self.processor_seconds = 0.0
        self.process: subprocess.Popen | None = None
        reason = step.unavailable()
        if reason is not None:
            self.finish(Result(skipped=[(step.name, reason)]))
            return
        try:
            self.launch()
        except OSError as error:
            self.finish(Result(failed=[f"{step.name}: can't start {step.command[0]}: {error.strerror}"]))

    def launch(self) -> None:
        with self.log.open("wb") as out:
            out.write(f"# {' '.join(self.step.command)}\n".encode())
            out.flush()
            self.process = subprocess.Popen(
                self.step.command,
                env={**os.environ, **self.step.env},
                cwd=self.step.cwd,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                preexec_fn=lambda: before_exec(self.step),
            )
        self.pidfd = os.pidfd_open(self.process.pid)
        self.allowance = Allowance(self.process.pid, self.step.seconds)

    def look(self) -> None:
        """Judges what has ended, and ends what has taken too long."""
        if self.result is not None:
            return
        self.wait(os.WNOHANG)
        status = self.process.returncode
        why = self.allowance.over() if status is None else None
        if status is None and why is None:
            return
        self.end()
        output = self.log.read_text(errors="replace").partition("\n")[2]
        if status is not None:
            self.finish(self.step.judge(self.step.name, status, output))
            return
        # The step did not end by itself. That is one failure, whatever it had reported until then.
        self.finish(Result(failed=[f"{self.step.name}: killed: {why}"], shown=[*output.splitlines()[-39:], why]))

    def wait(self, options: int) -> None:
        """Unlike Popen's wait() it learns what the process and those that it waited for have used."""
        if self.process.returncode is not None:
            return
        pid, status, usage = os.wait4(self.process.pid, options)
        if pid:
            self.process.returncode = os.waitstatus_to_exitcode(status)
            self.processor_seconds = usage.ru_utime + usage.ru_stime

    def finish(self, result: Result) -> None:
        self.seconds = time.monotonic() - self.start
        self.result = result

    def end(self) -> None:
        if self.process is None:
            return
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.wait(0)
        self.process = None
        os.close(self.pidfd)


def describe(result: Result) -> str:
    word = "FAILED" if result.failed else "ok" if result.passed else "skipped"
    if result.cases() == 1:
        return word if word != "skipped" else f"skipped: {result.skipped[0][1]}"
    parts = [f"{result.passed} passed"]
    parts += [f"{len(result.failed)} failed"] if result.failed else []
    parts += [f"{len(result.skipped)} skipped"] if result.skipped else []
    return f"{word}: {', '.join(parts)}"


def wait_for_any(runs: list[Run]) -> None:
    poller = select.poll()
    for run in runs:
        poller.register(run.pidfd, select.POLLIN)
    poller.poll(1000)


class Queue:
    """Steps that wait, in the order of the list, and those under way. A step that may run beside others is started while
    only such steps run, and a processor is left. One whose build folder is not filled yet lets others go before."""

    def __init__(self, steps: list[Step], logs: Path) -> None:
        self.waiting = list(steps)
        self.logs = logs
        self.runs: list[Run] = []  # those whose result has not been taken

    def busy(self) -> list[Run]:
        return [run for run in self.runs if run.result is None]

    def unmade(self) -> set[str]:
        """The build folders that steps are to fill yet."""
        return {step.makes for step in [*self.waiting, *(run.step for run in self.busy())] if step.makes}

    def next_to_start(self) -> Step | None:
        busy, unmade = self.busy(), self.unmade()
        step = next((step for step in self.waiting if unmade.isdisjoint(step.needs.split())), None)
        if not step or not busy:
            return step
        alike = step.beside and all(run.step.beside for run in busy)
        return step if alike and len(busy) < (os.cpu_count() or 1) else None

    def start_more(self) -> None:
        while step := self.next_to_start():
            self.waiting.remove(step)
            self.runs.append(Run(step, self.logs / (re.sub(r"[^A-Za-z0-9_.-]+", "-", step.name) + ".log")))

    def result_of(self, step: Step) -> Run:
        """Of a step, when it has ended. Others begin and end meanwhile."""
        while True:
            self.start_more()
            run = next((run for run in self.runs if run.step is step), None)
            if run and run.result is not None:
                self.runs.remove(run)
                return run
            wait_for_any(self.busy())
            for run in self.runs:
                run.look()

    def end(self) -> None:
        for run in self.runs:
            run.end()


def run_all(steps: list[Step], logs: Path) -> bool:
    """Runs the steps, prints what became of them and the line of counts; true if nothing failed."""
    logs.mkdir(parents=True, exist_ok=True)
    total = Result()
    queue = Queue(steps, logs)
    try:
        for number, step in enumerate(steps, 1):
            print(f"[{number:{len(str(len(steps)))}}/{len(steps)}] {step.name} ... ", end="", flush=True)
            report(queue.result_of(step), total)
    finally:
        queue.end()
    summarise(total)
    return not total.failed


def report(run: Run, total: Result) -> None:
    result = run.result
    print(f"{describe(result)} ({run.seconds:.1f} s, {run.processor_seconds:.1f} s of processor time)", flush=True)
    for line in result.shown:
        print(f"    {line}")
    if result.failed:
        print(f"    (all of it: {run.log})", flush=True)
    total.passed += result.passed
    total.failed += result.failed
    total.skipped += result.skipped


def summarise(total: Result) -> None:
    """Skips by reason, one line a test with the number of its variants; failures; the line of counts."""
    print()
    by_reason: dict[str, Counter[str]] = {}
    for what, reason in total.skipped:
        by_reason.setdefault(reason, Counter())[what.split(".")[0]] += 1
    for reason, tests in by_reason.items():
        print(f"skipped, {reason}:")
        for test, cases in tests.items():
            print(f"    {test}" + (f" ({cases} cases)" if cases > 1 else ""))
    for what in total.failed:
        print(f"FAILED {what}")
    print(f"{total.passed} passed, {len(total.failed)} failed, {len(total.skipped)} skipped", flush=True)
