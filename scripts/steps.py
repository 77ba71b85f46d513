# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
"""Runs one step of `make check` after the other, judges what it printed, and counts."""

import os
import re
import resource
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

SKIP_STATUS = 4  # exit status of a kselftest that could not run


@dataclass
class Result:
    passed: int = 0
    failed: list[str] = field(default_factory=list)
    skipped: list[tuple[str, str]] = field(default_factory=list)  # what, and the reason
    shown: list[str] = field(default_factory=list)  # lines for the reader, of what failed

    def cases(self) -> int:
        return self.passed + len(self.failed) + len(self.skipped)


def judge_plain(name: str, status: int, output: str) -> Result:
    """A command that is one test."""
    if status == 0:
        return Result(passed=1)
    if status == SKIP_STATUS:
        return Result(skipped=[(name, (output.strip().splitlines() or ["no reason given"])[-1])])
    return Result(failed=[name], shown=output.splitlines()[-40:])


COMPLAINT = re.compile(r"error:|warning:|undefined reference|\*\*\*|Error \d", re.I)


def judge_make(name: str, status: int, output: str) -> Result:
    if status == 0:
        return Result(passed=1)
    lines = output.splitlines()
    return Result(failed=[name], shown=[line for line in lines if COMPLAINT.search(line)][:40] or lines[-40:])


KTAP_LINE = re.compile(r"^(ok|not ok) \d+ ?-? ?([^#\n]*?)\s*(?:# SKIP ?(.*))?$")
KTAP_PLAN = re.compile(r"^1\.\.(\d+)(?: # SKIP ?(.*))?", re.M)


def judge_ktap(name: str, status: int, output: str) -> Result:
    """A kselftest. It must print as many results as it planned, and its exit status must agree with them."""
    result = Result()
    diagnostics: list[str] = []
    for line in output.splitlines():
        match = KTAP_LINE.match(line)
        if not match:
            diagnostics.append(line)
            continue
        verdict, case, reason = match.groups()
        if verdict == "not ok":
            result.failed.append(f"{name}: {case}")
            result.shown += diagnostics[-30:] + [line]
        elif reason is not None:
            result.skipped.append((f"{name}: {case}", reason or "no reason given"))
        else:
            result.passed += 1
        diagnostics = []

    plan = KTAP_PLAN.search(output)
    if plan is None and status == SKIP_STATUS:
        return judge_plain(name, status, output)
    if plan is None or int(plan[1]) != result.cases():
        planned = plan[1] if plan else "no"
        result.failed.append(f"{name}: {planned} cases planned, {result.cases()} reported, exit status {status}")
        result.shown += output.splitlines()[-40:]
    elif status not in (0, SKIP_STATUS) and not result.failed:
        result.failed.append(f"{name}: exit status {status}")
        result.shown += output.splitlines()[-40:]
    elif status == SKIP_STATUS and not result.cases():
        result.skipped.append((name, plan[2] or "none of its cases belongs to this suite"))
    return result


GTEST_COUNT = re.compile(r"^\[  (PASSED|SKIPPED|FAILED) +\] (\d+) tests?", re.M)
GTEST_SKIP = re.compile(r"^(.*?)\n\[  SKIPPED \] (\S+) \(", re.M)
GTEST_FAIL = re.compile(r"^\[  FAILED  \] (\S+)(?:, where .*)? \(", re.M)


def judge_gtest(name: str, status: int, output: str) -> Result:
    counts = {verdict: int(n) for verdict, n in GTEST_COUNT.findall(output)}
    result = Result(passed=counts.get("PASSED", 0))
    result.failed = [f"{name}: {case}" for case in GTEST_FAIL.findall(output)]
    result.skipped = [(f"{name}: {case}", reason) for reason, case in GTEST_SKIP.findall(output)]
    if (status != 0 or not counts) and not result.failed:
        result.failed = [f"{name}: exit status {status}" if counts else f"{name}: no test ran, exit status {status}"]
    if result.failed:
        result.shown = failed_tests(output)[:80] or output.splitlines()[-40:]
    return result


def failed_tests(output: str) -> list[str]:
    """What the failed tests of a GoogleTest program printed."""
    shown: list[str] = []
    block: list[str] = []
    for line in output.splitlines():
        if line.startswith("[ RUN      ]"):
            block = []
        block.append(line)
        if line.startswith("[  FAILED  ]") and " ms)" in line:
            shown += block[-20:]
    return shown


@dataclass
class Step:
    name: str
    command: list[str]
    judge: Callable[[str, int, str], Result] = judge_plain
    env: dict[str, str] = field(default_factory=dict)
    cwd: Path | None = None
    seconds: int = 120
    as_nobody: bool = False
    makes: str | None = None  # the build folder that it fills
    needs: str | None = None  # the build folder that it uses
    # Called just before; a text means: can't run, for this reason.
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


def kill_group(process: subprocess.Popen) -> None:
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()


def execute(step: Step, log: Path) -> tuple[int | None, str]:
    """Exit status (None: took too long, or could not start) and output. Leaves no process behind."""
    with log.open("wb") as out:
        out.write(f"# {' '.join(step.command)}\n".encode())
        out.flush()
        try:
            process = subprocess.Popen(
                step.command,
                env={**os.environ, **step.env},
                cwd=step.cwd,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                preexec_fn=lambda: before_exec(step),
            )
        except OSError as error:
            return None, f"can't start {step.command[0]}: {error.strerror}"
        try:
            status = process.wait(step.seconds)
        except subprocess.TimeoutExpired:
            status = None
        finally:
            kill_group(process)
    output = log.read_text(errors="replace").partition("\n")[2]
    return status, output if status is not None else output + f"\nkilled: not done after {step.seconds} s"


def run_step(step: Step, log: Path) -> Result:
    reason = step.unavailable()
    if reason is not None:
        return Result(skipped=[(step.name, reason)])
    status, output = execute(step, log)
    if status is not None:
        return step.judge(step.name, status, output)
    # It did not end by itself: one failure, whatever it had reported until then.
    lines = output.splitlines()
    return Result(failed=[f"{step.name}: {lines[-1]}"], shown=lines[-40:])


def describe(result: Result) -> str:
    word = "FAILED" if result.failed else "ok" if result.passed else "skipped"
    if result.cases() == 1:
        return word if word != "skipped" else f"skipped: {result.skipped[0][1]}"
    parts = [f"{result.passed} passed"]
    parts += [f"{len(result.failed)} failed"] if result.failed else []
    parts += [f"{len(result.skipped)} skipped"] if result.skipped else []
    return f"{word}: {', '.join(parts)}"


def run_all(steps: list[Step], logs: Path) -> bool:
    """Runs the steps, prints what became of them and the line of counts; true if nothing failed."""
    logs.mkdir(parents=True, exist_ok=True)
    total = Result()
    width = len(str(len(steps)))
    for number, step in enumerate(steps, 1):
        print(f"[{number:{width}}/{len(steps)}] {step.name} ... ", end="", flush=True)
        log = logs / (re.sub(r"[^A-Za-z0-9_.-]+", "-", step.name) + ".log")
        start = time.monotonic()
        result = run_step(step, log)
        print(f"{describe(result)} ({time.monotonic() - start:.1f} s)", flush=True)
        for line in result.shown:
            print(f"    {line}")
        if result.failed:
            print(f"    (all of it: {log})", flush=True)
        total.passed += result.passed
        total.failed += result.failed
        total.skipped += result.skipped
    summarise(total)
    return not total.failed


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
