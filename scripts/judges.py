# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
"""What came of a test program: its exit status and its output, read as those of a command, make, KTAP or GoogleTest."""

import re
import signal
from dataclasses import dataclass, field

SKIP_STATUS = 4  # exit status of a kselftest that could not run


@dataclass
class Result:
    passed: int = 0
    failed: list[str] = field(default_factory=list)
    skipped: list[tuple[str, str]] = field(default_factory=list)  # what, and the reason
    shown: list[str] = field(default_factory=list)  # lines for the reader, of what failed

    def cases(self) -> int:
        return self.passed + len(self.failed) + len(self.skipped)


def ending(status: int) -> str:
    """A process's end in words: some die without any of their own."""
    return f"killed by {signal.Signals(-status).name}" if status < 0 else f"exit status {status}"


def judge_plain(name: str, status: int, output: str) -> Result:
    """A command that is one test."""
    if status == 0:
        return Result(passed=1)
    if status == SKIP_STATUS:
        return Result(skipped=[(name, (output.strip().splitlines() or ["no reason given"])[-1])])
    return Result(failed=[name], shown=[*output.splitlines()[-39:], ending(status)])


COMPLAINT = re.compile(r"error:|warning:|undefined reference|\*\*\*|Error \d", re.I)


def judge_make(name: str, status: int, output: str) -> Result:
    if status == 0:
        return Result(passed=1)
    lines = output.splitlines()
    return Result(failed=[name], shown=[line for line in lines if COMPLAINT.search(line)][:40] or lines[-40:])


KTAP_LINE = re.compile(r"^(ok|not ok) \d+ ?-? ?([^#\n]*?)\s*(?:# SKIP ?(.*))?$")
KTAP_NESTED_PASS = re.compile(r"^# +ok \d+ ")  # of a program that a case has run
KTAP_PLAN = re.compile(r"^1\.\.(\d+)(?: # SKIP ?(.*))?", re.M)


def judge_ktap(name: str, status: int, output: str) -> Result:
    """A kselftest. It must print as many results as it planned, and its exit status must agree with them."""
    result = Result()
    diagnostics: list[str] = []
    for line in output.splitlines():
        match = KTAP_LINE.match(line)
        if not match:
            if not KTAP_NESTED_PASS.match(line):
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
        result.failed.append(f"{name}: {planned} cases planned, {result.cases()} reported, {ending(status)}")
        result.shown += output.splitlines()[-40:]
    elif status not in (0, SKIP_STATUS) and not result.failed:
        result.failed.append(f"{name}: {ending(status)}")
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
        result.failed = [f"{name}: {ending(status)}" if counts else f"{name}: no test ran, {ending(status)}"]
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
