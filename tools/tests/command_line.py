# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
"""What the tests of the command lines share: calling a program, comparing, printing KTAP."""

import os
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path


class Skip(Exception):
    pass


class Called:
    def __init__(
        self,
        program: str,
        *arguments: object,
        stdin: bytes = b"",
        limit: Callable[[], None] | None = None,
        env: dict[str, str] | None = None,  # comes on top of what this process has
    ) -> None:
        command = [program, *map(str, arguments)]
        everything = {**os.environ, **(env or {})}
        done = subprocess.run(command, input=stdin, capture_output=True, preexec_fn=limit, env=everything)
        self.status, self.out, self.err = done.returncode, done.stdout.decode(), done.stderr.decode()


def same(got: object, want: object) -> None:
    if got != want:
        raise AssertionError(f"{got!r} instead of {want!r}")


def within(part: str, whole: str) -> None:
    if part not in whole:
        raise AssertionError(f"no {part!r} in {whole!r}")


def run_cases(cases: list[Callable[[Path], None]], prefix: str) -> int:
    """Runs each with a folder of its own. The exit status: 1 if one failed."""
    print(f"TAP version 14\n1..{len(cases)}")
    failed = False
    for number, case in enumerate(cases, 1):
        name = case.__name__.replace("_", " ")
        with tempfile.TemporaryDirectory(prefix=prefix) as work:
            try:
                case(Path(work))
                print(f"ok {number} {name}")
            except Skip as reason:
                print(f"ok {number} {name} # SKIP {reason}")
            except Exception as wrong:  # makes anything a failure of this case, not of the others
                failed = True
                print(f"# {type(wrong).__name__}: {wrong}\nnot ok {number} {name}")
    return 1 if failed else 0
