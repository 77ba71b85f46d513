# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
"""pytest -p no:terminal -p ktap prints KTAP, as the project's other tests do."""

import pytest

_count = 0


def pytest_addoption(parser: pytest.Parser) -> None:
    """What explains assertions asks for this, which the reporter that is left out would have."""
    parser.addoption("--verbose", type=int, default=0)


def _say(verdict: str, name: str, remark: str = "") -> None:
    global _count
    _count += 1
    print(f"{verdict} {_count} {name}{remark}", flush=True)


def _reason_of(report: pytest.TestReport) -> str:
    reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    return reason.removeprefix("Skipped: ").replace("\n", " ")


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    name = report.nodeid.rpartition("/")[2].replace("#", "")
    if report.failed:
        print(report.longreprtext)
        print(report.capstderr)
        _say("not ok", f"{name} ({report.when})")
    elif report.skipped:
        _say("ok", name, f" # SKIP {_reason_of(report)}")
    elif report.when == "call":
        _say("ok", name)


def pytest_collectreport(report: pytest.CollectReport) -> None:
    if report.failed:
        print(report.longreprtext)
        _say("not ok", report.nodeid)


def pytest_sessionfinish() -> None:
    print(f"1..{_count}", flush=True)
